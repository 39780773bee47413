"""Where messages depart from the letter: those by the letter do not, others say where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.protocols.tbp import encode
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.strictness import find_deviations
from tests.protocols.tbp import messages as any_message

EMPTY: list[list[object]] = [[None] * 10] * 40
LOCATION: dict[str, Any] = {"type": "S", "orientation": "north", "x": 1, "y": 0}
MOVE: dict[str, Any] = {"location": LOCATION, "spin": "none"}
START: dict[str, Any] = {
    "type": "start",
    "hold": None,
    "queue": ["S"],
    "combo": 0,
    "back_to_back": False,
    "board": EMPTY,
    "randomizer": {"type": "seven_bag", "bag_state": ["J"]},
}
ONES = dict.fromkeys("IOTLJSZ", 1)


def info(**changes: object) -> dict[str, object]:
    text = {"name": "x", "version": "1", "author": "me", "features": []}
    return {"type": "info", **text, **changes}


@pytest.mark.parametrize(
    "message",
    [
        START,
        {
            **START,
            "hold": "T",
            "combo": 3,
            "back_to_back": True,
            "board": [["G"] * 9 + [None]] * 40,
        },
        {**START, "randomizer": {"type": "unknown"}},
        {
            **START,
            "randomizer": {"type": "general_bag", "current_bag": ONES, "filled_bag": ONES},
        },
        info(),
        info(features=["garbage"], mood="good"),
        {"type": "ready"},
        {"type": "error", "reason": "unsupported_rules"},
        {"type": "suggestion", "moves": []},
        {"type": "suggestion", "moves": [MOVE], "move_info": {"nodes": 5, "nps": 0.5, "extra": ""}},
        {"type": "suggestion", "moves": [{**MOVE, "inputs": ["left", "sonic"]}]},
        {"type": "play", "move": MOVE},
        {"type": "new_piece", "piece": "T"},
        {"type": "garbage", "rows": [["G"] * 9 + [None]]},
        {"type": "rules"},
        {"type": "rules", "randomizer": "seven_bag", "garbage": "general"},
        {"type": "weather", "board": 3},
        {},
        [],
        None,
    ],
)
def test_by_the_letter(message: object) -> None:
    assert find_deviations(message) == []


@pytest.mark.parametrize(
    ("message", "path", "what", "place", "severity"),
    [
        (info(features=None), "features", "null, must be a list", "0000-mvp, info", "error"),
        (info(version=2), "version", "2, must be a string", "0000-mvp, info", "error"),
        ({"type": "info"}, "name", "is missing", "0000-mvp, info", "error"),
        (info(features=[1]), "features[0]", "must be a string", "0000-mvp, info", "error"),
        ({"type": "error"}, "reason", "is missing", "0000-mvp, error", "error"),
        (
            {"type": "error", "reason": "no GPU"},
            "reason",
            "the only reason",
            "0000-mvp, error",
            "warning",
        ),
        ({"type": "suggestion"}, "moves", "is missing", "0000-mvp, suggestion", "error"),
        (
            {"type": "suggestion", "moves": [{"location": LOCATION}]},
            "moves[0].spin",
            "is missing",
            "0000-mvp, move",
            "error",
        ),
        (
            {"type": "suggestion", "moves": [MOVE], "move_info": {"depth": "deep"}},
            "move_info.depth",
            "must be a number",
            "0003-move_info",
            "warning",
        ),
        (
            {"type": "play", "move": {**MOVE, "location": {**LOCATION, "type": "s"}}},
            "move.location.type",
            "'s', must be one of I O T L J S Z",
            "0000-mvp, location",
            "error",
        ),
        (
            {"type": "play", "move": {**MOVE, "location": {**LOCATION, "x": 1.0}}},
            "move.location.x",
            "without a point",
            "0000-mvp, location",
            "warning",
        ),
        (
            {"type": "play", "move": {**MOVE, "inputs": ["down"]}},
            "move.inputs[0]",
            "must be one of left right",
            "versus text, move",
            "error",
        ),
        ({"type": "new_piece", "piece": "N"}, "piece", "'N'", "0000-mvp, new_piece", "error"),
        (
            {"type": "garbage", "rows": [["G"] * 10]},
            "rows[0]",
            "is full",
            "0002-garbage (draft)",
            "error",
        ),
        (
            {"type": "rules", "randomizer": "7-bag"},
            "randomizer",
            "early draft",
            "0001-randomizer, rules",
            "error",
        ),
        ({**START, "board": EMPTY[:20]}, "board", "has 20 rows", "0000-mvp, start", "error"),
        (
            {**START, "board": [*EMPTY[1:], [None] * 9]},
            "board[39]",
            "has 9 cells",
            "0000-mvp, start",
            "error",
        ),
        (
            {**START, "board": [["X"] * 10, *EMPTY[1:]]},
            "board[0][0]",
            "'X', must be null, a piece or G",
            "0000-mvp, start",
            "error",
        ),
        ({**START, "combo": -1}, "combo", "from 0", "0000-mvp, start", "error"),
        ({**START, "back_to_back": 2}, "back_to_back", "a count", "0000-mvp, start", "warning"),
        (
            {**START, "back_to_back": "x"},
            "back_to_back",
            "true or false",
            "0000-mvp, start",
            "error",
        ),
        (
            {**START, "randomizer": {"type": "seven_bag", "bag_state": []}},
            "randomizer.bag_state",
            "is empty",
            "0001-randomizer, start",
            "error",
        ),
        (
            {**START, "randomizer": {"type": "seven_bag", "bag_state": ["J", "J"]}},
            "randomizer.bag_state",
            "twice",
            "0001-randomizer, start",
            "error",
        ),
        (
            {
                **START,
                "randomizer": {
                    "type": "general_bag",
                    "current_bag": {**ONES, "T": 3},
                    "filled_bag": ONES,
                },
            },
            "randomizer.current_bag",
            "more T than the filled bag",
            "0001-randomizer, start",
            "error",
        ),
        (
            {
                **START,
                "randomizer": {
                    "type": "general_bag",
                    "current_bag": dict.fromkeys(ONES, 0),
                    "filled_bag": ONES,
                },
            },
            "randomizer.current_bag",
            "holds nothing",
            "0001-randomizer, start",
            "error",
        ),
    ],
)
def test_departures(message: object, path: str, what: str, place: str, severity: str) -> None:
    first = find_deviations(message)[0]
    assert (first.path, first.clause, first.severity) == (path, place, severity)
    assert what in first.problem


@given(any_message.moves.map(tbp.TbpPlay))
def test_what_we_write_is_by_the_letter(message: tbp.TbpPlay) -> None:
    assert find_deviations(json.loads(encode(message))) == []


KINDS = ("info", "error", "suggestion", "rules", "start", "play", "new_piece", "garbage")


@given(
    st.sampled_from(KINDS),
    st.dictionaries(
        st.sampled_from([*START, "moves", "move", "rows", "features", "reason", "move_info"]),
        any_message.plain_data,
    ),
)
def test_no_object_is_a_surprise(kind: str, data: dict[str, object]) -> None:
    for departure in find_deviations({**data, "type": kind}):
        assert departure.path
        assert departure.problem
        assert departure.clause
