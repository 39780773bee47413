"""The board as a number and as 50 digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason import pason_conversion

CELLS = st.sets(st.tuples(st.integers(0, 19), st.integers(0, 9)))


def number(cells: set[tuple[int, int]]) -> int:
    return sum(pason_conversion.cell_bit(row, column) for row, column in cells)


def spelled(cells: set[tuple[int, int]]) -> str:
    """Nibble i is cells 4i to 4i + 3, value 8 the leftmost, as in the contest's text."""
    digits = ""
    for nibble in range(50):
        value = 0
        for place, weight in enumerate((8, 4, 2, 1)):
            cell = 4 * nibble + place
            value += weight * ((cell // 10, cell % 10) in cells)
        digits += "0123456789abcdef"[value]
    return digits


def test_the_first_bit_is_the_top_left_cell() -> None:
    assert pason_conversion.encode_board(pason_conversion.cell_bit(0, 0)) == "8" + "0" * 49
    assert pason_conversion.encode_board(pason_conversion.cell_bit(0, 9)) == "0040" + "0" * 46
    assert pason_conversion.encode_board(pason_conversion.cell_bit(19, 9)) == "0" * 49 + "1"
    assert pason_conversion.encode_board(0) == "0" * 50


@given(CELLS)
def test_digits_are_those_of_the_text(cells: set[tuple[int, int]]) -> None:
    text = pason_conversion.encode_board(number(cells))
    assert text == spelled(cells)
    assert (
        pason_conversion.decode_board(text)
        == pason_conversion.decode_board(text.upper())
        == number(cells)
    )


@given(CELLS)
def test_the_kernels_board_has_the_same_cells(cells: set[tuple[int, int]]) -> None:
    board = pason_conversion.board_to_kernel(number(cells))
    assert {(19 - y, x) for x in range(10) for y in range(board.rows) if board[x, y]} == cells
    assert pason_conversion.board_from_kernel(board) == number(cells)


def test_rows_above_the_top_stay_in_the_kernel_and_not_on_the_wire() -> None:
    board = Board(10, 24)
    board[3, 20] = True
    assert pason_conversion.board_from_kernel(board) == pason_conversion.cell_bit(-1, 3)
    assert pason_conversion.board_to_kernel(pason_conversion.cell_bit(-1, 3)) == board
    assert pason_conversion.encode_board(pason_conversion.cell_bit(-1, 3)) == "0" * 50


@pytest.mark.parametrize("text", ["", "0" * 49, "0" * 51, "g" * 50, "0x" + "0" * 48, "\u0660" * 50])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError, match="50 hexadecimal digits"):
        pason_conversion.decode_board(text)


def test_line_end_is_not_a_digit() -> None:
    with pytest.raises(ProtocolError):
        pason_conversion.decode_board("0" * 50 + "\n")
