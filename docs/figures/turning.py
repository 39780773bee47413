"""Pictures of rotation systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag import Board, Kicks, Piece, Placement, Rotation, Spin
from sevenbag.drawing import (
    Picture,
    add_caption,
    add_heading,
    arrange_column,
    arrange_row,
    draw_board,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("north", "east", "south", "west")


def pieces() -> Picture:
    """The seven pieces in their four rotations, a dot in the cell of the centre."""
    columns: list[Picture] = []
    for piece in Piece:
        boards = [
            draw_board(
                Board(5, 5),
                placements=[Placement(piece, rotation, 2, 2)],
                marks={(2, 2): "●"},
                rows=5,
            )
            for rotation in Rotation
        ]
        named = [
            add_caption(board, NAMES[i]) if piece is Piece.I else add_caption(board, "")
            for i, board in enumerate(boards)
        ]
        columns.append(add_heading(arrange_column(named, gap=6), piece.name))
    return arrange_row(columns, gap=12)


def five_tests() -> Picture:
    """The five tests of SRS as a T turns from north to east, on an empty board."""
    start = Placement("T", Rotation.NORTH, 2, 3)
    tests = Kicks("srs").tests("T", Rotation.NORTH, Rotation.EAST) or []
    pictures = [add_caption(draw_board(Board(5, 6), placements=[start], rows=6), "before")]
    for number, (dx, dy) in enumerate(tests, start=1):
        to = Placement("T", Rotation.EAST, start.x + dx, start.y + dy)
        board = draw_board(Board(5, 6), placements=[to], ghosts=[start], rows=6)
        pictures.append(add_caption(board, f"test {number}", _signed(dx, dy)))
    return arrange_row(pictures, gap=16)


def triple() -> Picture:
    """A T turns north to east under an overhang: four tests do not fit, the fifth does."""
    board = Board.from_rows([row[:7] for row in reversed(_TRIPLE)], height=8)
    start = Placement("T", Rotation.NORTH, 3, 3)
    return _tried(board, start, Rotation.EAST, Kicks("srs"))


def own_system() -> Picture:
    """A half turn with a custom rotation system: blocked in place, it fits one row higher."""
    kicks = Kicks.from_text('base = "srs"\n[T]\n0-2 = [[0, 1], [1, 1], [-1, 1]]\n')
    board = Board.from_rows(["###.###", "#...###", "#......"], height=8)
    return _tried(board, Placement("T", Rotation.NORTH, 2, 1), Rotation.SOUTH, kicks)


def _tried(board: Board, start: Placement, to: Rotation, kicks: Kicks) -> Picture:
    """Return the result of each test of a turn, up to the one that fits."""
    turned = board.rotate(start, to, kicks, spins="T-spins")
    assert turned is not None
    landed, used = turned
    fits = "fits" if landed.spin is Spin.NONE else f"fits: {landed.spin.name.lower()} spin"
    rows = board.height + 2
    tests: Sequence[tuple[int, int]] = kicks.tests(start.piece, start.rotation, to) or ()
    pictures = [add_caption(draw_board(board, placements=[start], rows=rows), "before", "")]
    for i, (dx, dy) in enumerate(tests[: used + 1]):
        there = Placement(start.piece, to, start.x + dx, start.y + dy)
        struck = {cell: "x" for cell in there.cells if cell[0] >= 0 and board[cell]}
        if i < used:
            picture = draw_board(board, ghosts=[there], marks=struck, rows=rows)
        else:
            picture = draw_board(board, placements=[landed], rows=rows)
        verdict = "does not fit" if i < used else fits
        pictures.append(add_caption(picture, f"{i + 1}: {_signed(dx, dy)}", verdict))
    if len(pictures) <= 4:
        return arrange_row(pictures)
    half = (len(pictures) + 1) // 2
    return arrange_column([arrange_row(pictures[:half]), arrange_row(pictures[half:])])


_TRIPLE = ("###....", "##...##", "##.####", "##..###", "##.####")
"""Rows from the top."""


def _signed(dx: int, dy: int) -> str:
    return f"({dx:+d}, {dy:+d})".replace("+0", "0")


PICTURES = (pieces, five_tests, triple, own_system)
