"""Who is let in, and what somebody costs who guesses."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from sevenbag.contest.passwords import PasswordChecks, TooBusyError
from sevenbag.contest.server.doors import Door
from sevenbag.contest.server.sessions import Sessions, client_token
from tests.contest.server.rig import placement


class Checks:
    """Knows one password, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.remembered: set[str] = set()

    def remembers(self, password_hash: str, text: str) -> bool:
        assert password_hash == "hash"
        return text in self.remembered

    async def is_right(self, password_hash: str, text: str) -> bool:
        assert password_hash == "hash"
        self.asked.append(text)
        await self.gate.wait()
        return text == "right"


@pytest.fixture
def checks() -> Checks:
    return Checks()


@pytest.fixture
def door(checks: Checks) -> Door:
    return Door("hash", cast("PasswordChecks", checks))


async def test_what_was_found_out_once_costs_nothing_again(door: Door, checks: Checks) -> None:
    assert door.known("right") is None
    assert await door.is_right("right")
    assert not await door.is_right("wrong")
    for _ in range(100):
        assert door.known("right")
        assert door.known("wrong") is False
        assert await door.is_right("right")
        assert not await door.is_right("wrong")
    assert checks.asked == ["right", "wrong"]


GUESSER = "203.0.113.7"
TEAM = "198.51.100.1"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds for which a check waited, which takes no time here."""
    seen: list[float] = []

    async def sleep(seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr("sevenbag.contest.server.doors.asyncio.sleep", sleep)
    return seen


async def test_who_guesses_is_slowed_down_and_the_team_comes_in_as_ever(
    door: Door, checks: Checks, pauses: list[float]
) -> None:
    assert await door.is_right("right", TEAM)
    for number in range(200):
        assert not await door.is_right(f"guess {number}", GUESSER)
    assert len(pauses) == 180
    assert min(pauses) >= 1
    asked = len(checks.asked)
    assert door.known("right", TEAM)
    assert len(checks.asked) == asked
    # Not every guess is remembered for ever, and those forgotten are wrong again.
    assert door.known("guess 199", GUESSER) is False
    assert door.known("guess 0", GUESSER) is None
    assert not await door.is_right("guess 0", GUESSER)


@pytest.mark.parametrize("where", ["here", "in another match"])
async def test_the_right_guess_is_as_slow_as_the_wrong_ones(
    door: Door, checks: Checks, pauses: list[float], where: str
) -> None:
    """However often the password was right before: each guess takes its time."""
    if where == "here":
        assert await door.is_right("right", TEAM)
    else:
        checks.remembered.add("right")
    for number in range(20):
        assert not await door.is_right(f"guess {number}", GUESSER)
    assert pauses == []
    assert door.known("right", GUESSER) is None
    assert await door.is_right("right", GUESSER)
    assert len(pauses) == 1


async def test_guesses_that_are_sent_at_once_count_before_they_are_checked(
    door: Door, checks: Checks
) -> None:
    checks.remembered.add("right")
    checks.gate.clear()
    guesses = [asyncio.create_task(door.is_right(str(number), GUESSER)) for number in range(20)]
    await asyncio.sleep(0)
    assert door.known("right", GUESSER) is None
    assert door.known("right", TEAM)
    checks.gate.set()
    await asyncio.gather(*guesses, return_exceptions=True)


async def test_addresses_without_number_are_one(door: Door, pauses: list[float]) -> None:
    for number in range(1_000):
        await door.is_right(f"guess {number}", f"address {number}")
    assert len(door._wrong) <= 65
    assert len(pauses) > 900


async def test_who_was_right_in_another_match_need_not_wait(door: Door, checks: Checks) -> None:
    checks.gate.clear()
    guesses = [asyncio.create_task(door.is_right(str(number))) for number in range(19)]
    await asyncio.sleep(0)
    assert door.known("right") is None
    checks.remembered.add("right")
    assert door.known("right")
    assert door.known("0") is None
    checks.gate.set()
    await asyncio.gather(*guesses, return_exceptions=True)


async def test_only_some_passwords_of_a_seat_are_checked_at_once(
    door: Door, checks: Checks
) -> None:
    checks.gate.clear()
    tries = [asyncio.create_task(door.is_right(str(number))) for number in range(20)]
    await asyncio.sleep(0)
    with pytest.raises(TooBusyError):
        await door.is_right("right")
    checks.gate.set()
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, TooBusyError) for result in results) == 12
    assert await door.is_right("right")


def test_client_tokens_are_the_same_again_and_all_different() -> None:
    seats = [
        (match, seat, kept)
        for match in ("m1", "m2")
        for seat in (0, 1)
        for kept in ("hash one", "hash two")
    ]
    tokens = [client_token(*seat) for seat in seats]
    assert tokens == [client_token(*seat) for seat in seats]
    assert len(set(tokens)) == len(seats)
    assert {len(token) for token in tokens} == {36}


def test_it_is_not_remembered_for_ever_what_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Over:
        def __init__(self, token: str) -> None:
            self.token = token
            self.client_tokens = (token + " 0", "")
            self.place = placement("A", "B")

    monkeypatch.setattr("sevenbag.contest.server.sessions._MOST_ENDED", 10)
    sessions = Sessions()
    for number in range(100):
        table = Over(str(number))
        sessions.add(table)  # type: ignore[arg-type]
        assert set(sessions.seats) == {f"{number} 0"}
        sessions.remove(table)  # type: ignore[arg-type]
    assert not sessions.tables
    assert not sessions.seats
    assert [sessions.ended(str(number)) is not None for number in (0, 94, 95, 99)] == [
        False,
        False,
        True,
        True,
    ]
    assert sessions.ended("99 0") == ("99", "A")
    assert sessions.ended("") is None
