"""Connection of a team to its match: addresses, sockets, and sessions that recover from failures.

Every wait is bounded. A request socket without an answer cannot send again, so it is replaced. A
command without an answer is repeated until `SessionTimeouts.server` has passed. If the state
channel is silent, a command checks whether the match continues, which also detects a lost
`MatchEnd`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import zmq

from sevenbag.contest.game.state_messages import (
    STATISTICS_TOPIC,
    GameStatistics,
    MatchStatistics,
    StatisticsMessage,
    decode_statistics,
)
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, bracket_host
from sevenbag.errors import (
    CommandRejectedError,
    InputError,
    ProtocolError,
    ServerUnreachableError,
    shown,
)
from sevenbag.protocols.pason.messages import (
    Command,
    ErrorResp,
    GameEnd,
    GameMove,
    GameMoveResp,
    MatchConnect,
    MatchConnectResp,
    MatchEnd,
    Reply,
    State,
    decode_reply,
    decode_state,
    encode,
)
from sevenbag.protocols.pason.pason_conversion import MoveName

SCHEME: Final = "pason://"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Address of the two channels of a game server.

    Attributes:
        host: name or IP address; an IPv6 address has no brackets.
        command_port: port of the command channel.
        state_port: port of the state channel.
        state_host: host of the state channel; empty if it is `host`.
    """

    host: str
    command_port: int = COMMAND_PORT
    state_port: int = STATE_PORT
    state_host: str = ""

    @property
    def command_endpoint(self) -> str:
        """ZeroMQ endpoint of the command channel."""
        return f"tcp://{bracket_host(self.host)}:{self.command_port}"

    @property
    def state_endpoint(self) -> str:
        """ZeroMQ endpoint of the state channel."""
        return f"tcp://{bracket_host(self.state_host or self.host)}:{self.state_port}"

    def __str__(self) -> str:
        has_default_ports = (self.command_port, self.state_port) == (COMMAND_PORT, STATE_PORT)
        ports = "" if has_default_ports else f":{self.command_port},{self.state_port}"
        return f"{SCHEME}{bracket_host(self.host)}{ports}"


def parse_server_address(text: str) -> ServerAddress:
    """Parse ``pason://HOST``, ``pason://HOST:COMMANDPORT`` or ``pason://HOST:COMMANDPORT,STATEPORT``.

    The default state port is one below the command port, as 5556 is below 5557.

    Raises:
        InputError: invalid address.
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"invalid game server: expected {SCHEME}HOST or {SCHEME}HOST:{COMMAND_PORT},"
            f"{STATE_PORT}, got {shown(text)}"
        )
    host = match["host"].strip("[]")
    if match["command"] is None:
        return ServerAddress(host)
    command = int(match["command"])
    state = command - 1 if match["state"] is None else int(match["state"])
    for port in (command, state):
        if not 1 <= port <= 65_535:
            raise InputError(
                f"invalid game server: expected ports from 1 to 65535, got {port} in {shown(text)}"
            )
    return ServerAddress(host, command, state)


class ClientSocket:
    """ZeroMQ socket, connected to an endpoint and read by the running event loop.

    Attributes:
        received: received messages in order, each a list of frames.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        kind: int,
        endpoint: str,
        topics: Iterable[bytes] = (),
    ) -> None:
        self.received: deque[list[bytes]] = deque()
        self._updated = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        socket = context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, _MAX_MESSAGE_BYTES)
        # No limit on queued messages: clients that are busy for a while must not lose states.
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.setsockopt(zmq.IPV6, 1)
        for topic in topics:
            socket.setsockopt(zmq.SUBSCRIBE, topic)
        socket.connect(endpoint)
        self._socket = socket
        descriptor = socket.getsockopt(zmq.FD)
        assert isinstance(descriptor, int)
        self._descriptor = descriptor
        self._loop.add_reader(descriptor, self._read)

    def send(self, *frames: bytes) -> None:
        """Send a message."""
        self._socket.send_multipart(frames, zmq.NOBLOCK)
        # The descriptor signals once; sending may have consumed the signal.
        self._read()

    async def wait(self, seconds: float) -> None:
        """Wait for a message or `wake` for a limited time; not at all if it is not positive."""
        self._read()
        if self.received or seconds <= 0:
            return
        self._updated.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds if math.isfinite(seconds) else None):
                await self._updated.wait()

    def wake(self) -> None:
        """End a running `wait`."""
        self._updated.set()

    def close(self) -> None:
        """Close the socket."""
        self._loop.remove_reader(self._descriptor)
        self._socket.close(0)

    def _read(self) -> None:
        try:
            while True:
                self.received.append(self._socket.recv_multipart(zmq.NOBLOCK))
        except zmq.ZMQError as error:
            if error.errno not in {zmq.EAGAIN, zmq.EFSM}:
                raise
        if self.received:
            self._updated.set()


def state_topics(token: str) -> tuple[bytes, bytes]:
    """Return the topics of the state messages and of the statistics of a match."""
    return token.encode(), (STATISTICS_TOPIC + token).encode()


def decode_state_frames(frames: Sequence[bytes]) -> State | StatisticsMessage:
    """Decode a message of the state channel.

    Raises:
        ProtocolError: invalid message.
    """
    if frames[0].startswith(STATISTICS_TOPIC.encode()):
        return decode_statistics(frames[-1])
    return decode_state(frames[-1])


async def resolve_host(address: ServerAddress, seconds: float) -> None:
    """Check that the host names of a server can be resolved; ZeroMQ would retry without an error.

    Raises:
        ServerUnreachableError: unknown host, or no answer in time.
    """
    loop = asyncio.get_running_loop()
    for host in filter(None, dict.fromkeys((address.host, address.state_host))):
        try:
            async with asyncio.timeout(seconds):
                await loop.getaddrinfo(host, address.command_port)
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "invalid name"
            raise ServerUnreachableError(
                f"cannot resolve host {host}: {reason or 'timed out'}"
            ) from None


@dataclass(frozen=True, slots=True)
class SessionTimeouts:
    """Timeouts of a session in seconds.

    Attributes:
        answer: time for the answer to a command, before it is repeated.
        server: time without any answer, after which the server is unreachable.
        state: time without a state message, after which a command checks the match.
        silence: time without a state message in a game, though commands are answered, after which
            the server is unreachable.
    """

    answer: float = 2.0
    server: float = 30.0
    state: float = 5.0
    silence: float = 60.0


class MatchSession:
    """Session of one team in one match, an asynchronous context; entering it connects.

    Its methods raise `CommandRejectedError` if the server does not accept the team, the match or
    the moves, `ServerUnreachableError` if it does not answer or sends no states.

    Attributes:
        is_over: True once the match has ended.
    """

    def __init__(
        self,
        address: ServerAddress,
        token: str,
        team: str,
        password: str,
        timeouts: SessionTimeouts | None = None,
    ) -> None:
        self.is_over = False
        self._address = address
        self._token = token
        self._connect = MatchConnect(match_token=token, team_name=team, password=password)
        self._timeouts = timeouts or SessionTimeouts()
        self._context = zmq.Context()
        self._commands: ClientSocket | None = None
        self._states: ClientSocket | None = None
        self._client_token = ""
        self._in_game = False
        self._has_received = False
        self._interrupted = False
        self._received_at = 0.0
        self._checked_at = 0.0

    async def __aenter__(self) -> Self:
        try:
            await resolve_host(self._address, self._timeouts.server)
            # Before connecting, so that no state is missed.
            self._subscribe()
            await self._register(time.monotonic() + self._timeouts.server)
        except BaseException:
            self._close()
            raise
        self._received_at = self._checked_at = time.monotonic()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._close()

    async def move(self, move: MoveName, number: int | None = None) -> bool:
        """Move the current piece, or only the piece with a number.

        Returns:
            True if the server confirmed the move; False if it was rejected as one too many, or if
            its outcome is unknown.
        """
        reply = await self._request(
            GameMove(client_token=self._client_token, move=move, piece_number=number)
        )
        if isinstance(reply, GameMoveResp):
            return True
        if not (isinstance(reply, ErrorResp) and reply.error == "too many moves"):
            await self._recover(reply)
        return False

    async def receive_states(self, until: float) -> list[State | StatisticsMessage]:
        """Return the received messages in order; wait for one if necessary.

        Args:
            until: time of `time.monotonic` at which, like `interrupt`, the waiting ends.
        """
        assert self._states is not None
        self._interrupted = False
        while True:
            due = self._next_check_at
            await self._states.wait(min(until, due) - time.monotonic())
            messages = self._read_states()
            now = time.monotonic()
            if messages or self.is_over or self._interrupted or now >= until:
                return messages
            if now >= self._next_check_at:
                await self._check_match()

    def interrupt(self) -> None:
        """End a running `receive_states`."""
        self._interrupted = True
        if self._states is not None:
            self._states.wake()

    async def _request(self, command: Command) -> Reply | None:
        """Return the reply to a command; None if it is missing or invalid."""
        if self._commands is None:
            self._commands = ClientSocket(self._context, zmq.REQ, self._address.command_endpoint)
        commands = self._commands
        commands.send(encode(command))
        deadline = time.monotonic() + self._timeouts.answer
        while not commands.received and (left := deadline - time.monotonic()) > 0:
            await commands.wait(left)
        if not commands.received:
            commands.close()
            self._commands = None
            return None
        try:
            return decode_reply(commands.received.popleft()[-1])
        except ProtocolError:
            return None

    async def _register(self, deadline: float) -> None:
        """Connect to the match; repeat until the server answers."""
        rejection: ErrorResp | None = None
        while True:
            reply = await self._request(self._connect)
            if isinstance(reply, MatchConnectResp):
                self._client_token = reply.client_token
                return
            expired = time.monotonic() >= deadline
            if isinstance(reply, ErrorResp):
                rejection = reply
                if reply.error == "match ended" and self._client_token:
                    self.is_over = True
                    return
                expired |= not self._client_token or reply.error not in _RESTART_ERRORS
            if expired and rejection is not None:
                raise CommandRejectedError(rejection.error, rejection.message)
            if expired:
                raise ServerUnreachableError(
                    f"{self._address} does not answer on its command channel, port "
                    f"{self._address.command_port}, within {self._timeouts.server:g} s"
                )
            # A server that restarts rejects at once.
            await asyncio.sleep(_RETRY_PAUSE if reply is not None else 0)

    async def _recover(self, reply: Reply | None) -> None:
        """Find the state of the match after an unexpected reply to a move."""
        error = reply if isinstance(reply, ErrorResp) else None
        if error is not None and error.error == "match ended":
            self.is_over = True
            return
        if error is not None and error.error in _CLIENT_ERRORS:
            raise CommandRejectedError(error.error, error.message)
        try:
            await self._register(time.monotonic() + self._timeouts.server)
        except CommandRejectedError:
            if error is None or not self._has_received:
                raise
            # Servers without a "match ended" error reject both moves and team after the end.
            self.is_over = True

    @property
    def _next_check_at(self) -> float:
        return max(self._received_at, self._checked_at) + self._timeouts.state

    def _subscribe(self) -> None:
        if self._states is not None:
            self._states.close()
        self._states = ClientSocket(
            self._context, zmq.SUB, self._address.state_endpoint, state_topics(self._token)
        )

    def _read_states(self) -> list[State | StatisticsMessage]:
        assert self._states is not None
        messages: list[State | StatisticsMessage] = []
        while self._states.received:
            try:
                message = decode_state_frames(self._states.received.popleft())
            except ProtocolError:
                continue
            messages.append(message)
            if isinstance(message, GameStatistics | MatchStatistics):
                continue
            self._has_received = True
            self._received_at = time.monotonic()
            self._in_game = not isinstance(message, GameEnd | MatchEnd)
            self.is_over = self.is_over or isinstance(message, MatchEnd)
        return messages

    async def _check_match(self) -> None:
        """Check by a command whether the match continues; subscribe again if it does."""
        silent = time.monotonic() - self._received_at
        if self._in_game and silent > self._timeouts.silence:
            raise ServerUnreachableError(
                f"{self._address} sends no states, port {self._address.state_port}, though it "
                f"answers commands; the last one came {silent:.0f} s ago"
            )
        self._checked_at = time.monotonic()
        # No piece has the number -1, so this moves nothing.
        reply = await self._request(
            GameMove(client_token=self._client_token, move="down", piece_number=-1)
        )
        if isinstance(reply, GameMoveResp):
            if self._in_game:
                self._subscribe()
            return
        await self._recover(reply)
        if not self.is_over:
            # The server was away; a new one may have taken its place.
            self._subscribe()

    def _close(self) -> None:
        for socket in (self._commands, self._states):
            if socket is not None:
                socket.close()
        self._commands = self._states = None
        self._context.destroy(linger=0)


_RETRY_PAUSE: Final = 0.25
_RESTART_ERRORS: Final = frozenset(("unknown match", "unknown client token", "server is ending"))
"""Errors of a restarted server that has not received its matches yet."""
_CLIENT_ERRORS: Final = frozenset(("unknown move", "malformed message"))
_MAX_MESSAGE_BYTES: Final = 1 << 20
_ADDRESS: Final = re.compile(
    r"pason://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s/:\[\],@]+)"
    r"(:(?P<command>[0-9]{1,9})(,(?P<state>[0-9]{1,9}))?)?/?",
    re.IGNORECASE | re.ASCII,
)
