"""Who did what: a list that only grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from sevenbag.contest.store.names import cleaned
from sevenbag.contest.store.rows import AuditRow
from sevenbag.contest.store.tables import LARGEST_ID, AuditTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.store.database import Database


class Audit:
    """What admins, teams and programs did to the contest."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def add(self, who: str, what: str, about: str = "", address: str = "") -> None:
        """Write down that somebody did something.

        Args:
            who: name of the admin or team, or which program.
            what: in words, such as "contest started".
            about: what it was done to.
            address: where it came from.
        """
        with self._database.writing() as session:
            session.add(
                AuditTable(
                    at=self._clock(),
                    who=cleaned(who),
                    what=cleaned(what),
                    about=cleaned(about),
                    address=cleaned(address),
                )
            )

    def list(self, *, limit: int = 100, before: int | None = None) -> tuple[AuditRow, ...]:
        """What was done, the newest first.

        Args:
            limit: so many, at most.
            before: only what is older than the entry of this number.
        """
        last = LARGEST_ID if before is None else min(before - 1, LARGEST_ID)
        with self._database.reading() as session:
            found = session.scalars(
                select(AuditTable)
                .where(AuditTable.id <= last)
                .order_by(AuditTable.id.desc())
                .limit(limit)
            )
            return tuple(
                AuditRow(
                    id=row.id,
                    at=row.at,
                    who=row.who,
                    what=row.what,
                    about=row.about,
                    address=row.address,
                )
                for row in found
            )
