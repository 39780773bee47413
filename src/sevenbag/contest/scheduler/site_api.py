"""Addresses, statuses and changes that the scheduler passes to the site."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

import msgspec

from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT

if TYPE_CHECKING:
    from types import TracebackType

CurrentStatus: TypeAlias = Literal["playing", "waiting", "finished"]


class MatchAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a match is played.

    Attributes:
        server: name of the game server.
        command_address: host name or address of its command channel, as clients reach it.
        state_address: of its state channel; mostly the same.
        internal_address: as machines of the organisers reach it.
        command_port: of the command channel.
        state_port: of the state channel.
    """

    server: str
    command_address: str
    state_address: str
    internal_address: str
    command_port: int
    state_port: int

    @property
    def state_endpoint(self) -> str:
        """ZeroMQ's address of the state channel, as machines of the organisers reach it."""
        apart = self.state_address != self.command_address
        host = self.state_address if apart else self.internal_address
        return (
            f"tcp://[{host}]:{self.state_port}"
            if ":" in host
            else (f"tcp://{host}:{self.state_port}")
        )

    def to_reply(self) -> dict[str, str | int]:
        """As the site's JSON replies have it; more than the contest's text where it must be."""
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
    """A test match that can be connected to.

    Attributes:
        token: what clients call it.
        match_id: its number in the store.
        address: where it is played.
    """

    token: str
    match_id: int
    address: MatchAddress

    @property
    def server_ip(self) -> str:
        """Host name or address, as clients reach it."""
        return self.address.command_address

    @property
    def internal_ip(self) -> str:
        """Host name or address, as machines of the organisers reach it."""
        return self.address.internal_address

    @property
    def command_port(self) -> int:
        """Of the command channel."""
        return self.address.command_port

    @property
    def state_port(self) -> int:
        """Of the state channel."""
        return self.address.state_port


class CurrentMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a team is to do now.

    Attributes:
        status: a match of a contest can be connected to; there will be one; there will be none.
        match_token: of the match that can be connected to.
        match_id: its number in the store.
        match_name: for people.
        opponent: name of the other team.
        address: where it is played.
    """

    status: CurrentStatus
    match_token: str = ""
    match_id: int = 0
    match_name: str = ""
    opponent: str = ""
    address: MatchAddress | None = None

    def to_reply(self) -> dict[str, str | int]:
        """As the site's JSON reply has it."""
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
    """A game server.

    Attributes:
        name: of the server.
        version: of sevenbag that it runs; empty before it has come.
        address: where its matches are played; None before it has come.
        capacity: matches at once, at most.
        matches: that it has been given.
        commands: answered since it began.
        alive: whether it is connected.
        draining: whether it takes no more matches because it is shutting down.
        since: when it came or went, in seconds since 1970.
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
    """Something that is otherwise than before.

    Attributes:
        kind: what; ``lost`` stands for changes that a listener was too slow to hear: everything
            may be otherwise.
        match_id: of the match in the store, if it is about one.
        token: of the match; not for the public.
        contest_id: of the contest in the store, if it is about one or about a match of one.
        number: of the game within its match.
        server: name of the game server.
    """

    kind: ChangeKind
    match_id: int | None = None
    token: str | None = None
    contest_id: int | None = None
    number: int | None = None
    server: str = ""


class ChangeFeed:
    """Gives every change to all that have subscribed."""

    def __init__(self) -> None:
        self._listeners: set[ChangeSubscription] = set()

    def publish(self, change: ContestChange) -> None:
        """Tell everybody; nobody is waited for."""
        for listener in self._listeners:
            listener.receive(change)

    def subscribe(self) -> ChangeSubscription:
        """What happens from now on."""
        subscription = ChangeSubscription(self)
        self._listeners.add(subscription)
        return subscription

    def unsubscribe(self, subscription: ChangeSubscription) -> None:
        """Tell this one nothing more."""
        self._listeners.discard(subscription)

    def close(self) -> None:
        """Tell everybody that nothing more will come."""
        for listener in tuple(self._listeners):
            listener.close()


class ChangeSubscription:
    """Changes, one after another; close it, or leave its context, when done."""

    def __init__(self, changes: ChangeFeed) -> None:
        self._changes = changes
        self._waiting: asyncio.Queue[ContestChange | None] = asyncio.Queue()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ContestChange:
        change = None if self._closed and self._waiting.empty() else await self._waiting.get()
        if change is None:
            raise StopAsyncIteration
        return change

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hear nothing more."""
        if not self._closed:
            self._closed = True
            self._changes.unsubscribe(self)
            self._waiting.put_nowait(None)

    def receive(self, change: ContestChange) -> None:
        """Be told of a change; who does not read them loses them, and is told so."""
        if self._waiting.qsize() >= _MOST_WAITING:
            while not self._waiting.empty():
                self._waiting.get_nowait()
            change = ContestChange("lost")
        self._waiting.put_nowait(change)


# --- helpers ------------------------------------------------------------------------------------

_MOST_WAITING: Final = 256
"""Changes that are kept for a listener."""
