"""Messages of the Triangle.js adapter protocol: recorded ones and quirks of programs."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle.messages import decode, encode, from_object, to_object
from tests.truth import truth_lines

Json = dict[str, Any]

QUEUE = ["j", "i", "l", "s", "t", "z", "t"]
CONFIG: Json = {
    "type": "config",
    "boardWidth": 10,
    "boardHeight": 20,
    "kicks": "SRS+",
    "spins": "all-mini+",
    "comboTable": "multiplier",
    "b2bCharging": True,
    "b2bChargeAt": 4,
    "b2bChargeBase": 3,
    "b2bChaining": False,
    "garbageMultiplier": 1,
    "garbageCap": 1,
    "garbageSpecialBonus": True,
    "pcB2b": 1,
    "pcGarbage": 5,
    "queue": QUEUE,
}
STATE: Json = {
    "type": "state",
    "board": [["gb", None, "bomb", *[None] * 6, "z"], *[[None] * 10] * 39],
    "current": "t",
    "hold": None,
    "queue": QUEUE,
    "garbage": [4, 1],
    "combo": -1,
    "b2b": 3,
}


def config(**changes: object) -> triangle.TriangleConfig:
    """A config that differs so; a field that is `...` is left out."""
    data = {key: value for key, value in (CONFIG | changes).items() if value is not ...}
    message = from_object(data)
    assert isinstance(message, triangle.TriangleConfig)
    return message


def state(**changes: object) -> triangle.TriangleState:
    data = {key: value for key, value in (STATE | changes).items() if value is not ...}
    message = from_object(data)
    assert isinstance(message, triangle.TriangleState)
    return message


@pytest.mark.parametrize("name", ["wrapper-simplebot", "wrapper-trackbot", "press-trackbot"])
def test_recorded_messages_round_trip(name: str) -> None:
    kinds: set[str] = set()
    for line in truth_lines(f"triangle/transcript-{name}.jsonl"):
        message = decode(json.dumps(line["msg"]))
        assert message is not None
        again = to_object(message)
        if line["msg"]["type"] == "config":
            # We write both spellings; this host had one.
            assert again.pop("b2bCharing") is True
        assert again == line["msg"]
        assert json.loads(encode(message)) == to_object(message)
        kinds.add(line["msg"]["type"])
    assert kinds >= {"info", "config", "play", "move", "pieces"}


def test_both_spellings_of_the_charging_field() -> None:
    assert config().b2b_charging
    assert config(b2bCharging=..., b2bCharing=True).b2b_charging
    assert not config(b2bCharging=False).b2b_charging
    assert not config(b2bCharging=...).b2b_charging
    written = to_object(config())
    assert written["b2bCharging"] is written["b2bCharing"] is True


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("all-mini+", "all-mini+"),
        ("t-spins", "T-spins"),
        ("T-Spins+", "T-spins+"),
        ({"tSpins": True}, "all-mini+"),
        (None, "all-mini+"),
        ("whatever", "all-mini+"),
    ],
)
def test_spins(name: object, read: str) -> None:
    assert config(spins=name).spins == read


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("classic guideline", "classic guideline"),
        ("classic-guideline", "classic guideline"),
        ("Modern Guideline", "modern guideline"),
        ("none", "none"),
        ([0, 1, 1, 2], "multiplier"),
        (..., "multiplier"),
    ],
)
def test_combo_tables(name: object, read: str) -> None:
    assert config(comboTable=name).combo_table == read


def test_pieces_in_either_case() -> None:
    assert config(queue=["J", "i", "O"]).queue == ("j", "i", "o")
    assert state(current="T", hold="S", queue=["L"]).hold == "s"


def test_data_is_absent_null_or_an_authors_own() -> None:
    class Style(msgspec.Struct):
        speed: float
        tags: list[str] = []

    assert config().data_as(Style) is None
    assert config(data=None).data_as(Style) is None
    assert "data" not in to_object(config(data=None))
    assert config(data={"speed": 2}).data_as(Style) == Style(2.0)
    with pytest.raises(ProtocolError, match="Expected `str`") as caught:
        state(data={"speed": 2, "tags": ["a", 1]}).data_as(Style)
    assert (caught.value.path, caught.value.kind) == ("data.tags[1]", "state")
    move = triangle.TriangleMove(keys=("hardDrop",), data=Style(1.5, ["x"]))
    read = decode(encode(move))
    assert isinstance(read, triangle.TriangleMove)
    assert read.data_as(Style) == Style(1.5, ["x"])


@pytest.mark.parametrize("rows", [20, 39, 40, 46])
def test_boards_of_other_heights(rows: int) -> None:
    assert len(state(board=[[None] * 10] * rows).board) == rows


def test_cells_by_other_names() -> None:
    row = ["gb", "garbage", "G", "bomb", "empty", "", ".", None, "T", 1]
    cells = ("gb", "gb", "gb", "bomb", None, None, None, None, "t", "gb")
    assert state(board=[row]).board[0] == cells


def test_optional_fields_of_a_state() -> None:
    least = state(garbage=..., combo=..., b2b=..., hold=...)
    assert (least.garbage, least.combo, least.b2b, least.hold) == ((), -1, -1, None)
    assert state(combo=2.0, b2b=-7).combo == 2
    assert state(b2b=-7).b2b == -1


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (CONFIG | {"queue": None}, "queue"),
        (CONFIG | {"queue": ["x"]}, "queue[0]"),
        (CONFIG | {"queue": ["i"] * 1000}, "queue"),
        (CONFIG | {"boardWidth": 0}, "boardWidth"),
        (CONFIG | {"boardWidth": "ten"}, "boardWidth"),
        (CONFIG | {"garbageMultiplier": "1"}, "garbageMultiplier"),
        (CONFIG | {"b2bChaining": "yes"}, "b2bChaining"),
        (STATE | {"current": None}, "current"),
        (STATE | {"board": [[None] * 10, [None] * 9]}, "board[1]"),
        (STATE | {"board": [[None] * 10] * 100}, "board"),
        (STATE | {"board": [3]}, "board[0]"),
        (STATE | {"garbage": [-1]}, "garbage[0]"),
        (STATE | {"combo": "two"}, "combo"),
        ({"type": "pieces"}, "pieces"),
        ({"type": "pieces", "pieces": "ijl"}, "pieces"),
        ({"type": "play", "garbageCap": [8]}, "garbageCap"),
        ({"type": "move", "keys": "hardDrop"}, "keys"),
        ({"type": "move", "keys": [1]}, "keys[0]"),
        ({"type": "info", "name": {}}, "name"),
    ],
)
def test_invalid_messages_raise_located_errors(message: Json, path: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(json.dumps(message))
    assert caught.value.path == path
    assert caught.value.kind == message["type"]


@pytest.mark.parametrize(
    "line", ["", "null", "12", '"play"', "{", "[1]", '{"type":"hello"}', '{"type":1}', "{}"]
)
def test_other_lines_are_skipped(line: str) -> None:
    assert decode(line) is None


def test_lines_are_bounded() -> None:
    with pytest.raises(ProtocolError, match="at most"):
        decode(b" " * (MAX_LINE_BYTES + 1))


def test_move_round_trip() -> None:
    strange = decode('{"type":"move","keys":["rotateClockwise","jump"]}')
    assert isinstance(strange, triangle.TriangleMove)
    assert strange.keys == ("rotateClockwise", "jump")
    without = decode('{"type":"move"}')
    assert isinstance(without, triangle.TriangleMove)
    assert without.keys is msgspec.UNSET


def test_numbers_are_formatted_as_in_javascript() -> None:
    assert triangle.format_number(8.0) == 8
    assert isinstance(triangle.format_number(8.0), int)
    assert triangle.format_number(1.008) == 1.008


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
FIELDS = sorted({*CONFIG, *STATE, "keys", "pieces", "name", "version", "author", "data"} - {"type"})


@given(
    st.sampled_from(["config", "state", "pieces", "play", "info", "move"]),
    st.dictionaries(st.sampled_from(FIELDS), ANYTHING),
    st.booleans(),
)
def test_random_input_is_read_or_rejected(kind: str, wrong: Json, whole: bool) -> None:
    right = {"config": CONFIG, "state": STATE}.get(kind, {"pieces": ["i"]}) if whole else {}
    message: triangle.TriangleMessage | None = None
    refused = kind
    try:
        message = from_object({**right, **wrong, "type": kind})
    except ProtocolError as error:
        refused = error.kind
    assert refused == kind
    # Messages round-trip; other data may contain NaN.
    if message is not None and message.data is msgspec.UNSET:
        assert decode(encode(message)) == message


@given(st.binary(max_size=64))
def test_any_bytes(line: bytes) -> None:
    assert decode(line) is None
