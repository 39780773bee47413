"""Embedded uvicorn server for a web application."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from sevenbag.errors import InputError
from sevenbag.web.core.connection_limits import http_protocol, websocket_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from sevenbag.web.core.connection_limits import Connections
    from sevenbag.web.core.origin_guard import Application

_END: Final = 5
"""Seconds that connections have to close when the server is ended."""


class Serving:
    """Listens from the beginning, serves when told to.

    Attributes:
        address: where it listens, as a URL that ends with a slash.

    Args:
        application: what is served.
        host: where to listen.
        port: at which port; 0 takes a free one.
        longest_frame: bytes of a WebSocket's message, at most: what has come of it is kept, of
            every connection.
        longer_frames: the same for paths at which more is expected.
        connections: limits of the connections.

    Raises:
        InputError: the port is taken, or not ours to take; or there is no such address.
    """

    def __init__(
        self,
        application: Application,
        host: str,
        port: int,
        *,
        longest_frame: int,
        longer_frames: Mapping[str, int] | None = None,
        connections: Connections,
    ) -> None:
        self._server = _Server(
            uvicorn.Config(
                application,
                http=http_protocol(connections),
                ws=websocket_protocol(connections, longer_frames or {}),
                ws_max_size=longest_frame,
                ws_per_message_deflate=False,
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_END,
            )
        )
        self._socket = _listening(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._socket.getsockname()[1]}/"

    def close(self) -> None:
        """Listen no more; for those who never served."""
        self._socket.close()

    async def serve(self, ending: Callable[[], None]) -> None:
        """Serve until cancelled; then call `ending`, and close every connection."""
        serving = asyncio.create_task(self._server.serve([self._socket]))
        try:
            await asyncio.shield(serving)
        finally:
            ending()
            self._server.should_exit = True
            await serving


# --- helpers ------------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server((str(address[0]), port), family=family)
    except socket.gaierror as error:
        reason = error.strerror or str(error)
    except OSError as error:
        # Not its own words: Python adds to them.
        reason = os.strerror(error.errno or 0)
    raise InputError(f"cannot listen at {host}:{port}: {reason}")
