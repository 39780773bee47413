"""Limits against a count by hand, over simulated time; and that they do not grow."""

from __future__ import annotations

import random

from sevenbag.web.contest.site_authentication import Limit


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_and_then_one_at_a_time() -> None:
    clock = Clock()
    limit = Limit(3, 10, clock)
    assert [limit.take("a") for _ in range(5)] == [True, True, True, False, False]
    assert limit.take("b")
    clock.now += 10
    assert [limit.take("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [limit.take("a") for _ in range(4)] == [True, True, True, False]


def test_what_is_given_back_was_not_used() -> None:
    limit = Limit(2, 10, Clock())
    for _ in range(10):
        assert limit.take("a")
        limit.give_back("a")
    assert [limit.take("a") for _ in range(3)] == [True, True, False]
    limit.give_back("never seen")
    assert [limit.take("never seen") for _ in range(3)] == [True, True, False]


def test_in_no_time_span_is_more_let_through_than_the_bucket_holds() -> None:
    """A bucket that is filled drop by drop, by the second: the plainest reading of the rule."""
    random.seed(5)
    clock = Clock()
    limit = Limit(4, 8, clock)
    drops = 4 * 8  # whole seconds: exact
    for _ in range(3000):
        passed = random.choice([0, 0, 1, 2, 5, 30])
        clock.now += passed
        drops = min(4 * 8, drops + passed)
        allowed = drops >= 8
        assert limit.take("a") == allowed
        drops -= 8 * allowed


def test_a_million_strangers_are_not_remembered() -> None:
    clock = Clock()
    limit = Limit(1, 1000, clock)
    for number in range(30_000):
        limit.take(str(number))
    assert len(limit._whole) == 20_000
    clock.now += 2000
    limit.take("one more")
    assert len(limit._whole) == 1
