"""Runs the real command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = [sys.executable, "-P", "-m", "sevenbag"]

TRACES = ("Traceback", "Warning", "nanobind", "asyncio", "Exception ignored")
"""What no user should ever see."""


def environment() -> dict[str, str]:
    """Ours, without what would change how output looks."""
    shown = {"COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TERM"}
    return {key: value for key, value in os.environ.items() if key not in shown} | {"TERM": "xterm"}


def sevenbag(
    *words: str | Path, folder: Path | None = None, timeout: float = 120, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run to the end; whatever happens, the machinery must not show."""
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        cwd=folder,
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    for trace in TRACES:
        assert trace not in done.stdout + done.stderr
    return done


def start(*words: str | Path, folder: Path) -> subprocess.Popen[str]:
    """Run in the background, in a process group of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, words)],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def descendants(pid: int) -> set[int]:
    """All processes below one, as they stand."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found - {pid}
        found |= more


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
