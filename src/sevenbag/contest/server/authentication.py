"""Authentication of teams, with limits on wrong passwords.

Checking a password takes about 20 ms of processor time, on purpose. Results are therefore cached
(as keyed hashes, see `sevenbag.contest.passwords`), and after some wrong passwords further checks
of a team are delayed. Clients that repeat the same password cost nothing.

A known right password is accepted at once, so that guesses by others do not lock a team out. An
attacker could use this to test guesses at full speed, so it no longer applies to an address after
many wrong passwords.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import uuid
from typing import Final

from sevenbag.contest.passwords import PasswordVerifier, TooBusyError

LOGGED_TOKEN_LENGTH: Final = 8
"""Characters of a match token that logs show."""

_FREE: Final = 20
"""Wrong passwords of a team before further checks are delayed."""

_GUESSES: Final = 1_000
"""Wrong passwords of a team from one address before the right one is delayed there as well."""

_MAX_ADDRESSES: Final = 64
"""Addresses counted separately; all further ones share one count."""

_PAUSE: Final = 1.0
"""Delay of a check in seconds."""

_MAX_WAITING: Final = 8
"""Concurrent checks of one team."""

_MAX_REJECTED: Final = 64
"""Cached wrong passwords of a team."""


def derive_client_token(match_token: str, player: int, password_hash: str) -> str:
    """Return the token that a team uses for its moves.

    It is derived from secrets of the store and the game servers, so that it stays the same when the
    server restarts or the match moves to another server.
    """
    digest = hmac.digest(
        password_hash.encode(), f"client of {match_token}, seat {player}".encode(), hashlib.sha256
    )
    return str(uuid.UUID(bytes=digest[:16], version=4))


class PlayerAuthenticator:
    """Check the passwords of one player of one match.

    Args:
        password_hash: argon2 hash; empty for a built-in player.
    """

    def __init__(self, password_hash: str, checks: PasswordVerifier) -> None:
        self._hash = password_hash
        self._checks = checks
        self._key = secrets.token_bytes(16)
        self._rejected: dict[bytes, None] = {}
        self._wrong = 0
        # Guesses by address, including those rejected without a check.
        self._guesses: dict[str, int] = {}
        self._waiting = 0

    def cached_result(self, password: str, address: str = "") -> bool | None:
        """Return the cached result for a password; None if it has to be checked.

        The address of the client is empty if it is not known.
        """
        mark = self._mark(password)
        if mark in self._rejected:
            return False
        # A password that was right in another match is not delayed by an opponent's guesses.
        few = self._guesses.get(self._bucket(address), 0) < _GUESSES
        return True if few and self._checks.is_known(self._hash, password) else None

    async def verify(self, password: str, address: str = "") -> bool:
        """Check a password; see `cached_result`.

        Raises:
            TooBusyError: too many passwords are being checked.
        """
        mark = self._mark(password)
        if mark in self._rejected:
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
            right = await self._checks.verify(self._hash, password)
        finally:
            self._waiting -= 1
        if right:
            self._guesses[bucket] -= 1
        else:
            self._wrong += 1
            self._rejected[mark] = None
            if len(self._rejected) > _MAX_REJECTED:
                del self._rejected[next(iter(self._rejected))]
        return right

    def _bucket(self, address: str) -> str:
        return address if address in self._guesses or len(self._guesses) < _MAX_ADDRESSES else ""

    def _mark(self, password: str) -> bytes:
        """Return a keyed hash of a password; useless without the memory of this process."""
        return hashlib.blake2b(
            password.encode("utf-8", "replace"), key=self._key, digest_size=32
        ).digest()
