"""Processes of sevenbag's own beside this one: kept alive, and gone when this one is."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from sevenbag.bots.external.process import ProcessGroupGuard, signal_process_group

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_FIRST_PAUSE: Final = 0.5

_MAX_PAUSE: Final = 30.0

_STABLE_SECONDS: Final = 60.0
"""Seconds after which a process counts as one that runs, and its next end as the first."""

_MAX_LINE_BYTES: Final = 1 << 16


class ChildProcess:
    """A command of ours, such as ``contest game-server``, in a process of its own.

    It is in a session of its own: Ctrl-C in our terminal is for us to handle. When we are killed,
    it is killed with us. Its standard error is ours.

    Args:
        name: what to call it.
        words: the command line behind ``sevenbag``.
        say: is told its lines of output, and of its deaths.
        again: whether it is started anew when it ends.
        grace: seconds that it has to end when it is told to.
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
        self._words = tuple(arguments)
        self._say = report
        self._again = restart
        self._grace = stop_seconds

    async def run(self) -> int:
        """Run it until it ends, or, with `again`, until this is cancelled: that ends it.

        Returns: its exit code.
        """
        pause = _FIRST_PAUSE
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            code = await self._run_once()
            if not self._again:
                return code
            if loop.time() - began > _STABLE_SECONDS:
                pause = _FIRST_PAUSE
            self._say(f"{self.name} {_describe_exit(code)}; it is started again in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE)

    def terminate(self) -> None:
        """Tell it once more to end: who is told twice breaks off what it would have finished."""
        if self.pid is not None:
            signal_process_group(self.pid, signal.SIGTERM)

    # --- helpers --------------------------------------------------------------------------------

    async def _run_once(self) -> int:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sevenbag", *self._words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            limit=_MAX_LINE_BYTES,
            start_new_session=True,
        )
        guard = ProcessGroupGuard(process.pid)
        self.pid = process.pid
        try:
            await self._listen(process)
            return await process.wait()
        finally:
            try:
                await self._end(process)
            finally:
                self.pid = None
                guard.kill()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                continue  # longer than any line of ours
            if not line:
                return
            self._say(line.decode("utf-8", "replace").rstrip())

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        signal_process_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), self._grace)


def raise_file_limit(wanted: int) -> int:
    """Raise the open file limit of this process, if possible.

    Each connection is a file, and the usual limit is about a thousand.

    Returns: the number of files that may be open, at most `wanted`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


# --- helpers ------------------------------------------------------------------------------------


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
