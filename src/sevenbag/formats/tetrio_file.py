"""Replays of TETR.IO: ``.ttrm`` files of matches, ``.ttr`` files of solo games.

::

    recording = load_tetrio_file("match.ttrm")
    [player.name for player in recording.rounds[0]]

A replay contains keys, not placements: `sevenbag.replay.tetrio_simulation` plays them frame by
frame. Versions 15 (2022), 18 (2024) and 19 are supported; the older two have other layouts with the
same content. docs/tetrio-replays.md describes the files.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, NoReturn, cast

import msgspec
from msgspec import Meta

from sevenbag.errors import FormatError, expect_type
from sevenbag.files import read_file
from sevenbag.formats.tetrio_options import TetrioOptions

MAX_FRAME: Final = 24 * 60 * 60 * 60
"""Maximum frame: one day."""

Frame = Annotated[int, Meta(ge=0, le=MAX_FRAME)]
Moment = Annotated[float, Meta(ge=0, le=1)]
Number = Annotated[int, Meta(ge=0, le=2**30)]
Lines = Annotated[int, Meta(ge=0, le=100_000)]
Name = Annotated[str, Meta(max_length=200)]
PlayerId = int | Name | None


class TetrioMessage(msgspec.Struct, frozen=True, gc=False):
    """Message of the server; in older files a part of it is nested one level deeper."""

    type: Name = ""
    frame: int = 0
    targets: tuple[PlayerId, ...] = ()
    gameid: PlayerId = None
    sender: PlayerId = None
    iid: Number | None = None
    cid: Number | None = None
    ackiid: Number = 0
    amt: Lines = 0
    column: Annotated[int, Meta(ge=0, le=63)] | None = None
    data: TetrioMessage | list[Any] | int | float | str | bool | None = None


class TetrioEventData(msgspec.Struct, frozen=True, gc=False):
    """Data of an event: a key, a message of the server, or in older files a state."""

    key: Name = ""
    subframe: Moment = 0.0
    hoisted: bool = False
    type: Name = ""
    data: TetrioMessage | list[Any] | int | float | str | bool | None = None
    reason: Name | None = None
    options: dict[str, Any] | None = None
    game: _State | None = None
    export: _Export | None = None


class _State(msgspec.Struct, frozen=True):
    """State of the game in an event of type ``full``."""

    handling: dict[str, Any] | None = None
    bag: tuple[Name, ...] = ()


class _Export(msgspec.Struct, frozen=True):
    """Final statistics in an event of type ``end``."""

    stats: dict[str, Any] = {}
    aggregatestats: dict[str, Any] | None = None


class TetrioEvent(msgspec.Struct, frozen=True, gc=False):
    """Event and its frame."""

    frame: Frame
    type: Name
    data: TetrioEventData | list[Any] | int | float | str | bool | None = None


class _Results(msgspec.Struct, frozen=True):
    """Statistics recorded by the game."""

    stats: dict[str, Any] | None = None
    aggregatestats: dict[str, Any] | None = None
    gameoverreason: Name | None = None


class _Keys(msgspec.Struct, frozen=True):
    """Events of one player's game."""

    frames: Frame
    events: list[TetrioEvent]
    options: dict[str, Any] | None = None
    results: _Results | None = None


class _Member(msgspec.Struct, frozen=True):
    """Player of a round; a spectator has no keys."""

    replay: _Keys | None = None
    username: Name | None = None


class _Body(msgspec.Struct, frozen=True):
    """``replay`` of version 19: rounds, or the keys of a single game."""

    rounds: list[list[_Member]] | None = None
    frames: Frame = 0
    events: list[TetrioEvent] | None = None
    options: dict[str, Any] | None = None
    results: _Results | None = None


class _User(msgspec.Struct, frozen=True):
    """User account."""

    username: Name | None = None


class _Seat(msgspec.Struct, frozen=True):
    """Player of a round of an older file."""

    username: Name | None = None
    user: _User | None = None


class _OldRound(msgspec.Struct, frozen=True):
    """Round of an older file."""

    replays: list[_Keys]
    board: list[_Seat] = []


class _File(msgspec.Struct, frozen=True):
    """File of any version."""

    replay: _Body | None = None
    data: _Keys | list[_OldRound] | None = None
    users: list[_User] | None = None
    user: _User | None = None
    gamemode: Name | None = None
    gametype: Name | None = None
    ts: Name | None = None


_DECODER: Final = msgspec.json.Decoder(_File)
MAX_BYTES: Final = 16 * 1024 * 1024
MAX_ROUNDS: Final = 1000
MAX_PLAYERS: Final = 200


@dataclass(frozen=True, slots=True)
class TetrioPlayerRound:
    """A player's part of a round.

    Attributes:
        name: name of the player.
        frames: duration in frames.
        options: rules and handling.
        recorded: statistics recorded by the game, by its names: ``piecesplaced``, ``garbage.sent``,
            ``clears.tspindoubles``, and ``apm``, ``pps``, ``vsscore``.
        reason: reason of the end: ``winner``, ``garbagesmash``, ``topout``, ``clear`` and others.
        bag: letters of the first pieces in older files; otherwise empty.
    """

    name: str
    frames: int
    options: TetrioOptions
    events: Sequence[TetrioEvent]
    recorded: Mapping[str, float]
    reason: str | None = None
    bag: str = ""


@dataclass(frozen=True, slots=True)
class TetrioRecording:
    """Content of a file.

    Attributes:
        source: name of the file for errors.
        mode: ``league``, ``40l``, ``blitz`` and others; None for a room.
        date: date of the game, if the file has one.
        rounds: players of each round, in the order of the file, which may change between rounds.
    """

    source: str
    version: int
    mode: str | None
    date: datetime | None
    rounds: tuple[tuple[TetrioPlayerRound, ...], ...]


def load_tetrio_file(path: str | os.PathLike[str]) -> TetrioRecording:
    """Load a file.

    Raises:
        FormatError: the file cannot be read, is too large, or is invalid.
    """
    expect_type("path", path, (str, os.PathLike), "str or os.PathLike", FormatError)
    return read_tetrio_file(read_file(path, MAX_BYTES), str(path))


def read_tetrio_file(data: bytes, source: str = "replay") -> TetrioRecording:
    """Read the content of a file, which is `source` in errors.

    Raises:
        FormatError: the data is invalid; the message contains the place.
    """
    if len(data) > MAX_BYTES:
        raise FormatError(f"{source}: larger than {MAX_BYTES} bytes, the most a replay may have")
    try:
        file = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{source}: no replay of TETR.IO: {error}") from None
    rounds = tuple(_rounds(file, source))
    if not rounds:
        _refuse(source, "holds no rounds")
    if not all(rounds):
        _refuse(source, "a round holds no players")
    if len(rounds) > MAX_ROUNDS or max(map(len, rounds)) > MAX_PLAYERS:
        _refuse(source, f"more than {MAX_ROUNDS} rounds, or {MAX_PLAYERS} players in one")
    version = max(player.options.version for members in rounds for player in members)
    return TetrioRecording(source, version, file.gamemode or file.gametype, _date(file.ts), rounds)


# Keys with another name in older versions.
_OTHER_NUMBERS: Final = {
    "currentcombopower": "combopower",
    "currentbtbchainpower": "btbpower",
    "finalTime": "finaltime",
}


def _rounds(file: _File, source: str) -> Iterable[tuple[TetrioPlayerRound, ...]]:
    """Iterate over the players of each round."""
    body, old = file.replay, file.data
    solo = file.user.username if file.user else None
    if body is not None and body.rounds is not None:
        for number, members in enumerate(body.rounds):
            yield tuple(
                _player(member.replay, member.username, seat, f"{source}: round {number + 1}")
                for seat, member in enumerate(members)
                if member.replay is not None
            )
    elif body is not None and body.events is not None:
        name = file.users[0].username if file.users else solo
        keys = _Keys(body.frames, body.events, body.options, body.results)
        yield (_player(keys, name, 0, source),)
    elif isinstance(old, _Keys):
        yield (_player(old, solo, 0, source),)
    elif old is not None:
        for number, played in enumerate(old):
            yield tuple(
                _player(keys, _seated(played, seat), seat, f"{source}: round {number + 1}")
                for seat, keys in enumerate(played.replays)
            )
    else:
        _refuse(source, 'no replay of TETR.IO: it has neither "replay" nor "data" with events')


def _seated(played: _OldRound, seat: int) -> str | None:
    if seat >= len(played.board):
        return None
    place = played.board[seat]
    return place.username or (place.user.username if place.user else None)


def _player(keys: _Keys, name: str | None, seat: int, where: str) -> TetrioPlayerRound:
    name = name or f"player {seat + 1}"
    where = f"{where}: {name}"
    written, handling, bag = keys.options, None, ""
    stats = keys.results.stats if keys.results else None
    rates = keys.results.aggregatestats if keys.results else None
    reason = keys.results.gameoverreason if keys.results else None
    if written is None:
        # In an older file the first and the last event contain all data.
        full = _first(keys.events, "full")
        end = _first(reversed(keys.events), "end")
        if full is None or full.options is None:
            _refuse(where, "the game's options are missing")
        written = full.options
        if full.game is not None:
            handling, bag = full.game.handling, "".join(full.game.bag)
        if end is not None and end.export is not None:
            stats, rates, reason = end.export.stats, end.export.aggregatestats, end.reason
    try:
        options = TetrioOptions.from_file_options(written, handling)
    except (msgspec.ValidationError, TypeError) as error:
        _refuse(where, f"options: {error}")
    recorded = dict(_numbers(stats or {})) | dict(_numbers(rates or {}))
    return TetrioPlayerRound(name, keys.frames, options, keys.events, recorded, reason, bag.upper())


def _first(events: Iterable[TetrioEvent], kind: str) -> TetrioEventData | None:
    for event in events:
        if event.type == kind:
            return event.data if isinstance(event.data, TetrioEventData) else None
    return None


def _numbers(stats: Mapping[str, Any], inside: str = "") -> Iterable[tuple[str, float]]:
    """Iterate over all numbers with their dotted names."""
    for name, value in stats.items():
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float) and math.isfinite(value):
            yield inside + _OTHER_NUMBERS.get(name, name), value
        elif isinstance(value, dict) and not inside:
            yield from _numbers(cast("dict[str, Any]", value), f"{name}.")


def _date(text: str | None) -> datetime | None:
    if text is None or not re.fullmatch(r"\d{4}-\d\d-\d\dT[0-9:.]{5,20}Z", text, re.ASCII):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _refuse(where: str, what: str) -> NoReturn:
    raise FormatError(f"{where}: {what}") from None
