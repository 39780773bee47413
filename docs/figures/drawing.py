"""The picture of the page about pictures."""

from __future__ import annotations

from docs.figures.boards import board_of
from sevenbag import Placement, Rotation
from sevenbag.drawing import Picture, add_caption, arrange_row, draw_board


def parts_of_a_picture() -> Picture:
    """A board with what can be drawn on it, before and after a lock."""
    board = board_of("##........", "#...######", "##.#######", height=24)
    t = Placement("T", Rotation.SOUTH, 2, 1)
    before = draw_board(
        board,
        placements=[t],
        ghosts=[Placement("T", Rotation.NORTH, 4, 5)],
        marks={(1, 2): "B", (1, 0): "F", (3, 0): "F"},
        rows=8,
        skyline=7,
    )
    after = board.copy()
    after.lock(t)
    return arrange_row(
        [
            add_caption(before, "a T-spin double"),
            add_caption(draw_board(after, rows=8), "after it"),
        ],
        arrows=True,
    )


PICTURES = (parts_of_a_picture,)
