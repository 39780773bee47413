"""Encoding and decoding of TBP messages: tolerated quirks, errors, deviations from the texts."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES
from sevenbag.protocols.tbp import decode, encode, from_object, to_object
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.messages import find_deviations
from tests.protocols.tbp import messages as any_message
from tests.protocols.tbp.messages import EMPTY, MOVE, START


def read(**data: Any) -> tbp.TbpMessage | None:
    return decode(json.dumps(data))


def read_start(**changes: Any) -> tbp.TbpStart:
    message = from_object({**START, **changes})
    assert isinstance(message, tbp.TbpStart)
    return message


@given(any_message.messages)
def test_message_round_trip(message: tbp.TbpMessage) -> None:
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == message
    assert from_object(json.loads(line)) == message
    assert to_object(message)["type"] == json.loads(line)["type"]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            tbp.TbpInfo("demo", "1", "me"),
            '{"type":"info","name":"demo","version":"1","author":"me","features":[]}',
        ),
        (tbp.TbpRules("seven_bag"), '{"type":"rules","randomizer":"seven_bag"}'),
        (tbp.TbpRules(), '{"type":"rules"}'),
        (tbp.TbpReady(), '{"type":"ready"}'),
        (tbp.TbpError("unsupported_rules"), '{"type":"error","reason":"unsupported_rules"}'),
        (tbp.TbpSuggest(), '{"type":"suggest"}'),
        (
            tbp.TbpSuggestion((tbp.TbpMove(tbp.TbpLocation("S", "north", 1, 0), "none"),)),
            '{"type":"suggestion","moves":[{"location":{"type":"S","orientation":"north","x":1,"y":0},'
            '"spin":"none"}]}',
        ),
        (
            tbp.TbpSuggestion((), tbp.TbpMoveInfo(nodes=5, extra="so")),
            '{"type":"suggestion","moves":[],"move_info":{"nodes":5,"extra":"so"}}',
        ),
        (
            tbp.TbpPlay(tbp.TbpMove(tbp.TbpLocation("T", "east", 4, 2), "mini")),
            '{"type":"play","move":{"location":{"type":"T","orientation":"east","x":4,"y":2},'
            '"spin":"mini"}}',
        ),
        (tbp.TbpNewPiece("J"), '{"type":"new_piece","piece":"J"}'),
        (tbp.TbpStop(), '{"type":"stop"}'),
        (tbp.TbpQuit(), '{"type":"quit"}'),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_lines_of_the_specification(message: tbp.TbpMessage, line: str) -> None:
    assert encode(message) == line.encode() + b"\n"
    assert decode(line) == message


def test_a_start_has_all_parts_and_the_bag() -> None:
    start = read_start(randomizer={"type": "seven_bag", "bag_state": ["J"]})
    written = json.loads(encode(start))
    assert written == {**START, "randomizer": {"type": "seven_bag", "bag_state": ["J"]}}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \t",
        b"\r",
        b"Service initialized!",
        b"[1,2]",
        b'"info"',
        b"null",
        b"12",
        b'{"type":"tbp_boot"}',
        b'{"type":"advance","mv":{}}',
        b'{"type":5}',
        b'{"type":null}',
        b'{"type":["info"]}',
        b"{}",
        b'{"type":"inf',
        b'{"type":"ready"} and more',
        b"\xff\xfe\x00",
        b'{"type":"ready","name":"\xff"}',
        b"[" * 100_000,
        b'{"type":"ready","deep":' + b"[" * 100_000,
    ],
)
def test_no_message(line: bytes) -> None:
    assert decode(line) is None


@given(st.binary(max_size=200))
def test_no_bytes_are_a_surprise(line: bytes) -> None:
    decode_or_name(line)


KINDS = (
    *("info", "ready", "error", "suggestion", "rules", "start", "play", "new_piece", "garbage"),
    "other",
)
PARTS = (
    *("name", "features", "reason", "moves", "move_info", "randomizer", "hold", "queue"),
    *("combo", "back_to_back", "board", "move", "piece", "rows", "opponents", "meter", "inputs"),
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(PARTS), any_message.plain_data))
def test_no_object_is_a_surprise(kind: str, data: dict[str, object]) -> None:
    wrong: ProtocolError | None = None
    message: tbp.TbpMessage | None = None
    try:
        message = from_object({**data, "type": kind})
    except ProtocolError as error:
        wrong = error
    if wrong is not None:
        assert wrong.path
        assert str(wrong).startswith(f"{wrong.path}: ")
        assert f"(in a {kind} message)" in str(wrong)
    assert message is None or decode(encode(message)) == message
    # Forgiving, it understands no less, and the same.
    try:
        forgiven = from_object({**data, "type": kind}, ignore_extensions=True)
    except ProtocolError:
        assert wrong is not None
    else:
        assert wrong is not None or forgiven == message


def decode_or_name(line: bytes) -> tbp.TbpMessage | None:
    try:
        return decode(line)
    except ProtocolError:
        return None


def test_unknown_attributes_are_ignored() -> None:
    assert read(type="ready", version=3) == tbp.TbpReady()
    assert read(type="suggest", opponents=[], meter=4) == tbp.TbpSuggest()
    move = {**MOVE, "mood": ["left"], "location": {**MOVE["location"], "z": 3}}
    assert read(type="play", move=move, opponents=None) == read(type="play", move=MOVE)


def test_blanks_and_line_ends_make_no_difference() -> None:
    assert decode(b' { "type" : "quit" } \r\n') == tbp.TbpQuit()


def test_pieces_in_either_case() -> None:
    assert read(type="new_piece", piece="t") == tbp.TbpNewPiece("T")
    start = read_start(hold="z", queue=["i", "O"], randomizer={"type": "7-bag", "bag": ["s"]})
    assert start.hold == "Z"
    assert start.queue == ("I", "O")
    assert start.randomizer == tbp.SevenBagRandomizer(("S",))


@pytest.mark.parametrize(
    ("told", "read"), [(True, True), (False, False), (0, 0), (3, 3), (-1, 0), (2.0, 2), (None, 0)]
)
def test_back_to_back(told: object, read: object) -> None:
    value = read_start(back_to_back=told).back_to_back
    assert value == read
    assert type(value) is type(read)


@pytest.mark.parametrize(
    ("told", "read"), [(0, 0), (5, 5), (-1, 0), (2.7, 2), (None, 0), (10**30, 1_000_000)]
)
def test_combo(told: object, read: int) -> None:
    assert read_start(combo=told).combo == read


def test_parts_that_may_be_left_out() -> None:
    start = from_object({"type": "start", "queue": ["T"], "board": EMPTY})
    assert start == tbp.TbpStart(None, ("T",), 0, 0, ((None,) * 10,) * 40)
    assert read(type="info") == tbp.TbpInfo("", "", "")
    assert read(type="info", name="x", version=1.5, features=None) == tbp.TbpInfo("x", "1.5", "")
    assert read(type="error") == tbp.TbpError("")
    assert read(type="error", reason={"why": 1}) == tbp.TbpError("")
    assert read(type="suggestion", moves=[{"location": MOVE["location"]}]) == tbp.TbpSuggestion(
        (tbp.TbpMove(tbp.TbpLocation("S", "north", 1, 0), "none"),)
    )


def test_any_cell_that_is_not_null_is_filled() -> None:
    row = ["T", "t", "G", "g", "X", "", 1, False, [], None]
    read_row = read_start(board=[row]).board[0]
    assert read_row == ("T", "T", "G", "G", "G", "G", "G", "G", "G", None)


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (None, UNSET),
        ({"type": "uniform"}, tbp.UniformRandomizer()),
        ({"type": "unknown"}, tbp.UnknownRandomizer()),
        ({"type": "loaded_dice"}, tbp.UnknownRandomizer()),
        ({}, tbp.UnknownRandomizer()),
        # Bags are never empty: this one has just been dealt out.
        ({"type": "seven_bag", "bag_state": []}, tbp.SevenBagRandomizer(tbp.PIECE_LETTERS)),
        ({"type": "seven_bag", "bag_state": ["J", "J", "T"]}, tbp.SevenBagRandomizer(("J", "T"))),
        (
            {"type": "general_bag", "current_bag": {"I": 0}, "filled_bag": {"i": 2, "T": 1}},
            tbp.GeneralBagRandomizer(
                {"I": 2, "O": 0, "T": 1, "L": 0, "J": 0, "S": 0, "Z": 0},
                {"I": 2, "O": 0, "T": 1, "L": 0, "J": 0, "S": 0, "Z": 0},
            ),
        ),
    ],
)
def test_randomizers(told: object, read: object) -> None:
    assert read_start(randomizer=told).randomizer == read


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("seven_bag", "seven_bag"),
        ("7-bag", "seven_bag"),
        ("general_bag", "general_bag"),
        ("loaded_dice", "unknown"),
        (7, "unknown"),
        (None, UNSET),
    ],
)
def test_rules_with_randomizers(told: object, read: object) -> None:
    assert from_object({"type": "rules", "randomizer": told}) == tbp.TbpRules(read)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (None, UNSET),
        ("fast", UNSET),
        ({}, tbp.TbpMoveInfo()),
        ({"nodes": 0, "nps": 0.5, "depth": "deep", "extra": 3}, tbp.TbpMoveInfo(0, 0.5)),
        ({"nodes": True, "nps": float("inf"), "extra": "NaN%"}, tbp.TbpMoveInfo(extra="NaN%")),
    ],
)
def test_move_infos(told: object, read: object) -> None:
    message = from_object({"type": "suggestion", "moves": [], "move_info": told})
    assert isinstance(message, tbp.TbpSuggestion)
    assert message.move_info == read


def suggestion(**location: object) -> dict[str, object]:
    move = {**MOVE, "location": {**MOVE["location"], **location}}
    return {"type": "suggestion", "moves": [MOVE, move]}


@pytest.mark.parametrize(
    ("data", "path", "words"),
    [
        ({"type": "new_piece"}, "piece", "is missing"),
        ({"type": "new_piece", "piece": "N"}, "piece", "expected one of I O T L J S Z, got 'N'"),
        ({"type": "new_piece", "piece": 3}, "piece", "one of I O T L J S Z, got 3"),
        ({"type": "new_piece", "piece": "x" * 99}, "piece", "got 'xxx"),
        ({"type": "play"}, "move", "is missing"),
        ({"type": "play", "move": None}, "move", "expected an object, got null"),
        ({"type": "play", "move": {}}, "move.location", "is missing"),
        ({"type": "play", "move": {"location": {}}}, "move.location.type", "is missing"),
        ({"type": "play", "move": {**MOVE, "spin": "maybe"}}, "move.spin", "none mini full"),
        ({"type": "suggestion"}, "moves", "is missing"),
        ({"type": "suggestion", "moves": {}}, "moves", "expected a list, got an object"),
        ({"type": "suggestion", "moves": [MOVE, 5]}, "moves[1]", "expected an object, got 5"),
        (suggestion(x="four"), "moves[1].location.x", "an integer from -1000 to 1000"),
        (suggestion(x=True), "moves[1].location.x", "got true"),
        (suggestion(y=1.5), "moves[1].location.y", "got 1.5"),
        (suggestion(y=10**9), "moves[1].location.y", "got 1000000000"),
        (suggestion(orientation="up"), "moves[1].location.orientation", "south west, got 'up'"),
        ({**START, "hold": "G"}, "hold", "one of I O T L J S Z, got 'G'"),
        ({**START, "queue": "SZO"}, "queue", "expected a list, got 'SZO'"),
        ({**START, "queue": ["S", "Q"]}, "queue[1]", "one of I O T L J S Z, got 'Q'"),
        ({**START, "queue": ["S"] * 9999}, "queue", "at most 512 items, got 9999"),
        ({**START, "combo": "many"}, "combo", "expected an integer, got 'many'"),
        ({**START, "back_to_back": "yes"}, "back_to_back", "expected true or false, got 'yes'"),
        ({**START, "board": None}, "board", "expected a list, got null"),
        ({**START, "board": [[None] * 10, [None] * 9]}, "board[1]", "expected 10 cells, got 9"),
        ({**START, "board": ["..........", 2]}, "board[0]", "expected a list of cells"),
        ({**START, "board": [[None] * 10] * 300}, "board", "at most 256 items, got 300"),
        ({**START, "randomizer": "seven_bag"}, "randomizer", "expected an object"),
        ({**START, "randomizer": {"type": "seven_bag"}}, "randomizer.bag_state", "is missing"),
        (
            {**START, "randomizer": {"type": "seven_bag", "bag_state": ["T", "Q"]}},
            "randomizer.bag_state[1]",
            "one of I O T L J S Z, got 'Q'",
        ),
        (
            {**START, "randomizer": {"type": "general_bag", "filled_bag": {}, "current_bag": {}}},
            "randomizer.filled_bag",
            "at least one",
        ),
        ({"type": "info", "name": ["x"]}, "name", "expected a string, got a list"),
        ({"type": "info", "features": [1]}, "features[0]", "expected a string, got 1"),
    ],
)
def test_errors_name_the_place(data: dict[str, object], path: str, words: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        from_object(data)
    assert caught.value.path == path
    assert words in str(caught.value)
    assert f"(in a {data['type']} message)" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_lines_have_a_longest() -> None:
    with pytest.raises(ProtocolError, match="expected a line of at most"):
        decode(b" " * (MAX_LINE_BYTES + 1))


LOCATION: dict[str, Any] = MOVE["location"]
ONES = dict.fromkeys("IOTLJSZ", 1)
GENERAL = {"type": "general_bag", "current_bag": ONES, "filled_bag": ONES}


def info(**changes: object) -> dict[str, object]:
    text = {"name": "x", "version": "1", "author": "me", "features": []}
    return {"type": "info", **text, **changes}


@pytest.mark.parametrize(
    "message",
    [
        START,
        START | {"hold": "T", "combo": 3, "back_to_back": True, "board": [["G"] * 9 + [None]] * 40},
        START | {"randomizer": {"type": "unknown"}},
        START | {"randomizer": GENERAL},
        info(),
        info(features=["garbage"], mood="good"),
        {"type": "ready"},
        {"type": "error", "reason": "unsupported_rules"},
        {"type": "suggestion", "moves": []},
        {"type": "suggestion", "moves": [MOVE], "move_info": {"nodes": 5, "nps": 0.5, "extra": ""}},
        {"type": "suggestion", "moves": [MOVE | {"inputs": ["left", "sonic"]}]},
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
def test_messages_of_the_texts_have_no_deviations(message: object) -> None:
    assert find_deviations(message) == []


def play(**changes: object) -> dict[str, object]:
    return {"type": "play", "move": MOVE | changes}


def bag(*pieces: str) -> dict[str, object]:
    return {**START, "randomizer": {"type": "seven_bag", "bag_state": list(pieces)}}


@pytest.mark.parametrize(
    ("message", "path", "problem", "clause"),
    [
        (info(features=None), "features", "expected a list, got null", "0000-mvp, info"),
        (info(version=2), "version", "expected a string, got 2", "0000-mvp, info"),
        ({"type": "info"}, "name", "is missing", "0000-mvp, info"),
        (info(features=[1]), "features[0]", "expected a string, got 1", "0000-mvp, info"),
        ({"type": "error"}, "reason", "is missing", "0000-mvp, error"),
        ({"type": "suggestion"}, "moves", "is missing", "0000-mvp, suggestion"),
        (
            {"type": "suggestion", "moves": [{"location": LOCATION}]},
            "moves[0].spin",
            "is missing",
            "0000-mvp, move",
        ),
        (
            play(location=LOCATION | {"type": "s"}),
            "move.location.type",
            "expected one of I O T L J S Z, got 's'",
            "0000-mvp, location",
        ),
        (play(inputs=["down"]), "move.inputs[0]", "one of left right", "versus text, move"),
        ({"type": "new_piece", "piece": "N"}, "piece", "got 'N'", "0000-mvp, new_piece"),
        (
            {"type": "garbage", "rows": [["G"] * 10]},
            "rows[0]",
            "expected at least one empty cell",
            "0002-garbage (draft)",
        ),
        (
            {"type": "rules", "randomizer": "7-bag"},
            "randomizer",
            "expected one of uniform seven_bag general_bag unknown, got '7-bag'",
            "0001-randomizer, rules",
        ),
        (START | {"board": EMPTY[:20]}, "board", "expected 40 rows, got 20", "0000-mvp, start"),
        (
            START | {"board": [*EMPTY[1:], [None] * 9]},
            "board[39]",
            "expected 10 cells, got 9",
            "0000-mvp, start",
        ),
        (
            START | {"board": [["X"] * 10, *EMPTY[1:]]},
            "board",
            "expected null, a piece or G in cell [0][0], got 'X'",
            "0000-mvp, start",
        ),
        (START | {"combo": -1}, "combo", "from 0, got -1", "0000-mvp, start"),
        (START | {"combo": 1.5}, "combo", "expected an integer, got 1.5", "0000-mvp, start"),
        (START | {"back_to_back": "x"}, "back_to_back", "true or false", "0000-mvp, start"),
        (bag(), "randomizer.bag_state", "at least one", "0001-randomizer, start"),
        (bag("J", "J"), "randomizer.bag_state", "at most once", "0001-randomizer, start"),
        (
            START | {"randomizer": GENERAL | {"current_bag": ONES | {"T": 3}}},
            "randomizer.current_bag",
            "expected at most 1 T as in a full bag, got 3",
            "0001-randomizer, start",
        ),
        (
            START | {"randomizer": GENERAL | {"current_bag": dict.fromkeys(ONES, 0)}},
            "randomizer.current_bag",
            "expected at least one piece",
            "0001-randomizer, start",
        ),
        (START | {"meter": "x"}, "meter", "expected an integer, got 'x'", "versus text, start"),
    ],
)
def test_deviations_that_strict_programs_reject(
    message: object, path: str, problem: str, clause: str
) -> None:
    first = find_deviations(message)[0]
    assert (first.path, first.clause, first.severity) == (path, clause, "error")
    assert problem in first.problem


@pytest.mark.parametrize(
    ("message", "path", "problem", "clause"),
    [
        (
            {"type": "error", "reason": "no GPU"},
            "reason",
            "'unsupported_rules', the only defined reason, got 'no GPU'",
            "0000-mvp, error",
        ),
        (
            {"type": "suggestion", "moves": [MOVE], "move_info": {"depth": "deep"}},
            "move_info.depth",
            "expected a number, got 'deep'",
            "0003-move_info",
        ),
        (
            play(location=LOCATION | {"x": 1.0}),
            "move.location.x",
            "expected an integer without a decimal point, got 1.0",
            "0000-mvp, location",
        ),
        (START | {"back_to_back": 2}, "back_to_back", "true or false", "0000-mvp, start"),
    ],
)
def test_deviations_that_some_programs_reject(
    message: object, path: str, problem: str, clause: str
) -> None:
    [only] = find_deviations(message)
    assert (only.path, only.clause, only.severity) == (path, clause, "warning")
    assert problem in only.problem


def test_all_deviations_are_found() -> None:
    message = {"type": "suggestion", "moves": [{}, {"location": LOCATION | {"x": "a", "y": None}}]}
    assert [deviation.path for deviation in find_deviations(message)] == [
        "moves[0].spin",
        "moves[0].location",
        "moves[1].spin",
        "moves[1].location.x",
        "moves[1].location.y",
    ]


@given(any_message.moves.map(tbp.TbpPlay))
def test_encoded_messages_have_no_deviations(message: tbp.TbpPlay) -> None:
    assert find_deviations(json.loads(encode(message))) == []


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(PARTS), any_message.plain_data))
def test_invalid_messages_have_deviations(kind: str, data: dict[str, object]) -> None:
    deviations = find_deviations({**data, "type": kind})
    assert all(found.path and found.problem and found.clause for found in deviations)
    with contextlib.suppress(ProtocolError):
        from_object({**data, "type": kind})
        return
    assert "error" in {found.severity for found in deviations}
