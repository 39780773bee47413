"""Pictures of a state: text, or a small image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sevenbag.drawing.cells import COLORS, GARBAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sevenbag.game import Player

RENDER_MODES: Final = ["ansi", "rgb_array"]
CELL: Final = 12
"""Pixels of a cell's edge."""

Cells = tuple[tuple[int, int], ...]


def as_text(players: Sequence[Player], falling: Cells = ()) -> str:
    """Boards side by side, rows from the top; below them hold and queue.

    Args:
        players: whose boards.
        falling: cells of a piece in the air, on the first board.
    """
    boards = [_rows(player, falling if i == 0 else ()) for i, player in enumerate(players)]
    lines = ["  ".join(rows) for rows in zip(*boards, strict=True)]
    for player in players:
        hold = "-" if player.hold is None else player.hold.name
        queue = "".join(piece.name for piece in player.queue)
        lines.append(f"hold {hold}  queue {queue}  pending {sum(player.pending)}")
    return "\n".join(lines) + "\n"


def as_image(players: Sequence[Player], falling: Cells = ()) -> NDArray[np.uint8]:
    """Boards side by side, a column of pixels between them; height x width x 3."""
    parts: list[NDArray[np.uint8]] = []
    for i, player in enumerate(players):
        rows = _rows(player, falling if i == 0 else ())
        letters = np.array([[ord(letter) for letter in row] for row in rows], np.uint8)
        if parts:
            parts.append(np.full((len(rows) * CELL, CELL // 2, 3), 255, np.uint8))
        parts.append(_PALETTE[letters].repeat(CELL, axis=0).repeat(CELL, axis=1))
    return np.concatenate(parts, axis=1)


# --- helpers ------------------------------------------------------------------------------------


def _palette() -> NDArray[np.uint8]:
    """Colours by the code of a cell's letter."""
    palette = np.zeros((128, 3), np.uint8)
    for letter, color in COLORS.items():
        palette[ord(letter)] = tuple(bytes.fromhex(color[1:]))
    return palette


_PALETTE: Final = _palette()


def _rows(player: Player, falling: Cells) -> list[str]:
    """The visible rows and the two above them, from the top, a letter a cell."""
    board = player.rules.board
    rows = [list(row) for row in player.colors[: min(board.visible + 2, board.rows)]]
    for x, y in falling:
        if y < len(rows):
            rows[y][x] = GARBAGE if player.over else player.current.name
    return ["".join(row) for row in reversed(rows)]
