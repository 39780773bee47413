"""The whole site: its routes, and what every request passes on its way to them."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # Litestar reads the annotations of handlers
from typing import TYPE_CHECKING, Any, Final

from litestar import Litestar, MediaType, Request, Response, Router, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath  # noqa: TC002  # likewise
from litestar.response import Redirect
from litestar.template import TemplateConfig

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.secret import load_secret
from sevenbag.errors import InputError, SchedulerError, StoreError, UnknownEntryError
from sevenbag.web.client_address import networks
from sevenbag.web.contest.accounts import account_routes
from sevenbag.web.contest.admin import admin_routes
from sevenbag.web.contest.calls import call_routes
from sevenbag.web.contest.contest_rules import contest_rules_routes
from sevenbag.web.contest.contests import contest_routes
from sevenbag.web.contest.desk import Desk
from sevenbag.web.contest.doors import NeedsLoginError, admins_only, teams_only
from sevenbag.web.contest.forms import LARGEST_FORM
from sevenbag.web.contest.journal import Journal
from sevenbag.web.contest.monitor import monitor_routes
from sevenbag.web.contest.pages import page, template_engine
from sevenbag.web.contest.team import team_routes
from sevenbag.web.contest.visit import Cookies, Visits
from sevenbag.web.contest.welcome import welcome_routes
from sevenbag.web.files import STATIC, read_below

if TYPE_CHECKING:
    from sevenbag.contest.scheduler import Scheduler
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store
    from sevenbag.web.connections import Connections
    from sevenbag.web.contest.live import LiveHub
    from sevenbag.web.guard import Application


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
