"""The pieces of a seed, against recorded ones."""

from __future__ import annotations

import pytest

from sevenbag.game import Game, Rules
from tests.game.reference import seven_bag
from tests.truth import truth_json

BAGS = [
    "7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag", "pairs", "classic", "total mayhem",
]  # fmt: skip


def pieces_of(bag: str, seed: int, count: int) -> str:
    rules = Rules.preset("guideline").replace({"pieces": {"bag": bag, "previews": 32}})
    game = Game(rules, seed)
    pieces = "".join(piece.name for piece in game.queue)
    while len(pieces) < count:
        lock = game.play(min(game.placements(hold=False), key=lambda p: p.y))
        pieces += "".join(piece.name for piece in lock.new_pieces)
    return pieces[:count]


@pytest.mark.parametrize("bag", BAGS)
def test_recorded(bag: str) -> None:
    for seed, pieces in truth_json("triangle/bags.json")[bag].items():
        expected = pieces.replace(" ", "").upper()
        assert pieces_of(bag, int(seed), len(expected)) == expected


def test_seeds_around_the_modulus() -> None:
    modulus = 2**31 - 1
    assert pieces_of("7-bag", 0, 33) == pieces_of("7-bag", modulus, 33)
    assert pieces_of("7-bag", 0, 33) == pieces_of("7-bag", modulus - 1, 33)
    assert pieces_of("7-bag", 1, 33) == pieces_of("7-bag", modulus + 1, 33)
    assert pieces_of("7-bag", 2**63 - 1, 33) == seven_bag(2**63 - 1, 33)


def test_bag_of_a_position_is_what_the_queue_leaves() -> None:
    game = Game(seed=5)
    dealt = seven_bag(5, 200)
    for n in range(30):
        seen = n + len(game.queue)
        rest = dealt[seen : (seen // 7 + 1) * 7]
        bag = game.position().bag
        assert bag is not None
        assert sorted(piece.name for piece in bag) == sorted(rest)
        game.play(min(game.placements(hold=False), key=lambda p: (p.y, p.x)))


def test_no_bag_where_pieces_are_drawn_one_by_one() -> None:
    rules = Rules.preset("guideline").replace({"pieces": {"bag": "classic"}})
    assert Game(rules).position().bag is None
