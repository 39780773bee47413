"""Keys are replayed one by one on the slow reference: they must end where they were asked to."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from sevenbag import Board, Key, Placement, Rotation, Spin, SpinMode
from tests.kernel import reference, systems
from tests.kernel.test_movegen import PIECES, field_of, random_board

TURNS = {Key.CW: 1, Key.FLIP: 2, Key.CCW: 3}
SHIFTS = {Key.LEFT: (-1, 0), Key.RIGHT: (1, 0), Key.SOFT_DROP: (0, -1)}


def press(
    field: reference.Field,
    piece: str,
    system: reference.System,
    keys: list[Key],
    mode: reference.Judging,
) -> reference.State:
    """Where the keys lead; a key that has no effect is a fault of the path."""
    s = reference.spawn_state(piece, system, (4, 19))
    assert keys[-1] == Key.HARD_DROP
    for key in keys[:-1]:
        reached = reference.moves(field, piece, system, s, mode)
        if key in SHIFTS:
            dx, dy = SHIFTS[key]
            s = reference.shifted(s, dx, dy, mode)
            assert s in reached, key
        elif key == Key.SONIC_DROP:
            start = s
            while field.fits(piece, s._replace(y=s.y - 1)):
                s = reference.shifted(s, 0, -1, mode)
            assert s != start, key
        else:
            rotation = (s.rotation + TURNS[key]) % 4
            turned = [to for to in reached if to.rotation == rotation and rotation != s.rotation]
            assert len(turned) == 1, key
            s = turned[0]
    while field.fits(piece, s._replace(y=s.y - 1)):
        s = reference.shifted(s, 0, -1, mode)
    return s


Goal = tuple[tuple[tuple[int, int], ...], str]


def distance(
    field: reference.Field,
    piece: str,
    system: reference.System,
    goal: Goal,
    mode: reference.Judging,
) -> int:
    """Key presses to the goal, counted by a plain breadth-first search, hard drop included."""
    layer = {reference.spawn_state(piece, system, (4, 19))}
    seen = set(layer)
    for presses in range(1, 100):
        following = set()
        for s in layer:
            down = s
            while field.fits(piece, down._replace(y=down.y - 1)):
                down = reference.shifted(down, 0, -1, mode)
            cells = tuple(sorted(field.cells(piece, down), key=lambda c: (c[1], c[0])))
            if (cells, reference.locked_spin(field, piece, down, mode)) == goal:
                return presses
            following.update(reference.moves(field, piece, system, s, mode))
            following.add(down)
        layer = following - seen
        seen |= following
    raise AssertionError("not reachable")


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**9),
    st.integers(0, 12),
    st.floats(0.3, 0.9),
    st.sampled_from(PIECES),
    systems.systems,
    systems.modes,
)
def test_every_placement_has_a_shortest_path(
    seed: int,
    height: int,
    density: float,
    piece: str,
    system: reference.System,
    mode: reference.Judging,
) -> None:
    board = random_board(seed, 10, 40, height, density)
    field = field_of(board).under(system)
    kicks = systems.kicks(system)
    spins = systems.spin_rules(mode)
    found = list(board.placements(piece, kicks, spins=spins))
    for placement in random.Random(seed).sample(found, min(6, len(found))):
        keys = board.path(placement, kicks, spins=spins)
        assert keys is not None
        last = press(field, piece, system, keys, mode)
        assert sorted(field.cells(piece, last)) == sorted(placement.cells)
        assert reference.locked_spin(field, piece, last, mode) == placement.spin.name
        goal = (tuple(placement.cells), placement.spin.name)
        assert len(keys) == distance(field, piece, system, goal, mode)


def test_equal_cells_in_another_rotation_are_the_same_goal() -> None:
    south = Placement("S", Rotation.SOUTH, 4, 1)
    assert Board().path(south) == Board().path(south.canonical())


def test_what_cannot_be_reached_has_no_path() -> None:
    board = Board.from_rows(["#.########", "##########"])
    board[9, 1] = False
    assert board.path(Placement("I", Rotation.EAST, 1, 2)) is None
    assert (
        board.path(Placement("T", Rotation.NORTH, 4, 2, Spin.FULL), spins=SpinMode.T_SPINS) is None
    )
    assert board.path(Placement("T", Rotation.NORTH, 20, 2)) is None
