"""Connections that vanish, hang, flood or use another protocol do not affect others."""

import contextlib
import json
import random
import resource
import signal
import socket
import struct
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from tests.cli.run import wait_until
from tests.fakes.pason.addresses import COMMAND_PORT, STATE_PORT
from tests.fakes.pason.bystanders import Bystanders
from tests.fakes.pason.hosting import Hosted
from tests.fakes.pason.zmtp import NewPeer, OldPeer, Peer

pytestmark = pytest.mark.faults

PEERS = (OldPeer, NewPeer)
PORTS = (COMMAND_PORT, STATE_PORT)
UNKNOWN = json.dumps(
    {"comm_type": "GameMove", "client_token": str(uuid.UUID(int=0)), "move": "left"}
).encode()

NO_ZEROMQ = [
    b"GET / HTTP/1.1\r\nHost: pason\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 2,
    b"SSH-2.0-OpenSSH_9.2\r\n",
    b"\xff" * 64,
    b"\xff\0\0\0\0\0\0\0\0\x7f",
    b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL" + bytes(48) + b"\x04\xff" + b"\xff" * 255,
    b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0PLAIN" + bytes(47),
    b"\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0" + b"x" * 1_000,
    b"\x01\0\x00\x00\x00",
    b"\x01\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00",
    b"\0" * 1_000,
]


@contextlib.contextmanager
def connection(server: Hosted, port: int) -> Iterator[socket.socket]:
    with socket.create_connection((server.host, port), timeout=120) as plain:
        yield plain


def descriptors(server: Hosted) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.parametrize("port", PORTS)
def test_other_languages(server: Hosted, port: int) -> None:
    dice = random.Random(port)
    noise = [dice.randbytes(dice.randrange(1, 2_000)) for _ in range(100)]
    before = descriptors(server)
    for words in NO_ZEROMQ + noise:
        with connection(server, port) as plain, contextlib.suppress(OSError):
            plain.sendall(words)
            plain.shutdown(socket.SHUT_WR)
            while plain.recv(4_096):
                pass
    # Each is let go of.
    wait_until(lambda: descriptors(server) <= before)


@pytest.mark.parametrize("kind", PEERS)
def test_disconnect_within_a_frame(server: Hosted, kind: type[Peer]) -> None:
    before = descriptors(server)
    dice = random.Random(7)
    for number in range(60):
        peer = kind(server.host, COMMAND_PORT, kind="REQ")
        request = peer.packed(b"", UNKNOWN)
        peer.socket.sendall(request * dice.randrange(3) + request[: dice.randrange(len(request))])
        if number % 2:
            peer.vanish()
        else:
            peer.socket.close()
    wait_until(lambda: descriptors(server) <= before)


def test_disconnect_within_the_greeting(server: Hosted) -> None:
    greeting = b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL" + bytes(48)
    before = descriptors(server)
    for port in PORTS:
        for size in range(0, len(greeting), 3):
            with connection(server, port) as plain:
                plain.sendall(greeting[:size])
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: descriptors(server) <= before)


def test_disconnect_before_the_answer(server: Hosted, bystanders: Bystanders) -> None:
    """The client of a password check disconnects."""
    for number in range(30):
        command = bystanders.match.connect(number % 2)
        peer = NewPeer(server.host, COMMAND_PORT, kind="REQ")
        peer.send(b"", json.dumps(command).encode())
        peer.vanish()


def test_half_open_ones(server: Hosted, bystanders: Bystanders) -> None:
    """Two hundred idle connections."""
    with contextlib.ExitStack() as stack:
        for number in range(200):
            plain = stack.enter_context(connection(server, PORTS[number % 2]))
            if number % 3:
                plain.sendall(b"\xff\0\0\0")
        bystanders.are_served(50)


def test_no_file_is_left(server: Hosted, bystanders: Bystanders) -> None:
    """Connected teams play on when the server can accept no more connections."""
    usual = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    few = descriptors(server) + 20
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (few, usual[1]))
    try:
        with contextlib.ExitStack() as stack:
            for number in range(40):
                stack.enter_context(connection(server, PORTS[number % 2]))
            wait_until(lambda: descriptors(server) == few)
            bystanders.are_served(50)
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, usual)
    with NewPeer(server.host, COMMAND_PORT, kind="REQ") as peer:
        assert json.loads(peer.ask(UNKNOWN))["error"] == "unknown client token"


@pytest.fixture
def dealer(server: Hosted) -> Iterator[zmq.Socket[bytes]]:
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        socket.connect(f"tcp://{server.host}:{COMMAND_PORT}")
        yield socket


class TestEnvelopes:
    """Messages that no request socket sends: dropped, or answered where REP would."""

    @pytest.mark.parametrize("kind", PEERS)
    def test_are_read_or_dropped(self, server: Hosted, kind: type[Peer]) -> None:
        with kind(server.host, COMMAND_PORT, kind="DEALER") as peer:
            for frames in (
                [UNKNOWN],
                [b""],
                [b"x", UNKNOWN],
                [b"x"] * 200,
                [b"x" * 300] * 50 + [b"", UNKNOWN],
            ):
                peer.send(*frames)
            # Of several frames, as a request socket may send, too: its client waits for an answer.
            for frames in ([b"", b"", b""], [b"", UNKNOWN, UNKNOWN]):
                peer.send(*frames)
                delimiter, answer = peer.receive()
                assert delimiter == b""
                assert json.loads(answer)["error"] == "malformed message"
            # As through a device, or with the number that newer request sockets may put there.
            peer.send(b"\0\0\0\7", b"", UNKNOWN)
            frames = peer.receive()
            assert frames[:2] == [b"\0\0\0\7", b""]
            assert json.loads(frames[2])["error"] == "unknown client token"

    def test_two_at_once_are_answered_in_order(self, server: Hosted) -> None:
        with OldPeer(server.host, COMMAND_PORT, kind="REQ") as peer:
            peer.socket.sendall(peer.packed(b"", UNKNOWN) + peer.packed(b"", b"no JSON"))
            errors = [json.loads(peer.receive()[1])["error"] for _ in range(2)]
        assert errors == ["unknown client token", "malformed message"]


class TestFloods:
    def test_flood_with_unread_answers(self, server: Hosted, bystanders: Bystanders) -> None:
        before = server.memory()
        over = threading.Event()
        sent = 0

        def flood() -> None:
            nonlocal sent
            while not over.is_set():
                # It is disconnected and reconnects.
                with (
                    contextlib.suppress(OSError),
                    NewPeer(server.host, COMMAND_PORT, kind="DEALER") as peer,
                ):
                    many = memoryview(peer.packed(b"", UNKNOWN) * 500)
                    peer.socket.settimeout(0.2)
                    at = 0
                    while not over.is_set():
                        with contextlib.suppress(TimeoutError):
                            at += peer.socket.send(many[at % len(many) :])
                            sent = max(sent, at)

        thread = threading.Thread(target=flood)
        thread.start()
        try:
            wait_until(lambda: sent > 1_000_000)
            bystanders.are_served(150)
        finally:
            over.set()
            thread.join()
        assert server.memory() < before + 60

    def test_of_commands_from_one_of_the_teams(
        self, server: Hosted, bystanders: Bystanders, dealer: zmq.Socket[bytes]
    ) -> None:
        """A client that does not wait for answers does not delay others."""
        match = server.place(match={"games": 9_999, "match_seconds": 600, "game_seconds": 600})

        def ask(command: dict[str, object]) -> dict[str, str]:
            dealer.send_multipart([b"", json.dumps(command).encode()])
            assert dealer.poll(120_000)
            reply: dict[str, str] = json.loads(dealer.recv_multipart()[1])
            return reply

        tokens = [ask(match.connect(player))["client_token"] for player in (0, 1)]
        moves = [
            json.dumps({"comm_type": "GameMove", "client_token": token, "move": move}).encode()
            for token in tokens
            for move in ("left", "right", "lrotate", "down")
        ]
        goal = bystanders.served + 100
        sent = answered = 0
        while bystanders.served < goal:
            with contextlib.suppress(zmq.Again):
                for _ in range(100):
                    dealer.send_multipart([b"", moves[sent % len(moves)]], zmq.DONTWAIT)
                    sent += 1
            with contextlib.suppress(zmq.Again):
                while answered < sent:
                    assert b"GameMoveResp" in dealer.recv_multipart(zmq.DONTWAIT)[1]
                    answered += 1
        while answered < sent:
            assert dealer.poll(120_000), f"{sent - answered} moves were not answered"
            dealer.recv_multipart()
            answered += 1
        assert sent > 500

    def test_of_wrong_passwords(
        self, server: Hosted, bystanders: Bystanders, dealer: zmq.Socket[bytes]
    ) -> None:
        """Wrong passwords cost time; the right one is accepted at once."""
        match = server.place()
        right = match.connect()
        dealer.send_multipart([b"", json.dumps(right).encode()])
        assert b'"ok"' in dealer.recv_multipart()[1]
        for number in range(300):
            wrong = right | {"password": f"guess {number}"}
            dealer.send_multipart([b"", json.dumps(wrong).encode()])
        with NewPeer(server.host, COMMAND_PORT, kind="REQ") as peer:
            reply = json.loads(peer.ask(json.dumps(right).encode()))
        assert reply["resp"] == "ok"
        bystanders.are_served(50)


class TestSubscribers:
    def test_subscriber_that_never_reads(self, server: Hosted, bystanders: Bystanders) -> None:
        before = server.memory()
        with contextlib.ExitStack() as stack:
            for kind in PEERS * 5:
                peer = kind(server.host, STATE_PORT, kind="SUB", window=2_048)
                stack.enter_context(peer)
                if isinstance(peer, NewPeer):
                    peer.subscribe("")
            bystanders.are_served(300)
        assert server.memory() < before + 60

    def test_endless_subscriptions(self, server: Hosted, bystanders: Bystanders) -> None:
        before = server.memory()
        with NewPeer(server.host, STATE_PORT, kind="SUB") as peer:
            for number in range(0, 20_000, 100):
                peer.socket.sendall(
                    b"".join(
                        peer.packed(b"\1" + str(uuid.UUID(int=n * 7_919)).encode())
                        for n in range(number, number + 100)
                    )
                )
            bystanders.are_served()
        assert server.memory() < before + 100

    @pytest.mark.parametrize("frames", [[b"\1" + b"x" * 3_000], [b"\0" * 3_000], [b"x"] * 50])
    def test_subscriber_that_sends_messages(self, server: Hosted, frames: list[bytes]) -> None:
        """Messages on the state channel are ignored."""
        with NewPeer(server.host, STATE_PORT, kind="XSUB") as peer:
            for _ in range(50):
                peer.send(*frames)
            time.sleep(0.05)

    def test_subscriber_that_sends_large_messages(self, server: Hosted) -> None:
        before = server.memory()
        for kind in PEERS:
            with kind(server.host, STATE_PORT, kind="SUB") as peer, contextlib.suppress(OSError):
                for _ in range(20):
                    peer.send(b"\1" + b"x" * (1 << 20))
        assert server.memory() < before + 60


def test_stopped_server_resumes(server: Hosted, bystanders: Bystanders) -> None:
    """As after the suspension of a laptop: missed time is skipped, and clients stay connected."""
    bystanders.are_served()
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    server.process.send_signal(signal.SIGCONT)
    bystanders.are_served(50)


@pytest.mark.parametrize("seconds", [86_400.0, -400 * 86_400.0, 3e9])
def test_a_wall_clock_that_jumps(server: Hosted, bystanders: Bystanders, seconds: float) -> None:
    """Only timestamps show the jump."""
    before = bystanders.timestamp
    server.jump(seconds)
    bystanders.are_served(50)
    assert abs(bystanders.timestamp - before - seconds) < 100
    server.jump(-seconds)
    bystanders.are_served(20)
    assert abs(bystanders.timestamp - before) < 100


def test_secrets_are_not_logged(server: Hosted, bystanders: Bystanders) -> None:
    """After all of the above, and some more that might be quoted."""
    team = bystanders.match.teams[0]
    right = json.dumps(bystanders.match.connect()).encode()
    with NewPeer(server.host, COMMAND_PORT, kind="REQ") as peer:
        token = json.loads(peer.ask(right))["client_token"]
        for broken in (right[:-1], right + b"x", right.replace(b"MatchConnect", b"Matchconnect")):
            assert team.password.encode() not in peer.ask(broken)
        for text in (right[:-1].replace(b'"Home"', b"7"), b'["' + team.password.encode() + b'"]'):
            assert team.password.encode() not in peer.ask(text)
        # One that is logged, with its reason.
        move = {"comm_type": "GameMove", "client_token": token, "move": "up"}
        assert json.loads(peer.ask(json.dumps(move).encode()))["error"] == "unknown move"
        move = {"comm_type": "GameMove", "client_token": token, "move": "drop", "piece_number": -7}

        def told() -> bool:
            # Between two games there is no current piece.
            assert json.loads(peer.ask(json.dumps(move).encode()))["resp"] == "OK"
            return "out of date" in server.log.read_text()

        wait_until(told)
    bystanders.are_served()
    log = server.log.read_text()
    assert '"Home"' in log
    said = json.dumps(server.told)
    for secret in (team.password, token, "guess 7"):
        assert secret not in log
        assert secret not in said
