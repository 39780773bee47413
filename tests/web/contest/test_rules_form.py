"""Tests of the forms of a contest's rules: one field for each rule, and a TOML text."""

import tomllib

import msgspec
import pytest

from sevenbag.config.loader import (
    describe_fields,
    format_fields,
    format_toml,
    loads_toml,
    parse_fields,
)
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.errors import SettingsError

RULES = ContestRules(
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


@pytest.mark.parametrize("rules", [ContestRules(), RULES])
def test_round_trip(rules: ContestRules) -> None:
    assert parse_fields(format_fields(rules), ContestRules) == rules
    text = format_toml(rules)
    assert loads_toml(text, ContestRules, "rules") == rules
    assert tomllib.loads(text) == msgspec.json.decode(msgspec.json.encode(rules))


@pytest.mark.parametrize("section", [GameRules, MatchRules])
def test_every_rule_is_described(section: type[msgspec.Struct]) -> None:
    assert all(len(field.description) > 10 for field in describe_fields(section).values())


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("game.points", "100, 200", "list of 5 items"),
        ("game.gravity_ms", "1000, fast", "integer from 1 to 3600000, got 'fast'"),
        ("game.gravity_ms", "", "list of 1 to 100 items"),
        ("game.level_points", "500, 400", "ascending numbers, got [500, 400]"),
        ("game.queue", "shuffled", "one of 'bag', 'uniform'"),
        ("game.queue_length", "21", "integer from 1 to 20"),
        ("game.rotate_above_top", "maybe", "true or false"),
        ("match.games", "0", "integer from 1 to 10000"),
        ("match.games", "1" * 5000, "integer from 1 to 10000"),
        ("match.pause_seconds", "nan", "number from 0 to 86400"),
        ("match.pause_seconds", "-1", "number from 0 to 86400"),
        ("match.move_reply", "Ok", "one of 'OK', 'ok'"),
    ],
)
def test_invalid_field(field: str, text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_fields({**format_fields(RULES), field: text}, ContestRules)
    assert caught.value.errors.keys() == {field}
    assert f": expected {expected}" in caught.value.errors[field]
    assert len(caught.value.errors[field]) < 300
