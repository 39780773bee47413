"""Embedded uvicorn server for a web application, and WebSockets of text messages."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final

import uvicorn
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from sevenbag.errors import InputError
from sevenbag.web.core.connection_limits import (
    ConnectionLimiter,
    IpNetwork,
    make_http_protocol,
    make_websocket_protocol,
)
from sevenbag.web.core.origin_guard import AsgiApp

_SHUTDOWN_TIMEOUT: Final = 5
"""Time in seconds for connections to close when the server stops."""
_NORMAL_CLOSURE: Final = 1000


class HttpServer:
    """Server that listens when it is created and serves in `serve`.

    Attributes:
        address: URL of the server, with a slash at the end.

    Args:
        host: address or name to listen at.
        port: port to listen at; 0 selects a free one.
        max_message_bytes: maximum size of a WebSocket message. Each connection may occupy as much
            memory.
        message_limits: other maximum sizes by path.
        trusted_proxies: reverse proxies whose header ``X-Forwarded-For`` is used.

    Raises:
        InputError: the server cannot listen at the address.
    """

    def __init__(
        self,
        app: AsgiApp,
        host: str,
        port: int,
        *,
        max_message_bytes: int,
        message_limits: Mapping[str, int] | None = None,
        limiter: ConnectionLimiter,
        trusted_proxies: Sequence[IpNetwork] = (),
    ) -> None:
        self._server = _Server(
            uvicorn.Config(
                app,
                http=make_http_protocol(limiter),
                ws=make_websocket_protocol(limiter, message_limits or {}),
                ws_max_size=max_message_bytes,
                ws_per_message_deflate=False,
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",
                access_log=False,
                # Always a list: without one, uvicorn reads an environment variable.
                forwarded_allow_ips=[str(network) for network in trusted_proxies],
                server_header=False,
                timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
            )
        )
        self._socket = _listen(host, port)
        url_host = f"[{host}]" if ":" in host else host
        self.address = f"http://{url_host}:{self._socket.getsockname()[1]}/"

    def close(self) -> None:
        """Stop listening; for servers that never served."""
        self._socket.close()

    async def serve(self, on_shutdown: Callable[[], None]) -> None:
        """Serve until cancelled; then call `on_shutdown` and close all connections."""
        serving = asyncio.create_task(self._server.serve([self._socket]))
        try:
            await asyncio.shield(serving)
        finally:
            on_shutdown()
            self._server.should_exit = True
            await serving


class SocketClosedError(ConnectionError):
    """The other side has closed the WebSocket, or the connection was lost."""


class TextSocket:
    """Accepted WebSocket of a request.

    Args:
        socket: socket of a Litestar handler, accepted.
    """

    def __init__(self, socket: WebSocket[Any, Any, Any]) -> None:
        self._socket = socket

    async def receive(self) -> str:
        """Return the next message.

        Raises:
            SocketClosedError: the socket is closed.
        """
        try:
            return await self._socket.receive_data(mode="text")
        except _CLOSED as error:
            raise SocketClosedError from error

    async def send(self, text: str) -> None:
        """Send a message.

        Raises:
            SocketClosedError: the socket is closed.
        """
        try:
            await self._socket.send_text(text)
        except _CLOSED as error:
            raise SocketClosedError from error

    async def close(self, code: int = _NORMAL_CLOSURE, reason: str = "") -> None:
        """Close the socket, unless it is closed already."""
        with contextlib.suppress(*_CLOSED):
            await self._socket.close(code, reason)


# uvicorn raises OSError or RuntimeError for a socket that was closed in the meantime.
_CLOSED: Final = (OSError, RuntimeError, WebSocketDisconnect)


class _Server(uvicorn.Server):
    """Server that installs no signal handlers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server((str(address[0]), port), family=family)
    except socket.gaierror as error:
        reason = error.strerror or str(error)
    except OSError as error:
        # `create_server` appends the address to the error's text.
        reason = os.strerror(error.errno or 0)
    raise InputError(f"cannot listen at {host}:{port}: {reason}")
