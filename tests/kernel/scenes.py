"""Random boards, pieces and rotation systems, for the kernel and for the reference."""

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from sevenbag import Board, Key, Kicks, Piece, Placement, Rotation, SpinRules
from tests.kernel import reference

PIECES = "IOTLJSZ"
NAMES = sorted(reference.SYSTEMS)
WITHOUT_HALF_TURNS = [f"{name} without 180" for name in NAMES]

TURNS = {Key.CW: 1, Key.FLIP: 2, Key.CCW: 3}
SHIFTS = {Key.LEFT: (-1, 0), Key.RIGHT: (1, 0), Key.SOFT_DROP: (0, -1)}
FAR = {Key.DAS_LEFT: (-1, 0), Key.DAS_RIGHT: (1, 0), Key.SONIC_DROP: (0, -1)}

Goal = tuple[tuple[tuple[int, int], ...], str]
"""Cells and spin of a placement."""


@dataclass
class Scene:
    """A piece over a board, under a rotation system and rules of spins."""

    board: Board
    piece: str
    system: reference.System = "srs"
    mode: reference.SpinSetting = "none"
    spawn: tuple[int, int] = (4, 19)

    def __post_init__(self) -> None:
        self.kicks = kicks_of(self.system)
        self.spins = spin_rules(self.mode)
        self.field = field_of(self.board, self.system)
        self.start = reference.spawn_state(self.piece, self.system, self.spawn)

    def placements(self) -> list[Placement]:
        """Return the kernel's placements."""
        return list(
            self.board.placements(self.piece, self.kicks, spins=self.spins, spawn=self.spawn)
        )

    def compare(self) -> int:
        """Compare the kernel's placements with those of the reference, and count them."""
        expected = reference.placements(self.field, self.piece, self.spawn, self.mode)
        found = [goal_of(placement) for placement in self.placements()]
        assert len(set(found)) == len(found), "a placement was listed twice"
        assert set(found) == expected
        return len(expected)

    def press(self, s: reference.State, key: Key) -> reference.State:
        """Return the state after a key press; the same state if nothing moves."""
        if key in TURNS:
            rotation = (s.rotation + TURNS[key]) % 4
            states = reference.next_states(self.field, self.piece, s, self.mode)
            return next((to for to in states if to.rotation == rotation != s.rotation), s)
        dx, dy = (SHIFTS | FAR)[key]
        while True:
            to = reference.shifted(s, dx, dy, self.mode)
            if not self.field.fits(self.piece, to):
                return s
            s = to
            if key in SHIFTS:
                return s

    def drop(self, s: reference.State) -> Goal:
        """Return the placement that a hard drop locks."""
        down = self.press(s, Key.SONIC_DROP)
        cells = tuple(sorted(self.field.cells(self.piece, down), key=lambda c: (c[1], c[0])))
        return cells, reference.locked_spin(self.field, self.piece, down, self.mode)

    def fall(self, rows: int) -> list[reference.State]:
        """Return the states of a new piece that has fallen up to a number of rows."""
        s, found = self.start, list[reference.State]()
        while len(found) <= rows and self.field.fits(self.piece, s):
            found.append(s)
            s = s._replace(y=s.y - 1)
        return found


def goal_of(placement: Placement) -> Goal:
    return tuple(placement.cells), placement.spin.name


def random_board(seed: int, width: int, rows: int, height: int, density: float) -> Board:
    """Return a stack with overhangs and holes, without full rows."""
    rng = random.Random(seed)
    board = Board(width, rows)
    for y in range(height):
        for x in range(width):
            board[x, y] = rng.random() < density
        board[rng.randrange(width), y] = False
    return board


def field_of(board: Board, system: reference.System) -> reference.Field:
    filled = {(x, y) for x in range(board.width) for y in range(board.rows) if board[x, y]}
    return reference.Field(board.width, board.rows, filled, system)


def kicks_of(system: reference.System) -> Kicks | str:
    """Return the kernel's system for that of the reference."""
    if isinstance(system, str):
        return system
    return Kicks.from_turns(
        "own", {(Piece[p], Rotation(a), Rotation(b)): tests for (p, a, b), tests in system.items()}
    )


def spin_rules(spins: reference.SpinSetting) -> SpinRules | str:
    """Return the kernel's spin rules for those of the reference."""
    if isinstance(spins, str):
        return spins
    return SpinRules(spins.mode, full_kicks=spins.kicks, on_shift=spins.shift, top_filled=spins.top)


def custom_system(seed: int) -> reference.Own:
    """Return a system with random turns and kicks, as many and far as allowed, also for O."""
    rng = random.Random(seed)
    most = rng.choice([1, 4, 24])
    turns = [
        (piece, start, end)
        for piece in PIECES
        for start in range(4)
        for end in range(4)
        if start != end and rng.random() < 0.8
    ]
    return {
        turn: [
            (rng.randint(-4, 4), rng.randint(-4, 4)) if rng.random() < 0.9 else (0, 0)
            for _ in range(rng.randint(1, most))
        ]
        for turn in turns
    }


seeds = st.integers(0, 10**9)
pieces = st.sampled_from(PIECES)
systems = st.sampled_from(NAMES + WITHOUT_HALF_TURNS) | seeds.map(custom_system)
modes = st.sampled_from(reference.MODES) | st.builds(
    reference.Spins,
    st.sampled_from(reference.MODES),
    st.sampled_from(["downward", "fifth", "none"]),
    st.sampled_from(["ends", "keeps", "rejudges"]),
    st.booleans(),
)


def boards(
    width: int, rows: int, most_height: int, densities: tuple[float, float]
) -> st.SearchStrategy[Board]:
    """Draw random boards with stacks up to a height."""
    heights, density = st.integers(0, most_height), st.floats(*densities)
    return st.builds(random_board, seeds, st.just(width), st.just(rows), heights, density)


def scenes(board: st.SearchStrategy[Board]) -> st.SearchStrategy[Scene]:
    """Draw scenes with any piece, rotation system and rules of spins."""
    return st.builds(Scene, board, pieces, systems, modes)
