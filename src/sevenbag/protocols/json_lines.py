"""Cuts a stream of bytes into lines of bounded length."""

from __future__ import annotations

from typing import Final

MAX_LINE_BYTES: Final = 1 << 20
"""Bytes of the longest line that is read, its end not counted."""


class LineSplitter:
    """Takes bytes as they come and gives whole lines, without their ends.

    A line that is too long is told as None, once, as soon as it is known to be; the rest of it is
    passed over. So whoever sends one endless line costs no memory.
    """

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._skipping = False

    @property
    def pending_bytes(self) -> int:
        """Bytes of a line whose end has not come yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that these bytes complete."""
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
        """The last line, if it came without an end."""
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
