"""Password hashing with argon2, in threads beside the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sevenbag.errors import InputError, SevenbagError

MIN_PASSWORD_LENGTH: Final = 8
MAX_PASSWORD_LENGTH: Final = 128

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 << 10, parallelism=1)
"""Minimum recommended by OWASP: about 20 ms, so that all teams of a contest can connect at once."""
_THREADS: Final = 2
_MAX_CACHED: Final = 2_000


class TooBusyError(SevenbagError):
    """Too many password checks are waiting; the caller may try again."""


def validate_password(text: str) -> str:
    """Return a new password if it is valid.

    Raises:
        InputError: the password is too short or too long, or has unprintable characters.
    """
    if not MIN_PASSWORD_LENGTH <= len(text) <= MAX_PASSWORD_LENGTH:
        raise InputError(
            f"invalid password: expected {MIN_PASSWORD_LENGTH} to {MAX_PASSWORD_LENGTH} characters,"
            f" got {len(text)}"
        )
    if not text.isprintable():
        raise InputError("invalid password: expected printable characters")
    return text


def hash_password(text: str) -> str:
    """Hash a password with argon2id; the result contains parameters and salt."""
    return _HASHER.hash(text)


def verify_password(password_hash: str, text: str) -> bool:
    """Return whether a password matches a hash."""
    try:
        return _HASHER.verify(password_hash, text)
    except (InvalidHashError, VerificationError, UnicodeEncodeError):
        return False


class PasswordVerifier:
    """Verifier of passwords that runs a few checks at once in threads.

    Correct passwords are cached, because clients send them often. The cache holds keyed hashes; the
    key exists only in this process.

    Args:
        max_waiting: maximum number of waiting checks of about 10 ms each.
    """

    def __init__(self, max_waiting: int = 200) -> None:
        self._max_waiting = max_waiting
        self._threads = asyncio.Semaphore(_THREADS)
        self._waiting = 0
        self._key = secrets.token_bytes(32)
        self._cache: OrderedDict[bytes, None] = OrderedDict()

    async def verify(self, password_hash: str | None, text: str) -> bool:
        """Return whether a password is correct.

        Args:
            password_hash: hash of the password; None for an unknown account, which takes as long
                as a wrong password.
            text: password to check.

        Raises:
            TooBusyError: too many checks are waiting.
        """
        if len(text) > MAX_PASSWORD_LENGTH:
            return False
        if password_hash is not None and self.is_known(password_hash, text):
            return True
        async with self._reserve_thread():
            kept = password_hash or _placeholder_hash()
            is_correct = (
                await asyncio.to_thread(verify_password, kept, text) and password_hash is not None
            )
        if is_correct:
            self._cache[self._hash_key(kept, text)] = None
            while len(self._cache) > _MAX_CACHED:
                self._cache.popitem(last=False)
        return is_correct

    def is_known(self, password_hash: str, text: str) -> bool:
        """Return whether the password is cached as correct."""
        key = self._hash_key(password_hash, text[: MAX_PASSWORD_LENGTH + 1])
        if key not in self._cache:
            return False
        self._cache.move_to_end(key)
        return True

    async def hash(self, text: str) -> str:
        """Hash a new password.

        Raises:
            InputError: the password is invalid.
            TooBusyError: too many checks are waiting.
        """
        validate_password(text)
        async with self._reserve_thread():
            return await asyncio.to_thread(hash_password, text)

    def _hash_key(self, password_hash: str, text: str) -> bytes:
        data = password_hash.encode("utf-8", "replace") + b"\0" + text.encode("utf-8", "replace")
        return hmac.new(self._key, data, hashlib.sha256).digest()

    @contextlib.asynccontextmanager
    async def _reserve_thread(self) -> AsyncGenerator[None]:
        if self._waiting >= self._max_waiting:
            raise TooBusyError("too many passwords are being checked; try again in a moment")
        self._waiting += 1
        try:
            async with self._threads:
                yield
        finally:
            self._waiting -= 1


@functools.cache
def _placeholder_hash() -> str:
    return hash_password(secrets.token_urlsafe())
