"""Tests of custom engines: arguments and return values of their functions."""

import json
from typing import Any

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.bots.serving.triangle_engine import EngineReply, EngineTurn, TriangleEngine
from sevenbag.protocols.triangle import decode
from sevenbag.protocols.triangle import messages as triangle

CONFIG = '{"type":"config","kicks":"SRS+","queue":["j","i","l","s","t","z","t"],"data":{"room":7}}'
PLAY = '{"type":"play","garbageCap":8,"garbageMultiplier":1,"data":[1]}'
LEFT = Placement("O", Rotation.NORTH, 0, 0)


class Listener:
    """Return an engine whose function records its arguments and returns given moves."""

    def __init__(self, *choices: Placement | EngineReply | Exception) -> None:
        self.turns: list[EngineTurn] = []
        self.log: list[str] = []
        self._choices = list(choices)
        self.engine = TriangleEngine(
            self._choose, name="me", version="2", author="you", data={"a": 1}, log=self.log.append
        )

    def tell(self, *lines: str) -> list[triangle.TriangleMove]:
        """The moves that it answers."""
        moves: list[triangle.TriangleMove] = []
        for line in lines:
            if said := self.engine.receive(line):
                assert said.endswith(b"\n")
                move = decode(said)
                assert isinstance(move, triangle.TriangleMove)
                moves.append(move)
        return moves

    def _choose(self, turn: EngineTurn) -> Placement | EngineReply:
        self.turns.append(turn)
        choice = self._choices.pop(0)
        if isinstance(choice, Exception):
            raise choice
        return choice


def test_arguments_of_the_engine_function() -> None:
    me = Listener(LEFT, Placement("J", Rotation.NORTH, 3, 0))
    assert json.loads(me.engine.introduce()) == {
        "type": "info",
        "name": "me",
        "version": "2",
        "author": "you",
        "data": {"a": 1},
    }
    pieces = '{"type":"pieces","pieces":["o"],"data":"more"}'
    [first, second] = me.tell(CONFIG, PLAY, pieces, PLAY)
    assert isinstance(first.keys, tuple)
    assert first.keys[-1] == "hardDrop"
    turn, later = me.turns
    assert (turn.current, turn.hold, turn.queue[0]) == (Piece.O, None, Piece.J)
    assert turn.board.is_empty
    # O in nine places; J in four rotations: 8 + 9 + 8 + 9.
    assert len(turn.placements()) == 9 + 34
    assert turn.after(LEFT).board == later.board
    assert turn.config.data_as(dict[str, int]) == {"room": 7}
    assert turn.play.data_as(list[int]) == [1]
    assert turn.state is None
    assert turn.pieces == ()
    assert [message.data for message in later.pieces] == ["more"]
    assert second.keys is not None


def test_data_of_a_reply() -> None:
    me = Listener(EngineReply(LEFT, {"sure": True}))
    [move] = me.tell(CONFIG, PLAY)
    assert move.data == {"sure": True}


def test_a_function_that_fails_is_answered_for() -> None:
    me = Listener(ZeroDivisionError("by zero"), Placement("S", Rotation.NORTH, 3, 0), LEFT)
    moves = me.tell(CONFIG, PLAY, PLAY)
    assert len(moves) == 2
    assert me.log[0] == "serve.bot_failed error='ZeroDivisionError: by zero'"
    assert "serve.move_invalid move=" in me.log[1]


def test_lines_that_make_no_sense() -> None:
    me = Listener(LEFT)
    assert me.tell("{", "", "[]", '{"type":"config"}') == []
    assert len(me.log) == 3
    [move] = me.tell(PLAY)
    assert move.keys == ("hardDrop",)
    assert me.turns == []


def test_a_state_with_data() -> None:
    me = Listener(LEFT)
    state: dict[str, Any] = {
        "type": "state",
        "board": [[None] * 10] * 40,
        "current": "O",
        "hold": "t",
        "queue": ["i"],
        "data": {"frame": 12},
    }
    me.tell(CONFIG, json.dumps(state), PLAY)
    [turn] = me.turns
    assert turn.hold is Piece.T
    assert turn.state is not None
    assert turn.state.data_as(dict[str, int]) == {"frame": 12}
    assert {place.piece for place in turn.placements()} == {Piece.O, Piece.T}
