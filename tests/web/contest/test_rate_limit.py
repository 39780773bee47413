"""Limits against a count by hand, over simulated time; and that they do not grow."""

from __future__ import annotations

import random

from sevenbag.web.contest.site_authentication import RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_and_then_one_at_a_time() -> None:
    clock = Clock()
    limit = RateLimit(3, 10, clock)
    assert [limit.try_acquire("a") for _ in range(5)] == [True, True, True, False, False]
    assert limit.try_acquire("b")
    clock.now += 10
    assert [limit.try_acquire("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [limit.try_acquire("a") for _ in range(4)] == [True, True, True, False]


def test_what_is_given_back_was_not_used() -> None:
    limit = RateLimit(2, 10, Clock())
    for _ in range(10):
        assert limit.try_acquire("a")
        limit.release("a")
    assert [limit.try_acquire("a") for _ in range(3)] == [True, True, False]
    limit.release("never seen")
    assert [limit.try_acquire("never seen") for _ in range(3)] == [True, True, False]


def test_in_no_time_span_is_more_let_through_than_the_bucket_holds() -> None:
    """A bucket that is filled drop by drop, by the second: the plainest reading of the rule."""
    random.seed(5)
    clock = Clock()
    limit = RateLimit(4, 8, clock)
    drops = 4 * 8  # whole seconds: exact
    for _ in range(3000):
        passed = random.choice([0, 0, 1, 2, 5, 30])
        clock.now += passed
        drops = min(4 * 8, drops + passed)
        allowed = drops >= 8
        assert limit.try_acquire("a") == allowed
        drops -= 8 * allowed


def test_a_million_strangers_are_not_remembered() -> None:
    clock = Clock()
    limit = RateLimit(1, 1000, clock)
    for number in range(30_000):
        limit.try_acquire(str(number))
    assert len(limit._full_at) == 20_000
    clock.now += 2000
    limit.try_acquire("one more")
    assert len(limit._full_at) == 1
