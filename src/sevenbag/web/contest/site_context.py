"""Objects shared by all routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from structlog.typing import FilteringBoundLogger

from sevenbag.contest.passwords import PasswordVerifier
from sevenbag.contest.settings import ContestSettings
from sevenbag.contest.store import Store
from sevenbag.contest.telemetry import create_logger
from sevenbag.web.contest.site_authentication import Authenticator, BrowserSession, RateLimit
from sevenbag.web.contest.site_monitoring import SiteMetrics

if TYPE_CHECKING:
    from sevenbag.contest.scheduler import Scheduler

TEAM_SESSION_SECONDS: Final = 7 * 86_400
ADMIN_SESSION_SECONDS: Final = 12 * 3_600


class SiteContext:
    """Objects of the site."""

    def __init__(
        self, store: Store, scheduler: Scheduler, settings: ContestSettings, scheduler_secret: str
    ) -> None:
        self.store = store
        self.scheduler = scheduler
        self.settings = settings
        self.scheduler_secret = scheduler_secret
        self.passwords = PasswordVerifier()
        # Teams in the same room often share an address.
        self.registration_limit = RateLimit(30, 20.0)
        self.test_match_limit = RateLimit(20, 3.0)
        self.log: FilteringBoundLogger = create_logger(settings.log)
        self.metrics = SiteMetrics(scheduler.metrics)
        self.authenticator = Authenticator(store, self.passwords, self.metrics)

    def audit(
        self, session: BrowserSession, action: str, target: str = "", *, actor: str = ""
    ) -> None:
        """Record an action in the log and in the store; blocks.

        Args:
            session: session of the request.
            action: action, such as ``team disabled``.
            target: name of the object.
            actor: name of the account; that of the session by default.
        """
        account = session.admin or session.team
        actor = actor or (account.name if account else "")
        self.log.info(
            "audit.recorded", action=action, actor=actor, target=target, client=session.client
        )
        self.store.audit.add(actor, action, target, session.client)
