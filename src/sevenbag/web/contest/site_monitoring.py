"""Metrics and access log of the site."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, generate_latest
from structlog.typing import FilteringBoundLogger

from sevenbag.contest.telemetry import MetricCollector, create_metric
from sevenbag.errors import printable
from sevenbag.web.core.connection_limits import client_address
from sevenbag.web.core.origin_guard import AsgiApp, Receive, Scope, Send

LOG_ERRORS_ONLY: Final = {"log_errors_only": True}
"""Option of routes whose successful requests are not logged."""
_MAX_PATH_LENGTH: Final = 120


class SiteMetrics:
    """Prometheus metrics of the site.

    Attributes:
        requests: number of requests by method, part of the site and status.
        logins: number of logins by role and outcome.

    Args:
        scheduler: returns the scheduler's values by metric name.
    """

    def __init__(self, scheduler: Callable[[], Mapping[str, float]]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "sevenbag_site_requests",
            "Answered requests.",
            ("method", "part", "status"),
            registry=self._registry,
        )
        self.logins = Counter(
            "sevenbag_site_logins",
            "Logins of teams and administrators.",
            ("role", "outcome"),
            registry=self._registry,
        )
        self.add_source(scheduler, "Value of the scheduler.")

    def add_source(self, read: Callable[[], Mapping[str, float]], description: str) -> None:
        """Add values by metric name; names of counters end with ``_total``."""
        self._registry.register(
            MetricCollector(
                lambda: [
                    create_metric(f"sevenbag_{name}", description, value)
                    for name, value in read().items()
                ]
            )
        )

    def render(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class AccessLog:
    """ASGI middleware that counts and logs requests.

    Query strings are not logged, since a test match's has a password, nor are the tokens of
    invitations.
    """

    def __init__(self, app: AsgiApp, log: FilteringBoundLogger, metrics: SiteMetrics) -> None:
        self._app = app
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, then count and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        start = time.perf_counter()

        async def send_and_record(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_record)
        finally:
            part = _find_part(scope)
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(method, part, str(status)).inc()
            handler = scope.get("route_handler")
            is_quiet = handler is not None and "log_errors_only" in handler.opt
            if not is_quiet or status >= HTTPStatus.BAD_REQUEST:
                self._log.info(
                    "request.completed",
                    method=method,
                    path="/welcome/…" if part == "welcome" else _shorten(scope["path"]),
                    status=status,
                    ms=round((time.perf_counter() - start) * 1000, 1),
                    client=client_address(scope),
                )


_METHODS: Final = frozenset({"GET", "HEAD", "POST"})


def _find_part(scope: Scope) -> str:
    """Return the first segment of the route, or "other" if no route matched."""
    template: str | None = scope.get("path_template")
    if template is None:
        return "other"
    return template.split("/", 2)[1] or "home"


def _shorten(path: str) -> str:
    return printable(path[:_MAX_PATH_LENGTH])
