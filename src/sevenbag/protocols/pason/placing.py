"""Pieces as the contest places them, and as the kernel does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag._kernel import Piece, Placement
from sevenbag.errors import PlacementError
from sevenbag.protocols.pason.pason_conversion import HEIGHT
from sevenbag.protocols.pason.shapes import PIECES, ROTATIONS, SHAPES

if TYPE_CHECKING:
    from sevenbag.protocols.pason.shapes import Offsets, PieceName


class Place(NamedTuple):
    """Where a piece is, as the contest says it.

    Attributes:
        piece: its letter.
        orient: its orientation.
        row: of its origin, 0 at the top.
        col: of its origin.
    """

    piece: PieceName
    orient: int
    row: int
    col: int

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The four (row, column) that it fills."""
        return [(self.row + row, self.col + col) for row, col in SHAPES[self.piece][self.orient]]


def to_placement(place: Place) -> Placement:
    """The kernel's word for it: the same cells."""
    return Placement(place.piece, ROTATIONS[place.orient], place.col, HEIGHT - 1 - place.row)


def from_placement(placement: Placement) -> Place:
    """The contest's word for a placement: by its cells, whatever rotation they are told by.

    Raises:
        PlacementError: the contest has no such shape.
    """
    cells = sorted((HEIGHT - 1 - y, x) for x, y in placement.cells)
    first_row, first_col = cells[0]
    found = _BY_SHAPE.get((placement.piece, _from_first(cells)))
    if found is None:
        raise PlacementError(f"{placement!r} is in no orientation of the contest's")
    piece, orient, row, col = found
    return Place(piece, orient, first_row - row, first_col - col)


# --- helpers ------------------------------------------------------------------------------------


def _from_first(cells: Offsets | list[tuple[int, int]]) -> Offsets:
    first_row, first_col = cells[0]
    return tuple((row - first_row, col - first_col) for row, col in cells)


_BY_SHAPE: Final[dict[tuple[Piece, Offsets], tuple[PieceName, int, int, int]]] = {
    (Piece[piece], _from_first(shape)): (piece, orient, shape[0][0], shape[0][1])
    for piece in PIECES
    for orient, shape in enumerate(SHAPES[piece])
}
"""A shape's piece and orientation, and its first cell from the origin."""
