"""TBP's words and ours."""

import dataclasses

import pytest
from hypothesis import given
from msgspec import UNSET

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.errors import BoardError, PlacementError
from sevenbag.game import Game, Position, Rules
from sevenbag.protocols.tbp import decode, encode, tbp_conversion
from sevenbag.protocols.tbp import messages as tbp
from tests.protocols.tbp import messages as any_message

# The cells of every piece in every rotation, as the protocol's texts give them.
CELLS = {
    "I": ["-1,0 0,0 1,0 2,0", "0,1 0,0 0,-1 0,-2", "-2,0 -1,0 0,0 1,0", "0,2 0,1 0,0 0,-1"],
    "O": ["0,1 1,1 0,0 1,0", "0,0 1,0 0,-1 1,-1", "-1,0 0,0 -1,-1 0,-1", "-1,1 0,1 -1,0 0,0"],
    "T": ["0,1 -1,0 0,0 1,0", "0,1 0,0 1,0 0,-1", "-1,0 0,0 1,0 0,-1", "0,1 -1,0 0,0 0,-1"],
    "L": ["1,1 -1,0 0,0 1,0", "0,1 0,0 0,-1 1,-1", "-1,0 0,0 1,0 -1,-1", "-1,1 0,1 0,0 0,-1"],
    "J": ["-1,1 -1,0 0,0 1,0", "0,1 1,1 0,0 0,-1", "-1,0 0,0 1,0 1,-1", "0,1 0,0 -1,-1 0,-1"],
    "S": ["0,1 1,1 -1,0 0,0", "0,1 0,0 1,0 1,-1", "0,0 1,0 -1,-1 0,-1", "-1,1 -1,0 0,0 0,-1"],
    "Z": ["-1,1 0,1 0,0 1,0", "1,1 0,0 1,0 0,-1", "-1,0 0,0 0,-1 1,-1", "0,1 -1,0 0,0 -1,-1"],
}


@pytest.mark.parametrize("letter", tbp.PIECE_LETTERS)
@pytest.mark.parametrize("orientation", ["north", "east", "south", "west"])
def test_the_same_cells(letter: tbp.PieceLetter, orientation: tbp.Orientation) -> None:
    turns = ["north", "east", "south", "west"].index(orientation)
    expected = {
        (4 + int(x), 9 + int(y))
        for x, y in (cell.split(",") for cell in CELLS[letter][turns].split())
    }
    move = tbp.TbpMove(tbp.TbpLocation(letter, orientation, 4, 9), "mini")
    placement = tbp_conversion.parse_move(move)
    assert set(placement.cells) == expected
    assert placement.spin == Spin.MINI
    again = tbp_conversion.parse_move(tbp_conversion.format_move(placement))
    assert again.same_cells(placement)
    assert again.spin == Spin.MINI


@given(any_message.moves)
def test_moves_are_written_in_one_form(move: tbp.TbpMove) -> None:
    written = tbp_conversion.format_move(tbp_conversion.parse_move(move))
    if written.location.type in {"O"}:
        assert written.location.orientation == "north"
    if written.location.type in {"S", "Z", "I"}:
        assert written.location.orientation in {"north", "east"}
    assert tbp_conversion.format_move(tbp_conversion.parse_move(written)) == written


def test_a_move_far_outside() -> None:
    with pytest.raises(PlacementError):
        tbp_conversion.parse_move(tbp.TbpMove(tbp.TbpLocation("T", "north", 900, 0)))


@given(any_message.starts)
def test_position_round_trip(start: tbp.TbpStart) -> None:
    position = tbp_conversion.parse_start(start)
    assert (position.board.width, position.board.rows) == (10, 40)
    assert position.colors is not None
    assert len(position.colors) == 40
    again = tbp_conversion.format_start(position, "seven_bag")
    assert again.board[: len(start.board)] == start.board[:40]
    assert again.queue == start.queue
    assert again.hold == start.hold
    assert again.combo == start.combo
    assert again.back_to_back is (start.back_to_back > 0)
    assert len(again.board) == 40
    assert {len(row) for row in again.board} == {10}
    assert decode(encode(again)) == again


def test_game_as_messages() -> None:
    game = Game(seed=5)
    for _ in range(40):
        game.play(game.placements()[0])
        if game.over:
            game = Game(seed=6)
    position = game.position()
    start = tbp_conversion.format_start(position, "seven_bag")
    told = tbp_conversion.parse_start(start)
    assert told.board == position.board
    assert told.colors == position.colors
    assert told.queue == position.queue
    assert told.bag is not None
    assert position.bag is not None
    assert sorted(told.bag) == sorted(position.bag)


def test_accepted_moves_are_played() -> None:
    empty = Position(Board(), (Piece.T,), combo=-1, back_to_back=3, bag=())
    start = tbp_conversion.format_start(empty, "seven_bag")
    assert start.combo == 0
    assert start.back_to_back is True
    # Bags are never empty.
    assert start.randomizer == tbp.SevenBagRandomizer(tbp.PIECE_LETTERS)
    assert tbp_conversion.format_start(Position(Board(), ()), "seven_bag").randomizer is UNSET
    assert tbp_conversion.format_start(empty, "unknown").randomizer is UNSET
    assert tbp_conversion.format_start(empty, "uniform").randomizer == tbp.UniformRandomizer()


def test_boards_of_other_sizes() -> None:
    tall = Board(10, 64)
    tall[3, 50] = True
    tall[2, 1] = True
    rows = tbp_conversion.format_board(tall)
    assert len(rows) == 40
    assert rows[1][2] == "G"
    low = Board(10, 20)
    low[9, 19] = True
    assert tbp_conversion.format_board(low, ["TTT......."])[19][9] == "G"
    with pytest.raises(BoardError, match="10 wide, not 6"):
        tbp_conversion.format_board(Board(6, 20))


def test_letters_of_cells() -> None:
    board = Board.from_rows(["TTT...GX.."])
    assert tbp_conversion.format_board(board, ["TTT...GX.."])[0] == (
        *("T", "T", "T", None, None, None, "G", "G", None, None),
    )
    assert tbp_conversion.format_board(board)[0][:4] == ("G", "G", "G", None)


def test_general_bags() -> None:
    one_of_each: dict[tbp.PieceLetter, int] = dict.fromkeys(tbp.PIECE_LETTERS, 1)
    current: dict[tbp.PieceLetter, int] = {**one_of_each, "I": 0}
    start = tbp.TbpStart(None, (), 0, False, (), tbp.GeneralBagRandomizer(current, one_of_each))
    assert tbp_conversion.parse_start(start).bag == tuple(Piece)[1:]
    two_of_each = dict.fromkeys(tbp.PIECE_LETTERS, 2)
    other = tbp.TbpStart(None, (), 0, False, (), tbp.GeneralBagRandomizer(current, two_of_each))
    position = tbp_conversion.parse_start(other)
    assert position.bag == tuple(Piece)[1:]
    assert position.filled_bag == tuple(piece for piece in Piece for _ in range(2))
    assert tbp_conversion.format_start(position, "general_bag").randomizer == other.randomizer
    empty = dataclasses.replace(position, bag=())
    assert tbp_conversion.format_start(empty, "general_bag").randomizer == tbp.GeneralBagRandomizer(
        two_of_each, two_of_each
    )


def test_a_bag_too_large_to_be_believed() -> None:
    huge: dict[tbp.PieceLetter, int] = dict.fromkeys(tbp.PIECE_LETTERS, 10**9)
    one: dict[tbp.PieceLetter, int] = dict.fromkeys(tbp.PIECE_LETTERS, 1)
    for bag in (tbp.GeneralBagRandomizer(huge, huge), tbp.GeneralBagRandomizer(huge, one)):
        assert tbp_conversion.parse_start(tbp.TbpStart(None, (), 0, False, (), bag)).bag is None


def test_randomizers_from_rules() -> None:
    for bag, name in {
        "7-bag": "seven_bag",
        "14-bag": "general_bag",
        "total mayhem": "uniform",
        "classic": "unknown",
    }.items():
        rules = Rules.preset("guideline").replace({"pieces": {"bag": bag}})
        assert tbp_conversion.format_randomizer(rules) == name
    pieces = {"bag": "general_bag", "bag_pieces": "TTSI"}
    rules = Rules.preset("guideline").replace({"pieces": pieces})
    state = tbp_conversion.format_start(
        Game(rules, seed=2).position(), tbp_conversion.format_randomizer(rules)
    )
    assert isinstance(state.randomizer, tbp.GeneralBagRandomizer)
    assert state.randomizer.filled_bag["T"] == 2
    assert state.randomizer.filled_bag["O"] == 0
    # Six pieces are seen: of the second bag of four two are left.
    assert sum(state.randomizer.current_bag.values()) == 2


def test_randomizers_of_rules() -> None:
    rules = Rules.preset("guideline")
    assert tbp_conversion.format_randomizer(rules) == "seven_bag"
    classic = rules.replace({"pieces": {"bag": "classic"}})
    assert tbp_conversion.format_randomizer(classic) == "unknown"
    assert tbp_conversion.parse_rules(tbp.TbpRules("seven_bag")) == {}
    changed = rules.replace(tbp_conversion.parse_rules(tbp.TbpRules("uniform")))
    assert tbp_conversion.format_randomizer(changed) == "uniform"


def test_rotations_are_named() -> None:
    move = tbp_conversion.format_move(Placement("T", Rotation.WEST, 1, 2, Spin.FULL))
    assert move == tbp.TbpMove(tbp.TbpLocation("T", "west", 1, 2), "full")
