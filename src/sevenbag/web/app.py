"""The routes: the page, the files it loads, its socket, replays."""

from __future__ import annotations

import contextlib
from pathlib import Path  # noqa: TC003  # Litestar reads the annotations of handlers
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Request, Response, WebSocket, get, websocket
from litestar.exceptions import HTTPException, WebSocketDisconnect
from litestar.params import FromPath  # noqa: TC002  # likewise
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from litestar.template import TemplateConfig

from sevenbag.bots.registry import KINDS
from sevenbag.drawing.cells import COLORS, shape
from sevenbag.errors import InputError
from sevenbag.game import Rules
from sevenbag.web import setup
from sevenbag.web.files import JAVASCRIPT, STATIC, TEMPLATES, read_below
from sevenbag.web.guard import WORKER_POLICY
from sevenbag.web.tunnel import PageGoneError

if TYPE_CHECKING:
    from sevenbag.web.room import Room
    from sevenbag.web.shelf import Shelf

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
        "kinds": {name: kind.summary for name, kind in KINDS.items()},
        "presets": Rules.presets(),
        "limits": setup,
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
