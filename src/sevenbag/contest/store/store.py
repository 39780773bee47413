"""Entry point of the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self


class Store:
    """Store of a contest in SQLite or PostgreSQL.

    Every method of its parts is one transaction, blocks, and can be called from any thread. All
    raise `sevenbag.errors.StoreError` if the database is locked, full, damaged or unreachable.

    Attributes:
        url: URL of the database without the password.
        teams: teams.
        admins: administrators.
        sessions: logins.
        invitations: links that can be used once.
        contests: contests.
        matches: matches of contests and test matches, with their games and replays.
        audit: audit log.
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
        self._database = Database(url, timeout=timeout, create=create)
        self.url = self._database.url
        self.teams = TeamStore(self._database, clock)
        self.admins = AdminStore(self._database, clock)
        self.sessions = LoginStore(self._database, clock, self.teams, self.admins)
        self.invitations = InvitationStore(self._database, clock)
        self.matches = MatchStore(self._database, clock)
        self.contests = ContestStore(self._database, clock)
        self.audit = AuditLog(self._database, clock)

    def open(self) -> Self:
        """Connect and migrate the tables; several programs may do so at the same time.

        Raises:
            StoreUnreachableError: missing folder or server, or rejected login.
            StoreLockedError: locked by another program.
            StoreVersionError: written by a newer sevenbag or by another program.
            StoreCorruptError: damaged, or not a database.
        """
        self._database.open()
        return self

    def close(self) -> None:
        """Close all connections; the store can be opened again."""
        self._database.close()

    def ping(self) -> None:
        """Check that the database answers.

        Raises:
            StoreError: no answer; the class gives the reason.
        """
        self._database.ping()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
