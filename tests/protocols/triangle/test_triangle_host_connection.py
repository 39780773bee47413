"""Tests of the host's side with lists of messages, also out of order."""

import pytest
from msgspec import UNSET

from sevenbag.errors import ProtocolError
from sevenbag.protocols.triangle import TriangleEvent, TriangleHostConnection, TriangleStage, encode
from sevenbag.protocols.triangle import messages as triangle

INFO = triangle.TriangleInfo(name="demo", version="1", author="me")
MOVE = triangle.TriangleMove(keys=("hardDrop",))
PLAY = triangle.TrianglePlay()


def playing() -> TriangleHostConnection:
    side = TriangleHostConnection()
    side.receive(INFO)
    side.send(triangle.TriangleConfig())
    return side


def test_a_game() -> None:
    side = TriangleHostConnection()
    assert side.receive(INFO) is TriangleEvent.INTRODUCED
    assert side.info == INFO
    side.send(triangle.TriangleConfig())
    side.send(triangle.TrianglePieces(pieces=("i",)))
    for _ in range(3):
        assert side.send(PLAY) == encode(PLAY)
        assert side.stage is TriangleStage.ASKED
        assert side.receive(MOVE) is TriangleEvent.MOVED
    assert side.unrequested_moves == 0


def test_move_is_returned_unchanged() -> None:
    side = playing()
    side.send(PLAY)
    for move in (triangle.TriangleMove(keys=("jump",)), triangle.TriangleMove(keys=UNSET)):
        assert side.receive(move) is TriangleEvent.MOVED
        assert side.move == move
        side.send(PLAY)
        assert side.move is None


def test_unsolicited_moves_are_dropped_and_counted() -> None:
    side = TriangleHostConnection()
    assert side.receive(MOVE) is TriangleEvent.UNREQUESTED
    side = playing()
    side.send(PLAY)
    assert [side.receive(MOVE) for _ in range(3)] == [
        TriangleEvent.MOVED,
        TriangleEvent.UNREQUESTED,
        TriangleEvent.UNREQUESTED,
    ]
    assert side.unrequested_moves == 2


def test_only_the_first_introduction_counts() -> None:
    side = playing()
    assert (
        side.receive(triangle.TriangleInfo(name="other", version="", author=""))
        is TriangleEvent.IGNORED
    )
    assert side.info == INFO
    assert side.receive(PLAY) is TriangleEvent.IGNORED


def test_out_of_turn() -> None:
    with pytest.raises(ProtocolError, match="config is not to be sent while the bot is launched"):
        TriangleHostConnection().send(triangle.TriangleConfig())
    side = playing()
    side.send(PLAY)
    with pytest.raises(ProtocolError, match="play is not to be sent while the bot is asked"):
        side.send(PLAY)
    with pytest.raises(ProtocolError, match="pieces"):
        side.send(triangle.TrianglePieces(pieces=()))
    side.close()
    assert side.receive(MOVE) is TriangleEvent.IGNORED
    with pytest.raises(ProtocolError, match="closed"):
        side.send(triangle.TriangleConfig())
