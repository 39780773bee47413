"""Bots behind WebSockets: one JSON object per text frame."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections import deque
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    MissingExtraError,
    printable,
)
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from types import ModuleType

    from websockets.asyncio.connection import Connection

    from sevenbag.bots.external.bot_channel import ChannelLauncher, Transport

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
            raise BotStartError(
                name, f"{url} does not speak WebSocket: {_describe_error(error)}"
            ) from None
        except TimeoutError:
            what = f"{url} does not answer within {_CONNECT_TIMEOUT:g} s"
            raise BotStartError(name, what) from None
        except OSError as error:
            what = f"cannot connect to {url}: {_explain_os_error(error)}"
            raise BotStartError(name, what) from None
        except (ValueError, websockets.exceptions.WebSocketException) as error:
            raise BotStartError(
                name, f"cannot connect to {url}: {_describe_error(error)}"
            ) from None
        return WebSocketChannel(connection, name)

    return launch


def import_websockets() -> ModuleType:
    """Import the package websockets.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        for part in ("client", "server"):
            importlib.import_module(f"websockets.asyncio.{part}")
        return importlib.import_module("websockets")
    except ImportError as error:
        raise MissingExtraError(
            "bots behind WebSockets need the package websockets: pip install 'sevenbag[sockets]'"
        ) from error


class WebSocketChannel:
    """A bot behind a WebSocket; see `sevenbag.bots.external.bot_channel.BotChannel`.

    Attributes:
        name: name of the bot in errors.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        """Start to read from an open connection."""
        self.name = name
        self.stderr = ""
        self._connection = connection
        self._frames: deque[bytes | None] = deque()
        self._frame_arrived = asyncio.Event()
        self._queue_drained = asyncio.Event()
        self._ended = ""
        self._discard = False
        self._reader = asyncio.create_task(self._read())

    @property
    def transport(self) -> Transport:
        """Frames of a WebSocket."""
        return "websocket"

    @property
    def pid(self) -> int | None:
        """None: the process is unknown."""
        return None

    @property
    def running(self) -> bool:
        """True while the connection is open."""
        return not self._ended

    async def send(self, data: bytes) -> None:
        """Send a message as a text frame."""
        import websockets  # noqa: PLC0415

        if self._ended:
            raise self._create_end_error()
        try:
            async with asyncio.timeout(_SEND_TIMEOUT):
                for line in data.splitlines():
                    await self._connection.send(line.decode())
        except TimeoutError:
            raise BotTimeoutError(self.name, "does not read what is sent to it") from None
        except websockets.exceptions.ConnectionClosed:
            await asyncio.wait({self._reader}, timeout=1.0)
            raise self._create_end_error() from None

    async def receive(self) -> bytes:
        """Wait for the next frame."""
        while not self._frames:
            if self._ended:
                raise self._create_end_error()
            self._frame_arrived.clear()
            await self._frame_arrived.wait()
        return self._next_frame()

    async def receive_available(self) -> list[bytes]:
        """Return the frames that have arrived."""
        # The event loop needs a few iterations to deliver received frames.
        for _ in range(4):
            await asyncio.sleep(0)
        frames: list[bytes] = []
        while self._frames:
            frames.append(self._next_frame())
        return frames

    def pending_bytes(self) -> int:
        """Return 0: frames arrive complete."""
        return 0

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Send the last message, give the server time to close, then close."""
        # Discard further frames, but read them: otherwise the end would not be seen.
        self._discard = True
        self._frames.clear()
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

    def _next_frame(self) -> bytes:
        frame = self._frames.popleft()
        self._queue_drained.set()
        if frame is None:
            raise _create_length_error(self.name)
        return frame

    async def _read(self) -> None:
        import websockets  # noqa: PLC0415

        try:
            while True:
                frame: str | bytes = await self._connection.recv()
                self._add_frame(frame.encode() if isinstance(frame, str) else frame)
                while len(self._frames) >= _MAX_FRAMES_AHEAD:
                    self._queue_drained.clear()
                    await self._queue_drained.wait()
        except websockets.exceptions.ConnectionClosed as closed:
            sent = closed.sent
            if sent is not None and sent.code == 1009:
                self._add_frame(None)
            self._ended = _describe_close(closed)
        finally:
            self._ended = self._ended or "the connection was closed"
            self._frame_arrived.set()

    def _add_frame(self, frame: bytes | None) -> None:
        if not self._discard:
            self._frames.append(frame)
            self._frame_arrived.set()

    def _create_end_error(self) -> BotError:
        if None in self._frames:
            return _create_length_error(self.name)
        return BotDiedError(self.name, self._ended)


def _create_length_error(name: str) -> BotProtocolError:
    return BotProtocolError(name, f"sent a frame longer than {MAX_LINE_BYTES} bytes")


def _describe_close(closed: Any) -> str:
    frame = closed.rcvd
    if frame is None:
        return "the connection was lost"
    reason = printable(frame.reason)[:_MAX_REASON_LENGTH]
    return f"closed the connection ({frame.code}{': ' + reason if reason else ''})"


def _describe_error(error: Exception) -> str:
    return printable(str(error))[:_MAX_REASON_LENGTH]


def _explain_os_error(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return error.strerror or _describe_error(error)
