"""Patterns: sets of queues in the notation that players of perfect clears write.

::

    I,*p4          I, then any four different pieces
    [SZ]p2         S and Z in either order
    [^TI]p3        any three different ones of the five others
    *!  [LJO]!     all of a set, in any order
    *   [SZ]       one of a set
    LSTIZ          just these; commas and blanks may stand between any two parts
    TI*p3; [SZ]O   several patterns: also line by line, # begins a remark

>>> pattern = Pattern.parse("[SZ]p2, *")
>>> pattern.queue_count, next(iter(pattern))
(14, 'SZI')
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.errors import PatternError, QueueError, expect_type

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_QUEUES: Final = 10_000_000
"""Queues that are looked at for one question."""
MAX_CHARACTERS: Final = 2_000_000
"""Characters of a pattern that are read."""

_LETTERS: Final = "IOTLJSZ"
_MAX_NODES: Final = 3_000_000
_ELEMENT: Final = re.compile(
    r"(?P<set>\*|\[(?P<not>\^?)(?P<listed>[^\[\]]*)\]|[A-Za-z])\s*(?:(?P<all>!)|p(?P<number>\d*))?"
)
_BETWEEN: Final = re.compile(r"[\s,]*")

Automaton = list[int]
"""Seven numbers a node, a piece each: the node it leads to, or -1. A node comes after those that it
leads to; node 0 is the end of every queue, the last one their beginning."""


@dataclass(frozen=True, slots=True)
class PatternElement:
    """Some different pieces of a set, in any order.

    Attributes:
        pieces: the set, a bit for each of IOTLJSZ.
        number: how many of them, at least one.
    """

    pieces: int
    number: int

    @property
    def count(self) -> int:
        """How many orders there are."""
        return math.perm(self.pieces.bit_count(), self.number)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of queues of the same length.

    Attributes:
        alternatives: each a row of elements; a queue is in the set if it is in any of them.
    """

    alternatives: tuple[tuple[PatternElement, ...], ...]

    @staticmethod
    def parse(text: str) -> Pattern:
        """Read patterns, separated by ``;`` or line by line.

        Raises:
            PatternError: it is none; the message says where.
            QueueError: queues of different lengths.
        """
        expect_type("pattern", text, str, "a string", PatternError)
        if len(text) > MAX_CHARACTERS:
            raise PatternError(
                f"a pattern of {len(text)} characters, at most {MAX_CHARACTERS} are read"
            )
        # Long lists have many lines that are equal once they are read.
        found: dict[tuple[PatternElement, ...], None] = {}
        length = 0
        for line in text.splitlines():
            for part in line.partition("#")[0].split(";"):
                if not part.strip():
                    continue
                elements = tuple(_elements(part.strip()))
                pieces = sum(element.number for element in elements)
                if found and pieces != length:
                    raise QueueError(
                        f"{_shown(part)} has {pieces} pieces, the pattern before it {length}:"
                        " all must be of one length"
                    )
                length = pieces
                found[elements] = None
        if not found:
            raise PatternError("an empty pattern: expected something like *p4 or I,[SZ]p2")
        return Pattern(tuple(found))

    @property
    def length(self) -> int:
        """Pieces of each queue."""
        return sum(element.number for element in self.alternatives[0])

    @property
    def queue_count(self) -> int:
        """How many different queues there are.

        Raises:
            QueueError: more than `MAX_QUEUES` of several patterns together, which only looking at
                them tells apart.
        """
        if len(self.alternatives) == 1:
            return _count(self.alternatives[0])
        return count_paths(self.automaton())[-1]

    def truncate(self, length: int) -> Pattern:
        """The first pieces of each queue: as many as can be placed, for instance.

        Of a single pattern each of these begins equally many queues, so that shares stay as they
        are.
        """
        if length >= self.length:
            return self
        return Pattern(tuple(dict.fromkeys(_first(row, length) for row in self.alternatives)))

    def automaton(self) -> Automaton:
        """The queues as paths; what follows in the same way is there once.

        Raises:
            QueueError: more than `MAX_QUEUES` queues.
        """
        for row in self.alternatives:
            _expect_few(_count(row))
        return _Builder(self.alternatives).automaton

    def __iter__(self) -> Iterator[str]:
        """Every queue once, in the order of the pieces IOTLJSZ.

        Raises:
            QueueError: as `automaton` does.
        """
        return _paths(self.automaton())

    def __str__(self) -> str:
        return ";".join(",".join(map(_written, row)) for row in self.alternatives)


def count_paths(automaton: Automaton) -> list[int]:
    """How many paths lead from each node to the end."""
    counts = [1]
    for at in range(7, len(automaton), 7):
        counts.append(sum(counts[to] for to in automaton[at : at + 7] if to >= 0))
    return counts


# --- reading ------------------------------------------------------------------------------------


def _elements(text: str) -> Iterator[PatternElement]:
    at = 0
    while at < len(text):
        found = _ELEMENT.match(text, at)
        if found is None:
            what = "a [ without its ]" if text[at] == "[" else repr(text[at])
            raise PatternError(
                f"pattern {_shown(text)}: {what} at character {at + 1}; expected a piece, * or"
                " [PIECES], then pN, ! or nothing"
            )
        where = f"pattern {_shown(text)}, character {at + 1}"
        yield _element(found, where)
        gap = _BETWEEN.match(text, found.end())
        at = gap.end() if gap else found.end()


def _element(found: re.Match[str], where: str) -> PatternElement:
    written = found["set"]
    if written == "*":
        pieces = (1 << len(_LETTERS)) - 1
    elif written[0] == "[":
        pieces = _set_of(found["listed"], where)
        if found["not"]:
            pieces ^= (1 << len(_LETTERS)) - 1
        if not pieces:
            raise PatternError(f"{where}: {written} has no piece")
    else:
        pieces = _set_of(written, where)
    size = pieces.bit_count()
    if found["all"]:
        return PatternElement(pieces, size)
    if found["number"] is None:
        return PatternElement(pieces, 1)
    digits = found["number"]
    if not digits or len(digits) > 3 or not 1 <= int(digits) <= size:
        raise PatternError(
            f"{where}: {_shown(found[0])} takes p{digits[:10]} of {size} pieces; expected a number"
            f" from 1 to {size} after p"
        )
    return PatternElement(pieces, int(digits))


def _set_of(letters: str, where: str) -> int:
    pieces = 0
    for letter in letters:
        if letter in ", \t":
            continue
        index = _LETTERS.find(letter)
        if index < 0:
            raise PatternError(f"{where}: no piece {letter!r}; pieces are I O T L J S Z")
        if pieces >> index & 1:
            raise PatternError(f"{where}: {letter} is twice in [{_shown(letters, quoted=False)}]")
        pieces |= 1 << index
    return pieces


def _shown(text: str, *, quoted: bool = True) -> str:
    """Enough of it to find it again."""
    text = text.strip() if len(text) <= 40 else text[:37] + "..."
    return repr(text) if quoted else text


def _written(element: PatternElement) -> str:
    listed = "".join(letter for i, letter in enumerate(_LETTERS) if element.pieces >> i & 1)
    named = "*" if len(listed) == len(_LETTERS) else listed if len(listed) == 1 else f"[{listed}]"
    return named if element.number == 1 else f"{named}p{element.number}"


# --- counting and cutting -----------------------------------------------------------------------


def _count(row: tuple[PatternElement, ...]) -> int:
    return math.prod(element.count for element in row)


def _first(row: tuple[PatternElement, ...], length: int) -> tuple[PatternElement, ...]:
    kept: list[PatternElement] = []
    for element in row:
        if not length:
            break
        number = min(element.number, length)
        kept.append(PatternElement(element.pieces, number))
        length -= number
    return tuple(kept)


def _expect_few(count: int) -> None:
    if count > MAX_QUEUES:
        shown = count if count < 10**15 else f"about 10^{int(math.log10(count))}"
        raise QueueError(f"the pattern has {shown} queues, at most {MAX_QUEUES} are looked at")


def _paths(automaton: Automaton) -> Iterator[str]:
    path: list[str] = []

    def walk(node: int) -> Iterator[str]:
        if node == 0:
            yield "".join(path)
            return
        for piece, to in enumerate(automaton[7 * node : 7 * node + 7]):
            if to >= 0:
                path.append(_LETTERS[piece])
                yield from walk(to)
                path.pop()

    return walk(len(automaton) // 7 - 1)


class _Builder:
    """Makes the automaton: a set of positions in the alternatives is a node.

    Nodes from which the same follows are the same node, which is seen as soon as those that they
    lead to are known.
    """

    # Alternative, element, pieces of that element that are used.
    _Place = tuple[int, int, int]

    def __init__(self, alternatives: tuple[tuple[PatternElement, ...], ...]) -> None:
        self._rows = alternatives
        self._length = sum(element.number for element in alternatives[0])
        self._numbers: dict[tuple[int, ...], int] = {}
        self._of_places: dict[frozenset[_Builder._Place], int] = {}
        self._counts: list[int] = [1]
        self.automaton: Automaton = [-1] * 7
        self._build()

    def _build(self) -> None:
        """Depth first, with a stack of its own, as queues may be longer than Python's."""
        # Places of the node; its successors that are still to be numbered, those that are.
        first = frozenset((i, 0, 0) for i in range(len(self._rows)))
        stack = [(first, self._successors(first), [-1] * 7)]
        done = 0
        while stack:
            places, left, numbers = stack[-1]
            for piece in left:
                known = self._of_places.get(left[piece])
                if known is None and len(stack) == self._length:
                    known = 0
                if known is None:
                    following = left[piece]
                    stack.append((following, self._successors(following), [-1] * 7))
                    break
                numbers[piece] = known
            else:
                stack.pop()
                done = self._number(tuple(numbers))
                self._of_places[places] = done
        # The beginning comes last; as it is the only node with the longest queues, it is new.
        assert done == len(self._counts) - 1, "the beginning is the last node"

    def _number(self, successors: tuple[int, ...]) -> int:
        known = self._numbers.get(successors)
        if known is not None:
            return known
        number = self._numbers[successors] = len(self._counts)
        self.automaton.extend(successors)
        self._counts.append(sum(self._counts[to] for to in successors if to >= 0))
        _expect_few(self._counts[-1])
        if number > _MAX_NODES:
            raise QueueError("the patterns have too little in common: give fewer of them at a time")
        return number

    def _successors(self, places: frozenset[_Place]) -> dict[int, frozenset[_Place]]:
        by_piece: dict[int, set[_Builder._Place]] = {}
        for row, at, used in places:
            element = self._rows[row][at]
            for piece in range(7):
                bit = 1 << piece
                if not element.pieces & ~used & bit:
                    continue
                now = used | bit
                place = (row, at + 1, 0) if now.bit_count() == element.number else (row, at, now)
                by_piece.setdefault(piece, set()).add(place)
        return {piece: frozenset(found) for piece, found in sorted(by_piece.items())}
