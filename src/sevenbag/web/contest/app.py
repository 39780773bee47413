"""The contest site: application, error pages and server."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from litestar import Litestar, MediaType, Request, Response, Router, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath
from litestar.response import Redirect
from litestar.template import TemplateConfig

from sevenbag.contest.child_process import raise_file_limit
from sevenbag.contest.credentials import load_secret
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.scheduler_protocol import LINK_PATH, LONGEST_FRAME
from sevenbag.errors import InputError, SchedulerError, StoreError, UnknownEntryError, shown
from sevenbag.web.contest.account_routes import account_routes, welcome_routes
from sevenbag.web.contest.admin_routes import admin_routes, contest_routes, contest_rules_routes
from sevenbag.web.contest.api_routes import PROGRAM_PATHS, call_routes
from sevenbag.web.contest.live_broadcast import LiveHub
from sevenbag.web.contest.public_routes import monitor_routes
from sevenbag.web.contest.site_authentication import (
    Cookies,
    NeedsLoginError,
    Visits,
    admins_only,
    teams_only,
)
from sevenbag.web.contest.site_context import Desk, Journal
from sevenbag.web.contest.site_pages import LARGEST_FORM, page, template_engine
from sevenbag.web.contest.team_routes import team_routes
from sevenbag.web.core.connection_limits import Connections, networks
from sevenbag.web.core.http_server import Serving
from sevenbag.web.core.origin_guard import Guard, Policy
from sevenbag.web.core.static_files import STATIC, read_below

if TYPE_CHECKING:
    from sevenbag.contest.scheduler import Scheduler
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store
    from sevenbag.web.core.origin_guard import Application


def create_contest_app(
    store: Store,
    scheduler: Scheduler,
    settings: Settings,
    hub: LiveHub,
    connections: Connections,
) -> tuple[Application, Litestar]:
    """The site, and the routes in it.

    Args:
        store: where everything is kept; open.
        scheduler: what places matches.
        settings: of the contest.
        hub: brings the states of matches.
        connections: connections of the site, for the metrics.

    Raises:
        InputError: a setting of the site cannot be used.
    """
    desk = Desk(store, scheduler, settings, load_secret(settings.site.secret_file))
    desk.figures.show(hub.metrics, "Of those who look on.")
    desk.figures.show(connections.metrics, "Connections of the site.")
    routes = Litestar(
        [
            _static,
            *monitor_routes(store, hub),
            *account_routes(desk),
            *welcome_routes(desk),
            *call_routes(desk),
            Router("/team", guards=[teams_only], route_handlers=team_routes(desk)),
            Router(
                "/admin",
                guards=[admins_only],
                route_handlers=[
                    *admin_routes(desk),
                    *contest_routes(desk),
                    *contest_rules_routes(desk),
                ],
            ),
        ],
        template_config=TemplateConfig(instance=template_engine(settings.site)),
        exception_handlers={
            HTTPException: _refused,
            NeedsLoginError: _to_login,
            UnknownEntryError: _unknown,
            InputError: _wrong,
            SchedulerError: _wrong,
            TooBusyError: _busy,
            StoreError: _store_away,
            Exception: _fault,
        },
        state=State({"log": desk.log}),
        request_max_body_size=LARGEST_FORM,
        openapi_config=None,
        logging_config=None,
    )
    cookies = Cookies(secure=settings.site.url.lower().startswith("https://"))
    proxies = networks(settings.site.trusted_proxies)
    visited = Visits(routes, store, cookies, proxies)
    return Journal(visited, desk.log, desk.figures), routes


_MOST_CONNECTIONS: Final = 2_000
_OTHER_FILES: Final = 256
_LONGEST_OF_PAGES: Final = 4 << 10
"""Bytes of what an onlooker's page says, which has nothing to say."""


class ContestSite:
    """Serves at one port until it is cancelled.

    The store is open and the scheduler started by whoever makes the site, and closed by them.

    Attributes:
        address: where it is, for people.
        local_address: where it is, for programs on this machine.

    Args:
        store: where everything is kept.
        scheduler: what places matches.
        settings: of the contest.

    Raises:
        InputError: a setting cannot be used, or the site cannot listen where it should.
    """

    def __init__(self, store: Store, scheduler: Scheduler, settings: Settings) -> None:
        site = settings.site
        _check_url(site.url)
        self._hub = LiveHub.of(scheduler, store, settings.log)
        raise_file_limit(_MOST_CONNECTIONS + _OTHER_FILES)
        connections = Connections(_MOST_CONNECTIONS, networks(site.trusted_proxies))
        application, _ = create_contest_app(store, scheduler, settings, self._hub, connections)
        policy = Policy(
            forms=True,
            url=site.url,
            programs=PROGRAM_PATHS,
            stranger="this site does not know itself by this name: its organisers set site.url",
        )
        self._serving = Serving(
            Guard(application, site.host, policy),
            site.host,
            site.port,
            longest_frame=_LONGEST_OF_PAGES,
            # With a game's replay.
            longer_frames={LINK_PATH: LONGEST_FRAME},
            connections=connections,
        )
        self.local_address = reachable_address(self._serving.address)
        self.address = f"{site.url.rstrip('/')}/" if site.url else self.local_address

    def close(self) -> None:
        """Listen no more; for those who never served."""
        self._serving.close()

    async def serve(self) -> None:
        """Serve; when cancelled, close."""
        self._hub.start()
        try:
            await self._serving.serve(lambda: None)
        finally:
            await self._hub.close()


def reachable_address(address: str) -> str:
    """An address at which something listens, as it can be called from this machine."""
    parts = urlsplit(address)
    try:
        host = ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return address
    if not host.is_unspecified:
        return address
    return f"http://{'127.0.0.1' if host.version == 4 else '[::1]'}:{parts.port}/"


# --- helpers ------------------------------------------------------------------------------------

_HEADINGS: Final = {
    400: "This cannot be done",
    403: "Not allowed",
    404: "Not found",
    405: "This cannot be done",
    413: "Too large",
    429: "Too often",
    503: "Not just now",
}


@get("/static/{name:path}", sync_to_thread=True)
def _static(name: FromPath[Path]) -> Response[bytes]:
    content, media_type = read_below(STATIC, str(name))
    return Response(content, media_type=media_type)


def _told(request: Request[Any, Any, Any], status: int, words: str) -> Response[Any]:
    """A page for people; a line for whoever called from a program, or for what a page loads."""
    if request.scope["path"].startswith(("/scheduler/", "/static/")):
        return Response(f"{words}\n", status_code=status, media_type=MediaType.TEXT)
    heading = _HEADINGS.get(status, "This cannot be done" if status < 500 else "Our fault")
    return page(request, "contest/error.html", status=status, heading=heading, words=words)


def _refused(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    words = error.detail
    if error.status_code == 404 and words == "Not Found":
        words = "There is no such page."
    return _told(request, error.status_code, words)


def _to_login(_: Request[Any, Any, Any], error: NeedsLoginError) -> Response[Any]:
    return Redirect(error.page, status_code=303)


def _unknown(request: Request[Any, Any, Any], error: UnknownEntryError) -> Response[Any]:
    return _told(request, 404, str(error))


def _wrong(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    status = 404 if request.scope["path"].startswith("/static/") else 400
    return _told(request, status, str(error))


def _busy(request: Request[Any, Any, Any], error: TooBusyError) -> Response[Any]:
    return _told(request, 503, str(error))


def _store_away(request: Request[Any, Any, Any], error: StoreError) -> Response[Any]:
    request.app.state.log.error("the store failed", reason=str(error))
    return _told(request, 503, "The contest's store cannot be reached. Try again in a moment.")


def _fault(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    request.app.state.log.error("a request failed by a fault of the site's", exc_info=error)
    return _told(request, 500, "Something went wrong on our side; it was written down.")


def _check_url(url: str) -> None:
    if not url:
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path not in {"", "/"}:
        raise InputError(
            f"site.url is {shown(url)}, must be such as https://contest.example.org, without a path"
        )
