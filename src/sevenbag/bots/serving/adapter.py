"""An adapter that serves any bot to one other program, in any protocol and over any transport."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import sevenbag
from sevenbag.bots.bot import Bot, Limits, Suggestion, ask_bot
from sevenbag.bots.external.tbp_profile import ServeSettings
from sevenbag.errors import BotError, ProtocolError, SevenbagError
from sevenbag.game.position import Position
from sevenbag.game.rules import Rules
from sevenbag.protocols.bot_actions import (
    BotAction,
    BotConnection,
    GarbageAction,
    LogAction,
    NewPieceAction,
    OpponentsAction,
    PlayAction,
    PrepareAction,
    QuitAction,
    SendAction,
    StartAction,
    StopAction,
    SuggestAction,
    UpdateRulesAction,
)

STALE_ANSWER_GRACE: Final = 1.0
"""Seconds to finish a search whose question became obsolete."""

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
        """Add a received line; None for one that was too long."""
        ...

    def close(self) -> None:
        """Mark the end of the input."""
        ...


AdapterFactory: TypeAlias = "Callable[[Bot, SendLine], BotAdapter]"
"""Creates an adapter for a bot that is not yet prepared."""


def tbp_adapter(
    limits: Limits = Limits(),  # noqa: B008  # immutable
    *,
    rules: Rules | None = None,
    settings: ServeSettings = ServeSettings(),  # noqa: B008  # immutable
) -> AdapterFactory:
    """Return a factory of adapters for frontends that speak TBP.

    Args:
        limits: limits of a suggestion; those of the bot apply as well.
        rules: rules that the frontend does not send; the preset ``guideline`` by default.
        settings: settings for the frontend.
    """
    # Frontends wait for the introduction: only the requested protocol is imported.
    from sevenbag.protocols.tbp.tbp_connections import FEATURES, TbpBotConnection  # noqa: PLC0415

    def create(bot: Bot, send: SendLine) -> BotAdapter:
        connection = TbpBotConnection(
            rules=rules,
            features=FEATURES if settings.features else (),
            inputs=settings.inputs,
            max_moves=settings.max_moves,
            max_line_bytes=settings.max_line_bytes,
        )
        return BotAdapter(bot, connection, limits, send)

    return create


def triangle_adapter(limits: Limits) -> AdapterFactory:
    """Return a factory of adapters for Triangle hosts; limits are those of a suggestion."""
    from sevenbag.protocols.triangle.triangle_connections import TriangleBotConnection  # noqa: PLC0415  # as above

    return lambda bot, send: BotAdapter(bot, TriangleBotConnection(), limits, send)


class BotAdapter:
    """One bot, served to one other program, from the introduction to the end.

    Every question is answered once, in order. Problems are logged on standard error; normal play
    logs nothing.
    """

    def __init__(self, bot: Bot, connection: BotConnection, limits: Limits, send: SendLine) -> None:
        """Create an adapter for a bot that is not yet prepared; nothing happens before `run`."""
        self.inbox = MessageInbox(connection)
        self._bot = bot
        self._connection = connection
        self._limits = limits
        self._send = send
        self._rules: Rules | None = None
        self._failed = False

    async def run(self) -> None:
        """Serve until told to quit or until the input ends; the caller ends the bot.

        Raises:
            OutputClosedError: an answer cannot be sent.
        """
        info = self._connection.introduce(self._bot.name, sevenbag.__version__, "sevenbag")
        self._send(self._connection.encode(info))
        while (message := await self.inbox.get()) is not None:
            if isinstance(message, InvalidMessage):
                actions = self._connection.receive_invalid(message.message_type)
            else:
                actions = self._connection.receive(message)
            await self._execute_all(actions)
            if any(isinstance(action, QuitAction) for action in actions):
                return

    async def _execute_all(self, actions: Iterable[BotAction]) -> None:
        failed = False
        for action in actions:
            # Every question gets an answer, even if the bot failed.
            if not failed or isinstance(action, SendAction | SuggestAction):
                failed |= not await self._execute(action)

    async def _execute(self, action: BotAction) -> bool:
        """Execute an action; return False if the bot failed."""
        try:
            match action:
                case SendAction(message):
                    self._send(self._connection.encode(message))
                case PrepareAction(rules):
                    return await self._prepare(rules)
                case LogAction():
                    log(action)
                case SuggestAction():
                    await self._answer()
                case _:
                    await self._update_bot(action)
        except OutputClosedError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            self._log_failure(error)
            self._connection.handle_bot_failure()
            self._failed = True
            return False
        return True

    async def _prepare(self, rules: Rules) -> bool:
        try:
            if self._rules is not None:
                await self._bot.stop()
            self._rules = rules
            await self._bot.prepare(rules)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            self._log_failure(error)
            actions, ready = self._connection.reject_rules(), False
        else:
            actions, ready = self._connection.accept_rules(), True
        await self._execute_all(actions)
        return ready

    async def _answer(self) -> None:
        try:
            suggestion = await self._ask()
        except Exception:
            await self._execute_all(self._connection.answer(()))
            raise
        for action in self._connection.answer(suggestion.moves, suggestion.info):
            if isinstance(action, SendAction):
                self._send(self._connection.encode(action.message))
            else:
                await self._update_bot(action)

    async def _ask(self) -> Suggestion:
        """Ask the bot; return no moves if its question became obsolete meanwhile."""
        task = asyncio.ensure_future(ask_bot(self._bot, self._limits))
        stale = asyncio.ensure_future(self.inbox.stale.wait())
        try:
            await asyncio.wait((task, stale), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=STALE_ANSWER_GRACE)
            return task.result() if task.done() else Suggestion(())
        finally:
            stale.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _update_bot(self, action: BotAction) -> None:
        bot = self._bot
        if bot.takes_positions and isinstance(action, PlayAction | NewPieceAction | GarbageAction):
            if isinstance(action, PlayAction):
                await bot.play(action.placement)
            if (position := self._connection.visible_position) is not None:
                await bot.start(position)
            return
        match action:
            case StartAction(position):
                await self._start_bot(position)
            case PlayAction(placement):
                await bot.play(placement)
            case NewPieceAction(piece):
                await bot.new_piece(piece)
            case OpponentsAction(opponents):
                await bot.opponents(opponents)
            case GarbageAction(pending):
                await bot.garbage(pending)
            case StopAction():
                await bot.stop()
            case UpdateRulesAction(rules):
                self._rules = rules
                # The protocols of external bots cannot express this.
                if bot.protocol is None:
                    await bot.prepare(rules)
            case _:
                pass

    async def _start_bot(self, position: Position) -> None:
        if self._failed and self._rules is not None:
            # The bot may have ended: `prepare` starts it again, but only between games.
            self._failed = False
            with contextlib.suppress(Exception):
                await self._bot.stop()
            await self._bot.prepare(self._rules)
        await self._bot.start(position)

    def _log_failure(self, error: Exception) -> None:
        text = error.reason if isinstance(error, BotError) else str(error)
        if not isinstance(error, SevenbagError):
            text = f"{type(error).__name__}: {text}"
        log(LogAction("serve.bot_failed", {"bot": self._bot.name, "error": text}))


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """An invalid message, with its type as far as it is known."""

    message_type: str = ""


class MessageInbox:
    """Messages that have arrived; reading and the bot do not wait for each other.

    Attributes:
        stale: set when a message makes the answer to the current question obsolete.
    """

    def __init__(self, connection: BotConnection) -> None:
        self._connection = connection
        self._messages: deque[Any] = deque()
        self._changed = asyncio.Event()
        self.stale = asyncio.Event()
        self._closed = False

    def add_line(self, line: bytes | None) -> None:
        """Add a received line; None for one that was too long."""
        message = self._decode(line)
        if message is not None:
            self._messages.append(message)
            if self._connection.is_superseding(message):
                self.stale.set()
            self._changed.set()

    def close(self) -> None:
        """Mark the end of the input."""
        self._closed = True
        self.stale.set()
        self._changed.set()

    async def get(self) -> Any:
        """Wait for the next message; None at the end of the input."""
        while not self._messages and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        message = self._messages.popleft() if self._messages else None
        if not self._closed and not any(map(self._connection.is_superseding, self._messages)):
            self.stale.clear()
        return message

    def _decode(self, line: bytes | None) -> object | None:
        if line is None:
            log(LogAction("serve.line_ignored", {"reason": "too_long"}))
            return InvalidMessage()
        try:
            message = self._connection.decode(line)
        except ProtocolError as error:
            log(LogAction("serve.message_invalid", {"type": error.kind, "error": error}))
            return InvalidMessage(error.kind)
        if message is None and line.strip():
            text = line[:60].decode("utf-8", "replace")
            log(LogAction("serve.line_ignored", {"reason": "not_a_message", "line": text}))
        return message


def log(event: LogAction) -> None:
    """Print a log line on standard error."""
    with contextlib.suppress(OSError):
        print(event, file=sys.stderr, flush=True)
