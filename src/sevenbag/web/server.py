"""Listens, serves the page, and ends tidily."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from sevenbag.errors import InputError
from sevenbag.web.app import create_app
from sevenbag.web.guard import Guard
from sevenbag.web.room import Room
from sevenbag.web.shelf import Shelf
from sevenbag.web.tunnel import LONGEST_FRAME

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

_MOST_CONNECTIONS: Final = 64
_END: Final = 5
"""Seconds that connections have to close when the server is ended."""


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
        self._server = _Server(
            uvicorn.Config(
                Guard(create_app(self.room, shelf, bots), host),
                http="h11",
                ws="websockets-sansio",
                ws_max_size=LONGEST_FRAME,
                ws_per_message_deflate=False,
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=_END,
            )
        )
        self._socket = _listening(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._socket.getsockname()[1]}/"

    def close(self) -> None:
        """Listen no more; for those who never served."""
        self._socket.close()

    async def serve(self) -> None:
        """Serve; when cancelled, break off what is played, and close."""
        serving = asyncio.create_task(self._server.serve([self._socket]))
        try:
            await asyncio.shield(serving)
        finally:
            self.room.close()
            self._server.should_exit = True
            await serving


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
