"""How often a queue has a perfect clear on the empty field: every queue there is, counted.

A queue is what a player sees: for n pieces a window of n + 1 pieces of a 7-bag stream with nothing
held, or a held piece and a window of n. Windows are counted as bags deal them: each once for every
phase, that is, every way in which bags can be cut at it. The perfect clear is of all n pieces and
of the height asked for; placements are reachable from above, and hold may be used.

The counts of the six rows under SRS are those that the perfect-clear community has published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sevenbag.pc.census import Watch, take_census, threads_or_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag._kernel import Kicks
    from sevenbag.pc.census import Progress


@dataclass(frozen=True, slots=True)
class Row:
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
    def chance(self) -> float:
        """The share of queues with a perfect clear, 0 to 1."""
        return self.possible / self.total


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of one height.

    Attributes:
        rows: openers, then all queues with nothing held, then all.
        impossible: the sequences without a perfect clear, sorted, one a line: held piece, current
            one, next ones. Held and current piece may be exchanged and are listed once, as the one
            that is later in IOTSZLJ first.
    """

    rows: tuple[Row, Row, Row]
    impossible: bytes


def find_odds(
    height: int,
    kicks: Kicks | str = "srs",
    *,
    threads: int | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Odds:
    """Count the queues with a perfect clear.

    Two lines take no time; four lines take some minutes on two processors, and some three
    gigabytes of memory. Ctrl-C ends it within a second or two.

    Args:
        height: 2 or 4 lines.
        kicks: rotation system, or its name.
        threads: as many as there are processors, if not given.
        report: is told now and then how far the work is.

    Raises:
        BoardError: the queues of this height cannot be counted.
        KicksError: there is no system of this name.
        ScarceMemoryError: there is not enough memory.
    """
    threads = threads_or_all(threads)
    watch = Watch(report, height)
    census = take_census(kicks, height, threads, watch)
    counted = watch.run(lambda: census.odds(threads, watch.progress))
    assert counted is not None, "nobody has stopped it"
    opener, none, any_held, impossible = counted
    return Odds(
        (
            Row(height, True, "none", *opener),
            Row(height, False, "none", *none),
            Row(height, False, "any", *any_held),
        ),
        impossible,
    )
