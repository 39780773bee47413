"""What serving a bot takes, whatever the protocol: hearing while it thinks, letting it know."""

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

HURRY: Final = 1.0
"""Seconds that a bot gets to finish a thought when what follows is already known."""

Heard = TypeVar("Heard")

Say: TypeAlias = Callable[[bytes], None]
"""Sends one line with its end, now.

Raises:
    LostOutputError: it cannot be sent.
"""


class LostOutputError(Exception):
    """What carries the messages failed, and not the bot."""


class Ear(Protocol):
    """Somebody who is told line by line."""

    def hear(self, line: bytes | None) -> None:
        """Take a line that has come; None for one that was too long."""
        ...

    def close(self) -> None:
        """No more will come."""
        ...


class Service(Protocol):
    """One bot, served to one other program, from the introduction to the end."""

    @property
    def inbox(self) -> Ear:
        """Who is told what comes."""
        ...

    async def run(self) -> None:
        """Serve until told to quit, or until no more will be said; the bot is left to the caller.

        Raises:
            LostOutputError: an answer cannot be sent.
        """
        ...


Serve: TypeAlias = "Callable[[Bot, Say], Service]"
"""Begins to serve a bot, which is not yet prepared."""


class Inbox(abc.ABC, Generic[Heard]):
    """Messages that have come. Hearing never waits for the bot, nor the bot for hearing."""

    def __init__(self) -> None:
        self._heard: deque[Heard] = deque()
        self._news = asyncio.Event()
        self._superseded = asyncio.Event()
        self._closed = False

    @abc.abstractmethod
    def read(self, line: bytes | None) -> Heard | None:
        """What is in a line, None for one that was too long; None if it is nothing."""

    @abc.abstractmethod
    def supersedes(self, heard: Heard) -> bool:
        """Whether it makes worthless what the bot is thinking."""

    def hear(self, line: bytes | None) -> None:
        """Take a line that has come; None for one that was too long."""
        heard = self.read(line)
        if heard is not None:
            self._heard.append(heard)
            if self.supersedes(heard):
                self._superseded.set()
            self._news.set()

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._superseded.set()
        self._news.set()

    async def next(self) -> Heard | None:
        """The next message; None when no more will come."""
        while not self._heard and not self._closed:
            self._news.clear()
            await self._news.wait()
        heard = self._heard.popleft() if self._heard else None
        if not self._closed and not any(map(self.supersedes, self._heard)):
            self._superseded.clear()
        return heard

    async def until_superseded(self, task: asyncio.Task[Suggestion]) -> None:
        """Wait until the task is done, or a message is there that makes its result worthless."""
        waiting: asyncio.Task[object] = asyncio.ensure_future(self._superseded.wait())
        try:
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()


async def thought(bot: Bot, limits: Limits, inbox: Inbox[Heard]) -> Suggestion:
    """What the bot suggests; nothing if it was still thinking when it was to be elsewhere."""
    task = asyncio.ensure_future(bot.suggest(limits))
    try:
        await inbox.until_superseded(task)
        if not task.done():
            await asyncio.wait({task}, timeout=HURRY)
        return task.result() if task.done() else Suggestion(())
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def tell(bot: Bot, action: object) -> None:
    """Let the bot know, if the action is anything to be known."""
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
    """Say something to whoever looks after the service."""
    with contextlib.suppress(OSError):
        print(f"sevenbag serve: {text}", file=sys.stderr, flush=True)


def words(error: Exception) -> str:
    """What a bot raised, which may be anything, in one line."""
    return str(error) if isinstance(error, SevenbagError) else f"{type(error).__name__}: {error}"
