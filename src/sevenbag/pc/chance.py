"""How likely a perfect clear is: which queues of a pattern have one.

>>> from sevenbag.pc import PcProblem, compute_chance
>>> problem = PcProblem("XXXXX.....\\nXXXXXX....\\nXXXXXXX...\\nXXXXXX....")
>>> chance = compute_chance(problem, "I,*p4")
>>> chance.solved, chance.total
(711, 840)
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag._kernel import PcQueues
from sevenbag.errors import SearchStoppedError
from sevenbag.jobs import iterate_in_order
from sevenbag.pc.patterns import count_paths
from sevenbag.pc.problem import PcProblem, ProblemQueues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag._kernel import Board, Kicks, StopFlag
    from sevenbag.jobs import Executor
    from sevenbag.pc.patterns import Automaton, Pattern
    from sevenbag.pc.problem import DropMode

_LETTERS: Final = "IOTLJSZ"
_FEWEST: Final = 500
"""Queues of a part. They take some milliseconds where most have a perfect clear."""
_PARTS_EACH: Final = 8
"""For each worker, at least. What queues have in common is found once in every part: so not many
more than it takes to keep all workers busy."""


class QueuePrefix(NamedTuple):
    """All queues that begin alike.

    Attributes:
        pieces: how they begin.
        solved: those with a perfect clear.
        total: all of them.
    """

    pieces: str
    solved: int
    total: int


@dataclass(frozen=True)
class PcChance:
    """Which queues have a perfect clear.

    Attributes:
        pattern: the queues, cut to the pieces that can be used.
        unused: pieces of each queue that were cut off.
        total: how many different queues that are.
        solved: those with a perfect clear.
    """

    pattern: Pattern
    unused: int
    total: int
    solved: int
    _queues: PcQueues
    _automaton: Automaton
    _bits: int

    @property
    def fraction(self) -> float:
        """The part of the queues that have a perfect clear, 0 to 1."""
        return self.solved / self.total

    def is_solved(self, number: int) -> bool:
        """Whether a queue has a perfect clear; numbers are those of the pattern's order."""
        return bool(self._bits >> number & 1)

    def failed_queues(self) -> Iterator[str]:
        """The queues without a perfect clear, in the pattern's order."""
        return (self._queues[number] for number in _zeros(self._bits, self.total))

    def iterate_prefixes(self, depth: int) -> Iterator[QueuePrefix]:
        """The same figures for all queues that begin alike.

        Args:
            depth: of how many pieces beginnings are, at most. 0 gives all queues alone.
        """
        counts = count_paths(self._automaton)

        def walk(node: int, first: int, pieces: str) -> Iterator[QueuePrefix]:
            solved = (self._bits >> first & (1 << counts[node]) - 1).bit_count()
            yield QueuePrefix(pieces, solved, counts[node])
            if len(pieces) == depth or node == 0:
                return
            for piece, to in enumerate(self._automaton[7 * node : 7 * node + 7]):
                if to >= 0:
                    yield from walk(to, first, pieces + _LETTERS[piece])
                    first += counts[to]

        return walk(len(counts) - 1, 0, "")


def compute_chance(
    problem: PcProblem,
    pattern: Pattern | str,
    *,
    seconds: float | None = None,
    stop: StopFlag | None = None,
    executor: Executor | None = None,
) -> PcChance:
    """Find out which queues of a pattern have a perfect clear.

    Queues are cut to the pieces that can be used; equal ones count once.

    Args:
        problem: the field and the rules.
        pattern: the queues, as `Pattern.parse` reads them.
        seconds: time to use, at most.
        stop: ends the search at once when set, from any thread; with an executor, when the next
            part of it is done.
        executor: looks at queues that begin alike in processes, here or elsewhere.

    Raises:
        PatternError: it is no pattern.
        QueueError: queues with fewer pieces than are needed, or too many queues.
        SearchStoppedError: a limit was reached before all was known.
        JobError: the executor's work failed.
    """
    asked = ProblemQueues(problem, pattern)
    try:
        if executor is None or not problem.pieces_needed:
            bits = _bits_of(problem, asked.kernel, seconds, stop)
        else:
            bits = _by_workers(problem, asked.automaton, executor, seconds, stop)
    except SearchStoppedError:
        raise SearchStoppedError(
            f"stopped before all of {len(asked)} queues were looked at"
        ) from None
    return PcChance(
        asked.pattern,
        asked.unused,
        len(asked),
        bits.bit_count(),
        asked.kernel,
        asked.automaton,
        bits,
    )


# --- helpers ------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """Queues that begin alike, and the problem as its arguments."""

    field: Board
    height: int
    hold: bool
    kicks: Kicks
    drop: DropMode
    seconds: float | None
    automaton: Automaton


def _bits_of(
    problem: PcProblem, queues: PcQueues, seconds: float | None, stop: StopFlag | None
) -> int:
    """A bit for each queue, that of the first one lowest.

    Raises:
        SearchStoppedError: it was stopped.
    """
    milliseconds = None if seconds is None else seconds * 1000
    found = problem.kernel.find_solvable_queues(queues, milliseconds=milliseconds, stop=stop)
    if found is None:
        raise SearchStoppedError("stopped")
    return int.from_bytes(found, "little")


def _bits_of_part(part: _Part) -> int:
    problem = PcProblem(
        part.field, height=part.height, hold=part.hold, kicks=part.kicks, drop=part.drop
    )
    return _bits_of(problem, PcQueues(part.automaton), part.seconds, None)


def _by_workers(
    problem: PcProblem,
    automaton: Automaton,
    executor: Executor,
    seconds: float | None,
    stop: StopFlag | None,
) -> int:
    counts = count_paths(automaton)
    most = max(_FEWEST, counts[-1] // (_PARTS_EACH * executor.workers))
    beginnings = list(_beginnings(automaton, counts, most))
    end = math.inf if seconds is None else time.monotonic() + seconds

    def parts() -> Iterator[_Part]:
        for beginning in beginnings:
            left = None if seconds is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise SearchStoppedError("out of time")
            yield _Part(
                problem.board,
                problem.open_rows,
                problem.hold,
                problem.kicks,
                problem.drop,
                left,
                _after(automaton, beginning),
            )

    bits = at = 0
    # With a limit no part waits for a worker: its time would not run meanwhile.
    prefetch = None if seconds is None else 0
    with contextlib.closing(executor.run(_bits_of_part, parts(), prefetch=prefetch)) as results:
        for beginning, found in zip(beginnings, iterate_in_order(results), strict=True):
            if stop is not None and stop.is_set:
                raise SearchStoppedError("stopped")
            bits |= found << at
            at += counts[beginning.node]
    return bits


class _Beginning(NamedTuple):
    """Pieces by number, and the node that they lead to."""

    pieces: tuple[int, ...]
    node: int


def _beginnings(automaton: Automaton, counts: list[int], most: int) -> Iterator[_Beginning]:
    """How queues begin, in their order; no more than so many queues alike, if that can be."""

    def walk(node: int, pieces: tuple[int, ...]) -> Iterator[_Beginning]:
        if counts[node] <= most or node == 0:
            yield _Beginning(pieces, node)
            return
        for piece, to in enumerate(automaton[7 * node : 7 * node + 7]):
            if to >= 0:
                yield from walk(to, (*pieces, piece))

    return walk(len(counts) - 1, ())


def _after(automaton: Automaton, beginning: _Beginning) -> Automaton:
    """The queues that begin so: the nodes that can follow, and a node for each piece before."""
    nodes = {0: 0}
    part: Automaton = [-1] * 7

    def copy(node: int) -> int:
        if node not in nodes:
            row = [copy(to) if to >= 0 else -1 for to in automaton[7 * node : 7 * node + 7]]
            part.extend(row)
            nodes[node] = len(part) // 7 - 1
        return nodes[node]

    last = copy(beginning.node)
    for piece in reversed(beginning.pieces):
        row = [-1] * 7
        row[piece] = last
        part.extend(row)
        last = len(part) // 7 - 1
    return part


def _zeros(bits: int, count: int) -> Iterator[int]:
    """The numbers below `count` whose bits are not set."""
    # A byte at a time: shifting all of a large number for every bit takes long.
    for at, byte in enumerate(bits.to_bytes((count + 7) // 8, "little")):
        if byte != 0xFF:
            for bit in range(8):
                if not byte >> bit & 1 and 8 * at + bit < count:
                    yield 8 * at + bit
