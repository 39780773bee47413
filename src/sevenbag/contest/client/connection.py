"""Addresses of game servers and the sockets of a client."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT
from sevenbag.errors import InputError, ServerUnreachableError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEME: Final = "pason://"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A game server's two channels.

    Attributes:
        host: name or address; without brackets if it is one of IPv6.
        command_port: of the command channel.
        state_port: of the state channel.
        state_host: where the state channel is; empty for `host`.
    """

    host: str
    command_port: int = COMMAND_PORT
    state_port: int = STATE_PORT
    state_host: str = ""

    @property
    def command_endpoint(self) -> str:
        """Of the command channel, as ZeroMQ wants it."""
        return f"tcp://{_bracketed(self.host)}:{self.command_port}"

    @property
    def state_endpoint(self) -> str:
        """Of the state channel."""
        return f"tcp://{_bracketed(self.state_host or self.host)}:{self.state_port}"

    def __str__(self) -> str:
        usual = (self.command_port, self.state_port) == (COMMAND_PORT, STATE_PORT)
        ports = "" if usual else f":{self.command_port},{self.state_port}"
        return f"{SCHEME}{_bracketed(self.host)}{ports}"


def parse_server_address(text: str) -> ServerAddress:
    """The game server that a text names.

    One port alone is that of the command channel; the state channel is then one below, as 5556 is
    below 5557.

    Raises:
        InputError: it names none.
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"{shown(text)} is no game server; expected {SCHEME}HOST, or with ports "
            f"{SCHEME}HOST:{COMMAND_PORT},{STATE_PORT}"
        )
    host = match["host"].strip("[]")
    if match["command"] is None:
        return ServerAddress(host)
    command = _port(match["command"], text)
    state = command - 1 if match["state"] is None else _port(match["state"], text)
    if state == 0:
        raise InputError(f"{shown(text)}: there is no port below 1 for the state channel")
    return ServerAddress(host, command, state)


class ClientSocket:
    """A socket that is read as soon as something comes.

    Attributes:
        received: messages, each a list of frames, in order.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        kind: int,
        endpoint: str,
        topics: Iterable[bytes] = (),
    ) -> None:
        """Connect, in the running loop.

        Args:
            context: of ZeroMQ.
            kind: such as ``zmq.REQ`` or ``zmq.SUB``.
            endpoint: to connect to; whether anybody is there is not looked at.
            topics: to subscribe to.
        """
        self.received: deque[list[bytes]] = deque()
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        socket = context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, _LONGEST_MESSAGE)
        # All that was told is to be heard, also by whoever is busy for a while.
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
        """Send one message."""
        self._socket.send_multipart(frames, zmq.NOBLOCK)
        # The descriptor tells of news only once: sending may have taken it away.
        self._read()

    async def wait(self, seconds: float) -> None:
        """Until there is news, at most so long; not at all if that is not above 0."""
        self._read()
        if self.received or seconds <= 0:
            return
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds if math.isfinite(seconds) else None):
                await self._news.wait()

    def wake(self) -> None:
        """Whoever waits is to wait no longer."""
        self._news.set()

    def close(self) -> None:
        """Let go of it."""
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
            self._news.set()


async def resolve_host(address: ServerAddress, seconds: float) -> None:
    """See that there is such a host: ZeroMQ would look for it for ever.

    Raises:
        ServerUnreachableError: there is none, or nobody says so in time.
    """
    loop = asyncio.get_running_loop()
    for host in filter(None, dict.fromkeys((address.host, address.state_host))):
        try:
            async with asyncio.timeout(seconds):
                await loop.getaddrinfo(host, address.command_port)
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "that is no name of one"
            raise ServerUnreachableError(f"no host {host}: {why or 'not found in time'}") from None


# --- helpers ------------------------------------------------------------------------------------

_ADDRESS: Final = re.compile(
    r"pason://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s/:\[\],@]+)"
    r"(:(?P<command>[0-9]{1,9})(,(?P<state>[0-9]{1,9}))?)?/?",
    re.IGNORECASE | re.ASCII,
)


def _port(text: str, whole: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise InputError(f"{shown(whole)}: {port} is no port from 1 to 65535")
    return port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


_LONGEST_MESSAGE: Final = 1 << 20
