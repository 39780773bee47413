"""Tests of the pieces of a seed with recorded ones and the reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.game import Game, Rules
from sevenbag.game.position import append_piece
from tests.counted import compared
from tests.game.reference import general_bag, seven_bag
from tests.properties import cases, examples
from tests.truth import truth_json

BAGS = [
    "7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag", "pairs", "classic", "total mayhem",
]  # fmt: skip


def pieces_of(bag: str, seed: int, count: int, **changes: object) -> str:
    of_pieces = {"bag": bag, "previews": 32} | changes
    rules = Rules.preset("guideline").replace({"pieces": of_pieces})
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
        compared("pieces out of bags", len(expected))


def test_seeds_around_the_modulus() -> None:
    modulus = 2**31 - 1
    assert pieces_of("7-bag", 0, 33) == pieces_of("7-bag", modulus, 33)
    assert pieces_of("7-bag", 0, 33) == pieces_of("7-bag", modulus - 1, 33)
    assert pieces_of("7-bag", 1, 33) == pieces_of("7-bag", modulus + 1, 33)
    assert pieces_of("7-bag", 2**63 - 1, 33) == seven_bag(2**63 - 1, 33)


def test_no_bag_where_pieces_are_drawn_one_by_one() -> None:
    rules = Rules.preset("guideline").replace({"pieces": {"bag": "classic"}})
    assert Game(rules).position().bag is None


@examples(60)
@given(st.integers(0, 2**32), st.text("IOTLJSZ", min_size=1, max_size=63))
def test_general_bags(seed: int, filled: str) -> None:
    expected = general_bag(seed, 33, filled)
    assert pieces_of("general_bag", seed, 33, bag_pieces=filled) == expected


def test_the_other_bags_are_general_bags() -> None:
    for seed in range(20):
        one, two = "IOTLJSZ", "IOTLJSZ" * 2
        assert pieces_of("general_bag", seed, 33, bag_pieces=one) == pieces_of("7-bag", seed, 33)
        assert pieces_of("general_bag", seed, 33, bag_pieces=two) == pieces_of("14-bag", seed, 33)


def test_names_of_tbp() -> None:
    for name, ours in {"seven_bag": "7-bag", "uniform": "total mayhem"}.items():
        assert Rules.preset("guideline").replace({"pieces": {"bag": name}}).pieces.bag == ours
        assert pieces_of(name, 3, 40) == pieces_of(ours, 3, 40)


@pytest.mark.parametrize(
    ("bag", "filled"), [("14-bag", "IOTLJSZ" * 2), ("general_bag", "TTTSIO"), ("7-bag", "IOTLJSZ")]
)
def test_remaining_bag(bag: str, filled: str) -> None:
    pieces: dict[str, object] = {"bag": bag}
    if bag == "general_bag":
        pieces["bag_pieces"] = filled
    rules = Rules.preset("guideline").replace({"pieces": pieces})
    game = Game(rules, seed=5)
    dealt = general_bag(5, 200, filled)
    position = game.position()
    for n in range(30):
        seen = n + len(game.queue)
        rest = dealt[seen : (seen // len(filled) + 1) * len(filled)]
        told = game.position()
        assert told.bag is not None
        assert position.bag is not None
        assert sorted(piece.name for piece in told.bag) == sorted(rest)
        # An observer of the new pieces alone infers the same.
        assert sorted(position.bag) == sorted(told.bag)
        assert sorted(piece.name for piece in told.filled_bag) == sorted(filled)
        lock = game.play(min(game.placements(hold=False), key=lambda p: (p.y, p.x)))
        for piece in lock.new_pieces:
            position = append_piece(position, piece)


def test_openings() -> None:
    begin = {
        opening: [pieces_of("7-bag", seed, 2, opening=opening) for seed in range(cases(400))]
        for opening in ("any", "no two of S and Z", "no S or Z")
    }
    both = {"SZ", "ZS"}
    assert both & set(begin["any"])
    assert not both & set(begin["no two of S and Z"])
    assert {"SO", "OS"} & set(begin["no two of S and Z"])
    assert not any(pieces[0] in "SZ" or pieces in {"OS", "OZ"} for pieces in begin["no S or Z"])
    # A valid bag is not replaced.
    for old, new in zip(begin["any"], begin["no two of S and Z"], strict=True):
        assert old == new or old in both
    # Impossible wishes are given up.
    assert pieces_of("general_bag", 1, 2, bag_pieces="SZ", opening="no S or Z") in both
