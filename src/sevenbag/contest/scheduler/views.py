"""What the scheduler tells the site: who plays where."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT

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


class ServerView(msgspec.Struct, frozen=True, kw_only=True):
    """A game server.

    Attributes:
        name: of the server.
        version: of sevenbag that it runs; empty before it has come.
        address: where its matches are played; None before it has come.
        capacity: matches at once, at most.
        matches: that it has been given.
        commands: answered since it began.
        alive: whether it is connected.
        draining: whether it takes no more matches because it is about to end.
        since: when it came or went, in seconds since 1970.
    """

    name: str
    version: str
    address: MatchAddress | None
    capacity: int
    matches: int
    commands: int
    alive: bool
    draining: bool
    since: float
