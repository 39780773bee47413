"""How a contest's processes are set up: sections of a TOML file, each a type with bounds."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from sevenbag.contest.rules import GameRules, MatchRules

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


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole contest file: its sections."""

    site: SiteSettings = SiteSettings()
    server: ServerSettings = ServerSettings()
    test_client: TestClientSettings = TestClientSettings()
    log: LogSettings = LogSettings()
    game: GameRules = GameRules()
    match: MatchRules = MatchRules()
    test_match: MatchRules = MatchRules(games=3)
