"""What game servers and the scheduler say to each other, as JSON, one message a WebSocket frame.

A game server connects, proves itself by the contest's secret, and says `Hello`. The scheduler
places matches on it. A finished game is told to the scheduler, with its replay, before clients
hear of its end; the scheduler answers `Kept` when it is in the store. What was not answered is told
again at the next connection, so that neither side's death loses a finished game. Where two servers
have played the same match, the game that is first in the store is the one that counts.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.rules import ContestRules  # noqa: TC001  # msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_FRAME = 16 << 20
"""Bytes of a message, at most."""
LINK_PATH = "/scheduler/link"
"""Where the site takes game servers."""

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
TOKEN_LENGTH: Final = 36
Token: TypeAlias = Annotated[str, msgspec.Meta(min_length=TOKEN_LENGTH, max_length=TOKEN_LENGTH)]
"""A UUID: all are of one length, so that none is a prefix of another."""

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**14)]
"""What is counted; so many of them can be added up that databases take the sum, too."""


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


class GameResult(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game.

    Attributes:
        number: within the match, from 1.
        game_name: as clients were told.
        winner: seat of the winner, 0 or 1.
        ending: why it ended.
        scores: points of both seats.
        lines: rows cleared by both.
        pieces: pieces locked by both.
        level: at the end.
        seconds: how long it took.
        verdicts: for each seat how many of its moves met which fate, such as
            ``{"done": 812, "collides": 9, "out of date": 4}``.
        last_sequence: the last ``sequence`` told.
        last_piece_number: the highest piece number given out.
    """

    number: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    game_name: Text
    winner: Literal[0, 1]
    ending: Literal["top out", "points at the time limit", "coin flip at the time limit"]
    scores: tuple[Number, Number]
    lines: tuple[Number, Number] = (0, 0)
    pieces: tuple[Number, Number] = (0, 0)
    level: Number = 1
    seconds: float = 0.0
    verdicts: tuple[dict[str, Number], dict[str, Number]] = msgspec.field(
        default_factory=lambda: ({}, {})
    )
    last_sequence: Number = 0
    last_piece_number: Number = 0


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a match ended.

    Attributes:
        winner: seat of the winner; None for a match that was called off.
        ending: why.
        games: won by both.
        points: of both, in all games.
    """

    winner: Literal[0, 1] | None
    ending: Literal[
        "majority of games",
        "all games played",
        "games at the time limit",
        "points",
        "coin flip",
        "the other team did not come",
        "called off",
    ]
    games: tuple[Number, Number]
    points: tuple[Number, Number]


WALKOVER: Final = "the other team did not come"
"""Ending of a match that was won because the other team was absent."""


def describe_ending(ending: str) -> str:
    """Return the reason for the end of a match as text for users."""
    return f"walkover, {ending}" if ending == WALKOVER else ending


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
        replay: see `sevenbag.contest.record`.
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


def line_after(games: Iterable[GameResult], line: str = "") -> str:
    """A word for a match's games so far; other games have another one.

    Two servers that have played on from the same game have different ones, and what the second of
    them tells of later games cannot be put behind the first one's.

    Args:
        games: in their order.
        line: the word for the games before them.
    """
    for game in games:
        numbers = (
            *(game.number, game.winner, *game.scores, *game.pieces),
            *(game.last_sequence, game.last_piece_number),
        )
        line = hashlib.sha256(f"{line} {numbers}".encode()).hexdigest()[:32]
    return line


encode = msgspec.json.Encoder().encode
decode_from_server = msgspec.json.Decoder(FromServer).decode
decode_from_scheduler = msgspec.json.Decoder(FromScheduler).decode
