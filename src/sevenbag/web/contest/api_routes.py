"""Routes for programs: teams' clients, game servers and monitoring."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

import msgspec
from litestar import MediaType, Request, Response, WebSocket, get, post, websocket
from litestar.connection import ASGIConnection
from litestar.exceptions import WebSocketException
from litestar.handlers import BaseRouteHandler

from sevenbag.contest.credentials import is_authorized
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.scheduler_protocol import LINK_PATH
from sevenbag.contest.store import Account
from sevenbag.errors import InputError, SchedulerError, StoreError
from sevenbag.web.contest.account_routes import Session, Site
from sevenbag.web.contest.site_authentication import (
    BrowserSession,
    LoginRejectedError,
    get_browser_session,
)
from sevenbag.web.contest.site_context import SiteContext
from sevenbag.web.contest.site_monitoring import LOG_ERRORS_ONLY
from sevenbag.web.contest.site_pages import read_body
from sevenbag.web.core.http_server import SocketClosedError, TextSocket

# The paths of the contest of 2012.
TEST_MATCH_PATH: Final = "/scheduler/create_unauthenticated_test_match"
CURRENT_MATCH_PATH: Final = "/scheduler/current_match"
API_PATHS: Final = frozenset(
    {TEST_MATCH_PATH, CURRENT_MATCH_PATH, LINK_PATH, "/health", "/ready", "/metrics"}
)
_MAX_FIELDS: Final = 10
_INVALID_SECRET: Final = 4401


class TeamCredentials(msgspec.Struct, frozen=True, kw_only=True):
    """Name and password of a team in a program's request."""

    team_name: Annotated[str, msgspec.Meta(max_length=200)]
    password: Annotated[str, msgspec.Meta(max_length=200)]


@get(TEST_MATCH_PATH)
async def create_test_match(
    request: Request[Any, Any, Any], site: Site, session: Session
) -> Response[bytes]:
    """Create a test match for a team."""
    try:
        credentials = _parse_query(request.scope["query_string"])
        team = await _authenticate(site, session, credentials)
        if not site.test_match_limit.try_acquire(str(team.id)):
            return _respond_failed("too many test matches; try again in a few seconds")
        match = await site.scheduler.create_test_match(team.name)
    except _ERRORS as error:
        return _respond_failed(_format_reason(site, error))
    site.log.info("test_match.created", team=team.name, match=match.match_id)
    # The address adds fields to those of 2012 only for addresses other than the usual ones.
    reply = {"status": "success", "team_name": team.name, "match_token": match.token}
    return _respond_json({**reply, **match.address.to_reply()})


# Waiting clients send this request every two seconds.
@post(CURRENT_MATCH_PATH, status_code=200, opt=LOG_ERRORS_ONLY)
async def get_current_match(
    request: Request[Any, Any, Any], site: Site, session: Session
) -> Response[bytes]:
    """Return the match that a team has to play now."""
    try:
        credentials = msgspec.json.decode(await read_body(request), type=TeamCredentials)
        team = await _authenticate(site, session, credentials)
        current = await site.scheduler.current_match(team.name)
    except msgspec.MsgspecError:
        return _respond_failed(
            "invalid body: expected a JSON object with the strings team_name and password"
        )
    except _ERRORS as error:
        # Other than for test matches, the status tells clients to try again.
        return _respond_failed(_format_reason(site, error), _find_status(error))
    return _respond_json(current.to_reply())


def require_scheduler_secret(
    connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler
) -> None:
    """Guard the route of game servers."""
    site: SiteContext = connection.app.state.site
    if not is_authorized(connection.headers.get("authorization", ""), site.scheduler_secret):
        client = get_browser_session(connection).client
        site.log.warning("game_server.rejected", client=client, reason="invalid_secret")
        raise WebSocketException(code=_INVALID_SECRET, detail="invalid secret")


@websocket(LINK_PATH, guards=[require_scheduler_secret])
async def connect_game_server(socket: WebSocket[Any, Any, Any], site: Site) -> None:
    """Connect a game server to the scheduler."""
    await socket.accept()
    text_socket = TextSocket(socket)

    async def receive() -> str | None:
        try:
            return await text_socket.receive()
        except SocketClosedError:
            return None

    async def send(frame: bytes) -> None:
        await text_socket.send(frame.decode())

    await site.scheduler.serve_game_server(receive, send)
    await text_socket.close()


@get("/health", media_type=MediaType.TEXT, sync_to_thread=False, opt=LOG_ERRORS_ONLY)
def get_health() -> str:
    """Return that the site answers."""
    return "ok\n"


@get("/ready", opt=LOG_ERRORS_ONLY)
async def get_readiness(site: Site) -> Response[bytes]:
    """Return whether the store is available, and the number of game servers."""
    try:
        await asyncio.to_thread(site.store.ping)
    except StoreError as error:
        site.log.error("site.not_ready", reason=str(error))
        return _respond_json({"ready": False, "reason": "the store cannot be reached"}, 503)
    alive = sum(server.is_connected for server in site.scheduler.list_servers())
    return _respond_json({"ready": True, "game_servers": alive})


@get("/metrics", sync_to_thread=False, opt=LOG_ERRORS_ONLY)
def get_metrics(site: Site) -> Response[bytes]:
    """Return the metrics in the text format of Prometheus."""
    return Response(site.metrics.render(), media_type="text/plain; version=0.0.4")


API_HANDLERS: Final = (
    create_test_match,
    get_current_match,
    connect_game_server,
    get_health,
    get_readiness,
    get_metrics,
)


# InputError: the team has the name of the test client, against which it cannot play.
_ERRORS: Final = (InputError, LoginRejectedError, SchedulerError, StoreError, TooBusyError)


async def _authenticate(
    site: SiteContext, session: BrowserSession, credentials: TeamCredentials
) -> Account:
    return await site.authenticator.authenticate(
        "team", credentials.team_name, credentials.password, session.client
    )


def _parse_query(query: bytes) -> TeamCredentials:
    error = "invalid query: expected team_name and password, URL-encoded, once each"
    try:
        # Without ";" as a separator, so that passwords may contain it.
        pairs = parse_qsl(
            query.decode("ascii"), max_num_fields=_MAX_FIELDS, errors="strict", separator="&"
        )
    except ValueError:
        raise LoginRejectedError(error) from None
    fields = dict(pairs)
    if len(fields) != len(pairs) or not {"team_name", "password"} <= fields.keys():
        raise LoginRejectedError(error)
    return TeamCredentials(team_name=fields["team_name"], password=fields["password"])


def _format_reason(site: SiteContext, error: Exception) -> str:
    if isinstance(error, StoreError):
        site.log.error("api.failed", reason=str(error))
        return "the contest's store cannot be reached; try again"
    return str(error)


def _find_status(error: Exception) -> int:
    if isinstance(error, StoreError | TooBusyError):
        return 503
    return 429 if isinstance(error, LoginRejectedError) and error.status == 429 else 200


def _respond_failed(reason: str, status: int = 200) -> Response[bytes]:
    # Status 200 as in 2012: clients read the status in the body, and some ignore that of HTTP.
    return _respond_json({"status": "failed", "reason": reason}, status)


def _respond_json(reply: object, status: int = 200) -> Response[bytes]:
    return Response(msgspec.json.encode(reply), media_type=MediaType.JSON, status_code=status)
