"""Game servers as the scheduler knows them, and their connections."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from sevenbag.contest.scheduler.site_api import MatchAddress, ServerStatus
from sevenbag.contest.scheduler_protocol import SchedulerMessage, ServerHello, StopMatch, encode


class ServerConnection:
    """Connection of a game server.

    Attributes:
        hosting: tokens of the matches that the server hosts, as far as known.
        last_received_at: time of the last message, by the scheduler's clock.
        closing: set when the connection is to end.
    """

    def __init__(self, hello: ServerHello, now: float) -> None:
        self.hello = hello
        self.hosting = set(hello.hosting)
        self.last_received_at = now
        self.received_count = 1
        self.closing = asyncio.Event()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    @property
    def name(self) -> str:
        """Name of the server."""
        return self.hello.name

    def send(self, message: SchedulerMessage) -> None:
        """Queue a message; close the connection if the server does not read."""
        if self._queue.qsize() < _MAX_QUEUED:
            self._queue.put_nowait(encode(message))
        else:
            self.close()

    def close(self) -> None:
        """End the connection after the queued messages."""
        self.closing.set()
        self._queue.put_nowait(None)

    async def send_queued(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send queued messages until the connection closes."""
        try:
            while (frame := await self._queue.get()) is not None:
                async with asyncio.timeout(_SEND_SECONDS):
                    await send(frame)
        except (ConnectionError, TimeoutError):
            self.closing.set()

    def stop_match(self, token: str, reason: str, *, continues_elsewhere: bool = False) -> None:
        """Stop a match on the server; `reason` is for its logs."""
        self.hosting.discard(token)
        self.send(
            StopMatch(match_token=token, reason=reason, continues_elsewhere=continues_elsewhere)
        )


class RegisteredServer:
    """Game server by name, connected or not.

    Attributes:
        hello: last hello; None for a server that is known from the store only.
        changed: time of the last connection or disconnection, by the scheduler's clock.
        since: the same time in seconds since 1970.
        commands: number of answered commands in the last heartbeat.
        draining: True if the server takes no more matches.
    """

    def __init__(self, name: str, now: float, wall_time: float) -> None:
        self.name = name
        self.connection: ServerConnection | None = None
        self.hello: ServerHello | None = None
        self.changed = now
        self.since = wall_time
        self.commands = 0
        self.draining = False

    def connect(self, connection: ServerConnection, now: float, wall_time: float) -> None:
        """Set the connection."""
        self.connection = connection
        self.hello = connection.hello
        self.changed, self.since = now, wall_time
        self.draining = False

    def disconnect(self, now: float, wall_time: float) -> None:
        """Remove the connection."""
        self.connection = None
        self.changed, self.since = now, wall_time

    @property
    def address(self) -> MatchAddress | None:
        """Address of its matches; None before its first connection."""
        if self.hello is None:
            return None
        return MatchAddress(
            server=self.name,
            command_address=self.hello.command_address,
            state_address=self.hello.state_address,
            internal_address=self.hello.internal_address,
            command_port=self.hello.command_port,
            state_port=self.hello.state_port,
        )

    def status(self, matches: int) -> ServerStatus:
        """Return the status for the site."""
        return ServerStatus(
            name=self.name,
            version=self.hello.version if self.hello else "",
            address=self.address,
            capacity=self.hello.capacity if self.hello else 0,
            matches=matches,
            commands=self.commands,
            is_connected=self.connection is not None,
            draining=self.draining,
            since=self.since,
        )


def choose_server(
    servers: Iterable[RegisteredServer],
    load: Mapping[str, int],
    avoided: Iterable[str],
    preferred: str = "",
) -> RegisteredServer | None:
    """Choose the preferred server if it has capacity, else the one with the lowest relative load.

    Returns None if all servers except the avoided ones are full.
    """
    apart = set(avoided)
    free = [
        (
            server.name != preferred,
            load.get(server.name, 0) / server.hello.capacity,
            server.name,
            server,
        )
        for server in servers
        if server.connection is not None
        and server.hello is not None
        and not server.draining
        and server.name not in apart
        and load.get(server.name, 0) < server.hello.capacity
    ]
    return min(free)[-1] if free else None


_MAX_QUEUED: Final = 10_000
"""Maximum number of queued messages of a server."""
_SEND_SECONDS: Final = 10.0
