"""Conversations recorded between Triangle.js and bots, through the state machines of both sides."""

import dataclasses
import json
from typing import Any

import pytest

from sevenbag.game.position import Position
from sevenbag.protocols.bot_actions import SendAction
from sevenbag.protocols.triangle import (
    TriangleBotConnection,
    TriangleEvent,
    TriangleHostConnection,
    decode,
)
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle.triangle_connections import ExpectedBoard
from sevenbag.protocols.triangle.triangle_conversion import format_state, parse_state
from sevenbag.protocols.triangle.triangle_keys import resolve_keys
from tests.truth import truth_lines

NAMES = ["wrapper-simplebot", "wrapper-trackbot", "press-trackbot"]


def recorded(name: str) -> list[tuple[str, triangle.TriangleMessage, dict[str, Any]]]:
    """Direction, message and its text."""
    lines: list[tuple[str, triangle.TriangleMessage, dict[str, Any]]] = []
    for line in truth_lines(f"triangle/transcript-{name}.jsonl"):
        message = decode(json.dumps(line["msg"]))
        assert message is not None
        lines.append((line["dir"], message, line["msg"]))
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_the_hosts_side(name: str) -> None:
    side = TriangleHostConnection()
    for _, message, _ in recorded(name):
        match message:
            case triangle.TriangleInfo():
                assert side.receive(message) is TriangleEvent.INTRODUCED
            case triangle.TriangleMove():
                assert side.receive(message) is TriangleEvent.MOVED
                assert side.move == message
            case _:
                side.send(message)
    assert side.unrequested_moves == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_bots_side(name: str) -> None:
    """The engine predicts each position and the effect of each move."""
    side = TriangleBotConnection()
    moves = states = 0
    for direction, message, plain in recorded(name):
        if direction == "out":
            known = side.position
            side.receive(message)
            if isinstance(message, triangle.TriangleState) and known is not None:
                states += 1
                assert side.position is not None
                told = parse_state(message, 40)
                assert_known(known, told)
                assert (
                    format_state(dataclasses.replace(side.position, pending=told.pending))
                    == message
                )
        elif isinstance(message, triangle.TriangleMove):
            assert side.position is not None
            assert side.rules is not None
            placement = resolve_keys(message, side.position, side.rules).placement
            [sent] = [a.message for a in side.answer((placement,)) if isinstance(a, SendAction)]
            assert isinstance(sent, triangle.TriangleMove)
            assert isinstance(sent.data, ExpectedBoard)
            if "data" in plain:
                assert sent.data.board == plain["data"]["board"]
            moves += 1
    assert (moves, states) == {
        "wrapper-simplebot": (12, 0),
        "wrapper-trackbot": (50, 4),
        "press-trackbot": (20, 20),
    }[name]


def assert_known(known: Position, told: Position) -> None:
    """A received state equals the predicted one, except for new garbage rows."""
    assert (known.queue, known.hold) == (told.queue, told.hold)
    assert (known.combo, known.back_to_back) == (told.combo, told.back_to_back)
    rows = [told.board.row(y) for y in range(told.board.rows)]
    entered = 0
    while rows != [known.board.row(y) for y in range(known.board.rows)]:
        assert rows[0].bit_count() == told.board.width - 1
        rows = [*rows[1:], 0]
        entered += 1
    assert entered <= 8
