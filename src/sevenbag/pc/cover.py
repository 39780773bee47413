"""Which queues of a pattern can play given placements, in any order in which they can be reached.

>>> from sevenbag.pc import coverage_of, setups_in
>>> setups = setups_in("v115@9gE8zhg0F8ywg0G8wwh0F8zhJeAgWAA")
>>> coverage = coverage_of(setups, "I,*p4")
>>> len(setups[0].pieces), coverage.any.bit_count(), coverage.total
(4, 48, 840)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag._kernel import PcSolver
from sevenbag.errors import FormatError, QueueError
from sevenbag.formats.fumen import Fumen
from sevenbag.pc.glued import pieces_of
from sevenbag.pc.path import MAX_QUEUES
from sevenbag.pc.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sevenbag._kernel import Board, Kicks, Piece, Placement
    from sevenbag.formats.fumen import Page
    from sevenbag.pc.question import Drop


@dataclass(frozen=True)
class Setup:
    """Placements on a field, whose order does not matter.

    Attributes:
        field: before the first of them.
        ways: the placements, in an order in which they can follow each other; several if a picture
            can be divided into pieces in several ways.
        pages: the pages of the fumen that they come from, the first and the last, from 1.
    """

    field: Board
    ways: tuple[tuple[Placement, ...], ...]
    pages: tuple[int, int]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces that are placed."""
        return tuple(placement.piece for placement in self.ways[0])


@dataclass(frozen=True)
class Coverage:
    """Which queues can play which setups.

    Attributes:
        pattern: the queues, cut to the pieces that the largest setup can use.
        unused: pieces of each queue that were cut off.
        queues: the queues in their order.
        covered: for each setup, bit i is set if queue i can play it.
    """

    pattern: Pattern
    unused: int
    queues: tuple[str, ...]
    covered: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many queues there are."""
        return len(self.queues)

    @property
    def any(self) -> int:
        """The queues that can play at least one setup."""
        return _union(self.covered)

    @property
    def all(self) -> int:
        """The queues that can play every one of them, each by itself."""
        common = (1 << self.total) - 1
        for queues in self.covered:
            common &= queues
        return common

    def sorted(self) -> list[int]:
        """Numbers of the setups, those that most queues can play first."""
        return sorted(range(len(self.covered)), key=lambda i: -self.covered[i].bit_count())

    def accumulated(self, numbers: Sequence[int]) -> list[int]:
        """For setups in this order: how many queues can play it or one before it."""
        seen, counts = 0, list[int]()
        for number in numbers:
            seen |= self.covered[number]
            counts.append(seen.bit_count())
        return counts

    def failed(self) -> Iterator[str]:
        """The queues that can play none of them."""
        covered = self.any
        return (queue for i, queue in enumerate(self.queues) if not covered >> i & 1)


def setups_in(text: str) -> list[Setup]:
    """The setups of a fumen.

    Pages with pieces belong together as long as each goes on from the one before it. A page
    without a piece is a setup of its own if it has cells in the colours of pieces: these are
    divided into pieces, on the field that its grey cells are. Other pages say nothing.

    Raises:
        FumenError: it is none.
        FormatError: it has no setup, a page turns or raises the field, or colours that are no
            pieces.
    """
    fumen = Fumen.parse(text)
    setups: list[Setup] = []
    run: list[Page] = []
    for number, page in enumerate(fumen.pages, 1):
        goes_on = bool(run) and page.placement is not None and run[-1].after == page.field
        if run and not goes_on:
            setups.append(_of_pieces(run, number - 1))
            run = []
        if page.placement is not None:
            if not page.lock or page.rise or page.mirror:
                raise FormatError(
                    f"page {number}: a piece that is not locked, or a field that is raised or"
                    " mirrored after it, is no part of a setup"
                )
            run.append(page)
        elif any(cell not in ".G" for row in page.field.rows for cell in row):
            setups.append(_of_colours(page, number))
    if run:
        setups.append(_of_pieces(run, len(fumen.pages)))
    if not setups:
        raise FormatError("the fumen has no piece, and no cell in the colour of one")
    return setups


def coverage_of(
    setups: Sequence[Setup],
    pattern: Pattern | str,
    *,
    hold: bool = True,
    kicks: Kicks | str = "srs",
    drop: Drop = "soft",
) -> Coverage:
    """Find out which queues of a pattern can play each of some setups.

    Every piece must be supported and reached when its turn comes. Full rows are cleared on the way.

    Args:
        setups: at least one.
        pattern: the queues, as `Pattern.parse` reads them.
        hold: whether hold may be used; it is empty at first.
        kicks: rotation system, or its name.
        drop: how pieces come down, as in `Question`.

    Raises:
        BoardError: a field is filled above six rows.
        PatternError: it is no pattern.
        PlacementError: a setup has more than 15 pieces, or one above the sixth row.
        QueueError: queues with fewer pieces than a setup has, or more than `MAX_QUEUES`.
    """
    given = Pattern.parse(pattern) if isinstance(pattern, str) else pattern
    most = max(len(setup.pieces) for setup in setups)
    if given.length < most:
        raise QueueError(f"queues of {given.length} pieces, but a setup has {most}")
    cut = given.cut(most + hold)
    # Refuses too many of them before they are counted one by one.
    cut.automaton()
    if cut.count > MAX_QUEUES:
        raise QueueError(f"the pattern has {cut.count} queues, at most {MAX_QUEUES} are looked at")
    queues = tuple(cut)
    solver = PcSolver(kicks)
    covered = [
        _union(
            solver.tiling(setup.field, way, drop=drop).played_by(queues, None, use_hold=hold)
            for way in setup.ways
        )
        for setup in setups
    ]
    return Coverage(cut, given.length - cut.length, queues, tuple(covered))


def _union(sets: Iterable[int]) -> int:
    union = 0
    for queues in sets:
        union |= queues
    return union


def _of_pieces(pages: Sequence[Page], last: int) -> Setup:
    placements = tuple(page.placement for page in pages if page.placement is not None)
    return Setup(pages[0].field.board(), (placements,), (last - len(pages) + 1, last))


def _of_colours(page: Page, number: int) -> Setup:
    try:
        field, ways = pieces_of(page.field.rows[: page.field.height])
    except FormatError as error:
        raise FormatError(f"page {number}: {error}") from None
    if not ways:
        raise FormatError(f"page {number}: its coloured cells cannot be divided into pieces")
    return Setup(field, tuple(ways), (number, number))
