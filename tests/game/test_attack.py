"""What clears send, against published vectors and recorded values."""

from __future__ import annotations

from typing import Any

import pytest

from sevenbag._kernel import RuleSet, Spin
from sevenbag.game import Rules
from tests.game.recorded import LEAGUE, SPINS
from tests.truth import truth_json, truth_lines

GUIDELINE = Rules.preset("guideline")
JSTRIS = GUIDELINE.replace(
    {
        "attack": {"mini": [0, 0, 4, 6, 4]},
        "back_to_back": {"mini_single": False},
        "combo": {"table": [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5], "apart": True},
        "perfect_clear": {"kind": "replaces base"},
    }
)
BOTRIS = GUIDELINE.replace({"combo": {"table": [0, 0, 1, 1, 1, 2, 2, 3, 3, 4]}})
SEASON_1 = Rules.preset("tetrio-season-1")
ALL = {
    "guideline": GUIDELINE,
    "jstris": JSTRIS,
    "botris": BOTRIS,
    "league": LEAGUE,
    "season 1": SEASON_1,
}

# lines, spin, chain before, c, perfect; then the sum by rules in the order of ALL.
VECTORS: list[tuple[tuple[int, Spin, int, int, bool], tuple[object, ...]]] = [
    ((1, Spin.NONE, 0, 0, False), (0, 0, 0, 0, 0)),
    ((1, Spin.NONE, 0, 2, False), (1, 1, 1, 1, 1)),
    ((1, Spin.NONE, 0, 4, False), (2, 1, 1, 1, 1)),
    ((1, Spin.NONE, 0, 10, False), (4, 4, 4, 2, 2)),
    ((1, Spin.NONE, 0, 12, False), (5, 5, 4, 2, 2)),
    ((4, Spin.NONE, 0, 0, False), (4, 4, 4, 4, 4)),
    ((4, Spin.NONE, 1, 0, False), (5, 5, 5, 5, 5)),
    ((2, Spin.FULL, 0, 0, False), (4, 4, 4, 4, 4)),
    ((2, Spin.FULL, 1, 1, False), (5, 5, 5, 6, 6)),
    ((3, Spin.FULL, 1, 3, False), (8, 8, 8, 12, 12)),
    ((1, Spin.MINI, 1, 0, False), (1, 0, None, 1, 1)),
    ((2, Spin.MINI, 0, 0, False), (1, 4, None, 1, 1)),
    ((1, Spin.NONE, 0, 0, True), (10, 10, 10, 5, 10)),
    ((4, Spin.NONE, 1, 2, True), (10, 11, 10, (7, 5), (7, 10))),
]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector[0]))
def test_vectors(rules: str, vector: Any) -> None:
    (lines, spin, chain, c, perfect), sums = vector
    expected = sums[list(ALL).index(rules)]
    if expected is None:
        pytest.skip("these rules have no minis")
    attacks = ALL[rules].attacks(lines, spin, combo=c, back_to_back=chain, perfect_clear=perfect)
    assert (attacks if isinstance(expected, tuple) else sum(attacks)) == expected


def test_recorded_damage() -> None:
    tables: dict[str, dict[str, object]] = {
        "multiplier": {"kind": "multiplier", "table": []},
        "none": {"kind": "table", "table": []},
        "classic guideline": {"kind": "table", "table": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]},
        "modern guideline": {
            "kind": "table",
            "table": [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4],
        },
    }
    rule_sets = {
        (name, chaining): RuleSet(
            LEAGUE.replace(
                {"combo": table, "back_to_back": {"bonus": "chain" if chaining else "flat"}}
            ).to_dict()
        )
        for name, table in tables.items()
        for chaining in (True, False)
    }
    rows = truth_json("triangle/damage.json")["rows"]
    for name, chaining, spin, lines, b2b, combo, expected in rows:
        # The counters there are those of the formula, from 0 for the first.
        raw = rule_sets[name, chaining].raw_lines("T", SPINS[spin], lines, combo + 1, b2b + 1)
        assert raw == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert len(rows) == 2520
    print(f"{len(rows)} damage values compared")


@pytest.mark.parametrize("match", ["versus-a", "versus-b"])
def test_attacks_of_real_matches(match: str) -> None:
    before: dict[tuple[int, str], tuple[int, int]] = {}
    clears = 0
    for lock in truth_lines(f"replays/{match}.locks.jsonl"):
        player = lock["round"], lock["user"]
        combo, chain = before.get(player, (0, 0))
        attacks = SEASON_1.attacks(
            lock["lines"],
            SPINS[lock["spin"]],
            combo=combo,
            back_to_back=chain,
            perfect_clear=lock["lines"] > 0 and not lock["board"].strip("./"),
        )
        assert attacks == tuple(lock["raw"]), lock
        before[player] = lock["combo"] + 1, lock["b2b"] + 1
        clears += lock["lines"] > 0
    assert clears > 100
    print(f"{match}: {clears} clears compared")


def test_a_charge_is_released_in_three_parts() -> None:
    for chain, parts in {4: (), 5: (1, 1, 2), 6: (2, 2, 1), 9: (3, 3, 2)}.items():
        assert LEAGUE.attacks(1, back_to_back=chain) == parts


def test_no_clear_sends_nothing() -> None:
    for rules in ALL.values():
        assert rules.attacks(0, Spin.FULL, combo=5, back_to_back=5) == ()
