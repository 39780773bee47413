"""A page of a fumen, and where its piece lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.formats.fumen.field import ROWS, WIDTH, Field, index_of
from sevenbag.formats.fumen.quiz import carried

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a field, perhaps a piece on it, a comment, and what is done when it is left.

    Attributes:
        field: as it is before the piece is placed.
        placement: the piece; None for none. Its spin is not kept.
        comment: the text shown with the page.
        lock: on leaving the page the piece is placed and full rows are removed; without it
            nothing happens, not even what the next two say.
        rise: then the garbage row moves into the field.
        mirror: then the field is mirrored.
        color: guideline colours instead of older ones; counts on the first page only.
    """

    field: Field = field(default_factory=Field)
    placement: Placement | None = None
    comment: str = ""
    lock: bool = True
    rise: bool = False
    mirror: bool = False
    color: bool = False

    @property
    def after(self) -> Field:
        """The field as the page leaves it.

        Raises:
            FumenError: (``InvalidPieceLocation``) the piece is to be locked, and does not fit.
        """
        left = self.field
        if not self.lock:
            return left
        if self.placement is not None:
            left = left.placed(self.placement)
        left = left.cleared()
        if self.rise:
            left = left.raised()
        return left.mirrored() if self.mirror else left

    @property
    def next_comment(self) -> str:
        """The comment of the next page if that brings none; a quiz advances."""
        return carried(self.comment, self.placement, lock=self.lock)

    def next(self, placement: Placement | None = None) -> Page:
        """The page that follows by itself: the field that this one leaves, its comment carried on.

        Raises:
            FumenError: as `after` does.
        """
        return Page(self.after, placement, self.next_comment)


def pages_of(page: Page, placements: Sequence[Placement]) -> list[Page]:
    """A page for each placement, each following from the one before it; the first from `page`."""
    pages: list[Page] = []
    for placement in placements:
        page = page.next(placement)
        pages.append(page)
    return pages


def location_of(placement: Placement) -> int:
    """The cell that stands for a piece, as an index of `Field.cells`; negative above the top."""
    dx, dy = _CELL_OF[placement.piece, placement.rotation]
    return index_of(placement.x + dx, placement.y + dy)


def placement_at(piece: Piece, rotation: Rotation, location: int) -> Placement:
    """The piece whose cell is `location`."""
    row, x = divmod(location, WIDTH)
    dx, dy = _CELL_OF[piece, rotation]
    return Placement(piece, rotation, x - dx, ROWS - 1 - row - dy)


# --- helpers ------------------------------------------------------------------------------------


def _cell_of(piece: Piece, rotation: Rotation) -> tuple[int, int]:
    """Which cell names a piece, relative to its centre: it depends on the shape alone.

    T, J and L: the centre of their box. I: the second cell from the left or from the top. O: the
    upper left cell. S and Z: lying, the middle of the upper row; standing, the upper cell of the
    column that reaches lower.
    """
    if piece in (Piece.T, Piece.J, Piece.L):
        return 0, 0
    cells = Placement(piece, rotation, 0, 0).cells  # sorted by y, then x
    if piece is Piece.I:
        standing = cells[0][0] == cells[-1][0]
        return cells[2] if standing else cells[1]
    if piece is Piece.O:
        return cells[2]
    # Either is the one cell, from the bottom up, that stands on another.
    return next(cell for cell in cells if (cell[0], cell[1] - 1) in cells)


_CELL_OF: Final = {
    (piece, rotation): _cell_of(piece, rotation) for piece in Piece for rotation in Rotation
}
