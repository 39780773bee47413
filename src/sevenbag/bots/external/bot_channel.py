"""Channels that carry messages to an external bot: a process, a WebSocket or a worker."""

from __future__ import annotations

import abc
import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeAlias

from sevenbag.errors import BotError, BotProtocolError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

LAUNCH_TIMEOUT: Final = 30.0
"""Seconds that a channel may take to open; browsers start slowly."""
_LOOP_ITERATIONS: Final = 4
"""Rounds of the event loop: to see that there is something, to read it, to deliver it; one more."""

Transport = Literal["stdio", "websocket", "page"]
"""Lines through pipes, WebSocket frames, or a page's worker."""


class BotChannel(abc.ABC):
    """A connection that carries one JSON object per message, as bytes, and queues received ones.

    Attributes:
        was_terminated: whether `close` had to end the bot's process with a signal.
    """

    transport: Transport
    _message_noun = "message"

    def __init__(self, name: str) -> None:
        self.name = name
        self.was_terminated = False
        # None stands for a message that was too long.
        self._queue: deque[bytes | None] = deque()
        self._stderr = bytearray()
        self._ended = False
        self._waiter: asyncio.Future[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process ID and process group ID of the bot if this process started it."""
        return None

    @property
    def exit_code(self) -> int | None:
        """Exit code of the bot's process: negative for a signal, None if it runs or is unknown."""
        return None

    @property
    def running(self) -> bool:
        """True while messages can be sent to the bot."""
        return not self._ended

    @property
    def stderr(self) -> str:
        """The end of the bot's standard error or log output."""
        return bytes(self._stderr).decode("utf-8", "replace")

    @abc.abstractmethod
    async def send(self, data: bytes) -> None:
        """Send one message; channels without lines ignore a line end.

        Messages of one iteration of the event loop may be sent together.

        Raises:
            BotDiedError: the bot has ended.
            BotTimeoutError: the bot has not read its input for long.
        """

    async def receive(self) -> bytes:
        """Wait for the next message, without a time limit.

        Raises:
            BotDiedError: no more messages will come.
            BotProtocolError: a message is longer than 1 MiB.
        """
        while not self._queue:
            if self._ended:
                raise await self._create_end_error()
            self._flush()
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._take()

    async def receive_available(self) -> list[bytes]:
        """Return the messages that have arrived.

        Raises:
            BotProtocolError: a message is longer than 1 MiB.
        """
        for _ in range(_LOOP_ITERATIONS):
            await asyncio.sleep(0)
        return [self._take() for _ in range(len(self._queue))]

    def pending_bytes(self) -> int:
        """Return the number of bytes of an incomplete message."""
        return 0

    @abc.abstractmethod
    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Close the channel and end the bot; may be called again.

        Args:
            last_message: message to send before the end.
            grace_seconds: time for the bot to exit by itself.
        """

    @abc.abstractmethod
    async def _create_end_error(self) -> BotError:
        """Describe the end of the bot."""

    def _update_flow_control(self) -> None:  # noqa: B027  # may be ignored
        """Pause or resume reading after the queue has changed."""

    def _flush(self) -> None:  # noqa: B027  # may be ignored
        """Write the messages that wait to be sent together."""

    def _take(self) -> bytes:
        message = self._queue.popleft()
        self._update_flow_control()
        if message is None:
            raise self._create_length_error()
        return message

    def _create_length_error(self) -> BotProtocolError:
        text = f"sent a {self._message_noun} longer than {MAX_LINE_BYTES} bytes"
        return BotProtocolError(self.name, text)

    def _wake(self) -> None:
        """Wake `receive` because a message or the end has arrived."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


ChannelLauncher: TypeAlias = Callable[[str], Awaitable[BotChannel]]
"""Opens a channel to a bot that errors are to call by this name.

Raises:
    BotStartError: it cannot be opened.
"""
