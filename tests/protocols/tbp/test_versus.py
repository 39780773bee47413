"""Tests of the fields of the versus dialect and the garbage draft."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from sevenbag._kernel import Board, Key, Piece, Placement, Rotation
from sevenbag.bots.external.position_tracker import find_position_change
from sevenbag.errors import ProtocolError
from sevenbag.game import Game, Rules
from sevenbag.protocols.tbp import (
    TbpEvent,
    TbpFrontendConnection,
    decode,
    encode,
    from_object,
    tbp_conversion,
)
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.tbp_conversion import find_inputs, find_spawn, follow_inputs
from tests.protocols.tbp.messages import CHEESE, MOVE, PLAY
from tests.protocols.tbp.messages import START as DATA

START = DATA | {"queue": ["S"], "back_to_back": 2}


def test_every_part_of_an_opponent_may_be_left_out() -> None:
    message = from_object(
        {**START, "opponents": [{}, {"hold": None, "meter": 3, "board": [CHEESE]}]}
    )
    assert isinstance(message, tbp.TbpStart)
    assert message.back_to_back == 2
    row = ("G",) * 9 + (None,)
    assert message.opponents == (
        tbp.TbpOpponent(),
        tbp.TbpOpponent(hold=None, meter=3, board=(row,)),  # type: ignore[arg-type]
    )


def test_inputs() -> None:
    way = ["left", "cw", "sonic", "ccw", "flip", "right"]
    message = from_object({"type": "suggestion", "moves": [{**MOVE, "inputs": way}, MOVE]})
    assert isinstance(message, tbp.TbpSuggestion)
    assert message.moves[0].inputs == tuple(way)
    assert message.moves[1].inputs is UNSET


@pytest.mark.parametrize(
    ("data", "path", "words"),
    [
        ({"type": "garbage"}, "rows", "is missing"),
        ({"type": "garbage", "rows": [CHEESE, ["G"] * 10]}, "rows[1]", "at least one empty cell"),
        ({"type": "garbage", "rows": [CHEESE[1:]]}, "rows[0]", "expected 10 cells, got 9"),
        ({**START, "opponents": {}}, "opponents", "expected a list, got an object"),
        ({**START, "opponents": [{"queue": ["Q"]}]}, "opponents[0].queue[0]", "Z, got 'Q'"),
        ({**START, "opponents": [{}, {"hold": 5}]}, "opponents[1].hold", "Z, got 5"),
        ({**PLAY, "opponents": [None]}, "opponents[0]", "expected an object, got null"),
        ({**PLAY, "opponents": [{"meter": "x"}]}, "opponents[0].meter", "an integer"),
        ({**PLAY, "meter": []}, "meter", "an integer"),
        ({**PLAY, "move": {**MOVE, "inputs": ["up"]}}, "move.inputs[0]", "one of left right ccw"),
        ({**PLAY, "move": {**MOVE, "inputs": "cw"}}, "move.inputs", "expected a list"),
        (
            {"type": "suggestion", "moves": [MOVE, {**MOVE, "inputs": [1]}]},
            "moves[1].inputs[0]",
            "one of left",
        ),
    ],
)
def test_errors_name_the_place(data: dict[str, object], path: str, words: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        from_object(data)
    assert caught.value.path == path
    assert caught.value.kind == data["type"]
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        ({**START, "opponents": [None], "meter": "high"}, START),
        ({**PLAY, "opponents": 3}, PLAY),
        ({**PLAY, "move": {**MOVE, "inputs": 3}, "meter": {}}, PLAY),
        (
            {"type": "suggestion", "moves": [MOVE, {**MOVE, "inputs": [1]}]},
            {"type": "suggestion", "moves": [MOVE, MOVE]},
        ),
    ],
)
def test_game_continues_without_dialect_fields(
    data: dict[str, object], plain: dict[str, object]
) -> None:
    assert from_object(data, ignore_extensions=True) == from_object(plain)


def test_forgiving_is_not_blind() -> None:
    with pytest.raises(ProtocolError):
        from_object({**PLAY, "move": {**MOVE, "spin": 3, "inputs": 3}}, ignore_extensions=True)


def test_json_with_blanks_is_the_same() -> None:
    message = from_object(START)
    assert message is not None
    line = encode(message, spaced=True)
    assert b'"type": "start", ' in line
    assert line.endswith(b"}\n")
    assert decode(line) == message


PLAIN = Rules.preset("guideline").replace({"pieces": {"spins": "none"}})


@given(st.integers(0, 40), st.integers(0, 6), st.integers(0, 2**63 - 1))
def test_inputs_match_the_path_finder(moves: int, piece: int, seed: int) -> None:
    game = Game(seed=seed)
    for step in range(moves):
        places = game.placements()
        game.play(places[step * 7919 % len(places)])
        if game.over:
            return
    board = game.board
    spawn = find_spawn(board, Piece(piece), PLAIN)
    if spawn is None:
        return
    for placement in list(board.placements(Piece(piece), spawn=spawn))[::5]:
        inputs = find_inputs(placement, board, PLAIN)
        if inputs is None:
            keys = board.find_path(placement, spawn=spawn)
            assert keys is not None
            assert Key.SOFT_DROP in keys
            continue
        end = follow_inputs(inputs, Piece(piece), board, PLAIN)
        assert end is not None
        assert end.same_cells(placement)


def test_input_against_the_wall_has_no_effect() -> None:
    end = follow_inputs(("left",) * 20, Piece.T, Board(), PLAIN)
    assert end == Placement("T", Rotation.NORTH, 1, 0)


def test_blocked_piece_has_no_inputs() -> None:
    board = Board.from_rows(["XXXX.XXXXX"] * 24)
    assert follow_inputs((), Piece.T, board, PLAIN) is None


@given(st.integers(0, 2**40), st.integers(1, 12), st.integers(0, 30))
def test_changes_are_inferred(seed: int, lines: int, moves: int) -> None:
    rules = Rules.preset("guideline").replace({"garbage": {"travel": 0}})
    game = Game(rules, seed=seed)
    for step in range(moves):
        places = game.placements()
        game.play(places[step * 31 % len(places)])
        if game.over:
            return
    game.receive_garbage(lines)
    before = game.position()
    places = game.placements()
    move = places[seed % len(places)]
    lock = game.play(move)
    if game.over:
        return
    others = [place for place in places if place != move][:3]
    happened = find_position_change(before, [*others, move], game.position())
    if not lock.garbage:
        assert happened is None
        return
    assert happened is not None
    assert happened.new_pieces == lock.new_pieces
    assert len(happened.garbage) == len(lock.garbage)
    # Sent with these messages, it is the same position.
    between = tbp_conversion.add_garbage_rows(
        _after(before, happened.placement, happened.new_pieces), happened.garbage
    )
    after = game.position()
    assert between.board == after.board
    assert between.colors == after.colors
    assert (between.queue, between.hold, between.combo) == (after.queue, after.hold, after.combo)


def _after(before: Any, placement: Placement, pieces: tuple[Piece, ...]) -> Any:
    from sevenbag.game.position import append_piece, apply_placement  # noqa: PLC0415

    position = apply_placement(before, placement)
    for piece in pieces:
        position = append_piece(position, piece)
    return position


def test_impossible_changes() -> None:
    game = Game(seed=1)
    before = game.position()
    move = game.placements()[0]
    game.play(move)
    assert find_position_change(before, [move], game.position()) is None
    assert find_position_change(before, [], game.position()) is None
    other = Game(seed=2, board=Board.from_rows(["XXXXXXXXX."]))
    assert find_position_change(before, [move], other.position()) is None


def frontend(features: tuple[str, ...], rules: tbp.TbpRules) -> TbpFrontendConnection:
    side = TbpFrontendConnection()
    assert side.receive(tbp.TbpInfo("x", "1", "me", features)) is TbpEvent.INTRODUCED
    side.send(rules)
    side.receive(tbp.TbpReady())
    side.send(tbp.TbpStart(None, ("S",), 0, back_to_back=False, board=()))
    return side


def test_garbage_is_sent_to_bots_that_announce_it() -> None:
    rows: tuple[tbp.Row, ...] = ((None,) * 10,)
    side = frontend((tbp.GARBAGE,), tbp.TbpRules(garbage="general"))
    assert side.send(tbp.TbpGarbage(rows)) == encode(tbp.TbpGarbage(rows))
    for features, rules in (
        ((), tbp.TbpRules(garbage="general")),
        ((tbp.GARBAGE,), tbp.TbpRules()),
    ):
        other = frontend(features, rules)
        assert not other.accepts_garbage
        with pytest.raises(ProtocolError, match="does not announce 'garbage'"):
            other.send(tbp.TbpGarbage(rows))


def test_garbage_outdates_what_was_asked() -> None:
    side = frontend((tbp.GARBAGE,), tbp.TbpRules(garbage="general"))
    side.send(tbp.TbpSuggest())
    side.send(tbp.TbpGarbage(((None,) * 10,)))
    assert side.receive(tbp.TbpSuggestion(())) is TbpEvent.STALE
