"""Tests of the timers of all matches, with a simulated clock."""

import asyncio
import gc
import itertools
import math
import random
import weakref

from sevenbag.contest.server.hosted_match import MatchTimers


class Item:
    """Wants to be woken at some times, one after another."""

    def __init__(self, table: MatchTimers, times: list[float]) -> None:
        self.scheduled = math.inf
        self.woken: list[float] = []
        self._table = table
        self._times = times
        self._next()

    def advance(self, now: float) -> None:
        self.woken.append(now)
        while self._times and self._times[0] <= now:
            self._times.pop(0)
        self._next()

    def _next(self) -> None:
        self._table.schedule(self, self._times[0] if self._times else None)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def settled() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


async def test_timers_run_when_due() -> None:
    clock = Clock()
    table = MatchTimers(clock)
    choice = random.Random(7)
    plans = [sorted(choice.uniform(0, 100) for _ in range(20)) for _ in range(50)]
    items = [Item(table, list(plan)) for plan in plans]
    # The loop's clock says when to look; here it is always now.
    for now in range(1, 101):
        clock.now = float(now)
        for item in items:
            table.schedule(item, float(now))
        await settled()
        for item, plan in zip(items, plans, strict=True):
            assert item.woken[-1] == now
            assert not item.scheduled <= now
            rest = [when for when in plan if when > now]
            assert item.scheduled == (rest[0] if rest else math.inf)
    table.close()


async def test_many_that_are_due_at_once_let_others_have_their_turn() -> None:
    clock = Clock()
    table = MatchTimers(clock)
    items = [Item(table, [1.0]) for _ in range(100)]
    clock.now = 1.0
    table.schedule(items[0], 0.5)
    turns: list[int] = []
    while not all(item.woken for item in items):
        await asyncio.sleep(0)
        turns.append(sum(bool(item.woken) for item in items))
    steps = [later - earlier for earlier, later in itertools.pairwise(turns)]
    assert max(steps) <= 16
    table.close()


async def test_busy_timer_does_not_starve_others() -> None:
    clock = Clock()
    table = MatchTimers(clock)

    class Greedy(Item):
        def _next(self) -> None:
            self._table.schedule(self, 0.0)

    greedy, modest = Greedy(table, []), Item(table, [0.0])
    await settled()
    assert len(greedy.woken) > 16
    assert modest.woken == [0.0]
    table.close()
    count = len(greedy.woken)
    await settled()
    assert len(greedy.woken) <= count + 1


async def test_forgotten_objects_are_released() -> None:
    clock = Clock()
    table = MatchTimers(clock)
    items = [Item(table, [5.0, 6.0]) for _ in range(10)]
    gone = weakref.ref(items[3])
    table.schedule(items[3], 1.0)
    table.forget(items[3])
    del items[3]
    gc.collect()
    assert gone() is None
    clock.now = 5.0
    for item in items:
        table.schedule(item, 4.0)
    await settled()
    assert [item.woken for item in items] == [[5.0]] * 9
    table.close()
