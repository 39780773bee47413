"""Game servers as the scheduler sees them: connections, and who has room."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.scheduler.site_api import MatchAddress, ServerStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ServerConnection:
    """One connection of a game server: what is to be said on it, and whether it still is.

    Attributes:
        hello: what it introduced itself with.
        hosting: tokens of matches that it plays, as far as is known.
        heard: when it last said something, by the scheduler's clock.
        frames: how often it has said something.
        closing: set when the connection is to end.
    """

    def __init__(self, hello: scheduler_protocol.ServerHello, now: float) -> None:
        self.hello = hello
        self.hosting = set(hello.hosting)
        self.last_received_at = now
        self.received_count = 1
        self.closing = asyncio.Event()
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()

    def send(self, message: scheduler_protocol.SchedulerMessage) -> None:
        """Say it soon; a server that does not listen is dropped."""
        if self._waiting.qsize() >= _MOST_WAITING:
            self.closing.set()
            return
        self._waiting.put_nowait(scheduler_protocol.encode(message))

    async def next_frame(self) -> bytes:
        """What is to be sent next."""
        return await self._waiting.get()

    def rest(self) -> list[bytes]:
        """What is still to be sent when the connection is closing."""
        frames: list[bytes] = []
        while not self._waiting.empty():
            frames.append(self._waiting.get_nowait())
        return frames


class RegisteredServer:
    """A game server by its name, connected or not.

    Attributes:
        name: of the server.
        link: its connection; None while there is none.
        hello: the last one; None for a server that is known from the store alone.
        changed: when it came or went, by the scheduler's clock.
        since: the same, in seconds since 1970.
        commands: answered, as it last told.
        draining: whether it takes no more matches.
    """

    def __init__(self, name: str, now: float, wall: float) -> None:
        self.name = name
        self.connection: ServerConnection | None = None
        self.hello: scheduler_protocol.ServerHello | None = None
        self.changed = now
        self.since = wall
        self.commands = 0
        self.draining = False

    def connect(self, connection: ServerConnection, now: float, wall: float) -> None:
        """It has connected."""
        self.connection = connection
        self.hello = connection.hello
        self.changed, self.since = now, wall
        self.draining = False

    def disconnect(self, now: float, wall: float) -> None:
        """It is connected no more."""
        self.connection = None
        self.changed, self.since = now, wall

    @property
    def address(self) -> MatchAddress | None:
        """Where its matches are played; None before it has come."""
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
        """For the site."""
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
    """Choose the server with the lowest relative load; None if all are full.

    Args:
        servers: all.
        load: matches by server's name.
        avoided: names of servers that are not to be taken.
        home: name of the server that is preferred if it has capacity.
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


# --- helpers ------------------------------------------------------------------------------------

_MOST_WAITING: Final = 10_000
"""Messages for a server that does not read them."""
