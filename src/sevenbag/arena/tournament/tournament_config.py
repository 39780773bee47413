"""Configuration of a tournament: its header, and the TOML file that describes one."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from sevenbag.arena.runner.game_options import GameClock
from sevenbag.arena.statistics.sprt import Sprt
from sevenbag.arena.tournament.openings import parse_opening, read_openings
from sevenbag.bots.bot import Bot, Limits, display_name, make_names_unique
from sevenbag.bots.registry import create_bot
from sevenbag.config.loader import convert, load_toml
from sevenbag.errors import FormatError, InputError, SpecError, shown
from sevenbag.game import Rules
from sevenbag.game.frame_versus import GravityVersus
from sevenbag.game.game_config import (
    FRAMES_PER_SECOND,
    MAX_SEED,
    DoubleTopOut,
    Opening,
    with_attack_ramp,
)

TournamentKind = Literal["match", "round robin", "gauntlet", "knockout", "swiss"]
RestartPolicy = Literal["game", "never"]

MAX_GAMES: Final = 1_000_000
MAX_ENGINES: Final = 1000
DEFAULT_GAMES: Final = 100
MAX_SPRT_GAMES: Final = 20_000
"""Games after which a test ends without a decision, unless configured otherwise."""
DEFAULT_PPS: Final = 2.0
MAX_NAME_LENGTH: Final = 60
"""Maximum characters of an engine's name."""
EXTRA_PAIRS: Final = 5
"""Number of extra pairs after a tie in a knockout tournament."""

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=10_000)]
_GameCount = Annotated[int, Meta(ge=1, le=MAX_GAMES)]
_EngineCount = Annotated[int, Meta(ge=1, le=MAX_ENGINES)]
_Nodes = Annotated[int, Meta(ge=1, le=2**53)]
_Milliseconds = Annotated[float, Meta(gt=0, le=1e9)]
_Increment = Annotated[float, Meta(ge=0, le=1e9)]
_Pps = Annotated[float, Meta(gt=0, le=FRAMES_PER_SECOND)]


class PlayerLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits of one engine.

    Attributes:
        nodes: nodes per move; None for the bot's own limit.
        ms: milliseconds per move; None for the bot's own limit.
        bank: clock for a whole game in milliseconds; None for no clock.
        increment: milliseconds that the clock gains per move.
        pps: pieces per second in real time.
        restart: start a program for each game, or once.
    """

    nodes: _Nodes | None = None
    ms: _Milliseconds | None = None
    bank: _Milliseconds | None = None
    increment: _Increment = 0.0
    pps: _Pps = DEFAULT_PPS
    restart: RestartPolicy = "game"

    @property
    def search(self) -> Limits:
        """Return the limits of a move."""
        return Limits(self.ms, self.nodes)

    @property
    def clock(self) -> GameClock | None:
        """Return the clock for a game; None for none."""
        return None if self.bank is None else GameClock(self.bank, self.increment)


class PlayerConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Engine of a tournament.

    Attributes:
        name: unique name.
        provisional: the name is a placeholder until the bot announces one.
    """

    name: Name
    spec: Text = ""
    limits: PlayerLimits = PlayerLimits()
    provisional: bool = False


class TournamentSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Options of the games of a tournament, and their number.

    Attributes:
        games: games of each encounter; None if something else ends it.
        first_to: number of wins that ends an encounter.
        rounds: rounds of a Swiss tournament; None for as many as find a single best engine.
        gauntlet: number of engines, from the first on, that meet all others; None for one.
        pieces: piece limit of a game.
        lead: lead in attack that ends a game; None for none.
        double: result if both players top out at once.
        real_time: play in real time instead of turns.
        wall: run real time by the wall clock.
        frames: simulate gravity and lock delay frame by frame, in real time.
        nps: nodes per second of bots limited by nodes, in real time.
    """

    games: _GameCount | None = None
    first_to: _GameCount | None = None
    rounds: _EngineCount | None = None
    gauntlet: _EngineCount | None = None
    pieces: Annotated[int, Meta(ge=1, le=100_000)] | None = 1000
    lead: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    double: DoubleTopOut = "draw"
    real_time: bool = False
    wall: bool = False
    frames: bool = False
    nps: Annotated[float, Meta(gt=0, le=1e18)] | None = None
    replays: bool = True


class TournamentHeader(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration of a tournament, stored before the first game.

    Attributes:
        engines: engines; games refer to them by their index.
        rules: rules in full.
        openings: seeds and boards that pairs start from; None for random seeds only.
        sprt: test that ends an encounter; None for none.
        seed: seed of the seeds of games.
    """

    format: Literal["sevenbag-tournament"] = "sevenbag-tournament"
    version: Literal[1] = 1
    name: Text = ""
    kind: TournamentKind = "match"
    engines: Annotated[tuple[PlayerConfig, ...], Meta(min_length=2, max_length=MAX_ENGINES)]
    rules: dict[str, Any] = {}
    settings: TournamentSettings = TournamentSettings()
    openings: list[str | int] | None = None
    sprt: Sprt | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0

    @property
    def games(self) -> int:
        """Return the maximum number of games of an encounter."""
        if self.settings.games is not None:
            return self.settings.games
        if self.settings.first_to is not None:
            return self.settings.first_to * _FIRST_TO_GAMES
        return DEFAULT_GAMES if self.sprt is None else MAX_SPRT_GAMES

    @property
    def is_open_ended(self) -> bool:
        """Return True if the results decide the number of games of an encounter."""
        return self.sprt is not None or self.settings.first_to is not None

    @property
    def total_games(self) -> int | None:
        """Return the number of games; None if it depends on the results."""
        return None if self.is_open_ended or self.kind == "knockout" else self.max_games

    @property
    def max_games(self) -> int:
        """Return the maximum number of games."""
        engines = len(self.engines)
        if self.kind == "swiss":
            return self.rounds * (engines // 2) * self.games
        if self.kind == "knockout":
            return (engines - 1) * (self.games + 2 * EXTRA_PAIRS)
        if self.kind == "gauntlet":
            return self.gauntlet * (engines - self.gauntlet) * self.games
        return math.comb(engines, 2) * self.games

    @property
    def rounds(self) -> int:
        """Return the number of rounds of a Swiss tournament."""
        return self.settings.rounds or max(1, math.ceil(math.log2(len(self.engines))))

    @property
    def gauntlet(self) -> int:
        """Return the number of engines that meet all others in a gauntlet."""
        return self.settings.gauntlet or 1

    def parse_openings(self) -> tuple[Opening, ...]:
        """Parse the openings.

        Raises:
            FormatError: an opening is invalid.
        """
        if self.openings is None:
            return ()
        rules = Rules.from_dict(self.rules)
        return tuple(parse_opening(str(line).split(), rules) for line in self.openings)


def create_header(
    kind: TournamentKind,
    engines: Sequence[PlayerConfig],
    settings: TournamentSettings,
    rules: Rules,
    *,
    name: str = "",
    seed: int = 1,
    openings: Sequence[Opening] = (),
    sprt: Sprt | None = None,
) -> TournamentHeader:
    """Create the header of a tournament and check it.

    Raises:
        InputError: the tournament cannot be played.
    """
    header = TournamentHeader(
        name=name,
        kind=kind,
        engines=tuple(engines),
        rules=rules.to_dict(),
        settings=settings,
        openings=[str(opening) for opening in openings] or None,
        sprt=sprt,
        seed=seed,
    )
    for engine in engines:
        _check_name(engine)
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"invalid seed: expected integer from 0 to {MAX_SEED}, got {shown(seed)}")
    # The conversion checks the ranges of all values.
    convert(msgspec.to_builtins(header), TournamentHeader)
    _check_combinations(header)
    if settings.frames:
        GravityVersus(rules)  # raises if frames cannot be played under these rules
        if any(opening.fumen is not None for opening in openings):
            raise InputError("invalid openings: expected seeds only with frames, got a board")
    return header


def assign_names(engines: Sequence[PlayerConfig], bots: Sequence[Bot]) -> list[PlayerConfig]:
    """Give each engine a unique name.

    Args:
        engines: engines; those with an empty name get the name that their bot announces.
        bots: their bots. An external program announces its name only after it has started.

    Raises:
        InputError: a given name is too long or not printable.
    """
    given = [bool(engine.name) for engine in engines]
    for engine in engines:
        if engine.name:
            # Before a suffix is added, which the message would show.
            _check_name(engine)
    names = make_names_unique(
        [engine.name or display_name(bot) for engine, bot in zip(engines, bots, strict=True)],
        [engine.spec for engine in engines],
        given,
    )
    return [
        msgspec.structs.replace(
            engine, name=name, provisional=not is_given and bot.protocol is not None
        )
        for engine, name, is_given, bot in zip(engines, names, given, bots, strict=True)
    ]


class EngineTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Engine of a tournament file; limits that are not given are those of the file."""

    bot: str
    name: str = ""
    nodes: _Nodes | None = None
    ms: _Milliseconds | None = None
    bank: _Milliseconds | None = None
    increment: _Increment | None = None
    pps: _Pps | None = None
    restart: RestartPolicy | None = None


class TournamentFile(TournamentSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of the TOML file of a tournament."""

    engine: Annotated[list[EngineTable], Meta(min_length=2, max_length=MAX_ENGINES)]
    name: Annotated[str, Meta(max_length=200)] = ""
    kind: TournamentKind = "round robin"
    pairs: Annotated[int, Meta(ge=1, le=MAX_GAMES // 2)] | None = None
    sprt: Sprt | None = None
    rules: str = "guideline"
    ramp: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 1
    openings: str | None = None
    nodes: _Nodes | None = None
    ms: _Milliseconds | None = None
    bank: _Milliseconds | None = None
    increment: _Increment = 0.0
    pps: _Pps = DEFAULT_PPS
    restart: RestartPolicy = "game"


def read_tournament_config(path: str | Path) -> TournamentHeader:
    """Read the TOML file of a tournament.

    Paths in the file are relative to its folder.

    Raises:
        FormatError: the file cannot be read, or the tournament cannot be played.
    """
    path = Path(path)
    file = load_toml(path, TournamentFile, kebab=True)
    try:
        return _create_header(file, path)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(f"{path}: {error}") from None


_FIRST_TO_GAMES: Final = 20
"""Maximum number of games of an encounter, as a multiple of the wins needed."""


def _create_header(file: TournamentFile, path: Path) -> TournamentHeader:
    bots = [_create_bot(table, path) for table in file.engine]
    engines = [_create_engine(table, file) for table in file.engine]
    is_file = file.rules.lower().endswith(".toml") or os.sep in file.rules
    rules = Rules.from_file(path.parent / file.rules) if is_file else Rules.preset(file.rules)
    rules = with_attack_ramp(rules, file.ramp)
    openings: Sequence[Opening] = ()
    if file.openings is not None:
        openings = read_openings(path.parent / file.openings, rules)
    if file.games is not None and file.pairs is not None:
        raise InputError("invalid pairs: expected either games or pairs, got both")
    fields = TournamentSettings.__struct_fields__
    settings = TournamentSettings(**{field: getattr(file, field) for field in fields})
    if file.pairs is not None:
        settings = msgspec.structs.replace(settings, games=2 * file.pairs)
    return create_header(
        file.kind,
        assign_names(engines, bots),
        settings,
        rules,
        name=file.name or path.stem,
        seed=file.seed,
        openings=openings,
        sprt=file.sprt,
    )


def _create_bot(table: EngineTable, path: Path) -> Bot:
    try:
        return create_bot(table.bot)
    except SpecError as error:
        raise FormatError(f"{path}: engine {shown(table.name or table.bot)}: {error}") from None


def _create_engine(table: EngineTable, file: TournamentFile) -> PlayerConfig:
    values = {
        field: getattr(file if getattr(table, field) is None else table, field)
        for field in PlayerLimits.__struct_fields__
    }
    return PlayerConfig(name=table.name, spec=table.bot, limits=PlayerLimits(**values))


def _check_combinations(header: TournamentHeader) -> None:
    kind, settings, engines = header.kind, header.settings, len(header.engines)
    names = [engine.name for engine in header.engines]
    twice = next((name for name in names if names.count(name) > 1), None)
    problem = None
    if kind == "match" and engines > 2:
        problem = f"engines: expected 2 in a match, got {engines}"
    elif twice is not None:
        problem = f"engines: expected unique names, got {shown(twice)} twice"
    elif header.sprt is not None and kind in {"knockout", "swiss"}:
        problem = f"sprt: expected no test in a {kind} tournament"
    elif settings.first_to is not None and (settings.games or header.sprt is not None):
        problem = "first-to: expected neither games nor sprt with it"
    elif settings.rounds is not None and kind != "swiss":
        problem = f"rounds: expected a swiss tournament, got a {kind}"
    elif settings.gauntlet is not None and kind != "gauntlet":
        problem = f"gauntlet: expected a gauntlet, got a {kind}"
    elif settings.gauntlet is not None and settings.gauntlet >= engines:
        problem = f"gauntlet: expected less than {engines} engines, got {settings.gauntlet}"
    if problem is not None:
        raise InputError(f"invalid {problem}")
    _check_timing(header)


def _check_timing(header: TournamentHeader) -> None:
    settings = header.settings
    if not settings.real_time:
        for option in ("wall", "frames", "nps"):
            if getattr(settings, option):
                raise InputError(f"invalid {option}: expected real-time games")
    for engine in header.engines:
        limits = engine.limits
        if limits.pps != DEFAULT_PPS and not settings.real_time:
            raise InputError(f"{_label(engine)}: invalid pps: expected real-time games")
        if limits.increment and limits.bank is None:
            raise InputError(f"{_label(engine)}: invalid increment: expected a bank with it")


def _check_name(engine: PlayerConfig) -> None:
    name = engine.name
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise InputError(
            f"{_label(engine)}: invalid name: expected 1 to {MAX_NAME_LENGTH} printable characters"
        )


def _label(engine: PlayerConfig) -> str:
    """Return the label of an engine in messages."""
    # An announced name does not occur in the file, so the message shows the specification.
    announced = engine.provisional or engine.spec.startswith(engine.name)
    return f"engine {shown(engine.spec if announced else engine.name)}"
