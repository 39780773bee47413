"""Application of ``sevenbag web``: routes and server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Litestar, MediaType, Request, Response, WebSocket, get, websocket
from litestar.datastructures import MutableScopeHeaders
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from litestar.template import TemplateConfig
from litestar.types import Message, Scope

from sevenbag.bots.registry import BUILTIN_BOTS
from sevenbag.drawing.picture import COLORS, piece_shape
from sevenbag.game import Rules
from sevenbag.web.core.connection_limits import ConnectionLimiter
from sevenbag.web.core.http_server import HttpServer, TextSocket
from sevenbag.web.core.origin_guard import WORKER_CSP, OriginGuard
from sevenbag.web.core.static_files import (
    JAVASCRIPT_TYPE,
    STATIC_FOLDER,
    TEMPLATE_FOLDER,
    create_file_router,
)
from sevenbag.web.play import match_host
from sevenbag.web.play.match_host import MatchHost, ReplayCache
from sevenbag.web.play.page_connection import MAX_FRAME_BYTES

PIECES: Final = "IOTLJSZ"

_MAX_CONNECTIONS: Final = 64
_WORKER_LOADER: Final = "/static/worker_loader.js"


class PlayServer:
    """Server of the page, which runs until it is cancelled.

    Attributes:
        address: URL of the page.

    Args:
        host: address or name to listen at.
        report: called with the summary of each finished match.
        bots: folder whose files the page may load; None for none.

    Raises:
        InputError: the server cannot listen at the address.
    """

    def __init__(
        self, host: str, port: int, report: Callable[[str], None], *, bots: Path | None = None
    ) -> None:
        replays = ReplayCache()
        self.host = MatchHost(replays, report)
        self._server = HttpServer(
            OriginGuard(create_play_app(self.host, replays, bots), host),
            host,
            port,
            max_message_bytes=MAX_FRAME_BYTES,
            limiter=ConnectionLimiter(_MAX_CONNECTIONS),
        )
        self.address = self._server.address

    def close(self) -> None:
        """Stop listening; for servers that never served."""
        self._server.close()

    async def serve(self) -> None:
        """Serve until cancelled; then abort all matches."""
        await self._server.serve(self.host.close)


def create_play_app(host: MatchHost, replays: ReplayCache, bots: Path | None = None) -> Litestar:
    """Create the application."""

    @get("/", media_type=MediaType.HTML, sync_to_thread=False)
    def page() -> Template:
        return Template("play.html", context=_build_context(bots))

    @get("/replays/{token:str}", sync_to_thread=False)
    def replay(token: FromPath[str]) -> Response[bytes]:
        data = replays.get(token)
        if data is None:
            raise NotFoundException("this replay is gone: only the last ones are kept")
        return Response(data, media_type="application/x-ndjson")

    @websocket("/match")
    async def match(socket: WebSocket[Any, Any, Any]) -> None:
        await socket.accept()
        text_socket = TextSocket(socket)
        await host.serve(text_socket)
        await text_socket.close()

    folders = {"/static": STATIC_FOLDER} | ({"/bots": bots} if bots else {})
    return Litestar(
        [page, replay, match, *(create_file_router(*each) for each in folders.items())],
        template_config=TemplateConfig(directory=TEMPLATE_FOLDER, engine=JinjaTemplateEngine),
        exception_handlers={HTTPException: _respond_with_error},
        before_send=[_set_worker_csp],
        openapi_config=None,
        logging_config=None,
    )


def _build_context(bots: Path | None) -> dict[str, Any]:
    drawing = {
        "colors": COLORS,
        "shapes": {letter: piece_shape(letter) for letter in PIECES},
        "visible": {name: _visible_size(name) for name in Rules.preset_names()},
    }
    return {
        "drawing": msgspec.json.encode(drawing).decode(),
        "kinds": {name: kind.summary for name, kind in BUILTIN_BOTS.items()},
        "presets": Rules.preset_names(),
        "limits": match_host,
        "bots": bots is not None,
    }


def _visible_size(preset: str) -> tuple[int, int]:
    board = Rules.preset(preset).board
    return board.width, board.visible


async def _set_worker_csp(message: Message, scope: Scope) -> None:
    """Give scripts of workers their policy. HTML in a bot's folder has the policy of pages."""
    if message["type"] == "http.response.start" and (
        scope["path"] == _WORKER_LOADER or scope["path"].startswith("/bots/")
    ):
        headers = MutableScopeHeaders.from_message(message)
        content_type = dict(message["headers"]).get(b"content-type", b"")
        if content_type.startswith(JAVASCRIPT_TYPE.encode()):
            headers["content-security-policy"] = WORKER_CSP


def _respond_with_error(_: Request[Any, Any, Any], error: HTTPException) -> Response[str]:
    return Response(f"{error.detail}\n", status_code=error.status_code, media_type=MediaType.TEXT)
