"""Patterns: sets of queues in the notation of the perfect-clear community.

::

    I,*p4          I, then any four different pieces
    [SZ]p2         S and Z in either order
    [^TI]p3        any three different pieces of the other five
    *!  [LJO]!     all pieces of a set, in any order
    *   [SZ]       one piece of a set
    LSTIZ          exactly these; commas and blanks may separate parts
    TI*p3; [SZ]O   several patterns, also on separate lines; # begins a comment

>>> pattern = Pattern.parse("[SZ]p2, *")
>>> pattern.queue_count, next(iter(pattern))
(14, 'SZI')
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sevenbag.errors import PatternError, QueueError, expect_type

MAX_QUEUES: Final = 10_000_000
"""Maximum number of queues of a pattern."""
MAX_CHARACTERS: Final = 2_000_000
"""Maximum number of characters of a pattern."""

_LETTERS: Final = "IOTLJSZ"
_MAX_NODES: Final = 3_000_000
_ELEMENT: Final = re.compile(
    r"(?P<set>\*|\[(?P<not>\^?)(?P<listed>[^\[\]]*)\]|[A-Za-z])\s*(?:(?P<all>!)|p(?P<number>\d*))?"
)
_BETWEEN: Final = re.compile(r"[\s,]*")

Automaton = list[int]
"""Seven numbers for each node, one for each piece: the successor, or -1. A node comes after its
successors; node 0 is the end of every queue, the last node the start."""


@dataclass(frozen=True, slots=True)
class PatternElement:
    """Some different pieces of a set, in any order; the set has a bit for each of IOTLJSZ."""

    pieces: int
    number: int

    @property
    def count(self) -> int:
        """Number of orders."""
        return math.perm(self.pieces.bit_count(), self.number)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of queues of the same length: those that match any of the alternatives."""

    alternatives: tuple[tuple[PatternElement, ...], ...]

    @staticmethod
    def parse(text: str) -> Pattern:
        """Read patterns, separated by ``;`` or line by line.

        Raises:
            PatternError: invalid pattern; the message names the place.
            QueueError: queues of different lengths.
        """
        expect_type("pattern", text, str, "a string", PatternError)
        if len(text) > MAX_CHARACTERS:
            raise PatternError(
                f"invalid pattern: expected at most {MAX_CHARACTERS} characters, got {len(text)}"
            )
        # Long lists often repeat patterns.
        found: dict[tuple[PatternElement, ...], None] = {}
        length = 0
        for line in text.splitlines():
            for part in line.partition("#")[0].split(";"):
                if not part.strip():
                    continue
                elements = tuple(_parse_elements(part.strip()))
                pieces = sum(element.number for element in elements)
                if found and pieces != length:
                    raise QueueError(
                        f"invalid pattern {_abbreviate(part)}: expected {length} pieces, as in the"
                        f" pattern before it, got {pieces}"
                    )
                length = pieces
                found[elements] = None
        if not found:
            raise PatternError("invalid pattern: expected pieces such as *p4 or I,[SZ]p2, got none")
        return Pattern(tuple(found))

    @property
    def length(self) -> int:
        """Number of pieces of each queue."""
        return sum(element.number for element in self.alternatives[0])

    @property
    def queue_count(self) -> int:
        """Number of different queues.

        Raises:
            QueueError: several patterns with more than `MAX_QUEUES` queues together, which must be
                enumerated to find equal ones.
        """
        if len(self.alternatives) == 1:
            return _count_row(self.alternatives[0])
        return count_paths(self.automaton())[-1]

    def truncate(self, length: int) -> Pattern:
        """Return the first pieces of each queue.

        Each result of a single pattern is the prefix of equally many queues, so that fractions do
        not change.
        """
        if length >= self.length:
            return self
        return Pattern(
            tuple(dict.fromkeys(_truncate_row(row, length) for row in self.alternatives))
        )

    def automaton(self) -> Automaton:
        """Return the queues as paths of a minimal automaton.

        Raises:
            QueueError: more than `MAX_QUEUES` queues.
        """
        for row in self.alternatives:
            _check_count(_count_row(row))
        return _Builder(self.alternatives).automaton

    def __iter__(self) -> Iterator[str]:
        """Yield every queue once, in the order of the pieces IOTLJSZ.

        Raises:
            QueueError: as `automaton` does.
        """
        return _iterate_queues(self.automaton())

    def __str__(self) -> str:
        return ";".join(",".join(map(_format_element, row)) for row in self.alternatives)


def count_paths(automaton: Automaton) -> list[int]:
    """Return the number of paths from each node to the end."""
    counts = [1]
    for at in range(7, len(automaton), 7):
        counts.append(sum(counts[to] for to in automaton[at : at + 7] if to >= 0))
    return counts


def _parse_elements(text: str) -> Iterator[PatternElement]:
    at = 0
    while at < len(text):
        found = _ELEMENT.match(text, at)
        if found is None:
            what = "a [ without its ]" if text[at] == "[" else repr(text[at])
            raise PatternError(
                f"pattern {_abbreviate(text)}: {what} at character {at + 1}; expected a piece, * or"
                " [PIECES], then pN, ! or nothing"
            )
        where = f"pattern {_abbreviate(text)}, character {at + 1}"
        yield _parse_element(found, where)
        gap = _BETWEEN.match(text, found.end())
        at = gap.end() if gap else found.end()


def _parse_element(found: re.Match[str], where: str) -> PatternElement:
    written = found["set"]
    if written == "*":
        pieces = (1 << len(_LETTERS)) - 1
    elif written[0] == "[":
        pieces = _parse_set(found["listed"], where)
        if found["not"]:
            pieces ^= (1 << len(_LETTERS)) - 1
        if not pieces:
            raise PatternError(f"{where}: expected a set of at least one piece, got {written}")
    else:
        pieces = _parse_set(written, where)
    size = pieces.bit_count()
    if found["all"]:
        return PatternElement(pieces, size)
    if found["number"] is None:
        return PatternElement(pieces, 1)
    digits = found["number"]
    if not digits or len(digits) > 3 or not 1 <= int(digits) <= size:
        raise PatternError(
            f"{where}: expected a number from 1 to {size} after p, got p{digits[:10]} in"
            f" {_abbreviate(found[0])}"
        )
    return PatternElement(pieces, int(digits))


def _parse_set(letters: str, where: str) -> int:
    pieces = 0
    for letter in letters:
        if letter in ", \t":
            continue
        index = _LETTERS.find(letter)
        if index < 0:
            raise PatternError(f"{where}: expected one of I O T L J S Z, got {letter!r}")
        if pieces >> index & 1:
            raise PatternError(
                f"{where}: expected different pieces, got {letter} twice in "
                f"[{_abbreviate(letters, quoted=False)}]"
            )
        pieces |= 1 << index
    return pieces


def _abbreviate(text: str, *, quoted: bool = True) -> str:
    """Return a text, shortened for a message."""
    text = text.strip() if len(text) <= 40 else text[:37] + "..."
    return repr(text) if quoted else text


def _format_element(element: PatternElement) -> str:
    listed = "".join(letter for i, letter in enumerate(_LETTERS) if element.pieces >> i & 1)
    named = "*" if len(listed) == len(_LETTERS) else listed if len(listed) == 1 else f"[{listed}]"
    return named if element.number == 1 else f"{named}p{element.number}"


def _count_row(row: tuple[PatternElement, ...]) -> int:
    return math.prod(element.count for element in row)


def _truncate_row(row: tuple[PatternElement, ...], length: int) -> tuple[PatternElement, ...]:
    kept: list[PatternElement] = []
    for element in row:
        if not length:
            break
        number = min(element.number, length)
        kept.append(PatternElement(element.pieces, number))
        length -= number
    return tuple(kept)


def _check_count(count: int) -> None:
    if count > MAX_QUEUES:
        shown = count if count < 10**15 else f"about 10^{int(math.log10(count))}"
        raise QueueError(f"invalid pattern: expected at most {MAX_QUEUES} queues, got {shown}")


def _iterate_queues(automaton: Automaton) -> Iterator[str]:
    path: list[str] = []

    def visit(node: int) -> Iterator[str]:
        if node == 0:
            yield "".join(path)
            return
        for piece, to in enumerate(automaton[7 * node : 7 * node + 7]):
            if to >= 0:
                path.append(_LETTERS[piece])
                yield from visit(to)
                path.pop()

    return visit(len(automaton) // 7 - 1)


class _Builder:
    """Builds the minimal automaton; a node is a set of positions in the alternatives.

    Nodes with the same successors are merged as soon as the successors are known.
    """

    # Alternative, element, used pieces of that element.
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
        """Build depth first, with an explicit stack: queues may exceed the recursion limit."""
        # Places of the node, its successors without a number, and those with one.
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
        # The start is last; it is new, as the only node with the longest queues.
        assert done == len(self._counts) - 1, "the start is the last node"

    def _number(self, successors: tuple[int, ...]) -> int:
        known = self._numbers.get(successors)
        if known is not None:
            return known
        number = self._numbers[successors] = len(self._counts)
        self.automaton.extend(successors)
        self._counts.append(sum(self._counts[to] for to in successors if to >= 0))
        _check_count(self._counts[-1])
        if number > _MAX_NODES:
            raise QueueError("the patterns have too little in common; use fewer at a time")
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
