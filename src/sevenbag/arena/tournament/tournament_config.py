"""Configuration of a tournament: from TOML, from options, and as a header."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NoReturn, TypeVar, cast, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sevenbag.arena.runner.bot_session import GameClock
from sevenbag.arena.statistics import Sprt
from sevenbag.arena.statistics.sprt import SprtModel
from sevenbag.arena.tournament.openings import parse_opening, read_openings
from sevenbag.arena.tournament.tournament_files import (
    EngineRecord,
    SprtRecord,
    TournamentHeader,
)
from sevenbag.bots.bot import Limits, display_name, make_names_unique
from sevenbag.bots.registry import create_bot
from sevenbag.config.toml import parse_toml, read_toml_text
from sevenbag.errors import FormatError, InputError, SpecError, shown
from sevenbag.game import Rules
from sevenbag.game.game_config import (
    MAX_SEED,
    DoubleTopOut,
    Opening,
    RealTime,
    with_attack_ramp,
)
from sevenbag.game.keyed_versus import KeyedVersus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.bots.bot import Bot


TournamentKind = Literal["match", "round robin", "gauntlet", "knockout", "swiss"]
RestartPolicy = Literal["game", "never"]

TOURNAMENT_KINDS: Final[tuple[TournamentKind, ...]] = (
    "match",
    "round robin",
    "gauntlet",
    "knockout",
    "swiss",
)

MAX_GAMES: Final = 1_000_000
MAX_ENGINES: Final = 1000
DEFAULT_GAMES: Final = 100
MAX_SPRT_GAMES: Final = 20_000
"""Games after which a test ends without a decision, unless told otherwise."""

DEFAULT_PPS: Final = 2.0

MAX_NAME_LENGTH: Final = 60
"""Maximum characters of an engine's name."""

GameCount = Annotated[int, Meta(ge=1, le=MAX_GAMES)]


class PlayerConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Engine of a tournament.

    Attributes:
        name: what it is called.
        spec: the bot's specification.
        nodes: positions to examine for a move; None for what its specification says.
        ms: milliseconds for a move; the same.
        bank: a clock's milliseconds for a whole game; None for no clock.
        increment: what it gains by a move.
        pps: pieces a second in real time.
        restart: whether a program is started anew for each game, or kept.
        provisional: whether the name is a placeholder until the bot announces one.
    """

    name: str
    spec: str
    nodes: int | None = None
    ms: float | None = None
    bank: float | None = None
    increment: float = 0.0
    pps: float = DEFAULT_PPS
    restart: RestartPolicy = "game"
    provisional: bool = False

    @property
    def limits(self) -> Limits:
        """Return the limits of a move."""
        return Limits(self.ms, self.nodes)

    @property
    def clock(self) -> GameClock | None:
        """Return the clock for a game; None for none."""
        return None if self.bank is None else GameClock(self.bank, self.increment)


class TournamentSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Options of the games of a tournament, and their number.

    Attributes:
        games: of each encounter; None where something else ends it.
        first_to: number of wins that ends an encounter.
        rounds: of a Swiss tournament; None for as many as tell the first from the others.
        gauntlet: how many engines, from the first on, meet all others; None for one.
        pieces: the piece limit of a game.
        lead: the lead in attack that ends a game; None for none.
        double: what both topping out at once is.
        real_time: whether players move in real time instead of turns.
        wall: whether that is the time on the wall.
        frames: whether pieces fall, and lock by themselves, frame by frame in it.
        nps: positions a second that bots limited by nodes are taken to examine.
        replays: whether games are kept.
    """

    games: GameCount | None = None
    first_to: GameCount | None = None
    rounds: Annotated[int, Meta(ge=1, le=MAX_ENGINES)] | None = None
    gauntlet: Annotated[int, Meta(ge=1, le=MAX_ENGINES)] | None = None
    pieces: Annotated[int, Meta(ge=1, le=100_000)] | None = 1000
    lead: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    double: DoubleTopOut = "draw"
    real_time: bool = False
    wall: bool = False
    frames: bool = False
    nps: float | None = None
    replays: bool = True


def create_header(
    kind: TournamentKind,
    engines: Sequence[PlayerConfig],
    settings: TournamentSettings,
    rules: Rules,
    *,
    name: str = "",
    seed: int = 1,
    openings: Sequence[Opening] = (),
    sprt: SprtRecord | None = None,
) -> TournamentHeader:
    """The header of a tournament, when everything in it can be played.

    Raises:
        InputError: something cannot.
    """
    _check_kind(kind, engines, settings, sprt)
    for engine in engines:
        _check_engine(engine, settings)
    if settings.frames:
        KeyedVersus(rules)  # which says what rules cannot be played so
        if any(start.fumen is not None for start in openings):
            raise InputError("frame by frame, games begin on empty boards")
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"seed is {shown(seed)}, must be a whole number from 0 to {MAX_SEED}")
    names = [engine.name for engine in engines]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two engines are called {shown(twice)}; name them differently")
    header = TournamentHeader(
        name=name,
        kind=kind,
        engines=tuple(
            EngineRecord(
                name=engine.name,
                spec=engine.spec,
                limits=_format_limits(engine),
                provisional=engine.provisional,
            )
            for engine in engines
        ),
        rules=rules.to_dict(),
        settings=msgspec.to_builtins(settings),
        openings=[str(start) for start in openings] or None,
        sprt=sprt,
        seed=seed,
    )
    try:
        # What could not be read again is refused now.
        read_settings(header)
    except FormatError as error:
        raise InputError(str(error)) from None
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


def read_players(header: TournamentHeader) -> tuple[PlayerConfig, ...]:
    """Read the players of a tournament from its header.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return tuple(
        _convert(
            {
                "name": engine.name,
                "spec": engine.spec,
                "provisional": engine.provisional,
                **engine.limits,
            },
            PlayerConfig,
            "engines",
        )
        for engine in header.engines
    )


def read_settings(header: TournamentHeader) -> TournamentSettings:
    """Read the settings of a tournament from its header.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return _convert(header.settings, TournamentSettings, "settings")


def read_header_openings(header: TournamentHeader, rules: Rules) -> tuple[Opening, ...]:
    """Read the openings of a tournament from its header.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return tuple(parse_opening(str(line).split(), rules) for line in header.openings or ())


def create_real_time(settings: TournamentSettings, pps: tuple[float, float]) -> RealTime | None:
    """Create the timing of a game at these paces; None if players take turns.

    Raises:
        InputError: a pace that cannot be played.
    """
    if not settings.real_time:
        return None
    return RealTime(pps, settings.nps, settings.wall, settings.frames)


T = TypeVar("T")

_NO_LIMITS: Final = frozenset({"name", "spec", "provisional"})


def _check_kind(
    kind: TournamentKind,
    engines: Sequence[PlayerConfig],
    settings: TournamentSettings,
    sprt: SprtRecord | None,
) -> None:
    if not 2 <= len(engines) <= MAX_ENGINES:  # a game has two sides
        raise InputError(f"{len(engines)} engines; a {kind} has 2 to {MAX_ENGINES}")
    if kind == "match" and len(engines) > 2:
        raise InputError(f"{len(engines)} engines; a match has two")
    if sprt is not None and kind in {"knockout", "swiss"}:
        raise InputError(
            f"sprt: in a {kind} tournament somebody has to win; a test need not end so"
        )
    if sprt is not None:
        # It says itself what makes no test.
        Sprt(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta, sprt.model)
    if settings.first_to is not None and (settings.games is not None or sprt is not None):
        raise InputError("first-to goes neither with a number of games nor with a test")
    if settings.rounds is not None and kind != "swiss":
        raise InputError(f"rounds: a {kind} has none; those of a swiss tournament can be chosen")
    if settings.gauntlet is not None and kind != "gauntlet":
        raise InputError(f"gauntlet: this is a {kind}")
    if not settings.real_time and (settings.wall or settings.frames or settings.nps is not None):
        raise InputError("wall, frames and nps are for games in real time")
    if settings.gauntlet is not None and settings.gauntlet >= len(engines):
        raise InputError(
            f"gauntlet is {settings.gauntlet}, must be less than the {len(engines)} engines"
        )


def _check_engine(engine: PlayerConfig, settings: TournamentSettings) -> None:
    """See that its numbers are in their ranges: what is made of them says so."""
    _check_name(engine)
    try:
        # All are checked, whether they are asked for or not.
        _ = engine.limits, GameClock(1 if engine.bank is None else engine.bank, engine.increment)
        _ = RealTime((engine.pps, engine.pps), settings.nps, settings.wall, settings.frames)
        if engine.pps != DEFAULT_PPS and not settings.real_time:
            raise InputError("pps is for games in real time")
        if engine.increment and engine.bank is None:
            raise InputError("an increment needs a clock, that is a bank")
    except InputError as error:
        raise InputError(f"{_default_name(engine)}: {error}") from None


def _check_name(engine: PlayerConfig) -> None:
    name = engine.name
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise InputError(
            f"{_default_name(engine)}: invalid name: expected 1 to {MAX_NAME_LENGTH} printable"
            " characters"
        )


def _default_name(engine: PlayerConfig) -> str:
    """Return how messages call an engine."""
    # An announced name does not occur in the file, so the message shows the specification.
    announced = engine.provisional or engine.spec.startswith(engine.name)
    return f"engine {shown(engine.spec if announced else engine.name)}"


def _format_limits(engine: PlayerConfig) -> dict[str, object]:
    fields: Mapping[str, object] = msgspec.to_builtins(engine)
    return {key: value for key, value in fields.items() if key not in _NO_LIMITS}


def _convert(data: object, kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        what_is_wrong = str(error).replace("`", "").replace("$.", "")
        raise FormatError(f"the tournament's {what} cannot be used: {what_is_wrong}") from None


def read_tournament_config(path: str | Path) -> TournamentHeader:
    """The tournament that a file describes.

    Files that it names lie where it lies.

    Raises:
        FormatError: it cannot be read, or a key or value is wrong; the message says which.
        InputError: what it describes cannot be played.
    """
    path = Path(path)
    entry = _Reader(path).read()
    bots = [_bot(table, path) for table in entry.engine]
    try:
        engines = assign_names([_engine(entry, table) for table in entry.engine], bots)
        rules = _rules(entry, path.parent)
        openings = (
            read_openings(path.parent / entry.openings, rules) if entry.openings is not None else ()
        )
        games = entry.games if entry.pairs is None else 2 * entry.pairs
        return create_header(
            entry.kind,
            engines,
            TournamentSettings(
                games=games,
                first_to=entry.first_to,
                rounds=entry.rounds,
                gauntlet=entry.gauntlet,
                pieces=entry.pieces,
                lead=entry.lead,
                double=entry.double,
                real_time=entry.real_time,
                wall=entry.wall,
                frames=entry.frames,
                nps=entry.nps,
                replays=entry.replays,
            ),
            rules,
            name=entry.name or path.stem,
            seed=entry.seed,
            openings=openings,
            sprt=entry.sprt,
        )
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(f"{path}: {error}") from None


_Positive = Annotated[float, Meta(gt=0)]
_Words = dict[str, Any]

_WORDS_OF: Final = {
    "kind": get_args(TournamentKind),
    "restart": get_args(RestartPolicy),
    "double": get_args(DoubleTopOut),
    "model": get_args(SprtModel),
}


class _EngineTable(msgspec.Struct, rename="kebab", forbid_unknown_fields=True):
    bot: str
    name: str = ""
    nodes: int | UnsetType = UNSET
    ms: float | UnsetType = UNSET
    bank: float | UnsetType = UNSET
    increment: float | UnsetType = UNSET
    pps: float | UnsetType = UNSET
    restart: RestartPolicy | UnsetType = UNSET


class TournamentFile(msgspec.Struct, rename="kebab", forbid_unknown_fields=True):
    """Content of the TOML file of a tournament."""

    engine: Annotated[list[_EngineTable], Meta(min_length=2, max_length=1000)]
    name: Annotated[str, Meta(max_length=200)] = ""
    kind: TournamentKind = "round robin"
    games: GameCount | None = None
    pairs: Annotated[int, Meta(ge=1, le=500_000)] | None = None
    first_to: GameCount | None = None
    sprt: SprtRecord | None = None
    rounds: int | None = None
    gauntlet: int | None = None
    rules: str = "guideline"
    ramp: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    pieces: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    lead: int | None = None
    double: DoubleTopOut = "draw"
    seed: int = 1
    openings: str | None = None
    nodes: int | None = None
    ms: float | None = None
    bank: float | None = None
    increment: float = 0.0
    pps: float = DEFAULT_PPS
    restart: RestartPolicy = "game"
    real_time: bool = False
    wall: bool = False
    frames: bool = False
    nps: _Positive | None = None
    replays: bool = True


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> TournamentFile:
        data = self._data()
        known = [field.encode_name for field in msgspec.structs.fields(TournamentFile)]
        of_engines = [field.encode_name for field in msgspec.structs.fields(_EngineTable)]
        self._expect_known(data, known, "")
        engines: object = data.get("engine")
        tables = cast("list[object]", engines) if isinstance(engines, list) else []
        if len(tables) < 2:
            self._refuse("expected two tables [[engine]] or more, each with a bot")
        for number, table in enumerate(tables, start=1):
            if not isinstance(table, dict):
                self._refuse(f"engine {number} is {shown(table)}, must be a table [[engine]]")
            self._expect_known(cast("_Words", table), of_engines, f"engine {number}: ")
            if "bot" not in table:
                self._refuse(f"engine {number}: 'bot' is missing, what it is called by")
        if "games" in data and "pairs" in data:
            self._refuse("games and pairs say the same: give one of them")
        try:
            entry = msgspec.convert(data, TournamentFile)
        except msgspec.ValidationError as error:
            self._refuse(_plain(str(error)))
        return entry

    def _data(self) -> _Words:
        try:
            return parse_toml(read_toml_text(self._path))
        except FormatError as error:
            self._refuse(str(error))

    def _expect_known(self, table: _Words, known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self._refuse(f"{where}unknown key {shown(key)}{hint}; keys are {', '.join(known)}")

    def _refuse(self, what: str) -> NoReturn:
        raise FormatError(f"{self._path}: {what}")


def _plain(error: str) -> str:
    """Return the message of an error without the decoder's notation."""
    what, _, where = error.replace("`", "").partition(" - at ")
    words = _WORDS_OF.get(where.rpartition(".")[2])
    if words is not None and what.startswith("Invalid enum value"):
        what = f"{what.removeprefix('Invalid enum value ')} is none of {', '.join(words)}"
    return f"{where.removeprefix('$.')}: {what}" if where else what


def _rules(entry: TournamentFile, folder: Path) -> Rules:
    own = entry.rules.lower().endswith(".toml") or os.sep in entry.rules
    rules = Rules.from_file(folder / entry.rules) if own else Rules.preset(entry.rules)
    return with_attack_ramp(rules, entry.ramp)


def _bot(table: _EngineTable, path: Path) -> Bot:
    try:
        return create_bot(table.bot)
    except SpecError as error:
        raise FormatError(f"{path}: engine {shown(table.name or table.bot)}: {error}") from None


def _engine(entry: TournamentFile, table: _EngineTable) -> PlayerConfig:
    return PlayerConfig(
        name=table.name,
        spec=table.bot,
        nodes=entry.nodes if table.nodes is UNSET else table.nodes,
        ms=entry.ms if table.ms is UNSET else table.ms,
        bank=entry.bank if table.bank is UNSET else table.bank,
        increment=entry.increment if table.increment is UNSET else table.increment,
        pps=entry.pps if table.pps is UNSET else table.pps,
        restart=entry.restart if table.restart is UNSET else table.restart,
    )
