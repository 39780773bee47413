"""A stream that nobody has to wait for: what is written to it goes on in a thread of its own.

Who stops a terminal to read something, or a pipe, would otherwise stop all matches, whose log goes
there.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import queue
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

MOST_WAITING: Final = 20_000
"""Texts that wait; further ones are left out, and counted."""
_LAST_WORDS: Final = 1.0
"""Seconds that are left to write the rest when the process ends."""


class PatientStream(io.TextIOBase):
    """Writes to another stream, some time later.

    Args:
        target: gives the stream; asked for each text, as standard error may be replaced.
    """

    def __init__(self, target: Callable[[], TextIO]) -> None:
        self._target = target
        self._waiting: queue.Queue[str] = queue.Queue(MOST_WAITING)
        self._left_out = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def write(self, text: str, /) -> int:
        """Have a text written; returns at once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_all, name="log writer", daemon=True
                )
                self._thread.start()
                atexit.register(self.wait, _LAST_WORDS)
        try:
            self._waiting.put_nowait(text)
        except queue.Full:
            self._left_out += 1
        return len(text)

    def flush(self) -> None:
        """Nothing: what waits is written as soon as it can be."""

    def wait(self, seconds: float) -> bool:
        """Wait until all is written, so long at most; whether it is."""
        with self._waiting.all_tasks_done:
            return self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, seconds
            )

    # --- helpers --------------------------------------------------------------------------------

    def _write_all(self) -> None:
        while True:
            text = self._waiting.get()
            left_out, self._left_out = self._left_out, 0
            # A stream that is closed or gone is no reason to end anything.
            with contextlib.suppress(OSError, ValueError):
                target = self._target()
                if left_out:
                    target.write(f"{left_out} lines of the log were left out\n")
                target.write(text)
                if self._waiting.empty():
                    target.flush()
            self._waiting.task_done()
