"""A match that is not over, as the scheduler has it in memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sevenbag.contest.store import MatchRow


@dataclass(slots=True, eq=False)
class Ongoing:
    """A match that is not over.

    Attributes:
        row: as it is in the store.
        server: name of the server that it is assigned to; empty while it waits.
        placed: whether that server has said that it has it.
        begun: whether a team has come to it there.
        home: name of the server that its teams joined last; clients of 2012 know no other one.
        since: when it came to this server or began to wait, by the scheduler's clock.
        not_before: when it may be placed.
        overdue: whether the log has a warning that it waits.
        avoided: servers that are not to have it, by name, and until when.
        settled: set when clients can connect to it, or never will.
    """

    row: MatchRow
    server: str = ""
    placed: bool = False
    begun: bool = False
    home: str = ""
    since: float = 0.0
    not_before: float = 0.0
    overdue: bool = False
    avoided: dict[str, float] = field(default_factory=dict)
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def teams(self) -> list[int]:
        """Registered teams that play it."""
        return [seat.team_id for seat in self.row.seats if seat.team_id is not None]
