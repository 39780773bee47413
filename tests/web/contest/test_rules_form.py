"""Rules as fields and as a text: there and back, and what is said of wrong ones."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.web.contest.admin_routes import (
    InvalidRulesError,
    format_rules,
    list_rule_fields,
    parse_rules,
    rules_from_toml,
    rules_to_toml,
)

OTHERS = ContestRules(
    game=GameRules(
        gravity_ms=(500, 50),
        level_points=(),
        level_factors=(2,),
        queue="bag",
        rotate_above_top=False,
        garbage_out="cut",
    ),
    match=MatchRules(games=143, game_seconds=0.25, move_reply="ok", text_numbers=True),
)


@pytest.mark.parametrize("rules", [ContestRules(), OTHERS])
def test_there_and_back(rules: ContestRules) -> None:
    assert parse_rules(format_rules(rules)) == rules
    assert rules_from_toml(rules_to_toml(rules)) == rules
    # Any reader of TOML finds them, and nothing else.
    read = tomllib.loads(rules_to_toml(rules))
    assert read == msgspec.json.decode(msgspec.json.encode(rules))


def test_every_rule_has_a_field_with_a_meaning() -> None:
    listed = [field for group in list_rule_fields().values() for field in group]
    assert {field.name for field in listed} == format_rules(OTHERS).keys()
    assert all(len(field.description) > 10 for field in listed)
    choices = {field.name: field.choices for field in listed if field.choices}
    assert set(choices["game.garbage_when"]) == {"lock", "instant", "step"}
    assert choices["match.text_numbers"] == ("true", "false")


@pytest.mark.parametrize(
    ("field", "text", "told"),
    [
        ("game.points", "100, 200", "5 items"),
        ("game.gravity_ms", "1000, fast", "whole number from 1 to 3600000"),
        ("game.gravity_ms", "", "list"),
        ("game.level_points", "500, 400", "must rise"),
        ("game.queue", "shuffled", "one of 'bag', 'uniform'"),
        ("game.queue_length", "21", "from 1 to 20"),
        ("game.rotate_above_top", "maybe", "true or false"),
        ("match.games", "0", "from 1 to 10000"),
        ("match.games", "1" * 5000, "from 1 to 10000"),
        ("match.pause_seconds", "nan", "number"),
        ("match.pause_seconds", "-1", "from 0 to 86400"),
        ("match.move_reply", "Ok", "'OK', 'ok'"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(field: str, text: str, told: str) -> None:
    with pytest.raises(InvalidRulesError) as wrong:
        parse_rules({**format_rules(OTHERS), field: text})
    assert wrong.value.errors.keys() == {field}
    assert told in wrong.value.errors[field]
    assert len(wrong.value.errors[field]) < 300


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidRulesError) as wrong:
        parse_rules({"game.points": "x", "match.games": "x", "match.move_reply": "OK"})
    assert wrong.value.errors.keys() == {"game.points", "match.games"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[game", "line 1: invalid TOML"),
        ("[game]\nqueue = 'bag'\nspeed = 1", "line 3: unknown key 'speed'"),
        ("[match]\n\ngames = 0", "line 3: match.games is 0"),
        ("[site]\nport = 1", "line 1: unknown section 'site'"),
        ("games = 3", "line 1"),
        ("[match]\ngames = 3\n[match]", "twice"),
        ("a = " + "[" * 5000, "nested too deeply"),
    ],
)
def test_what_is_wrong_in_a_text_is_said_with_its_line(text: str, told: str) -> None:
    with pytest.raises(InvalidRulesError) as wrong:
        rules_from_toml(text)
    assert told in wrong.value.errors[""]


def test_an_empty_text_is_the_usual_rules() -> None:
    assert rules_from_toml("") == ContestRules()
