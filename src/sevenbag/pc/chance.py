"""How likely a perfect clear is: which queues of a pattern have one.

>>> from sevenbag.pc import Question, chance_of
>>> question = Question("XXXXX.....\\nXXXXXX....\\nXXXXXXX...\\nXXXXXX....")
>>> chance = chance_of(question, "I,*p4")
>>> chance.solved, chance.total
(711, 840)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sevenbag.errors import SearchStoppedError
from sevenbag.pc.patterns import counts_of
from sevenbag.pc.question import AskedQueues, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag._kernel import PcQueues, StopFlag
    from sevenbag.pc.patterns import Automaton, Pattern

_LETTERS = "IOTLJSZ"


class Branch(NamedTuple):
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
class Chance:
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
    def share(self) -> float:
        """The part of the queues that have a perfect clear, 0 to 1."""
        return self.solved / self.total

    def has(self, number: int) -> bool:
        """Whether a queue has a perfect clear; numbers are those of the pattern's order."""
        return bool(self._bits >> number & 1)

    def failed(self) -> Iterator[str]:
        """The queues without a perfect clear, in the pattern's order."""
        return (self._queues[number] for number in _zeros(self._bits, self.total))

    def tree(self, depth: int) -> Iterator[Branch]:
        """The same figures for all queues that begin alike.

        Args:
            depth: of how many pieces beginnings are, at most. 0 gives all queues alone.
        """
        counts = counts_of(self._automaton)

        def walk(node: int, first: int, pieces: str) -> Iterator[Branch]:
            solved = (self._bits >> first & (1 << counts[node]) - 1).bit_count()
            yield Branch(pieces, solved, counts[node])
            if len(pieces) == depth or node == 0:
                return
            for piece, to in enumerate(self._automaton[7 * node : 7 * node + 7]):
                if to >= 0:
                    yield from walk(to, first, pieces + _LETTERS[piece])
                    first += counts[to]

        return walk(len(counts) - 1, 0, "")


def chance_of(
    question: Question,
    pattern: Pattern | str,
    *,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> Chance:
    """Find out which queues of a pattern have a perfect clear.

    Queues are cut to the pieces that can be used; equal ones count once.

    Args:
        question: the field and the rules.
        pattern: the queues, as `Pattern.parse` reads them.
        seconds: time to use, at most.
        stop: ends the search at once when set, from any thread.

    Raises:
        PatternError: it is no pattern.
        QueueError: queues with fewer pieces than are needed, or too many queues.
        SearchStoppedError: a limit was reached before all was known.
    """
    asked = AskedQueues(question, pattern)
    found = question.kernel.chance(
        asked.kernel, milliseconds=None if seconds is None else seconds * 1000, stop=stop
    )
    if found is None:
        raise SearchStoppedError(f"stopped before all of {len(asked)} queues were looked at")
    bits = int.from_bytes(found, "little")
    return Chance(
        asked.pattern,
        asked.unused,
        len(asked),
        bits.bit_count(),
        asked.kernel,
        asked.automaton,
        bits,
    )


def _zeros(bits: int, count: int) -> Iterator[int]:
    """The numbers below `count` whose bits are not set."""
    # A byte at a time: shifting all of a large number for every bit takes long.
    for at, byte in enumerate(bits.to_bytes((count + 7) // 8, "little")):
        if byte != 0xFF:
            for bit in range(8):
                if not byte >> bit & 1 and 8 * at + bit < count:
                    yield 8 * at + bit
