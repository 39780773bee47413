r"""Chance of a perfect clear: the queues of a pattern that have one.

>>> from sevenbag.pc import PcProblem, compute_chance
>>> problem = PcProblem("XXXXX.....\nXXXXXX....\nXXXXXXX...\nXXXXXX....")
>>> chance = compute_chance(problem, "I,*p4")
>>> chance.solved, chance.total
(711, 840)
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag._kernel import PcQueues
from sevenbag.errors import SearchStoppedError
from sevenbag.jobs import Executor, iterate_in_order
from sevenbag.pc.patterns import Automaton, Pattern, count_paths
from sevenbag.pc.problem import PcProblem, ProblemQueues

if TYPE_CHECKING:
    from sevenbag._kernel import StopFlag

_LETTERS: Final = "IOTLJSZ"
_MIN_QUEUES: Final = 500
"""Minimum number of queues of a job: some milliseconds of work where most have a perfect clear."""
_JOBS_PER_WORKER: Final = 8
"""Each job searches the boards that its queues share again, so there should not be many more jobs
than keep all workers busy."""


class QueuePrefix(NamedTuple):
    """Queues with the same first pieces, and how many of them have a perfect clear."""

    pieces: str
    solved: int
    total: int


@dataclass(frozen=True)
class PcChance:
    """Queues of a pattern with and without a perfect clear.

    Attributes:
        pattern: the queues, cut to the pieces that can be used.
        unused: number of pieces cut off each queue.
        total: number of different queues.
        solved: number of queues with a perfect clear.
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
        """Fraction of the queues with a perfect clear, 0 to 1."""
        return self.solved / self.total

    def is_solved(self, number: int) -> bool:
        """Return whether a queue, by its index in the pattern, has a perfect clear."""
        return bool(self._bits >> number & 1)

    def failed_queues(self) -> Iterator[str]:
        """Return the queues without a perfect clear, in the order of the pattern."""
        return (self._queues[number] for number in _iterate_zeros(self._bits, self.total))

    def iterate_prefixes(self, depth: int) -> Iterator[QueuePrefix]:
        """Yield the counts for every prefix of up to `depth` pieces, the empty one first."""
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
    """Find the queues of a pattern that have a perfect clear.

    Queues are cut to the pieces that can be used; equal queues count once.

    Args:
        problem: field and rules.
        pattern: queues, as `Pattern.parse` reads them.
        seconds: time limit.
        stop: stops the search when set, from any thread; with an executor, after the next job.
        executor: runs the search in other processes.

    Raises:
        PatternError: invalid pattern.
        QueueError: queues with too few pieces, or too many queues.
        SearchStoppedError: a limit was reached before the result was known.
        JobError: a job of the executor failed.
    """
    queues = ProblemQueues(problem, pattern)
    try:
        if executor is None or not problem.pieces_needed:
            bits = _find_solvable(problem, queues.kernel, seconds, stop)
        else:
            bits = _run_in_workers(problem, queues.automaton, executor, seconds, stop)
    except SearchStoppedError:
        raise SearchStoppedError(
            f"stopped before all of {len(queues)} queues were searched"
        ) from None
    return PcChance(
        queues.pattern,
        queues.unused,
        len(queues),
        bits.bit_count(),
        queues.kernel,
        queues.automaton,
        bits,
    )


def _find_solvable(
    problem: PcProblem, queues: PcQueues, seconds: float | None, stop: StopFlag | None
) -> int:
    """Return a bit for each queue, the first one lowest.

    Raises:
        SearchStoppedError: the search was stopped.
    """
    milliseconds = None if seconds is None else seconds * 1000
    found = problem.kernel.find_solvable_queues(queues, milliseconds=milliseconds, stop=stop)
    if found is None:
        raise SearchStoppedError("stopped")
    return int.from_bytes(found, "little")


def _run_job(job: tuple[partial[PcProblem], Automaton, float | None]) -> int:
    create_problem, automaton, seconds = job
    return _find_solvable(create_problem(), PcQueues(automaton), seconds, None)


def _run_in_workers(
    problem: PcProblem,
    automaton: Automaton,
    executor: Executor,
    seconds: float | None,
    stop: StopFlag | None,
) -> int:
    counts = count_paths(automaton)
    max_queues = max(_MIN_QUEUES, counts[-1] // (_JOBS_PER_WORKER * executor.workers))
    prefixes = list(_prefixes(automaton, counts, max_queues))
    end = math.inf if seconds is None else time.monotonic() + seconds

    create_problem = partial(
        PcProblem,
        problem.board,
        height=problem.open_rows,
        hold=problem.hold,
        kicks=problem.kicks,
        drop=problem.drop,
    )

    def jobs() -> Iterator[tuple[partial[PcProblem], Automaton, float | None]]:
        for prefix in prefixes:
            left = None if seconds is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise SearchStoppedError("out of time")
            yield create_problem, _continue_from(automaton, prefix), left

    bits = at = 0
    # With a time limit no job waits for a worker, because its time would not run meanwhile.
    prefetch = None if seconds is None else 0
    with contextlib.closing(executor.run(_run_job, jobs(), prefetch=prefetch)) as results:
        for (_, node), found in zip(prefixes, iterate_in_order(results), strict=True):
            if stop is not None and stop.is_set:
                raise SearchStoppedError("stopped")
            bits |= found << at
            at += counts[node]
    return bits


_Prefix = tuple[tuple[int, ...], int]
"""Pieces by number, and the node that they lead to."""


def _prefixes(automaton: Automaton, counts: list[int], max_queues: int) -> Iterator[_Prefix]:
    """Split the queues into prefixes of at most `max_queues` queues each, if possible, in order."""

    def walk(node: int, pieces: tuple[int, ...]) -> Iterator[_Prefix]:
        if counts[node] <= max_queues or node == 0:
            yield pieces, node
            return
        for piece, to in enumerate(automaton[7 * node : 7 * node + 7]):
            if to >= 0:
                yield from walk(to, (*pieces, piece))

    return walk(len(counts) - 1, ())


def _continue_from(automaton: Automaton, prefix: _Prefix) -> Automaton:
    """Return the automaton of the queues with a prefix."""
    nodes = {0: 0}
    part: Automaton = [-1] * 7

    def copy(node: int) -> int:
        if node not in nodes:
            row = [copy(to) if to >= 0 else -1 for to in automaton[7 * node : 7 * node + 7]]
            part.extend(row)
            nodes[node] = len(part) // 7 - 1
        return nodes[node]

    pieces, end = prefix
    last = copy(end)
    for piece in reversed(pieces):
        row = [-1] * 7
        row[piece] = last
        part.extend(row)
        last = len(part) // 7 - 1
    return part


def _iterate_zeros(bits: int, count: int) -> Iterator[int]:
    """Yield the indices below `count` of bits that are not set."""
    # By bytes: shifting the whole number for every bit is slow.
    for at, byte in enumerate(bits.to_bytes((count + 7) // 8, "little")):
        if byte != 0xFF:
            for bit in range(8):
                if not byte >> bit & 1 and 8 * at + bit < count:
                    yield 8 * at + bit
