"""Ratings, compared with a published example, a slow reference and simulations."""

import math
import random
import subprocess
import sys

import pytest

from sevenbag.arena.statistics import Pentanomial, Trinomial
from sevenbag.arena.statistics.ratings import rate_engines
from sevenbag.errors import InputError

ELO = 400 / math.log(10)

# The American League's eastern division of 1987 (Agresti, "Categorical Data Analysis", the example
# of the Bradley-Terry model): games that the team of the row won against that of the column.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
# Strengths relative to Baltimore and their standard errors, as R's BradleyTerry2 prints them.
STRENGTHS = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)
ERRORS = (0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319, 0.0)


def points_of(wins: list[list[int]]) -> dict[tuple[int, int], float]:
    size = range(len(wins))
    return {(i, j): wins[i][j] for i in size for j in size if i != j}


@pytest.mark.parametrize("team", range(7))
def test_the_textbooks_example(team: int) -> None:
    pytest.importorskip("choix")
    rated = rate_engines(7, points_of(WINS), draws_with_average=0)
    difference = rated.difference(team, 6)
    assert difference.value / ELO == pytest.approx(STRENGTHS[team], abs=6e-5)
    assert difference.error / ELO / 1.959964 == pytest.approx(ERRORS[team], abs=6e-5)
    assert sum(each.value for each in rated.elo) == pytest.approx(0, abs=1e-6)


def slow_maximum(size: int, points: dict[tuple[int, int], float]) -> list[float]:
    """Climb the likelihood one strength at a time, in ever smaller steps."""

    def likelihood(strengths: list[float]) -> float:
        return sum(
            -got * math.log1p(math.exp(strengths[j] - strengths[i]))
            for (i, j), got in points.items()
        )

    strengths = [0.0] * size
    step = 1.0
    best = likelihood(strengths)
    while step > 1e-7:
        moved = False
        for bot in range(size):
            for sign in (1, -1):
                trial = list(strengths)
                trial[bot] += sign * step
                if (there := likelihood(trial)) > best:
                    strengths, best, moved = trial, there, True
        if not moved:
            step /= 2
    return strengths


def test_ratings_maximize_the_likelihood() -> None:
    pytest.importorskip("choix")
    dice = random.Random(4)
    points = {(i, j): dice.randrange(1, 12) / 2 for i in range(5) for j in range(5) if i != j}
    rated = rate_engines(5, points, draws_with_average=2)
    with_average = dict(points)
    for bot in range(5):
        with_average[bot, 5] = with_average[5, bot] = 1
    slow = slow_maximum(6, with_average)
    for one in range(5):
        for other in range(5):
            wanted = ELO * (slow[one] - slow[other])
            assert rated.difference(one, other).value == pytest.approx(wanted, abs=0.01)


def test_two_players_have_their_elo_difference() -> None:
    pytest.importorskip("choix")
    rated = rate_engines(2, {(0, 1): 60, (1, 0): 40}, draws_with_average=0)
    elo = Trinomial((40, 0, 60))
    assert rated.difference(0, 1).value == pytest.approx(elo.elo().value, abs=1e-4)
    assert rated.difference(0, 1).error == pytest.approx(elo.elo().error, rel=0.02)
    assert rated.los(0, 1) == pytest.approx(elo.los(), abs=0.005)
    assert rated.los(1, 0) == pytest.approx(1 - rated.los(0, 1))


def test_bots_without_losses_or_games_are_rated() -> None:
    pytest.importorskip("choix")
    rated = rate_engines(4, {(0, 1): 10, (1, 0): 0, (1, 2): 10, (2, 1): 0})
    best, middle, worst, unknown = rated.elo
    assert best.value > middle.value > worst.value
    assert all(math.isfinite(part) for each in rated.elo for part in each)
    assert unknown.error > middle.error
    assert rated.los(0, 2) > 0.99
    assert rate_engines(3, {}).elo[0].value == pytest.approx(0)


def test_likelihood_without_a_prior_may_have_no_maximum() -> None:
    pytest.importorskip("choix")
    with pytest.raises(InputError, match="no most likely ratings"):
        rate_engines(2, {(0, 1): 10}, draws_with_average=0)


def test_many_games_drown_the_average_player() -> None:
    pytest.importorskip("choix")
    points = {(0, 1): 6000.0, (1, 0): 4000.0, (1, 2): 5500.0, (2, 1): 4500.0}
    plain, usual = rate_engines(3, points, draws_with_average=0), rate_engines(3, points)
    for one, other in zip(plain.elo, usual.elo, strict=True):
        assert one.value == pytest.approx(other.value, abs=0.1)


def test_intervals_have_their_nominal_coverage() -> None:
    pytest.importorskip("choix")
    dice = random.Random(8)
    truth = [150.0, 20.0, -40.0, -130.0]
    held = tries = 0
    for _ in range(100):
        points: dict[tuple[int, int], float] = {}
        for i in range(4):
            for j in range(i):
                chance = 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400))
                won = sum(dice.random() < chance for _ in range(60))
                points[i, j], points[j, i] = won, 60 - won
        for rated, true in zip(rate_engines(4, points).elo, truth, strict=True):
            held += rated.low <= true <= rated.high
            tries += 1
    assert 0.91 < held / tries < 0.98


def test_of_two_the_interval_is_that_of_the_pairs() -> None:
    pytest.importorskip("choix")
    # Every game appears twice.
    pairs = Pentanomial((80, 0, 0, 0, 120))
    points = {(0, 1): 240.0, (1, 0): 160.0}
    rated = rate_engines(2, points, {(0, 1): pairs}, draws_with_average=0)
    assert rated.difference(0, 1).error == pytest.approx(pairs.elo().error, rel=0.02)
    assert rated.los(0, 1) == pytest.approx(pairs.los(), abs=0.005)
    # Pairs that are more even than chance do not narrow the interval.
    even = rate_engines(2, points, {(0, 1): Pentanomial((0, 0, 160, 0, 40))}, draws_with_average=0)
    assert even.difference(0, 1) == rate_engines(2, points, draws_with_average=0).difference(0, 1)


@pytest.mark.parametrize("same", [0.0, 0.5, 1.0])
def test_intervals_cover_correlated_pairs(same: float) -> None:
    pytest.importorskip("choix")
    dice = random.Random(9)
    truth = [120.0, 30.0, -150.0]
    held = tries = 0
    for _ in range(150):
        points: dict[tuple[int, int], float] = {}
        pairs: dict[tuple[int, int], Pentanomial] = {}
        for i, j in ((0, 1), (0, 2), (1, 2)):
            chance = 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400))
            seen = Pentanomial()
            for _ in range(40):
                first = dice.random() < chance
                second = first if dice.random() < same else dice.random() < chance
                seen = seen.with_points(first + second)
            pairs[i, j] = seen
            points[i, j] = seen.score * seen.games
            points[j, i] = seen.games - points[i, j]
        for rated, true in zip(rate_engines(3, points, pairs).elo, truth, strict=True):
            held += rated.low <= true <= rated.high
            tries += 1
    assert 0.91 < held / tries < 0.985


@pytest.mark.parametrize("points", [{(0, 3): 1.0}, {(1, 1): 1.0}, {(0, 1): -1.0}, {(-1, 0): 1.0}])
def test_points_of_unknown_bots_are_rejected(points: dict[tuple[int, int], float]) -> None:
    with pytest.raises(InputError, match="invalid points of bots"):
        rate_engines(3, points)


def test_missing_extra_is_reported() -> None:
    program = """
import sys
sys.modules["choix"] = None
from sevenbag.arena.statistics.ratings import rate_engines
from sevenbag.errors import MissingExtraError
try:
    rate_engines(2, {})
except MissingExtraError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert "sevenbag[ratings]" in done.stdout
