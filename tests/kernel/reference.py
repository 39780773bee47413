"""The move generator once more: slow, obvious, one state at a time.

Nothing here is shared with the kernel. Pieces are turned by turning their cells, kicks come from
the published tables (tests/data/kicks.json, box coordinates), states are visited one by one, spins
are judged on the state in which a piece is locked.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

KICKS = json.loads((Path(__file__).parent.parent / "data" / "kicks.json").read_text())

# Our name -> where the published table lies.
SYSTEMS = {
    "none": ("perfect_tetris", "none"),
    "none180": ("perfect_tetris", "none180"),
    "srs": ("perfect_tetris", "srs"),
    "srs180": ("perfect_tetris", "srs180"),
    "srs+": ("perfect_tetris", "srsPlus"),
    "srs-tetrio": ("perfect_tetris", "srsTetrio"),
    "srs-x": ("games", "SRS-X"),
}

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
CENTRES = {
    "I": [(1, 1), (2, 1), (2, 2), (1, 2)],
    "O": [(0, 1), (0, 0), (1, 0), (1, 1)],
}
CENTRE_OF_OTHERS = [(1, 1)] * 4


class State(NamedTuple):
    """A piece in the air: its box's left column and top row, its rotation, and how it got here."""

    x: int
    y: int
    rotation: int
    entered: str  # "moved", "turned", "kicked": the last with the kick that makes spins full


@cache
def box(piece: str, rotation: int) -> tuple[tuple[int, int], ...]:
    """Cells as (column from the box's left, rows below the box's top)."""
    rows = BOXES[piece]
    for _ in range(rotation):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
    return tuple((c, r) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "#")


def centre(piece: str, rotation: int) -> tuple[int, int]:
    return CENTRES.get(piece, CENTRE_OF_OTHERS)[rotation]


class Field:
    """A board as a set of filled cells."""

    def __init__(self, width: int, rows: int, filled: set[tuple[int, int]]) -> None:
        self.width = width
        self.rows = rows
        self.filled = filled

    def free(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.rows and (x, y) not in self.filled

    def blocked_corner(self, x: int, y: int) -> bool:
        return not (0 <= x < self.width) or y < 0 or (x, y) in self.filled

    def cells(self, piece: str, s: State) -> list[tuple[int, int]]:
        return [(s.x + c, s.y - r) for c, r in box(piece, s.rotation)]

    def fits(self, piece: str, s: State) -> bool:
        return all(self.free(x, y) for x, y in self.cells(piece, s))


def tests(piece: str, system: str, start: int, end: int) -> list[tuple[int, int]] | None:
    group, name = SYSTEMS[system]
    table = KICKS[group][name]
    kicks = table["i" if piece == "I" and "i" in table else "default"].get(
        f"{int(start)}{int(end)}"
    )
    if kicks is None:
        return None
    if piece == "O":
        kicks = []
    return [(0, 0), *((dx, dy) for dx, dy in kicks)]


def moves(field: Field, piece: str, system: str, s: State) -> list[State]:
    """Every state one key press away."""
    found = []
    for dx, dy in ((-1, 0), (1, 0), (0, -1)):
        to = State(s.x + dx, s.y + dy, s.rotation, "moved")
        if field.fits(piece, to):
            found.append(to)
    for turn in (1, 2, 3):
        rotation = (s.rotation + turn) % 4
        for dx, dy in tests(piece, system, s.rotation, rotation) or []:
            full = (rotation == 1 and (dx, dy) == (-1, -2)) or (
                rotation == 3 and (dx, dy) == (1, -2)
            )
            to = State(s.x + dx, s.y + dy, rotation, "kicked" if full else "turned")
            if field.fits(piece, to):
                found.append(to)
                break
    return found


def spin(field: Field, piece: str, s: State) -> str:
    """Three-corner rule, for a T that is locked where it is."""
    if piece != "T" or s.entered == "moved":
        return "NONE"
    x, y = s.x + 1, s.y - 1
    clockwise = [(x - 1, y + 1), (x + 1, y + 1), (x + 1, y - 1), (x - 1, y - 1)]
    filled = [field.blocked_corner(*corner) for corner in clockwise]
    if sum(filled) < 3:
        return "NONE"
    front = filled[s.rotation] and filled[(s.rotation + 1) % 4]
    return "FULL" if front or s.entered == "kicked" else "MINI"


def spawn_state(piece: str, spawn: tuple[int, int]) -> State:
    column, row = centre(piece, 0)
    return State(spawn[0] - column, spawn[1] + row, 0, "moved")


def reachable(field: Field, piece: str, system: str, spawn: tuple[int, int]) -> set[State]:
    start = spawn_state(piece, spawn)
    if not field.fits(piece, start):
        return set()
    seen = {start}
    waiting = [start]
    while waiting:
        for to in moves(field, piece, system, waiting.pop()):
            if to not in seen:
                seen.add(to)
                waiting.append(to)
    return seen


def placements(
    field: Field, piece: str, system: str, spawn: tuple[int, int], spins: bool
) -> set[tuple[tuple[tuple[int, int], ...], str]]:
    """Cells and spin of every placement: reachable states that cannot fall."""
    found = set()
    for s in reachable(field, piece, system, spawn):
        if not field.fits(piece, s._replace(y=s.y - 1)):
            cells = tuple(sorted(field.cells(piece, s), key=lambda cell: (cell[1], cell[0])))
            found.add((cells, spin(field, piece, s) if spins else "NONE"))
    return found


def lock(field: Field, cells: tuple[tuple[int, int], ...]) -> Field:
    """The field with these cells filled and its full rows taken out."""
    filled = field.filled | set(cells)
    kept = [y for y in range(field.rows) if not all((x, y) in filled for x in range(field.width))]
    return Field(
        field.width,
        field.rows,
        {(x, to) for to, y in enumerate(kept) for x in range(field.width) if (x, y) in filled},
    )


def perft(field: Field, queue: str, system: str, spawn: tuple[int, int], spins: bool) -> int:
    if not queue:
        return 1
    return sum(
        perft(lock(field, cells), queue[1:], system, spawn, spins)
        for cells, _ in placements(field, queue[0], system, spawn, spins)
    )
