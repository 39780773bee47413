"""WebSocket of text messages with one error for a lost connection."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from litestar.exceptions import WebSocketDisconnect

if TYPE_CHECKING:
    from litestar import WebSocket

NORMAL_CLOSURE: Final = 1000


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

    async def close(self, code: int = NORMAL_CLOSURE, reason: str = "") -> None:
        """Close the socket, unless it is closed already."""
        with contextlib.suppress(*_CLOSED):
            await self._socket.close(code, reason)


# --- helpers ------------------------------------------------------------------------------------

# uvicorn raises OSError or RuntimeError for a socket that was closed in the meantime.
_CLOSED: Final = (OSError, RuntimeError, WebSocketDisconnect)
