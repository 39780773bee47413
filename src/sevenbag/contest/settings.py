"""Settings of a contest: the rules of games and matches, and the sections of contest.toml."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.config import loader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ENVIRONMENT_PREFIX: Final = "SEVENBAG_CONTEST_"
"""Prefix of environment variables: SEVENBAG_CONTEST_SERVER_BIND sets the key bind of [server]."""

Milliseconds: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=3_600_000)]

Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=86_400)]

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10_000)]

Points: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]

Rows: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=20)]

Threshold: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]

Thresholds: TypeAlias = Annotated[tuple[Threshold, ...], msgspec.Meta(max_length=100)]

Factors: TypeAlias = Annotated[tuple[Points, ...], msgspec.Meta(min_length=1, max_length=100)]

Periods: TypeAlias = Annotated[tuple[Milliseconds, ...], msgspec.Meta(min_length=1, max_length=100)]


class GameRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of one game.

    Attributes:
        points: base points for 0 to 4 rows cleared at once. (the contest's text)
        sends: rows sent to the opponent for 0 to 4 rows cleared at once. (the contest's text)
        level_points: points that either player must reach for level 2, 3, ...; rising. (open)
        level_factors: what base points are multiplied by on level 1, 2, ...; the last one holds
            on all further levels. The level before the clear counts. (open)
        gravity_ms: length of a time step on level 1, 2, ...; the last one holds on. (open)
        queue: each piece drawn evenly, or bags of seven. (open)
        queue_length: upcoming pieces that are shown. (5 in the text's sample)
        spawn_orientation: orientation of new pieces. (open; all clients assume 0)
        rotate_above_top: whether a rotation may bring cells above row 0. (open)
        blocked_spawn: a piece that overlaps where it enters loses the game, or is lifted until it
            fits (and loses if it locks there). (open)
        down_on_floor: what ``down`` does to a resting piece. (open)
        garbage_when: rows sent enter when the receiver's piece locks, before the next one appears;
            or at once; or at the next time step. (open)
        garbage_overlap: a piece in flight that garbage would overlap is lifted by as many rows as
            needed, or locks where it was and rises with the stack. (open)
        garbage_out: whether rows pushed past the top lose the game, or are cut off. (open)
        full_garbage_row: a garbage row tossed full is tossed again, or gets one random gap. (open)
        piece_numbers: both players' pieces are counted together, or each one's own. (open)
    """

    points: tuple[Points, Points, Points, Points, Points] = (0, 100, 200, 500, 800)
    sends: tuple[Rows, Rows, Rows, Rows, Rows] = (0, 0, 1, 2, 4)
    level_points: Thresholds = (1_000, 2_500, 5_000, 8_000, 12_000, 17_000, 23_000, 30_000)
    level_factors: Factors = (1, 2, 3, 4, 5, 6, 7, 8, 9)
    gravity_ms: Periods = (1_000, 800, 650, 500, 400, 300, 220, 160, 120)
    queue: Literal["uniform", "bag"] = "uniform"
    queue_length: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    spawn_orientation: Annotated[int, msgspec.Meta(ge=0, le=3)] = 0
    rotate_above_top: bool = True
    blocked_spawn: Literal["lose", "lift"] = "lose"
    down_on_floor: Literal["nothing", "lock"] = "nothing"
    garbage_when: Literal["lock", "instant", "step"] = "lock"
    garbage_overlap: Literal["lift", "lock"] = "lift"
    garbage_out: Literal["lose", "cut"] = "lose"
    full_garbage_row: Literal["redraw", "repair"] = "redraw"
    piece_numbers: Literal["shared", "own"] = "shared"

    def __post_init__(self) -> None:
        if any(a >= b for a, b in itertools.pairwise(self.level_points)):
            raise ValueError(
                f"invalid level_points: expected ascending numbers, got {list(self.level_points)}"
            )


class MatchRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of one match. All of them are open in the contest's text.

    Attributes:
        games: games of a match, at most; who wins more than half of them has won.
        game_seconds: a game's time limit.
        match_seconds: the match's, from its first game on; pauses count, halts by hand do not.
        connect_seconds: how long a match waits for both teams; then the team that is present wins,
            unless the other one won more games before a restart.
        first_pause_seconds: from the second team's coming to the first state message.
        pause_seconds: between games.
        repeat_seconds: the state is told again at least so often.
        states_per_second: where pieces are is told so often at most, but new pieces at once; 0 for
            after every move.
        first_sequence: of the match's first message; the text starts nowhere.
        first_piece_number: of the match's first piece.
        game_name: what games are called; ``{number}`` is the game's, ``{match}`` the match's name.
        linger_seconds: how long after its end a match answers commands.
        move_reply: what an executed move is answered with; the real server sent ``OK``, the text
            has ``ok``.
        text_numbers: whether a ``piece_number`` that is a string of digits counts as a number.
        moves_per_second: of one client, above which moves are refused; 0 for no limit.
    """

    games: Count = 19
    game_seconds: Seconds = 180.0
    match_seconds: Seconds = 1_800.0
    connect_seconds: Seconds = 300.0
    first_pause_seconds: Seconds = 1.0
    pause_seconds: Seconds = 2.0
    repeat_seconds: Annotated[float, msgspec.Meta(ge=0.05, le=60)] = 1.0
    states_per_second: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    first_sequence: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 1
    first_piece_number: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 1
    game_name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "Game {number}"
    linger_seconds: Seconds = 30.0
    move_reply: Literal["OK", "ok"] = "OK"
    text_numbers: bool = False
    moves_per_second: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0


class ContestRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of games and matches together."""

    game: GameRules = GameRules()
    match: MatchRules = MatchRules()


Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65_535)]

COMMAND_PORT = 5557

STATE_PORT = 5556
"""The clients of 2012 know no others."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game server.

    Attributes:
        name: by which the scheduler knows it; empty for the machine's name, bind and the port.
        bind: address to listen at, for both channels.
        state_bind: another one for the state channel; empty for the same.
        command_port: of the command channel; 0 takes a free one.
        state_port: of the state channel; 0 takes a free one.
        address: host name or address that clients are told; empty for `bind`.
        state_address: the same for the state channel; empty for `address`.
        internal_address: for machines of the organisers; empty for `address`.
        scheduler: URL of the site, such as ``http://127.0.0.1:8080``; empty for none.
        secret_file: file with the secret that the scheduler wants to hear.
        spool: folder for finished games that the scheduler has not kept yet.
        capacity: matches at once, at most.
        largest_message: bytes of a command, at most; longer ones are dropped and counted.
        state_backlog: state messages that may wait for one subscriber, some 600 bytes each; who is
            further behind loses some. 0 for no bound.
        http_port: of ``/health``, ``/ready`` and ``/metrics``; 0 for none.
        farewell: what happens to running games when the server is told to end: they are finished,
            or broken off (their matches go on with that game elsewhere).
        farewell_seconds: how long it waits for games to finish.
    """

    name: Annotated[str, msgspec.Meta(max_length=100)] = ""
    bind: str = "127.0.0.1"
    state_bind: str = ""
    command_port: Port = COMMAND_PORT
    state_port: Port = STATE_PORT
    address: str = ""
    state_address: str = ""
    internal_address: str = ""
    scheduler: str = ""
    secret_file: str = ""
    spool: str = "spool"
    capacity: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 250
    largest_message: Annotated[int, msgspec.Meta(ge=256, le=16 << 20)] = 64 << 10
    state_backlog: Annotated[int, msgspec.Meta(ge=0, le=100_000_000)] = 200_000
    http_port: Port = 0
    farewell: Literal["finish", "break off"] = "finish"
    farewell_seconds: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 200.0


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scheduler and its site.

    Attributes:
        title: of the contest, for people.
        host: address to listen at.
        port: to listen at; 0 takes a free one.
        url: of the site as browsers call it, when something else speaks TLS for it; cookies are
            then secure.
        store: SQLAlchemy's URL: ``sqlite:///contest.db``, ``postgresql+psycopg://...``.
        secret_file: file with the secret of game servers; made when it is not there.
        open_registration: whether teams may register themselves.
        trusted_proxies: addresses whose ``X-Forwarded-For`` is believed.
        silent_seconds: a game server not heard for so long is taken for gone; it tells that it is
            there every two seconds.
        grace_seconds: how long the matches of a server that is gone wait for it to come back,
            before they go on elsewhere.
        most_matches: of contests at once; 0 for as many as the servers have room for.
        test_matches: open ones of a team; one more calls off its oldest.
    """

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "Battle Tetris"
    host: str = "127.0.0.1"
    port: Port = 8080
    url: str = ""
    store: str = "sqlite:///contest.db"
    secret_file: str = "contest.secret"  # noqa: S105  # a file's name
    open_registration: bool = True
    trusted_proxies: tuple[str, ...] = ()
    silent_seconds: Annotated[float, msgspec.Meta(ge=3, le=3_600)] = 6.0
    grace_seconds: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 10.0
    most_matches: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    test_matches: Annotated[int, msgspec.Meta(ge=1, le=100)] = 3


class TestClientSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opponent in test matches.

    Attributes:
        name: of its team.
        bot: which bot of ours it is.
        moves_per_second: how fast it moves, at most; 0 for what suits the bot: 2 for ``random``,
            the organisers' player of 2012, and 20 for all others.
    """

    name: str = "Test Client"
    bot: str = "random"
    moves_per_second: Annotated[float, msgspec.Meta(ge=0, le=1_000)] = 0.0


class LogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is logged.

    Attributes:
        format: lines for people, or JSON, one object a line.
        level: the least that is logged: what happens; what somebody should look at; what is broken.
        moves: which moves are logged: all, those not executed (with the reason), or none. The line
            of each finished game always has counts of its moves.
    """

    format: Literal["text", "json"] = "text"
    level: Literal["info", "warning", "error"] = "info"
    moves: Literal["all", "not done", "none"] = "none"


class ContestSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole contest file: its sections."""

    site: SiteSettings = SiteSettings()
    server: ServerSettings = ServerSettings()
    test_client: TestClientSettings = TestClientSettings()
    log: LogSettings = LogSettings()
    game: GameRules = GameRules()
    match: MatchRules = MatchRules()
    test_match: MatchRules = MatchRules(games=3)


def load_settings(
    path: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
) -> ContestSettings:
    """Load settings from a TOML file, the environment and overrides; later ones win.

    >>> load_settings(None, {}, ["game.gravity_ms=500,250"]).game.gravity_ms
    (500, 250)

    Raises:
        SettingsError: a value is invalid, or the file cannot be read.
    """
    return loader.load_settings(
        ContestSettings, path, prefix=ENVIRONMENT_PREFIX, environ=environ, overrides=overrides
    )
