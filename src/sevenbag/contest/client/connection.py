"""Addresses of game servers, and sockets of clients that are served by the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.contest.game.state_encoder import STATISTICS_TOPIC, decode_statistics
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT
from sevenbag.errors import InputError, ServerUnreachableError, shown
from sevenbag.protocols.pason.messages import decode_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import State

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
        return f"tcp://{_bracketed(self.host)}:{self.command_port}"

    @property
    def state_endpoint(self) -> str:
        """ZeroMQ endpoint of the state channel."""
        return f"tcp://{_bracketed(self.state_host or self.host)}:{self.state_port}"

    def __str__(self) -> str:
        has_default_ports = (self.command_port, self.state_port) == (COMMAND_PORT, STATE_PORT)
        ports = "" if has_default_ports else f":{self.command_port},{self.state_port}"
        return f"{SCHEME}{_bracketed(self.host)}{ports}"


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
    """ZeroMQ socket that is read by the event loop.

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
        """Connect, in the running event loop.

        Args:
            context: ZeroMQ context.
            kind: socket type such as ``zmq.REQ`` or ``zmq.SUB``.
            endpoint: endpoint to connect to; it need not be reachable yet.
            topics: topics to subscribe to.
        """
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


# --- helpers ------------------------------------------------------------------------------------

_MAX_MESSAGE_BYTES: Final = 1 << 20
_ADDRESS: Final = re.compile(
    r"pason://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s/:\[\],@]+)"
    r"(:(?P<command>[0-9]{1,9})(,(?P<state>[0-9]{1,9}))?)?/?",
    re.IGNORECASE | re.ASCII,
)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
