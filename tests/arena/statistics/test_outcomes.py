"""Elo, normalised Elo and LOS, compared with the output of chess tools."""

import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.statistics import Pentanomial, Trinomial
from sevenbag.arena.statistics.ratings import elo_to_score, score_to_elo
from sevenbag.errors import InputError

counts_of_pairs = st.tuples(*[st.integers(0, 2000)] * 5).filter(lambda counts: sum(counts) > 0)

# Losses, draws, wins; nElo and its error, LOS in percent. From fastchess, tests of its "Elo Model"
# (EloWDL 1 to 3).
FASTCHESS_GAMES = [
    ((89, 123, 76), (-20.76, 40.13), 15.53),
    ((96, 111, 136), (49.77, 36.77), 99.60),
    ((356, 0, 34), (-508.44, 34.48), None),
]

# Wins, losses, draws, Elo and its error as cutechess-cli printed them: regression tests in the
# issues of ddugovic/Stockfish (170, 181, 205).
CUTECHESS = [
    ((255, 222, 23), 22.96, 29.84),
    ((279, 204, 17), 52.51, 30.30),
    ((271, 211, 18), 41.89, 30.15),
    ((98, 91, 11), 12.17, 47.06),
    ((550, 434, 56), 38.91, 20.66),
]

# Pairs by points; the same figures with Elo and its error before the LOS, from the same tests
# (EloPentanomial 1 to 3).
FASTCHESS_PAIRS = [
    ((34, 54, 31 + 32, 64, 75), (57.94, 28.28), (55.58, 27.65), 100.0),
    ((332, 433, 457 + 41, 333, 334), (-9.17, 10.96), (-8.64, 10.33), 5.05),
    ((7895, 8757, 5485 + 200, 568, 9999), (-19.01, 2.65), (-21.04, 2.95), None),
]

# What fishtest printed of tests with a fixed number of games, as quoted in Stockfish's pull
# requests 4160 and 6255: pairs by points; Elo and nElo with their errors, LOS, PairsRatio.
FISHTEST = [
    ((39, 5335, 18992, 5622, 12), (1.35, 1.2), (3.13, 2.8), 98.6, 1.05),
    ((1, 137, 4659, 203, 0), (2.22, 1.3), (12.00, 6.8), 100.0, 1.47),
]


@pytest.mark.parametrize(("counts", "nelo", "los"), FASTCHESS_GAMES)
def test_game_statistics_match_fastchess(
    counts: tuple[int, int, int], nelo: tuple[float, float], los: float | None
) -> None:
    seen = Trinomial(counts)
    assert (round(seen.nelo().value, 2), round(seen.nelo().error, 2)) == nelo
    assert los is None or round(100 * seen.los(), 2) == los


@pytest.mark.parametrize(("counts", "elo", "error"), CUTECHESS)
def test_game_statistics_match_cutechess(
    counts: tuple[int, int, int], elo: float, error: float
) -> None:
    wins, losses, draws = counts
    seen = Trinomial((losses, draws, wins)).elo()
    assert round(seen.value, 2) == elo
    # It takes the normal distribution from an approximation that is right within 0.2 %.
    assert seen.error == pytest.approx(error, rel=0.002)


@pytest.mark.parametrize(("counts", "nelo", "elo", "los"), FASTCHESS_PAIRS)
def test_pair_statistics_match_fastchess(
    counts: tuple[int, int, int, int, int],
    nelo: tuple[float, float],
    elo: tuple[float, float],
    los: float | None,
) -> None:
    seen = Pentanomial(counts)
    assert (round(seen.nelo().value, 2), round(seen.nelo().error, 2)) == nelo
    assert seen.elo().value == pytest.approx(elo[0], abs=0.006)
    assert seen.elo().error == pytest.approx(elo[1], abs=0.006)
    assert los is None or round(100 * seen.los(), 2) == los


@pytest.mark.parametrize(("counts", "elo", "nelo", "los", "ratio"), FISHTEST)
def test_pair_statistics_match_fishtest(
    counts: tuple[int, int, int, int, int],
    elo: tuple[float, float],
    nelo: tuple[float, float],
    los: float,
    ratio: float,
) -> None:
    seen = Pentanomial(counts)
    assert (round(seen.elo().value, 2), round(seen.elo().error, 1)) == elo
    assert (round(seen.nelo().value, 2), round(seen.nelo().error, 1)) == nelo
    assert round(100 * seen.los(), 1) == los
    assert round(seen.pairs_ratio, 2) == ratio


@given(counts_of_pairs)
def test_swapped_players_negate_the_result(counts: tuple[int, int, int, int, int]) -> None:
    mine = Pentanomial(counts)
    theirs = mine.swapped
    for one, other in ((mine.elo(), theirs.elo()), (mine.nelo(), theirs.nelo())):
        assert one.value == pytest.approx(-other.value, abs=1e-6)
        assert one.low == pytest.approx(-other.high, abs=1e-6)
    assert mine.los() + theirs.los() == pytest.approx(1)


def test_intervals_have_their_nominal_coverage() -> None:
    # Pairs of a player who wins 55 % of the games and draws 10 %: 95 % of the intervals hold its
    # Elo. 1000 tries have a standard deviation of 0.7 %.
    dice = random.Random(1)
    truth = score_to_elo(0.60)
    held = 0
    for _ in range(1000):
        counts = [0] * 5
        for _ in range(200):
            games = [dice.random() for _ in range(2)]
            counts[
                round(2 * sum(1.0 if g < 0.55 else 0.5 if g < 0.65 else 0.0 for g in games))
            ] += 1
        interval = Pentanomial(tuple(counts)).elo()
        held += interval.low <= truth <= interval.high
    assert 0.93 < held / 1000 < 0.97


def test_pairs_are_more_precise_with_biased_openings() -> None:
    # One wins with either side of every opening but for a few: as games this is nothing, as pairs
    # it is certain.
    pairs = Pentanomial((0, 0, 990, 10, 0))
    games = Trinomial((990, 10, 1000))
    assert pairs.los() > 0.999
    assert games.los() < 0.6
    assert pairs.score == games.score


def test_elo_and_score_are_inverse() -> None:
    assert elo_to_score(0) == 0.5
    # FIDE's handbook: 92 % for 400 more (0.919), 64 % for 100 more.
    assert elo_to_score(400) == pytest.approx(10 / 11)
    assert round(elo_to_score(100), 2) == 0.64
    for elo in (-700.0, -3.5, 12.0, 250.0):
        assert score_to_elo(elo_to_score(elo)) == pytest.approx(elo)
    assert (score_to_elo(0), score_to_elo(1)) == (-math.inf, math.inf)


def test_identical_outcomes_give_unbounded_intervals() -> None:
    won = Pentanomial((0, 0, 0, 0, 3))
    assert won.elo() == (math.inf, -math.inf, math.inf)
    assert won.nelo() == (math.inf, -math.inf, math.inf)
    # Three wins in a row: the classic LOS of wins and losses, Phi((w - l) / sqrt(w + l)).
    assert won.los() == pytest.approx(NormalDist().cdf(3 / math.sqrt(3)))
    level = Pentanomial((0, 0, 7, 0, 0))
    assert level.elo() == (0, -math.inf, math.inf)
    assert level.los() == 0.5
    nothing = Pentanomial()
    assert (nothing.score, nothing.los(), nothing.total) == (0.5, 0.5, 0)
    assert nothing.elo().error == math.inf


def test_outcomes_are_added() -> None:
    seen = Pentanomial()
    for points in (0, 0.5, 1, 1, 1.5, 2, 2, 2):
        seen = seen.with_points(points)
    assert seen.counts == (1, 1, 2, 1, 3)
    assert (seen.pairs, seen.games) == (8, 16)
    assert seen.score == pytest.approx(10 / 16)
    assert Trinomial().with_points(0).with_points(0.5).with_points(1).with_points(1).counts == (
        1,
        1,
        2,
    )


@pytest.mark.parametrize("points", [-0.5, 2.5, 0.25, math.nan, math.inf])
def test_points_that_no_pair_gives_are_refused(points: float) -> None:
    with pytest.raises(InputError, match="invalid points: expected 0 to 2 in halves"):
        Pentanomial().with_points(points)


@pytest.mark.parametrize(
    "counts", [(), (1, 2, 3), (1, 2, 3, 4, -1), (1, 2, 3, 4, 5.0), (True,) * 5]
)
def test_invalid_counts_are_rejected(counts: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="invalid count"):
        Pentanomial(counts)
