"""Pictures of placed pieces, divided into the pieces again.

A picture shows cells in the colours of pieces, in the rows of the field as it is at the start. A
piece may have gaps where rows are cleared before it comes, and pieces of one kind may touch.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board, Piece, Placement, Rotation
from sevenbag.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MOST_WAYS: Final = 64
_MOST_STEPS: Final = 1_000
"""Pieces of one kind that are tried."""
_MOST_ROWS: Final = 6
"""Pieces can only be in these; what is above is refused where it is played."""

_Cell = tuple[int, int]
_Tile = tuple[Piece, frozenset[_Cell]]


def pieces_of(rows: Sequence[str]) -> tuple[Board, list[tuple[Placement, ...]]]:
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
