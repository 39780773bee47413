"""What carries messages to a foreign bot and back: a process, a socket, a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Literal, Protocol, TypeVar

from sevenbag.errors import BotProtocolError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LAUNCH_TIMEOUT: Final = 30.0
"""Seconds that a channel may take to open; browsers start slowly."""

Transport = Literal["stdio", "websocket", "page"]


class BotChannel(Protocol):
    """One message at a time, each as the bytes of one JSON object.

    Attributes:
        name: by which errors call the bot.
    """

    name: str

    @property
    def transport(self) -> Transport:
        """What carries the messages: lines through pipes, frames of a socket, a page's worker."""
        ...

    @property
    def pid(self) -> int | None:
        """Number of the process behind it, if there is one of ours."""
        ...

    @property
    def running(self) -> bool:
        """Whether the bot can still be spoken to."""
        ...

    @property
    def stderr(self) -> str:
        """The last of what the bot said to others than us."""
        ...

    async def send(self, data: bytes) -> None:
        """Say one message; a line end at its end is of no matter to those that know none.

        Raises:
            BotDiedError: nobody is there.
            BotTimeoutError: nobody has listened for long.
        """
        ...

    async def receive(self) -> bytes:
        """What is said next. Waits as long as it takes.

        Raises:
            BotDiedError: nothing more will come.
            BotProtocolError: it was longer than 1 MiB.
        """
        ...

    async def receive_available(self) -> list[bytes]:
        """What has been said already.

        Raises:
            BotProtocolError: something of it was longer than 1 MiB.
        """
        ...

    def pending_bytes(self) -> int:
        """Bytes of a message whose end has not come."""
        ...

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """End it: nothing of it is left. May be called again.

        Args:
            last_message: last words to it.
            grace_seconds: seconds to leave by itself.
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
"""Lines in a row that are no messages, before a bot is given up."""
_MAX_QUOTED_BYTES: Final = 60


class MessageReader(Generic[MessageT]):
    """Reads what comes through one channel.

    Attributes:
        skipped: lines that came and are no messages.
    """

    def __init__(self, channel: BotChannel, decode: Callable[[bytes], MessageT | None]) -> None:
        """Nothing is read yet.

        Args:
            channel: where lines come from.
            decode: the message in a line; None for what is to be passed over. It may raise
                `ProtocolError`.
        """
        self.skipped_lines = 0
        self._channel = channel
        self._decode = decode
        self._last_skipped = b""

    async def receive(self) -> MessageT:
        """The next message. Lines that hold none are passed over, but not for ever.

        Raises:
            BotDiedError: nothing more will come.
            BotProtocolError: a message makes no sense, or lines that are none do not end.
        """
        line = b""
        for _ in range(_MAX_SKIPPED_LINES):
            line = await self._channel.receive()
            message = self.decode(line)
            if message is not None:
                return message
        raise BotProtocolError(
            self._channel.name,
            f"printed {_MAX_SKIPPED_LINES} lines that are no messages, such as {_quote(line)}",
        )

    def decode(self, line: bytes) -> MessageT | None:
        """The message in a line that has come; None for what is to be passed over.

        Raises:
            BotProtocolError: it makes no sense.
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
        """What came instead of what was awaited; so many lines had been passed over before."""
        found: list[str] = []
        lines = self.skipped_lines - before
        if lines:
            what = "line that is no message" if lines == 1 else "lines that are no messages"
            found.append(f"passed over {lines} {what}, such as {_quote(self._last_skipped)}")
        begun = self._channel.pending_bytes()
        if begun:
            found.append(f"{begun} bytes came without a line end")
        return found


# --- helpers --------------------------------------------------------------------------------------


def _quote(line: bytes) -> str:
    text = line[:_MAX_QUOTED_BYTES].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > _MAX_QUOTED_BYTES else "")
