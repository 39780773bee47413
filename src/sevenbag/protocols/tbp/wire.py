"""Encoding of TBP messages as lines of JSON, and as plain objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES, parse_json
from sevenbag.protocols.tbp.reading import read_message

if TYPE_CHECKING:
    from sevenbag.protocols.tbp.messages import TbpMessage, TbpMove


def encode(message: TbpMessage, *, spaced: bool = False) -> bytes:
    """Encode a message as one line of JSON with its line end.

    Args:
        message: the message.
        spaced: put a space after each colon and comma, as some frontends do.
    """
    if spaced:
        return json.dumps(to_object(message), ensure_ascii=False).encode() + b"\n"
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes | str, *, ignore_extensions: bool = False) -> TbpMessage | None:
    """Decode a line; None for a line that is to be skipped.

    Blank lines, lines without a JSON object and objects of an unknown type are skipped.

    Args:
        line: the line, with or without its end.
        ignore_extensions: drop invalid parts of the versus dialect; see `read_message`.

    Raises:
        ProtocolError: the line is longer than `MAX_LINE_BYTES`, or a field of a message of a known
            type is missing, has a wrong type or is out of range; `path` names it.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"a line of {len(line)} characters; the longest is {MAX_LINE_BYTES}")
    return read_message(parse_json(line), ignore_extensions=ignore_extensions)


def from_object(content: object) -> TbpMessage | None:
    """Read a message from plain data, for transports that carry objects instead of lines."""
    return read_message(content)


def to_object(message: TbpMessage | TbpMove) -> dict[str, Any]:
    """Convert a message or a move to plain data, for transports that carry objects."""
    # Converted by way of JSON, because transports accept only its types: no tuples.
    content: object = _DECODER.decode(_ENCODER.encode(message))
    return cast("dict[str, Any]", content)


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Any)
