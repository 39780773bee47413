"""Slow reference implementation of the move generator, for comparison with the kernel.

It shares nothing with the kernel: cells of pieces are rotated, kicks come from the published tables
(tests/data/kicks.json, box coordinates), and states are visited one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent.parent / "data"
KICKS = json.loads((DATA / "kicks.json").read_text())
# Shapes, corners and tests that differ from those of SRS.
SHAPES = json.loads((DATA / "shapes.json").read_text())
PASON: dict[str, list[list[tuple[int, int]]]] = SHAPES["pason"]

# Our name -> where the published table lies.
SYSTEMS = {
    "none": ("perfect_tetris", "none"),
    "none180": ("perfect_tetris", "none180"),
    "srs": ("perfect_tetris", "srs"),
    "srs180": ("perfect_tetris", "srs180"),
    "srs+": ("perfect_tetris", "srsPlus"),
    "srs-tetrio": ("perfect_tetris", "srsTetrio"),
    "srs-x": ("games", "SRS-X"),
    "tetra-x": ("games", "TETRA-X"),
    "asc": ("games", "ASC"),
    "ars": ("games", "ARS"),
    "nrs": ("games", "NRS"),
    "jstris": ("perfect_tetris", "srs"),
    "botris": ("perfect_tetris", "srs"),
    "nrs-offsets": ("perfect_tetris", "none"),
    "ars-offsets": ("games", "ARS"),
    "asc-offsets": ("games", "ASC"),
    "pason": ("perfect_tetris", "none"),
}

# Systems that are SRS with other turns, written down here.
JSTRIS_HALF_TURNS = {"02": (0, 1), "20": (0, -1), "13": (1, 0), "31": (-1, 0)}

# All tests of every turn there is, in box coordinates.
Own = dict[tuple[str, int, int], list[tuple[int, int]]]
System = str | Own

MODES = [
    *("none", "T-spins", "T-spins+", "all", "all+", "all-mini", "all-mini+"),
    *("mini-only", "handheld", "stupid", "immobile"),
]


class Spins(NamedTuple):
    """Rules of spins: a mode, and the switches of games."""

    mode: str
    kicks: str = "downward"
    shift: str = "ends"
    top: bool = False


SpinSetting = str | Spins

# Boxes as drawn, top row first; the box turns as a whole.
BOXES = {
    "I": ["....", "####", "....", "...."],
    "O": ["##", "##"],
    "T": [".#.", "###", "..."],
    "L": ["..#", "###", "..."],
    "J": ["#..", "###", "..."],
    "S": [".##", "##.", "..."],
    "Z": ["##.", ".##", "..."],
}

# Where the true-rotation centre lies in the box: column from the left, row from the top.
CENTRES = {"I": [(1, 1), (2, 1), (2, 2), (1, 2)], "O": [(0, 1), (0, 0), (1, 0), (1, 1)]}
CENTRE_OF_OTHERS = [(1, 1)] * 4


class State(NamedTuple):
    """A piece in the air: its box's left column and top row, its rotation, and its spin."""

    x: int
    y: int
    rotation: int
    # The verdict on the last rotation, unless a later move has ended it; where the verdict is made
    # at the lock, TURNED or KICKED in its place.
    spin: str


@cache
def box(piece: str, rotation: int) -> tuple[tuple[int, int], ...]:
    """Return cells as (column from the box's left, rows below the box's top)."""
    rows = BOXES[piece]
    for _ in range(rotation):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
    return tuple((c, r) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "#")


def shape(piece: str, system: System, rotation: int) -> list[tuple[int, int]]:
    """Return cells as (columns right of, rows below) the state's x and y."""
    return named_shape(piece, system if isinstance(system, str) else "", rotation)


@cache
def named_shape(piece: str, name: str, rotation: int) -> list[tuple[int, int]]:
    """Return the same for a system's name; empty for none."""
    plain = name.removesuffix(" without 180")
    if plain == "pason":
        # It appears pointing south; the orientations follow one another counter-clockwise.
        states = PASON[piece]
        return [(column, row) for row, column in states[(2 - rotation) % len(states)]]
    dx, dy = SHAPES["offsets"].get(plain, {}).get(piece, [(0, 0)] * 4)[rotation]
    return [(c + dx, r + dy) for c, r in box(piece, rotation)]


def centre(piece: str, rotation: int) -> tuple[int, int]:
    return CENTRES.get(piece, CENTRE_OF_OTHERS)[rotation]


def centre_in(piece: str, system: System, rotation: int) -> tuple[int, int]:
    """Return the centre relative to a state's x and y."""
    ours, boxed = shape(piece, system, rotation), box(piece, rotation)
    column, row = centre(piece, rotation)
    right = min(c for c, _ in ours) - min(c for c, _ in boxed)
    down = min(r for _, r in ours) - min(r for _, r in boxed)
    return column + right, row + down


class Field:
    """A board as a set of filled cells."""

    def __init__(
        self, width: int, rows: int, filled: set[tuple[int, int]], system: System = "srs"
    ) -> None:
        self.width = width
        self.rows = rows
        self.filled = filled
        self.system = system
        # Every state is asked about many times.
        self._fits: dict[tuple[str, int, int, int], bool] = {}

    def free(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.rows and (x, y) not in self.filled

    def blocked_corner(self, x: int, y: int, top: bool) -> bool:
        above = top and y >= self.rows
        return above or not (0 <= x < self.width) or y < 0 or (x, y) in self.filled

    def cells(self, piece: str, s: State) -> list[tuple[int, int]]:
        return [(s.x + c, s.y - r) for c, r in shape(piece, self.system, s.rotation)]

    def fits(self, piece: str, s: State) -> bool:
        return self.fits_at(piece, s.x, s.y, s.rotation)

    def fits_at(self, piece: str, x: int, y: int, rotation: int) -> bool:
        place = piece, x, y, rotation
        known = self._fits.get(place)
        if known is None:
            cells = shape(piece, self.system, rotation)
            known = self._fits[place] = all(self.free(x + c, y - r) for c, r in cells)
        return known


def tests(piece: str, system: System, start: int, end: int) -> list[tuple[int, int]] | None:
    if isinstance(system, dict):
        return system.get((piece, int(start), int(end)))
    return named_tests(piece, system, int(start), int(end))


@cache
def named_tests(piece: str, system: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """Return the same for a system's name."""
    plain = system.removesuffix(" without 180")
    if plain != system and (end - start) % 4 == 2:
        return None
    turn = f"{start}{end}"
    if plain == "jstris" and turn in JSTRIS_HALF_TURNS:
        return [(0, 0)] if piece == "O" else [(0, 0), JSTRIS_HALF_TURNS[turn]]
    if plain == "botris" and piece == "O":
        return [(dx, dy) for dx, dy in SHAPES["botris_o"].get(turn, [])] or None
    group, name = SYSTEMS[plain]
    table = KICKS[group][name]
    kicks = table["i" if piece == "I" and "i" in table else "default"].get(turn)
    if kicks is None:
        return None
    if piece == "O" and plain != "asc-offsets":
        kicks = []
    return [(0, 0), *((dx, dy) for dx, dy in kicks)]


def get_spin_setting(spins: SpinSetting) -> Spins:
    return Spins(spins) if isinstance(spins, str) else spins


def next_states(field: Field, piece: str, s: State, spins: SpinSetting) -> list[State]:
    """Return all states one key press away."""
    rules = get_spin_setting(spins)
    late = is_detected_at_lock(rules)
    x, y, before, _ = s
    found = []
    for dx, dy in ((-1, 0), (1, 0), (0, -1)):
        if field.fits_at(piece, x + dx, y + dy, before):
            found.append(shifted(s, dx, dy, rules))
    for turn in (1, 2, 3):
        rotation = (before + turn) % 4
        for i, (dx, dy) in enumerate(tests(piece, field.system, before, rotation) or []):
            if field.fits_at(piece, x + dx, y + dy, rotation):
                full = (rules.kicks == "fifth" and i + 1 == 5) or (
                    rules.kicks == "downward" and (before, rotation, dx, dy) in DOWNWARD
                )
                if late:
                    spin = "KICKED" if full else "TURNED"
                else:
                    to = State(x + dx, y + dy, rotation, "NONE")
                    spin = detect_spin(field, piece, to, full, rules)
                found.append(State(x + dx, y + dy, rotation, spin))
                break
    return found


# From, to, and the kick that makes any T-spin full.
DOWNWARD = {(2, 3, 1, -2), (0, 3, 1, -2), (2, 1, -1, -2), (0, 1, -1, -2)}


def is_detected_at_lock(spins: SpinSetting) -> bool:
    rules = get_spin_setting(spins)
    return rules.shift == "rejudges" and rules.mode != "stupid"


def shifted(s: State, dx: int, dy: int, spins: SpinSetting) -> State:
    """Return the state after a move of one cell, which in most modes ends a spin."""
    rules = get_spin_setting(spins)
    stays = rules.mode == "stupid" or (dy == 0 and rules.shift != "ends")
    return State(s.x + dx, s.y + dy, s.rotation, s.spin if stays else "NONE")


def locked_spin(field: Field, piece: str, s: State, spins: SpinSetting) -> str:
    """Return the spin of a piece that locks in this state."""
    if s.spin in ("TURNED", "KICKED"):
        return detect_spin(field, piece, s, s.spin == "KICKED", get_spin_setting(spins))
    return s.spin


def detect_spin(field: Field, piece: str, s: State, full_kick: bool, rules: Spins) -> str:
    """Return the spin of a rotation that ends in this state."""
    mode = rules.mode

    def stuck(dx: int, dy: int) -> bool:
        return not field.fits_at(piece, s.x + dx, s.y + dy, s.rotation)

    if mode == "none" or not stuck(0, -1):
        return "NONE"
    if mode == "stupid":
        return "FULL"
    immobile = stuck(-1, 0) and stuck(1, 0) and stuck(0, 1)
    if mode == "immobile":
        return "FULL" if immobile else "NONE"
    if mode == "mini-only":
        return "MINI" if immobile else "NONE"
    if mode == "handheld" and piece in SHAPES["corners"]:
        corners = SHAPES["corners"][piece][s.rotation]
        return "FULL" if filled_corners(field, piece, s, corners, rules.top) >= 3 else "NONE"
    if piece == "T":
        seen = detect_t_spin(field, s, full_kick, rules.top)
        return "MINI" if seen == "NONE" and immobile and mode.endswith("+") else seen
    if mode.startswith("all") and immobile:
        return "MINI" if mode.startswith("all-mini") else "FULL"
    return "NONE"


def filled_corners(
    field: Field, piece: str, s: State, corners: list[tuple[int, int]], top: bool
) -> int:
    """Count filled corners around the middle of SRS's box, wherever a system puts it."""
    cells = field.cells(piece, s)
    middle_x = min(x for x, _ in cells) - min(c for c, _ in box(piece, s.rotation)) + 1
    middle_y = max(y for _, y in cells) + min(r for _, r in box(piece, s.rotation)) - 1
    return sum(field.blocked_corner(middle_x + dx, middle_y + dy, top) for dx, dy in corners)


def detect_t_spin(field: Field, s: State, full_kick: bool, top: bool) -> str:
    clockwise = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
    if filled_corners(field, "T", s, clockwise, top) < 3:
        return "NONE"
    front = [clockwise[s.rotation], clockwise[(s.rotation + 1) % 4]]
    return "FULL" if full_kick or filled_corners(field, "T", s, front, top) == 2 else "MINI"


def spawn_state(piece: str, system: System, spawn: tuple[int, int]) -> State:
    if isinstance(system, str) and system.startswith("pason"):
        return State(*spawn, 2, "NONE")
    south = isinstance(system, str) and system[:3] in ("ars", "nrs") and piece in "LJT"
    rotation = 2 if south else 0
    column, row = centre(piece, rotation)
    return State(spawn[0] - column, spawn[1] + row, rotation, "NONE")


def reachable(
    field: Field,
    piece: str,
    spawn: tuple[int, int],
    spins: SpinSetting,
    carried: Iterable[str] = (),
) -> set[State]:
    """Return all states; `carried` are spins that the piece may spawn with, besides none."""
    start = spawn_state(piece, field.system, spawn)
    if not field.fits(piece, start):
        return set()
    rules = get_spin_setting(spins)
    seen = {start, *(start._replace(spin=spin) for spin in carried)}
    waiting = list(seen)
    while waiting:
        for to in next_states(field, piece, waiting.pop(), rules):
            if to not in seen:
                seen.add(to)
                waiting.append(to)
    return seen


def placements(
    field: Field,
    piece: str,
    spawn: tuple[int, int],
    spins: SpinSetting,
    carried: Iterable[str] = (),
) -> set[tuple[tuple[tuple[int, int], ...], str]]:
    """Return cells and spin of every placement: reachable states that cannot fall."""
    found = set()
    for s in reachable(field, piece, spawn, spins, carried):
        if not field.fits_at(piece, s.x, s.y - 1, s.rotation):
            cells = tuple(sorted(field.cells(piece, s), key=lambda cell: (cell[1], cell[0])))
            found.add((cells, locked_spin(field, piece, s, spins)))
    return found


def lock(field: Field, cells: tuple[tuple[int, int], ...]) -> Field:
    """Return the field with these cells filled and without its full rows."""
    filled = field.filled | set(cells)
    kept = [y for y in range(field.rows) if not all((x, y) in filled for x in range(field.width))]
    return Field(
        field.width,
        field.rows,
        {(x, to) for to, y in enumerate(kept) for x in range(field.width) if (x, y) in filled},
        field.system,
    )


def perft(field: Field, queue: str, spawn: tuple[int, int], spins: SpinSetting) -> int:
    if not queue:
        return 1
    return sum(
        perft(lock(field, cells), queue[1:], spawn, spins)
        for cells, _ in placements(field, queue[0], spawn, spins)
    )
