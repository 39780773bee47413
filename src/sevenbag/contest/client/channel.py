"""A ZeroMQ socket of a client, in an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.errors import SilentServerError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.contest.client.address import Address


class Channel:
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

    def nudge(self) -> None:
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


async def expect_host(address: Address, seconds: float) -> None:
    """See that there is such a host: ZeroMQ would look for it for ever.

    Raises:
        SilentServerError: there is none, or nobody says so in time.
    """
    loop = asyncio.get_running_loop()
    for host in filter(None, dict.fromkeys((address.host, address.state_host))):
        try:
            async with asyncio.timeout(seconds):
                await loop.getaddrinfo(host, address.command_port)
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "that is no name of one"
            raise SilentServerError(f"no host {host}: {why or 'not found in time'}") from None


# --- helpers ------------------------------------------------------------------------------------

_LONGEST_MESSAGE: Final = 1 << 20
