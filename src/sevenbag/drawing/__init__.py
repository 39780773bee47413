"""Self-contained SVG pictures of boards and games, without scripts, fonts or other files.

>>> from sevenbag import Board, Placement, Rotation
>>> board = Board.from_rows(["####.#####"])
>>> before = draw_board(board, rows=4)
>>> after = draw_board(board, placements=[Placement("T", Rotation.SOUTH, 4, 1)], rows=4)
>>> sheet = arrange_row([add_caption(before, "before"), add_caption(after, "after")], arrows=True)
>>> sheet.svg().startswith("<svg ")
True
"""

from sevenbag.drawing.board_picture import draw_board, draw_player, draw_queue
from sevenbag.drawing.picture import (
    BOMB,
    COLORS,
    EMPTY,
    GARBAGE,
    Picture,
    add_background,
    add_caption,
    add_heading,
    arrange_column,
    arrange_row,
    piece_shape,
)

__all__ = [
    "BOMB",
    "COLORS",
    "EMPTY",
    "GARBAGE",
    "Picture",
    "add_background",
    "add_caption",
    "add_heading",
    "arrange_column",
    "arrange_row",
    "draw_board",
    "draw_player",
    "draw_queue",
    "piece_shape",
]
