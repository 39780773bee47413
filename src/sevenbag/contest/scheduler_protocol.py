"""Messages between game servers and the scheduler: JSON, one message per WebSocket frame.

A game server connects, authenticates with the secret of the contest, and sends `ServerHello`. The
scheduler assigns matches to it. A finished game is sent to the scheduler with its replay before its
end is published to clients; the scheduler answers `GameStored` when it is in the store. Results
without an answer are sent again at the next connection, so that a crash of either side loses no
finished game. If two servers have played the same match, the game that is stored first counts.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.game.match_results import (
    ContestGameResult,  # msgspec reads the annotations
    MatchResult,  # msgspec reads the annotations
    Text,  # msgspec reads the annotations
)
from sevenbag.contest.settings import ContestRules  # msgspec reads the annotations

MAX_FRAME_BYTES = 16 << 20
"""Maximum size of a message in bytes."""

LINK_PATH = "/scheduler/link"
"""Path of the WebSocket for game servers."""

TOKEN_LENGTH: Final = 36

Token: TypeAlias = Annotated[str, msgspec.Meta(min_length=TOKEN_LENGTH, max_length=TOKEN_LENGTH)]
"""A UUID. All have the same length, so none is a prefix of another."""


class AssignedPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A player of a match.

    Attributes:
        password_hash: argon2 hash of the password; empty for a built-in player.
        bot: built-in bot that plays, such as ``random``; empty for a team that connects.
    """

    team: Text
    password_hash: Annotated[str, msgspec.Meta(max_length=400)] = ""
    bot: Annotated[str, msgspec.Meta(max_length=200)] = ""


class ServerHello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """First message of a game server.

    Attributes:
        name: name of the server; a second server of the same name is dismissed.
        command_address: host name or address of the command channel for clients.
        state_address: host name or address of the state channel for clients; usually the same.
        internal_address: address for machines of the administrators.
        capacity: maximum number of matches at once.
        hosting: tokens of the matches that the server still plays.
        ended: tokens of matches whose `MatchFinished` is not answered yet.
        instance: identifies the process, to distinguish a second server of the same name from a
            reconnect.
    """

    name: Text
    version: Text
    command_address: Text
    state_address: Text
    internal_address: Text
    command_port: int
    state_port: int
    capacity: Annotated[int, msgspec.Meta(ge=1)]
    hosting: tuple[Token, ...] = ()
    ended: tuple[Token, ...] = ()
    instance: Annotated[str, msgspec.Meta(max_length=100)] = ""


class MatchAccepted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="placed"):
    """Clients can connect to a match."""

    match_token: Token


class MatchRejected(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not placed"):
    """The server rejects a match, or has lost it by an error."""

    match_token: Token
    reason: str


class TeamJoined(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="joined"):
    """A team has connected to its match for the first time."""

    match_token: Token
    player: Literal[0, 1] = msgspec.field(name="seat")


class GameStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game began"):
    """A game has started."""

    match_token: Token
    number: int
    game_name: Text


class GameFinished(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game done"):
    """A game is finished; the answer is `GameStored` or `GameDiscarded`.

    Attributes:
        replay: see `sevenbag.contest.game.pason_replay`.
        age: seconds since the end of the game; a game that ended after the match was reassigned
            does not count.
        history: `hash_history` of the games before it; empty if unknown.
    """

    match_token: Token
    result: ContestGameResult
    replay: bytes
    age: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    history: Annotated[str, msgspec.Meta(max_length=100)] = msgspec.field(default="", name="line")


class MatchFinished(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match done"):
    """A match is finished; the answer is `MatchStored`, after `StopMatch` if it does not count.

    Attributes:
        history: `hash_history` of all its games; empty if unknown.
    """

    match_token: Token
    result: MatchResult
    history: Annotated[str, msgspec.Meta(max_length=100)] = msgspec.field(default="", name="line")


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="pulse"):
    """Sign of life, every two seconds.

    Attributes:
        commands: number of commands answered since the start of the server.
        draining: whether the server is shutting down and accepts no more matches.
    """

    matches: int
    commands: int
    draining: bool = False


ServerMessage: TypeAlias = (
    ServerHello
    | MatchAccepted
    | MatchRejected
    | TeamJoined
    | GameStarted
    | GameFinished
    | MatchFinished
    | Heartbeat
)


class MatchAssignment(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="place"):
    """A match to play, or to continue.

    Attributes:
        match_name: name of the match, such as "Final".
        finished_games: games that were played before, numbered from 1 without a gap.
        attempt: number of the assignment of the match, from 1. Games that were broken off have
            used numbers that no later attempt may use.
    """

    match_token: Token
    match_name: Text
    players: tuple[AssignedPlayer, AssignedPlayer] = msgspec.field(name="seats")
    rules: ContestRules
    finished_games: tuple[ContestGameResult, ...] = msgspec.field(default=(), name="finished")
    attempt: Annotated[int, msgspec.Meta(ge=1)] = 1


class StopMatch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="call off"):
    """End a match without a winner.

    Attributes:
        continues_elsewhere: whether the match continues on another server, so that its end must
            not be published.
    """

    match_token: Token
    reason: str
    continues_elsewhere: bool = msgspec.field(default=False, name="goes_on")


class PauseMatch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="halt"):
    """Start no further game, or continue."""

    match_token: Token
    paused: bool = msgspec.field(name="halted")


class GameStored(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="kept"):
    """A finished game is in the store."""

    match_token: Token
    number: int


class GameDiscarded(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not kept"):
    """A finished game does not count; the server must not send it again."""

    match_token: Token
    number: int
    reason: str


class MatchStored(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match kept"):
    """The end of a match is settled; the server must not send it again."""

    match_token: Token


class ServerDismissed(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="dismissed"):
    """The connection is closed; the server must not reconnect with the same settings."""

    reason: str


SchedulerMessage: TypeAlias = (
    MatchAssignment
    | StopMatch
    | PauseMatch
    | GameStored
    | GameDiscarded
    | MatchStored
    | ServerDismissed
)

encode = msgspec.json.Encoder().encode

decode_server_message = msgspec.json.Decoder(ServerMessage).decode

decode_scheduler_message = msgspec.json.Decoder(SchedulerMessage).decode
