"""Tests of password checks, their cache and their limits."""

import asyncio
from typing import cast

import pytest

from sevenbag.contest.passwords import PasswordVerifier, TooBusyError
from sevenbag.contest.server.authentication import PlayerAuthenticator, derive_client_token
from sevenbag.contest.server.command_handler import ClientTokens
from tests.contest.server.hosted_server import placement

real_sleep = asyncio.sleep


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record the pauses of checks instead of waiting."""
    made: list[float] = []

    async def sleep(seconds: float) -> None:
        made.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr("sevenbag.contest.server.authentication.asyncio.sleep", sleep)
    return made


class Checks:
    """Knows one password, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.remembered: set[str] = set()

    def is_known(self, password_hash: str, text: str) -> bool:
        assert password_hash == "hash"
        return text in self.remembered

    async def verify(self, password_hash: str, text: str) -> bool:
        assert password_hash == "hash"
        self.asked.append(text)
        await self.gate.wait()
        if text == "right":
            self.remembered.add(text)
        return text == "right"


@pytest.fixture
def checks() -> Checks:
    return Checks()


@pytest.fixture
def door(checks: Checks) -> PlayerAuthenticator:
    return PlayerAuthenticator("hash", cast("PasswordVerifier", checks))


async def test_verified_password_is_cached(door: PlayerAuthenticator, checks: Checks) -> None:
    assert door.cached_result("right") is None
    assert await door.verify("right")
    assert not await door.verify("wrong")
    for _ in range(100):
        assert door.cached_result("right")
        assert door.cached_result("wrong") is False
        assert not await door.verify("wrong")
    assert checks.asked == ["right", "wrong"]


async def test_guesses_are_delayed_and_the_team_is_not(
    door: PlayerAuthenticator, checks: Checks, pauses: list[float]
) -> None:
    assert await door.verify("right")
    for number in range(200):
        assert not await door.verify(f"guess {number}")
    assert len(pauses) == 180
    assert min(pauses) >= 1
    asked = len(checks.asked)
    assert door.cached_result("right")
    assert len(checks.asked) == asked
    # Not every guess is remembered for ever, and those forgotten are wrong again.
    assert door.cached_result("guess 199") is False
    assert door.cached_result("guess 0") is None
    assert not await door.verify("guess 0")


async def test_right_password_is_delayed_after_many_guesses(
    door: PlayerAuthenticator, checks: Checks, pauses: list[float]
) -> None:
    """Otherwise an attacker could test guesses as fast as requests can be sent."""
    assert await door.verify("right", "198.51.100.1")
    # Guesses that are refused without a check also count.
    checks.gate.clear()
    guesses = [asyncio.create_task(door.verify(f"{n}", "203.0.113.7")) for n in range(1_000)]
    while not all(guess.done() for guess in guesses[8:]):
        await real_sleep(0)
    assert door.cached_result("right", "203.0.113.7") is None
    checks.gate.set()
    await asyncio.gather(*guesses, return_exceptions=True)
    # Other addresses are not affected.
    assert door.cached_result("right", "198.51.100.1")
    for number in range(20):
        await door.verify(f"guess {number}", "203.0.113.7")
    before = len(pauses)
    assert await door.verify("right", "203.0.113.7")
    assert len(pauses) == before + 1


async def test_further_addresses_share_one_count(
    door: PlayerAuthenticator, pauses: list[float]
) -> None:
    assert await door.verify("right", "198.51.100.1")
    for number in range(1_100):
        await door.verify(f"guess {number}", f"address {number}")
    assert len(door._guesses) <= 65
    assert door.cached_result("right", "another address") is None
    assert door.cached_result("right", "198.51.100.1")


async def test_address_with_a_success_is_not_delayed(
    door: PlayerAuthenticator, checks: Checks
) -> None:
    checks.gate.clear()
    guesses = [asyncio.create_task(door.verify(str(number))) for number in range(20)]
    await asyncio.sleep(0)
    assert door.cached_result("right") is None
    checks.remembered.add("right")
    assert door.cached_result("right")
    assert door.cached_result("0") is None
    checks.gate.set()
    await asyncio.gather(*guesses, return_exceptions=True)


async def test_only_some_passwords_of_a_seat_are_checked_at_once(
    door: PlayerAuthenticator, checks: Checks
) -> None:
    checks.gate.clear()
    tries = [asyncio.create_task(door.verify(str(number))) for number in range(20)]
    await asyncio.sleep(0)
    with pytest.raises(TooBusyError):
        await door.verify("right")
    checks.gate.set()
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, TooBusyError) for result in results) == 12
    assert await door.verify("right")


def test_client_tokens_are_the_same_again_and_all_different() -> None:
    seats = [
        (match, seat, kept)
        for match in ("m1", "m2")
        for seat in (0, 1)
        for kept in ("hash one", "hash two")
    ]
    tokens = [derive_client_token(*seat) for seat in seats]
    assert tokens == [derive_client_token(*seat) for seat in seats]
    assert len(set(tokens)) == len(seats)
    assert {len(token) for token in tokens} == {36}


def test_ended_tokens_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    class Over:
        def __init__(self, token: str) -> None:
            self.token = token
            self.client_tokens = (token + " 0", "")
            self.assignment = placement("A", "B")

    monkeypatch.setattr("sevenbag.contest.server.command_handler._MAX_ENDED", 10)
    sessions = ClientTokens()
    for number in range(100):
        table = Over(str(number))
        sessions.add(table)  # type: ignore[arg-type]
        assert set(sessions.players) == {f"{number} 0"}
        sessions.remove(table)  # type: ignore[arg-type]
    assert not sessions.matches
    assert not sessions.players
    assert [sessions.find_ended(str(number)) is not None for number in (0, 94, 95, 99)] == [
        False,
        False,
        True,
        True,
    ]
    assert sessions.find_ended("99 0") == ("99", "A")
    assert sessions.find_ended("") is None
