"""A player's side of a game: the board between hold and queue, and the garbage that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.drawing.board import EDGE, well
from sevenbag.drawing.cells import CELL, piece, shape
from sevenbag.drawing.picture import LABEL, TEXT, Picture, words

if TYPE_CHECKING:
    from collections.abc import Sequence

ALARM: Final = "#ff5a5f"
PIECE_CELL: Final = 14
"""Edge of a cell of a piece that is not on the board."""

METER: Final = 8
"""Width of what shows the waiting garbage."""

_LABELS: Final = 13
_BESIDE: Final = 4 * PIECE_CELL + 12
_EACH: Final = 3 * PIECE_CELL + 4


def side_picture(
    rows: Sequence[str],
    *,
    hold: str | None = None,
    queue: Sequence[str] = (),
    pending: int = 0,
    figures: Sequence[tuple[str, str]] = (),
) -> Picture:
    """One player's side.

    Args:
        rows: rows to show, from the bottom, a letter a cell as in `Position.colors`.
        hold: the held piece, a letter.
        queue: the pieces to come, letters.
        pending: lines of garbage that wait.
        figures: labels and values, written under the held piece.
    """
    columns, height = len(rows[0]) * CELL, len(rows) * CELL
    left = _BESIDE + METER
    parts = [words("hold", 0, _LABELS, size=12, fill=LABEL)]
    if hold is not None:
        parts += piece(hold, 0, 24, PIECE_CELL)
    for i, (label, value) in enumerate(figures):
        parts.append(words(label, 0, 84 + 36 * i, size=12, fill=LABEL))
        parts.append(words(value, 0, 102 + 36 * i, size=16, fill=TEXT, weight="bold"))
    parts += meter(pending, _BESIDE - 2, height)
    parts += [f'<g transform="translate({left} {EDGE})">', *well(rows), "</g>"]
    beside = left + columns + 16
    parts.append(words("next", beside, _LABELS, size=12, fill=LABEL))
    fitting = (height - 24) // _EACH
    for i, letter in enumerate(queue[:fitting]):
        parts += piece(letter, beside, 24 + i * _EACH, PIECE_CELL)
    return Picture(beside + 4 * PIECE_CELL, height + 2 * EDGE, tuple(parts))


def queue_picture(pieces: Sequence[str], *, bags: Sequence[int] = ()) -> Picture:
    """Pieces in a row as they come.

    Args:
        pieces: letters.
        bags: after how many pieces a bag ends; a line is drawn there.
    """
    cell = 9
    slot = 4 * cell + 8
    parts: list[str] = []
    for i, letter in enumerate(pieces):
        width = len(shape(letter)[0]) * cell
        upper = 6 if letter != "I" else 6 - cell // 2
        parts += piece(letter, i * slot + (slot - width) / 2, upper, cell)
    parts += [
        f'<path d="M{bag * slot} 0V{2 * cell + 12}" stroke="{LABEL}" stroke-width="2"/>'
        for bag in bags
        if 0 < bag < len(pieces)
    ]
    return Picture(len(pieces) * slot, 2 * cell + 12, tuple(parts))


def meter(pending: int, left: float, height: float) -> Sequence[str]:
    """Garbage that waits, beside the rows it will take."""
    filled = min(pending * CELL, height)
    if not filled:
        return ()
    return (
        f'<rect x="{left}" y="{height - filled}" width="{METER - 2}" height="{filled}" rx="2"'
        f' fill="{ALARM}"/>',
    )
