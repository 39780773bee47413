"""Lines of JSON: splitting of byte streams, parsing, and terms for errors in messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

import msgspec

MAX_LINE_BYTES: Final = 1 << 20
"""Bytes of the longest line that is read, its end not counted."""


class LineSplitter:
    """Splits bytes into complete lines without their ends.

    A line that is too long is returned once as None as soon as its length is known; the rest of it
    is skipped. So an endless line takes no memory.
    """

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._skipping = False

    @property
    def pending_bytes(self) -> int:
        """Number of bytes of an incomplete line."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that these bytes complete."""
        lines: list[bytes | None] = []
        *ended, begun = data.split(b"\n")
        for part in ended:
            self._append(part, lines)
            if not self._skipping:
                lines.append(bytes(self._buffer).removesuffix(b"\r"))
            self._buffer.clear()
            self._skipping = False
        self._append(begun, lines)
        return lines

    def finish(self) -> list[bytes | None]:
        """Return the last line if it has no end."""
        return self.feed(b"\n") if self._buffer else []

    def _append(self, part: bytes, lines: list[bytes | None]) -> None:
        if self._skipping:
            return
        if len(self._buffer) + len(part) <= self._max_bytes:
            self._buffer += part
            return
        self._buffer.clear()
        self._skipping = True
        lines.append(None)


def parse_json(line: bytes | str) -> object:
    """Parse a line of JSON as plain data; None if it is not JSON."""
    try:
        content: object = _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None
    return content


def message_type(content: object) -> str:
    """Return the type that this data names, known or not; empty if it names none."""
    kind = cast("dict[str, object]", content).get("type") if isinstance(content, dict) else None
    return kind if isinstance(kind, str) else ""


def describe_value(value: object) -> str:
    """Describe a value for an error message, by its kind if it is long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A difference between a message and the texts.

    Attributes:
        path: field of the message.
        problem: found and expected value.
        clause: clause of the texts.
        severity: ``error``: strict programs reject it; ``warning``: some do; ``note``: allowed.
    """

    path: str
    problem: str
    clause: str
    severity: Severity


# --- helpers --------------------------------------------------------------------------------------

_DECODER: Final = msgspec.json.Decoder(Any)
