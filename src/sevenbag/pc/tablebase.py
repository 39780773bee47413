"""A census: all boards of a height between the empty field and its perfect clear, in memory.

At four lines these are some 14 million boards, which take half a minute and over two gigabytes;
whatever is then asked about all queues at once is answered on them. The kernel does all that; here
it is watched, and stopped when somebody presses Ctrl-C.
"""

from __future__ import annotations

import os
import threading
import time
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
    from collections.abc import Callable

    from sevenbag._kernel import Kicks

T = TypeVar("T")

HEIGHTS: Final = (2, 4)
"""Heights whose boards can be listed."""

MEMORY_BYTES: Final = {2: 64 << 20, 4: 3200 << 20}
"""Bytes a census of each height may take, under any of the known rotation systems."""


@dataclass(frozen=True, slots=True)
class TablebaseProgress:
    """How far long work has come.

    Attributes:
        stage: what is done now, in words.
        fraction: of all the work, 0 to 1; an estimate.
        seconds: since the beginning.
    """

    stage: str
    fraction: float
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """An estimate; None as long as there is nothing to base it on."""
        if self.fraction < 0.01:
            return None
        return self.seconds * (1 - self.fraction) / self.fraction


class KernelTask:
    """Runs work of the kernel beside the calling thread, which tells how it goes meanwhile.

    Args:
        report: called about five times a second, in the calling thread; None for nobody.
        height: of the census; its stages take different shares of the time.
        last_stage: the number of stages of all the work.
    """

    def __init__(
        self,
        report: Callable[[TablebaseProgress], None] | None,
        height: int,
        last_stage: int = PC_TABLEBASE_STAGES,
    ) -> None:
        self.progress = PcProgress()
        self._report = report
        self._begun = time.monotonic()
        self._shares = _SHARES if height == 4 else {}
        self._all = sum(self._share(stage) for stage in range(last_stage))

    def run(self, work: Callable[[], T]) -> T:
        """What the work returns; whatever it raises, too.

        An exception in the calling thread, as Ctrl-C is one, stops the work before it goes on.
        """
        # Not Thread.join: Python before 3.13 takes a thread for ended if Ctrl-C comes within it.
        begun, ended = threading.Event(), threading.Event()
        results: list[T] = []
        failures: list[BaseException] = []

        def run() -> None:
            begun.set()
            try:
                results.append(work())
            except BaseException as error:  # noqa: BLE001  # it is raised again in the caller
                failures.append(error)
            finally:
                ended.set()

        try:
            threading.Thread(target=run, name="sevenbag-census").start()
            while not ended.wait(0.2):
                if self._report is not None:
                    self._report(self.now())
        finally:
            while not ended.is_set():
                self.progress.stop()
                # Impatience does not make it quicker.
                with suppress(KeyboardInterrupt):
                    if not begun.wait(1):
                        break  # the exception came before there was a thread
                    ended.wait()
        if failures:
            failure = failures[0]
            if isinstance(failure, MemoryError):
                raise ScarceMemoryError("there is not enough memory") from failure
            raise failure
        return results[0]

    def now(self) -> TablebaseProgress:
        """How far the work is."""
        stage = self.progress.stage
        within = min(1.0, self.progress.done / self.progress.total)
        done = sum(self._share(earlier) for earlier in range(stage)) + within * self._share(stage)
        return TablebaseProgress(
            _name(stage), min(1.0, done / self._all), time.monotonic() - self._begun
        )

    def _share(self, stage: int) -> float:
        return self._shares.get(stage, 0.01)


def build_tablebase(
    kicks: Kicks | str, height: int, threads: int, watch: KernelTask
) -> PcTablebase:
    """The census of a height under a rotation system.

    Raises:
        BoardError: no census can be taken of this height.
        KicksError: there is no system of this name.
        ScarceMemoryError: there is not enough memory.
    """
    check_height(height)
    check_memory(height)
    census = watch.run(lambda: PcTablebase.build(kicks, height, threads, watch.progress))
    assert census is not None, "nobody has stopped it"
    return census


def check_height(height: int) -> None:
    """Refuse heights of which no census can be taken.

    Raises:
        BoardError: this is one.
    """
    if height not in HEIGHTS:
        raise BoardError(f"a height of {height} lines; all queues can be looked at for 2 and 4")


def check_memory(height: int, processes: int = 1) -> None:
    """Refuse to begin what would be killed in the middle.

    Args:
        height: of the census.
        processes: that take one each.

    Raises:
        ScarceMemoryError: the machine, or what this process may use of it, is too small.
    """
    free = available_memory()
    wanted = MEMORY_BYTES[height] * processes
    if free is not None and free < wanted:
        each = f" for {processes} processes" if processes > 1 else ""
        raise ScarceMemoryError(
            f"all boards of {height} lines{each} take {wanted >> 20} MiB of memory; there are"
            f" {free >> 20} MiB"
        )


def available_memory() -> int | None:
    """Bytes this process can still use; None where that is not known."""
    return min((free for free in (_of_machine(), _of_group()) if free is not None), default=None)


def resolve_threads(threads: int | None) -> int:
    """So many, or as many as this process has processors for."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return min(MAX_THREADS, len(os.sched_getaffinity(0)))
    return min(MAX_THREADS, os.cpu_count() or 1)


# --- helpers ------------------------------------------------------------------------------------

_LAYERS: Final = PC_GRAPH_STAGES // 2
_ENDINGS: Final = PC_GRAPH_STAGES
_SEQUENCES: Final = PC_TABLEBASE_STAGES - 1

# Processor time of the stages at four lines, measured under SRS; the rest takes next to none.
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


def _name(stage: int) -> str:
    if stage < _LAYERS:
        return f"boards with {stage + 1} pieces"
    if stage < PC_GRAPH_STAGES:
        return f"boards {stage - _LAYERS + 1} pieces before the end"
    return "endings" if stage < _SEQUENCES else "sequences"


def _of_machine() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _of_group() -> int | None:
    """What a container, or another control group of Linux, leaves."""
    for limit, used in _GROUP_FILES:
        with suppress(OSError, ValueError):
            return int(Path(limit).read_text("ascii")) - int(Path(used).read_text("ascii"))
    return None


_GROUP_FILES: Final = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)
