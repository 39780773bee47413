"""Survival and latency, compared with published figures and the standard library."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag.arena.tournament.tournament_summary import estimate_survival
from sevenbag.replay.player_statistics import (
    MAX_BUCKET,
    bucket_index,
    bucket_start_ms,
    build_histogram,
    histogram_percentile,
    merge_histograms,
    percentile,
)

# Weeks of remission of leukaemia patients, with 6-mercaptopurine and without (Freireich et al.,
# 1963): the textbooks' example. Figures of the estimate: Gehan 1965, and the `gehan` data of R.
TREATED = [
    *[(weeks, True) for weeks in (6, 6, 6, 7, 10, 13, 16, 22, 23)],
    *[(weeks, False) for weeks in (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)],
]
CONTROL = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]


def test_the_textbooks_example() -> None:
    treated = estimate_survival(TREATED)
    shares = [(time, round(share, 3)) for time, share in treated.steps]
    assert shares == [
        (6, 0.857),
        (7, 0.807),
        (10, 0.753),
        (13, 0.690),
        (16, 0.627),
        (22, 0.538),
        (23, 0.448),
    ]
    assert (treated.median, treated.deaths, treated.observed) == (23, 9, 21)
    assert estimate_survival((weeks, True) for weeks in CONTROL).median == 8


def test_no_median_without_deaths() -> None:
    seen = estimate_survival([(100, False)] * 9 + [(40, True)])
    assert seen.median is None
    assert seen.survival_rate(39) == 1
    assert seen.survival_rate(40) == pytest.approx(0.9)
    assert estimate_survival([]).median is None


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
def test_survival_without_censoring_is_the_fraction(times: list[int]) -> None:
    seen = estimate_survival((time, True) for time in times)
    for time in range(51):
        assert seen.survival_rate(time) == pytest.approx(sum(t > time for t in times) / len(times))
    assert seen.median == statistics.median_low(times)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=50))
def test_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    ascending = sorted(values)
    expected = statistics.quantiles(ascending, n=100, method="inclusive")
    for percent in (1, 50, 95, 99):
        assert percentile(ascending, percent / 100) == pytest.approx(expected[percent - 1])
    assert percentile(ascending, 1) == ascending[-1]


@given(st.floats(0.0011, 3e8))
def test_a_time_lies_in_its_bucket(milliseconds: float) -> None:
    bucket = bucket_index(milliseconds)
    assert (
        bucket_start_ms(bucket)
        <= milliseconds * (1 + 1e-9)
        < bucket_start_ms(bucket + 1) * (1 + 2e-9)
    )


def test_histograms_merge_and_yield_percentiles() -> None:
    dice = random.Random(5)
    games = [[dice.lognormvariate(1, 1.5) for _ in range(200)] for _ in range(20)]
    counts = merge_histograms(build_histogram(times) for times in games)
    together = sorted(time for times in games for time in times)
    assert sum(counts.values()) == 4000
    for share in (0.5, 0.95, 0.99):
        assert histogram_percentile(counts, share) == pytest.approx(
            percentile(together, share), rel=0.07
        )
    assert merge_histograms([[(3, 1), (5, 2)], {5: 4}]) == {3: 1, 5: 6}
    assert histogram_percentile({}, 0.5) is None
    assert (bucket_index(0), bucket_index(1e300)) == (0, MAX_BUCKET)
