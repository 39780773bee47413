"""The SPRT, compared with published values and a slow reference."""

import itertools
import math
import random

import pytest

from sevenbag.arena.statistics import Pentanomial, Sprt, Trinomial
from sevenbag.arena.statistics.ratings import NELO_SCALE, Outcomes, elo_to_score
from sevenbag.errors import InputError

# From the tests of fastchess' SPRT (normalized and logistic, trinomial and pentanomial); theirs
# allow one percent, which the cases without a single loss need: how likely the unseen is taken
# to be is a matter of convention.
FASTCHESS = [
    ("normalized", 0, 2, Trinomial((36027, 68692, 36433)), 0.92),
    ("normalized", -1.75, 0.25, Trinomial((10650, 20431, 10871)), 2.30),
    ("normalized", 0, 10, Trinomial((0, 0, 4250)), 120.56),
    ("logistic", 0.5, 2.5, Trinomial((21184, 40708, 21404)), -1.57),
    ("logistic", 0, 2, Trinomial((57030, 106593, 57433)), -2.59),
    ("normalized", 0, 2, Pentanomial((365, 16618, 36029 + 200, 16974, 390)), 2.25),
    ("normalized", -1.75, 0.25, Pentanomial((127, 4883, 10311 + 401, 5150, 104)), 3.01),
    ("normalized", 0, 5, Pentanomial((0, 0, 0, 0, 5550)), 111.82),
    ("logistic", 0.5, 2.5, Pentanomial((223, 9863, 20279 + 1000, 10037, 246)), -3.07),
    ("logistic", 0, 2, Pentanomial((871, 26175, 55003 + 980, 26678, 821)), -4.98),
]

# What fishtest printed when these tests ended, with normalised bounds, as quoted in Stockfish's
# pull requests 4160, 5257, 6018, 6255 and 6285.
FISHTEST = [
    (0.5, 2.5, (12, 2318, 9925, 2598, 3), 2.95),
    (0, 2, (914, 28467, 61458, 29126, 899), 2.99),
    (0.5, 2.5, (82, 18412, 46354, 18988, 89), 2.96),
    (0, 2, (320, 12431, 27275, 12858, 316), 2.95),
    (-1.75, 0.25, (317, 12094, 28735, 12231, 319), 2.96),
    (-1.75, 0.25, (47, 9917, 26934, 10064, 45), 2.94),
    (-1.75, 0.25, (289, 26459, 62934, 26379, 331), 2.94),
]


@pytest.mark.parametrize(("model", "elo0", "elo1", "seen", "llr"), FASTCHESS)
def test_the_llr_is_that_of_fastchess(
    model: str, elo0: float, elo1: float, seen: Outcomes, llr: float
) -> None:
    test = Sprt(elo0, elo1, model=model)  # type: ignore[arg-type]
    assert test.llr(seen) == pytest.approx(llr, abs=0.006, rel=0.0005)


@pytest.mark.parametrize(("elo0", "elo1", "counts", "llr"), FISHTEST)
def test_the_llr_is_that_of_fishtest(
    elo0: float, elo1: float, counts: tuple[int, ...], llr: float
) -> None:
    test = Sprt(elo0, elo1)
    assert test.llr(Pentanomial(counts)) == pytest.approx(llr, abs=0.0055)


def test_bounds_are_walds() -> None:
    # Printed by every chess tool for 5 % and 5 %.
    assert [round(bound, 2) for bound in Sprt(0, 5).bounds] == [-2.94, 2.94]
    # Fishtest's Elo bounds of old: ln(0.05 / 0.9) and ln(0.95 / 0.1).
    assert Sprt(0, 5, alpha=0.1, beta=0.05).bounds == (
        pytest.approx(math.log(0.05 / 0.9)),
        pytest.approx(math.log(9.5)),
    )


def likelihood(counts: tuple[float, ...], chances: tuple[float, ...]) -> float:
    return sum(n * math.log(p) for n, p in zip(counts, chances, strict=True))


def slow_maximum(counts: tuple[float, ...], fulfils: str, value: float) -> float:
    """The greatest log-likelihood of three outcomes with a mean, or a t-value, by trying all.

    Two chances are free but for one condition: so one is tried through, the others follow.
    """
    best = -math.inf
    low, high = 0.0, 1.0
    for _ in range(6):
        step = (high - low) / 400
        found = low
        for i in range(1, 400):
            draw = low + i * step
            chances = fulfilling(draw, fulfils, value)
            if chances is not None and likelihood(counts, chances) > best:
                best, found = likelihood(counts, chances), draw
        low, high = max(0.0, found - 2 * step), min(1.0, found + 2 * step)
    return best


def fulfilling(draw: float, fulfils: str, value: float) -> tuple[float, float, float] | None:
    """Losses, draws and wins with that chance of a draw, and the mean or t-value."""
    if fulfils == "mean":
        win = value - draw / 2
    else:
        # With w + l = s and w - l = d: mean - 1/2 = d/2, variance = s/4 - d^2/4, so
        # d = t sqrt(s - d^2), d = t sqrt(s / (1 + t^2)).
        decided = 1 - draw
        win = (decided + value * math.sqrt(decided / (1 + value**2))) / 2
    loss = 1 - draw - win
    return (loss, draw, win) if min(loss, draw, win) > 0 else None


@pytest.mark.parametrize("counts", [(30, 40, 50), (5, 1, 9), (100, 2, 30), (3, 200, 4), (0, 5, 20)])
@pytest.mark.parametrize("elos", [(0, 50), (-20, 30), (100, 400), (-300, -50)])
def test_the_llr_is_the_ratio_of_the_greatest_likelihoods(
    counts: tuple[int, ...], elos: tuple[float, float]
) -> None:
    seen = tuple(count or 1e-3 for count in counts)
    for model, fulfils, value_of in (
        ("logistic", "mean", elo_to_score),
        ("normalized", "t", lambda elo: elo / NELO_SCALE),
    ):
        slow = slow_maximum(seen, fulfils, value_of(elos[1])) - slow_maximum(
            seen, fulfils, value_of(elos[0])
        )
        test = Sprt(*elos, model=model)  # type: ignore[arg-type]
        assert test.llr(Trinomial(counts)) == pytest.approx(slow, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
def test_the_llr_is_that_of_the_other_side_with_the_hypotheses_turned(model: str) -> None:
    dice = random.Random(3)
    for _ in range(50):
        seen = Pentanomial(tuple(dice.randrange(200) for _ in range(5)))
        low, high = sorted(dice.uniform(-300, 300) for _ in range(2))
        there = Sprt(low, high, model=model).llr(seen)  # type: ignore[arg-type]
        back = Sprt(-high, -low, model=model).llr(seen.swapped)  # type: ignore[arg-type]
        assert there == pytest.approx(-back, abs=1e-6)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize("elo", [-1000, -990, 0, 990])
@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 1), (200, 0, 0, 0, 0), (0, 0, 9, 0, 0), (1,) * 5])
def test_extreme_hypotheses_and_results_have_an_llr(
    counts: tuple[int, ...], elo: float, model: str
) -> None:
    test = Sprt(elo, elo + 10, model=model)  # type: ignore[arg-type]
    assert math.isfinite(test.llr(Pentanomial(counts)))


@pytest.mark.slow
def test_error_rates_are_within_their_bounds() -> None:
    # Under H0 a test with 5 % errs in about 5 % of the cases; 400 have a deviation of 1.1 %.
    dice = random.Random(7)
    test = Sprt(0, 120)
    wrong = 0
    for _ in range(400):
        seen = Pentanomial()
        for _ in itertools.count():
            seen = seen.with_points(sum(dice.random() < 0.5 for _ in range(2)))
            if seen.pairs % 4 == 0 and (decision := test.decision(seen)) is not None:
                wrong += decision == "H1"
                break
    assert wrong / 400 < 0.08


def test_decision_at_the_bounds() -> None:
    test = Sprt(0, 50)
    assert test.llr(Pentanomial()) == 0
    assert test.decision(Pentanomial((10, 10, 20, 10, 10))) is None
    assert test.decision(Pentanomial((10, 20, 80, 90, 100))) == "H1"
    assert test.decision(Pentanomial((100, 90, 80, 20, 10))) == "H0"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"elo0": 50, "elo1": 0}, "invalid elo0: expected less than elo1, got 50"),
        ({"elo0": 5, "elo1": 5}, "invalid elo0"),
        ({"elo1": math.nan}, "invalid elo1: .* got nan"),
        ({"elo0": -5000}, "invalid elo0: .* got -5000"),
        ({"alpha": 0}, "invalid alpha: .* got 0"),
        ({"beta": 1}, "invalid beta: .* got 1"),
        ({"alpha": 0.5, "beta": 0.5}, r"alpha \+ beta below 1"),
        ({"model": "bayesian"}, "invalid model: .* got 'bayesian'"),
    ],
)
def test_invalid_tests_are_rejected(changes: dict[str, float], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Sprt(**({"elo0": 0, "elo1": 50} | changes))  # type: ignore[arg-type]
