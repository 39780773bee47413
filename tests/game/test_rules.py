"""Tests of rules as data: presets, files and errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from sevenbag import Kicks, SpinMode
from sevenbag._kernel import spin_mode_name
from sevenbag.errors import RulesError
from sevenbag.game import Game, Rules, Versus

GUIDELINE = Rules.preset("guideline")


def test_names_are_found_in_any_case() -> None:
    assert Rules.preset(" GuideLine ") == GUIDELINE
    assert "guideline" in Rules.preset_names()


def test_an_unknown_preset_is_named_with_those_that_are() -> None:
    with pytest.raises(RulesError, match=r"invalid rules: expected .*guideline.*, got 'worlds'"):
        Game("worlds")
    with pytest.raises(RulesError, match=r"did you mean 'tetrio-league'\?"):
        Rules.preset("tetrioo")


@pytest.mark.parametrize("name", Rules.preset_names())
def test_plain_data_and_back(name: str) -> None:
    rules = Rules.preset(name)
    data = json.loads(json.dumps(rules.to_dict()))
    assert Rules.from_dict(data) == rules
    assert Rules.from_dict(data).name == name


@pytest.mark.parametrize("name", Rules.preset_names())
def test_preset_values_have_sources(name: str) -> None:
    folder = Path(__file__).parents[2] / "src" / "sevenbag" / "game" / "presets"
    said = False
    for line in (folder / f"{name}.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            said = False
        elif "#" in line:
            said = True
        elif "=" in line:
            assert said, f"{line!r} follows no comment in its section"


@pytest.mark.parametrize(
    ("section", "key", "value", "message"),
    [
        ("board", "width", 3, r"invalid board.width: expected integer from 4 to 16, got 3"),
        ("board", "rows", 65, r"invalid board.rows: expected integer from 4 to 64, got 65"),
        ("board", "rows", True, r"invalid board.rows: expected integer from 4 to 64, got True"),
        ("board", "visible", 41, "board: invalid visible: expected at most the rows, 40, got 41"),
        ("spawn", "blocked", "x", "invalid spawn.blocked: expected one of 'clutch', 'lost', 'rai"),
        ("spawn", "x", 10, "invalid spawn: expected a cell of the board of 10 x 40, got x 10, y"),
        ("pieces", "hold", 1, r"invalid pieces.hold: expected true or false, got 1"),
        (
            "pieces",
            "kicks",
            "superb",
            r"pieces.kicks: invalid rotation system: expected one of .* got 'superb'",
        ),
        ("pieces", "kicks", 1, "invalid kicks: expected a name, a table or Kicks, got 1"),
        ("pieces", "spins", "twists", r"invalid pieces.spins: expected one of 'all', "),
        ("attack", "none", [0, 1], r"invalid attack.none: expected list of 5 to 6 items, each "),
        ("attack", "none", 4, r"invalid attack.none: expected list of 5 to 6 items, .*, got 4"),
        ("attack", "full", [0, 2, 4, -6, 4], r"invalid attack.full\[3\]: expected integer from 0"),
        ("attack", "multiplier", float("nan"), r"invalid attack.multiplier: expected number from"),
        ("combo", "table", [0] * 33, r"invalid combo.table: expected list of at most 32 items"),
        ("garbage", "change", 1.5, r"invalid garbage.change: expected number from 0 to 1, got 1.5"),
        ("garbage", "colour", 1, r"unknown key 'colour' in garbage; keys are travel, "),
        ("delays", "spawn", -1, r"invalid delays.spawn: expected integer from 0 to 3600, got -1"),
        ("delays", "clears", [], r"invalid delays.clears: expected list of 1 to 6 items"),
        ("pieces", "bag", "general_bag", "invalid bag_pieces: expected at least one piece for gen"),
        ("pieces", "bag_pieces", "IO", "invalid bag_pieces: expected no pieces for 7-bag, got 'IO"),
        ("pieces", "bag_pieces", "IX", "invalid bag_pieces: expected letters of pieces, got 'IX'"),
        ("pieces", "bag_pieces", "I" * 64, "expected string of at most 63 characters, got "),
        ("boards", "width", 4, r"unknown key 'boards' \(did you mean 'board'\?\); keys are name, "),
    ],
)
def test_invalid_value_is_reported_with_its_key(
    section: str, key: str, value: object, message: str
) -> None:
    with pytest.raises(RulesError, match=message):
        GUIDELINE.replace({section: {key: value}})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"handling": {}}, "unknown key 'handling'; keys are name, board"),
        ({"garbage": 3}, "invalid garbage: expected table, got 3"),
        ({"name": 3}, "invalid name: expected string, got 3"),
        ({"garbage": {}}, "missing key 'travel' in garbage"),
        ({"board": {1: 2}}, "invalid board"),
    ],
)
def test_invalid_plain_data(changes: dict[str, object], message: str) -> None:
    data: dict[str, Any] = GUIDELINE.to_dict()
    with pytest.raises(RulesError, match=message):
        Rules.from_dict(data | changes)
    del data["garbage"]
    with pytest.raises(RulesError, match="rules: missing key 'garbage'"):
        Rules.from_dict(data)
    with pytest.raises(RulesError, match="rules: invalid data: expected table, got 3"):
        Rules.from_dict(3)  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "src/sevenbag/game/presets/guideline.toml"
    text = source.read_text(encoding="utf-8")
    path = tmp_path / "fast.toml"
    path.write_text(text.replace("travel = 30", "travel = 0"), encoding="utf-8")
    rules = Rules.from_file(path)
    assert (rules.name, rules.garbage.travel) == ("fast", 0)
    path.write_text(text.replace("travel = 30", "travel = -1"), encoding="utf-8")
    with pytest.raises(RulesError, match=r"fast\.toml: line \d+: invalid garbage\.travel: "):
        Rules.from_file(path)
    with pytest.raises(RulesError, match="cannot be read"):
        Rules.from_file(tmp_path / "none.toml")


def test_name_does_not_affect_equality() -> None:
    assert GUIDELINE.replace({}, name="mine") == GUIDELINE
    assert hash(GUIDELINE.replace({})) == hash(GUIDELINE)
    assert GUIDELINE.replace({"garbage": {"travel": 0}}) != GUIDELINE


def test_small_boards_and_impossible_spawns() -> None:
    small = GUIDELINE.replace(
        {"board": {"width": 4, "rows": 8, "visible": 4}, "spawn": {"x": 1, "y": 5}}
    )
    assert Game(small).placements()
    impossible = small.replace({"spawn": {"x": 3}})
    with pytest.raises(RulesError, match="pieces cannot spawn at x 3"):
        Game(impossible)


@pytest.mark.parametrize("mode", SpinMode)
def test_any_spins_and_any_rotation_system_can_be_played(mode: SpinMode) -> None:
    for system in Kicks.names():
        for name in (system, f"{system} without 180"):
            rules = GUIDELINE.replace({"pieces": {"kicks": name, "spins": spin_mode_name(mode)}})
            assert rules.pieces.spins == spin_mode_name(mode).lower()
            game = Game(rules, seed=8)
            while not game.over and game.stats.pieces < 12:
                placement = game.placements()[-1]
                assert game.play(placement).spin == placement.spin


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", None, True])
def test_impossible_seeds(seed: Any) -> None:
    with pytest.raises(RulesError, match="invalid seed: expected integer from 0 to "):
        Game(seed=seed)
    with pytest.raises(RulesError, match="invalid seed: expected integer from 0 to "):
        Versus(seed=seed)


def test_impossible_times_and_counters() -> None:
    with pytest.raises(RulesError, match=r"invalid frames_per_turn: .*, got -1"):
        Game(frames_per_turn=-1)
    with pytest.raises(RulesError, match=r"invalid combo: expected integer from .*, got -1"):
        Game(combo=-1)
    with pytest.raises(RulesError, match=r"invalid lines: expected integer from .*, got 65"):
        GUIDELINE.compute_attack(65)
    game = Game()
    with pytest.raises(RulesError, match=r"invalid lines: expected integer from .*, got -1"):
        game.receive_garbage(-1)
    with pytest.raises(RulesError, match=r"invalid frame: expected integer from .*, got 99999999"):
        game.play(game.placements()[0], frame=99_999_999)


def test_a_file_may_build_on_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "ppt"\n[garbage]\ncap = 7.0\n', encoding="utf-8")
    rules = Rules.from_file(path)
    assert rules.name == "mine"
    assert rules == Rules.preset("ppt").replace({"garbage": {"cap": 7.0}})
    for text, message in [
        ('base = "pqt"', "line 1: base: invalid rules: expected .*, got 'pqt'"),
        ("base = 1", "line 1: base: invalid rules: expected the name of a preset, got 1"),
        ('base = "ppt"\n[garbage]\ncap = -7.0', r"line 3: invalid garbage\.cap: .*, got -7\.0"),
        ('base = "ppt"\n[garbages]\ncap = 7.0', "line 2: unknown key 'garbages'"),
        ('base = "ppt"\ngarbage = 1', "line 2: invalid garbage: expected table, got 1"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RulesError, match=rf"mine\.toml: {message}"):
            Rules.from_file(path)


def test_names_that_a_replay_can_hold() -> None:
    assert len(GUIDELINE.replace({}, name="x" * 200).name) == 200
    with pytest.raises(RulesError, match=r"invalid name: .* 200 characters, got 201"):
        GUIDELINE.replace({}, name="x" * 201)
    with pytest.raises(RulesError, match=r"invalid name: .* 200 characters, got 100000"):
        structs.replace(GUIDELINE, name="x" * 100_000)
    with pytest.raises(RulesError, match="invalid name: expected UTF-8, got "):
        GUIDELINE.replace({}, name="\ud800")
    rules = GUIDELINE
    for _ in range(250):
        rules = rules.replace({})
    assert len(rules.name) == 200


def test_one_rotation_system_in_any_spelling() -> None:
    one = GUIDELINE.replace({"pieces": {"kicks": "srs+"}})
    for spelling in ("SRS+", "srs_plus", "srsPlus", Kicks("srs+")):
        other = GUIDELINE.replace({"pieces": {"kicks": spelling}})
        assert other == one
        assert hash(other) == hash(one)
    assert one.pieces.kicks.name == "srs+"


def test_all_dealt_pieces_can_spawn() -> None:
    # Only I is too wide, and the error names it whichever piece is first.
    narrow = GUIDELINE.replace({"board": {"width": 4}, "spawn": {"x": 2}})
    for seed in range(7):
        with pytest.raises(RulesError, match=r"pieces cannot spawn at x 2.*: I does not fit"):
            Game(narrow, seed=seed)
    without_i = narrow.replace({"pieces": {"bag": "general_bag", "bag_pieces": "TOLJSZ"}})
    assert Game(without_i).placements()


def test_holes_must_leave_a_choice() -> None:
    with pytest.raises(RulesError, match="invalid hole size: expected 1 to 9, got 10"):
        Game(GUIDELINE.replace({"garbage": {"hole_size": 10, "other": True}}))
    with pytest.raises(RulesError, match="invalid hole size: expected 1 to 6, got 7"):
        Game(GUIDELINE.replace({"garbage": {"hole_size": 7, "centred": True}}))


def test_delays_may_be_left_out() -> None:
    # As in rules written before there were any.
    data = GUIDELINE.to_dict()
    assert data.pop("delays") == {"key": 0, "row": 0, "spawn": 0, "clears": [0], "perfect_clear": 0}
    assert Rules.from_dict(data) == GUIDELINE
    slow = GUIDELINE.replace({"delays": {"clears": [0, 35]}})
    assert slow != GUIDELINE
    assert Rules.from_dict(slow.to_dict()) == slow


def test_delays_do_not_affect_turn_based_games() -> None:
    slow = GUIDELINE.replace({"delays": {"key": 9, "spawn": 50}})
    quick = Game(GUIDELINE, 3), Game(slow, 3)
    for _ in range(20):
        locks = [game.play(game.placements()[0]) for game in quick if not game.over]
        assert len({lock.frame for lock in locks}) <= 1
    assert quick[0].position() == quick[1].position()
