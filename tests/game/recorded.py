"""Recorded locks of another engine, and the rules they were played by."""

from __future__ import annotations

from typing import Any

from sevenbag._kernel import Piece, Placement, Rotation, RuleSet, Spin
from sevenbag.game import Rules

SPINS = {"none": Spin.NONE, "mini": Spin.MINI, "normal": Spin.FULL}

# TETR.IO's Tetra League, Season 2, but for time: nothing travels, nothing grows.
LEAGUE = Rules.preset("guideline").replace(
    {
        "spawn": {"x": 4, "y": 21, "drop": 0, "blocked": "clutch"},
        "pieces": {"kicks": "srs+", "spins": "none"},
        "top_out": {"lock_out": "none", "garbage_out": False},
        "attack": {
            "mini": [0, 0, 1, 2, 10],
            "full": [0, 2, 4, 6, 10],
            "garbage_bonus": True,
        },
        "back_to_back": {"charge_at": 4, "charge_base": 3},
        "combo": {"kind": "multiplier", "table": []},
        "perfect_clear": {"lines": 5, "kind": "adds", "chain": 1},
        "garbage": {
            "travel": 0,
            "opener_pieces": 14,
            "cap": 8.0,
            "cap_limit": 40,
            "cut_off": "third from top",
        },
    }
)

# The recording engine's names of the rules that its games vary.
_CHANGES: dict[str, Any] = {
    "b2bchaining": lambda v: {"back_to_back": {"bonus": "chain" if v else "flat"}},
    "b2bcharging": lambda v: {} if v else {"back_to_back": {"charge_at": 0}},
    "allclear_garbage": lambda v: {"perfect_clear": {"lines": v}},
    "allclear_b2b": lambda v: {"perfect_clear": {"chain": v}},
    "openerphase": lambda v: {"garbage": {"opener_pieces": v}},
    "garbagespecialbonus": lambda v: {"attack": {"garbage_bonus": v}},
    "messiness_change": lambda v: {"garbage": {"change": v}},
    "messiness_inner": lambda v: {"garbage": {"inner": v}},
    "roundmode": lambda v: {"attack": {"rounding": {"down": "down", "rng": "random"}[v]}},
    "garbagemultiplier": lambda v: {"attack": {"multiplier": v}},
    "spinbonuses": lambda v: {"attack": {"halve_other_spins": True}} if v == "handheld" else {},
    "kickset": lambda v: {"pieces": {"kicks": v}},
}


def rules_of(overrides: dict[str, Any]) -> RuleSet:
    rules = LEAGUE
    for key, value in overrides.items():
        if key != "seed":
            rules = rules.replace(_CHANGES[key](value))
    return RuleSet(rules.to_dict())


def centred(piece: Piece, left: int, top: int, rotation: int) -> Placement:
    """A placement from the top left corner of the piece's box."""
    dx, dy = {
        Piece.I: [(1, -1), (2, -1), (2, -2), (1, -2)],
        Piece.O: [(0, -1), (0, 0), (1, 0), (1, -1)],
    }.get(piece, [(1, -1)] * 4)[rotation]
    return Placement(piece, Rotation(rotation), left + dx, top + dy)
