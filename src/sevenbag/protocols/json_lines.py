"""Cuts a stream of bytes into lines of bounded length."""

from __future__ import annotations

from typing import Final

LONGEST_LINE: Final = 1 << 20
"""Bytes of the longest line that is read, its end not counted."""


class LineSplitter:
    """Takes bytes as they come and gives whole lines, without their ends.

    A line that is too long is told as None, once, as soon as it is known to be; the rest of it is
    passed over. So whoever sends one endless line costs no memory.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._passing_over = False

    @property
    def begun(self) -> int:
        """Bytes of a line whose end has not come yet."""
        return len(self._begun)

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that these bytes complete."""
        lines: list[bytes | None] = []
        *ended, begun = data.split(b"\n")
        for part in ended:
            self._append(part, lines)
            if not self._passing_over:
                lines.append(bytes(self._begun).removesuffix(b"\r"))
            self._begun.clear()
            self._passing_over = False
        self._append(begun, lines)
        return lines

    def end(self) -> list[bytes | None]:
        """The last line, if it came without an end."""
        return self.feed(b"\n") if self._begun else []

    def _append(self, part: bytes, lines: list[bytes | None]) -> None:
        if self._passing_over:
            return
        if len(self._begun) + len(part) <= self._longest:
            self._begun += part
            return
        self._begun.clear()
        self._passing_over = True
        lines.append(None)
