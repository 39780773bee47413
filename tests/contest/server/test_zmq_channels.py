"""Tests of the two channels by themselves: commands, states and the limit of connections."""

import asyncio
import contextlib
import fcntl
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
import structlog
import zmq
import zmq.asyncio

from sevenbag.contest.game.state_messages import STATISTICS_TOPIC
from sevenbag.contest.server import hosted_match
from sevenbag.contest.server.zmq_channels import (
    AddressLimiter,
    CommandChannel,
    ReplyAddress,
    StateChannel,
)
from sevenbag.contest.settings import MatchRules
from tests.contest.server.hosted_server import hosting, lose, placement, until
from tests.fakes.pason.zmtp import NewPeer, OldPeer, Peer


async def test_answer_to_a_disconnected_client_is_counted() -> None:
    asked: list[ReplyAddress] = []

    def answer(sender: ReplyAddress, body: bytes) -> None:
        assert body == b"a command"
        asked.append(sender)

    with zmq.Context() as context:
        channel = CommandChannel(context, "127.0.0.1", 0, max_frame_bytes=1_000)
        channel.start(answer)
        client = context.socket(zmq.REQ)
        client.connect(channel.endpoint)
        client.send(b"a command")
        await until(lambda: asked)
        channel.reply(asked[0], b"an answer")
        assert await asyncio.to_thread(client.recv) == b"an answer"
        assert channel.unsent == 0
        client.close(0)

        def is_counted() -> bool:
            channel.reply(asked[0], b"another answer")
            return channel.unsent > 0

        await until(is_counted)
        channel.close()


async def test_client_address_is_known_if_libzmq_reports_it() -> None:
    addresses: list[str] = []

    def answer(sender: ReplyAddress, body: bytes) -> bytes:
        addresses.append(channel.address)
        return body

    def ask(kind: type[Peer]) -> None:
        with kind("127.0.0.1", channel.port, kind="REQ") as peer:
            assert peer.ask(b"a command") == b"a command"

    with zmq.Context() as context:
        channel = CommandChannel(context, "127.0.0.1", 0, max_frame_bytes=1_000)
        channel.start(answer)
        for kind in (NewPeer, OldPeer):
            await asyncio.to_thread(ask, kind)
        channel.close()
    assert addresses == ["127.0.0.1", ""]


TOKEN = b"00000000-0000-4000-8000-000000000001"
OTHER = b"00000000-0000-4000-8000-000000000002"


class Onlookers:
    """A context, and its subscribers until the end of the test."""

    def __init__(self) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: list[zmq.Socket[bytes]] = []

    def add(self, endpoint: str, *, reads_little: bool = False) -> zmq.Socket[bytes]:
        socket = self.context.socket(zmq.SUB)
        self._sockets.append(socket)
        socket.rcvhwm = 1 if reads_little else 0
        if reads_little:
            socket.set(zmq.RCVBUF, 4_096)
        socket.subscribe(TOKEN)
        socket.connect(endpoint)
        return socket

    def close(self) -> None:
        self.context.destroy(0)


@pytest.fixture
def onlookers() -> Iterator[Onlookers]:
    made = Onlookers()
    yield made
    made.close()


def published_until_heard(channel: StateChannel, *sockets: zmq.Socket[bytes]) -> None:
    """Wait until each subscription works."""
    for subscriber in sockets:
        while not subscriber.poll(5):
            assert channel.publish(TOKEN, [b"first"])
    for subscriber in sockets:
        while subscriber.poll(50):
            subscriber.recv_multipart()


def published_until_heard_of(
    channel: StateChannel, socket: zmq.Socket[bytes], topic: bytes
) -> None:
    while not socket.poll(5):
        channel.publish(topic, [b"first"])
    while socket.poll(50):
        socket.recv_multipart()


def heard(socket: zmq.Socket[bytes]) -> list[bytes]:
    """Return the messages that have arrived or arrive soon."""
    found: list[bytes] = []
    while socket.poll(200):
        found.append(socket.recv_multipart()[1])
    return found


def test_messages_have_two_frames_and_go_to_their_own_subscribers(onlookers: Onlookers) -> None:
    channel = StateChannel(onlookers.context, "127.0.0.1", 0, backlog=0)
    socket = onlookers.add(channel.endpoint)
    published_until_heard(channel, socket)
    channel.publish(OTHER, [b"not for us"])
    channel.publish(STATISTICS_TOPIC.encode() + TOKEN, [b"nor this"])
    channel.publish(TOKEN, [b"one", b"two"])
    assert [socket.recv_multipart() for _ in range(2)] == [[TOKEN, b"one"], [TOKEN, b"two"]]
    assert not socket.poll(20)
    channel.close()


def test_subscription_to_everything_excludes_statistics(onlookers: Onlookers) -> None:
    channel = StateChannel(onlookers.context, "127.0.0.1", 0, backlog=0)
    everything, figures, token = (onlookers.add(channel.endpoint) for _ in range(3))
    everything.subscribe(b"")
    figures.subscribe(STATISTICS_TOPIC.encode() + TOKEN)
    published_until_heard(channel, everything, figures, token)
    # Subscriptions arrive in the order in which they were made.
    published_until_heard_of(channel, everything, b"z")
    published_until_heard_of(channel, figures, STATISTICS_TOPIC.encode() + TOKEN)
    channel.publish(STATISTICS_TOPIC.encode() + TOKEN, [b"figures"])
    channel.publish(OTHER, [b"another match"])
    channel.publish(TOKEN, [b"our match"])
    assert heard(everything) == [b"another match", b"our match"]
    assert heard(figures) == [b"figures", b"our match"]
    assert heard(token) == [b"our match"]
    everything.unsubscribe(b"")
    while channel.publish(OTHER, [b"until it has gone"]) and everything.poll(50):
        everything.recv_multipart()
    channel.publish(TOKEN, [b"still ours"])
    assert heard(everything) == [b"still ours"]
    channel.close()


def test_slow_subscriber_loses_nothing_within_the_backlog(onlookers: Onlookers) -> None:
    channel = StateChannel(onlookers.context, "127.0.0.1", 0, backlog=5_000)
    slow = onlookers.add(channel.endpoint, reads_little=True)
    published_until_heard(channel, slow)
    messages = [b"%05d" % number + b"x" * 400 for number in range(4_000)]
    for message in messages:
        assert channel.publish(TOKEN, [message])
    assert [slow.recv_multipart()[1] for _ in messages] == messages
    assert channel.incomplete == 0
    channel.close()


def test_blocked_subscriber_is_bounded_and_isolated(onlookers: Onlookers) -> None:
    channel = StateChannel(onlookers.context, "127.0.0.1", 0, backlog=500)
    stuck = onlookers.add(channel.endpoint, reads_little=True)
    fast = onlookers.add(channel.endpoint)
    published_until_heard(channel, stuck, fast)
    complete: list[bool] = []
    for number in range(20_000):
        message = b"%05d" % number + b"x" * 400
        complete.append(channel.publish(TOKEN, [message]))
        # A subscriber that keeps up is at most some messages behind.
        if number % 50 == 0:
            assert fast.poll(10_000)
            while fast.recv_multipart()[1][:5] != b"%05d" % number:
                pass
    assert not all(complete)
    assert channel.incomplete == complete.count(False) > 0
    got = 0
    while stuck.poll(200):
        assert len(stuck.recv_multipart()) == 2
        got += 1
    # Those that waited here, and those in the buffers of both machines.
    assert 500 <= got < 20_000
    channel.close()


async def test_match_end_is_repeated_after_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_match, "_REPEAT_END", 0.05)
    match = MatchRules(games=1, first_pause_seconds=0, repeat_seconds=0.05, linger_seconds=60)
    async with hosting() as hosted:
        whole, missed = hosted.place(placement(match=match)), hosted.place(placement(match=match))
        listeners = hosted.listener(whole), hosted.listener(missed)
        for place, listener in zip((whole, missed), listeners, strict=True):
            loser, _ = await hosted.connect_both(place)
            await listener.next()
            if place is missed:
                # As if a subscriber had had no room.
                matches_hosted = hosted.server.matches[place.match_token]
                monkeypatch.setattr(matches_hosted, "_incomplete", True)
            await lose(loser, listener)
            await listener.until("MatchEnd")
        repeated = [await listeners[1].next() for _ in range(3)]
        assert [message["comm_type"] for message in repeated] == ["MatchEnd"] * 3
        # Subscribers that received it get no repetition.
        assert not await listeners[0].socket.poll(100)


async def test_subscriptions_are_processed_without_publications(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hosting() as hosted:
        states = hosted.server._states
        subscribed = mock.Mock(wraps=states._socket)
        monkeypatch.setattr(states, "_socket", subscribed)
        place = hosted.place(placement())
        strangers = [hosted.listener(place) for _ in range(20)]
        # A processed subscription is set in the socket.
        await until(lambda: subscribed.set.call_count == len(strangers))
        assert states.published == 0
        await hosted.connect_both(place)
        for stranger in strangers:
            await stranger.next()
        for stranger in strangers[:10]:
            stranger.socket.close(0)
        for stranger in strangers[10:]:
            await stranger.next()
        await until(lambda: hosted.server.matches[place.match_token].match.phase == "game")


_TAKE = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(3)
"""


def make_limiter(*, port: int = 1, max_connections: int = 1_000) -> AddressLimiter:
    logger = structlog.wrap_logger(structlog.ReturnLogger(), processors=[])
    return AddressLimiter((port, 2), max_connections=max_connections, logger=logger)


async def test_locks_of_files_stay(tmp_path: Path) -> None:
    """SQLite locks its database, which may be open in the same process."""
    path = tmp_path / "database"
    with path.open("w+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        await make_limiter().run_pass()
        taken = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", _TAKE, str(path)], check=False, timeout=120
        )
    assert taken.returncode == 3


async def test_connections_of_one_address_are_limited() -> None:
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        limiter = make_limiter(port=door.getsockname()[1], max_connections=5)

        def connected(address: str) -> socket.socket:
            client = socket.create_connection(door.getsockname(), 60, (address, 0))
            stack.enter_context(client)
            stack.enter_context(door.accept()[0])
            return client

        first = [connected("127.0.0.1") for _ in range(4)]
        await limiter.run_pass()
        other = connected("127.0.0.2")
        crowd = [connected("127.0.0.1") for _ in range(10)]
        await limiter.run_pass()
        assert limiter.closed == 9
        # Earlier connections and the other address are not affected.
        assert not any(map(is_closed, (*first, other, crowd[0])))
        assert sum(map(is_closed, crowd)) == 9


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
