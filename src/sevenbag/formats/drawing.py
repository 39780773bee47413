"""Boards as SVG: self-contained, no script, no font, no file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.errors import BoardError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag._kernel import Board, Placement

EMPTY: Final = "."
GARBAGE: Final = "G"

COLORS: Final = {
    "I": "#2fc8d8",
    "O": "#e8c52e",
    "T": "#b056d6",
    "L": "#e8892e",
    "J": "#4a72e8",
    "S": "#58bf48",
    "Z": "#e04a4f",
    GARBAGE: "#868b94",
}
"""Colours by cell letter: the field's usual ones, all clear on a dark ground."""

CELL: Final = 20
GROUND: Final = "#14161b"
FRAME: Final = "#4a5060"
_WELL: Final = "#0b0d11"
_GRID: Final = "#1e222b"
_EDGE: Final = 2


def board_svg(
    board: Board,
    *,
    placements: Sequence[Placement] = (),
    colors: Sequence[str] | None = None,
    rows: int | None = None,
) -> str:
    """A picture of a board.

    Args:
        board: what is drawn; filled cells are grey unless `colors` knows better.
        placements: pieces to draw on it as well, in their colours and outlined.
        colors: rows from the bottom, a letter a cell, as `Position.colors` has them.
        rows: how many rows to show, 1 to ``board.rows``; by default what is filled and two more.

    Raises:
        BoardError: there are not so many rows, or `colors` has rows of another width.
    """
    cells = [(x, y) for placement in placements for x, y in placement.cells]
    top = max([board.height, *(y + 1 for _, y in cells)])
    shown = min(top + 2, board.rows) if rows is None else rows
    if not 1 <= shown <= board.rows:
        raise BoardError(f"{shown} rows to show, must be 1 to {board.rows}")
    if colors is not None and any(len(row) != board.width for row in colors):
        raise BoardError(f"colors must have rows of {board.width} letters, as wide as the board")
    lines = [
        "".join(_letter(board, colors, x, y) for x in range(board.width)) for y in range(shown)
    ]
    width, height = board.width * CELL + 2 * _EDGE, shown * CELL + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_EDGE} {-_EDGE} {width} {height}"'
        f' width="{width}" height="{height}" role="img">',
        *well(lines),
    ]
    for placement in placements:
        for x, y in placement.cells:
            if y < shown:
                left, upper = x * CELL, (shown - 1 - y) * CELL
                parts.append(block(placement.piece.name, left, upper, CELL))
                parts.append(
                    f'<rect x="{left + 1.5}" y="{upper + 1.5}" width="{CELL - 3}"'
                    f' height="{CELL - 3}" rx="2" fill="none" stroke="#fff" stroke-opacity="0.8"/>'
                )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def well(rows: Sequence[str]) -> Iterable[str]:
    """A frame with rows of cells in it, rows from the bottom, its upper left corner at (0, 0)."""
    width, height = len(rows[0]) * CELL, len(rows) * CELL
    yield f'<rect width="{width}" height="{height}" fill="{_WELL}"/>'
    across = "".join(f"M{x} 0V{height}" for x in range(CELL, width, CELL))
    down = "".join(f"M0 {y}H{width}" for y in range(CELL, height, CELL))
    yield f'<path d="{across}{down}" stroke="{_GRID}" fill="none"/>'
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter != EMPTY:
                yield block(letter, x * CELL, height - (y + 1) * CELL, CELL)
    yield (
        f'<rect x="-1" y="-1" width="{width + 2}" height="{height + 2}" rx="2" fill="none"'
        f' stroke="{FRAME}" stroke-width="2"/>'
    )


def block(letter: str, left: float, top: float, size: int) -> str:
    """A cell, with a light upper edge so that neighbours of one colour stay apart."""
    fill = COLORS.get(letter, COLORS[GARBAGE])
    side = size - 1
    return (
        f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{side}" height="{side}" rx="2"'
        f' fill="{fill}"/>'
        f'<path d="M{left + 2:g} {top + 2:g}h{size - 4}" stroke="#fff" stroke-opacity="0.35"/>'
    )


def _letter(board: Board, colors: Sequence[str] | None, x: int, y: int) -> str:
    if not board[x, y]:
        return EMPTY
    letter = colors[y][x] if colors is not None and y < len(colors) else GARBAGE
    return GARBAGE if letter == EMPTY else letter
