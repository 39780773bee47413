"""Parts of the adapters of all protocols: message inbox, questions and updates of a bot."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeAlias, TypeVar

from sevenbag.bots.bot import Suggestion
from sevenbag.errors import SevenbagError
from sevenbag.protocols import bot_actions

if TYPE_CHECKING:
    from sevenbag.bots.bot import Bot, Limits

STALE_ANSWER_GRACE: Final = 1.0
"""Seconds that a bot gets to finish a thought when what follows is already known."""

MessageT = TypeVar("MessageT")

SendLine: TypeAlias = Callable[[bytes], None]
"""Sends one line with its end, now.

Raises:
    OutputClosedError: it cannot be sent.
"""


class OutputClosedError(Exception):
    """The transport failed, not the bot."""


class LineReceiver(Protocol):
    """A receiver of single lines."""

    def add_line(self, line: bytes | None) -> None:
        """Take a line that has arrived; None for one that was too long."""
        ...

    def close(self) -> None:
        """Mark the end of the input."""
        ...


class BotAdapter(Protocol):
    """One bot, served to one other program, from the introduction to the end."""

    @property
    def inbox(self) -> LineReceiver:
        """The receiver of the input."""
        ...

    async def run(self) -> None:
        """Serve until told to quit or until the input ends; the caller ends the bot.

        Raises:
            OutputClosedError: an answer cannot be sent.
        """
        ...


AdapterFactory: TypeAlias = "Callable[[Bot, SendLine], BotAdapter]"
"""Begins to serve a bot, which is not yet prepared."""


class MessageInbox(abc.ABC, Generic[MessageT]):
    """Messages that have arrived; reading and the bot do not wait for each other."""

    def __init__(self) -> None:
        self._messages: deque[MessageT] = deque()
        self._changed = asyncio.Event()
        self._stale = asyncio.Event()
        self._closed = False

    @abc.abstractmethod
    def parse(self, line: bytes | None) -> MessageT | None:
        """Decode a line (None for one that was too long); None if it holds no message."""

    @abc.abstractmethod
    def is_superseding(self, heard: MessageT) -> bool:
        """Return True if the message makes the current question obsolete."""

    def add_line(self, line: bytes | None) -> None:
        """Take a line that has arrived; None for one that was too long."""
        heard = self.parse(line)
        if heard is not None:
            self._messages.append(heard)
            if self.is_superseding(heard):
                self._stale.set()
            self._changed.set()

    def close(self) -> None:
        """Mark the end of the input."""
        self._closed = True
        self._stale.set()
        self._changed.set()

    async def get(self) -> MessageT | None:
        """Wait for the next message; None at the end of the input."""
        while not self._messages and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        heard = self._messages.popleft() if self._messages else None
        if not self._closed and not any(map(self.is_superseding, self._messages)):
            self._stale.clear()
        return heard

    async def wait_until_stale(self, task: asyncio.Task[Suggestion]) -> None:
        """Wait until the task is done or a message makes its result obsolete."""
        waiting: asyncio.Task[object] = asyncio.ensure_future(self._stale.wait())
        try:
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()


async def ask_until_stale(bot: Bot, limits: Limits, inbox: MessageInbox[MessageT]) -> Suggestion:
    """Ask the bot; return no moves if its question became obsolete meanwhile."""
    task = asyncio.ensure_future(bot.suggest(limits))
    try:
        await inbox.wait_until_stale(task)
        if not task.done():
            await asyncio.wait({task}, timeout=STALE_ANSWER_GRACE)
        return task.result() if task.done() else Suggestion(())
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def update_bot(bot: Bot, action: object) -> None:
    """Pass an action on to the bot if it concerns the bot."""
    match action:
        case bot_actions.StartAction(position):
            await bot.start(position)
        case bot_actions.PlayAction(placement):
            await bot.play(placement)
        case bot_actions.NewPieceAction(piece):
            await bot.new_piece(piece)
        case bot_actions.OpponentsAction(opponents):
            await bot.opponents(opponents)
        case bot_actions.GarbageAction(pending):
            await bot.garbage(pending)
        case bot_actions.StopAction():
            await bot.stop()
        case _:
            pass


def log(text: str) -> None:
    """Print a log line on standard error."""
    with contextlib.suppress(OSError):
        print(f"sevenbag serve: {text}", file=sys.stderr, flush=True)


def describe_error(error: Exception) -> str:
    """Describe any exception of a bot in one line."""
    return str(error) if isinstance(error, SevenbagError) else f"{type(error).__name__}: {error}"
