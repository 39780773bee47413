"""The store: everything of a contest that has to outlive its processes."""

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
from sevenbag.contest.store.database import Database, ping
from sevenbag.contest.store.match_store import MatchStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self


class Store:
    """A contest's database, in SQLite or PostgreSQL.

    Every method of its parts is one transaction, can be called from any thread, and waits; programs
    that must not wait call it in a thread of its own. All raise `sevenbag.errors.StoreError` when
    the database cannot do it: it is locked, full, damaged, or out of reach.

    Attributes:
        url: of the database, without the password.
        teams: who takes part.
        admins: who holds the contest.
        sessions: who is logged in.
        invitations: links that work once.
        contests: what is planned and played.
        matches: their matches, games and replays; and tests.
        audit: who did what.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        timeout: float = 10.0,
        create: bool = True,
    ) -> None:
        """Say where it is; nothing is opened yet.

        Args:
            url: SQLAlchemy's: ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
            clock: seconds since 1970.
            patience: seconds to wait for others that write.
            may_be_new: whether SQLite's file is made when it is not there.

        Raises:
            StoreUrlError: the URL is none of these.
            MissingExtraError: PostgreSQL's driver is not installed.
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
        """Connect, and bring the tables up to date; several programs may do so at once.

        Raises:
            StoreUnreachableError: no such folder or server, or it turns us away.
            StoreLockedError: another program holds it.
            StoreVersionError: it is of a newer sevenbag, or of another program.
            StoreCorruptError: it is damaged, or no database.
        """
        self._database.open()
        return self

    def close(self) -> None:
        """Close all connections; it can be opened again."""
        self._database.close()

    def ping(self) -> None:
        """See whether it answers.

        Raises:
            StoreError: it does not; the kind says why.
        """
        ping(self._database)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
