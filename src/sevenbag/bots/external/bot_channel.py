"""Channels that carry messages to an external bot: a process, a WebSocket or a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Literal, Protocol, TypeVar

from sevenbag.errors import BotProtocolError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LAUNCH_TIMEOUT: Final = 30.0
"""Seconds that a channel may take to open; browsers start slowly."""

Transport = Literal["stdio", "websocket", "page"]


class BotChannel(Protocol):
    """A connection that carries one JSON object per message, as bytes.

    Attributes:
        name: name of the bot in errors.
    """

    name: str

    @property
    def transport(self) -> Transport:
        """The transport: lines through pipes, WebSocket frames, or a page's worker."""
        ...

    @property
    def pid(self) -> int | None:
        """Process ID of the bot if this process started it."""
        ...

    @property
    def running(self) -> bool:
        """True while messages can be sent to the bot."""
        ...

    @property
    def stderr(self) -> str:
        """The end of the bot's standard error or log output."""
        ...

    async def send(self, data: bytes) -> None:
        """Send one message; channels without lines ignore a line end.

        Raises:
            BotDiedError: the bot has ended.
            BotTimeoutError: the bot has not read its input for long.
        """
        ...

    async def receive(self) -> bytes:
        """Wait for the next message, without a time limit.

        Raises:
            BotDiedError: no more messages will come.
            BotProtocolError: a message is longer than 1 MiB.
        """
        ...

    async def receive_available(self) -> list[bytes]:
        """Return the messages that have arrived.

        Raises:
            BotProtocolError: a message is longer than 1 MiB.
        """
        ...

    def pending_bytes(self) -> int:
        """Return the number of bytes of an incomplete message."""
        ...

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Close the channel and end the bot; may be called again.

        Args:
            last_message: message to send before the end.
            grace_seconds: time for the bot to exit by itself.
        """
        ...


if TYPE_CHECKING:
    ChannelLauncher = Callable[[str], Awaitable[BotChannel]]
    """Opens a channel to a bot that errors are to call by this name.

    Raises:
        BotStartError: it cannot be opened.
    """


MessageT = TypeVar("MessageT")

_MAX_SKIPPED_LINES: Final = 1000
"""Maximum lines in a row that are not messages."""
_MAX_QUOTED_BYTES: Final = 60


class MessageReader(Generic[MessageT]):
    """Reads the messages of one channel.

    Attributes:
        skipped_lines: number of lines that were not messages.
    """

    def __init__(self, channel: BotChannel, decode: Callable[[bytes], MessageT | None]) -> None:
        """Create a reader; nothing is read yet.

        Args:
            channel: source of the lines.
            decode: decodes a line; None for lines to skip. It may raise `ProtocolError`.
        """
        self.skipped_lines = 0
        self._channel = channel
        self._decode = decode
        self._last_skipped = b""

    async def receive(self) -> MessageT:
        """Return the next message and skip a limited number of other lines.

        Raises:
            BotDiedError: no more messages will come.
            BotProtocolError: a message is invalid, or too many lines are not messages.
        """
        line = b""
        for _ in range(_MAX_SKIPPED_LINES):
            line = await self._channel.receive()
            message = self.decode(line)
            if message is not None:
                return message
        raise BotProtocolError(
            self._channel.name,
            f"printed {_MAX_SKIPPED_LINES} lines that are not messages, such as {_quote(line)}",
        )

    def decode(self, line: bytes) -> MessageT | None:
        """Decode a line; None if it is to be skipped.

        Raises:
            BotProtocolError: the message is invalid.
        """
        try:
            message = self._decode(line)
        except ProtocolError as error:
            raise BotProtocolError(self._channel.name, str(error)) from error
        if message is None and line.strip():
            self.skipped_lines += 1
            self._last_skipped = line
        return message

    def describe_problems(self, before: int) -> list[str]:
        """Describe unusable output since the counter had the given value."""
        found: list[str] = []
        lines = self.skipped_lines - before
        if lines:
            what = "line that is not a message" if lines == 1 else "lines that are not messages"
            found.append(f"skipped {lines} {what}, such as {_quote(self._last_skipped)}")
        pending = self._channel.pending_bytes()
        if pending:
            found.append(f"{pending} bytes came without a line end")
        return found


def _quote(line: bytes) -> str:
    text = line[:_MAX_QUOTED_BYTES].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > _MAX_QUOTED_BYTES else "")
