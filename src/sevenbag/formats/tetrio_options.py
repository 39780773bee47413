"""The options of a recorded game: a file holds only those that differ from the client's own.

The names are the game's. A missing option means is written here once; most of it was found out
from games that were played again and came out as recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta

from sevenbag.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

Frames = Annotated[float, Meta(ge=0, le=100_000)]

Margin = Annotated[int, Meta(ge=0, le=24 * 60 * 60 * 60)]

Rate = Annotated[float, Meta(ge=0, le=1000)]

Chance = Annotated[float, Meta(ge=0, le=1)]

Cells = Annotated[int, Meta(ge=0, le=64)]

Lines = Annotated[int, Meta(ge=0, le=1000)]

Name = Annotated[str, Meta(max_length=200)]

LAST_WITH_CHAINING: Final = 18
"""Up to this version chaining was what a game had unless it said otherwise."""


class TetrioHandling(msgspec.Struct, frozen=True):
    """A player's keyboard.

    Attributes:
        das: frames until a held key repeats; may be a fraction.
        arr: frames between repeats; 0 is at once.
        dcd: frames that repeats wait after a piece has turned or appeared.
        sdf: soft drop, times the gravity; 41 is at once.
        safelock: whether a hard drop is swallowed just after a piece has locked by time.
        cancel: whether releasing one side discharges the other.
        may20g: whether sliding pieces stick to the floor. Version 15 does not know it.
        irs: when a held key turns the next piece.
        ihs: when it holds it.
    """

    das: Frames = 10.0
    arr: Frames = 2.0
    dcd: Frames = 0.0
    sdf: Frames = 6.0
    safelock: bool = True
    cancel: bool = False
    may20g: bool = False
    irs: Literal["off", "hold", "tap"] = "off"
    ihs: Literal["off", "hold", "tap"] = "off"


class TetrioOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a recorded game, by the game's own names.

    Attributes:
        version: of the game.
        handling: the player's keyboard.
        special: options with unsupported values, each as ``name: expected ..., got ...``.
    """

    version: Annotated[int, Meta(ge=1, le=1000)] = 19
    seed: Annotated[int, Meta(ge=-(2**53), le=2**53)]
    gameid: int | Name | None = None

    boardwidth: Cells = 10
    boardheight: Cells = 20
    boardbuffer: Cells = 20
    kickset: Name = "SRS+"
    bagtype: Name = "7-bag"
    spinbonuses: Name = "T-spins"
    allow180: bool = False
    display_hold: bool = True
    infinite_hold: bool = False
    clutch: bool = True
    nolockout: bool = False
    stock: Lines = 0

    g: Rate = 0.02
    gmargin: Margin = 0
    gincrease: Rate = 0.0
    gravitymay20g: bool = True
    locktime: Frames = 30.0
    lockresets: Lines = 15
    infinite_movement: bool = False
    allow_harddrop: bool = True
    are: Frames = 0.0
    lineclear_are: Frames = 0.0

    combotable: Name = "multiplier"
    b2bchaining: bool
    b2bcharging: bool = False
    b2bcharge_at: Lines = 4
    b2bcharge_base: Lines = 3
    allclears: bool = True
    allclear_garbage: Lines = 10
    allclear_b2b: Lines = 0
    roundmode: Name = "down"

    hasgarbage: bool = False
    garbagemultiplier: Rate = 1.0
    garbagemargin: Margin = 0
    garbageincrease: Rate = 0.0
    garbagespeed: Margin = 20
    garbagecap: Annotated[float, Meta(ge=0, le=1_000_000)] = 8.0
    garbagecapincrease: Rate = 0.0
    garbagecapmargin: Margin = 0
    garbagecapmax: Annotated[float, Meta(ge=0, le=1_000_000)] = 40.0
    garbageabsolutecap: Annotated[int, Meta(ge=0, le=1_000_000)] | bool = 0
    garbageholesize: Cells = 1
    garbageblocking: Name = "combo blocking"
    garbagetargetbonus: Name = "none"
    garbagespecialbonus: bool = False
    messiness_change: Chance = 1.0
    messiness_inner: Chance = 0.0
    messiness_nosame: bool = False
    messiness_center: bool = False
    messiness_timeout: Margin = 0
    usebombs: bool = False
    openerphase: Lines = 0
    can_undo: bool = False
    can_retry: bool = False
    passthrough: Name | bool = "zero"

    handling: TetrioHandling = TetrioHandling()
    unsupported: tuple[str, ...] = ()

    @staticmethod
    def from_file_options(
        written: dict[str, Any], handling: dict[str, Any] | None = None
    ) -> TetrioOptions:
        """The options that a file has written, with what the missing ones mean.

        Args:
            written: as in the file.
            handling: of an older file that has it somewhere else.

        Raises:
            msgspec.ValidationError: a value is of a wrong kind or out of its range.
        """
        known = {_OTHER_NAMES.get(name, name): value for name, value in _given(written).items()}
        keyboard = known.get("handling", handling)
        if isinstance(keyboard, dict):
            known["handling"] = _given(cast("dict[str, Any]", keyboard))
        version = known.get("version", 19)
        known["unsupported"] = list(_find_unsupported(known, version))
        if isinstance(version, int) and version <= LAST_WITH_CHAINING:
            known.setdefault("b2bchaining", True)
        else:
            # Where it is on, files of version 19 say so.
            known.setdefault("b2bchaining", False)
        return msgspec.convert(known, TetrioOptions)


# --- helpers ------------------------------------------------------------------------------------


_OTHER_NAMES: Final = {"infinitemovement": "infinite_movement"}

# Supported values; the first one is the default.
_IMPLEMENTED: Final[dict[str, tuple[object, ...]]] = {
    "levels": (False,),
    "masterlevels": (False,),
    "survivalmode": ("none", "", False),
    "map": ("",),
    "inverted": (False,),
    "stride": (False,),
    "infinite_stock": (False,),
    "b2bextras": (False,),
    "allclear_charges": (False,),
    "garbageentry": ("instant",),
    "garbageare": (5,),
    "garbagequeue": (False,),
    "garbageattackcap": (0,),
    "garbagefavor": (0,),
    "receivemultiplier": (1,),
    "cancelmultiplier": (1,),
    "void_holes": (0,),
}

_NO_ZENITH: Final[tuple[object, ...]] = (False, "none", "", [])

# Recorded games up to this version play the same with `stride`.
_LAST_WITH_STRIDE: Final = 17


def _find_unsupported(known: dict[str, Any], version: object) -> Iterator[str]:
    for name, value in known.items():
        played = _NO_ZENITH if name.startswith("zenith") else _IMPLEMENTED.get(name, (value,))
        if value in played:
            continue
        if name == "stride" and isinstance(version, int) and version <= _LAST_WITH_STRIDE:
            continue
        yield f"{name[:40]}: expected {shown(played[0])}, got {shown(value)}"


def _given(written: dict[str, Any]) -> dict[str, Any]:
    """What is null is as if it were missing."""
    return {name: value for name, value in written.items() if value is not None}
