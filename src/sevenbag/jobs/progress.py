"""Progress of long work on standard error: one line that changes, or a line now and then."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Final, Self

_LOG_SECONDS: Final = 15.0
_REDRAW_SECONDS: Final = 0.2


class ProgressLine:
    """A line about the progress of work; a context that removes it at its end."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._updated = float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the line, so that something else can be printed, until the next update."""
        if self._terminal:
            self._write("\r\x1b[K")

    def update(self, stage: str, fraction: float, seconds_left: float | None) -> None:
        """Print the progress, unless that was done a moment ago.

        Args:
            stage: description of the current work.
            fraction: of all work that is done, 0 to 1.
            seconds_left: estimate of the remaining time, if known.
        """
        now = time.monotonic()
        if now - self._updated < (_REDRAW_SECONDS if self._terminal else _LOG_SECONDS):
            return
        self._updated = now
        left = "" if seconds_left is None else f", {format_duration(seconds_left)} left"
        line = f"{fraction:4.0%}  {stage}{left}"
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            self._write(f"\r{line[: columns - 1]}\x1b[K")
        else:
            self._write(line + "\n")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def format_duration(seconds: float) -> str:
    """Format a duration as short text: 42 s, 3:05 min, 1:07 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"
