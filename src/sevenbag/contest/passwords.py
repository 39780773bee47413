"""Passwords: hashed by argon2, checked beside the event loop, never kept."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import hmac
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sevenbag.errors import InputError, SevenbagError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MIN_PASSWORD_LENGTH: Final = 8
MAX_PASSWORD_LENGTH: Final = 128

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 << 10, parallelism=1)
"""OWASP's least: some 20 ms, so that the teams of a whole contest can connect at once."""
_THREADS: Final = 2
_MAX_REMEMBERED: Final = 2_000


class TooBusyError(SevenbagError):
    """More passwords are to be checked than can be in a reasonable time; it may be tried again."""


def validate_password(text: str) -> str:
    """A password that may be set.

    Raises:
        InputError: it is too short or too long, or has characters that cannot be typed.
    """
    if not MIN_PASSWORD_LENGTH <= len(text) <= MAX_PASSWORD_LENGTH:
        raise InputError(
            f"the password has {len(text)} characters, must have {MIN_PASSWORD_LENGTH} to "
            f"{MAX_PASSWORD_LENGTH}"
        )
    if not text.isprintable():
        raise InputError("the password has characters that cannot be typed, such as line breaks")
    return text


def hash_password(text: str) -> str:
    """What is kept of a password: argon2id, with its parameters and salt. Takes its time."""
    return _HASHER.hash(text)


def verify_password(password_hash: str, text: str) -> bool:
    """Whether a password is the one of a hash. Takes its time."""
    try:
        return _HASHER.verify(password_hash, text)
    except (InvalidHashError, VerificationError, UnicodeEncodeError):
        return False


class PasswordVerifier:
    """Checks passwords in threads, a few at once.

    Who has given the right password once is recognised at once the next time: clients ask often.
    Of right passwords a hash is remembered whose key only this process has, for as long as it runs.

    Args:
        most_waiting: that may wait for a thread, each for some 10 ms; more are sent away.
    """

    def __init__(self, max_waiting: int = 200) -> None:
        self._most_waiting = max_waiting
        self._threads = asyncio.Semaphore(_THREADS)
        self._waiting = 0
        self._key = secrets.token_bytes(32)
        self._right: OrderedDict[bytes, None] = OrderedDict()

    async def verify(self, password_hash: str | None, text: str) -> bool:
        """Whether a password is right.

        Args:
            password_hash: None for somebody who does not exist, who is found out as slowly as a
                wrong password is.
            text: what was given.

        Raises:
            TooBusyError: too many are waiting.
        """
        if len(text) > MAX_PASSWORD_LENGTH:
            return False
        if password_hash is not None and self.is_known(password_hash, text):
            return True
        async with self._turn():
            kept = password_hash or _placeholder_hash()
            right = (
                await asyncio.to_thread(verify_password, kept, text) and password_hash is not None
            )
        if right:
            self._right[self._mark(kept, text)] = None
            while len(self._right) > _MAX_REMEMBERED:
                self._right.popitem(last=False)
        return right

    def is_known(self, password_hash: str, text: str) -> bool:
        """Whether this password was right a while ago; False says nothing."""
        mark = self._mark(password_hash, text[: MAX_PASSWORD_LENGTH + 1])
        if mark not in self._right:
            return False
        self._right.move_to_end(mark)
        return True

    async def hash(self, text: str) -> str:
        """What is kept of a password.

        Raises:
            InputError: it may not be set.
            TooBusyError: too many are waiting.
        """
        validate_password(text)
        async with self._turn():
            return await asyncio.to_thread(hash_password, text)

    def _mark(self, password_hash: str, text: str) -> bytes:
        what = password_hash.encode("utf-8", "replace") + b"\0" + text.encode("utf-8", "replace")
        return hmac.new(self._key, what, hashlib.sha256).digest()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        if self._waiting >= self._most_waiting:
            raise TooBusyError("too many passwords are being checked; try again in a moment")
        self._waiting += 1
        try:
            async with self._threads:
                yield
        finally:
            self._waiting -= 1


# --- helpers ------------------------------------------------------------------------------------


@functools.cache
def _placeholder_hash() -> str:
    return hash_password(secrets.token_urlsafe())
