"""Encoding of Triangle.js adapter messages as lines of JSON, and as plain objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES, parse_json
from sevenbag.protocols.triangle.messages import TriangleConfig
from sevenbag.protocols.triangle.reading import read_message

if TYPE_CHECKING:
    from sevenbag.protocols.triangle.messages import TriangleMessage


def encode(message: TriangleMessage) -> bytes:
    """Encode a message as one line of compact JSON with its line end."""
    if isinstance(message, TriangleConfig):
        return _ENCODER.encode(to_object(message)) + b"\n"
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes | str) -> TriangleMessage | None:
    """Decode a line; None for a line that is to be skipped.

    Blank lines, lines without a JSON object and objects of an unknown type are skipped.

    Args:
        line: the line, with or without its end.

    Raises:
        ProtocolError: the line is longer than `MAX_LINE_BYTES`, or a field of a message of a known
            type is missing, has a wrong type or is out of range; `path` names it.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"a line of {len(line)} characters; the longest is {MAX_LINE_BYTES}")
    return read_message(parse_json(line))


def from_object(content: object) -> TriangleMessage | None:
    """Read a message from plain data, for transports that carry objects instead of lines."""
    return read_message(content)


def to_object(message: TriangleMessage) -> dict[str, Any]:
    """Convert a message to plain data, for transports that carry objects instead of lines."""
    # Converted by way of JSON, because transports accept only its types: no tuples.
    content = cast("dict[str, Any]", _DECODER.decode(_ENCODER.encode(message)))
    if isinstance(message, TriangleConfig):
        # Old and new bots find the field that they know.
        content["b2bCharing"] = content["b2bCharging"]
    return content


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Any)
