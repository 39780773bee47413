"""Which queues of a pattern can play given placements, in any order in which they can be reached.

>>> from sevenbag.pc import compute_coverage, read_setups
>>> setups = read_setups("v115@9gE8zhg0F8ywg0G8wwh0F8zhJeAgWAA")
>>> coverage = compute_coverage(setups, "I,*p4")
>>> len(setups[0].pieces), coverage.covered_by_any.bit_count(), coverage.total
(4, 48, 840)
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, PcSolver, Piece, Placement, Rotation
from sevenbag.errors import FormatError, QueueError
from sevenbag.formats.fumen import Fumen
from sevenbag.pc.path import MAX_QUEUES
from sevenbag.pc.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sevenbag._kernel import Kicks
    from sevenbag.formats.fumen import Page
    from sevenbag.pc.problem import DropMode


@dataclass(frozen=True)
class Setup:
    """Placements on a field, whose order does not matter.

    Attributes:
        field: before the first of them.
        divisions: the placements in a playable order; several if the picture can be divided into
            pieces in several ways.
        pages: the pages of the fumen that they come from, the first and the last, from 1.
    """

    field: Board
    divisions: tuple[tuple[Placement, ...], ...]
    pages: tuple[int, int]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces that are placed."""
        return tuple(placement.piece for placement in self.divisions[0])


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
    def covered_by_any(self) -> int:
        """The queues that can play at least one setup."""
        return _union(self.covered)

    @property
    def covered_by_all(self) -> int:
        """The queues that can play every one of them, each by itself."""
        common = (1 << self.total) - 1
        for queues in self.covered:
            common &= queues
        return common

    def by_coverage(self) -> list[int]:
        """Numbers of the setups, those that most queues can play first."""
        return sorted(range(len(self.covered)), key=lambda i: -self.covered[i].bit_count())

    def accumulate(self, numbers: Sequence[int]) -> list[int]:
        """For setups in this order: how many queues can play it or one before it."""
        seen, counts = 0, list[int]()
        for number in numbers:
            seen |= self.covered[number]
            counts.append(seen.bit_count())
        return counts

    def failed_queues(self) -> Iterator[str]:
        """The queues that can play none of them."""
        covered = self.covered_by_any
        return (queue for i, queue in enumerate(self.queues) if not covered >> i & 1)


def read_setups(text: str) -> list[Setup]:
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
        goes_on = bool(run) and page.placement is not None and run[-1].resulting_field == page.field
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


def compute_coverage(
    setups: Sequence[Setup],
    pattern: Pattern | str,
    *,
    hold: bool = True,
    kicks: Kicks | str = "srs",
    drop: DropMode = "soft",
) -> Coverage:
    """Find out which queues of a pattern can play each of some setups.

    Every piece must be supported and reached when its turn comes. Full rows are cleared on the way.

    Args:
        setups: at least one.
        pattern: the queues, as `Pattern.parse` reads them.
        hold: whether hold may be used; it is empty at first.
        kicks: rotation system, or its name.
        drop: how pieces come down, as in `PcProblem`.

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
    cut = given.truncate(most + hold)
    # Refuses too many of them before they are counted one by one.
    cut.automaton()
    if cut.queue_count > MAX_QUEUES:
        raise QueueError(
            f"the pattern has {cut.queue_count} queues, at most {MAX_QUEUES} are looked at"
        )
    queues = tuple(cut)
    solver = PcSolver(kicks)
    covered = [
        _union(
            solver.create_tiling(setup.field, way, drop=drop).find_playable_queues(
                queues, None, use_hold=hold
            )
            for way in setup.divisions
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
        field, ways = divide_into_pieces(page.field.rows[: page.field.height])
    except FormatError as error:
        raise FormatError(f"page {number}: {error}") from None
    if not ways:
        raise FormatError(f"page {number}: its coloured cells cannot be divided into pieces")
    return Setup(field, tuple(ways), (number, number))


_MOST_WAYS: Final = 64
_MOST_STEPS: Final = 1_000
"""Pieces of one kind that are tried."""
_MOST_ROWS: Final = 6
"""Pieces can only be in these; what is above is refused where it is played."""

_Cell = tuple[int, int]
_Tile = tuple[Piece, frozenset[_Cell]]


def divide_into_pieces(rows: Sequence[str]) -> tuple[Board, list[tuple[Placement, ...]]]:
    """The field of a picture, and all ways to see pieces in it.

    Args:
        rows: from the bottom, a letter a cell: a piece's, ``G`` or ``.``.

    Returns:
        The field of the ``G`` cells, and for each way the placements in an order in which they can
        follow each other. Ways that have no such order are left out.

    Raises:
        FormatError: there are too many ways, or cells above the sixth row.
    """
    field = Board.from_rows(["".join("X" if cell == "G" else "." for cell in row) for row in rows])
    cells: dict[str, set[_Cell]] = {}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter not in ".G":
                if y >= _MOST_ROWS:
                    raise FormatError(f"a piece in row {y + 1}; setups have at most {_MOST_ROWS}")
                cells.setdefault(letter, set()).add((x, y))
    divided = [
        list(
            itertools.islice(
                _divisions(Piece[letter], frozenset(found), iter(range(_MOST_STEPS))),
                _MOST_WAYS + 1,
            )
        )
        for letter, found in sorted(cells.items())
    ]
    ways: list[tuple[Placement, ...]] = []
    for number, chosen in enumerate(itertools.product(*divided)):
        if number == _MOST_WAYS:
            raise FormatError(f"there are more than {_MOST_WAYS} ways to see pieces in it")
        order = _in_order(field, [tile for tiles in chosen for tile in tiles])
        if order is not None:
            ways.append(order)
    return field, ways


def _divisions(
    piece: Piece, cells: frozenset[_Cell], steps: Iterator[int]
) -> Iterator[list[_Tile]]:
    """All ways to divide cells into pieces of one kind, as long as there are steps."""
    if not cells:
        yield []
        return
    if next(steps, None) is None:
        raise FormatError(f"there are too many ways to see pieces in its {piece.name} cells")
    first = min(cells, key=lambda cell: (cell[1], cell[0]))
    for tile in _tiles_from(piece, first, cells):
        for rest in _divisions(piece, cells - tile, steps):
            yield [(piece, tile), *rest]


def _tiles_from(piece: Piece, first: _Cell, cells: frozenset[_Cell]) -> Iterator[frozenset[_Cell]]:
    """The tiles within `cells` whose lowest, then leftmost cell is `first`."""
    found: set[frozenset[_Cell]] = set()
    for rotation in Rotation:
        shape = Placement(piece, rotation, 0, 0).cells  # sorted by y, then x
        bottom = shape[0][1]
        height = shape[-1][1] - bottom + 1
        for above in itertools.combinations(range(first[1] + 1, _MOST_ROWS), height - 1):
            rows = (first[1], *above)
            tile = frozenset((x - shape[0][0] + first[0], rows[y - bottom]) for x, y in shape)
            if tile <= cells and tile not in found:
                found.add(tile)
                yield tile


def _in_order(field: Board, tiles: Iterable[_Tile]) -> tuple[Placement, ...] | None:
    """The tiles as placements, each when the rows in its gaps are full; None if they never are."""
    board, left = field.copy(), list(tiles)
    # Rows of the field that are not cleared yet, as they lie now.
    rows = [y for y in range(_MOST_ROWS) if board.row(y) != 0x3FF]
    board = Board.from_rows(
        ["".join(".X"[board[x, y]] for x in range(10)) for y in rows], height=field.rows
    )
    order: list[Placement] = []
    while left:
        for tile in left:
            placement = _placement(tile, rows)
            if placement is not None:
                break
        else:
            return None
        left.remove(tile)
        order.append(placement)
        for x, y in placement.cells:
            board[x, y] = True
        full = [y for y in range(len(rows)) if board.row(y) == 0x3FF]
        for x, y in placement.cells:
            board[x, y] = False
        board.lock(placement)
        rows = [row for y, row in enumerate(rows) if y not in full]
    return tuple(order)


def _placement(tile: _Tile, rows: Sequence[int]) -> Placement | None:
    """The tile in the rows that are left, if they have none in its gaps."""
    piece, cells = tile
    now = sorted((rows.index(y), x) for x, y in cells)
    (y, x), wanted = now[0], [(x, y) for y, x in now]
    for rotation in Rotation:
        shape = Placement(piece, rotation, 0, 0).cells
        dx, dy = x - shape[0][0], y - shape[0][1]
        if [(a + dx, b + dy) for a, b in shape] == wanted:
            return Placement(piece, rotation, dx, dy)
    return None
