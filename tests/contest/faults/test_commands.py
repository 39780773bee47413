"""Commands that are wrong: each is answered with an error of its kind, the next one as usual."""

import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import zmq

from tests.fakes.pason.addresses import COMMAND_PORT
from tests.fakes.pason.bystanders import Bystanders
from tests.fakes.pason.hosting import Hosted

pytestmark = pytest.mark.faults

MALFORMED = "malformed message"


class Asker:
    """One request socket, as clients have it: an answer left out would leave it stuck."""

    def __init__(self, host: str) -> None:
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] = self._context.socket(zmq.REQ)
        self._socket.connect(f"tcp://{host}:{COMMAND_PORT}")

    def raw(self, body: bytes) -> dict[str, Any]:
        self._socket.send(body)
        assert self._socket.poll(120_000), f"no answer to {body[:200]!r}"
        frames = self._socket.recv_multipart()
        assert len(frames) == 1
        reply: dict[str, Any] = json.loads(frames[0])
        return reply

    def error(self, body: bytes) -> str:
        reply = self.raw(body)
        assert set(reply) == {"comm_type", "error", "message"}, reply
        assert reply["comm_type"] == "ErrorResp"
        assert isinstance(reply["message"], str)
        assert reply["message"]
        kind: str = reply["error"]
        return kind

    def ask(self, **fields: Any) -> dict[str, Any]:
        return self.raw(json.dumps(fields).encode())

    def close(self) -> None:
        self._context.destroy(linger=0)


@pytest.fixture
def asker(server: Hosted, bystanders: Bystanders) -> Iterator[Asker]:
    asker = Asker(server.host)
    yield asker
    asker.close()


NO_JSON = [
    b"",
    b"\0",
    b"{",
    b"}",
    b"[]",
    b"null",
    b"7",
    b'"MatchConnect"',
    b"NaN",
    b"{}{}",
    b'{"comm_type": "GameMove",}',
    b"{'comm_type': 'GameMove'}",
    b'{"comm_type": "GameMove"',
    b'\xef\xbb\xbf{"comm_type": "GameMove"}',
    b'{"comm_type": "\xff\xfe"}',
    b'{"comm_type": "GameMove", "client_token": "\xc3\x28", "move": "left"}',
    '{"comm_type": "GameMove"}'.encode("utf-16"),
    b'{"comm_type": "GameMove", "client_token": "\\ud800", "move": "left"}',
    b"[" * 60_000,
    b'{"a":' * 10_000,
    b'{"comm_type": "GameMove", "move": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    b"GET / HTTP/1.1\r\nHost: pason\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"1e999999999",
    b"9" * 60_000,
]


@pytest.mark.parametrize("body", NO_JSON, ids=lambda body: repr(body[:30]))
def test_invalid_commands(asker: Asker, body: bytes) -> None:
    assert asker.error(body) in {MALFORMED, "unknown client token"}


def test_wrong_fields(asker: Asker, bystanders: Bystanders) -> None:
    right = bystanders.match.connect()
    token = asker.ask(**right)["client_token"]
    move = {"comm_type": "GameMove", "client_token": token, "move": "left"}
    strange: list[Any] = [None, 7, 7.5, True, [], {}, "x" * 5_000]
    for command in (right, move):
        for name in command:
            for value in strange:
                assert asker.error(json.dumps(command | {name: value}).encode())
            without = {key: value for key, value in command.items() if key != name}
            expected = {MALFORMED, "unknown comm_type"} if name == "comm_type" else {MALFORMED}
            assert asker.error(json.dumps(without).encode()) in expected
    no_numbers: list[Any] = [7.5, [], {}, True, "x" * 5_000]
    for value in no_numbers:
        assert asker.error(json.dumps(move | {"piece_number": value}).encode()) == MALFORMED
    numbers: list[Any] = [0, -1, 2**31, 2**63, 2**64, -(2**70), 10**300, None, "7", "seven"]
    for number in numbers:
        reply = asker.ask(**move, piece_number=number)
        assert reply == {"comm_type": "GameMoveResp", "resp": "OK"}, number
    for name in ("LEFT", "Left", "up", "hold", "", "left "):
        assert asker.error(json.dumps(move | {"move": name}).encode()) == "unknown move"
    for name in ("matchConnect", "MatchEnd", "GameMoveResp", ""):
        assert asker.error(json.dumps(move | {"comm_type": name}).encode()) == "unknown comm_type"


def test_wrong_keys(asker: Asker, bystanders: Bystanders, server: Hosted) -> None:
    other = server.place("Other", "Another")
    kinds: dict[str, list[dict[str, Any]]] = {
        "unknown match": [{"match_token": str(uuid.uuid4())}, {"match_token": ""}],
        "unknown team": [
            {"team_name": other.teams[0].name, "password": other.teams[0].password},
            {"team_name": "home"},
            {"team_name": "Home "},
        ],
        "wrong password": [
            {"password": bystanders.match.teams[1].password},
            {"password": ""},
            {"password": bystanders.match.teams[0].password.upper()},
            {"password": bystanders.match.teams[0].password + "\0"},
        ],
    }
    for kind, changes in kinds.items():
        for change in changes:
            assert asker.error(json.dumps(bystanders.match.connect(**change)).encode()) == kind
    token = asker.ask(**bystanders.match.connect())["client_token"]
    for wrong in (bystanders.match.token, str(uuid.uuid4()), token[:-1], token + "0", "", "*"):
        command = {"comm_type": "GameMove", "client_token": wrong, "move": "left"}
        assert asker.error(json.dumps(command).encode()) == "unknown client token"
    # Part of a token is not a token.
    part = bystanders.match.connect(match_token=bystanders.match.token[:8])
    assert asker.error(json.dumps(part).encode()) == "unknown match"


def test_a_token_moves_its_own_piece_only(asker: Asker, server: Hosted) -> None:
    """A move needs the client token of the team, not its name."""
    rules = {"game_seconds": 600}
    match = server.place("Mine", "Theirs", game={"gravity_ms": [60_000]}, match=rules)
    referee = match.referee()
    tokens = [asker.ask(**match.connect(player))["client_token"] for player in (0, 1)]
    assert tokens[0] != tokens[1]
    context = zmq.Context()
    states: zmq.Socket[bytes] = context.socket(zmq.SUB)
    states.set(zmq.SUBSCRIBE, match.token.encode())
    states.connect(f"tcp://{server.host}:5556")
    theirs = []
    moves = 0
    while moves < 30:
        assert states.poll(120_000)
        frames = states.recv_multipart()
        if referee.read(frames) == "GamePieceState":
            piece = json.loads(frames[1])["states"]["Theirs"]
            theirs.append((piece["row"], piece["col"], piece["orient"]))
            moves += 1
            asker.ask(
                comm_type="GameMove",
                client_token=tokens[0],
                team_name="Theirs",
                match_token=match.token,
                move=("left", "down", "lrotate")[moves % 3],
            )
    context.destroy(linger=0)
    assert set(theirs) == {(0, 5, 0)}


def test_large_ones(asker: Asker, bystanders: Bystanders, server: Hosted) -> None:
    before = server.memory()
    right = bystanders.match.connect()
    for size in (70_000, 1 << 20, (1 << 20) + 7):
        padded = json.dumps(right | {"padding": "x" * size}).encode()
        assert asker.error(padded) == "message too large"
    for _ in range(100):
        assert asker.error(b"x" * (1 << 20)) == "message too large"
    assert asker.ask(**right)["resp"] == "ok"
    assert server.memory() < before + 50


def test_far_too_large_ones(bystanders: Bystanders, server: Hosted) -> None:
    before = server.memory()
    for _ in range(3):
        asker = Asker(server.host)
        asker._socket.send(b"x" * (64 << 20))
        assert not asker._socket.poll(200)
        asker.close()
    bystanders.are_served()
    assert server.memory() < before + 50


def test_fuzzed(asker: Asker, bystanders: Bystanders) -> None:
    """Commands with some bytes changed, cut, doubled: answered, and never with nonsense."""
    dice = random.Random(2012)
    token = asker.ask(**bystanders.match.connect())["client_token"]
    seeds = [
        json.dumps(bystanders.match.connect(password="wrong")).encode(),
        json.dumps(
            {"comm_type": "GameMove", "client_token": token, "move": "left", "piece_number": 3}
        ).encode(),
    ]
    kinds = set()
    for _ in range(1_500):
        body = bytearray(dice.choice(seeds))
        for _ in range(dice.randrange(1, 5)):
            at = dice.randrange(len(body))
            match dice.randrange(4):
                case 0:
                    body[at] = dice.randrange(256)
                case 1:
                    del body[at : at + dice.randrange(1, 10)]
                case 2:
                    body[at:at] = body[at : at + dice.randrange(1, 30)]
                case _:
                    body[at:at] = dice.choice([b"\\u0000", b'"', b"{", b"\xf0\x9f\x98\x80", b"0"])
        if not body:
            continue
        reply = asker.raw(bytes(body))
        assert reply["comm_type"] in {"ErrorResp", "GameMoveResp"}, (bytes(body), reply)
        kinds.add(reply.get("error"))
    assert {None, MALFORMED, "unknown comm_type", "unknown client token"} <= kinds


def test_no_end_of_tokens(server: Hosted, bystanders: Bystanders) -> None:
    """Unknown tokens are not remembered."""
    context = zmq.Context()
    dealer: zmq.Socket[bytes] = context.socket(zmq.DEALER)
    dealer.set(zmq.SNDHWM, 0)
    dealer.set(zmq.RCVHWM, 0)
    dealer.connect(f"tcp://{server.host}:{COMMAND_PORT}")
    before = server.memory()
    count = 20_000
    for number in range(count):
        token = str(uuid.UUID(int=number * 7_919))
        if number % 2:
            command = {"comm_type": "GameMove", "client_token": token, "move": "left"}
        else:
            command = bystanders.match.connect(match_token=token)
        dealer.send_multipart([b"", json.dumps(command).encode()])
    kinds: dict[str, int] = {}
    for _ in range(count):
        assert dealer.poll(120_000)
        kind = json.loads(dealer.recv_multipart()[1])["error"]
        kinds[kind] = kinds.get(kind, 0) + 1
    context.destroy(linger=0)
    assert kinds == {"unknown client token": count // 2, "unknown match": count // 2}
    assert server.memory() < before + 20
