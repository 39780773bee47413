"""Tests of whole games of random players in the kernel."""

from typing import Any

import pytest

from sevenbag import Rules
from sevenbag._kernel import play_random_versus
from sevenbag.errors import RulesError
from sevenbag.game.rules import compile_rules

HEAVY = Rules.preset("guideline").replace({"attack": {"none": [0, 4, 8, 12, 16]}})


@pytest.mark.parametrize("name", Rules.preset_names())
def test_every_preset_is_played_to_an_end(name: Any) -> None:
    played = play_random_versus(compile_rules(Rules.preset(name)), 1, 200, samples=8)
    ends = ("first_wins", "second_wins", "draws", "unfinished")
    assert played["games"] == 200 == sum(played[end] for end in ends)
    assert played["unfinished"] == 0
    assert played["placements"] > 200 * 20
    assert played["lines"] > 0
    if Rules.preset(name).pieces.hold:
        assert 0.08 < played["holds"] / played["placements"] < 0.17
    else:
        assert played["holds"] == 0


def test_results_depend_on_seeds_not_threads() -> None:
    rules = compile_rules(HEAVY)
    alone = play_random_versus(rules, 7, 300, samples=8)
    assert play_random_versus(rules, 7, 300, samples=8, threads=3) == alone
    assert play_random_versus(rules, 8, 300, samples=8) != alone
    assert alone["garbage"] > 500


def test_wrong_numbers_are_named() -> None:
    rules = compile_rules(HEAVY)
    for option in ({"threads": 0}, {"samples": 0}, {"frames_per_turn": -1}, {"hold_one_in": -1}):
        with pytest.raises(RulesError, match=f"invalid {next(iter(option))}"):
            play_random_versus(rules, 1, 1, **option)
    assert play_random_versus(rules, 1, 0)["games"] == 0
