"""The host's side, told lists of messages, and made to speak out of turn."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from sevenbag.errors import ProtocolError
from sevenbag.protocols.triangle import Event, HostSide, Stage
from sevenbag.protocols.triangle import messages as triangle

INFO = triangle.Info(name="demo", version="1", author="me")
MOVE = triangle.Move(keys=("hardDrop",))
PLAY = triangle.Play()


def playing() -> HostSide:
    side = HostSide()
    side.receive(INFO)
    side.config(triangle.Config())
    return side


def test_a_game() -> None:
    side = HostSide()
    assert side.receive(INFO) is Event.INTRODUCED
    assert side.info == INFO
    side.config(triangle.Config())
    side.pieces(triangle.Pieces(pieces=("i",)))
    for _ in range(3):
        assert side.play(PLAY) == PLAY
        assert side.stage is Stage.ASKED
        assert side.receive(MOVE) is Event.MOVED
    assert side.unasked == 0


def test_a_move_is_told_as_it_came() -> None:
    side = playing()
    side.play(PLAY)
    for move in (triangle.Move(keys=("jump",)), triangle.Move(keys=UNSET)):
        assert side.receive(move) is Event.MOVED
        assert side.move == move
        side.play(PLAY)
        assert side.move is None


def test_moves_that_nobody_asked_for_are_dropped_and_counted() -> None:
    side = HostSide()
    assert side.receive(MOVE) is Event.UNASKED
    side = playing()
    side.play(PLAY)
    assert [side.receive(MOVE) for _ in range(3)] == [Event.MOVED, Event.UNASKED, Event.UNASKED]
    assert side.unasked == 2


def test_only_the_first_introduction_counts() -> None:
    side = playing()
    assert side.receive(triangle.Info(name="other", version="", author="")) is Event.IGNORED
    assert side.info == INFO
    assert side.receive(PLAY) is Event.IGNORED


def test_out_of_turn() -> None:
    with pytest.raises(ProtocolError, match="config is not to be sent while the bot is launched"):
        HostSide().config(triangle.Config())
    side = playing()
    side.play(PLAY)
    with pytest.raises(ProtocolError, match="play is not to be sent while the bot is asked"):
        side.play(PLAY)
    with pytest.raises(ProtocolError, match="pieces"):
        side.pieces(triangle.Pieces(pieces=()))
    side.close()
    assert side.receive(MOVE) is Event.IGNORED
    with pytest.raises(ProtocolError, match="closed"):
        side.config(triangle.Config())
