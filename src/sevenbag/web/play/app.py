"""The application of `sevenbag web`: routes and server."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Request, Response, WebSocket, get, websocket
from litestar.exceptions import HTTPException, WebSocketDisconnect
from litestar.params import FromPath
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from litestar.template import TemplateConfig

from sevenbag.bots.registry import BUILTIN_BOTS
from sevenbag.drawing.cells import COLORS, shape
from sevenbag.errors import InputError
from sevenbag.game import Rules
from sevenbag.web.core.connection_limits import Connections
from sevenbag.web.core.http_server import Serving
from sevenbag.web.core.origin_guard import WORKER_POLICY, Guard
from sevenbag.web.core.static_files import JAVASCRIPT, STATIC, TEMPLATES, read_below
from sevenbag.web.play import match_request
from sevenbag.web.play.match_host import Room, Shelf
from sevenbag.web.play.page_connection import LONGEST_FRAME, PageGoneError

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES: Final = "IOTLJSZ"

_FILE_LOADER: Final = "worker_file.js"
_WORKER_HEADERS: Final = {"content-security-policy": WORKER_POLICY.header()}


def create_app(room: Room, shelf: Shelf, bots: Path | None = None) -> Litestar:
    """The application.

    Args:
        room: where matches are played.
        shelf: where their replays are found.
        bots: a folder whose files the page may load; None for none.
    """

    @get("/", media_type=MediaType.HTML, sync_to_thread=False)
    def page() -> Template:
        return Template("page.html", context=_context(bots))

    @get("/static/{name:path}", sync_to_thread=True)
    def static(name: FromPath[Path]) -> Response[bytes]:
        return _file(STATIC, name, is_worker=str(name).lstrip("/") == _FILE_LOADER)

    @get("/bots/{name:path}", sync_to_thread=True)
    def bot_file(name: FromPath[Path]) -> Response[bytes]:
        if bots is None:
            raise InputError("this server was started without --bots FOLDER")
        return _file(bots, name, is_worker=True)

    @get("/replays/{word:str}", sync_to_thread=False)
    def replay(word: FromPath[str]) -> Response[bytes]:
        data = shelf.find(word)
        if data is None:
            raise InputError("this replay is gone: only the last ones are kept")
        return Response(data, media_type="application/x-ndjson")

    @websocket("/match")
    async def match(socket: WebSocket[Any, Any, Any]) -> None:
        await socket.accept()

        async def hear() -> str:
            try:
                return await socket.receive_data(mode="text")
            except WebSocketDisconnect as gone:
                raise PageGoneError from gone

        async def say(frame: str) -> None:
            try:
                await socket.send_text(frame)
            # uvicorn's word for a socket that was closed meanwhile is an OSError.
            except (OSError, WebSocketDisconnect) as gone:
                raise PageGoneError from gone

        await room.receive(hear, say)
        await _close(socket)

    return Litestar(
        [page, static, bot_file, replay, match],
        template_config=TemplateConfig(directory=TEMPLATES, engine=JinjaTemplateEngine),
        exception_handlers={InputError: _not_found, HTTPException: _refused},
        openapi_config=None,
        logging_config=None,
    )


_MOST_CONNECTIONS: Final = 64


class PageServer:
    """Serves at one port until it is cancelled.

    Attributes:
        address: where the page is.
        room: where its matches are played.

    Args:
        host: where to listen.
        port: at which port; 0 takes a free one.
        say: is told of each game that has ended, in a line.
        bots: a folder whose files the page may load.

    Raises:
        InputError: the port is taken, or not ours to take; or there is no such address.
    """

    def __init__(
        self,
        host: str,
        port: int,
        say: Callable[[str], None],
        *,
        bots: Path | None = None,
    ) -> None:
        shelf = Shelf()
        self.room = Room(shelf, say)
        self._serving = Serving(
            Guard(create_app(self.room, shelf, bots), host),
            host,
            port,
            longest_frame=LONGEST_FRAME,
            connections=Connections(_MOST_CONNECTIONS),
        )
        self.address = self._serving.address

    def close(self) -> None:
        """Listen no more; for those who never served."""
        self._serving.close()

    async def serve(self) -> None:
        """Serve; when cancelled, break off what is played, and close."""
        await self._serving.serve(self.room.close)


# --- helpers ------------------------------------------------------------------------------------


def _context(bots: Path | None) -> dict[str, Any]:
    """What the template is filled with."""
    facts = {
        "colors": COLORS,
        "shapes": {letter: shape(letter) for letter in PIECES},
        "visible": {name: _visible(name) for name in Rules.presets()},
    }
    return {
        "facts": msgspec.json.encode(facts).decode(),
        "kinds": {name: kind.summary for name, kind in BUILTIN_BOTS.items()},
        "presets": Rules.presets(),
        "limits": match_request,
        "bots": bots is not None,
    }


def _visible(preset: str) -> tuple[int, int]:
    board = Rules.preset(preset).board
    return board.width, board.visible


def _file(folder: Path, name: Path, *, is_worker: bool) -> Response[bytes]:
    content, media_type = read_below(folder, str(name))
    # An HTML page in a bot's folder gets the policy of our own pages.
    headers = _WORKER_HEADERS if is_worker and media_type == JAVASCRIPT else {}
    return Response(content, media_type=media_type, headers=headers)


def _not_found(_: Request[Any, Any, Any], error: InputError) -> Response[str]:
    return Response(f"{error}\n", status_code=404, media_type=MediaType.TEXT)


def _refused(_: Request[Any, Any, Any], error: HTTPException) -> Response[str]:
    return Response(f"{error.detail}\n", status_code=error.status_code, media_type=MediaType.TEXT)


async def _close(socket: WebSocket[Any, Any, Any]) -> None:
    """Close, unless the page was quicker."""
    with contextlib.suppress(OSError, RuntimeError, WebSocketDisconnect):
        await socket.close()
