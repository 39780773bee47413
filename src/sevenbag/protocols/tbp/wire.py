"""Messages of TBP as lines of JSON, and as plain objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from sevenbag.errors import ProtocolError
from sevenbag.protocols.lines import LONGEST_LINE
from sevenbag.protocols.tbp.reading import read_message

if TYPE_CHECKING:
    from sevenbag.protocols.tbp.messages import Message


def encode(message: Message) -> bytes:
    """The message as one line of compact JSON with its line end."""
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes | str) -> Message | None:
    """The message in a line; None for what is to be passed over.

    To be passed over are blank lines, lines that hold no JSON object, and objects of an unknown
    type.

    Raises:
        ProtocolError: the line is longer than `LONGEST_LINE`, or a message of a known type has a
            part missing, of a wrong kind, or out of its range; `path` says which.
    """
    if len(line) > LONGEST_LINE:
        raise ProtocolError(f"a line of {len(line)} characters; the longest is {LONGEST_LINE}")
    try:
        content: object = _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None
    return read_message(content)


def from_object(content: object) -> Message | None:
    """As `decode`, for transports that carry objects instead of lines."""
    return read_message(content)


def to_object(message: Message) -> dict[str, Any]:
    """The message as plain data, for transports that carry objects instead of lines."""
    plain: dict[str, Any] = msgspec.to_builtins(message)
    return plain


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Any)
