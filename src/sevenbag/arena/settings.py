"""What a tournament is told: who plays, how, and how much; from a file or from a command line.

A setting is said once, checked here, and kept in the tournament's header, from which everything
else is made: what a worker is told of a game, and what a resumed tournament goes on with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from sevenbag.arena.book import LAST_SEED, Start, read_start
from sevenbag.arena.conditions import DoubleTopOut, RealTime
from sevenbag.arena.records import EngineRecord, SprtRecord, TournamentHeader
from sevenbag.arena.seat import Clock
from sevenbag.arena.statistics import Sprt
from sevenbag.bots.bot import Limits, display_name, make_names_unique
from sevenbag.errors import FormatError, InputError, shown
from sevenbag.game.keyed_versus import KeyedVersus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.bots.bot import Bot
    from sevenbag.game import Rules

Kind = Literal["match", "round robin", "gauntlet", "knockout", "swiss"]
Restart = Literal["game", "never"]

KINDS: Final[tuple[Kind, ...]] = ("match", "round robin", "gauntlet", "knockout", "swiss")

MOST_GAMES: Final = 1_000_000
MOST_ENGINES: Final = 1000
DEFAULT_GAMES: Final = 100
LONGEST_TEST: Final = 20_000
"""Games after which a test ends without a decision, unless told otherwise."""

DEFAULT_PPS: Final = 2.0

LONGEST_NAME: Final = 60
"""Maximum characters of an engine's name."""

Number = Annotated[int, Meta(ge=1, le=MOST_GAMES)]


class Engine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One who plays.

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
    restart: Restart = "game"
    provisional: bool = False

    @property
    def limits(self) -> Limits:
        """What it may spend on a move."""
        return Limits(self.ms, self.nodes)

    @property
    def clock(self) -> Clock | None:
        """What it may spend on a game."""
        return None if self.bank is None else Clock(self.bank, self.increment)


class Settings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the games of a tournament are played, and how many.

    Attributes:
        games: of each encounter; None where something else ends it.
        first_to: an encounter ends when one has won so many.
        rounds: of a Swiss tournament; None for as many as tell the first from the others.
        gauntlet: how many engines, from the first on, meet all others; None for one.
        pieces: the piece limit of a game.
        lead: the lead in attack that ends a game; None for none.
        double: what both topping out at once is.
        real_time: whether each player has a time of its own.
        wall: whether that is the time on the wall.
        frames: whether pieces fall, and lock by themselves, frame by frame in it.
        nps: positions a second that bots limited by nodes are taken to examine.
        replays: whether games are kept.
    """

    games: Number | None = None
    first_to: Number | None = None
    rounds: Annotated[int, Meta(ge=1, le=MOST_ENGINES)] | None = None
    gauntlet: Annotated[int, Meta(ge=1, le=MOST_ENGINES)] | None = None
    pieces: Annotated[int, Meta(ge=1, le=100_000)] | None = 1000
    lead: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    double: DoubleTopOut = "draw"
    real_time: bool = False
    wall: bool = False
    frames: bool = False
    nps: float | None = None
    replays: bool = True


def header_of(
    kind: Kind,
    engines: Sequence[Engine],
    settings: Settings,
    rules: Rules,
    *,
    name: str = "",
    seed: int = 1,
    openings: Sequence[Start] = (),
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
    if not 0 <= seed <= LAST_SEED:
        raise InputError(f"seed is {shown(seed)}, must be a whole number from 0 to {LAST_SEED}")
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
                limits=_limits_of(engine),
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
        settings_of(header)
    except FormatError as error:
        raise InputError(str(error)) from None
    return header


def name_engines(engines: Sequence[Engine], bots: Sequence[Bot]) -> list[Engine]:
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


def engines_of(header: TournamentHeader) -> tuple[Engine, ...]:
    """Who plays in a tournament.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return tuple(
        _converted(
            {
                "name": engine.name,
                "spec": engine.spec,
                "provisional": engine.provisional,
                **engine.limits,
            },
            Engine,
            "engines",
        )
        for engine in header.engines
    )


def settings_of(header: TournamentHeader) -> Settings:
    """How a tournament is played.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return _converted(header.settings, Settings, "settings")


def openings_of(header: TournamentHeader, rules: Rules) -> tuple[Start, ...]:
    """What the games of a tournament begin with.

    Raises:
        FormatError: the header was not written by `header_of`.
    """
    return tuple(read_start(str(line).split(), rules) for line in header.openings or ())


def real_time_of(settings: Settings, pps: tuple[float, float]) -> RealTime | None:
    """How time passes in a game of two with these paces; None where they take turns.

    Raises:
        InputError: a pace that cannot be played.
    """
    if not settings.real_time:
        return None
    return RealTime(pps, settings.nps, settings.wall, settings.frames)


# --- helpers ------------------------------------------------------------------------------------

T = TypeVar("T")

_NO_LIMITS: Final = frozenset({"name", "spec", "provisional"})


def _check_kind(
    kind: Kind, engines: Sequence[Engine], settings: Settings, sprt: SprtRecord | None
) -> None:
    if not 2 <= len(engines) <= MOST_ENGINES:  # a game has two sides
        raise InputError(f"{len(engines)} engines; a {kind} has 2 to {MOST_ENGINES}")
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


def _check_engine(engine: Engine, settings: Settings) -> None:
    """See that its numbers are in their ranges: what is made of them says so."""
    _check_name(engine)
    try:
        # All are checked, whether they are asked for or not.
        _ = engine.limits, Clock(1 if engine.bank is None else engine.bank, engine.increment)
        _ = RealTime((engine.pps, engine.pps), settings.nps, settings.wall, settings.frames)
        if engine.pps != DEFAULT_PPS and not settings.real_time:
            raise InputError("pps is for games in real time")
        if engine.increment and engine.bank is None:
            raise InputError("an increment needs a clock, that is a bank")
    except InputError as error:
        raise InputError(f"{_label(engine)}: {error}") from None


def _check_name(engine: Engine) -> None:
    name = engine.name
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"{_label(engine)}: invalid name: expected 1 to {LONGEST_NAME} printable characters"
        )


def _label(engine: Engine) -> str:
    """Return how messages call an engine."""
    # An announced name does not occur in the file, so the message shows the specification.
    announced = engine.provisional or engine.spec.startswith(engine.name)
    return f"engine {shown(engine.spec if announced else engine.name)}"


def _limits_of(engine: Engine) -> dict[str, object]:
    fields: Mapping[str, object] = msgspec.to_builtins(engine)
    return {key: value for key, value in fields.items() if key not in _NO_LIMITS}


def _converted(data: object, kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        what_is_wrong = str(error).replace("`", "").replace("$.", "")
        raise FormatError(f"the tournament's {what} cannot be used: {what_is_wrong}") from None
