"""Entry point of the store."""

from __future__ import annotations

import time
from collections.abc import Callable

from sevenbag.contest.store.accounts import (
    AdminStore,
    AuditLog,
    InvitationStore,
    LoginStore,
    TeamStore,
)
from sevenbag.contest.store.contest_store import ContestStore
from sevenbag.contest.store.database import Database
from sevenbag.contest.store.match_store import MatchStore


class Store(Database):
    """Store of a contest in SQLite or PostgreSQL.

    Every method of its parts is one transaction, blocks, and can be called from any thread. All
    raise `sevenbag.errors.StoreError` if the database is locked, full, damaged or unreachable.
    Those that take a number or a token raise `UnknownEntryError` if nothing has it.

    Attributes:
        url: URL of the database without the password.
        sessions: logins.
        invitations: links that can be used once.
        matches: matches of contests and test matches, with their games and replays.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        timeout: float = 10.0,
        create: bool = True,
    ) -> None:
        """Create a closed store.

        Args:
            url: SQLAlchemy URL, ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
            clock: function that returns the time in seconds since 1970.
            timeout: seconds to wait for other writers.
            create: True to create a missing SQLite file.

        Raises:
            StoreUrlError: invalid URL.
            MissingExtraError: the PostgreSQL driver is not installed.
        """
        super().__init__(url, timeout=timeout, create=create)
        self.teams = TeamStore(self, clock)
        self.admins = AdminStore(self, clock)
        self.sessions = LoginStore(self, clock)
        self.invitations = InvitationStore(self, clock)
        self.matches = MatchStore(self, clock)
        self.contests = ContestStore(self, clock)
        self.audit = AuditLog(self, clock)
