"""The ZeroMQ sockets of a game server: commands in, states out, connections limited."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable
from pathlib import Path
from typing import Final, TypeAlias

import structlog
import zmq

from sevenbag.contest.game.state_messages import STATISTICS_TOPIC
from sevenbag.errors import InputError

ReplyAddress: TypeAlias = tuple[bytes, ...]
"""Frames of the envelope of a request, including the empty delimiter."""

_COMMAND_ROUND: Final = 64
"""Commands read before timers and other sockets run; about a millisecond."""

_TOGETHER: Final = 8
"""Answers sent together: waking libzmq's thread for each one costs more on few processors, and
larger groups leave clients idle on many."""

_WAITING: Final = 32
"""Commands of one connection that libzmq receives before they are read."""

_UNREAD: Final = 10_000
"""Answers unread by one client; further ones are dropped."""

_MAX_FRAME_BYTES: Final = 2 << 20
"""Maximum size of a frame; libzmq closes a connection that exceeds it without an answer. It is
larger than a command, so that commands slightly too large get an error in words."""

_MAX_FRAMES: Final = 8
"""Frames of a message that are read; further ones are skipped."""

_COMMAND_BACKLOG: Final = 1_024

_NO_FRAME: Final = zmq.Frame()

_DONTWAIT: Final = int(zmq.DONTWAIT)

_EVENTS: Final = int(zmq.EVENTS)

_READABLE: Final = int(zmq.POLLIN)

_MORE: Final = int(zmq.DONTWAIT | zmq.SNDMORE)


class CommandChannel:
    """Receive commands and send answers.

    Attributes:
        endpoint: address of the channel, such as ``tcp://127.0.0.1:5557``.
        dropped: number of messages without the envelope of a request.
        unsent: number of answers dropped because the client is gone or does not read.

    Args:
        host: name or address of this machine.
        port: port to listen at; 0 for a free one.

    Raises:
        InputError: the address cannot be used.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], host: str, port: int, *, max_frame_bytes: int
    ) -> None:
        socket = context.socket(zmq.ROUTER)
        set_socket_options(socket)
        socket.set(zmq.BACKLOG, _COMMAND_BACKLOG)
        socket.set(zmq.RCVHWM, _WAITING)
        socket.set(zmq.SNDHWM, _UNREAD)
        # Report answers to clients that are gone, instead of dropping them silently.
        socket.set(zmq.ROUTER_MANDATORY, 1)
        socket.set(zmq.MAXMSGSIZE, max(_MAX_FRAME_BYTES, 2 * max_frame_bytes))
        self.endpoint, self.port = bind_socket(socket, host, port, "command")
        self.dropped = 0
        self.unsent = 0
        self._socket = socket
        self._frame = _NO_FRAME
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> str:
        """Address of the client whose command is being answered.

        Empty for clients of libzmq 2 and 3.0, because libzmq does not report theirs.
        """
        try:
            return str(self._frame.get("Peer-Address"))
        except zmq.ZMQError:
            return ""

    def start(self, answer: Callable[[ReplyAddress, bytes], bytes | None]) -> None:
        """Receive commands in the running event loop.

        Args:
            answer: return the answer to a command, or None if it follows by `reply`.
        """
        self._answer = answer
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.FD, self._read)
        # Earlier commands have been signalled already.
        self._loop.call_soon(self._read)

    def reply(self, sender: ReplyAddress, body: bytes) -> None:
        """Send the answer to a command."""
        if self._loop is not None and not self._socket.closed:
            self._send(sender, body)
            self._read_again_if_there_is_more()

    def close(self) -> None:
        """Stop receiving commands; libzmq still sends pending answers."""
        if self._loop is not None and not self._socket.closed:
            self._loop.remove_reader(self._socket.FD)
        self._loop = None
        self._socket.close()

    def _read(self) -> None:
        """Answer pending commands, up to a limit.

        libzmq signals new commands once, so the socket must be read until it is empty.
        """
        for _ in range(_COMMAND_ROUND // _TOGETHER):
            if self._loop is None or not self._read_some():
                break
        self._read_again_if_there_is_more()

    def _read_some(self) -> bool:
        """Answer a group of messages; return False if there are no more."""
        answers: list[tuple[ReplyAddress, bytes]] = []
        try:
            return all(self._read_one(answers) for _ in range(_TOGETHER))
        finally:
            for sender, answer in answers:
                self._send(sender, answer)

    def _read_again_if_there_is_more(self) -> None:
        """Schedule a read if commands are pending: sending may consume libzmq's signal."""
        if self._loop is not None and int(self._socket.get(_EVENTS)) & _READABLE:
            self._loop.call_soon(self._read)

    def _read_one(self, answers: list[tuple[ReplyAddress, bytes]]) -> bool:
        """Read a message and append its answer; return False if there is no message."""
        recv = self._socket.recv
        try:
            identity = recv(_DONTWAIT)
        except zmq.Again:
            return False
        # A frame knows whether more follow; asking the socket would double the cost.
        delimiter = recv(_DONTWAIT, copy=False)
        if len(delimiter) or not delimiter.more:
            frames = [identity, delimiter.bytes]
            more = delimiter.more
        else:
            body = recv(_DONTWAIT, copy=False)
            if not body.more:
                sender = (identity, b"")
                answer = self._answer_of(sender, body.bytes, body)
                if answer is not None:
                    answers.append((sender, answer))
                return True
            frames = [identity, b"", body.bytes]
            more = True
        self._read_unusual(frames, answers, more=more)
        return True

    def _read_unusual(
        self, frames: list[bytes], answers: list[tuple[ReplyAddress, bytes]], *, more: bool
    ) -> None:
        """Read a message with an unusual envelope; answer it if a REP socket would.

        Devices and request numbers add frames before the delimiter. All frames after the delimiter
        are one command.
        """
        frame = _NO_FRAME
        while more:
            frame = self._socket.recv(_DONTWAIT, copy=False)
            more = frame.more
            if len(frames) <= _MAX_FRAMES:
                frames.append(frame.bytes)
        end = frames.index(b"") + 1 if b"" in frames else len(frames)
        if end == len(frames):
            self.dropped += 1
            return
        sender = tuple(frames[:end])
        answer = self._answer_of(sender, b"".join(frames[end:]), frame)
        if answer is not None:
            answers.append((sender, answer))

    def _answer_of(self, sender: ReplyAddress, body: bytes, frame: zmq.Frame) -> bytes | None:
        self._frame = frame
        try:
            return self._answer(sender, body)
        finally:
            # A frame holds a reference to libzmq's buffer.
            self._frame = _NO_FRAME

    def _send(self, sender: ReplyAddress, body: bytes) -> None:
        send = self._socket.send
        try:
            for frame in sender:
                send(frame, _MORE)
            send(body, _DONTWAIT)
        except zmq.ZMQError:
            self.unsent += 1


_CONNECTION_BACKLOG: Final = 1_024

_MAX_SUBSCRIPTION_BYTES: Final = 4_096

_SUBSCRIPTION_ROUND: Final = 256

_OPTIONS: Final = {b"\1": zmq.SUBSCRIBE, b"\0": zmq.UNSUBSCRIBE}

_ALL_TOKENS: Final = tuple(
    bytes([first]) for first in range(256) if first != ord(STATISTICS_TOPIC[0])
)
"""Topics of a subscription to everything; it excludes statistics."""


class StateChannel:
    """Publish messages of matches.

    Attributes:
        endpoint: address of the channel, such as ``tcp://127.0.0.1:5556``.
        incomplete: number of messages dropped for at least one slow subscriber.

    Args:
        host: name or address of this machine.
        port: port to listen at; 0 for a free one.
        backlog: maximum number of unread messages of one subscriber; 0 for no limit.

    Raises:
        InputError: the address cannot be used.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], host: str, port: int, *, backlog: int
    ) -> None:
        socket = context.socket(zmq.XPUB)
        set_socket_options(socket)
        socket.set(zmq.BACKLOG, _CONNECTION_BACKLOG)
        socket.set(zmq.SNDHWM, backlog)
        socket.set(zmq.MAXMSGSIZE, _MAX_SUBSCRIPTION_BYTES)
        # Report subscribers without room, instead of dropping messages silently.
        socket.set(zmq.XPUB_NODROP, 1)
        # Subscriptions are set by `process_subscriptions`.
        socket.set(zmq.XPUB_MANUAL, 1)
        self.endpoint, self.port = bind_socket(socket, host, port, "state")
        self.published = 0
        self.incomplete = 0
        self._socket = socket

    def publish(self, token: bytes, messages: Iterable[bytes]) -> bool:
        """Publish messages of a match, each in two frames: its token and the message.

        Returns:
            True if no message was dropped for a subscriber.
        """
        self.process_subscriptions()
        send = self._socket.send
        complete = True
        for message in messages:
            self.published += 1
            try:
                send(token, _MORE)
                send(message, _DONTWAIT)
            except zmq.Again:
                complete = False
                self.incomplete += 1
                # To those that have room.
                self._socket.set(zmq.XPUB_NODROP, 0)
                send(token, _MORE)
                send(message, _DONTWAIT)
                self._socket.set(zmq.XPUB_NODROP, 1)
        return complete

    def process_subscriptions(self) -> None:
        """Apply pending subscriptions, up to a limit."""
        socket = self._socket
        for _ in range(_SUBSCRIPTION_ROUND):
            if not int(socket.get(zmq.EVENTS)) & _READABLE:
                return
            request = socket.recv(_DONTWAIT)
            option = _OPTIONS.get(request[:1])
            if option is not None:
                for topic in (request[1:],) if len(request) > 1 else _ALL_TOKENS:
                    socket.set(option, topic)

    def close(self) -> None:
        """Stop publishing; libzmq still sends pending messages."""
        self._socket.close()


_LINGER: Final = 2_000
"""Milliseconds to send the last messages when a socket is closed."""

# All peers, including those of 2012, send their greeting right after connecting.
_HANDSHAKE: Final = 10_000
"""Milliseconds for a peer's greeting; libzmq's default is 30 seconds."""

# TCP keep-alive detects half-open connections. Old peers do not understand ZMTP heartbeats.
_QUIET_SECONDS: Final = 60

_PROBE_SECONDS: Final = 10

_PROBES: Final = 6


def set_socket_options(zmq_socket: zmq.Socket[bytes]) -> None:
    """Set the options of both channels, which peers of 2012 understand."""
    zmq_socket.set(zmq.LINGER, _LINGER)
    zmq_socket.set(zmq.HANDSHAKE_IVL, _HANDSHAKE)
    zmq_socket.set(zmq.TCP_KEEPALIVE, 1)
    zmq_socket.set(zmq.TCP_KEEPALIVE_IDLE, _QUIET_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_INTVL, _PROBE_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_CNT, _PROBES)


def bind_socket(
    zmq_socket: zmq.Socket[bytes], host: str, port: int, channel: str
) -> tuple[str, int]:
    """Bind a socket and return its endpoint and port; close it on failure.

    Raises:
        InputError: the port is in use or not permitted, or the address is not of this machine.
    """
    try:
        address = _numeric(host, port)
        if ":" in address:
            zmq_socket.set(zmq.IPV6, 1)
            address = f"[{address}]"
        zmq_socket.bind(f"tcp://{address}:{port or '*'}")
    except socket.gaierror as error:
        reason = error.strerror or str(error)
    except zmq.ZMQError as error:
        # libzmq reports "no such device" for an address of another machine.
        is_foreign = error.errno in {errno.ENODEV, errno.EADDRNOTAVAIL}
        reason = "not an address of this machine" if is_foreign else os.strerror(error.errno or 0)
    else:
        endpoint = zmq_socket.get_string(zmq.LAST_ENDPOINT)
        return endpoint, int(endpoint.rpartition(":")[2])
    zmq_socket.close(0)
    raise InputError(f"the {channel} channel cannot listen at {host}:{port}: {reason}")


_MIN_PASS_INTERVAL: Final = 0.05
"""Minimum seconds between two passes."""

_PASS_COST_FACTOR: Final = 50
"""A pass takes at most one part in so many of the processor's time."""

_CHECKED_AT_ONCE: Final = 50
"""File descriptors checked before other tasks run; less than a millisecond."""

_FILES: Final = Path("/proc/self/fd")

_RESET: Final = struct.pack("ii", 1, 0)

_Connection: TypeAlias = tuple[int, tuple[object, ...]]
"""File descriptor, and address and port of the peer."""


class AddressLimiter:
    """Limit the connections of one address to the two channels; on Linux only.

    libzmq has no such limit and does not report its connections, so the file descriptors of the
    process are checked in regular passes.

    Attributes:
        closed: number of closed connections.

    Args:
        ports: ports of the channels.
        max_connections: maximum number of connections from one address; the newest ones beyond it
            are closed.
    """

    def __init__(
        self,
        ports: Collection[int],
        *,
        max_connections: int,
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self.closed = 0
        self._ports = frozenset(ports)
        self._max_connections = max_connections
        self._logger = logger
        # In order of appearance: file descriptors are reused and do not show the age.
        self._connections: dict[_Connection, None] = {}

    async def watch(self) -> None:
        """Run passes until cancelled."""
        if not _FILES.is_dir():
            return
        while True:
            # Processor time, because a busy machine must not make passes rarer.
            began = time.thread_time()
            await self.run_pass()
            spent = time.thread_time() - began
            await asyncio.sleep(max(_MIN_PASS_INTERVAL, _PASS_COST_FACTOR * spent))

    async def run_pass(self) -> None:
        """Check each connection once."""
        try:
            names = os.listdir(_FILES)  # noqa: PTH208  # paths would take longer
        except OSError:
            # All file descriptors are in use, so this folder cannot be opened either.
            return
        found: dict[_Connection, None] = {}
        for number, name in enumerate(names):
            # libzmq's threads open and close files meanwhile; most are not connections.
            with contextlib.suppress(OSError), _borrow_socket(int(name)) as connection:
                address = connection.getsockname()
                if isinstance(address, tuple) and address[1] in self._ports:
                    found[int(name), connection.getpeername()] = None
            if number % _CHECKED_AT_ONCE == 0:
                await asyncio.sleep(0)
        self._connections = {key: None for key in self._connections | found if key in found}
        self._close_excess()

    def _close_excess(self) -> None:
        counts: Counter[object] = Counter()
        closed: Counter[object] = Counter()
        for file, peer in self._connections:
            address = peer[0]
            counts[address] += 1
            if counts[address] <= self._max_connections:
                continue
            # The connection may be gone, and its descriptor reused.
            with contextlib.suppress(OSError), _borrow_socket(file) as connection:
                if connection.getpeername() == peer:
                    # With a reset: the peer may not read, and would keep the connection open.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    connection.shutdown(socket.SHUT_RDWR)
                    closed[address] += 1
        self.closed += closed.total()
        for address, number in closed.items():
            self._logger.warning("connections.closed", peer=address, count=number)


@contextlib.contextmanager
def _borrow_socket(file: int) -> Generator[socket.socket]:
    """Wrap a file descriptor of another owner; never close or copy it.

    Closing a copy of a database's descriptor would drop the locks of this process on the file.

    Raises:
        OSError: the descriptor is closed.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, fileno=file)
    try:
        yield found
    finally:
        found.detach()


def _numeric(host: str, port: int) -> str:
    """Return the address of a host name: libzmq accepts interfaces and addresses only."""
    return str(
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][4][0]
    )
