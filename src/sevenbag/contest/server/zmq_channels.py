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
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import zmq

from sevenbag.contest.game.state_encoder import STATISTICS_TOPIC
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    import structlog

ReplyAddress: TypeAlias = tuple[bytes, ...]
"""Where an answer goes: all frames of the envelope, the empty one included."""

_COMMAND_ROUND: Final = 64
"""Commands in a row; then timers and other sockets have their turn. About a millisecond."""

_TOGETHER: Final = 8
"""Answers that leave together: to wake libzmq's thread for each costs more where processors are
scarce, and to keep back more of them leaves clients idle where they are not."""

_WAITING: Final = 32
"""Commands of one connection that libzmq takes in before they are read."""

_UNREAD: Final = 10_000
"""Answers that wait for one client to read them; further ones are dropped."""

_MAX_FRAME_BYTES: Final = 2 << 20
"""What libzmq takes in at all. Beyond it a connection is closed, and its client never answered, so
that there is room above the largest command for an answer in words."""

_MAX_FRAMES: Final = 8
"""Of a message; what comes behind them is not looked at."""

_COMMAND_BACKLOG: Final = 1_024

_NO_FRAME: Final = zmq.Frame()

_DONTWAIT: Final = int(zmq.DONTWAIT)

_EVENTS: Final = int(zmq.EVENTS)

_READABLE: Final = int(zmq.POLLIN)

_MORE: Final = int(zmq.DONTWAIT | zmq.SNDMORE)


class CommandChannel:
    """Takes commands and sends their answers.

    Attributes:
        endpoint: where it listens, such as ``tcp://127.0.0.1:5557``.
        port: of it.
        largest_frame: bytes that libzmq takes in at once; whoever sends more is cut off.
        dropped: messages that were no requests: their envelope is none that REQ sends.
        unsent: answers whose client has gone, or reads none.

    Args:
        context: of libzmq.
        host: address to listen at.
        port: 0 takes a free one.
        max_command_bytes: bytes of a command.
        answer: gives the answer to a command, or None when it will come by `reply`.

    Raises:
        InputError: there is no listening at that address.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        host: str,
        port: int,
        *,
        max_frame_bytes: int,
        answer: Callable[[ReplyAddress, bytes], bytes | None],
    ) -> None:
        socket = context.socket(zmq.ROUTER)
        set_socket_options(socket)
        socket.set(zmq.BACKLOG, _COMMAND_BACKLOG)
        socket.set(zmq.RCVHWM, _WAITING)
        socket.set(zmq.SNDHWM, _UNREAD)
        # It then says that an answer has nobody to go to, where it would silently drop it.
        socket.set(zmq.ROUTER_MANDATORY, 1)
        self.largest_frame = max(_MAX_FRAME_BYTES, 2 * max_frame_bytes)
        socket.set(zmq.MAXMSGSIZE, self.largest_frame)
        self.endpoint, self.port = bind_socket(socket, host, port, "command")
        self.dropped = 0
        self.unsent = 0
        self._socket = socket
        self._answer = answer
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

    def start(self) -> None:
        """Take commands, within the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.FD, self._read)
        # What came before has been signalled already.
        self._loop.call_soon(self._read)

    def reply(self, sender: ReplyAddress, body: bytes) -> None:
        """Answer a command, once."""
        if self._loop is not None and not self._socket.closed:
            self._send(sender, body)
            self._read_again_if_there_is_more()

    def close(self) -> None:
        """Take no more commands; answers that are under way still go out."""
        if self._loop is not None and not self._socket.closed:
            self._loop.remove_reader(self._socket.FD)
        self._loop = None
        self._socket.close()

    # --- helpers --------------------------------------------------------------------------------

    def _read(self) -> None:
        """Answer what has come, up to a bound.

        libzmq signals once that there is something: it is read until there is nothing.
        """
        for _ in range(_COMMAND_ROUND // _TOGETHER):
            if self._loop is None or not self._read_some():
                break
        self._read_again_if_there_is_more()

    def _read_some(self) -> bool:
        """Answer some messages; False if there are no more."""
        answers: list[tuple[ReplyAddress, bytes]] = []
        try:
            return all(self._read_one(answers) for _ in range(_TOGETHER))
        finally:
            for sender, answer in answers:
                self._send(sender, answer)

    def _read_again_if_there_is_more(self) -> None:
        """To be called after sending, which may take libzmq's signal that something has come."""
        if self._loop is not None and int(self._socket.get(_EVENTS)) & _READABLE:
            self._loop.call_soon(self._read)

    def _read_one(self, answers: list[tuple[ReplyAddress, bytes]]) -> bool:
        """Read a message, and put down its answer; False if there is none."""
        recv = self._socket.recv
        try:
            identity = recv(_DONTWAIT)
        except zmq.Again:
            return False
        # As frames they say whether more of them follow, which to ask for costs as much again.
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
        """What has another envelope than usual; only one that REP would take is answered.

        Requests may have come through devices, or have a number of their own: then there are
        frames before the empty one. What follows it is one command, in however many frames.
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
"""What everything is, for those who subscribe to that."""


class StateChannel:
    """Publishes messages of matches.

    Attributes:
        endpoint: where it listens, such as ``tcp://127.0.0.1:5556``.
        port: of it.
        told: messages that were published.
        incomplete: those that not every subscriber was sent, because one was too far behind.

    Args:
        context: of libzmq.
        host: address to listen at.
        port: 0 takes a free one.
        backlog: messages that may wait for one subscriber; 0 for no bound.

    Raises:
        InputError: there is no listening at that address.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], host: str, port: int, *, backlog: int
    ) -> None:
        socket = context.socket(zmq.XPUB)
        set_socket_options(socket)
        socket.set(zmq.BACKLOG, _CONNECTION_BACKLOG)
        socket.set(zmq.SNDHWM, backlog)
        socket.set(zmq.MAXMSGSIZE, _MAX_SUBSCRIPTION_BYTES)
        # It then says that a subscriber has no room, where it would silently drop.
        socket.set(zmq.XPUB_NODROP, 1)
        # Subscriptions are what we make of them: see `process_subscriptions`.
        socket.set(zmq.XPUB_MANUAL, 1)
        self.endpoint, self.port = bind_socket(socket, host, port, "state")
        self.published = 0
        self.incomplete = 0
        self._socket = socket

    def publish(self, token: bytes, messages: Iterable[bytes]) -> bool:
        """Tell how a match stands.

        Args:
            token: of the match; the first of two frames.
            messages: in order; each is a second frame.

        Returns: whether all of them went to all subscribers.
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
                self._publish_to_those_with_room(token, message)
        return complete

    def process_subscriptions(self) -> None:
        """Take note of new subscribers, of so many at a time."""
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
        """Tell nothing more; what is under way still goes out."""
        self._socket.close()

    # --- helpers --------------------------------------------------------------------------------

    def _publish_to_those_with_room(self, token: bytes, message: bytes) -> None:
        self.incomplete += 1
        self._socket.set(zmq.XPUB_NODROP, 0)
        self._socket.send(token, _MORE)
        self._socket.send(message, _DONTWAIT)
        self._socket.set(zmq.XPUB_NODROP, 1)


_LINGER: Final = 2_000
"""Milliseconds that the last messages have to go out when a socket is closed."""

# All peers, including those of 2012, send their greeting right after connecting.
_HANDSHAKE: Final = 10_000
"""Milliseconds for a peer's greeting; libzmq's default is 30 seconds."""

# Half-open connections: the peer's machine has gone without a word. ZMTP has heartbeats for that,
# which old peers take for nonsense; TCP's are answered by the peer's kernel.
_QUIET_SECONDS: Final = 60

_PROBE_SECONDS: Final = 10

_PROBES: Final = 6


def set_socket_options(zmq_socket: zmq.Socket[bytes]) -> None:
    """Set what both channels want of libzmq: nothing that a peer of 2012 would not understand."""
    zmq_socket.set(zmq.LINGER, _LINGER)
    zmq_socket.set(zmq.HANDSHAKE_IVL, _HANDSHAKE)
    zmq_socket.set(zmq.TCP_KEEPALIVE, 1)
    zmq_socket.set(zmq.TCP_KEEPALIVE_IDLE, _QUIET_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_INTVL, _PROBE_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_CNT, _PROBES)


def bind_socket(
    zmq_socket: zmq.Socket[bytes], host: str, port: int, channel: str
) -> tuple[str, int]:
    """Let a socket listen; it is closed where that fails.

    Args:
        zmq_socket: which.
        host: a name or an address of this machine.
        port: 0 takes a free one.
        channel: what it is for, in errors.

    Returns: its endpoint, and its port.

    Raises:
        InputError: the port is taken, or not ours to take; or there is no such address.
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
        # libzmq says "no such device" of an address that is not this machine's.
        strange = error.errno in {errno.ENODEV, errno.EADDRNOTAVAIL}
        reason = "no address of this machine" if strange else os.strerror(error.errno or 0)
    else:
        endpoint = zmq_socket.get_string(zmq.LAST_ENDPOINT)
        return endpoint, int(endpoint.rpartition(":")[2])
    zmq_socket.close(0)
    raise InputError(f"the {channel} channel cannot listen at {host}:{port}: {reason}")


MAX_SUBSCRIPTIONS: Final = 4 << 20
"""Bytes that a subscriber may send in all: subscriptions to some 100,000 matches.

libzmq takes 64 bytes of memory for each frame of an unfinished message, and a frame may be two
bytes long: at worst, memory grows by 32 times as much.
"""

_PAUSE: Final = 0.05

_SHARE: Final = 50
"""Seconds between two rounds, at least; and how many times as long as a round takes."""

_AT_ONCE: Final = 50
"""Connections that are looked at in a row; then others have their turn. Less than a millisecond."""

_FILES: Final = Path("/proc/self/fd")

# Of Linux's struct tcp_info: the state, then bytes that the peer has acknowledged and sent.
_INFO: Final = struct.Struct("=B119xQQ")

_INFO_OPTION: Final[int | None] = getattr(socket, "TCP_INFO", None)

_ESTABLISHED: Final = 1

_RESET: Final = struct.pack("ii", 1, 0)

_Connection: TypeAlias = tuple[int, tuple[object, ...]]
"""File descriptor, and address and port of the peer."""


class _Flow(NamedTuple):
    """What has gone over a connection.

    Attributes:
        arrived: bytes that the peer has acknowledged.
        sent: bytes that the peer has sent.
    """

    arrived: int
    sent: int


class AddressLimiter:
    """Looks after the connections of this process's two channels.

    Attributes:
        closed: connections so far.

    Args:
        command_port: of the command channel: there, a client is sent an answer now and then.
        state_port: of the state channel: there, it has little to say.
        most_unanswered: bytes that a client may send while nothing that it is sent arrives.
        most_of_address: maximum number of connections from one address.
        logger: of the server.
    """

    def __init__(
        self,
        command_port: int,
        state_port: int,
        *,
        most_unanswered: int,
        most_of_address: int,
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self.closed = 0
        self._command_port = command_port
        self._state_port = state_port
        self._most_unanswered = most_unanswered
        self._most_of_address = most_of_address
        self._logger = logger
        # State of each connection when the peer last acknowledged data; the oldest one comes first.
        self._flows: dict[_Connection, _Flow] = {}

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        if _INFO_OPTION is None or not _FILES.is_dir():
            return
        while True:
            # Processor time: a busy machine must not make the rounds rarer.
            began = time.thread_time()
            await self.run_pass()
            await asyncio.sleep(max(_PAUSE, _SHARE * (time.thread_time() - began)))

    async def run_pass(self) -> None:
        """Look at each connection once."""
        try:
            names = os.listdir(_FILES)  # noqa: PTH208  # paths would take longer
        except OSError:
            # Every file is taken, so that this folder cannot be opened either.
            return
        before, self._flows = self._flows, {}
        for number, name in enumerate(names):
            # Files come and go meanwhile, in libzmq's threads; most are no connections.
            with contextlib.suppress(OSError):
                self._look_at(int(name), before)
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)
        # File descriptors are reused, so only this order shows which connections are old.
        self._flows = {
            key: self._flows[key] for key in (before | self._flows) if key in self._flows
        }
        self._close_beyond_bound()

    # --- helpers --------------------------------------------------------------------------------

    def _look_at(self, file: int, before: dict[_Connection, _Flow]) -> None:
        with _looked_at(file) as connection:
            sent = self._sent_without_end(file, connection, before)
        if sent is None:
            return
        with _copied(file) as connection:
            # Another connection may have taken the number meanwhile: it is judged by itself.
            if self._sent_without_end(file, connection, before) is not None:
                peer = connection.getpeername()[0]
                self._close(connection)
                self._logger.warning(
                    "connection closed: it sends without end", peer=peer, bytes=sent
                )

    def _sent_without_end(
        self, file: int, connection: socket.socket, before: dict[_Connection, _Flow]
    ) -> int | None:
        """How many bytes too many have come; None where all is well."""
        flow = _flow(connection)
        if flow is None:
            return None
        port = connection.getsockname()[1]
        if port not in {self._command_port, self._state_port}:
            return None
        key = file, connection.getpeername()
        if port == self._state_port:
            self._flows[key] = flow
            return flow.sent if flow.sent > MAX_SUBSCRIPTIONS else None
        last = before.get(key, flow)
        if last.arrived != flow.arrived:
            last = flow
        self._flows[key] = last
        sent = flow.sent - last.sent
        return sent if sent > self._most_unanswered else None

    def _close_beyond_bound(self) -> None:
        counts: Counter[object] = Counter()
        closed: Counter[object] = Counter()
        for (file, peer), _ in sorted(self._flows.items(), key=lambda item: item[1].sent == 0):
            address = peer[0]
            counts[address] += 1
            if counts[address] <= self._most_of_address:
                continue
            # The connection may be gone, and its descriptor reused.
            with contextlib.suppress(OSError), _copied(file) as connection:
                if connection.getpeername() == peer:
                    self._close(connection)
                    closed[address] += 1
        for address, number in closed.items():
            self._logger.warning("connections.closed", peer=address, count=number)

    def _close(self, connection: socket.socket) -> None:
        # With a reset: who sends and does not read would wait for the end of an orderly farewell.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        connection.shutdown(socket.SHUT_RDWR)
        self.closed += 1


@contextlib.contextmanager
def _looked_at(file: int) -> Generator[socket.socket]:
    """Somebody else's file as a socket; it is never closed here, nor is a copy of it.

    Whoever closes a copy of a database's file gives up the locks that this process has on it.

    Raises:
        OSError: it is no longer there.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, fileno=file)
    try:
        yield found
    finally:
        found.detach()


def _copied(file: int) -> socket.socket:
    """A copy of a connection, which stays what it is, whatever becomes of the file meanwhile.

    Raises:
        OSError: it is no longer there.
    """
    copy = os.dup(file)
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM, fileno=copy)
    except OSError:
        os.close(copy)
        raise


def _flow(connection: socket.socket) -> _Flow | None:
    """What has gone over a connection; None if it is none, or the kernel does not tell."""
    assert _INFO_OPTION is not None
    told = connection.getsockopt(socket.IPPROTO_TCP, _INFO_OPTION, _INFO.size)
    if len(told) < _INFO.size:
        return None
    state, arrived, sent = _INFO.unpack(told)
    return _Flow(arrived, sent) if state == _ESTABLISHED else None


# --- helpers ------------------------------------------------------------------------------------


def _numeric(host: str, port: int) -> str:
    """The address of a name: libzmq takes interfaces and addresses only."""
    return str(
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][4][0]
    )
