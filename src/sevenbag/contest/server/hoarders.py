"""Closing of connections that send without limit, and of too many from one address.

libzmq bounds the length of a frame, and how many messages wait to be read. It does not bound how
many frames a message has that never ends, nor how much one subscriber subscribes to; both would
fill the server's memory. So the kernel is asked, for each connection, how much has come by it and
how much of what it was sent has arrived. Where the kernel does not tell (it does on Linux), nothing
is closed.

libzmq closes a connection that does not finish its handshake in time, but accepts connections until
the process has no file descriptors left. So the connections from one address are limited: beyond
the limit, those that have sent nothing are closed first, newest first.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Generator

    import structlog

MOST_SUBSCRIBED: Final = 4 << 20
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


class Hoarders:
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
            await self.look()
            await asyncio.sleep(max(_PAUSE, _SHARE * (time.thread_time() - began)))

    async def look(self) -> None:
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
            return flow.sent if flow.sent > MOST_SUBSCRIBED else None
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
