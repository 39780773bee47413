"""Pictures of boards and games: self-contained SVG, no script, no font, no file beside it.

>>> from sevenbag import Board, Placement, Rotation
>>> board = Board.from_rows(["####.#####"])
>>> before = board_picture(board, rows=4)
>>> after = board_picture(board, placements=[Placement("T", Rotation.SOUTH, 4, 1)], rows=4)
>>> sheet = in_a_row([captioned(before, "before"), captioned(after, "after")], arrows=True)
>>> sheet.svg().startswith("<svg ")
True
"""

from sevenbag.drawing.board import board_picture, board_svg
from sevenbag.drawing.cells import BOMB, COLORS, EMPTY, GARBAGE, shape
from sevenbag.drawing.picture import Picture, captioned, headed, in_a_row, on_ground, stacked
from sevenbag.drawing.side import queue_picture, side_picture

__all__ = [
    "BOMB",
    "COLORS",
    "EMPTY",
    "GARBAGE",
    "Picture",
    "board_picture",
    "board_svg",
    "captioned",
    "headed",
    "in_a_row",
    "on_ground",
    "queue_picture",
    "shape",
    "side_picture",
    "stacked",
]
