"""Recorded locks of another engine, and the rules they were played by."""

from typing import Any

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.game import Rules

SPINS = {"none": Spin.NONE, "mini": Spin.MINI, "normal": Spin.FULL}

# Tetra League without travel times; all is played in the first frame.
LEAGUE = Rules.preset("tetrio-league").replace({"garbage": {"travel": 0}})

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
    "spinbonuses": lambda v: {
        "pieces": {"spins": v},
        "attack": {"halve_other_spins": v == "handheld"},
    },
    "kickset": lambda v: {"pieces": {"kicks": {"SRS": "srs-tetrio"}.get(v, v)}},
}


def rules_of(overrides: dict[str, Any]) -> Rules:
    """The rules of a recorded game."""
    rules = LEAGUE
    for key, value in overrides.items():
        if key != "seed":
            rules = rules.replace(_CHANGES[key](value))
    return rules


def pressed(board: Board, piece: Piece, rules: Rules, keys: list[str]) -> Placement:
    """Return the result of the keys before hardDrop, with the kernel's spin."""
    kicks = rules.pieces.kicks
    at = Placement(piece, kicks.spawn_rotation(piece), rules.spawn.x, rules.spawn.y)
    while not board.fits(at):
        at = shifted(at, 0, 1)  # it was raised after a clear
    for key in keys:
        if key in TURNS:
            to = Rotation((at.rotation + TURNS[key]) % 4)
            turned = board.rotate(at, to, kicks, spins=rules.pieces.spins)
            at = turned[0] if turned else at
        elif key in SHIFTS:
            dx, dy, how_far = SHIFTS[key]
            for _ in range(how_far):
                if not board.fits(shifted(at, dx, dy)):
                    break
                at = shifted(at, dx, dy)
        else:
            assert key in {"hold", "hardDrop"}
    return at


TURNS = {"rotateCW": 1, "rotate180": 2, "rotateCCW": 3}
SHIFTS = {
    "moveLeft": (-1, 0, 1),
    "moveRight": (1, 0, 1),
    "dasLeft": (-1, 0, 99),
    "dasRight": (1, 0, 99),
    "softDrop": (0, -1, 99),
}


def shifted(at: Placement, dx: int, dy: int) -> Placement:
    """One cell further, and no spin any more."""
    return Placement(at.piece, at.rotation, at.x + dx, at.y + dy)


def dropped(board: Board, at: Placement) -> Placement:
    """On the floor below."""
    while board.fits(shifted(at, 0, -1)):
        at = shifted(at, 0, -1)
    return at


def centred(piece: Piece, left: int, top: int, rotation: int) -> Placement:
    """A placement from the top left corner of the piece's box."""
    dx, dy = {
        Piece.I: [(1, -1), (2, -1), (2, -2), (1, -2)],
        Piece.O: [(0, -1), (0, 0), (1, 0), (1, -1)],
    }.get(piece, [(1, -1)] * 4)[rotation]
    return Placement(piece, Rotation(rotation), left + dx, top + dy)
