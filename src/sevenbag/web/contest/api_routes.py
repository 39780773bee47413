"""Routes for programs: teams' clients, game servers and monitoring."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import parse_qsl

import msgspec
from litestar import MediaType, Request, Response, WebSocket, get, post, websocket
from litestar.exceptions import WebSocketDisconnect

from sevenbag.contest.credentials import authorized
from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.scheduler_protocol import LINK_PATH
from sevenbag.errors import InputError, SchedulerError, StoreError
from sevenbag.web.contest.site_authentication import NotLetInError, visitor_of
from sevenbag.web.contest.site_pages import read_body

if TYPE_CHECKING:
    from litestar.handlers import BaseRouteHandler

    from sevenbag.contest.store import Team
    from sevenbag.web.contest.site_context import Desk

AnyRequest = Request[Any, Any, Any]

TEST_MATCH_PATH: Final = "/scheduler/create_unauthenticated_test_match"
"""As the clients of 2012 call it."""
CURRENT_MATCH_PATH: Final = "/scheduler/current_match"
PROGRAM_PATHS: Final = frozenset(
    {TEST_MATCH_PATH, CURRENT_MATCH_PATH, LINK_PATH, "/health", "/ready", "/metrics"}
)
_MOST_FIELDS: Final = 10


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """By which a program proves its team."""

    team_name: Annotated[str, msgspec.Meta(max_length=200)]
    password: Annotated[str, msgspec.Meta(max_length=200)]


def call_routes(desk: Desk) -> list[BaseRouteHandler]:
    """The routes of this file."""

    async def let_in(request: AnyRequest, login: Login) -> Team:
        address = visitor_of(request).address
        return await desk.entrance.team(login.team_name, login.password, address)

    @get(TEST_MATCH_PATH)
    async def create_unauthenticated_test_match(request: AnyRequest) -> Response[bytes]:
        try:
            login = _login_of_query(request.scope["query_string"])
            team = await let_in(request, login)
            if not desk.test_matches.take(str(team.id)):
                return _failed("too many test matches; try again in a few seconds")
            match = await desk.scheduler.create_test_match(team.name)
        except _FAILURES as error:
            return _failed(_reason(desk, error))
        desk.log.info("test match made", team=team.name, match=match.match_id)
        # More than the text's fields only where something is not as it was in 2012.
        reply = {"status": "success", "team_name": team.name, "match_token": match.token}
        return _json({**reply, **match.address.to_reply()})

    @post(CURRENT_MATCH_PATH, status_code=200)
    async def current_match(request: AnyRequest) -> Response[bytes]:
        try:
            login = msgspec.json.decode(await read_body(request), type=Login)
            team = await let_in(request, login)
            current = await desk.scheduler.current_match(team.name)
        except msgspec.MsgspecError:
            return _failed("the body must be JSON: an object with team_name and password, texts")
        except _FAILURES as error:
            # Who has to ask again is told so by the status, too.
            return _failed(_reason(desk, error), _status(error))
        return _json(current.to_reply())

    @websocket(LINK_PATH)
    async def link(socket: WebSocket[Any, Any, Any]) -> None:
        if not authorized(socket.headers.get("authorization", ""), desk.secret):
            desk.log.warning(
                "game server refused: wrong secret", address=visitor_of(socket).address
            )
            await socket.close(4401, "the secret is wrong")
            return
        await socket.accept()

        async def hear() -> bytes | str | None:
            try:
                return await socket.receive_data(mode="text")
            except WebSocketDisconnect:
                return None

        async def say(frame: bytes) -> None:
            try:
                await socket.send_text(frame.decode())
            # uvicorn's word for a socket that was closed meanwhile is an OSError.
            except (OSError, RuntimeError, WebSocketDisconnect) as gone:
                raise ConnectionError("the game server is gone") from gone

        await desk.scheduler.link(hear, say)
        with contextlib.suppress(OSError, RuntimeError, WebSocketDisconnect):
            await socket.close()

    @get("/health", media_type=MediaType.TEXT, sync_to_thread=False)
    def health() -> str:
        return "ok\n"

    @get("/ready")
    async def ready() -> Response[bytes]:
        try:
            await asyncio.to_thread(desk.store.ping)
        except StoreError as error:
            desk.log.error("not ready", reason=str(error))
            return _json({"ready": False, "reason": "the store cannot be reached"}, 503)
        alive = sum(server.alive for server in desk.scheduler.servers())
        return _json({"ready": True, "game_servers": alive})

    @get("/metrics", sync_to_thread=False)
    def metrics() -> Response[bytes]:
        return Response(desk.figures.text(), media_type="text/plain; version=0.0.4")

    return [create_unauthenticated_test_match, current_match, link, health, ready, metrics]


# --- helpers ------------------------------------------------------------------------------------

# An InputError: a team of Test Client's name, which cannot play against it.
_FAILURES: Final = (InputError, NotLetInError, SchedulerError, StoreError, TooBusyError)


def _login_of_query(query: bytes) -> Login:
    wanted = "team_name and password must be in the query, URL-encoded, each once"
    try:
        # A ";" is no separator, so that a password may have one.
        pairs = parse_qsl(
            query.decode("ascii"), max_num_fields=_MOST_FIELDS, errors="strict", separator="&"
        )
    except ValueError:
        raise NotLetInError(wanted) from None
    fields = dict(pairs)
    if len(fields) != len(pairs) or not {"team_name", "password"} <= fields.keys():
        raise NotLetInError(wanted)
    return Login(team_name=fields["team_name"], password=fields["password"])


def _reason(desk: Desk, error: Exception) -> str:
    if isinstance(error, StoreError):
        desk.log.error("a call failed", reason=str(error))
        return "the contest's store cannot be reached; try again"
    return str(error)


def _status(error: Exception) -> int:
    if isinstance(error, StoreError | TooBusyError):
        return 503
    return 429 if isinstance(error, NotLetInError) and error.status == 429 else 200


def _failed(reason: str, status: int = 200) -> Response[bytes]:
    # Of status 200, as in 2012: clients look into the reply, and some at nothing else.
    return _json({"status": "failed", "reason": reason}, status)


def _json(reply: object, status: int = 200) -> Response[bytes]:
    return Response(msgspec.json.encode(reply), media_type=MediaType.JSON, status_code=status)
