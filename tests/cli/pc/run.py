"""Run ``pc`` in this process, or in a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Self

from sevenbag.cli.main import pc as run_pc
from tests.cli.run import environment, run_main, sevenbag

Run = Callable[..., CompletedProcess[str]]

PC = [sys.executable, "-P", "-c", "import sys; from sevenbag.cli.main import pc; sys.exit(pc())"]
"""The installed command ``pc``, in a process of its own."""


def pc(*words: str | Path, folder: Path | None = None, typed: str = "") -> CompletedProcess[str]:
    """Run ``pc`` in this process; arguments as for `sevenbag`."""
    return run_main(run_pc, *words, folder=folder, typed=typed)


def sevenbag_pc(*words: str | Path) -> CompletedProcess[str]:
    """Run ``sevenbag pc`` in this process."""
    return sevenbag("pc", *words)


class Terminal:
    """Context that runs ``pc`` in a terminal."""

    def __init__(self, *words: str | Path, columns: int = 80, rows: int = 24) -> None:
        self.screen = b""
        pid, descriptor = pty.fork()
        if pid == 0:
            # Set the size before the program reads it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(PC[0], [*PC, *map(str, words)], environment())
        self.pid, self._descriptor = pid, descriptor
        self.code: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._descriptor)

    @property
    def text(self) -> str:
        """Return the whole output, including control sequences."""
        return self.screen.decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def resize(self, columns: int, rows: int) -> str:
        """Resize, and return the first frame of that size."""
        start = len(self.screen)
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.wait_for("\x1b[2J", start)
        begin = self.screen.index(b"\x1b[2J", start)
        self.wait_for("\x1b[?2026l", begin)
        return self.screen[begin:].decode("utf-8", "replace").partition("\x1b[?2026l")[0]

    def wait_for(self, words: str, start: int | None = None) -> None:
        """Read until a text is written, from position `start` on."""
        if start is None:
            start = len(self.screen)
        end = time.monotonic() + 600
        while words not in self._since(start):
            assert time.monotonic() < end, f"{words!r} never came: {self.text[-2000:]!r}"
            self._read(0.1)

    def _since(self, start: int) -> str:
        """Return the output since a position, as it is and without control sequences."""
        text = self.screen[start:].decode("utf-8", "replace")
        return text + re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

    def end(self) -> int:
        """Return the exit code."""
        end = time.monotonic() + 600
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                self._read(0)
                return self.code
            assert time.monotonic() < end, "it never ended"
            self._read(0.05)

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if ready:
            try:
                self.screen += os.read(self._descriptor, 1 << 16)
            except OSError:  # what Linux says when the other side has gone
                time.sleep(0.01)
