"""Tests of password rules, hashing and verification."""

import asyncio
import gc

import argon2
import pytest

from sevenbag.contest import passwords
from sevenbag.contest.passwords import (
    PasswordVerifier,
    TooBusyError,
    hash_password,
    verify_password,
)
from sevenbag.errors import InputError

PASSWORD = "correct horse & 100% stäple"


def test_the_hash_is_argon2s_and_salted() -> None:
    first, second = hash_password(PASSWORD), hash_password(PASSWORD)
    assert first != second
    # Checked by the library, which produced neither line here.
    assert argon2.PasswordHasher().verify(first, PASSWORD)
    assert argon2.extract_parameters(first).type is argon2.Type.ID
    assert argon2.extract_parameters(first).memory_cost >= 19 << 10
    assert PASSWORD not in first


def test_only_the_right_one_is_right() -> None:
    kept = hash_password(PASSWORD)
    assert verify_password(kept, PASSWORD)
    for wrong in ("", PASSWORD + " ", PASSWORD.upper(), "x" * 1000, "\ud800"):
        assert not verify_password(kept, wrong)
    assert not verify_password("no hash at all", PASSWORD)
    assert not verify_password("", PASSWORD)


@pytest.mark.parametrize(
    "bad", ["", "seven77", "x" * 129, "line\nbreak", "nul\0nul\0", "\ud800" * 9]
)
async def test_forbidden_passwords(bad: str) -> None:
    with pytest.raises(InputError, match="password"):
        await PasswordVerifier().hash(bad)


async def test_right_ones_are_remembered_and_wrong_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = PasswordVerifier()
    kept = await checks.hash(PASSWORD)
    asked: list[str] = []

    def counted(password_hash: str, text: str) -> bool:
        asked.append(text)
        return verify_password(password_hash, text)

    monkeypatch.setattr(passwords, "verify_password", counted)
    for _ in range(3):
        assert await checks.verify(kept, PASSWORD)
        assert not await checks.verify(kept, "something else")
    assert asked.count(PASSWORD) == 1
    assert asked.count("something else") == 3
    # A new password makes the old one wrong.
    assert not await checks.verify(await checks.hash("another one"), PASSWORD)


async def test_unknown_name_costs_as_much_as_a_wrong_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hashes: list[str] = []

    def spied(password_hash: str, text: str) -> bool:
        hashes.append(password_hash)
        return True

    monkeypatch.setattr(passwords, "verify_password", spied)
    assert not await PasswordVerifier().verify(None, PASSWORD)
    # A hash with the same parameters was checked, and its result ignored.
    assert argon2.extract_parameters(hashes[0]) == argon2.extract_parameters(hash_password("x"))


async def test_a_crowd_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "verify_password", lambda *_: False)
    checks = PasswordVerifier(max_waiting=50)
    done = await asyncio.gather(
        *(checks.verify("a hash", str(number)) for number in range(80)), return_exceptions=True
    )
    assert sum(isinstance(each, TooBusyError) for each in done) == 30
    assert await checks.verify("a hash", "later") is False


async def test_password_is_not_kept() -> None:
    checks = PasswordVerifier()
    secret = "-".join(["unforgettable", "words"])
    assert await checks.verify(await checks.hash(secret), secret)
    gc.collect()
    kept = vars(checks)
    assert secret not in repr(kept)
    assert secret.encode() not in repr(kept).encode()
