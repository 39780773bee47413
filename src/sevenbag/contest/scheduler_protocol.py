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
    ContestGameResult,  # noqa: TC001  # msgspec reads the annotations
    MatchResult,  # noqa: TC001  # msgspec reads the annotations
    Text,  # noqa: TC001  # msgspec reads the annotations
)
from sevenbag.contest.settings import ContestRules  # noqa: TC001  # msgspec reads the annotations

MAX_FRAME_BYTES = 16 << 20
"""Bytes of a message, at most."""

LINK_PATH = "/scheduler/link"
"""Where the site takes game servers."""

TOKEN_LENGTH: Final = 36

Token: TypeAlias = Annotated[str, msgspec.Meta(min_length=TOKEN_LENGTH, max_length=TOKEN_LENGTH)]
"""A UUID: all are of one length, so that none is a prefix of another."""


class AssignedPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a match.

    Attributes:
        team: name as registered.
        password_hash: argon2's, with its parameters; empty for a seat that a bot of ours takes.
        bot: the bot that takes the seat, such as ``random``; empty for a team that connects.
    """

    team: Text
    password_hash: Annotated[str, msgspec.Meta(max_length=400)] = ""
    bot: Annotated[str, msgspec.Meta(max_length=200)] = ""


# --- from a game server -------------------------------------------------------------------------


class ServerHello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """A game server offers itself.

    Attributes:
        name: of the server; a second server of the same name is dismissed.
        version: of sevenbag.
        command_address: host name or address of the command channel, as clients reach it.
        state_address: of the state channel; most clients know one host only.
        internal_address: as machines of the organisers reach it.
        command_port: 5557 unless told otherwise.
        state_port: 5556 unless told otherwise.
        capacity: matches at once, at most.
        hosting: tokens of the matches that it still plays.
        ended: tokens of matches that have ended here with an unanswered `MatchFinished`.
        instance: a word of this process's own, by which a second server of the same name is told
            from the first one's next connection.
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
    """A match can be connected to."""

    match_token: Token


class MatchRejected(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not placed"):
    """A match is refused, or was lost by a fault of the server's."""

    match_token: Token
    reason: str


class TeamJoined(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="joined"):
    """A team has connected to its match for the first time."""

    match_token: Token
    player: Literal[0, 1] = msgspec.field(name="seat")


class GameStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game began"):
    """The first state message of a game is out."""

    match_token: Token
    number: int
    game_name: Text


class GameFinished(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game done"):
    """A game is finished; to be answered by `GameStored` or `GameDiscarded`.

    Attributes:
        replay: see `sevenbag.contest.game.pason_replay`.
        age: seconds since it was finished, by the server's clock; what was finished after the match
            had moved elsewhere is of no use.
        line: what `line_after` makes of the games before it, as the server knows them; empty where
            it does not tell.
    """

    match_token: Token
    result: ContestGameResult
    replay: bytes
    age: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    history: Annotated[str, msgspec.Meta(max_length=100)] = msgspec.field(default="", name="line")


class MatchFinished(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match done"):
    """A match is finished; to be answered by `MatchStored`, or by `StopMatch` and `MatchStored`.

    Attributes:
        line: what `line_after` makes of all its games, as the server knows them; empty where it
            does not tell.
    """

    match_token: Token
    result: MatchResult
    history: Annotated[str, msgspec.Meta(max_length=100)] = msgspec.field(default="", name="line")


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="pulse"):
    """All is well; told every two seconds.

    Attributes:
        matches: that are being played.
        commands: answered since the server began.
        draining: whether it takes no more matches because it is about to end.
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

# --- from the scheduler -------------------------------------------------------------------------


class MatchAssignment(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="place"):
    """A match to be played, or to be gone on with.

    Attributes:
        match_token: names it for clients.
        match_name: for people, such as "Final".
        seats: the two sides.
        rules: of its games and of itself.
        finished: games that were played elsewhere, or before; numbers from 1 on without a gap.
        attempt: higher than at every earlier placement of the match, 1 at its first: a game that
            was broken off told numbers that nobody kept.
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
        goes_on: whether the match continues elsewhere, so that its end must not be published.
    """

    match_token: Token
    reason: str
    continues_elsewhere: bool = msgspec.field(default=False, name="goes_on")


class PauseMatch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="halt"):
    """Begin no further game, or go on beginning games."""

    match_token: Token
    paused: bool = msgspec.field(name="halted")


class GameStored(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="kept"):
    """A finished game is in the store."""

    match_token: Token
    number: int


class GameDiscarded(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not kept"):
    """A finished game does not count, now or ever; it is of no use to tell it again."""

    match_token: Token
    number: int
    reason: str


class MatchStored(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match kept"):
    """How a match ended is settled; it is of no use to tell it again."""

    match_token: Token


class ServerDismissed(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="dismissed"):
    """The connection ends, for this reason; it is of no use to come back unchanged."""

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
