"""Settings of a contest: the rules of games and matches, and the sections of contest.toml."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.config import loader

if TYPE_CHECKING:
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

    "Open" marks rules that the text of the contest does not give.

    Attributes:
        points: base points for 0 to 4 rows cleared at once. (the contest's text)
        sends: rows sent to the opponent for 0 to 4 rows cleared at once. (the contest's text)
        level_points: points that either player must reach for level 2, 3, ...; ascending. (open)
        level_factors: factor of the base points on level 1, 2, ...; the last one applies to all
            further levels. The level before the clear counts. (open)
        gravity_ms: length of a time step on level 1, 2, ...; the last one applies to all further
            levels. (open)
        queue: each piece drawn independently, or bags of seven. (open)
        queue_length: number of upcoming pieces that are shown. (5 in the text's sample)
        spawn_orientation: orientation of new pieces. (open; all clients assume 0)
        rotate_above_top: a rotation may move cells above row 0. (open)
        blocked_spawn: a piece that overlaps at its spawn position loses the game, or is lifted
            until it fits (and loses if it locks there). (open)
        down_on_floor: effect of ``down`` on a resting piece. (open)
        garbage_when: received rows enter when the receiver's piece locks, before the next one
            appears; or at once; or at the next time step. (open)
        garbage_overlap: a falling piece that garbage would overlap is lifted by as many rows as
            needed, or locks where it was and rises with the stack. (open)
        garbage_out: rows pushed past the top lose the game, or are cut off. (open)
        full_garbage_row: a random garbage row without a gap is drawn again, or gets one random
            gap. (open)
        piece_numbers: the pieces of both players are numbered together, or separately. (open)
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
        games: maximum number of games; more than half of them win the match.
        game_seconds: time limit of a game.
        match_seconds: time limit of the match from its first game on; it includes pauses between
            games but not pauses by an administrator.
        connect_seconds: time a match waits for both teams; then the connected team wins, unless
            the other one won more games before a restart.
        first_pause_seconds: time from the connection of the second team to the first game.
        pause_seconds: time between games.
        repeat_seconds: maximum time between state messages.
        states_per_second: maximum rate of piece messages; new pieces are sent at once. 0 sends one
            after every move.
        first_sequence: sequence number of the first message.
        first_piece_number: number of the first piece.
        game_name: name of a game; ``{number}`` is its number, ``{match}`` the name of the match.
        linger_seconds: time for which a finished match answers commands.
        move_reply: reply to an executed move; the server of 2012 sent ``OK``, the text has ``ok``.
        text_numbers: accept a ``piece_number`` that is a string of digits.
        moves_per_second: maximum rate of moves of one client; further ones are rejected. 0 for no
            limit.
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
    """Rules of the games and the matches of a contest."""

    game: GameRules = GameRules()
    match: MatchRules = MatchRules()


Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65_535)]

COMMAND_PORT = 5557

STATE_PORT = 5556
"""Default ports; the clients of 2012 cannot use others."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game server.

    Attributes:
        name: name for the scheduler; empty for the host name, `bind` and the port.
        bind: address of both channels.
        state_bind: address of the state channel; empty for `bind`.
        command_port: port of the command channel; 0 for a free one.
        state_port: port of the state channel; 0 for a free one.
        address: host name or address for clients; empty for `bind`.
        state_address: host name or address of the state channel for clients; empty for `address`.
        internal_address: host name or address for machines of the administrators; empty for
            `address`.
        scheduler: URL of the site, such as ``http://127.0.0.1:8080``; empty for none.
        secret_file: file with the secret that authenticates the server to the site.
        spool: folder for results that the scheduler has not stored yet.
        capacity: maximum number of matches at the same time.
        max_command_bytes: maximum size of a command; longer ones are rejected and counted.
        state_backlog: maximum number of unread state messages of one subscriber, about 600 bytes
            each; further ones are dropped. 0 for no limit.
        max_connections_per_address: maximum number of connections from one address to both
            channels; further ones are closed. 0 for half of the open file limit.
        http_port: port of ``/health``, ``/ready`` and ``/metrics``; 0 for none.
        shutdown_mode: running games at shutdown are finished, or aborted (their matches continue
            with that game on another server).
        shutdown_seconds: maximum time to finish running games.
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
    max_command_bytes: Annotated[int, msgspec.Meta(ge=256, le=16 << 20)] = 64 << 10
    state_backlog: Annotated[int, msgspec.Meta(ge=0, le=100_000_000)] = 200_000
    max_connections_per_address: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    http_port: Port = 0
    shutdown_mode: Literal["finish", "abort"] = "finish"
    shutdown_seconds: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 200.0


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scheduler and its site.

    Attributes:
        title: title of the contest.
        host: address to listen at.
        port: port to listen at; 0 for a free one.
        url: public URL of the site behind a TLS proxy; an https URL makes cookies secure.
        store: SQLAlchemy URL: ``sqlite:///contest.db``, ``postgresql+psycopg://...``.
        secret_file: file with the secret of game servers; created if it does not exist.
        open_registration: teams may register themselves.
        trusted_proxies: addresses of proxies whose ``X-Forwarded-For`` is trusted.
        server_timeout_seconds: time without a message after which a game server counts as lost;
            servers send a heartbeat every two seconds.
        grace_seconds: time that the matches of a lost server wait for its return before they
            continue on another server.
        max_matches: maximum number of contest matches at the same time; 0 for the capacity of the
            servers.
        max_test_matches: maximum number of open test matches of a team; a further one cancels the
            oldest.
    """

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "Battle Tetris"
    host: str = "127.0.0.1"
    port: Port = 8080
    url: str = ""
    store: str = "sqlite:///contest.db"
    secret_file: str = "contest.secret"  # noqa: S105  # a file's name
    open_registration: bool = True
    trusted_proxies: tuple[str, ...] = ()
    server_timeout_seconds: Annotated[float, msgspec.Meta(ge=3, le=3_600)] = 6.0
    grace_seconds: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 10.0
    max_matches: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    max_test_matches: Annotated[int, msgspec.Meta(ge=1, le=100)] = 3


class TestClientSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opponent in test matches.

    Attributes:
        name: team name.
        bot: specification of a built-in bot.
        moves_per_second: maximum rate of its moves; 0 for the default of the bot: 2 for
            ``random``, the random player of 2012, and 20 for all others.
    """

    name: str = "Test Client"
    bot: str = "random"
    moves_per_second: Annotated[float, msgspec.Meta(ge=0, le=1_000)] = 0.0


class LogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Log of the processes of a contest.

    Attributes:
        format: text lines, or JSON with one object per line.
        level: minimum level: events, problems that need attention, or failures.
        moves: moves to log: all, rejected ones (with the reason), or none. The line of each
            finished game always has counts of its moves.
    """

    format: Literal["text", "json"] = "text"
    level: Literal["info", "warning", "error"] = "info"
    moves: Literal["all", "rejected", "none"] = "none"


class ContestSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sections of a contest file."""

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


def bracket_host(host: str) -> str:
    """Return a host as it stands in URLs: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host
