"""The TOML file of a tournament; docs/tournaments.md describes it."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, cast, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sevenbag.arena.book import read_book
from sevenbag.arena.conditions import FRAMES_PER_TURN, DoubleTopOut
from sevenbag.arena.records import SprtRecord  # noqa: TC001 - msgspec looks it up
from sevenbag.arena.settings import (
    DEFAULT_PPS,
    Engine,
    Kind,
    Number,
    Restart,
    Settings,
    header_of,
    name_engines,
)
from sevenbag.arena.statistics.sprt import Model
from sevenbag.bots.registry import create_bot
from sevenbag.config.toml import parse_toml, read_toml_text
from sevenbag.errors import FormatError, InputError, SpecError, shown
from sevenbag.game import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.arena.records import TournamentHeader
    from sevenbag.bots.bot import Bot

RAMP_GROWTH: Final = 0.05
"""What a ramp adds to the factor on attack, per second of the game: doubled after 40 pieces."""


def read_entry(path: str | Path) -> TournamentHeader:
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
        engines = name_engines([_engine(entry, table) for table in entry.engine], bots)
        rules = _rules(entry, path.parent)
        openings = (
            read_book(path.parent / entry.openings, rules) if entry.openings is not None else ()
        )
        games = entry.games if entry.pairs is None else 2 * entry.pairs
        return header_of(
            entry.kind,
            engines,
            Settings(
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


def ramped(rules: Rules, ramp: int | None) -> Rules:
    """Rules under which attack grows from a piece on; None for no ramp."""
    if ramp is None:
        return rules
    growth = {"multiplier_growth": RAMP_GROWTH, "multiplier_margin": ramp * FRAMES_PER_TURN}
    return rules.replace({"attack": growth}, name=f"{rules.name}, ramp at {ramp}")


# --- helpers ------------------------------------------------------------------------------------

_Positive = Annotated[float, Meta(gt=0)]
_Words = dict[str, Any]

_WORDS_OF: Final = {
    "kind": get_args(Kind),
    "restart": get_args(Restart),
    "double": get_args(DoubleTopOut),
    "model": get_args(Model),
}


class _EngineTable(msgspec.Struct, rename="kebab", forbid_unknown_fields=True):
    bot: str
    name: str = ""
    nodes: int | UnsetType = UNSET
    ms: float | UnsetType = UNSET
    bank: float | UnsetType = UNSET
    increment: float | UnsetType = UNSET
    pps: float | UnsetType = UNSET
    restart: Restart | UnsetType = UNSET


class _Entry(msgspec.Struct, rename="kebab", forbid_unknown_fields=True):
    engine: Annotated[list[_EngineTable], Meta(min_length=2, max_length=1000)]
    name: Annotated[str, Meta(max_length=200)] = ""
    kind: Kind = "round robin"
    games: Number | None = None
    pairs: Annotated[int, Meta(ge=1, le=500_000)] | None = None
    first_to: Number | None = None
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
    restart: Restart = "game"
    real_time: bool = False
    wall: bool = False
    frames: bool = False
    nps: _Positive | None = None
    replays: bool = True


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> _Entry:
        data = self._data()
        known = [field.encode_name for field in msgspec.structs.fields(_Entry)]
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
            entry = msgspec.convert(data, _Entry)
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
    """What is wrong, without signs that only its decoder's users know."""
    what, _, where = error.replace("`", "").partition(" - at ")
    words = _WORDS_OF.get(where.rpartition(".")[2])
    if words is not None and what.startswith("Invalid enum value"):
        what = f"{what.removeprefix('Invalid enum value ')} is none of {', '.join(words)}"
    return f"{where.removeprefix('$.')}: {what}" if where else what


def _rules(entry: _Entry, folder: Path) -> Rules:
    own = entry.rules.lower().endswith(".toml") or os.sep in entry.rules
    rules = Rules.from_file(folder / entry.rules) if own else Rules.preset(entry.rules)
    return ramped(rules, entry.ramp)


def _bot(table: _EngineTable, path: Path) -> Bot:
    try:
        return create_bot(table.bot)
    except SpecError as error:
        raise FormatError(f"{path}: engine {shown(table.name or table.bot)}: {error}") from None


def _engine(entry: _Entry, table: _EngineTable) -> Engine:
    return Engine(
        name=table.name,
        spec=table.bot,
        nodes=entry.nodes if table.nodes is UNSET else table.nodes,
        ms=entry.ms if table.ms is UNSET else table.ms,
        bank=entry.bank if table.bank is UNSET else table.bank,
        increment=entry.increment if table.increment is UNSET else table.increment,
        pps=entry.pps if table.pps is UNSET else table.pps,
        restart=entry.restart if table.restart is UNSET else table.restart,
    )
