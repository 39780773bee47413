"""Tests of child processes with real deaths."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys

import pytest

from sevenbag.contest.child_process import ChildProcess
from tests.cli.run import alive, wait_until

# A command that runs until it is terminated, and one that ends at once.
STAYS = ["web", "--port", "0"]
ENDS = ["--version"]


async def said(lines: list[str], word: str, seconds: float = 120) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not any(word in line for line in lines):
        assert loop.time() < end, f"never said: {word}"
        await asyncio.sleep(0.01)


async def test_exit_code_of_a_child() -> None:
    lines: list[str] = []
    assert await ChildProcess("version", ENDS, lines.append).run() == 0
    assert lines[0].startswith("sevenbag ")
    assert await ChildProcess("nonsense", ["nonsense"], lines.append).run() == 2


async def test_child_is_terminated_when_released() -> None:
    lines: list[str] = []
    child = ChildProcess("page", STAYS, lines.append)
    running = asyncio.create_task(child.run())
    await said(lines, "http://")
    pid = child.pid
    assert pid is not None
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert child.pid is None
    assert not alive(pid)


@pytest.mark.faults
async def test_dead_child_is_restarted() -> None:
    lines: list[str] = []
    child = ChildProcess("page", STAYS, lines.append, restart=True)
    running = asyncio.create_task(child.run())
    await said(lines, "http://")
    first = child.pid
    assert first is not None
    lines.clear()
    os.kill(first, signal.SIGKILL)
    await said(lines, "page was ended by SIGKILL; restarting in")
    await said(lines, "http://")
    second = child.pid
    assert second is not None
    assert second != first
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert not alive(second)


PARENT = """
import asyncio
from sevenbag.contest.child_process import ChildProcess
child = ChildProcess("page", ["web", "--port", "0"], lambda line: print(child.pid, flush=True))
asyncio.run(child.run())
"""


@pytest.mark.faults
def test_child_dies_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    try:
        child = int(parent.stdout.readline())
        assert alive(child)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    wait_until(lambda: not alive(child))
