"""The contest site: application, error pages and server."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from litestar import Litestar, MediaType, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.response import Redirect
from litestar.template import TemplateConfig

from sevenbag.contest.child_process import raise_file_limit
from sevenbag.contest.credentials import load_or_create_secret
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.scheduler_protocol import LINK_PATH, MAX_FRAME_BYTES
from sevenbag.contest.settings import ContestSettings
from sevenbag.contest.store import Store
from sevenbag.errors import (
    InputError,
    SchedulerError,
    SevenbagError,
    StoreError,
    UnknownEntryError,
    shown,
)
from sevenbag.web.contest.account_routes import (
    AccountController,
    InvitationController,
    RegistrationController,
)
from sevenbag.web.contest.admin_routes import AdminController, ContestController
from sevenbag.web.contest.api_routes import API_HANDLERS, API_PATHS
from sevenbag.web.contest.live_broadcast import LiveBroadcaster
from sevenbag.web.contest.overview import SiteOverview
from sevenbag.web.contest.public_routes import PublicController, ReplayAnimations
from sevenbag.web.contest.site_authentication import (
    LoginRequiredError,
    SessionMiddleware,
    get_browser_session,
)
from sevenbag.web.contest.site_context import SiteContext
from sevenbag.web.contest.site_monitoring import LOG_ERRORS_ONLY, AccessLog
from sevenbag.web.contest.site_pages import (
    MAX_FORM_BYTES,
    create_template_engine,
    get_form,
    render_page,
)
from sevenbag.web.contest.team_routes import TeamController, get_team
from sevenbag.web.core.connection_limits import ConnectionLimiter, parse_networks
from sevenbag.web.core.http_server import HttpServer
from sevenbag.web.core.origin_guard import OriginGuard, content_security_policy
from sevenbag.web.core.static_files import STATIC_FOLDER, create_file_router

if TYPE_CHECKING:
    from sevenbag.contest.scheduler import Scheduler

_MAX_CONNECTIONS: Final = 2_000
_OTHER_FILES: Final = 256
_MAX_PAGE_MESSAGE_BYTES: Final = 4 << 10
"""Maximum size of a message from a page, which has no reason to send any."""


class ContestSite:
    """Server of the contest site, which runs until it is cancelled.

    The caller opens the store and starts the scheduler before, and closes them afterwards.

    Attributes:
        address: public URL of the site.
        local_address: URL for programs on this machine.

    Raises:
        InputError: a setting is invalid, or the server cannot listen at its address.
    """

    def __init__(self, store: Store, scheduler: Scheduler, settings: ContestSettings) -> None:
        site_settings = settings.site
        _check_url(site_settings.url)
        proxies = parse_networks(site_settings.trusted_proxies)
        self._broadcaster = LiveBroadcaster.for_scheduler(scheduler, store, settings.log)
        raise_file_limit(_MAX_CONNECTIONS + _OTHER_FILES)
        limiter = ConnectionLimiter(_MAX_CONNECTIONS, proxies)
        site = SiteContext(
            store, scheduler, settings, load_or_create_secret(site_settings.secret_file)
        )
        site.metrics.add_source(self._broadcaster.metrics, "Value of the live broadcast.")
        site.metrics.add_source(limiter.metrics, "Connections of the site.")
        app = SessionMiddleware(
            create_contest_app(site, self._broadcaster),
            store,
            secure=site_settings.url.lower().startswith("https://"),
        )
        self._server = HttpServer(
            OriginGuard(
                AccessLog(app, site.log, site.metrics),
                site_settings.host,
                csp=content_security_policy(forms=True),
                public_url=site_settings.url,
                api_paths=API_PATHS,
                host_error="invalid Host header: expected the address of this site. Its"
                " administrators set it as site.url",
            ),
            site_settings.host,
            site_settings.port,
            max_message_bytes=_MAX_PAGE_MESSAGE_BYTES,
            # Messages of game servers contain replays.
            message_limits={LINK_PATH: MAX_FRAME_BYTES},
            limiter=limiter,
            trusted_proxies=proxies,
        )
        self.local_address = local_address_for(self._server.address)
        url = site_settings.url
        self.address = f"{url.rstrip('/')}/" if url else self.local_address

    def close(self) -> None:
        """Stop listening; for sites that never served."""
        self._server.close()

    async def serve(self) -> None:
        """Serve until cancelled."""
        self._broadcaster.start()
        try:
            await self._server.serve(lambda: None)
        finally:
            await self._broadcaster.close()


def create_contest_app(site: SiteContext, broadcaster: LiveBroadcaster) -> Litestar:
    """Create the application without its middleware."""
    overview, animations = SiteOverview(site.store), ReplayAnimations(site.store)
    return Litestar(
        [
            create_file_router("/static", STATIC_FOLDER, opt=LOG_ERRORS_ONLY),
            PublicController,
            RegistrationController,
            AccountController,
            InvitationController,
            TeamController,
            AdminController,
            ContestController,
            *API_HANDLERS,
        ],
        dependencies={
            "site": Provide(lambda: site, sync_to_thread=False),
            "overview": Provide(lambda: overview, sync_to_thread=False),
            "animations": Provide(lambda: animations, sync_to_thread=False),
            "broadcaster": Provide(lambda: broadcaster, sync_to_thread=False),
            "session": Provide(_get_session, sync_to_thread=False),
            "form": Provide(get_form, sync_to_thread=False),
            "team": Provide(get_team, sync_to_thread=False),
        },
        template_config=TemplateConfig(instance=create_template_engine(site.settings.site)),
        exception_handlers={
            HTTPException: _respond_to_http_error,
            LoginRequiredError: _redirect_to_login,
            SevenbagError: _respond_to_error,
            Exception: _respond_to_failure,
        },
        state=State({"site": site}),
        request_max_body_size=MAX_FORM_BYTES,
        openapi_config=None,
        logging_config=None,
    )


def local_address_for(address: str) -> str:
    """Return the URL at which this machine reaches a server that listens at a URL."""
    parts = urlsplit(address)
    try:
        host = ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return address
    if not host.is_unspecified:
        return address
    return f"http://{'127.0.0.1' if host.version == 4 else '[::1]'}:{parts.port}/"


_HEADINGS: Final = {
    400: "Invalid request",
    403: "Not allowed",
    404: "Not found",
    413: "Too large",
    429: "Too many requests",
    503: "Temporarily unavailable",
}
_STATUSES: Final[dict[type[SevenbagError], int]] = {
    UnknownEntryError: 404,
    InputError: 400,
    SchedulerError: 400,
    TooBusyError: 503,
    StoreError: 503,
}


def _check_url(url: str) -> None:
    if not url:
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path not in {"", "/"}:
        raise InputError(
            "invalid site.url: expected a URL such as https://contest.example.org, without a path,"
            f" got {shown(url)}"
        )


def _get_session(request: Request[Any, Any, Any]) -> Any:
    return get_browser_session(request)


def _respond(request: Request[Any, Any, Any], status: int, text: str) -> Response[Any]:
    """Respond with a page, or with plain text to programs."""
    if request.scope["path"].startswith("/scheduler/"):
        return Response(f"{text}\n", status_code=status, media_type=MediaType.TEXT)
    heading = _HEADINGS.get(status, "Invalid request" if status < 500 else "Server error")
    session = get_browser_session(request)
    return render_page(session, "contest/error.html", status=status, heading=heading, text=text)


def _respond_to_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    text = error.detail
    if error.status_code == 404 and text == "Not Found":
        text = "There is no such page."
    return _respond(request, error.status_code, text)


def _redirect_to_login(_: Request[Any, Any, Any], error: LoginRequiredError) -> Response[Any]:
    return Redirect(error.login_path, status_code=303)


def _respond_to_error(request: Request[Any, Any, Any], error: SevenbagError) -> Response[Any]:
    status = next((code for kind, code in _STATUSES.items() if isinstance(error, kind)), None)
    if status is None:
        return _respond_to_failure(request, error)
    text = str(error)
    if isinstance(error, StoreError):
        request.app.state.site.log.error("store.unavailable", reason=text)
        text = "The contest's store cannot be reached. Try again in a moment."
    return _respond(request, status, text)


def _respond_to_failure(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    request.app.state.site.log.error("request.failed", exc_info=error)
    return _respond(request, 500, "Something went wrong on our side; the error was logged.")
