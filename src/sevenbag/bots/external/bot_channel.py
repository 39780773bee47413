"""What carries messages to a foreign bot and back: a process, a socket, a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

LONGEST_LAUNCH: Final = 30.0
"""Seconds that a channel may take to open; browsers start slowly."""

Carrier = Literal["lines", "socket", "page"]

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Channel(Protocol):
    """One message at a time, each as the bytes of one JSON object.

    Attributes:
        name: by which errors call the bot.
    """

    name: str

    @property
    def carrier(self) -> Carrier:
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

    async def take_waiting(self) -> list[bytes]:
        """What has been said already.

        Raises:
            BotProtocolError: something of it was longer than 1 MiB.
        """
        ...

    def unfinished(self) -> int:
        """Bytes of a message whose end has not come."""
        ...

    async def close(self, farewell: bytes = b"", grace: float = 1.0) -> None:
        """End it: nothing of it is left. May be called again.

        Args:
            farewell: last words to it.
            grace: seconds to leave by itself.
        """
        ...


if TYPE_CHECKING:
    Launch = Callable[[str], Awaitable[Channel]]
    """Opens a channel to a bot that errors are to call by this name.

    Raises:
        BotStartError: it cannot be opened.
    """
