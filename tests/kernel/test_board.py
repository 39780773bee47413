"""Tests of boards, pieces and placements."""

import copy
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Game, Key, Kicks, Piece, Placement, Rotation, Rules, Spin, SpinRules
from sevenbag.errors import BoardError, PieceError, PlacementError
from tests.kernel import reference

SIZES = st.tuples(st.integers(4, 16), st.integers(4, 64))


@pytest.mark.parametrize("piece", list(Piece))
@pytest.mark.parametrize("rotation", list(Rotation))
def test_cells_are_the_turned_box(piece: Piece, rotation: Rotation) -> None:
    column, row = reference.centre(piece.name, rotation)
    expected = {(4 + c - column, 5 - (r - row)) for c, r in reference.box(piece.name, rotation)}
    assert set(Placement(piece, rotation, 4, 5).cells) == expected


@pytest.mark.parametrize("piece", list(Piece))
@pytest.mark.parametrize("rotation", list(Rotation))
def test_canonical_form_fills_the_same_cells(piece: Piece, rotation: Rotation) -> None:
    placement = Placement(piece, rotation, 4, 5, Spin.MINI)
    canonical = placement.canonical()
    assert canonical.cells == placement.cells
    assert canonical.spin == placement.spin
    assert canonical.same_cells(placement)
    assert not canonical.same_cells(Placement(piece, rotation, 5, 5))


@given(SIZES, st.data())
def test_cells_are_independent(size: tuple[int, int], data: st.DataObject) -> None:
    width, rows = size
    cells = st.tuples(st.integers(0, width - 1), st.integers(0, rows - 1))
    filled = data.draw(st.sets(cells))
    board = Board(width, rows)
    for cell in filled:
        board[cell] = True
    assert {(x, y) for x in range(width) for y in range(rows) if board[x, y]} == filled
    assert board.cell_count == len(filled)
    assert board.height == max((y + 1 for _, y in filled), default=0)
    assert board.is_empty == (not filled)
    assert [board.row(y) for y in range(rows)] == [
        sum(1 << x for x in range(width) if (x, y) in filled) for y in range(rows)
    ]


@given(SIZES, st.data())
def test_full_rows_vanish_as_in_the_reference(size: tuple[int, int], data: st.DataObject) -> None:
    width, rows = size
    rows = max(rows, 8)
    text = data.draw(
        st.lists(st.text("#.", min_size=width, max_size=width), min_size=1, max_size=rows - 4)
    )
    board = Board.from_rows(text, height=rows)
    field = reference.Field(
        width, rows, {(x, y) for y, row in enumerate(text) for x, c in enumerate(row) if c == "#"}
    )
    place = Placement("I", Rotation.NORTH, data.draw(st.integers(1, width - 3)), len(text))
    cells = tuple(place.cells)
    expected = reference.lock(field, cells)
    before = board.cell_count
    lines = board.lock(place)
    assert {(x, y) for x in range(width) for y in range(rows) if board[x, y]} == expected.filled
    assert board.cell_count == before + 4 - lines * width


@given(SIZES, st.integers(0, 6), st.data())
def test_garbage_pushes_up_and_cuts_at_the_top(
    size: tuple[int, int], count: int, data: st.DataObject
) -> None:
    width, rows = size
    count = min(count, rows)
    text = data.draw(st.lists(st.text("#.", min_size=width, max_size=width), max_size=rows))
    board = Board.from_rows(text, height=rows) if text else Board(width, rows)
    hole = data.draw(st.integers(0, width - 1))
    before = [board.row(y) for y in range(rows)]
    board.add_garbage(hole, count)
    garbage = [((1 << width) - 1) & ~(1 << hole)] * count
    assert [board.row(y) for y in range(rows)] == (garbage + before)[:rows]


def test_text_round_trip() -> None:
    text = "#.........\n##........"
    board = Board.from_text("\n  #.........\n  ##........\n")
    assert str(board) == text
    assert board[0, 1]
    assert not board[1, 1]
    assert Board.from_text(str(board)) == board
    assert Board.from_rows(["##........", "#........."]) == board


def test_blanks_are_empty_cells() -> None:
    board = Board.from_text(
        """

        # ## ####
        ###  ####

        """.replace("####\n", "####  \n")
    )
    assert str(board) == "#.##.####..\n###..####.."
    assert Board.from_text("\t##  \r\n\t    \r\n\t#  #\r\n") == Board.from_rows(
        ["#  #", "    ", "##  "]
    )
    assert Board.from_text("  \n \n") == Board()


def test_copies_are_apart() -> None:
    board = Board.from_rows(["##........"])
    other = copy.copy(board)
    assert other == board
    other[5, 5] = True
    assert other != board
    assert board != "board"
    assert Board(10, 40) != Board(10, 20)
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Board(3), "invalid width: expected 4 to 16, got 3"),
        (lambda: Board(10, 10**9), "invalid rows: expected 4 to 64, got 1000000000"),
        (lambda: Board.from_rows(["##", "#"]), "invalid width: expected 4 to 16, got 2"),
        (
            lambda: Board.from_rows(["....", "..."]),
            "invalid row 1: expected 4 cells, as in the bottom row, got 3",
        ),
        (lambda: Board.from_rows(["...."] * 41), "invalid rows: expected at most 40, got 41"),
        (
            lambda: Board.from_text("  ....\n  #..\n"),
            "invalid line 2: expected 4 cells \\(spaces included\\), as in line 1, got 3",
        ),
        (lambda: Board.from_text("....\n\n...."), "invalid line 2: expected 4 cells"),
        (lambda: Board.from_text("....\n#\t.."), "invalid line 2: expected cells, got a tab"),
        (lambda: Board()[10, 0], r"invalid cell: expected .*, got \(10, 0\)"),
        (lambda: Board().row(-1), r"invalid cell: expected .*, got \(0, -1\)"),
        (lambda: Board().add_garbage(10), "invalid hole: expected 0 to 9, got 10"),
        (lambda: Board().add_garbage(0, 41), "invalid count: expected 0 to 40, got 41"),
    ],
)
def test_wrong_boards_are_named(make: Callable[[], object], says: str) -> None:
    with pytest.raises(BoardError, match=says):
        make()


def test_wrong_pieces_and_placements_are_named() -> None:
    with pytest.raises(PieceError, match="invalid piece: expected one of I O T L J S Z, got 'Q'"):
        Placement("Q", Rotation.NORTH, 4, 0)
    with pytest.raises(PieceError, match="invalid piece: expected one of I O T L J S Z, got 'TT'"):
        Board().placements("TT")
    with pytest.raises(PlacementError, match="piece T at x 0, y 0 does not fit"):
        Board().lock(Placement("T", Rotation.NORTH, 0, 0))
    with pytest.raises(PlacementError, match="invalid placement: expected x from"):
        Placement("T", Rotation.NORTH, 1000, 0)


def test_values_can_be_pickled_and_compared() -> None:
    placement = Placement("T", Rotation.SOUTH, 4, 1, Spin.FULL)
    assert pickle.loads(pickle.dumps(placement)) == placement
    assert pickle.loads(pickle.dumps(Kicks("srs+"))) == Kicks("srs+")
    for board in (Board(4, 64), Board.from_rows(["#..#", "....", ".#.."], height=9)):
        assert pickle.loads(pickle.dumps(board)) == board
    assert len({placement, Placement("t", Rotation.SOUTH, 4, 1, Spin.FULL)}) == 1
    assert repr(placement) == "Placement('T', Rotation.SOUTH, 4, 1, Spin.FULL)"
    assert Key.HARD_DROP == 7


def test_placements_are_a_sequence() -> None:
    found = Board().placements("O")
    assert len(found) == 9
    assert found[0] == next(iter(found))
    assert found[-1] == list(found)[-1]
    assert found[2:4] == list(found)[2:4]
    assert found[0] in found
    assert Placement("O", Rotation.NORTH, 0, 9) not in found
    with pytest.raises(IndexError):
        found[9]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello", "got 'h' in 'hello'"),
        ("....\n..?.", r"got '\?' in '\.\.\?\.'"),
        ("....\n..\u2588.", r"got '\?'"),
    ],
)
def test_invalid_cells_are_rejected(text: str, says: str) -> None:
    with pytest.raises(BoardError, match=f"invalid cell: expected .* {says}"):
        Board.from_text(text)
    with pytest.raises(BoardError, match=f"invalid cell: expected .* {says}"):
        Board.from_rows(text.splitlines())


def test_cell_letters() -> None:
    empty, filled = "._ 0", "#Xx1GgBbIOTLJSZiotljsz"
    assert Board.from_rows([empty]).cell_count == 0
    for letter in filled:
        assert Board.from_rows([f"..{letter}."]).cell_count == 1


@pytest.mark.parametrize(
    "thing",
    [
        Board(),
        Placement("T", Rotation.SOUTH, 2, 1, Spin.FULL),
        Kicks("srs"),
        SpinRules("T-spins"),
        Game(Rules.preset("guideline"), seed=1).stats,
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_other_types_are_not_equal(thing: object) -> None:
    for other in (None, 1, "T", object()):
        assert not thing == other  # noqa: SIM201 - both operators are asked
        assert thing != other
    assert thing in (None, thing)
    assert None not in (thing,)
