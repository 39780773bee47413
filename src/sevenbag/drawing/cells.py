"""Cells: their colours, how one is drawn, and the shapes that pieces have as they appear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece, Placement, Rotation

if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY: Final = "."
GARBAGE: Final = "G"
BOMB: Final = "B"

COLORS: Final = {
    "I": "#2fc8d8",
    "O": "#e8c52e",
    "T": "#b056d6",
    "L": "#e8892e",
    "J": "#4a72e8",
    "S": "#58bf48",
    "Z": "#e04a4f",
    GARBAGE: "#868b94",
    BOMB: "#3d424d",
}
"""Colours by cell letter: the field's usual ones, all clear on a dark ground."""

_FUSE: Final = "#ff5a5f"

CELL: Final = 20
"""Edge of a board's cell."""

Shape = tuple[tuple[bool, ...], ...]


def shape(letter: str) -> Shape:
    """A piece as it appears, upper row first: two rows, as wide as the piece."""
    return _SHAPES[letter]


def block(letter: str, left: float, top: float, size: int) -> str:
    """A cell, with a light upper edge so that neighbours of one colour stay apart."""
    fill = COLORS.get(letter, COLORS[GARBAGE])
    side = size - 1
    drawn = (
        f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{side}" height="{side}" rx="2"'
        f' fill="{fill}"/>'
        f'<path d="M{left + 2:g} {top + 2:g}h{size - 4}" stroke="#fff" stroke-opacity="0.35"/>'
    )
    if letter == BOMB:
        middle = f'cx="{left + size / 2:g}" cy="{top + size / 2:g}"'
        drawn += f'<circle {middle} r="{size * 0.28:g}" fill="{_FUSE}"/>'
    return drawn


def piece(letter: str, left: float, top: float, size: int) -> Iterable[str]:
    """The cells of a piece as it appears, its upper left corner at (left, top)."""
    for y, row in enumerate(shape(letter)):
        for x, filled in enumerate(row):
            if filled:
                yield block(letter, left + x * size, top + y * size, size)


# --- helpers ------------------------------------------------------------------------------------


def _drawn(piece: Piece) -> Shape:
    cells = Placement(piece, Rotation.NORTH, 1, 0).cells
    columns = [x for x, _ in cells]
    across = range(min(columns), max(columns) + 1)
    return tuple(tuple((x, y) in cells for x in across) for y in (1, 0))


_SHAPES: Final = {piece.name: _drawn(piece) for piece in Piece}
