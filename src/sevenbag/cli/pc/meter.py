"""How far long work is, on standard error: one line that changes, or a line now and then."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

_LINES_EVERY: Final = 15.0
_CHANGES_EVERY: Final = 0.2


class Meter:
    """A context; at its end the line is gone.

    Args:
        quiet: whether nothing is shown.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._shown = float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be printed; it comes again."""
        if self._terminal and not self._quiet:
            self._write("\r\x1b[K")

    def show(self, what: str, fraction: float, seconds_left: float | None) -> None:
        """Say what is done, how much of all is, and how long the rest will take."""
        now = time.monotonic()
        every = _CHANGES_EVERY if self._terminal else _LINES_EVERY
        if self._quiet or now - self._shown < every:
            return
        self._shown = now
        left = "" if seconds_left is None else f", {duration(seconds_left)} left"
        line = f"{fraction:4.0%}  {what}{left}"
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            self._write(f"\r{line[: columns - 1]}\x1b[K")
        else:
            self._write(line + "\n")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Format a duration as short text: 42 s, 3:05 min, 1:07 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"
