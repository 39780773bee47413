"""Addresses, statuses and changes that the scheduler passes to the site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, bracket_host

CurrentStatus: TypeAlias = Literal["playing", "waiting", "finished"]


class MatchAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Address of a match.

    Attributes:
        command_address: host name or address of the command channel for clients.
        state_address: host name or address of the state channel for clients; usually the same.
        internal_address: host name or address for machines of the administrators.
    """

    server: str
    command_address: str
    state_address: str
    internal_address: str
    command_port: int
    state_port: int

    @property
    def state_endpoint(self) -> str:
        """ZeroMQ endpoint of the state channel for machines of the administrators."""
        apart = self.state_address != self.command_address
        host = self.state_address if apart else self.internal_address
        return f"tcp://{bracket_host(host)}:{self.state_port}"

    def to_reply(self) -> dict[str, str | int]:
        """Return the fields of a JSON reply; only unusual ports extend the contest's text."""
        reply: dict[str, str | int] = {
            "server_ip": self.command_address,
            "internal_ip": self.internal_address,
        }
        if self.state_address != self.command_address:
            reply["state_ip"] = self.state_address
        if self.command_port != COMMAND_PORT:
            reply["command_port"] = self.command_port
        if self.state_port != STATE_PORT:
            reply["state_port"] = self.state_port
        return reply


class TestMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Test match that accepts connections."""

    token: str
    match_id: int
    address: MatchAddress


class CurrentMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Current match of a team in the contests.

    Attributes:
        status: the match accepts connections, the team waits for one, or it has none left.
    """

    status: CurrentStatus
    match_token: str = ""
    match_id: int = 0
    match_name: str = ""
    opponent: str = ""
    address: MatchAddress | None = None

    def to_reply(self) -> dict[str, str | int]:
        """Return the fields of a JSON reply."""
        if self.address is None:
            return {"status": self.status}
        return {
            "status": self.status,
            "match_token": self.match_token,
            "match_id": self.match_id,
            "match_name": self.match_name,
            "opponent": self.opponent,
            **self.address.to_reply(),
        }


class ServerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Status of a game server.

    Attributes:
        address: address of its matches; None before its first connection.
        commands: number of commands answered since its start.
        draining: True if it takes no more matches because it is shutting down.
        since: time of the last connection or disconnection, in seconds since 1970.
    """

    name: str
    version: str
    address: MatchAddress | None
    capacity: int
    matches: int
    commands: int
    is_connected: bool
    draining: bool
    since: float


ChangeKind: TypeAlias = Literal[
    "server",
    "match waiting",
    "match placed",
    "joined",
    "game began",
    "game done",
    "match done",
    "match called off",
    "contest",
    "lost",
]


class ContestChange(msgspec.Struct, frozen=True):
    """Change of a contest, a match or a server.

    Attributes:
        kind: kind of the change; ``lost`` replaces changes that a slow subscriber missed.
        token: token of the match; not for the public.
        number: number of the game within its match.
    """

    kind: ChangeKind
    match_id: int | None = None
    token: str | None = None
    contest_id: int | None = None
    number: int | None = None
    server: str = ""


class ChangeFeed:
    """Feed of changes for any number of subscribers."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[ContestChange | None]] = set()

    def publish(self, change: ContestChange) -> None:
        """Send a change to all subscribers without waiting."""
        for queue in self._queues:
            if queue.qsize() < _MAX_UNREAD:
                queue.put_nowait(change)
                continue
            while not queue.empty():
                queue.get_nowait()
            queue.put_nowait(ContestChange("lost"))

    @contextmanager
    def subscribe(self) -> Generator[AsyncIterator[ContestChange]]:
        """Return all further changes, as a context; leaving it ends the subscription."""
        queue: asyncio.Queue[ContestChange | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield _read_changes(queue)
        finally:
            self._queues.discard(queue)

    def close(self) -> None:
        """End all subscriptions."""
        for queue in self._queues:
            queue.put_nowait(None)
        self._queues.clear()


_MAX_UNREAD: Final = 256
"""Maximum number of unread changes of a subscriber."""


async def _read_changes(
    queue: asyncio.Queue[ContestChange | None],
) -> AsyncGenerator[ContestChange]:
    while (change := await queue.get()) is not None:
        yield change
