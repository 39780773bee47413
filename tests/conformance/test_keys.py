"""Thousands of placements survive the way to each host as keys and back.

Here the keys are pressed on the slow reference; how the hosts name them is all that is theirs.
"""

import random
from collections.abc import Callable

import pytest

from sevenbag import Board, Key, Piece, Placement, Rules
from sevenbag.protocols.pason import pason_conversion
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.triangle import triangle_keys as triangle
from tests.kernel import reference
from tests.kernel.scenes import NAMES, Scene, random_board
from tests.properties import cases

SPAWN = (4, 20)
MOST_FALLEN = 3

Way = list[Key] | None
Host = Callable[[Board, Placement, Rules], Way]


def to_triangle(board: Board, placement: Placement, rules: Rules) -> Way:
    names = triangle.find_keys(board, placement, rules, hold=True)
    if names is None:
        return None
    assert names[0] == "hold"
    assert names[-1] == "hardDrop"
    assert not {"dasLeft", "dasRight"}.intersection(names)
    assert names.count("hold") == names.count("hardDrop") == 1
    return [triangle.KEYS_BY_NAME[name] for name in names[1:]]


def to_tbp(board: Board, placement: Placement, rules: Rules) -> Way:
    names = tbp_conversion.find_inputs(placement, board, rules)
    if names is None:
        return None
    return [*(tbp_conversion.INPUT_KEYS[name] for name in names), Key.HARD_DROP]


def to_pason(board: Board, placement: Placement, rules: Rules) -> Way:
    names = pason_conversion.find_moves(board, placement, rules)
    return None if names is None else [pason_conversion.MOVE_KEYS[name] for name in names]


HOSTS: dict[str, Host] = {"triangle": to_triangle, "tbp": to_tbp, "pason": to_pason}
LACKS = {"triangle": {Key.SOFT_DROP}, "tbp": {Key.SOFT_DROP}, "pason": {Key.SONIC_DROP, Key.FLIP}}


@pytest.mark.parametrize("host", HOSTS)
def test_placements_arrive(host: str) -> None:
    rng = random.Random(host)
    done = lost = 0
    while done < cases(10_000):
        system = rng.choice(NAMES)
        rules = Rules.preset("guideline").replace(
            {"pieces": {"kicks": system, "spins": "none"}, "spawn": {"drop": 0}}
        )
        board = random_board(rng.randrange(10**9), 10, 40, rng.randrange(12), 0.4)
        for piece in Piece:
            scene = Scene(board, piece.name, system, spawn=SPAWN)
            found = scene.placements()
            for placement in rng.sample(found, min(12, len(found))):
                way = HOSTS[host](board, placement, rules)
                if way is None:
                    lost += 1
                    continue
                assert LACKS[host].isdisjoint(way)
                assert way[-1] is Key.HARD_DROP
                follow(scene, scene.start, way, placement)
                done += 1
    # Some hang in places that a host without that fall cannot release.
    assert lost < done / 4


def follow(scene: Scene, s: reference.State, way: list[Key], placement: Placement) -> None:
    for key in way[:-1]:
        s = scene.press(s, key)
    assert scene.drop(s)[0] == tuple(placement.cells)


@pytest.mark.parametrize("system", NAMES)
def test_placements_arrive_under_gravity(system: str) -> None:
    rng = random.Random(system)
    rules = Rules.preset("guideline").replace(
        {"pieces": {"kicks": system, "spins": "none"}, "spawn": {"drop": 0}}
    )
    for _ in range(cases(10)):
        board = random_board(rng.randrange(10**9), 10, 40, rng.randrange(14), 0.4)
        for piece in Piece:
            scene = Scene(board, piece.name, system, spawn=SPAWN)
            found = scene.placements()
            for placement in rng.sample(found, min(4, len(found))):
                way = to_triangle(board, placement, rules)
                if way is None:
                    continue
                for s in scene.fall(MOST_FALLEN):
                    follow(scene, s, way, placement)
