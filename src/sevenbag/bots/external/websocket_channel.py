"""Bots behind WebSockets: one JSON object per text frame."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sevenbag.bots.external.bot_channel import BotChannel, ChannelLauncher, Transport
from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotStartError,
    BotTimeoutError,
    MissingExtraError,
    printable,
)
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from websockets.asyncio.connection import Connection


_MAX_FRAMES_AHEAD: Final = 256
"""Maximum frames that are read ahead; further frames wait in the connection."""
_CONNECT_TIMEOUT: Final = 10.0
_SEND_TIMEOUT: Final = 5.0
"""Seconds for a message to be sent."""
_CLOSE_TIMEOUT: Final = 2.0
_MAX_REASON_LENGTH: Final = 200


def is_websocket_url(text: str) -> bool:
    """Return True if the text is a WebSocket URL."""
    return text.lower().startswith(("ws://", "wss://"))


def create_websocket_launcher(url: str) -> ChannelLauncher:
    """Return a launcher for a bot behind this URL.

    Raises:
        BotStartError: the URL is invalid.
        MissingExtraError: the package websockets is not installed.
    """
    websockets = import_websockets()
    parts = urlsplit(url)
    if not is_websocket_url(url) or not parts.hostname or parts.fragment:
        raise BotStartError(url, "is no address of a WebSocket, such as ws://localhost:7717")

    async def launch(name: str) -> WebSocketChannel:
        try:
            connection = await websockets.asyncio.client.connect(
                url, max_size=MAX_LINE_BYTES, open_timeout=_CONNECT_TIMEOUT, proxy=None
            )
        except websockets.exceptions.InvalidHandshake as error:
            what = f"{url} does not speak WebSocket: {_describe_error(error)}"
        except TimeoutError:
            what = f"{url} does not answer within {_CONNECT_TIMEOUT:g} s"
        except (OSError, ValueError, websockets.exceptions.WebSocketException) as error:
            what = f"cannot connect to {url}: {_describe_error(error)}"
        else:
            return WebSocketChannel(connection, name)
        raise BotStartError(name, what)

    return launch


def import_websockets() -> ModuleType:
    """Import the package websockets; `MissingExtraError` if it is not installed."""
    try:
        for part in ("client", "server"):
            importlib.import_module(f"websockets.asyncio.{part}")
        return importlib.import_module("websockets")
    except ImportError as error:
        raise MissingExtraError(
            "bots behind WebSockets need the package websockets: pip install 'sevenbag[sockets]'"
        ) from error


class WebSocketChannel(BotChannel):
    """A bot behind a WebSocket."""

    transport: Transport = "websocket"
    _message_noun = "frame"

    def __init__(self, connection: Connection, name: str) -> None:
        """Start to read from an open connection."""
        super().__init__(name)
        self._connection = connection
        self._queue_drained = asyncio.Event()
        self._end_reason = "the connection was closed"
        self._discard = False
        self._reader = asyncio.create_task(self._read())

    async def send(self, data: bytes) -> None:
        """Send a message as a text frame."""
        import websockets  # noqa: PLC0415

        if self._ended:
            raise await self._create_end_error()
        try:
            async with asyncio.timeout(_SEND_TIMEOUT):
                for line in data.splitlines():
                    await self._connection.send(line.decode())
        except TimeoutError:
            raise BotTimeoutError(self.name, "does not read what is sent to it") from None
        except websockets.exceptions.ConnectionClosed:
            await asyncio.wait({self._reader}, timeout=1.0)
            raise await self._create_end_error() from None

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Send the last message, give the server time to close, then close."""
        # Discard further frames, but read them: otherwise the end would not be seen.
        self._discard = True
        self._queue.clear()
        self._queue_drained.set()
        if not self._ended and last_message:
            with contextlib.suppress(BotError):
                await self.send(last_message)
                await asyncio.wait({self._reader}, timeout=grace_seconds)
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._connection.close()
        except TimeoutError:
            pass
        finally:
            # Abort the connection if it is not closed in time.
            self._connection.transport.abort()
            self._reader.cancel()
        await asyncio.wait({self._reader}, timeout=1.0)

    async def _read(self) -> None:
        import websockets  # noqa: PLC0415

        try:
            while True:
                frame: str | bytes = await self._connection.recv()
                self._add_frame(frame.encode() if isinstance(frame, str) else frame)
                while len(self._queue) >= _MAX_FRAMES_AHEAD:
                    self._queue_drained.clear()
                    await self._queue_drained.wait()
        except websockets.exceptions.ConnectionClosed as closed:
            sent = closed.sent
            if sent is not None and sent.code == 1009:
                self._add_frame(None)
            self._end(_describe_close(closed))
        finally:
            self._end()

    def _add_frame(self, frame: bytes | None) -> None:
        if not self._discard:
            self._queue.append(frame)
            self._wake()

    def _end(self, reason: str = "") -> None:
        if not self._ended:
            self._ended = True
            self._end_reason = reason or self._end_reason
        self._wake()

    def _update_flow_control(self) -> None:
        self._queue_drained.set()

    async def _create_end_error(self) -> BotError:
        if None in self._queue:
            return self._create_length_error()
        return BotDiedError(self.name, self._end_reason)


def _describe_close(closed: Any) -> str:
    frame = closed.rcvd
    if frame is None:
        return "the connection was lost"
    reason = printable(frame.reason)[:_MAX_REASON_LENGTH]
    return f"closed the connection ({frame.code}{': ' + reason if reason else ''})"


def _describe_error(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return printable(text)[:_MAX_REASON_LENGTH]
