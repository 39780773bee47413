"""Serves the page, and ends tidily."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.web.app import create_app
from sevenbag.web.connections import Connections
from sevenbag.web.guard import Guard
from sevenbag.web.room import Room
from sevenbag.web.serving import Serving
from sevenbag.web.shelf import Shelf
from sevenbag.web.tunnel import LONGEST_FRAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
