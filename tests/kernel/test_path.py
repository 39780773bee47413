"""Tests of paths and keys, which are replayed one by one on the slow reference."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, Key, Placement, Rotation, Spin, SpinMode
from sevenbag.errors import InputError, PlacementError
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.kernel import reference
from tests.kernel.scenes import Goal, Scene, boards, goal_of, pieces, random_board, scenes, seeds
from tests.properties import examples

TAPS = [key for key in Key if key not in {Key.DAS_LEFT, Key.DAS_RIGHT}]

# A plain search through more sets of states than this takes minutes.
MOST_SETS = 400


class TooLongError(Exception):
    """The plain search gives up."""


def distance(
    scene: Scene, goal: Goal, begin: Sequence[reference.State], keys: Sequence[Key] = TAPS
) -> int | None:
    """Count presses, hard drop included, from all starts to the goal by breadth-first search.

    Raises:
        TooLongError: with several starts there are too many sets of states.
    """
    layer = {frozenset(begin)}
    seen = set(layer)
    for presses in range(1, 100):
        if len(begin) > 1 and len(seen) > MOST_SETS:
            raise TooLongError
        following = set()
        for states in layer:
            if {scene.drop(s) for s in states} == {goal}:
                return presses
            for key in keys:
                if key is not Key.HARD_DROP:
                    following.add(frozenset(scene.press(s, key) for s in states))
        layer = following - seen
        seen |= following
    return None


@examples(60)
@given(scenes(boards(10, 40, 12, (0.3, 0.9))), seeds)
def test_every_placement_has_a_shortest_path(scene: Scene, seed: int) -> None:
    found = scene.placements()
    for placement in random.Random(seed).sample(found, min(6, len(found))):
        keys = scene.board.find_path(placement, scene.kicks, spins=scene.spins)
        assert keys is not None
        assert keys[-1] is Key.HARD_DROP
        s = scene.start
        for key in keys[:-1]:
            before, s = s, scene.press(s, key)
            assert s != before, key
        assert scene.drop(s) == goal_of(placement)
        assert len(keys) == distance(scene, goal_of(placement), [scene.start])


@examples(60)
@given(
    scenes(boards(7, 12, 9, (0.4, 0.4))),
    seeds,
    st.sets(st.sampled_from(list(Key))),
    st.integers(0, 4),
)
def test_paths_with_given_keys_under_gravity(
    scene: Scene, seed: int, allowed: set[Key], fallen: int
) -> None:
    scene = Scene(scene.board, scene.piece, scene.system, scene.mode, spawn=(3, 9))
    keys = list(allowed)
    found = scene.placements()
    begin = scene.fall(fallen)
    for placement in random.Random(seed).sample(found, min(3, len(found))):
        way = scene.board.find_path(
            placement,
            scene.kicks,
            spins=scene.spins,
            spawn=scene.spawn,
            keys=keys,
            gravity_rows=fallen,
        )
        try:
            presses = distance(scene, goal_of(placement), begin, keys)
        except TooLongError:
            continue
        if way is None:
            # The search for ways from everywhere is not endless.
            assert presses is None or (fallen and presses > 5)
            continue
        assert len(way) == presses
        assert {Key.HARD_DROP}.union(way) <= {Key.HARD_DROP, *keys}
        for s in begin:
            at = s
            for key in way[:-1]:
                at = scene.press(at, key)
            assert scene.drop(at) == goal_of(placement)


@examples(60)
@given(
    seeds,
    st.integers(0, 12),
    pieces,
    st.sampled_from(["guideline", "pason-2012"]),
    st.lists(st.sampled_from(TAPS), max_size=12),
)
def test_ways_from_where_a_piece_is(
    seed: int, height: int, piece: str, preset: str, keys: list[Key]
) -> None:
    rules = Rules.preset(preset).replace({"pieces": {"spins": "none"}})
    kernel, system = compile_rules(rules), rules.pieces.kicks.name
    board = random_board(seed, 10, rules.board.rows, height, 0.5)
    scene = Scene(board, piece, system, spawn=(rules.spawn.x, rules.spawn.y))
    at = scene.start
    for key in keys:
        if key is not Key.HARD_DROP:
            at = scene.press(at, key)
    cells = sorted(scene.field.cells(piece, at))
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
            presses = distance(scene, (tuple(goal.cells), "NONE"), [at])
            assert (None if way is None else len(way)) == presses


def test_another_piece_leads_nowhere() -> None:
    kernel = compile_rules(Rules.preset("guideline"))
    start = Placement("T", Rotation.NORTH, 4, 9)
    with pytest.raises(PlacementError, match="invalid start: expected the piece of the placement"):
        kernel.find_path(Board(), Placement("S", Rotation.NORTH, 4, 0), cleared=False, start=start)


@examples(100)
@given(scenes(boards(10, 40, 12, (0.4, 0.4))), st.lists(st.sampled_from(list(Key)), max_size=20))
def test_keys_match_the_reference(scene: Scene, keys: list[Key]) -> None:
    last = scene.board.apply_keys(scene.piece, keys, scene.kicks, spins=scene.spins)
    s = scene.start
    if not scene.field.fits(scene.piece, s):
        assert last is None
        return
    for key in keys:
        s = scene.press(s, Key.SONIC_DROP if key is Key.HARD_DROP else key)
    assert last is not None
    assert goal_of(last) == scene.drop(s)


@pytest.mark.parametrize("fallen", [-1, 16])
def test_fall_distance_is_limited(fallen: int) -> None:
    with pytest.raises(InputError, match="invalid gravity_rows"):
        Board().find_path(Placement("T", Rotation.NORTH, 4, 0), gravity_rows=fallen)


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
