"""One line a request in the log, and one count: without what is secret in its address."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from sevenbag.errors import printable
from sevenbag.web.contest.calls import CURRENT_MATCH_PATH
from sevenbag.web.contest.visit import address_seen

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import FilteringBoundLogger

    from sevenbag.web.contest.figures import Figures
    from sevenbag.web.guard import Application, Receive, Scope, Send

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


# --- helpers ------------------------------------------------------------------------------------


def _shown(path: str, part: str) -> str:
    if part == "welcome":
        return "/welcome/…"
    return printable(path[:_LONGEST_PATH])
