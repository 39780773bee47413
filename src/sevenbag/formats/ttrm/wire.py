"""The files of TETR.IO as they are written: three layouts, one set of structs.

Version 19 has its rounds in ``replay.rounds`` and the options beside the events; solo games have
one round, ``replay`` itself. Before, rounds lay in ``data``, and the options in the first event of
type ``full``. Fields that nothing here needs are passed over.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

LAST_FRAME: Final = 24 * 60 * 60 * 60
"""A day."""

Frame = Annotated[int, Meta(ge=0, le=LAST_FRAME)]
Moment = Annotated[float, Meta(ge=0, le=1)]
Number = Annotated[int, Meta(ge=0, le=2**30)]
Lines = Annotated[int, Meta(ge=0, le=100_000)]
Name = Annotated[str, Meta(max_length=200)]
Id = int | Name | None


class Payload(msgspec.Struct, frozen=True, gc=False):
    """What a message of the server tells; in older files a part of it lies one level deeper."""

    type: Name = ""
    frame: int = 0
    targets: tuple[Id, ...] = ()
    gameid: Id = None
    sender: Id = None
    iid: Number | None = None
    cid: Number | None = None
    ackiid: Number = 0
    amt: Lines = 0
    column: Annotated[int, Meta(ge=0, le=63)] | None = None
    data: Payload | list[Any] | int | float | str | bool | None = None


class Data(msgspec.Struct, frozen=True, gc=False):
    """What comes with an event: a key, a message of the server, or in older files a state."""

    key: Name = ""
    subframe: Moment = 0.0
    hoisted: bool = False
    type: Name = ""
    data: Payload | list[Any] | int | float | str | bool | None = None
    reason: Name | None = None
    options: dict[str, Any] | None = None
    game: State | None = None
    export: Export | None = None


class State(msgspec.Struct, frozen=True):
    """The game in an event of type ``full``."""

    handling: dict[str, Any] | None = None
    bag: tuple[Name, ...] = ()


class Export(msgspec.Struct, frozen=True):
    """The end numbers in an event of type ``end``."""

    stats: dict[str, Any] = {}
    aggregatestats: dict[str, Any] | None = None


class Event(msgspec.Struct, frozen=True, gc=False):
    """What happened, and in which frame."""

    frame: Frame
    type: Name
    data: Data | list[Any] | int | float | str | bool | None = None


class Results(msgspec.Struct, frozen=True):
    """What the game counted."""

    stats: dict[str, Any] | None = None
    aggregatestats: dict[str, Any] | None = None
    gameoverreason: Name | None = None


class Keys(msgspec.Struct, frozen=True):
    """One player's game: everything that happened to it."""

    frames: Frame
    events: list[Event]
    options: dict[str, Any] | None = None
    results: Results | None = None


class Member(msgspec.Struct, frozen=True):
    """A player in a round; one who only watched has no keys."""

    replay: Keys | None = None
    username: Name | None = None


class Body(msgspec.Struct, frozen=True):
    """``replay`` of version 19: rounds, or a single game's keys."""

    rounds: list[list[Member]] | None = None
    frames: Frame = 0
    events: list[Event] | None = None
    options: dict[str, Any] | None = None
    results: Results | None = None


class User(msgspec.Struct, frozen=True):
    """Somebody with an account."""

    username: Name | None = None


class Seat(msgspec.Struct, frozen=True):
    """A player of a round of an older file."""

    username: Name | None = None
    user: User | None = None


class OldRound(msgspec.Struct, frozen=True):
    """A round of an older file."""

    replays: list[Keys]
    board: list[Seat] = []


class File(msgspec.Struct, frozen=True):
    """The whole file, of whichever version."""

    replay: Body | None = None
    data: Keys | list[OldRound] | None = None
    users: list[User] | None = None
    user: User | None = None
    gamemode: Name | None = None
    gametype: Name | None = None
    ts: Name | None = None


DECODER: Final = msgspec.json.Decoder(File)
