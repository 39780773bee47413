"""Convert the options of a TETR.IO game to rules, or explain why they are unsupported."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from typing import Final, NoReturn, TypeVar

import msgspec

from sevenbag.errors import FormatError, RulesError, shown
from sevenbag.formats.tetrio_options import TetrioHandling, TetrioOptions
from sevenbag.game import Rules
from sevenbag.game.frame_game import FrameGame, FrameRules, Handling


def create_frame_game(options: TetrioOptions, date: datetime | None = None) -> FrameGame:
    """Create the game before its first frame, by the rules of a date or the newest ones.

    Raises:
        FormatError: an option is not supported.
    """
    handling = options.handling
    try:
        return FrameGame(
            convert_rules(options, date),
            seed=options.seed,
            frame_rules=_frame_rules(options),
            handling=Handling(
                das=handling.das,
                arr=handling.arr,
                dcd=handling.dcd,
                soft_drop=handling.sdf,
                safe_lock=handling.safelock,
                cancel=handling.cancel,
                may_20g=handling.may20g,
                initial_rotation=handling.irs,
                initial_hold=handling.ihs,
            ),
        )
    except RulesError as error:
        raise FormatError(f"options: {error}") from None


def convert_rules(options: TetrioOptions, date: datetime | None = None) -> Rules:
    """Convert the options of a game to rules, without timing.

    Raises:
        FormatError: as `create_frame_game`.
    """
    # These options differ between players; without them the cached rules can be reused.
    alike = msgspec.structs.replace(options, seed=0, gameid=None, handling=TetrioHandling())
    is_old = options.version < _FIRST_WITH_NEW_HOLES or (date is not None and date < _NEW_HOLES)
    is_early = date is not None and date < _NEW_OPENER
    return _rules(alike, is_old, is_early)


Value = TypeVar("Value")

_KNOWN_VERSIONS: Final = (15, 18, 19)
"""Versions whose recorded games play back without a difference."""
_FIRST_WITH_NEW_HOLES: Final = 19
_FIRST_WITH_ROUNDED_HEIGHTS: Final = 19
_FIRST_WITH_CROSSING: Final = 18
_NEW_HOLES: Final = datetime(2025, 5, 6, 19, tzinfo=UTC)
_NEW_OPENER: Final = datetime(2025, 2, 16, tzinfo=UTC)

_KICKS: Final = {
    "SRS": "srs-tetrio",
    "SRS+": "srs+",
    "SRS-X": "srs-x",
    "TETRA-X": "tetra-x",
    "ASC": "asc",
    "ARS": "ars",
    "NRS": "nrs",
    "none": "none180",
}
_BAGS: Final = {
    name: name
    for name in (
        *("7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag"),
        *("pairs", "classic", "total mayhem"),
    )
} | {"7bag": "7-bag"}
_SPINS: Final = {
    name: name.lower()
    for name in (
        *("none", "T-spins", "T-spins+", "all", "all+", "all-mini", "all-mini+"),
        *("mini-only", "handheld", "stupid"),
    )
}
# Lines by the number of previous clears of the combo; the first makes none.
_COMBOS: Final[dict[str, tuple[int, ...]]] = {
    "none": (),
    "classic guideline": (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5),
    "modern guideline": (0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4),
}
_ROUNDING: Final = {"down": "down", "rng": "random"}
_CROSSING: Final = {"zero": True, "consistent": True, "limited": False, "full": False}


@functools.lru_cache(maxsize=64)
def _rules(options: TetrioOptions, is_old: bool, is_early: bool) -> Rules:
    _reject_unknown(options)
    combo = options.combotable
    if combo != "multiplier" and combo not in _COMBOS:
        _reject("combotable", combo, ("multiplier", *_COMBOS))
    kicks = _look_up("kickset", options.kickset, _KICKS)
    if options.b2bcharging and options.b2bcharge_at == 0:
        raise FormatError("invalid option b2bcharge_at: expected 1 or more, got 0")
    opener = max(options.openerphase - is_early, 0)
    changes: dict[str, dict[str, object]] = {
        "board": {
            "width": options.boardwidth,
            "rows": options.boardheight + options.boardbuffer,
            "visible": options.boardheight,
        },
        "spawn": {
            "x": (options.boardwidth - 3) // 2 + 1,
            "y": options.boardheight + 1,
            "blocked": "clutch" if options.clutch else "lost",
        },
        "pieces": {
            "bag": _look_up("bagtype", options.bagtype, _BAGS),
            "hold": options.display_hold,
            "kicks": kicks if options.allow180 else f"{kicks} without 180",
            "spins": _look_up("spinbonuses", options.spinbonuses, _SPINS),
        },
        "top_out": {"lock_out": "none" if options.nolockout else "whole"},
        "attack": {
            "halve_other_spins": options.spinbonuses == "handheld",
            "garbage_bonus": options.garbagespecialbonus,
            "multiplier": options.garbagemultiplier,
            "multiplier_growth": options.garbageincrease,
            "multiplier_margin": options.garbagemargin,
            "rounding": _look_up("roundmode", options.roundmode, _ROUNDING),
        },
        "back_to_back": {
            "bonus": "chain" if options.b2bchaining else "flat",
            "charge_at": options.b2bcharge_at if options.b2bcharging else 0,
            "charge_base": options.b2bcharge_base,
        },
        "combo": {
            "kind": "multiplier" if combo == "multiplier" else "table",
            "table": list(_COMBOS.get(combo, ())),
        },
        "perfect_clear": {
            "lines": options.allclear_garbage if options.allclears else 0,
            "chain": options.allclear_b2b if options.allclears else 0,
        },
        "garbage": {
            "travel": options.garbagespeed,
            "opener_pieces": opener,
            "cap": options.garbagecap,
            "cap_growth": options.garbagecapincrease,
            "cap_margin": options.garbagecapmargin,
            "cap_limit": int(options.garbagecapmax),
            "absolute_cap": int(options.garbageabsolutecap),
            "holes": "attacks before 2025-05" if is_old else "attacks",
            "change": options.messiness_change,
            "inner": options.messiness_inner,
            "other": options.messiness_nosame,
            "centred": options.messiness_center,
            "hole_size": options.garbageholesize,
            "timeout": options.messiness_timeout,
        },
    }
    try:
        return Rules.preset("tetrio-default").replace(changes, name="tetrio")
    except RulesError as error:
        raise FormatError(f"options: {error}") from None


def _frame_rules(options: TetrioOptions) -> FrameRules:
    crossing = options.passthrough
    if crossing is not False:
        crossing = _look_up("passthrough", str(crossing), _CROSSING)
    return FrameRules(
        gravity=options.g,
        gravity_growth=options.gincrease,
        gravity_margin=options.gmargin,
        gravity_may_20g=options.gravitymay20g,
        lock_time=options.locktime,
        lock_resets=options.lockresets,
        infinite_movement=options.infinite_movement,
        infinite_hold=options.infinite_hold,
        hard_drop=options.allow_harddrop,
        sends_attacks=options.hasgarbage,
        # Earlier versions sent no acknowledgement with an attack.
        cancels_in_flight=crossing and options.version >= _FIRST_WITH_CROSSING,
        rounded_heights=options.version >= _FIRST_WITH_ROUNDED_HEIGHTS,
    )


def _reject_unknown(options: TetrioOptions) -> None:
    """Reject options whose effect no recorded game has shown."""
    if options.version not in _KNOWN_VERSIONS:
        _reject("version", options.version, _KNOWN_VERSIONS)
    for name, value, needed in (
        ("garbageblocking", options.garbageblocking, "combo blocking"),
        ("garbagetargetbonus", options.garbagetargetbonus, "none"),
        ("usebombs", options.usebombs, False),
        ("are", options.are, 0),
        ("lineclear_are", options.lineclear_are, 0),
        ("stock", options.stock, 0),
    ):
        if value != needed:
            _reject(name, value, (needed,))
    if options.unsupported:
        raise FormatError(f"invalid option {options.unsupported[0]}")


def _look_up(name: str, value: str, known: dict[str, Value]) -> Value:
    if value not in known:
        _reject(name, value, tuple(known))
    return known[value]


def _reject(name: str, value: object, known: tuple[object, ...]) -> NoReturn:
    listed = ", ".join(map(shown, known))
    raise FormatError(f"invalid option {name}: expected {listed}, got {shown(value)}") from None
