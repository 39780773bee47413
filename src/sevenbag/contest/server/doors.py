"""Who comes in: passwords of the seats of a match, and how often somebody may be wrong.

To check a password takes some 20 ms of a processor, on purpose. So a right one is remembered (as a
keyed hash, see `sevenbag.contest.passwords`), a wrong one is remembered as well, and after a number
of wrong ones a seat's further checks come slowly, a few at a time. Clients that ask again and again
with the same password cost nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from sevenbag.contest.passwords import TooBusyError

if TYPE_CHECKING:
    from sevenbag.contest.passwords import PasswordChecks

_FREE: Final = 20
"""Wrong passwords for a seat before further ones are slowed down."""
_PAUSE: Final = 1.0
"""Seconds before a check that is slowed down."""
_MOST_WAITING: Final = 8
"""Checks of one seat at once."""
_MOST_REFUSED: Final = 64
"""Wrong passwords that are remembered of a seat."""


class Door:
    """The way to one seat of one match.

    Args:
        password_hash: argon2's; empty for a seat that nobody comes to.
        checks: of the whole server.
    """

    def __init__(self, password_hash: str, checks: PasswordChecks) -> None:
        self._hash = password_hash
        self._checks = checks
        self._key = secrets.token_bytes(16)
        self._right = b""
        self._refused: dict[bytes, None] = {}
        self._wrong = 0
        self._waiting = 0

    def known(self, password: str) -> bool | None:
        """What was found out about a password before; None for nothing."""
        mark = self._mark(password)
        # Whose password was right in another match is not held up by an opponent's guesses.
        if mark == self._right or self._checks.remembers(self._hash, password):
            return True
        return False if mark in self._refused else None

    async def is_right(self, password: str) -> bool:
        """Find out about a password.

        Raises:
            TooBusyError: too many are being checked.
        """
        if self._waiting >= _MOST_WAITING:
            raise TooBusyError("too many passwords of this team are being checked")
        self._waiting += 1
        try:
            if self._wrong >= _FREE:
                await asyncio.sleep(_PAUSE)
            known = self.known(password)
            if known is not None:
                return known
            right = await self._checks.is_right(self._hash, password)
        finally:
            self._waiting -= 1
        if right:
            self._right = self._mark(password)
        else:
            self._wrong += 1
            self._refused[self._mark(password)] = None
            if len(self._refused) > _MOST_REFUSED:
                del self._refused[next(iter(self._refused))]
        return right

    # --- helpers --------------------------------------------------------------------------------

    def _mark(self, password: str) -> bytes:
        """A password as it is remembered: of no use to anybody who sees the memory later."""
        return hashlib.blake2b(
            password.encode("utf-8", "replace"), key=self._key, digest_size=32
        ).digest()
