"""Objects shared by all routes, metrics and the access log."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from sevenbag.contest.passwords import PasswordChecks
from sevenbag.contest.telemetry import make_logger
from sevenbag.errors import printable
from sevenbag.web.contest.api_routes import CURRENT_MATCH_PATH
from sevenbag.web.contest.site_authentication import Entrance, Limit, address_seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping

    from prometheus_client.metrics_core import Metric
    from structlog.typing import FilteringBoundLogger

    from sevenbag.contest.scheduler import Scheduler
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store
    from sevenbag.web.contest.site_authentication import Visitor
    from sevenbag.web.core.origin_guard import Application, Receive, Scope, Send


class Figures:
    """Counters of the site, and what the scheduler says of itself.

    Attributes:
        requests: answered, by method, part of the site and status.
        logins: tried, by role and outcome.

    Args:
        scheduler: its figures, by name.
    """

    def __init__(self, scheduler: Callable[[], Mapping[str, float]]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "sevenbag_site_requests",
            "Requests answered.",
            ("method", "part", "status"),
            registry=self._registry,
        )
        self.logins = Counter(
            "sevenbag_site_logins",
            "Passwords given by teams and organisers.",
            ("role", "outcome"),
            registry=self._registry,
        )
        self.show(scheduler, "Of the scheduler.")

    def show(self, figures: Callable[[], Mapping[str, float]], words: str) -> None:
        """Show what somebody else counts, by name; what ends in ``_total`` only rises."""
        self._registry.register(_Told(figures, words))

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)


_PARTS: Final = frozenset(
    {"admin", "bracket", "health", "live", "login", "logout", "matches", "metrics", "ranking"}
    | {"ready", "register", "scheduler", "static", "team", "welcome"}
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST"})
_QUIET: Final = frozenset({"health", "metrics", "ready", "static"})
_LONGEST_PATH: Final = 120


class Journal:
    """Writes down what was asked for and how it was answered.

    A query is never written: a test match's has a password in it. Nor is the word of a link that
    works once.

    Args:
        application: what answers.
        log: where it is written.
        figures: where it is counted.
    """

    def __init__(
        self, application: Application, log: FilteringBoundLogger, figures: Figures
    ) -> None:
        self._application = application
        self._log = log
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        status = 500
        began = time.perf_counter()

        async def send_and_see(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._application(scope, receive, send_and_see)
        finally:
            path: str = scope["path"]
            first = path.split("/", 2)[1] if path.startswith("/") else ""
            part = first if first in _PARTS else "other" if first else "home"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._figures.requests.labels(method, part, str(status)).inc()
            # Waiting clients poll every two seconds.
            is_poll = path == CURRENT_MATCH_PATH and status < HTTPStatus.BAD_REQUEST
            if part not in _QUIET and not is_poll:
                self._log.info(
                    "request",
                    method=method,
                    path=_shown(path, part),
                    status=status,
                    ms=round((time.perf_counter() - began) * 1000, 1),
                    address=address_seen(scope),
                )


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


# --- helpers ------------------------------------------------------------------------------------


class _Told(Collector):
    def __init__(self, figures: Callable[[], Mapping[str, float]], words: str) -> None:
        self._figures = figures
        self._words = words

    def collect(self) -> Iterable[Metric]:
        for name, value in self._figures().items():
            counted = name.endswith("_total")
            family = CounterMetricFamily if counted else GaugeMetricFamily
            yield family(f"sevenbag_{name}", self._words, value)


def _shown(path: str, part: str) -> str:
    if part == "welcome":
        return "/welcome/…"
    return printable(path[:_LONGEST_PATH])
