"""Every message of both channels, as the contest's text and its clients have them."""

import contextlib
import json
import pickle
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason import messages as pason
from sevenbag.protocols.pason.messages import (
    CommandError,
    decode_command,
    decode_reply,
    decode_state,
    encode,
)

Json = dict[str, Any]

TOKEN = "5fd6d1a0-6bbd-4b52-a0ae-5dd8f6b0d1f1"
CONNECT: Json = {
    "comm_type": "MatchConnect",
    "match_token": TOKEN,
    "team_name": "Team Awesome",
    "password": "abc123",
}
MOVE: Json = {"comm_type": "GameMove", "client_token": TOKEN, "move": "lrotate"}
BOARD = "0" * 40 + "fe3ff80c01"
IN_GAME: Json = {"game_name": "Game 1", "sequence": 17, "timestamp": 1352764800.25}
STATES: list[Json] = [
    {
        "comm_type": "GameBoardState",
        **IN_GAME,
        "states": {
            "Team Awesome": {"board_state": BOARD, "piece_number": 5, "cleared_rows": [7, 8, 9]},
            "Test Client": {"board_state": "0" * 50, "piece_number": -1, "cleared_rows": []},
        },
    },
    {
        "comm_type": "GamePieceState",
        **IN_GAME,
        "states": {
            "Team Awesome": {"orient": 0, "piece": "O", "number": 1, "row": 0, "col": 5},
            "Test Client": None,
        },
        "queue": ["I", "L", "J", "S", "Z"],
    },
    {
        "comm_type": "GameEnd",
        **IN_GAME,
        "scores": {"Team Awesome": 1500, "Test Client": 0},
        "winner": "Team Awesome",
        "match_token": TOKEN,
    },
    {"comm_type": "MatchEnd", "match_name": "Final", "match_token": TOKEN, "status": "ENDED"},
]
REPLIES: list[Json] = [
    {"comm_type": "MatchConnectResp", "resp": "ok", "client_token": TOKEN},
    {"comm_type": "GameMoveResp", "resp": "OK"},
    {"comm_type": "GameMoveResp", "resp": "ok"},
    {"comm_type": "ErrorResp", "error": "wrong password", "message": "it is not the team's"},
]
COMMANDS: list[Json] = [CONNECT, MOVE, MOVE | {"piece_number": 12}, MOVE | {"piece_number": "12"}]


def written(data: Json) -> bytes:
    return json.dumps(data).encode()


@pytest.mark.parametrize("sample", COMMANDS, ids=lambda sample: str(sample["comm_type"]))
def test_commands_pass_unchanged(sample: Json) -> None:
    assert json.loads(encode(decode_command(written(sample)))) == sample


@pytest.mark.parametrize("sample", REPLIES, ids=lambda sample: str(sample["comm_type"]))
def test_replies_pass_unchanged(sample: Json) -> None:
    assert json.loads(encode(decode_reply(written(sample)))) == sample


@pytest.mark.parametrize("sample", STATES, ids=lambda sample: str(sample["comm_type"]))
def test_states_pass_unchanged(sample: Json) -> None:
    assert json.loads(encode(decode_state(written(sample)))) == sample


@pytest.mark.parametrize("sample", STATES[:3], ids=lambda sample: str(sample["comm_type"]))
def test_a_sequence_may_be_a_text_as_in_the_samples(sample: Json) -> None:
    sample = sample | {"sequence": "17"}
    assert json.loads(encode(decode_state(written(sample)))) == sample


def test_key_order_and_whitespace_are_ignored() -> None:
    turned = json.dumps(dict(reversed(list(MOVE.items()))), indent=3).encode()
    assert decode_command(turned) == decode_command(written(MOVE))


def test_unknown_fields_are_ignored() -> None:
    assert decode_command(written(MOVE | {"x": [1, {"y": None}]})) == decode_command(written(MOVE))
    assert decode_command(written(CONNECT | {"version": "2"})) == decode_command(written(CONNECT))


@pytest.mark.parametrize("number", ["7.0", "7e0", "70e-1"])
def test_floats_are_accepted_as_integers(number: str) -> None:
    command = f'{{"piece_number": {number}, ' + written(MOVE).decode()[1:]
    assert decode_command(command.encode()) == decode_command(written(MOVE | {"piece_number": 7}))


def test_a_piece_number_of_null_is_none() -> None:
    assert decode_command(written(MOVE | {"piece_number": None})) == decode_command(written(MOVE))


def test_the_zero_at_the_end_of_a_c_string_is_passed_over() -> None:
    assert decode_command(written(MOVE) + b"\0") == decode_command(written(MOVE))


def test_a_missing_piece_may_be_minus_one() -> None:
    state = decode_state(written(STATES[1] | {"states": {"a": -1, "b": None}}))
    assert isinstance(state, pason.GamePieceState)
    assert state.states == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "malformed message"),
        (b"hello", "malformed message"),
        (b"{", "malformed message"),
        (b"[]", "malformed message"),
        (b'"GameMove"', "malformed message"),
        (b"{}", "malformed message"),
        (b'{"comm_type": 5}', "malformed message"),
        (b'{"comm_type": "\xff"}', "malformed message"),
        (b"[" * 20_000, "malformed message"),
        # The request as printed in the contest's text, with a missing comma.
        (
            b'{"comm_type": "MatchConnect", "match_token": "x", "team_name": "y" "password": "z"}',
            "malformed message",
        ),
        (b'{"comm_type": "GameEnd"}', "unknown comm_type"),
        (b'{"comm_type": "gamemove"}', "unknown comm_type"),
        (written(MOVE | {"move": "up"}), "unknown move"),
        (written(MOVE | {"move": "LEFT"}), "unknown move"),
        (written(MOVE | {"move": 3}), "malformed message"),
        (written({"comm_type": "GameMove", "move": "left"}), "malformed message"),
        (written(MOVE | {"client_token": "x" * 201}), "malformed message"),
        (written(MOVE | {"piece_number": "9" * 21}), "malformed message"),
        (written(MOVE | {"piece_number": 1.5}), "malformed message"),
        (written(MOVE | {"piece_number": True}), "malformed message"),
        (written(MOVE)[:-1] + b', "piece_number": ' + b"9" * 5000 + b"}", "malformed message"),
        (written(CONNECT | {"password": None}), "malformed message"),
        (written(CONNECT | {"password": "x" * 1001}), "malformed message"),
        (written(CONNECT | {"team_name": "x" * 70_000}), "message too large"),
        (b" " * 1_000_000, "message too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[:40].decode("latin-1"),
)
def test_invalid_commands_are_classified(data: bytes, error: str) -> None:
    with pytest.raises(CommandError) as caught:
        decode_command(data)
    assert caught.value.error == error
    reply = json.loads(encode(caught.value.reply))
    assert reply == {"comm_type": "ErrorResp", "error": error, "message": caught.value.message}
    assert caught.value.message
    assert len(caught.value.message) < 400
    assert isinstance(caught.value, ProtocolError)
    assert pickle.loads(pickle.dumps(caught.value)).error == error


@given(st.binary(max_size=300))
def test_any_bytes_are_a_command_or_a_command_error(data: bytes) -> None:
    with contextlib.suppress(CommandError):
        decode_command(data)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
FLAT = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(), PLAIN, max_size=3)
JSON = FLAT | st.lists(FLAT, max_size=3) | st.dictionaries(st.text(), FLAT, max_size=3)


@given(
    st.sampled_from([*COMMANDS, *REPLIES, *STATES]),
    st.dictionaries(
        st.sampled_from(
            ["comm_type", "move", "client_token", "piece_number", "states", "sequence", "queue"]
        ),
        JSON,
    ),
)
def test_broken_fields_raise_command_errors(sample: Json, changes: Json) -> None:
    data = msgspec.json.encode(sample | changes)
    for decode in (decode_command, decode_reply, decode_state):
        with contextlib.suppress(ProtocolError):
            decode(data)


def test_states_that_are_none_are_refused_in_words() -> None:
    for data in (b"", b"\xff", b"{}", b" " * 100_000, b'{"comm_type": "GamePieceState"}'):
        with pytest.raises(ProtocolError):
            decode_state(data)
        with pytest.raises(ProtocolError):
            decode_reply(data)


def test_repr_contains_no_password() -> None:
    command = decode_command(written(CONNECT))
    assert "abc123" not in f"{command!r} {command}"
    with pytest.raises(CommandError) as caught:
        decode_command(written(CONNECT | {"team_name": 3}))
    assert "abc123" not in str(caught.value)


def test_every_kind_of_error_is_explained() -> None:
    assert set(pason.ERROR_KINDS) == set(get_args(pason.ErrorKind))
    assert all(pason.ERROR_KINDS.values())
