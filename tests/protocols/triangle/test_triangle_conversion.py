"""Tests of bags derived from queues, with recorded bags of Triangle.js."""

import pytest

from sevenbag._kernel import Piece
from sevenbag.protocols.triangle.triangle_conversion import (
    full_bag,
    infer_opening,
    infer_remaining_bag,
    rewind_bag,
)
from tests.truth import truth_json


def pieces(letters: str) -> list[Piece]:
    return [Piece[letter] for letter in letters.replace(" ", "").upper()]


@pytest.mark.parametrize("bag", ["7-bag", "14-bag"])
def test_the_first_piece_of_recorded_bags(bag: str) -> None:
    for dealt in truth_json("triangle/bags.json")[bag].values():
        first, *queue = pieces(dealt)
        for length in (len(full_bag(bag)), 34):
            opening = infer_opening(queue[:length])
            assert (opening.first_piece, opening.bag) == (first, bag)
            assert list(opening.queue) == queue[:length]


def test_a_queue_that_holds_the_current_piece() -> None:
    for dealt in truth_json("triangle/bags.json")["7-bag"].values():
        opening = infer_opening(pieces(dealt)[:35])
        assert opening.first_piece == pieces(dealt)[0]
        assert list(opening.queue) == pieces(dealt)[1:35]


@pytest.mark.parametrize(
    "bag", ["classic", "pairs", "total mayhem", "7+1-bag", "7+2-bag", "7+x-bag"]
)
def test_unknowable_bags(bag: str) -> None:
    for dealt in truth_json("triangle/bags.json")[bag].values():
        opening = infer_opening(pieces(dealt)[1:35])
        assert opening.first_piece is None
        assert opening.queue == tuple(pieces(dealt)[1:35])


def test_a_queue_too_short_to_know() -> None:
    assert infer_opening(pieces("jilst")).first_piece is None
    assert infer_opening([]).first_piece is None
    assert infer_opening(pieces("jilstz")).first_piece is Piece.O


@pytest.mark.parametrize("bag", ["7-bag", "14-bag"])
def test_the_open_bag(bag: str) -> None:
    """The derived bag contains the pieces dealt next."""
    full = len(full_bag(bag))
    for dealt in truth_json("triangle/bags.json")[bag].values():
        known = pieces(dealt)
        for seen in range(full, 29):
            rest = infer_remaining_bag(known[:seen], bag)
            end = -(-(seen + 1) // full) * full
            if rest is not None and end <= len(known):
                assert sorted(rest) == sorted(known[seen:end])
        if bag == "7-bag":
            assert infer_remaining_bag(known[:28], bag) is not None


def test_the_bag_before() -> None:
    known = pieces(truth_json("triangle/bags.json")["7-bag"]["1"])
    full = full_bag("7-bag")
    for shown in range(20, 28):
        end = -(-(shown + 1) // 7) * 7
        assert sorted(rewind_bag(known[shown:30], known[30:35], full) or ()) == sorted(
            known[shown:end]
        )
    assert rewind_bag(known, None, full) is None
    assert rewind_bag([], full, full) == full
