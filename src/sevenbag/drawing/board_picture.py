"""Pictures of boards with pieces, outlines and text in cells; pictures of players and queues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board
from sevenbag.drawing.picture import (
    CELL,
    COLORS,
    EMPTY,
    GARBAGE,
    LABEL,
    TEXT,
    Picture,
    cell_element,
    escape_text,
    piece_elements,
    piece_shape,
    text_element,
)
from sevenbag.errors import BoardError, expect_type

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

FRAME: Final = "#4a5060"
EDGE: Final = 2
"""Width of the frame of a playfield."""
_WELL: Final = "#0b0d11"
_GRID: Final = "#1e222b"
_SKYLINE: Final = "#e8c52e"


def draw_board(
    board: Board,
    *,
    placements: Sequence[Placement] = (),
    ghosts: Sequence[Placement] = (),
    marks: Mapping[tuple[int, int], str] | None = None,
    colors: Sequence[str] | None = None,
    rows: int | range | None = None,
    skyline: int | None = None,
) -> Picture:
    """Draw a board.

    Args:
        board: the board; filled cells are grey unless `colors` is given.
        placements: pieces in their colours, with an outline.
        ghosts: pieces to draw as outlines only, such as a start or an obstructed place.
        marks: text of one to three letters by cell (x, y).
        colors: rows from the bottom, one letter per cell, as in `Position.colors`.
        rows: number of rows, 1 to ``board.rows``, or range of rows [default: the filled rows and
            two more].
        skyline: number of rows below a dashed line, such as the visible ones.

    Raises:
        BoardError: the rows do not exist, or `colors` has another width.
    """
    expect_type("board", board, Board, "a Board", BoardError)
    shown = _shown(board, (*placements, *ghosts), rows)
    if colors is not None and any(len(row) != board.width for row in colors):
        raise BoardError(f"colors must have rows of {board.width} letters, as wide as the board")
    lines = ["".join(_letter(board, colors, x, y) for x in range(board.width)) for y in shown]
    parts = [f'<g transform="translate({EDGE} {EDGE})">', *draw_playfield(lines)]
    if skyline is not None and skyline in shown:
        parts.append(_line_above(skyline, shown, board.width))
    for ghost in ghosts:
        parts += _outlines(ghost, shown, filled=False)
    for placement in placements:
        parts += _outlines(placement, shown, filled=True)
    for (x, y), text in (marks or {}).items():
        if y in shown and 0 <= x < board.width:
            parts.append(_mark(text, x * CELL, _top(y, shown)))
    parts.append("</g>")
    return Picture(board.width * CELL + 2 * EDGE, len(shown) * CELL + 2 * EDGE, tuple(parts))


def draw_playfield(rows: Sequence[str]) -> Iterable[str]:
    """Draw a frame with rows of cells from the bottom, its upper left corner at (0, 0)."""
    width, height = len(rows[0]) * CELL, len(rows) * CELL
    yield f'<rect width="{width}" height="{height}" fill="{_WELL}"/>'
    across = "".join(f"M{x} 0V{height}" for x in range(CELL, width, CELL))
    down = "".join(f"M0 {y}H{width}" for y in range(CELL, height, CELL))
    yield f'<path d="{across}{down}" stroke="{_GRID}" fill="none"/>'
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter != EMPTY:
                yield cell_element(letter, x * CELL, height - (y + 1) * CELL, CELL)
    yield (
        f'<rect x="-1" y="-1" width="{width + 2}" height="{height + 2}" rx="2" fill="none"'
        f' stroke="{FRAME}" stroke-width="2"/>'
    )


WARNING: Final = "#ff5a5f"
PIECE_CELL: Final = 14
"""Size of a cell of hold and queue."""
METER: Final = 8
"""Width of the meter of pending garbage."""
_LABELS: Final = 13
_BESIDE: Final = 4 * PIECE_CELL + 12
_EACH: Final = 3 * PIECE_CELL + 4


def draw_player(
    rows: Sequence[str],
    *,
    hold: str | None = None,
    queue: Sequence[str] = (),
    pending: int = 0,
    statistics: Sequence[tuple[str, str]] = (),
) -> Picture:
    """Draw the board of a player with hold, queue and statistics.

    Args:
        rows: rows from the bottom, one letter per cell as in `Position.colors`.
        hold: letter of the held piece.
        queue: letters of the next pieces.
        pending: lines of pending garbage.
        statistics: labels and values below the held piece.
    """
    columns, height = len(rows[0]) * CELL, len(rows) * CELL
    left = _BESIDE + METER
    parts = [text_element("hold", 0, _LABELS, size=12, fill=LABEL)]
    if hold is not None:
        parts += piece_elements(hold, 0, 24, PIECE_CELL)
    for i, (label, value) in enumerate(statistics):
        parts.append(text_element(label, 0, 84 + 36 * i, size=12, fill=LABEL))
        parts.append(text_element(value, 0, 102 + 36 * i, size=16, fill=TEXT, weight="bold"))
    if filled := min(pending * CELL, height):
        # Beside the rows that the garbage will fill.
        parts.append(
            f'<rect x="{_BESIDE - 2}" y="{height - filled}" width="{METER - 2}" height="{filled}"'
            f' rx="2" fill="{WARNING}"/>'
        )
    parts += [f'<g transform="translate({left} {EDGE})">', *draw_playfield(rows), "</g>"]
    beside = left + columns + 16
    parts.append(text_element("next", beside, _LABELS, size=12, fill=LABEL))
    fitting = (height - 24) // _EACH
    for i, letter in enumerate(queue[:fitting]):
        parts += piece_elements(letter, beside, 24 + i * _EACH, PIECE_CELL)
    return Picture(beside + 4 * PIECE_CELL, height + 2 * EDGE, tuple(parts))


def draw_queue(pieces: Sequence[str], *, bags: Sequence[int] = ()) -> Picture:
    """Draw pieces in a row.

    Args:
        pieces: letters.
        bags: numbers of pieces after which a line marks the end of a bag.
    """
    cell = 9
    slot = 4 * cell + 8
    parts: list[str] = []
    for i, letter in enumerate(pieces):
        width = len(piece_shape(letter)[0]) * cell
        upper = 6 if letter != "I" else 6 - cell // 2
        parts += piece_elements(letter, i * slot + (slot - width) / 2, upper, cell)
    parts += [
        f'<path d="M{bag * slot} 0V{2 * cell + 12}" stroke="{LABEL}" stroke-width="2"/>'
        for bag in bags
        if 0 < bag < len(pieces)
    ]
    return Picture(len(pieces) * slot, 2 * cell + 12, tuple(parts))


def _shown(board: Board, pieces: Sequence[Placement], rows: int | range | None) -> range:
    if rows is None:
        top = max([board.height, *(y + 1 for piece in pieces for _, y in piece.cells)])
        rows = min(top + 2, board.rows)
    if isinstance(rows, int):
        rows = range(rows)
    if not (rows.step == 1 and 0 <= rows.start < rows.stop <= board.rows):
        count = rows.stop if rows.start == 0 else rows
        raise BoardError(f"{count} rows to show, must be 1 to {board.rows}")
    return rows


def _letter(board: Board, colors: Sequence[str] | None, x: int, y: int) -> str:
    if not board[x, y]:
        return EMPTY
    letter = colors[y][x] if colors is not None and y < len(colors) else GARBAGE
    return GARBAGE if letter == EMPTY else letter


def _top(y: int, shown: range) -> int:
    return (shown.stop - 1 - y) * CELL


def _outlines(piece: Placement, shown: range, *, filled: bool) -> Iterable[str]:
    color = COLORS[piece.piece.name]
    side = CELL - 3
    for x, y in piece.cells:
        if y not in shown:
            continue
        left, top = x * CELL, _top(y, shown)
        at = f'x="{left + 1.5}" y="{top + 1.5}" width="{side}" height="{side}" rx="2"'
        if filled:
            yield cell_element(piece.piece.name, left, top, CELL)
            yield f'<rect {at} fill="none" stroke="#fff" stroke-opacity="0.8"/>'
        else:
            yield (
                f'<rect {at} fill="{color}" fill-opacity="0.16" stroke="{color}"'
                ' stroke-width="1.5" stroke-dasharray="3 2"/>'
            )


def _mark(text: str, left: float, top: float) -> str:
    """Return text that is legible on any colour: light with a dark outline."""
    size = 13 if len(text) == 1 else 10
    return (
        f'<text x="{left + CELL / 2:g}" y="{top + CELL / 2 + size * 0.36:g}" font-size="{size}"'
        ' font-weight="bold" text-anchor="middle" fill="#fff" stroke="#0b0d11" stroke-width="3"'
        f' paint-order="stroke">{escape_text(text)}</text>'
    )


def _line_above(rows: int, shown: range, width: int) -> str:
    y = _top(rows - 1, shown)
    return (
        f'<path d="M-2 {y}H{width * CELL + 2}" stroke="{_SKYLINE}" stroke-width="2"'
        ' stroke-dasharray="6 4"/>'
    )
