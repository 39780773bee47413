"""Pictures of boards: read back as XML, cell by cell."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Placement, Rotation
from sevenbag.drawing.picture import CELL, COLORS
from sevenbag.errors import BoardError

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> dict[tuple[int, int], str]:
    """Return colours by (column, row from the top), as a reader sees them."""
    root = ET.fromstring(svg)
    return {
        (int(float(r.get("x", "0")) // CELL), int(float(r.get("y", "0")) // CELL)): r.get(
            "fill", ""
        )
        for r in root.iter(f"{SVG}rect")
        if r.get("fill") in COLORS.values()
    }


@given(
    st.integers(4, 16).flatmap(
        lambda width: st.lists(
            st.text("#.", min_size=width, max_size=width), min_size=1, max_size=18
        )
    )
)
def test_every_filled_cell_is_drawn_in_its_place(rows: list[str]) -> None:
    board = Board.from_rows(rows)
    cells = drawn(board.svg(rows=20))
    assert set(cells) == {
        (x, 19 - y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == "#"
    }


def test_pieces_and_colours() -> None:
    board = Board.from_rows(["##........"])
    placement = Placement("T", Rotation.NORTH, 4, 0)
    cells = drawn(board.svg(placements=[placement], colors=["ZG........"]))
    assert cells[0, 3] == COLORS["Z"]
    assert cells[1, 3] == COLORS["G"]
    assert [xy for xy, color in cells.items() if color == COLORS["T"]] == [
        (3, 3),
        (4, 3),
        (5, 3),
        (4, 2),
    ]
    assert board._repr_svg_() == board.svg()


def test_bombs_differ_from_garbage() -> None:
    board = Board.from_rows(["##########"])
    svg = board.svg(colors=["GGGGBGGGGG"])
    assert drawn(svg)[4, 2] == COLORS["B"] != COLORS["G"]
    assert svg.count("<circle") == 1


def test_wrong_options_are_named() -> None:
    with pytest.raises(BoardError, match="41 rows to show, must be 1 to 40"):
        Board().svg(rows=41)
    with pytest.raises(BoardError, match="rows of 10 letters"):
        Board().svg(colors=["...."])


def test_range_of_rows() -> None:
    board = Board.from_rows(["#........."] * 21)
    ghost = Placement("T", Rotation.NORTH, 4, 19)
    picture = ET.fromstring(
        board.svg(rows=range(18, 22), skyline=20, ghosts=[ghost], marks={(4, 19): "<1>"})
    )
    filled = [r for r in picture.iter(f"{SVG}rect") if r.get("fill") == COLORS["G"]]
    assert sorted(float(r.get("y", "")) for r in filled) == [20.5, 40.5, 60.5]
    outlines = [r for r in picture.iter(f"{SVG}rect") if r.get("stroke") == COLORS["T"]]
    assert len(outlines) == 4
    assert [text.text for text in picture.iter(f"{SVG}text")] == ["<1>"]
    lines = [p.get("d", "") for p in picture.iter(f"{SVG}path") if p.get("stroke-dasharray")]
    assert lines == ["M-2 40H202"]


@pytest.mark.parametrize("rows", [range(3, 3), range(5, 41), range(0, 10, 2), range(-1, 4), 0])
def test_rows_outside_the_board(rows: int | range) -> None:
    with pytest.raises(BoardError, match=r"rows to show, must be 1 to 40"):
        Board().svg(rows=rows)
