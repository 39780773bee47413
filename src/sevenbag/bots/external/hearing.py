"""Messages among the lines that a foreign bot prints, whatever protocol it speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from sevenbag.errors import BotProtocolError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.external.bot_channel import Channel

MessageT = TypeVar("MessageT")

_MOST_SKIPPED: Final = 1000
"""Lines in a row that are no messages, before a bot is given up."""
_QUOTED: Final = 60


class Hearing(Generic[MessageT]):
    """Reads what comes through one channel.

    Attributes:
        skipped: lines that came and are no messages.
    """

    def __init__(self, channel: Channel, decode: Callable[[bytes], MessageT | None]) -> None:
        """Nothing is read yet.

        Args:
            channel: where lines come from.
            decode: the message in a line; None for what is to be passed over. It may raise
                `ProtocolError`.
        """
        self.skipped = 0
        self._channel = channel
        self._decode = decode
        self._last_skipped = b""

    async def next(self) -> MessageT:
        """The next message. Lines that hold none are passed over, but not for ever.

        Raises:
            BotDiedError: nothing more will come.
            BotProtocolError: a message makes no sense, or lines that are none do not end.
        """
        line = b""
        for _ in range(_MOST_SKIPPED):
            line = await self._channel.receive()
            message = self.decoded(line)
            if message is not None:
                return message
        raise BotProtocolError(
            self._channel.name,
            f"printed {_MOST_SKIPPED} lines that are no messages, such as {_quoted(line)}",
        )

    def decoded(self, line: bytes) -> MessageT | None:
        """The message in a line that has come; None for what is to be passed over.

        Raises:
            BotProtocolError: it makes no sense.
        """
        try:
            message = self._decode(line)
        except ProtocolError as error:
            raise BotProtocolError(self._channel.name, str(error)) from error
        if message is None and line.strip():
            self.skipped += 1
            self._last_skipped = line
        return message

    def hints(self, before: int) -> list[str]:
        """What came instead of what was awaited; so many lines had been passed over before."""
        found: list[str] = []
        lines = self.skipped - before
        if lines:
            what = "line that is no message" if lines == 1 else "lines that are no messages"
            found.append(f"passed over {lines} {what}, such as {_quoted(self._last_skipped)}")
        begun = self._channel.unfinished()
        if begun:
            found.append(f"{begun} bytes came without a line end")
        return found


# --- helpers ------------------------------------------------------------------------------------


def _quoted(line: bytes) -> str:
    text = line[:_QUOTED].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > _QUOTED else "")
