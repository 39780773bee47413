"""The contest's board: one number of 200 bits, the most significant one the top left cell.

Along each row from the left, then the next row down. On the wire it is 50 hexadecimal digits. Rows
above the top, where there are any, are the bits above those 200. The rest of sevenbag counts rows
from the bottom and knows boards of the kernel: here one becomes the other.
"""

from __future__ import annotations

import re
from typing import Final

from sevenbag._kernel import Board
from sevenbag.errors import ProtocolError, shown

WIDTH: Final = 10
HEIGHT: Final = 20
CELLS: Final = WIDTH * HEIGHT
DIGITS: Final = CELLS // 4
KERNEL_ROWS: Final = 24
"""Rows of the preset ``pason-2012``: four above the top."""

FULL_ROW: Final = (1 << WIDTH) - 1
VISIBLE: Final = (1 << CELLS) - 1
"""All cells that are told of."""


def cell_bit(row: int, column: int) -> int:
    """The bit of a cell; rows above the top are negative."""
    return 1 << (CELLS - 1 - WIDTH * row - column)


def encode(board: int) -> str:
    """50 lower-case hexadecimal digits; rows above the top are left out."""
    return f"{board & VISIBLE:050x}"


def decode(text: str) -> int:
    """The board in 50 hexadecimal digits.

    Raises:
        ProtocolError: it is anything else. Upper case is understood.
    """
    if _HEX.fullmatch(text) is None:
        raise ProtocolError(
            f"{shown(text)} is no board; expected exactly {DIGITS} hexadecimal digits",
            "board_state",
        )
    return int(text, 16)


def to_kernel(board: int) -> Board:
    """The same board for the kernel, `KERNEL_ROWS` high."""
    bits = f"{board:0{WIDTH * KERNEL_ROWS}b}".translate(_CELL_MARKS)
    # The last row is the lowest; what lies above all rows of the kernel is none of its business.
    end = len(bits)
    return Board.from_rows(
        [bits[end - WIDTH * (y + 1) : end - WIDTH * y] for y in range(KERNEL_ROWS)],
        height=KERNEL_ROWS,
    )


def from_kernel(board: Board) -> int:
    """The number of a kernel's board ten columns wide; its rows above the top stay."""
    number = 0
    for y in range(board.height - 1, -1, -1):
        number = number << WIDTH | _MIRRORED[board.row(y)]
    return number


# --- helpers ------------------------------------------------------------------------------------

_HEX: Final = re.compile(r"[0-9a-fA-F]{50}", re.ASCII)
_CELL_MARKS: Final = {ord("0"): ".", ord("1"): "#"}

# The kernel's lowest bit is the left column, the wire's highest is.
_MIRRORED: Final = tuple(int(f"{bits:0{WIDTH}b}"[::-1], 2) for bits in range(1 << WIDTH))
