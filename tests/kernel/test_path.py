"""Keys are replayed one by one on the slow reference: they must end where they were asked to."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Key, Placement, Rotation, Spin, SpinMode
from sevenbag.errors import InputError, PlacementError
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.kernel import reference, rotation_systems
from tests.kernel.test_movegen import PIECES, field_of, random_board
from tests.properties import examples

TURNS = {Key.CW: 1, Key.FLIP: 2, Key.CCW: 3}
SHIFTS = {Key.LEFT: (-1, 0), Key.RIGHT: (1, 0), Key.SOFT_DROP: (0, -1)}
FAR = {Key.DAS_LEFT: (-1, 0), Key.DAS_RIGHT: (1, 0), Key.SONIC_DROP: (0, -1)}
TAPS = [key for key in Key if key not in {Key.DAS_LEFT, Key.DAS_RIGHT}]

# A plain search through more sets of states than this takes minutes.
MOST_SETS = 400


class TooLongError(Exception):
    """The plain search gives up."""


Goal = tuple[tuple[tuple[int, int], ...], str]


def pressed(
    field: reference.Field,
    piece: str,
    system: reference.System,
    s: reference.State,
    key: Key,
    mode: reference.SpinSetting,
) -> reference.State:
    """Return the state after a key press; the same state if nothing moves."""
    if key in TURNS:
        rotation = (s.rotation + TURNS[key]) % 4
        turned = [
            to
            for to in reference.next_states(field, piece, system, s, mode)
            if to.rotation == rotation != s.rotation
        ]
        return turned[0] if turned else s
    dx, dy = (SHIFTS | FAR)[key]
    while True:
        to = reference.shifted(s, dx, dy, mode)
        if not field.fits(piece, to):
            return s
        s = to
        if key in SHIFTS:
            return s


def landed(
    field: reference.Field,
    piece: str,
    system: reference.System,
    s: reference.State,
    mode: reference.SpinSetting,
) -> Goal:
    """Return the placement that a hard drop locks."""
    down = pressed(field, piece, system, s, Key.SONIC_DROP, mode)
    cells = tuple(sorted(field.cells(piece, down), key=lambda c: (c[1], c[0])))
    return cells, reference.locked_spin(field, piece, down, mode)


def starts(
    field: reference.Field, piece: str, system: reference.System, spawn: tuple[int, int], rows: int
) -> list[reference.State]:
    """Return the states of a piece that has fallen up to a number of rows."""
    s = reference.spawn_state(piece, system, spawn)
    found: list[reference.State] = []
    while len(found) <= rows and field.fits(piece, s):
        found.append(s)
        s = s._replace(y=s.y - 1)
    return found


def distance(
    field: reference.Field,
    piece: str,
    system: reference.System,
    goal: Goal,
    mode: reference.SpinSetting,
    *,
    keys: Sequence[Key] = TAPS,
    spawn: tuple[int, int] = (4, 19),
    fallen: int = 0,
    start: reference.State | None = None,
) -> int | None:
    """Presses to the goal, from every start alike, by plain breadth-first search; hard drop too.

    Raises:
        TooLongError: with several starts there are more sets of states than one can wait for.
    """
    if start is None:
        layer = {frozenset(starts(field, piece, system, spawn, fallen))}
    else:
        layer = {frozenset((start,))}
    seen = set(layer)
    for presses in range(1, 100):
        if fallen and len(seen) > MOST_SETS:
            raise TooLongError
        following = set()
        for states in layer:
            if {landed(field, piece, system, s, mode) for s in states} == {goal}:
                return presses
            for key in keys:
                if key is not Key.HARD_DROP:
                    to = {pressed(field, piece, system, s, key, mode) for s in states}
                    following.add(frozenset(to))
        layer = following - seen
        seen |= following
    return None


@examples(60)
@given(
    st.integers(0, 10**9),
    st.integers(0, 12),
    st.floats(0.3, 0.9),
    st.sampled_from(PIECES),
    rotation_systems.systems,
    rotation_systems.modes,
)
def test_every_placement_has_a_shortest_path(
    seed: int,
    height: int,
    density: float,
    piece: str,
    system: reference.System,
    mode: reference.SpinSetting,
) -> None:
    board = random_board(seed, 10, 40, height, density)
    field = field_of(board).under(system)
    kicks = rotation_systems.kicks(system)
    spins = rotation_systems.spin_rules(mode)
    found = list(board.placements(piece, kicks, spins=spins))
    for placement in random.Random(seed).sample(found, min(6, len(found))):
        keys = board.find_path(placement, kicks, spins=spins)
        assert keys is not None
        assert keys[-1] is Key.HARD_DROP
        goal = (tuple(placement.cells), placement.spin.name)
        s = reference.spawn_state(piece, system, (4, 19))
        for key in keys[:-1]:
            before, s = s, pressed(field, piece, system, s, key, mode)
            assert s != before, key
        assert landed(field, piece, system, s, mode) == goal
        assert len(keys) == distance(field, piece, system, goal, mode)


@examples(60)
@given(
    st.integers(0, 10**9),
    st.integers(0, 9),
    st.sampled_from(PIECES),
    rotation_systems.systems,
    rotation_systems.modes,
    st.sets(st.sampled_from(list(Key))),
    st.integers(0, 4),
)
def test_paths_with_given_keys_under_gravity(
    seed: int,
    height: int,
    piece: str,
    system: reference.System,
    mode: reference.SpinSetting,
    keys: set[Key],
    fallen: int,
) -> None:
    spawn = (3, 9)
    board = random_board(seed, 7, 12, height, 0.4)
    field = field_of(board).under(system)
    kicks, spins = rotation_systems.kicks(system), rotation_systems.spin_rules(mode)
    found = list(board.placements(piece, kicks, spins=spins, spawn=spawn))
    for placement in random.Random(seed).sample(found, min(3, len(found))):
        way = board.find_path(
            placement, kicks, spins=spins, spawn=spawn, keys=list(keys), gravity_rows=fallen
        )
        goal = (tuple(placement.cells), placement.spin.name)
        try:
            presses = distance(
                field, piece, system, goal, mode, keys=list(keys), spawn=spawn, fallen=fallen
            )
        except TooLongError:
            continue
        if way is None:
            # The search for ways from everywhere is not endless.
            assert presses is None or (fallen and presses > 5)
            continue
        assert len(way) == presses
        assert {Key.HARD_DROP}.union(way) <= {Key.HARD_DROP}.union(keys)
        for s in starts(field, piece, system, spawn, fallen):
            at = s
            for key in way[:-1]:
                at = pressed(field, piece, system, at, key, mode)
            assert landed(field, piece, system, at, mode) == goal


@examples(60)
@given(
    st.integers(0, 10**9),
    st.integers(0, 12),
    st.sampled_from(PIECES),
    st.sampled_from(["guideline", "pason-2012"]),
    st.lists(st.sampled_from(TAPS), max_size=12),
)
def test_ways_from_where_a_piece_is(
    seed: int, height: int, piece: str, preset: str, keys: list[Key]
) -> None:
    rules = Rules.preset(preset).replace({"pieces": {"spins": "none"}})
    kernel, system = compile_rules(rules), rules.pieces.kicks.name
    board = random_board(seed, 10, rules.board.rows, height, 0.5)
    field = field_of(board).under(system)
    spawn = (rules.spawn.x, rules.spawn.y)
    at = reference.spawn_state(piece, system, spawn)
    for key in keys:
        if key is not Key.HARD_DROP:
            at = pressed(field, piece, system, at, key, "none")
    cells = sorted(field.cells(piece, at))
    # In place, all rotations with the same cells turn the same way; with kicks they do not.
    rotations = Rotation if system == "pason" else (Rotation(at.rotation),)
    ways = (
        Placement(piece, rotation, x, y)
        for rotation in rotations
        for x in range(-2, 13)
        for y in range(-2, rules.board.rows + 2)
    )
    start = next(way for way in ways if sorted(way.cells) == cells)
    if board.fits(start):
        places = list(kernel.placements(board, piece, cleared=False))
        for goal in random.Random(seed).sample(places, min(4, len(places))):
            way = kernel.find_path(board, goal, cleared=False, keys=TAPS, start=start)
            wanted = (tuple(goal.cells), "NONE")
            presses = distance(field, piece, system, wanted, "none", start=at)
            assert (None if way is None else len(way)) == presses


def test_another_piece_leads_nowhere() -> None:
    kernel = compile_rules(Rules.preset("guideline"))
    start = Placement("T", Rotation.NORTH, 4, 9)
    with pytest.raises(PlacementError, match="invalid start: expected the piece of the placement"):
        kernel.find_path(Board(), Placement("S", Rotation.NORTH, 4, 0), cleared=False, start=start)


@examples(100)
@given(
    st.integers(0, 10**9),
    st.integers(0, 12),
    st.sampled_from(PIECES),
    rotation_systems.systems,
    rotation_systems.modes,
    st.lists(st.sampled_from(list(Key)), max_size=20),
)
def test_keys_match_the_reference(
    seed: int,
    height: int,
    piece: str,
    system: reference.System,
    mode: reference.SpinSetting,
    keys: list[Key],
) -> None:
    board = random_board(seed, 10, 40, height, 0.4)
    field = field_of(board).under(system)
    last = board.apply_keys(
        piece, keys, rotation_systems.kicks(system), spins=rotation_systems.spin_rules(mode)
    )
    s = reference.spawn_state(piece, system, (4, 19))
    if not field.fits(piece, s):
        assert last is None
        return
    for key in keys:
        drop = key is Key.HARD_DROP
        s = pressed(field, piece, system, s, Key.SONIC_DROP if drop else key, mode)
    assert last is not None
    assert (tuple(last.cells), last.spin.name) == landed(field, piece, system, s, mode)


@pytest.mark.parametrize("fallen", [-1, 16])
def test_fall_distance_is_limited(fallen: int) -> None:
    with pytest.raises(InputError, match="invalid gravity_rows"):
        Board().find_path(Placement("T", Rotation.NORTH, 4, 0), gravity_rows=fallen)


def test_no_path_without_the_key() -> None:
    wall = Placement("T", Rotation.NORTH, 1, 0)
    assert Board().find_path(wall, keys=[Key.LEFT]) == [Key.LEFT] * 3 + [Key.HARD_DROP]
    assert Board().find_path(wall, keys=[*TAPS, Key.DAS_LEFT]) == [Key.DAS_LEFT, Key.HARD_DROP]
    assert Board().find_path(wall, keys=[Key.RIGHT]) is None
    assert Board().find_path(wall, keys=[]) is None


def test_equal_cells_in_another_rotation_are_the_same_goal() -> None:
    south = Placement("S", Rotation.SOUTH, 4, 1)
    assert Board().find_path(south) == Board().find_path(south.canonical())


def test_unreachable_placement_has_no_path() -> None:
    board = Board.from_rows(["#.########", "##########"])
    board[9, 1] = False
    assert board.find_path(Placement("I", Rotation.EAST, 1, 2)) is None
    assert (
        board.find_path(Placement("T", Rotation.NORTH, 4, 2, Spin.FULL), spins=SpinMode.T_SPINS)
        is None
    )
    assert board.find_path(Placement("T", Rotation.NORTH, 20, 2)) is None
