"""Tablebases: all boards between the empty field and its perfect clears of a height, in memory.

For four rows there are about 14 million boards, which take half a minute and over two gigabytes.
All queues are then solved with them at once. The kernel does the work; this module runs it, reports
its progress and stops it on Ctrl-C.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag._kernel import (
    MAX_THREADS,
    PC_GRAPH_STAGES,
    PC_TABLEBASE_STAGES,
    PcProgress,
    PcTablebase,
)
from sevenbag.errors import BoardError, ScarceMemoryError

if TYPE_CHECKING:
    from sevenbag._kernel import Kicks

T = TypeVar("T")

HEIGHTS: Final = (2, 4)
"""Heights with a tablebase."""

MEMORY_BYTES: Final = {2: 64 << 20, 4: 3200 << 20}
"""Maximum size of a tablebase by height, under any built-in rotation system."""


@dataclass(frozen=True, slots=True)
class TablebaseProgress:
    """Progress of long work.

    Attributes:
        stage: description of the current stage.
        fraction: fraction of all work that is done, 0 to 1; an estimate.
        seconds: seconds since the start.
    """

    stage: str
    fraction: float
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the remaining seconds; None if there is none yet."""
        if self.fraction < 0.01:
            return None
        return self.seconds * (1 - self.fraction) / self.fraction


class KernelTask:
    """Runs work of the kernel in a thread, while the calling thread reports the progress.

    Args:
        report: called about five times a second, in the calling thread.
        height: height of the tablebase; its stages take different fractions of the time.
        last_stage: number of stages of all work.
    """

    def __init__(
        self,
        report: Callable[[TablebaseProgress], None] | None,
        height: int,
        last_stage: int = PC_TABLEBASE_STAGES,
    ) -> None:
        self.progress = PcProgress()
        self._report = report
        self._started_at = time.monotonic()
        self._shares = _SHARES if height == 4 else {}
        self._all = sum(self._share(stage) for stage in range(last_stage))

    def run(self, work: Callable[[], T]) -> T:
        """Run the work; return its result or raise its exception.

        An exception in the calling thread, such as Ctrl-C, stops the work first.
        """
        # Not Thread.join: before Python 3.13 it treats a thread as ended after Ctrl-C.
        started, ended = threading.Event(), threading.Event()
        results: list[T] = []
        failures: list[BaseException] = []

        def run() -> None:
            started.set()
            try:
                results.append(work())
            except BaseException as error:  # noqa: BLE001  # raised again in the caller
                failures.append(error)
            finally:
                ended.set()

        try:
            threading.Thread(target=run, name="sevenbag-tablebase").start()
            while not ended.wait(0.2):
                if self._report is not None:
                    self._report(self.measure_progress())
        finally:
            while not ended.is_set():
                self.progress.stop()
                # Further Ctrl-C must not leave the thread behind.
                with suppress(KeyboardInterrupt):
                    if not started.wait(1):
                        break  # the exception came before the thread started
                    ended.wait()
        if failures:
            failure = failures[0]
            if isinstance(failure, MemoryError):
                raise ScarceMemoryError("there is not enough memory") from failure
            raise failure
        return results[0]

    def measure_progress(self) -> TablebaseProgress:
        """Return the progress."""
        stage = self.progress.stage
        within = min(1.0, self.progress.done / self.progress.total)
        done = sum(self._share(earlier) for earlier in range(stage)) + within * self._share(stage)
        return TablebaseProgress(
            _describe_stage(stage), min(1.0, done / self._all), time.monotonic() - self._started_at
        )

    def _share(self, stage: int) -> float:
        return self._shares.get(stage, 0.01)


def build_tablebase(kicks: Kicks | str, height: int, threads: int, task: KernelTask) -> PcTablebase:
    """Build the tablebase of a height under a rotation system.

    Raises:
        BoardError: invalid height.
        KicksError: unknown rotation system.
        ScarceMemoryError: there is not enough memory.
    """
    check_height(height)
    check_memory(height)
    tablebase = task.run(lambda: PcTablebase.build(kicks, height, threads, task.progress))
    assert tablebase is not None, "it was not stopped"
    return tablebase


def check_height(height: int) -> None:
    """Check that there is a tablebase of a height.

    Raises:
        BoardError: there is none.
    """
    if height not in HEIGHTS:
        raise BoardError(f"invalid height: expected 2 or 4, got {height}")


def check_memory(height: int, processes: int = 1) -> None:
    """Check that there is enough memory for processes with a tablebase each, before they start.

    Raises:
        ScarceMemoryError: the machine, or the limit of this process, is too small.
    """
    free = available_memory()
    wanted = MEMORY_BYTES[height] * processes
    if free is not None and free < wanted:
        each = f" for {processes} processes" if processes > 1 else ""
        raise ScarceMemoryError(
            f"not enough memory for all boards of {height} lines{each}: expected"
            f" {wanted >> 20} MiB, got {free >> 20} MiB"
        )


def available_memory() -> int | None:
    """Return the number of bytes that this process can still use; None if unknown."""
    return min(
        (free for free in (_read_machine_memory(), _read_group_memory()) if free is not None),
        default=None,
    )


def resolve_threads(threads: int | None) -> int:
    """Return the number of threads; by default, the number of processors of this process."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return min(MAX_THREADS, len(os.sched_getaffinity(0)))
    return min(MAX_THREADS, os.cpu_count() or 1)


_LAYERS: Final = PC_GRAPH_STAGES // 2
_ENDINGS: Final = PC_GRAPH_STAGES
_SEQUENCES: Final = PC_TABLEBASE_STAGES - 1

# Processor time of the stages for four rows, measured under SRS; other stages take almost none.
_SHARES: Final = {
    3: 1.0,
    4: 8.8,
    5: 16.4,
    6: 7.3,
    7: 0.7,
    _LAYERS + 2: 0.8,
    _LAYERS + 3: 9.3,
    _LAYERS + 4: 18.1,
    _LAYERS + 5: 7.7,
    _LAYERS + 6: 0.8,
    _ENDINGS: 0.3,
    _ENDINGS + 1: 1.2,
    _ENDINGS + 2: 4.2,
    _SEQUENCES: 85.0,
}


def _describe_stage(stage: int) -> str:
    if stage < _LAYERS:
        return f"boards with {stage + 1} pieces"
    if stage < PC_GRAPH_STAGES:
        return f"boards {stage - _LAYERS + 1} pieces before the end"
    return "endings" if stage < _SEQUENCES else "sequences"


def _read_machine_memory() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _read_group_memory() -> int | None:
    """Return the memory that a container, or another control group of Linux, leaves."""
    for limit, used in _GROUP_FILES:
        with suppress(OSError, ValueError):
            return int(Path(limit).read_text("ascii")) - int(Path(used).read_text("ascii"))
    return None


_GROUP_FILES: Final = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
