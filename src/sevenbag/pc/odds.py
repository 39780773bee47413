"""How often a queue has a perfect clear on the empty field: every queue there is, counted.

A queue is what a player sees: for n pieces a window of n + 1 pieces of a 7-bag stream with nothing
held, or a held piece and a window of n. Windows are counted as bags deal them: each once for every
phase, that is, every way in which bags can be cut at it. The perfect clear is of all n pieces and
of the height asked for; placements are reachable from above, and hold may be used.

The counts of the six rows under SRS are those that the perfect-clear community has published.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sevenbag._kernel import Kicks, compute_pc_odds
from sevenbag.pc.sequences import create_blocks, find_unsolvable_sequences, split_into_parts
from sevenbag.pc.tablebase import (
    KernelTask,
    TablebaseProgress,
    build_tablebase,
    check_height,
    resolve_threads,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.jobs import Executor


@dataclass(frozen=True, slots=True)
class PcOddsRow:
    """One kind of queues.

    Attributes:
        height: lines of the perfect clear.
        opener: whether only queues that begin with a bag count.
        held: whether queues count only with nothing held, or with any held piece, too.
        possible: queues with a perfect clear.
        total: all queues.
    """

    height: int
    opener: bool
    held: Literal["none", "any"]
    possible: int
    total: int

    @property
    def fraction(self) -> float:
        """The share of queues with a perfect clear, 0 to 1."""
        return self.possible / self.total


@dataclass(frozen=True, slots=True)
class PcOdds:
    """The odds of one height.

    Attributes:
        rows: openers, then all queues with nothing held, then all.
        unsolvable: the sequences without a perfect clear, sorted, one a line: held piece, current
            one, next ones. Held and current piece may be exchanged and are listed once, as the one
            that is later in IOTSZLJ first.
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

    Two lines take no time; four lines take some minutes on two processors, and some three
    gigabytes of memory. Ctrl-C ends it within a second or two.

    Args:
        height: 2 or 4 lines.
        kicks: rotation system, or its name.
        threads: as many as there are processors, if not given.
        executor: runs the work in processes, here or elsewhere, instead of in threads. Each takes
            the memory that threads take together (`sevenbag.pc.tablebase.MEMORY_BYTES`).
        report: is told now and then how far the work is.

    Raises:
        BoardError: the queues of this height cannot be counted.
        KicksError: there is no system of this name.
        ScarceMemoryError: there is not enough memory.
        JobError: the executor's work failed.
    """
    if executor is None:
        counted = _by_threads(height, kicks, resolve_threads(threads), report)
    else:
        counted = _by_workers(height, kicks, executor, report)
    opener, none, any_held, impossible = counted
    return PcOdds(
        (
            PcOddsRow(height, True, "none", *opener),
            PcOddsRow(height, False, "none", *none),
            PcOddsRow(height, False, "any", *any_held),
        ),
        impossible,
    )


# --- helpers ------------------------------------------------------------------------------------

_Counted = tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes]


def _by_threads(
    height: int,
    kicks: Kicks | str,
    threads: int,
    report: Callable[[TablebaseProgress], None] | None,
) -> _Counted:
    watch = KernelTask(report, height)
    census = build_tablebase(kicks, height, threads, watch)
    counted = watch.run(lambda: census.count_solvable(threads, watch.progress))
    assert counted is not None, "nobody has stopped it"
    return counted


def _by_workers(
    height: int,
    kicks: Kicks | str,
    executor: Executor,
    report: Callable[[TablebaseProgress], None] | None,
) -> _Counted:
    check_height(height)
    system = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    blocks = create_blocks(system, height)
    parts = list(split_into_parts(system, height, range(blocks.block_count)))
    begun = time.monotonic()

    def tell(stage: str, done: int) -> None:
        if report is not None:
            report(TablebaseProgress(stage, done / len(parts), time.monotonic() - begun))

    tell("boards, in every worker", 0)
    impossible: list[bytes] = []
    with contextlib.closing(executor.run(find_unsolvable_sequences, parts)) as results:
        for _, found in results:
            impossible.append(found)
            tell("sequences", len(impossible))
    return compute_pc_odds(b"".join(impossible), blocks.letters)
