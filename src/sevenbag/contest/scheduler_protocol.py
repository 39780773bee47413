"""What game servers and the scheduler say to each other, as JSON, one message a WebSocket frame.

A game server connects, proves itself by the contest's secret, and says `Hello`. The scheduler
places matches on it. A finished game is told to the scheduler, with its replay, before clients
hear of its end; the scheduler answers `Kept` when it is in the store. What was not answered is told
again at the next connection, so that neither side's death loses a finished game. Where two servers
have played the same match, the game that is first in the store is the one that counts.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.game.match_results import (
    GameResult,  # noqa: TC001  # msgspec reads the annotations
    MatchResult,  # noqa: TC001  # msgspec reads the annotations
    Text,  # noqa: TC001  # msgspec reads the annotations
)
from sevenbag.contest.settings import ContestRules  # noqa: TC001  # msgspec reads the annotations

LONGEST_FRAME = 16 << 20
"""Bytes of a message, at most."""

LINK_PATH = "/scheduler/link"
"""Where the site takes game servers."""

TOKEN_LENGTH: Final = 36

Token: TypeAlias = Annotated[str, msgspec.Meta(min_length=TOKEN_LENGTH, max_length=TOKEN_LENGTH)]
"""A UUID: all are of one length, so that none is a prefix of another."""


class Seat(msgspec.Struct, frozen=True, kw_only=True):
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


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
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
        ended: tokens of matches that have ended here with an unanswered `MatchDone`.
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


class Placed(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="placed"):
    """A match can be connected to."""

    match_token: Token


class NotPlaced(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not placed"):
    """A match is refused, or was lost by a fault of the server's."""

    match_token: Token
    reason: str


class Joined(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="joined"):
    """A team has connected to its match for the first time."""

    match_token: Token
    seat: Literal[0, 1]


class GameBegan(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game began"):
    """The first state message of a game is out."""

    match_token: Token
    number: int
    game_name: Text


class GameDone(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="game done"):
    """A game is finished; to be answered by `Kept` or `NotKept`.

    Attributes:
        replay: see `sevenbag.contest.game.pason_replay`.
        age: seconds since it was finished, by the server's clock; what was finished after the match
            had moved elsewhere is of no use.
        line: what `line_after` makes of the games before it, as the server knows them; empty where
            it does not tell.
    """

    match_token: Token
    result: GameResult
    replay: bytes
    age: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    line: Annotated[str, msgspec.Meta(max_length=100)] = ""


class MatchDone(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match done"):
    """A match is finished; to be answered by `MatchKept`, or by `CallOff` and `MatchKept`.

    Attributes:
        line: what `line_after` makes of all its games, as the server knows them; empty where it
            does not tell.
    """

    match_token: Token
    result: MatchResult
    line: Annotated[str, msgspec.Meta(max_length=100)] = ""


class Pulse(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="pulse"):
    """All is well; told every two seconds.

    Attributes:
        matches: that are being played.
        commands: answered since the server began.
        draining: whether it takes no more matches because it is about to end.
    """

    matches: int
    commands: int
    draining: bool = False


FromServer: TypeAlias = (
    Hello | Placed | NotPlaced | Joined | GameBegan | GameDone | MatchDone | Pulse
)

# --- from the scheduler -------------------------------------------------------------------------


class Place(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="place"):
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
    seats: tuple[Seat, Seat]
    rules: ContestRules
    finished: tuple[GameResult, ...] = ()
    attempt: Annotated[int, msgspec.Meta(ge=1)] = 1


class CallOff(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="call off"):
    """End a match without a winner.

    Attributes:
        goes_on: whether the match continues elsewhere, so that its end must not be published.
    """

    match_token: Token
    reason: str
    goes_on: bool = False


class Halt(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="halt"):
    """Begin no further game, or go on beginning games."""

    match_token: Token
    halted: bool


class Kept(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="kept"):
    """A finished game is in the store."""

    match_token: Token
    number: int


class NotKept(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not kept"):
    """A finished game does not count, now or ever; it is of no use to tell it again."""

    match_token: Token
    number: int
    reason: str


class MatchKept(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match kept"):
    """How a match ended is settled; it is of no use to tell it again."""

    match_token: Token


class Dismissed(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="dismissed"):
    """The connection ends, for this reason; it is of no use to come back unchanged."""

    reason: str


FromScheduler: TypeAlias = Place | CallOff | Halt | Kept | NotKept | MatchKept | Dismissed

encode = msgspec.json.Encoder().encode

decode_from_server = msgspec.json.Decoder(FromServer).decode

decode_from_scheduler = msgspec.json.Decoder(FromScheduler).decode
