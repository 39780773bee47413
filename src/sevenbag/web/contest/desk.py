"""What every route has at hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sevenbag.contest.logs import make_logger
from sevenbag.contest.passwords import PasswordChecks
from sevenbag.web.contest.entrance import Entrance
from sevenbag.web.contest.figures import Figures
from sevenbag.web.contest.limits import Limit

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

    from sevenbag.contest.scheduler import Scheduler
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store
    from sevenbag.web.contest.visit import Visitor

TEAM_SECONDS: Final = 7 * 86_400.0
"""How long a team stays logged in."""
ADMIN_SECONDS: Final = 12 * 3_600.0
"""How long an organiser does."""


@dataclass(slots=True)
class Desk:
    """The site's parts.

    Attributes:
        store: where everything is kept.
        scheduler: what places matches.
        settings: of the contest.
        secret: that game servers know.
        passwords: checks and hashes them.
        registrations: how often teams may be registered from one place.
        test_matches: how often a team may have one made.
        entrance: lets teams and organisers in.
        log: where what happens is written.
        figures: what is counted.
    """

    store: Store
    scheduler: Scheduler
    settings: Settings
    secret: str
    passwords: PasswordChecks = field(default_factory=PasswordChecks)
    # A room full of teams often has one address.
    registrations: Limit = field(default_factory=lambda: Limit(30, 20.0))
    test_matches: Limit = field(default_factory=lambda: Limit(20, 3.0))
    log: FilteringBoundLogger = field(init=False)
    figures: Figures = field(init=False)
    entrance: Entrance = field(init=False)

    def __post_init__(self) -> None:
        """Put together what stands on the others."""
        self.log = make_logger(self.settings.log)
        self.figures = Figures(self.scheduler.metrics)
        self.entrance = Entrance(self.store, self.passwords, self.figures)

    async def note(self, visitor: Visitor, what: str, about: str = "") -> None:
        """Keep who did what, for the organisers to see."""
        who = visitor.admin.name if visitor.admin else visitor.team.name if visitor.team else ""
        await self.note_of(who, visitor, what, about)

    async def note_of(self, who: str, visitor: Visitor, what: str, about: str = "") -> None:
        """The same for somebody who is not logged in."""
        self.log.info(what, who=who, about=about, address=visitor.address)
        await asyncio.to_thread(self.store.audit.add, who, what, about, visitor.address)
