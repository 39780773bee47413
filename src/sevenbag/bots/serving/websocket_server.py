"""A server that exposes bots over WebSockets, with one bot per connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import Bot
from sevenbag.bots.external.websocket_channel import import_websockets
from sevenbag.bots.serving.adapter import (
    AdapterFactory,
    LineReceiver,
    OutputClosedError,
    log,
    tbp_adapter,
)
from sevenbag.errors import SevenbagError
from sevenbag.protocols.bot_actions import LogAction
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from websockets.asyncio.server import Server as SocketServer
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response


MAX_CONNECTIONS: Final = 16
"""Maximum number of connections; further ones are rejected."""
_MAX_UNSENT_LINES: Final = 256
WORKER_PATH: Final = "/worker.js"
"""Path of the worker script that connects a page to the bot."""


class WebSocketBotServer:
    """A server on one port, with one bot per connection.

    Args:
        create: creates an unprepared bot for a connection.
        create_adapter: creates its adapter; by default one for TBP.
        max_connections: maximum number of connections.

    Raises:
        MissingExtraError: the package websockets is not installed.
    """

    def __init__(
        self,
        create: Callable[[], Bot],
        create_adapter: AdapterFactory | None = None,
        *,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        self._websockets = import_websockets()
        self.port = 0
        self._create = create
        self._create_adapter = create_adapter or tbp_adapter()
        self._max_connections = max_connections
        self._connection_count = 0
        self._server: SocketServer | None = None

    async def open(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Start to serve; port 0 selects a free port.

        Raises:
            OSError: the port is taken or not permitted.
        """
        server: SocketServer = await self._websockets.asyncio.server.serve(
            self._serve,
            host,
            port,
            process_request=self._serve_file,
            max_size=MAX_LINE_BYTES,
            server_header=None,
        )
        self._server = server
        self.port = next(iter(server.sockets)).getsockname()[1]

    async def close(self) -> None:
        """End all bots and close the port."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _serve_file(self, connection: ServerConnection, request: Request) -> Response | None:
        """Serve the worker script to pages; return None for a WebSocket handshake."""
        if "websocket" in request.headers.get("Upgrade", "").lower():
            if self._connection_count >= self._max_connections:
                text = f"{self._max_connections} bots play already\n"
                return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, text)
            return None
        if request.path.partition("?")[0] != WORKER_PATH:
            text = f"here are a bot behind a WebSocket, and {WORKER_PATH}\n"
            return connection.respond(HTTPStatus.NOT_FOUND, text)
        response = connection.respond(HTTPStatus.OK, read_worker_script())
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "text/javascript; charset=utf-8"
        # Any page may load it: it has no more rights than a page that connects itself.
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    async def _serve(self, connection: ServerConnection) -> None:
        self._connection_count += 1
        try:
            await self._run_adapter(connection, self._create())
        except SevenbagError as error:
            log(LogAction("serve.bot_failed", {"error": error}))
        finally:
            self._connection_count -= 1

    async def _run_adapter(self, connection: ServerConnection, bot: Bot) -> None:
        unsent: asyncio.Queue[str] = asyncio.Queue(_MAX_UNSENT_LINES)

        def send(line: bytes) -> None:
            try:
                unsent.put_nowait(line.decode().rstrip("\n"))
            except asyncio.QueueFull:
                raise OutputClosedError("nobody takes the answers") from None

        adapter = self._create_adapter(bot, send)
        tasks = [
            asyncio.create_task(self._receive(connection, adapter.inbox)),
            asyncio.create_task(_send(connection, unsent)),
        ]
        try:
            await adapter.run()
            await asyncio.wait({asyncio.create_task(unsent.join())}, timeout=1.0)
        except OutputClosedError:
            # The client has disconnected.
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await bot.quit()

    async def _receive(self, connection: ServerConnection, inbox: LineReceiver) -> None:
        with contextlib.suppress(self._websockets.exceptions.ConnectionClosed):
            while True:
                frame = await connection.recv()
                inbox.add_line(frame.encode() if isinstance(frame, str) else frame)
        inbox.close()


def read_worker_script() -> str:
    """Return a Web Worker script that connects a page to the server it came from."""
    file = resources.files("sevenbag.bots.external") / "browser" / "websocket_worker.js"
    return file.read_text("utf-8")


async def _send(connection: ServerConnection, unsent: asyncio.Queue[str]) -> None:
    while True:
        text = await unsent.get()
        try:
            await connection.send(text)
        finally:
            unsent.task_done()
