"""Tests of attacks against published vectors, recorded values and the reference formula."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag._kernel import KernelRules, Spin
from sevenbag.game import Rules
from tests.counted import compared
from tests.game.reference_attack import attacks_of
from tests.game.test_recorded_plays import LEAGUE, SPINS
from tests.properties import examples
from tests.truth import truth_json

PRESETS = ["guideline", "ppt", "jstris", "botris", "tetrio-league", "tetrio-season-1"]
# What is cleared: lines, spin, chain before, c, perfect; then the sum by the presets' order, or
# every attack where there are several.
VECTORS: list[tuple[tuple[int, Spin, int, int, bool], tuple[object, ...]]] = [
    ((1, Spin.NONE, 0, 0, False), (0, 0, 0, 0, 0, 0)),
    ((1, Spin.NONE, 0, 2, False), (1, 1, 1, 1, 1, 1)),
    ((1, Spin.NONE, 0, 4, False), (2, 2, 1, 1, 1, 1)),
    ((1, Spin.NONE, 0, 10, False), (4, 4, 4, 4, 2, 2)),
    ((1, Spin.NONE, 0, 12, False), (5, 5, 5, 4, 2, 2)),
    ((4, Spin.NONE, 0, 0, False), (4, 4, 4, 4, 4, 4)),
    ((4, Spin.NONE, 1, 0, False), (5, 5, 5, 5, 5, 5)),
    ((2, Spin.FULL, 0, 0, False), (4, 4, 4, 4, 4, 4)),
    ((2, Spin.FULL, 1, 1, False), (5, 5, 5, 5, 6, 6)),
    ((3, Spin.FULL, 1, 3, False), (8, 8, 8, 8, 12, 12)),
    ((1, Spin.MINI, 1, 0, False), (1, 1, 0, 0, 1, 1)),
    ((2, Spin.MINI, 0, 0, False), (1, 1, 4, 1, 1, 1)),
    ((1, Spin.NONE, 0, 0, True), (10, 10, 10, 10, 5, 10)),
    ((4, Spin.NONE, 1, 2, True), (10, 10, 11, 10, (7, 5), (7, 10))),
]


@pytest.mark.parametrize("preset", PRESETS)
def test_published_vectors(preset: str) -> None:
    rules = Rules.preset(preset)
    for (lines, spin, chain, c, perfect), sums in VECTORS:
        expected = sums[PRESETS.index(preset)]
        # A corner spin of a T that can move is not a spin in Botris.
        seen = Spin.NONE if preset == "botris" and spin == Spin.MINI else spin
        attacks = rules.compute_attack(
            lines, seen, combo=c, back_to_back=chain, perfect_clear=perfect
        )
        got = attacks if isinstance(expected, tuple) else sum(attacks)
        assert got == expected, (preset, lines, spin, chain, c, perfect)
    compared("published attacks", len(VECTORS))


def test_recorded_damage() -> None:
    tables: dict[str, dict[str, object]] = {
        "multiplier": {"kind": "multiplier", "table": []},
        "none": {"kind": "table", "table": []},
        "classic guideline": {"kind": "table", "table": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]},
        "modern guideline": {"kind": "table", "table": [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4]},
    }
    rule_sets = {
        (name, chaining): KernelRules(
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
        raw = rule_sets[name, chaining].compute_raw_lines(
            "T", SPINS[spin], lines, combo + 1, b2b + 1
        )
        assert raw == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert rows
    compared("damage rows", len(rows))


def test_a_charge_is_released_in_three_parts() -> None:
    for chain, parts in {4: (), 5: (1, 1, 2), 6: (2, 2, 1), 9: (3, 3, 2)}.items():
        assert LEAGUE.compute_attack(1, back_to_back=chain) == parts


def test_more_rows_than_four() -> None:
    """Bombs clear a number of rows; the last step of the table repeats."""
    bombs = Rules.preset("tetrio-bombs").replace({"attack": {"multiplier": 1.0}})
    for lines, plain, spin in [(4, 4, 10), (5, 5, 12), (6, 6, 14), (9, 9, 20)]:
        assert bombs.compute_attack(lines) == (plain,)
        assert (
            bombs.compute_attack(lines, Spin.MINI)
            == bombs.compute_attack(lines, Spin.FULL)
            == (spin,)
        )
    assert [Rules.preset("jstris").compute_attack(lines) for lines in (4, 5, 6)] == [
        (4,),
        (6,),
        (6,),
    ]


def test_attackers_add_lines() -> None:
    royale = Rules.preset("tetrio-100-battle-royale")
    lines = [sum(royale.compute_attack(2, attackers=n)) for n in (0, 1, 2, 3, 4, 5, 6, 50)]
    assert lines == [1, 1, 2, 4, 6, 8, 10, 10]
    assert Rules.preset("tetrio-default").compute_attack(2, attackers=6) == (1,)
    # No single attack is larger than 20.
    assert royale.compute_attack(4, combo=12, back_to_back=9, attackers=6) == (19,)
    assert royale.compute_attack(6, Spin.FULL, combo=12, attackers=6) == (20,)


def test_botris_spin_quad_sends_nothing() -> None:
    botris = Rules.preset("botris")
    assert botris.compute_attack(4, Spin.FULL, combo=5, back_to_back=3) == ()
    fixed = botris.replace({"attack": {"full": [0, 2, 4, 6, 6], "spin_quads_send": True}})
    assert fixed.compute_attack(4, Spin.FULL) == (6,)


TABLE = st.lists(st.integers(0, 9), min_size=5, max_size=6)
MULTIPLIERS = st.sampled_from([0.0, 0.8, 1.0, 1.3, 2.5, 1000.0])
CHANGES: Any = st.fixed_dictionaries(
    {
        "attack": st.fixed_dictionaries(
            {
                "none": TABLE,
                "mini": TABLE,
                "full": TABLE,
                "further": st.lists(st.integers(0, 1000), min_size=3, max_size=3),
                "halve_other_spins": st.booleans(),
                "garbage_bonus": st.booleans(),
                "targeting": st.lists(st.integers(0, 9), max_size=4),
                "cap": st.sampled_from([0, 0, 7, 20]),
                "multiplier": MULTIPLIERS,
            }
        ),
        "back_to_back": st.fixed_dictionaries(
            {
                "bonus": st.sampled_from(["none", "flat", "chain"]),
                "mini_single": st.booleans(),
                "charge_at": st.integers(0, 6),
                "charge_base": st.integers(0, 6),
            }
        ),
        "combo": st.fixed_dictionaries(
            {
                "kind": st.sampled_from(["table", "multiplier"]),
                "table": st.lists(st.integers(0, 9), max_size=12),
                "apart": st.booleans(),
            }
        ),
        "perfect_clear": st.fixed_dictionaries(
            {
                "lines": st.integers(0, 12),
                "kind": st.sampled_from(["adds", "replaces all", "replaces base"]),
                "chain": st.integers(0, 2),
            }
        ),
    }
)


def test_a_combo_apart_sends_the_lines_of_its_table() -> None:
    """Add a fractional chain bonus: in floating point, (g + table) - g may be below table."""
    bonuses = {2: 1, 3: 2, 4: 2, 13: 3, 25: 4}  # rounded down
    for base, table in itertools.product(range(8), range(1, 10)):
        rules = LEAGUE.replace(
            {
                "attack": {"mini": [0, base, 0, 0, 0]},
                "back_to_back": {"bonus": "chain", "charge_at": 0, "charge_base": 0},
                "combo": {"kind": "table", "apart": True, "table": [table]},
            }
        )
        for chain, bonus in bonuses.items():
            attacks = rules.compute_attack(1, Spin.MINI, back_to_back=chain)
            assert attacks == (base + bonus, table)


@examples(300)
@given(changes=CHANGES, data=st.data())
def test_against_the_formula(changes: dict[str, Any], data: st.DataObject) -> None:
    rules = LEAGUE.replace(changes)
    for _ in range(10):
        lines = data.draw(st.integers(0, 12))
        spin = data.draw(st.sampled_from(list(Spin)))
        letter = data.draw(st.sampled_from("TSI"))
        perfect = data.draw(st.booleans())
        chain = data.draw(st.integers(0, 25))
        others: dict[str, Any] = {
            "garbage_lines": data.draw(st.integers(0, lines)),
            "combo": data.draw(st.integers(0, 25)),
            "attackers": data.draw(st.integers(0, 25)),
        }
        attacks = rules.compute_attack(
            lines, spin, piece=letter, perfect_clear=perfect, back_to_back=chain, **others
        )
        assert list(attacks) == attacks_of(
            rules,
            lines,
            spin,
            letter=letter,
            perfect=perfect,
            chain=chain,
            multiplier=rules.attack.multiplier,
            **others,
        )


def test_immense_rules_make_no_immense_attacks() -> None:
    rules = LEAGUE.replace(
        {
            "attack": {"none": [1000] * 5, "further": [1000] * 3, "multiplier": 1000.0},
            "back_to_back": {"charge_base": 1000},
        }
    )
    assert rules.compute_attack(64, combo=100_000) == (100_000,)
    assert rules.compute_attack(1, back_to_back=100_000) == (33_333, 33_333, 33_334, 100_000)
