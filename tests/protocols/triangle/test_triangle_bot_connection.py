"""Tests of the bot's side with lists of messages."""

import dataclasses
from typing import Any

import pytest

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.game import Rules
from sevenbag.protocols.bot_actions import (
    BotAction,
    GarbageAction,
    LogAction,
    NewPieceAction,
    PlayAction,
    PrepareAction,
    SendAction,
    StartAction,
    SuggestAction,
    UpdateRulesAction,
)
from sevenbag.protocols.triangle import TriangleBotConnection, from_object, to_object
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle.triangle_connections import TriangleBotState
from sevenbag.protocols.triangle.triangle_conversion import (
    format_config,
    format_pieces,
    format_state,
    parse_config,
)

# As recorded for seed 1; the first piece is O.
QUEUE = format_pieces([Piece[letter] for letter in "JILSTZTOLJSIZLISOTZJJSLITZOITLOZSJ"])
CONFIG = triangle.TriangleConfig(queue=QUEUE)
PLAY = triangle.TrianglePlay()
O_LEFT = Placement("O", Rotation.NORTH, 0, 0)


def begun(**changes: Any) -> tuple[TriangleBotConnection, list[BotAction]]:
    """Return a connection that received a room's config, and its actions."""
    side = TriangleBotConnection()
    return side, side.receive(triangle.TriangleConfig(**{"queue": QUEUE, **changes}))


def sent(actions: list[BotAction]) -> triangle.TriangleMove:
    [move] = [action.message for action in actions if isinstance(action, SendAction)]
    assert isinstance(move, triangle.TriangleMove)
    return move


def keys_of(actions: list[BotAction]) -> tuple[str, ...]:
    keys = sent(actions).keys
    assert isinstance(keys, tuple)
    return keys


def kinds(actions: list[BotAction]) -> list[type]:
    return [type(action) for action in actions]


def told(side: TriangleBotConnection, **changes: Any) -> triangle.TriangleState:
    """Return the state message of the position, with changes."""
    assert side.position is not None
    return format_state(dataclasses.replace(side.position, **changes))


def test_a_game_begins() -> None:
    side, actions = begun()
    assert kinds(actions) == [PrepareAction, StartAction]
    begin = actions[1]
    assert isinstance(begin, StartAction)
    assert begin.position.queue[:3] == (Piece.O, Piece.J, Piece.I)
    assert len(begin.position.queue) == 11
    # Four of the second bag are visible: three are missing.
    assert sorted(begin.position.bag or ()) == sorted([Piece.S, Piece.I, Piece.Z])
    assert side.state is TriangleBotState.PLAYING
    assert kinds(side.receive(PLAY)) == [SuggestAction]


def test_a_move_and_what_follows() -> None:
    side, _ = begun()
    side.receive(PLAY)
    actions = side.answer((O_LEFT,))
    assert sent(actions).keys == ("moveLeft",) * 4 + ("hardDrop",)
    # The twelfth piece moves into sight.
    assert actions[1:] == [PlayAction(O_LEFT), NewPieceAction(Piece.S)]
    assert side.position is not None
    assert side.position.queue[0] is Piece.J
    assert side.receive(triangle.TrianglePieces(pieces=("o",))) == []
    assert len(side.position.queue) == 35


def test_hold_takes_two() -> None:
    side, _ = begun()
    place = Placement("J", Rotation.NORTH, 1, 0)
    actions = side.answer((place,))
    assert keys_of(actions)[0] == "hold"
    assert actions[1:] == [PlayAction(place), NewPieceAction(Piece.S), NewPieceAction(Piece.I)]
    assert side.position is not None
    assert side.position.hold is Piece.O


def test_half_turns_are_a_last_resort() -> None:
    side, _ = begun()
    side.receive(told(side, queue=(Piece.T, *side_queue(side)[1:])))
    keys = keys_of(side.answer((Placement("T", Rotation.SOUTH, 4, 1),)))
    assert keys in [("rotateCW", "rotateCW", "hardDrop"), ("rotateCCW", "rotateCCW", "hardDrop")]


def side_queue(side: TriangleBotConnection) -> tuple[Piece, ...]:
    assert side.position is not None
    return side.position.queue


def test_impossible_moves_are_replaced() -> None:
    side, _ = begun()
    for nonsense in (
        Placement("S", Rotation.NORTH, 1, 0),  # no such piece now
        Placement("O", Rotation.NORTH, 0, 7),  # in mid-air
        Placement("O", Rotation.NORTH, 9, 0),  # in the wall
    ):
        before = side.position
        assert before is not None
        actions = side.answer((nonsense,))
        assert keys_of(actions)[-1] == "hardDrop"
        assert isinstance(actions[1], PlayAction)
        assert side.position is not None
        assert side.position.board.cell_count == before.board.cell_count + 4


def test_expected_state_starts_nothing() -> None:
    side, _ = begun()
    side.answer((O_LEFT,))
    assert side.receive(told(side, pending=(4, 1))) == [GarbageAction((4, 1))]


def test_a_state_with_more_pieces_than_known() -> None:
    side, _ = begun(queue=QUEUE[:6])
    assert side_queue(side)[0] is Piece.O
    more = (*side_queue(side), Piece.T, Piece.O)
    assert side.receive(told(side, queue=more)) == [
        GarbageAction(()),
        NewPieceAction(Piece.T),
        NewPieceAction(Piece.O),
    ]


def test_state_replaces_the_position() -> None:
    side, _ = begun()
    side.answer((O_LEFT,))
    assert side.position is not None
    board = side.position.board.copy()
    board.add_garbage(3, 2)
    colors = tuple("".join("G" if board[x, y] else "." for x in range(10)) for y in range(40))
    state = told(side, board=board, colors=colors, combo=2, back_to_back=5, hold=Piece.L)
    [begin] = side.receive(state)
    assert isinstance(begin, StartAction)
    position = begin.position
    assert (position.board, position.combo, position.back_to_back) == (board, 2, 5)
    assert position.hold is Piece.L


def test_a_state_whose_queue_holds_the_current_piece() -> None:
    side, _ = begun()
    state = told(side, combo=1)
    side.receive(
        triangle.TriangleState(**{**fields(state), "queue": (state.current, *state.queue)})
    )
    assert side_queue(side)[:3] == (Piece.O, Piece.J, Piece.I)
    # Unknown, except that a bag does not contain a piece twice.
    side.answer((O_LEFT,))
    state = told(side)
    side.receive_invalid("state")
    side.receive(
        triangle.TriangleState(**{**fields(state), "queue": (state.current, *state.queue)})
    )
    assert side_queue(side)[:3] == (Piece.J, Piece.I, Piece.L)


def test_state_with_a_repeated_piece() -> None:
    side, _ = begun()
    # "z l | i s o t z j | j s": at the border of two bags a piece repeats.
    for _ in range(20):
        side.answer(())
    [at] = [i for i in (0, 1) if side_queue(side)[i] == side_queue(side)[i + 1]] or [0]
    for _ in range(at):
        side.answer(())
    state = told(side, combo=4)
    before = side_queue(side)
    side.receive(state)
    assert side_queue(side) == before


def fields(state: triangle.TriangleState) -> dict[str, Any]:
    return {name: getattr(state, name) for name in state.__struct_fields__}


def test_unknown_first_piece_is_held_back() -> None:
    queue: tuple[triangle.PieceLetter, ...] = ("z", "z", "j", "s", "s", "l", "z", "i", "i")
    side, actions = begun(queue=queue)
    begin = actions[1]
    assert isinstance(begin, StartAction)
    # A bot that believes to hold what it places has no use for hold.
    assert begin.position.queue[0] is begin.position.hold is Piece.Z
    assert keys_of(side.answer(()))[0] == "hold"
    assert "hold" not in keys_of(side.answer(()))
    state = told(side, hold=Piece.T)
    [begin] = side.receive(state)
    assert isinstance(begin, StartAction)
    assert begin.position.hold is Piece.T
    assert keys_of(side.answer((Placement("T", Rotation.NORTH, 8, 0),)))[0] == "hold"


def test_question_updates_the_rules() -> None:
    side, _ = begun(garbage_cap=1)
    assert side.rules is not None
    # Triangle.js has the multiplier in the place of the cap.
    assert side.rules.garbage.cap == 8
    assert kinds(side.receive(triangle.TrianglePlay(garbage_cap=8, garbage_multiplier=1.008))) == [
        SuggestAction
    ]
    actions = side.receive(triangle.TrianglePlay(garbage_cap=10.6, garbage_multiplier=1.5))
    assert kinds(actions) == [UpdateRulesAction, StartAction, SuggestAction]
    assert side.rules.garbage.cap == 10
    assert side.rules.attack.multiplier == 1.5


def test_invalid_messages() -> None:
    side, _ = begun()
    assert kinds(side.receive_invalid("play")) == [SuggestAction]
    assert side.receive_invalid("pieces") == []
    assert side.receive_invalid("state") == []
    assert sent(side.receive(PLAY)).keys == ("hardDrop",)


def test_a_hold_without_effect() -> None:
    side, _ = begun()
    before = side.position
    assert before is not None
    side.answer((Placement("J", Rotation.NORTH, 1, 0),))
    # The O locked in place of the J, and the J is next.
    ignored = dataclasses.replace(before, queue=before.queue[1:])
    actions = side.receive(format_state(ignored))
    assert kinds(actions) == [UpdateRulesAction, StartAction]
    assert side.rules is not None
    assert not side.rules.pieces.hold
    assert {place.piece for place in side.placements()} == {Piece.J}
    # Another game may have hold.
    side.receive(CONFIG)
    assert side.rules.pieces.hold


def test_a_hold_with_effect_and_another_position() -> None:
    side, _ = begun()
    before = side.position
    assert before is not None
    side.answer((Placement("J", Rotation.NORTH, 1, 0),))
    assert kinds(side.receive(told(side))) == [GarbageAction]
    elsewhere = dataclasses.replace(before, queue=before.queue[::-1], hold=None)
    assert kinds(side.receive(format_state(elsewhere))) == [StartAction]
    assert side.rules is not None
    assert side.rules.pieces.hold


@pytest.mark.parametrize("kicks", [{"tables": []}, "", 7, "mine"])
def test_unknown_kicks_are_reported(kicks: object) -> None:
    side = TriangleBotConnection()
    content = {**to_object(CONFIG), "kicks": kicks}
    message = from_object(content)
    assert message is not None
    [note] = [action for action in side.receive(message) if isinstance(action, LogAction)]
    assert str(note.fields["known"]).startswith("SRS, SRS+,")


def test_unknown_kicks_are_ignored() -> None:
    side, actions = begun(kicks="mine")
    assert kinds(actions) == [LogAction, PrepareAction, StartAction]
    assert side.rules is not None
    assert side.rules.pieces.kicks.name == "none180"
    side, actions = begun(kicks="TETR.IO")
    assert side.rules is not None
    assert side.rules.pieces.kicks.name == "srs+"


def test_bombs_known_from_boards_only() -> None:
    side, _ = begun()
    row: triangle.Row = ("gb", "gb", "gb", "gb", "bomb", "gb", "gb", "gb", "gb", "gb")
    state = triangle.TriangleState(
        **{**fields(told(side)), "board": ((row,) * 2 + ((None,) * 10,) * 38)}
    )
    actions = side.receive(state)
    assert kinds(actions) == [UpdateRulesAction, StartAction]
    # The lowest cells of the O hit a bomb, and the row below has one in the same column.
    side.answer((Placement("O", Rotation.NORTH, 4, 2),))
    assert side.position is not None
    assert side.position.board.cell_count == 4
    assert kinds(side.receive(told(side))) == [GarbageAction]


def test_rooms_that_cannot_be_played() -> None:
    for changes in ({"board_width": 20}, {"board_height": 60}):
        side, actions = begun(**changes)
        assert kinds(actions) == [LogAction]
        assert side.state is TriangleBotState.REFUSED
        assert sent(side.receive(PLAY)).keys == ("hardDrop",)
    assert TriangleBotConnection().receive(told(begun()[0])) == []


def test_a_queue_has_an_end() -> None:
    side, _ = begun()
    many = triangle.TrianglePieces(pieces=("i",) * 512)
    assert [kinds(side.receive(many)) for _ in range(3)] == [[], [LogAction], [LogAction]]
    assert len(side_queue(side)) == 35 + 512


def test_a_state_of_another_width() -> None:
    side, _ = begun()
    state = triangle.TriangleState(**{**fields(told(side)), "board": ((None,) * 8,) * 40})
    assert kinds(side.receive(state)) == [LogAction]
    assert side.position is None


def test_pieces_beyond_the_queue_are_unknown() -> None:
    """As with hosts that send pieces only in states."""
    side, _ = begun(queue=QUEUE[:6])
    for _ in range(7):
        assert side.position is not None
        assert sent(side.answer(())).data is not None
    assert kinds(side.receive(PLAY)) == [SendAction]
    assert side.position is None
    assert keys_of(side.answer(())) == ("hardDrop",)
    state = told(begun()[0])
    assert kinds(side.receive(state)) == [StartAction]


@pytest.mark.parametrize(
    "preset", ["tetrio-league", "tetrio-season-1", "tetrio-default", "4wide", "tetrio-arcade"]
)
def test_rules_round_trip(preset: str) -> None:
    """As far as the protocol has words for them: all that decides on moves and attacks."""
    rules = Rules.preset(preset)
    message = from_object(to_object(format_config(rules, ())))
    assert isinstance(message, triangle.TriangleConfig)
    back = parse_config(message)
    for section in ("board", "spawn", "back_to_back", "combo", "perfect_clear"):
        assert getattr(back, section) == getattr(rules, section), section
    assert back.pieces.spins == rules.pieces.spins
    assert back.attack.garbage_bonus == rules.attack.garbage_bonus
    assert back.attack.halve_other_spins == rules.attack.halve_other_spins


def test_rules_as_data_apply() -> None:
    rules = Rules.preset("guideline")
    config = triangle.TriangleConfig(queue=QUEUE, data={"rules": rules.to_dict()})
    assert parse_config(config) == rules
    assert parse_config(triangle.TriangleConfig(queue=QUEUE, data={"rules": {"board": 3}})) != rules
