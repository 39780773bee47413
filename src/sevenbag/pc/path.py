"""All perfect clears of a field that the queues of a pattern bring, and how few of them do.

>>> from sevenbag.pc import Question, solutions_of
>>> question = Question("XXXXX.....\\nXXXXXX....\\nXXXXXXX...\\nXXXXXX....")
>>> paths = solutions_of(question, "I,*p4")
>>> len(paths.solutions), len(paths.minimal), len(paths.smallest)
(63, 33, 24)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import PcSolver, smallest_cover, widest_sets
from sevenbag.errors import BoardError, QueueError
from sevenbag.pc.question import AskedQueues, Question
from sevenbag.pc.tilings import Tiling

if TYPE_CHECKING:
    from sevenbag._kernel import StopFlag
    from sevenbag.pc.patterns import Pattern
    from sevenbag.pc.solver import Solution

MAX_QUEUES: Final = 200_000
"""Queues of which all solutions are looked for."""
_COVER_SECONDS: Final = 10.0


@dataclass(frozen=True)
class FoundSolution:
    """A perfect clear: which piece fills which cells, in any order of play.

    Attributes:
        tiling: its pieces.
        queues: bit i is set if queue i can play it.
    """

    tiling: Tiling
    queues: int

    @property
    def count(self) -> int:
        """How many queues can play it."""
        return self.queues.bit_count()


@dataclass(frozen=True)
class Paths:
    """All solutions of a field for a pattern.

    Attributes:
        question: what was asked.
        pattern: the queues, cut to the pieces that can be used.
        unused: pieces of each queue that were cut off.
        queues: the queues in their order.
        solutions: all of them (unique ones), from left to right.
        minimal: numbers of the solutions of which no other one has all the queues; of solutions
            with the same queues the first.
        smallest: numbers of as few solutions as possible that have all queues between them.
        at_least: no fewer than so many have. If it is less than there are, the search for
            `smallest` was ended by its limit of time.
    """

    question: Question
    pattern: Pattern
    unused: int
    queues: tuple[str, ...]
    solutions: tuple[FoundSolution, ...]
    minimal: tuple[int, ...]
    smallest: tuple[int, ...]
    at_least: int

    @property
    def solved(self) -> int:
        """How many queues have a solution."""
        covered = 0
        for solution in self.solutions:
            covered |= solution.queues
        return covered.bit_count()

    @property
    def proved(self) -> bool:
        """Whether it is proved that there are no fewer than `smallest`."""
        return self.at_least == len(self.smallest)

    def queues_of(self, number: int) -> list[str]:
        """The queues that can play a solution."""
        bits = self.solutions[number].queues
        return [queue for i, queue in enumerate(self.queues) if bits >> i & 1]

    def example(self, number: int) -> tuple[str, Solution]:
        """A queue that can play a solution, and how."""
        bits = self.solutions[number].queues
        queue = self.queues[(bits & -bits).bit_length() - 1]
        played = self.solutions[number].tiling.solution(queue, use_hold=self.question.hold)
        assert played is not None, "the queue is one of its own"
        return queue, played

    def rows(self, number: int) -> list[str]:
        """A solution as rows from the bottom, full rows of the field left out.

        A letter is a piece's, ``G`` a cell that is filled in the field.
        """
        board = self.question.board
        height = self.question.rows
        cells = [["G" if board[x, y] else "." for x in range(10)] for y in range(height)]
        for tile in self.solutions[number].tiling.tiles:
            for x, y in tile.cells:
                cells[y][x] = tile.piece.name
        return ["".join(row) for row in cells]


def solutions_of(
    question: Question,
    pattern: Pattern | str,
    *,
    seconds: float | None = None,
    cover_seconds: float = _COVER_SECONDS,
    stop: StopFlag | None = None,
) -> Paths:
    """Find every solution that at least one queue of a pattern can play.

    Args:
        question: the field and the rules.
        pattern: the queues, as `Pattern.parse` reads them.
        seconds: time to use for the solutions, at most.
        cover_seconds: time to use for the smallest set of them, at most.
        stop: ends the search at once when set, from any thread.

    Raises:
        BoardError: there is nothing to fill.
        PatternError: it is no pattern.
        QueueError: queues with fewer pieces than are needed, or more than `MAX_QUEUES`.
        SearchStoppedError: a limit was reached before all was known, or there are too many.
    """
    if not question.needed:
        raise BoardError("nothing to fill: all rows to clear are full")
    asked = AskedQueues(question, pattern)
    if len(asked) > MAX_QUEUES:
        raise QueueError(
            f"the pattern has {len(asked)} queues; all solutions are found of at most {MAX_QUEUES}"
        )
    queues = tuple(asked.pattern)
    found = PcSolver(question.kicks).all_tilings(
        question.board,
        queues,
        None,
        question.rows,
        use_hold=question.hold,
        drop=question.drop,
        milliseconds=None if seconds is None else seconds * 1000,
        stop=stop,
    )
    solutions = tuple(FoundSolution(Tiling(tiling), tiling.queues or 0) for tiling in found)
    size = (len(queues) + 7) // 8
    sets = [solution.queues.to_bytes(size, "little") for solution in solutions]
    smallest, at_least = smallest_cover(sets, milliseconds=cover_seconds * 1000, stop=stop)
    return Paths(
        question,
        asked.pattern,
        asked.unused,
        queues,
        solutions,
        tuple(widest_sets(sets)),
        smallest,
        at_least,
    )
