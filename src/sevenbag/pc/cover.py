"""Coverage: the queues of a pattern that can play given placements, in any possible order.

>>> from sevenbag.pc import compute_coverage, read_setups
>>> setups = read_setups("v115@9gE8zhg0F8ywg0G8wwh0F8zhJeAgWAA")
>>> coverage = compute_coverage(setups, "I,*p4")
>>> len(setups[0].pieces), coverage.covered_by_any.bit_count(), coverage.total
(4, 48, 840)
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, PcSolver, Piece, Placement, Rotation
from sevenbag.errors import FormatError, QueueError
from sevenbag.formats.fumen import Fumen, Page
from sevenbag.pc.path import MAX_QUEUES, union
from sevenbag.pc.patterns import Pattern
from sevenbag.pc.problem import DropMode

if TYPE_CHECKING:
    from sevenbag._kernel import Kicks


@dataclass(frozen=True)
class Setup:
    """Placements on a field, in any order.

    Attributes:
        field: the board before the first placement.
        divisions: the placements in a playable order; several if the picture can be divided into
            pieces in several ways.
        pages: first and last page in the fumen, from 1.
    """

    field: Board
    divisions: tuple[tuple[Placement, ...], ...]
    pages: tuple[int, int]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Pieces of the placements."""
        return tuple(placement.piece for placement in self.divisions[0])


@dataclass(frozen=True)
class Coverage:
    """Queues that can play setups.

    Attributes:
        pattern: the queues, cut to the pieces that the largest setup can use.
        unused: number of pieces cut off each queue.
        queues: the queues in their order.
        covered: for each setup, bit i is set if queue i can play it.
    """

    pattern: Pattern
    unused: int
    queues: tuple[str, ...]
    covered: tuple[int, ...]

    @property
    def total(self) -> int:
        """Number of queues."""
        return len(self.queues)

    @property
    def covered_by_any(self) -> int:
        """Queues that can play at least one setup, as bits."""
        return union(self.covered)

    @property
    def covered_by_all(self) -> int:
        """Queues that can play each of the setups, as bits."""
        every = (1 << self.total) - 1
        return every ^ union(every ^ queues for queues in self.covered)

    def by_coverage(self) -> list[int]:
        """Return the indices of the setups, those that most queues can play first."""
        return sorted(range(len(self.covered)), key=lambda i: -self.covered[i].bit_count())

    def accumulate(self, numbers: Sequence[int]) -> list[int]:
        """Return the number of queues that can play each setup of this order or an earlier one."""
        unions = itertools.accumulate((self.covered[number] for number in numbers), int.__or__)
        return [queues.bit_count() for queues in unions]

    def failed_queues(self) -> Iterator[str]:
        """Return the queues that can play no setup."""
        covered = self.covered_by_any
        return (queue for i, queue in enumerate(self.queues) if not covered >> i & 1)


def read_setups(text: str) -> list[Setup]:
    """Read the setups of a fumen.

    Consecutive pages with pieces are one setup, as long as each page continues the one before. A
    page without a piece is a setup if it has cells in the colours of pieces: these are divided into
    pieces, and the grey cells are the field. Other pages are ignored.

    Raises:
        FumenError: invalid fumen.
        FormatError: there is no setup, a page mirrors or raises the field, or coloured cells are
            not pieces.
    """
    fumen = Fumen.parse(text)
    setups: list[Setup] = []
    run: list[Page] = []
    for number, page in enumerate(fumen.pages, 1):
        continues = (
            bool(run) and page.placement is not None and run[-1].resulting_field == page.field
        )
        if run and not continues:
            setups.append(_create_from_pieces(run, number - 1))
            run = []
        if page.placement is not None:
            if not page.lock or page.rise or page.mirror:
                raise FormatError(
                    f"page {number}: a setup must lock its pieces and cannot raise or mirror the"
                    " field"
                )
            run.append(page)
        elif any(cell not in ".G" for row in page.field.rows for cell in row):
            setups.append(_create_from_colors(page, number))
    if run:
        setups.append(_create_from_pieces(run, len(fumen.pages)))
    if not setups:
        raise FormatError("invalid fumen: expected pieces, or cells in the colours of pieces")
    return setups


def compute_coverage(
    setups: Sequence[Setup],
    pattern: Pattern | str,
    *,
    hold: bool = True,
    kicks: Kicks | str = "srs",
    drop: DropMode = "soft",
) -> Coverage:
    """Find the queues of a pattern that can play each of one or more setups.

    Every piece must be supported and reachable when it is placed. Full rows are cleared. The
    options are those of `PcProblem`.

    Raises:
        BoardError: a field is filled above six rows.
        PatternError: invalid pattern.
        PlacementError: a setup has more than 15 pieces, or a piece above the sixth row.
        QueueError: queues with fewer pieces than a setup has, or more than `MAX_QUEUES` queues.
    """
    given = Pattern.parse(pattern) if isinstance(pattern, str) else pattern
    most = max(len(setup.pieces) for setup in setups)
    if given.length < most:
        raise QueueError(
            f"invalid pattern: expected queues of at least {most} pieces, as a setup has, got"
            f" {given.length}"
        )
    cut = given.truncate(most + hold)
    # Raises for too many queues, before they are counted one by one.
    cut.automaton()
    if cut.queue_count > MAX_QUEUES:
        raise QueueError(
            f"the pattern has {cut.queue_count} queues, at most {MAX_QUEUES} are looked at"
        )
    queues = tuple(cut)
    solver = PcSolver(kicks)
    covered = [
        union(
            solver.create_tiling(setup.field, way, drop=drop).find_playable_queues(
                queues, None, use_hold=hold
            )
            for way in setup.divisions
        )
        for setup in setups
    ]
    return Coverage(cut, given.length - cut.length, queues, tuple(covered))


def _create_from_pieces(pages: Sequence[Page], last: int) -> Setup:
    placements = tuple(page.placement for page in pages if page.placement is not None)
    return Setup(pages[0].field.board(), (placements,), (last - len(pages) + 1, last))


def _create_from_colors(page: Page, number: int) -> Setup:
    try:
        field, ways = divide_into_pieces(page.field.rows[: page.field.height])
    except FormatError as error:
        raise FormatError(f"page {number}: {error}") from None
    if not ways:
        raise FormatError(f"page {number}: the coloured cells cannot be divided into pieces")
    return Setup(field, tuple(ways), (number, number))


_MAX_DIVISIONS: Final = 64
_MAX_STEPS: Final = 1_000
"""Maximum number of tiles tried for one kind of piece."""
_MAX_ROWS: Final = 6
"""Pieces are only allowed in these rows."""

_Cell = tuple[int, int]
_Tile = tuple[Piece, frozenset[_Cell]]


def divide_into_pieces(rows: Sequence[str]) -> tuple[Board, list[tuple[Placement, ...]]]:
    """Divide the coloured cells of a picture into pieces, in all possible ways.

    A picture shows the pieces in rows of the start field. A piece may have gaps where rows are
    cleared before it is placed, and pieces of one kind may touch.

    Args:
        rows: from the bottom up, a letter for each cell: that of a piece, ``G`` or ``.``.

    Returns:
        The field of the ``G`` cells, and the placements of each division in a playable order.
        Divisions without such an order are left out.

    Raises:
        FormatError: there are too many divisions, or cells above the sixth row.
    """
    field = Board.from_rows(["".join("X" if cell == "G" else "." for cell in row) for row in rows])
    cells: dict[str, set[_Cell]] = {}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter not in ".G":
                if y >= _MAX_ROWS:
                    raise FormatError(
                        f"invalid row of a piece: expected 1 to {_MAX_ROWS}, got {y + 1}"
                    )
                cells.setdefault(letter, set()).add((x, y))
    divided = [
        list(
            itertools.islice(
                _divisions(Piece[letter], frozenset(found), iter(range(_MAX_STEPS))),
                _MAX_DIVISIONS + 1,
            )
        )
        for letter, found in sorted(cells.items())
    ]
    ways: list[tuple[Placement, ...]] = []
    for number, chosen in enumerate(itertools.product(*divided)):
        if number == _MAX_DIVISIONS:
            raise FormatError(
                f"there are more than {_MAX_DIVISIONS} ways to divide its cells into pieces"
            )
        order = _order_tiles(field, [tile for tiles in chosen for tile in tiles])
        if order is not None:
            ways.append(order)
    return field, ways


def _divisions(
    piece: Piece, cells: frozenset[_Cell], steps: Iterator[int]
) -> Iterator[list[_Tile]]:
    """Yield all divisions of cells into pieces of one kind; `steps` limits the search."""
    if not cells:
        yield []
        return
    if next(steps, None) is None:
        raise FormatError(f"there are too many ways to divide its {piece.name} cells into pieces")
    first = min(cells, key=lambda cell: (cell[1], cell[0]))
    for tile in _tiles_from(piece, first, cells):
        for rest in _divisions(piece, cells - tile, steps):
            yield [(piece, tile), *rest]


def _tiles_from(piece: Piece, first: _Cell, cells: frozenset[_Cell]) -> Iterator[frozenset[_Cell]]:
    """Yield the tiles within `cells` whose lowest, then leftmost cell is `first`."""
    found: set[frozenset[_Cell]] = set()
    for rotation in Rotation:
        shape = Placement(piece, rotation, 0, 0).cells  # sorted by y, then x
        bottom = shape[0][1]
        height = shape[-1][1] - bottom + 1
        for above in itertools.combinations(range(first[1] + 1, _MAX_ROWS), height - 1):
            rows = (first[1], *above)
            tile = frozenset((x - shape[0][0] + first[0], rows[y - bottom]) for x, y in shape)
            if tile <= cells and tile not in found:
                found.add(tile)
                yield tile


def _order_tiles(field: Board, tiles: Iterable[_Tile]) -> tuple[Placement, ...] | None:
    """Return the tiles as placements in a playable order, or None if there is none."""
    board, left = field.copy(), list(tiles)
    # Rows of the start field that are not cleared yet.
    rows = [y for y in range(_MAX_ROWS) if board.row(y) != 0x3FF]
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
        filled = Counter(y for _, y in placement.cells)
        full = [y for y in filled if board.row(y).bit_count() + filled[y] == 10]
        board.lock(placement)
        rows = [row for y, row in enumerate(rows) if y not in full]
    return tuple(order)


def _placement(tile: _Tile, rows: Sequence[int]) -> Placement | None:
    """Return the tile as a placement in the rows that are left; None while rows in its gaps are."""
    piece, cells = tile
    now = sorted((rows.index(y), x) for x, y in cells)
    (y, x), wanted = now[0], [(x, y) for y, x in now]
    for rotation in Rotation:
        shape = Placement(piece, rotation, 0, 0).cells
        dx, dy = x - shape[0][0], y - shape[0][1]
        if [(a + dx, b + dy) for a, b in shape] == wanted:
            return Placement(piece, rotation, dx, dy)
    return None
