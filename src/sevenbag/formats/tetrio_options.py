"""Options of a recorded game; a file contains only those that differ from the client's defaults.

The names are those of the game. The defaults were determined mostly by replaying recorded games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta

from sevenbag.errors import shown

Frames = Annotated[float, Meta(ge=0, le=100_000)]
Margin = Annotated[int, Meta(ge=0, le=24 * 60 * 60 * 60)]
Rate = Annotated[float, Meta(ge=0, le=1000)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Cells = Annotated[int, Meta(ge=0, le=64)]
Lines = Annotated[int, Meta(ge=0, le=1000)]
Name = Annotated[str, Meta(max_length=200)]
LAST_WITH_CHAINING: Final = 18
"""Last version with back-to-back chaining by default."""


class TetrioHandling(msgspec.Struct, frozen=True):
    """Keyboard settings of a player.

    Attributes:
        das: frames until a held key repeats, may be fractional.
        arr: frames between repeats; 0 is immediate.
        dcd: frames by which repeats are delayed after a rotation or spawn.
        sdf: soft drop factor of gravity; 41 is immediate.
        safelock: a hard drop is ignored just after an automatic lock.
        cancel: releasing one direction resets the charge of the other.
        may20g: sliding pieces stick to the floor. Not in version 15.
        irs: condition under which a held key rotates the next piece.
        ihs: condition under which a held key holds the next piece.
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
    """Rules of a recorded game by the names of the game.

    Attributes:
        unsupported: options with unsupported values, each as ``name: expected ..., got ...``.
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
        """Convert the options in a file and add the defaults.

        Args:
            written: options in the file.
            handling: handling in an older file, where it is stored elsewhere.

        Raises:
            msgspec.ValidationError: a value is invalid.
        """
        known = {_OTHER_NAMES.get(name, name): value for name, value in _given(written).items()}
        keyboard = known.get("handling", handling)
        if isinstance(keyboard, dict):
            known["handling"] = _given(cast("dict[str, Any]", keyboard))
        version = known.get("version", 19)
        known["unsupported"] = list(_find_unsupported(known, version))
        # Files of version 19 contain it if it is on.
        is_default = isinstance(version, int) and version <= LAST_WITH_CHAINING
        known.setdefault("b2bchaining", is_default)
        return msgspec.convert(known, TetrioOptions)


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
    """Remove null values."""
    return {name: value for name, value in written.items() if value is not None}
