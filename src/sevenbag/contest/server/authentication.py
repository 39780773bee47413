"""Who comes in: passwords of the seats of a match, and how often somebody may be wrong.

To check a password takes some 20 ms of a processor, on purpose. So a right one is remembered (as a
keyed hash, see `sevenbag.contest.passwords`), a wrong one is remembered as well, and after a number
of wrong ones a seat's further checks come slowly, a few at a time. Clients that ask again and again
with the same password cost nothing.

A known right password is accepted at once despite guesses by others, so that no team is locked out.
An attacker could test guesses against this as fast as requests can be sent, so it no longer applies
to an address after very many wrong passwords.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from sevenbag.contest.passwords import TooBusyError

if TYPE_CHECKING:
    from sevenbag.contest.passwords import PasswordVerifier

_FREE: Final = 20
"""Wrong passwords for a seat before further ones are slowed down."""

_GUESSES: Final = 1_000
"""Wrong passwords for a seat from one address before even the right one is delayed there."""

_MAX_ADDRESSES: Final = 64
"""Maximum addresses counted separately; all further ones share one count."""

_PAUSE: Final = 1.0
"""Seconds before a check that is slowed down."""

_MAX_WAITING: Final = 8
"""Checks of one seat at once."""

_MAX_REJECTED: Final = 64
"""Wrong passwords that are remembered of a seat."""


class PlayerAuthenticator:
    """The way to one seat of one match.

    Args:
        password_hash: argon2's; empty for a seat that nobody comes to.
        checks: of the whole server.
    """

    def __init__(self, password_hash: str, checks: PasswordVerifier) -> None:
        self._hash = password_hash
        self._checks = checks
        self._key = secrets.token_bytes(16)
        self._right = b""
        self._refused: dict[bytes, None] = {}
        self._wrong = 0
        # Guesses by address, including those refused without a check.
        self._guesses: dict[str, int] = {}
        self._waiting = 0

    def cached_result(self, password: str, address: str = "") -> bool | None:
        """Return the remembered result for a password; None if it has to be checked.

        Args:
            password: password to look up.
            address: address of the client; empty if not known.
        """
        mark = self._mark(password)
        if mark in self._refused:
            return False
        # Whose password was right in another match is not held up by an opponent's guesses.
        few = self._guesses.get(self._bucket(address), 0) < _GUESSES
        return True if few and self._was_right(mark, password) else None

    async def verify(self, password: str, address: str = "") -> bool:
        """Check a password.

        Args:
            password: password to check.
            address: address of the client; empty if not known.

        Raises:
            TooBusyError: too many passwords are being checked.
        """
        mark = self._mark(password)
        if mark in self._refused:
            return False
        bucket = self._bucket(address)
        # Counted before the check, so that concurrent guesses do not exceed the limit.
        self._guesses[bucket] = self._guesses.get(bucket, 0) + 1
        if self._waiting >= _MAX_WAITING:
            raise TooBusyError("too many passwords of this team are being checked")
        self._waiting += 1
        try:
            if self._wrong >= _FREE:
                await asyncio.sleep(_PAUSE)
            right = self._was_right(mark, password) or await self._checks.verify(
                self._hash, password
            )
        finally:
            self._waiting -= 1
        if right:
            self._guesses[bucket] -= 1
            self._right = mark
        else:
            self._wrong += 1
            self._refused[mark] = None
            if len(self._refused) > _MAX_REJECTED:
                del self._refused[next(iter(self._refused))]
        return right

    # --- helpers --------------------------------------------------------------------------------

    def _bucket(self, address: str) -> str:
        return address if address in self._guesses or len(self._guesses) < _MAX_ADDRESSES else ""

    def _was_right(self, mark: bytes, password: str) -> bool:
        return mark == self._right or self._checks.is_known(self._hash, password)

    def _mark(self, password: str) -> bytes:
        """A password as it is remembered: of no use to anybody who sees the memory later."""
        return hashlib.blake2b(
            password.encode("utf-8", "replace"), key=self._key, digest_size=32
        ).digest()
