"""WebSocket connection to a page: events for the page, and messages of the workers in it.

A frame is either JSON, for the page itself, or a number, a space and the text of a worker's
message. The number identifies one start of a worker, so that a late message of a stopped worker is
not attributed to its successor.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from sevenbag.bots.external.bot_channel import BotChannel, ChannelLauncher
from sevenbag.errors import BotDiedError, BotError, BotProtocolError, BotTimeoutError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES
from sevenbag.web.core.http_server import SocketClosedError, TextSocket

MAX_FRAME_BYTES: Final = MAX_LINE_BYTES + 16
"""Size of the longest message of a worker, with its number."""
_MAX_UNSENT: Final = 256
"""Number of unsent frames at which messages to workers have to wait."""
_SEND_TIMEOUT: Final = 5.0
"""Time in seconds that a message to a worker may wait."""
_UPDATE_INTERVAL: Final = 1 / 30
"""Time in seconds between two updates of the page."""
# The socket is shared by all workers of a page, so it is read even if a bot does not read its
# messages. These limits bound the messages that are kept for one worker.
_MAX_UNREAD: Final = 1024
_MAX_UNREAD_BYTES: Final = 4 << 20
_MAX_ERROR_LENGTH: Final = 300


class StartWorkerEvent(msgspec.Struct, frozen=True, tag_field="event", tag="start_worker"):
    """Request to start the worker of a player under a number."""

    number: int
    player: int


class StopWorkerEvent(msgspec.Struct, frozen=True, tag_field="event", tag="stop_worker"):
    """Request to stop the worker of a number."""

    number: int


class WorkerFailedCommand(msgspec.Struct, frozen=True, tag_field="command", tag="worker_failed"):
    """Report of the page that a worker failed."""

    number: int
    reason: str


class StopMatchCommand(msgspec.Struct, frozen=True, tag_field="command", tag="stop"):
    """Request of the visitor to stop the match."""


class PageConnection:
    """Connection to one page.

    Attributes:
        stop_requested: set when the visitor wants to stop the match.
    """

    def __init__(self, socket: TextSocket) -> None:
        self.stop_requested = asyncio.Event()
        self._socket = socket
        self._unsent: deque[str] = deque()
        self._work_added = asyncio.Event()
        self._frame_sent = asyncio.Event()
        self._make_update: Callable[[], msgspec.Struct] | None = None
        self._channels: dict[int, WorkerChannel] = {}
        self._starts = 0
        self._error = ""

    def send_event(self, event: msgspec.Struct) -> None:
        """Queue an event that the page must receive."""
        self._queue_frame(_ENCODER.encode(event).decode())

    def send_final_event(self, event: msgspec.Struct) -> None:
        """Queue the last event of a match; no update follows it."""
        self._make_update = None
        self.send_event(event)

    def schedule_update(self, make_update: Callable[[], msgspec.Struct]) -> None:
        """Send an update when the page can take one; it replaces an update not yet sent."""
        self._make_update = make_update
        self._work_added.set()

    def worker_launcher(self, player: int) -> ChannelLauncher:
        """Return the function that opens a channel to the worker of a player."""

        async def launch(name: str) -> WorkerChannel:
            self._starts += 1
            number = self._starts
            channel = WorkerChannel(name, number, self)
            self._channels[number] = channel
            self.send_event(StartWorkerEvent(number, player))
            return channel

        return launch

    async def send_to_worker(self, number: int, name: str, text: str) -> None:
        """Queue a message to a worker.

        Raises:
            BotDiedError: the page is closed.
            BotTimeoutError: the page does not read its socket.
        """
        try:
            async with asyncio.timeout(_SEND_TIMEOUT):
                while len(self._unsent) >= _MAX_UNSENT and not self._error:
                    self._frame_sent.clear()
                    await self._frame_sent.wait()
        except TimeoutError:
            raise BotTimeoutError(name, "its page does not read its messages") from None
        if self._error:
            raise BotDiedError(name, self._error)
        self._queue_frame(f"{number} {text}")

    def stop_worker(self, number: int) -> None:
        """Have the page stop a worker."""
        if self._channels.pop(number, None) is not None:
            self.send_event(StopWorkerEvent(number))

    async def run(self) -> None:
        """Send and receive frames until the page is closed."""
        tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._error = self._error or "its page was closed"
            for channel in self._channels.values():
                channel.fail(self._error)
            self._frame_sent.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def flush(self, timeout: float) -> None:  # noqa: ASYNC109  # not an error
        """Wait until all frames are sent, the page is closed or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while self._unsent and not self._error:
                    self._frame_sent.clear()
                    await self._frame_sent.wait()

    def _queue_frame(self, frame: str) -> None:
        if not self._error:
            self._unsent.append(frame)
            self._work_added.set()

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            left = due - loop.time() if self._make_update is not None else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._work_added.wait()
            self._work_added.clear()
            try:
                while self._unsent:
                    await self._socket.send(self._unsent[0])
                    self._unsent.popleft()
                    self._frame_sent.set()
                if self._make_update is not None and loop.time() >= due:
                    make_update, self._make_update = self._make_update, None
                    await self._socket.send(_ENCODER.encode(make_update()).decode())
                    due = loop.time() + _UPDATE_INTERVAL
            except SocketClosedError:
                return

    async def _receive(self) -> None:
        with contextlib.suppress(SocketClosedError):
            while not self._error:
                self._handle_frame(await self._socket.receive())

    def _handle_frame(self, frame: str) -> None:
        number, _, text = frame.partition(" ")
        if number.isdecimal() and len(number) < 10:
            channel = self._channels.get(int(number))
            if channel is not None:
                channel.deliver(text)
            return
        try:
            command = _COMMANDS.decode(frame)
        except (msgspec.DecodeError, UnicodeError):
            self._error = "its page has sent an invalid command"
            return
        if isinstance(command, StopMatchCommand):
            self.stop_requested.set()
            return
        channel = self._channels.get(command.number)
        if channel is not None:
            reason = command.reason[:_MAX_ERROR_LENGTH]
            channel.fail(f"its script failed: {reason}", reason)


class WorkerChannel(BotChannel):
    """Channel to one start of a worker."""

    transport = "page"

    def __init__(self, name: str, number: int, connection: PageConnection) -> None:
        super().__init__(name)
        self._number = number
        self._connection = connection
        self._error: BotError = BotDiedError(name, "was ended")

    async def send(self, data: bytes) -> None:
        """Send messages, one per line."""
        if self._ended:
            raise self._error
        for line in data.splitlines():
            await self._connection.send_to_worker(self._number, self.name, line.decode())

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Send the last message, then have the page stop the worker."""
        if last_message and not self._ended:
            with contextlib.suppress(BotError):
                await self.send(last_message)
                # The page then stops the worker, so a short time is enough.
                await asyncio.sleep(min(grace_seconds, 0.05))
        self._end(self._error)
        self._connection.stop_worker(self._number)

    def deliver(self, text: str) -> None:
        """Add a message that the page has sent."""
        message = text.encode("utf-8", "replace")
        if self._ended:
            return
        unread_bytes = sum(len(unread or b"") for unread in self._queue) + len(message)
        if len(self._queue) >= _MAX_UNREAD or unread_bytes > _MAX_UNREAD_BYTES:
            what = f"posted {len(self._queue)} messages that were not requested"
            self._end(BotProtocolError(self.name, what))
        else:
            self._queue.append(message if len(message) <= MAX_LINE_BYTES else None)
            self._wake()

    def fail(self, reason: str, script_error: str = "") -> None:
        """Mark the worker as ended."""
        if not self._ended:
            self._stderr += script_error.encode()
            self._end(BotDiedError(self.name, reason))

    def _end(self, error: BotError) -> None:
        self._error = error
        self._ended = True
        self._wake()

    async def _create_end_error(self) -> BotError:
        return self._error


_ENCODER: Final = msgspec.json.Encoder()
_COMMANDS: Final = msgspec.json.Decoder(WorkerFailedCommand | StopMatchCommand)
