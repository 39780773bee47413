"""Real server of pages in its own process."""

import functools
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from tests.cli.run import descendants, start, wait_until


class Server:
    """`sevenbag web`, running.

    Attributes:
        process: the process.
        address: where its page is.
        bots: the folder that it serves as /bots/.
    """

    def __init__(self, bots: Path) -> None:
        self.bots = bots
        self.process: subprocess.Popen[str] = start(
            "web", "--port", "0", "--bots", bots, folder=bots
        )
        assert self.process.stdout is not None
        self.address = re.findall(r"http://\S+", self.process.stdout.readline())[0]
        self._lines: list[str] = []
        threading.Thread(target=self._read, args=[self.process.stdout], daemon=True).start()

    def says(self, *patterns: str) -> None:
        """Wait for a line for each of these; one reports the end of a game."""
        for pattern in patterns:
            wait_until(functools.partial(self._take, pattern))

    def _read(self, output: TextIO) -> None:
        for line in output:
            self._lines.append(line.rstrip())

    def _take(self, pattern: str) -> bool:
        found = next((line for line in self._lines if re.match(pattern, line)), None)
        if found is not None:
            self._lines.remove(found)
        return found is not None

    def end(self) -> tuple[int, str]:
        """Stop it with Ctrl-C; return its exit code and standard error."""
        assert descendants(self.process.pid) == set()
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=120)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()

    def kill(self) -> None:
        """In any case."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("bots"))
    try:
        yield running
        assert running.end() == (130, "")
    finally:
        running.kill()
