"""Child processes that run sevenbag commands and end with this process."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Final

from sevenbag.bots.external.process import ProcessGroupGuard, signal_process_group

_MIN_PAUSE: Final = 0.5

_MAX_PAUSE: Final = 30.0

_STABLE_SECONDS: Final = 60.0
"""Seconds after which a restarted process counts as stable, which resets the pause."""

_MAX_LINE_BYTES: Final = 1 << 16


class ChildProcess:
    """A sevenbag command, such as ``contest game-server``, in a child process.

    The child has its own session, so Ctrl-C in the terminal reaches only this process. It is killed
    when this process is killed. It shares standard error.

    Args:
        name: name for messages.
        arguments: arguments of ``sevenbag``.
        report: called with each line of output, and with a message at each exit.
        restart: whether to restart the command when it ends.
        stop_seconds: time in seconds to end after SIGTERM.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        report: Callable[[str], None],
        *,
        restart: bool = False,
        stop_seconds: float = 10.0,
    ) -> None:
        self.name = name
        self.pid: int | None = None
        self._arguments = tuple(arguments)
        self._report = report
        self._restart = restart
        self._stop_seconds = stop_seconds

    async def run(self) -> int:
        """Run the command until it ends or, with `restart`, until cancelled; then stop it.

        Returns:
            Its exit code.
        """
        pause = _MIN_PAUSE
        loop = asyncio.get_running_loop()
        while True:
            start = loop.time()
            code = await self._run_once()
            if not self._restart:
                return code
            if loop.time() - start > _STABLE_SECONDS:
                pause = _MIN_PAUSE
            self._report(f"{self.name} {_describe_exit(code)}; restarting in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE)

    def terminate(self) -> None:
        """Send SIGTERM; a second one makes a game server break off running games."""
        if self.pid is not None:
            signal_process_group(self.pid, signal.SIGTERM)

    async def _run_once(self) -> int:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sevenbag", *self._arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            limit=_MAX_LINE_BYTES,
            start_new_session=True,
        )
        guard = ProcessGroupGuard(process.pid)
        self.pid = process.pid
        try:
            await self._read_output(process)
            return await process.wait()
        finally:
            try:
                await self._stop(process)
            finally:
                self.pid = None
                guard.kill()

    async def _read_output(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                continue  # longer than any line of sevenbag
            if not line:
                return
            self._report(line.decode("utf-8", "replace").rstrip())

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        signal_process_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), self._stop_seconds)


def raise_file_limit(wanted: int) -> int:
    """Raise the open file limit of this process, if possible.

    Each connection is a file, and the usual limit is about a thousand.

    Returns:
        Number of files that may be open, at most `wanted`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
