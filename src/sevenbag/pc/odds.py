"""Odds of a perfect clear on the empty field, counted over all queues.

A queue is what a player sees: for a perfect clear of n pieces, a window of n + 1 pieces of a 7-bag
stream with an empty hold, or a held piece and a window of n pieces. Windows are counted as bags
deal them: once for each phase, that is, each way to cut bags at the window. A perfect clear uses
all n pieces and has the given height; placements are reachable from above, and hold may be used.

The counts for six rows under SRS are published by the perfect-clear community.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sevenbag._kernel import Kicks, compute_pc_odds
from sevenbag.jobs import Executor
from sevenbag.pc.sequences import create_blocks, find_unsolvable_sequences, split_into_parts
from sevenbag.pc.tablebase import (
    KernelTask,
    TablebaseProgress,
    build_tablebase,
    check_height,
    resolve_threads,
)


@dataclass(frozen=True, slots=True)
class PcOddsRow:
    """Count of one kind of queues.

    Attributes:
        opener: whether only queues that start with a bag are counted.
        held: whether only queues with an empty hold are counted, or also those with a held piece.
        possible: number of queues with a perfect clear.
    """

    height: int
    opener: bool
    held: Literal["none", "any"]
    possible: int
    total: int

    @property
    def fraction(self) -> float:
        """Fraction of queues with a perfect clear, 0 to 1."""
        return self.possible / self.total


@dataclass(frozen=True, slots=True)
class PcOdds:
    """Odds of one height.

    Attributes:
        rows: openers, all queues with an empty hold, all queues.
        unsolvable: sequences without a perfect clear, sorted, one per line: held, current and next
            pieces. Held and current piece can be exchanged; the later one in IOTSZLJ is first.
    """

    rows: tuple[PcOddsRow, PcOddsRow, PcOddsRow]
    unsolvable: bytes


def compute_odds(
    height: int,
    kicks: Kicks | str = "srs",
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    report: Callable[[TablebaseProgress], None] | None = None,
) -> PcOdds:
    """Count the queues with a perfect clear.

    Four rows take some minutes on two processors, and about three gigabytes of memory. Ctrl-C stops
    the work within two seconds.

    Args:
        height: number of rows, 2 or 4.
        kicks: rotation system, or its name.
        threads: number of threads [default: number of processors].
        executor: runs the work in processes instead of threads. Each process needs the memory of
            `sevenbag.pc.tablebase.MEMORY_BYTES`.
        report: called with the progress from time to time.

    Raises:
        BoardError: invalid height.
        KicksError: unknown rotation system.
        ScarceMemoryError: there is not enough memory.
        JobError: a job of the executor failed.
    """
    if executor is not None:
        counted = _by_workers(height, kicks, executor, report)
    else:
        count, task = resolve_threads(threads), KernelTask(report, height)
        tablebase = build_tablebase(kicks, height, count, task)
        found = task.run(lambda: tablebase.count_solvable(count, task.progress))
        assert found is not None, "it was not stopped"
        counted = found
    opener, none, any_held, unsolvable = counted
    return PcOdds(
        (
            PcOddsRow(height, True, "none", *opener),
            PcOddsRow(height, False, "none", *none),
            PcOddsRow(height, False, "any", *any_held),
        ),
        unsolvable,
    )


def _by_workers(
    height: int,
    kicks: Kicks | str,
    executor: Executor,
    report: Callable[[TablebaseProgress], None] | None,
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes]:
    check_height(height)
    system = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    blocks = create_blocks(system, height)
    parts = list(split_into_parts(system, height, range(blocks.block_count)))
    started = time.monotonic()

    def report_progress(stage: str, done: int) -> None:
        if report is not None:
            report(TablebaseProgress(stage, done / len(parts), time.monotonic() - started))

    report_progress("boards, in every worker", 0)
    unsolvable: list[bytes] = []
    with contextlib.closing(executor.run(find_unsolvable_sequences, parts)) as results:
        for _, found in results:
            unsolvable.append(found)
            report_progress("sequences", len(unsolvable))
    return compute_pc_odds(b"".join(unsolvable), blocks.letters)
