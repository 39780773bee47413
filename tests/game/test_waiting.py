"""Tests of the garbage queue and of attacks in flight, as in a game on a network."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag._kernel import GarbageQueue, InFlightAttacks
from sevenbag.errors import RulesError
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules
from tests.game.reference_garbage import Waiting
from tests.properties import examples

LEAGUE = Rules.preset("tetrio-league")

HOLES = ["attacks", "attacks before 2025-05", "entries", "rounded", "sent", "coins"]
CHANCES = st.sampled_from([0.0, 0.05, 0.25, 28 / 99, 0.5, 1.0])

GARBAGE = st.fixed_dictionaries(
    {
        "travel": st.integers(0, 30),
        "travel_unit": st.sampled_from(["frames", "frames", "own locks"]),
        "blocking": st.sampled_from(["full", "full", "limited", "none", "instant"]),
        "opener_pieces": st.sampled_from([0, 13, 14]),
        "absolute_cap": st.sampled_from([0, 0, 5, 12]),
        "holes": st.sampled_from(HOLES),
        "change": CHANCES,
        "inner": CHANCES,
        "other": st.booleans(),
        "centred": st.booleans(),
        "hole_size": st.integers(1, 3),
        "timeout": st.sampled_from([0, 0, 40]),
    }
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("receive"), st.integers(0, 12), st.integers(-1, 9)),
        st.tuples(st.just("announce"), st.integers(0, 12), st.integers(-1, 9)),
        st.tuples(st.just("confirm"), st.integers(0, 9), st.integers(0, 20)),
        st.tuples(st.just("cancel"), st.lists(st.integers(0, 9), max_size=6), st.integers(1, 20)),
        st.tuples(st.just("enter"), st.integers(0, 40), st.booleans()),
    ),
    max_size=60,
)


@examples(400)
@given(changes=GARBAGE, width=st.sampled_from([7, 10]), seed=st.integers(0, 2**32), steps=STEPS)
def test_against_the_reference(
    changes: dict[str, Any], width: int, seed: int, steps: list[Any]
) -> None:
    if changes["travel_unit"] == "own locks":
        changes["travel"] %= 4
    rules = LEAGUE.replace({"board": {"width": width}, "garbage": changes})
    queue, waiting = GarbageQueue(compile_rules(rules), seed), Waiting(rules, seed)
    frame = 0
    named = 0
    for kind, first, second in steps:
        # A third of the attacks have their hole; the others draw it.
        hole = second if isinstance(second, int) and second % 3 == 0 and second < width else -1
        if kind == "receive":
            queue.receive(first, frame, hole)
            waiting.receive(first, frame, hole)
        elif kind == "announce":
            named += 1
            queue.announce(2, named, first, hole)
            waiting.announce((2, named), first, hole)
        elif kind == "confirm":
            # Not always in the order in which they were announced.
            number = max(named - first, 1)
            expected = waiting.confirm((2, number), frame + second)
            assert queue.confirm(2, number, frame + second) == expected
        elif kind == "cancel":
            assert queue.cancel(first, second) == waiting.cancel(list(first), second)
        else:
            frame += first
            hard_drop = bool(second)
            expected_rows = waiting.enter(frame, 8, hard_drop=hard_drop)
            waiting.count_lock()
            assert list(queue.enter(frame, 8, hard_drop)) == expected_rows
        assert queue.pending == waiting.pending


def test_impossible_numbers() -> None:
    queue = GarbageQueue(compile_rules(LEAGUE), 1)
    for wrong in (
        lambda: queue.receive(-1, 0),
        lambda: queue.receive(1, -1),
        lambda: queue.receive(1, 0, 10),
        lambda: queue.announce(1, 1, 100_001),
        lambda: queue.confirm(1, 1, -1),
        lambda: queue.cancel([1] * 7, 1),
        lambda: queue.cancel([-1], 1),
        lambda: queue.enter(-1, 8),
        lambda: InFlightAttacks().send(1, -1),
    ):
        with pytest.raises(RulesError):
            wrong()
    for _ in range(20_000):
        queue.receive(100_000, 0)
    assert sum(queue.pending) == 1_000_000_000


def test_attacks_that_cross_eat_each_other() -> None:
    crossing = InFlightAttacks()
    assert [crossing.send(2, lines) for lines in (4, 3, 2)] == [1, 2, 3]
    # Player 2 had received the first: the other two meet the counter-attack, the older first.
    assert crossing.receive(2, 1, 4, 1) == 0
    assert crossing.lines_in_flight(2) == 1
    assert crossing.receive(2, 2, 4, 1) == 3
    assert crossing.last_received(2) == 2
    assert crossing.last_received(3) == 0
    # Each player's attacks have their own numbers.
    assert crossing.send(3, 1) == 1
    assert crossing.receive(3, 5, 1, 1) == 1
