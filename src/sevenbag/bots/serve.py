"""Serves any bot to a frontend that speaks TBP, over file descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

import sevenbag
from sevenbag.bots.bot import Limits, Suggestion
from sevenbag.errors import ProtocolError, SevenbagError
from sevenbag.protocols.lines import LineSplitter
from sevenbag.protocols.tbp import bot_side, convert
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.wire import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.game import Rules

LONGEST_ANSWER: Final = 4096
"""Bytes; a frontend in the field reads lines into a buffer of this size."""

HURRY: Final = 1.0
"""Seconds that a bot gets to finish a thought when what follows is already known."""


async def serve_tbp(
    bot: Bot,
    *,
    limits: Limits | None = None,
    most_moves: int = 1,
    input_descriptor: int = 0,
    output_descriptor: int = 1,
) -> None:
    """Serve until told to quit, or until the input or the output is closed; then end the bot.

    Every question is answered once, in order. What is odd is told in a line on standard error.

    Args:
        bot: the bot, not yet prepared.
        limits: what it may spend on a suggestion; by default what it grants itself.
        most_moves: how many moves a suggestion has at most. One is what all frontends understand.
        input_descriptor: where messages come from.
        output_descriptor: where messages go, and nothing else may.

    Raises:
        OSError: the output cannot be written, other than for having been closed.
    """
    server = _Server(bot, limits or Limits(), most_moves, output_descriptor)
    try:
        await server.run(input_descriptor)
    except _OutputError as lost:
        # Whoever closed it wants no more of us.
        if not isinstance(lost.error, BrokenPipeError):
            raise lost.error from None
    finally:
        await bot.quit()


# --- helpers ------------------------------------------------------------------------------------


class _Server:
    def __init__(self, bot: Bot, limits: Limits, most_moves: int, output: int) -> None:
        self._bot = bot
        self._limits = limits
        self._output = output
        self._side = bot_side.BotSide(most_moves=most_moves, longest_line=LONGEST_ANSWER)
        self._inbox = _Inbox()

    async def run(self, input_descriptor: int) -> None:
        info = self._side.introduce(self._bot.name, sevenbag.__version__, "sevenbag")
        self._send(info)
        self._inbox.read_from(input_descriptor)
        while (message := await self._inbox.next()) is not None:
            for action in self._side.receive(message):
                if isinstance(action, bot_side.Close):
                    return
                if not await self._do(action):
                    break

    async def _do(self, action: bot_side.Action) -> bool:
        """Whether the rest of the list is still to be done."""
        try:
            match action:
                case bot_side.Send(message):
                    self._send(message)
                case bot_side.Prepare(rules):
                    return await self._prepare(rules)
                case bot_side.Begin(position):
                    await self._bot.start(position)
                case bot_side.Think():
                    await self._answer()
                case bot_side.Advance(placement):
                    await self._bot.play(placement)
                case bot_side.Extend(piece):
                    await self._bot.new_piece(piece)
                case bot_side.End():
                    await self._bot.stop()
                case bot_side.Note(text):
                    _log(text)
                case bot_side.Close():
                    pass
        except _OutputError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            # Whatever happened to it: it is asked again from the next position on.
            _log(_words(error))
            self._side.lose_track()
            return False
        return True

    async def _prepare(self, rules: tbp.Rules) -> bool:
        try:
            await self._bot.prepare(_rules_of(rules))
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            _log(_words(error))
            follow_up = self._side.refuse()
            ready = False
        else:
            follow_up = self._side.accept()
            ready = True
        for action in follow_up:
            await self._do(action)
        return ready

    async def _answer(self) -> None:
        try:
            suggestion = await self._thought()
            info = suggestion.info
            answer = self._side.answer(
                suggestion.moves, tbp.MoveInfo(info.nodes, info.nps, info.depth, info.extra)
            )
        except Exception:
            # Whoever asks gets an answer.
            self._send(self._side.answer(()))
            raise
        self._send(answer)

    async def _thought(self) -> Suggestion:
        """What the bot suggests; nothing if it was still thinking when it was to be elsewhere."""
        task = asyncio.ensure_future(self._bot.suggest(self._limits))
        try:
            await self._inbox.until_superseded(task)
            if not task.done():
                await asyncio.wait({task}, timeout=HURRY)
            return task.result() if task.done() else Suggestion(())
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def _send(self, message: tbp.FromBot) -> None:
        line = encode(message)
        while line:
            try:
                line = line[os.write(self._output, line) :]
            except BlockingIOError:
                select.select([], [self._output], [])
            except OSError as error:
                raise _OutputError(error) from None


class _OutputError(Exception):
    """The output failed, and not the bot."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class _Inbox:
    """Messages that have come. Reading never waits for the bot, nor the bot for reading."""

    def __init__(self) -> None:
        self._messages: deque[tbp.Message] = deque()
        self._splitter = LineSplitter()
        self._news = asyncio.Event()
        self._superseded = asyncio.Event()
        self._closed = False

    def read_from(self, descriptor: int) -> None:
        """Begin to read, in a thread: the input may be a file or a terminal as well as a pipe."""
        loop = asyncio.get_running_loop()

        def deliver(data: bytes) -> None:
            # The loop may be gone, and then nobody is interested.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._take, data)

        threading.Thread(
            target=_read, args=(descriptor, deliver), name="sevenbag-serve-input", daemon=True
        ).start()

    async def next(self) -> tbp.Message | None:
        """The next message; None when no more will come."""
        while not self._messages and not self._closed:
            self._news.clear()
            await self._news.wait()
        message = self._messages.popleft() if self._messages else None
        if not self._closed and not any(map(_supersedes, self._messages)):
            self._superseded.clear()
        return message

    async def until_superseded(self, task: asyncio.Task[Suggestion]) -> None:
        """Wait until the task is done, or a message is there that makes its result worthless."""
        waiting: asyncio.Task[object] = asyncio.ensure_future(self._superseded.wait())
        try:
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    def _take(self, data: bytes) -> None:
        lines = self._splitter.feed(data) if data else self._splitter.end()
        for line in lines:
            message = _message_in(line)
            if message is not None:
                self._messages.append(message)
                if _supersedes(message):
                    self._superseded.set()
        if not data:
            self._closed = True
            self._superseded.set()
        self._news.set()


def _supersedes(message: tbp.Message) -> bool:
    return isinstance(message, tbp.Start | tbp.Stop | tbp.Quit)


def _message_in(line: bytes | None) -> tbp.Message | None:
    if line is None:
        _log("passed over a line that is too long")
        return None
    try:
        message = decode(line)
    except ProtocolError as error:
        _log(f"passed over a message: {error}")
        return None
    if message is None and line.strip():
        _log(f"passed over a line that is no message: {line[:60]!r}")
    return message


def _read(descriptor: int, deliver: Callable[[bytes], None]) -> None:
    """Deliver what can be read, and nothing at last."""
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            select.select([descriptor], [], [])
            continue
        except OSError:
            data = b""
        deliver(data)
        if not data:
            return


def _rules_of(message: tbp.Rules) -> Rules:
    """The rules that TBP takes for granted, with what the message tells."""
    # Looked up only now: the introduction is not to wait for it.
    from sevenbag.game import Rules  # noqa: PLC0415

    rules = Rules.preset("guideline")
    changes = convert.rules_changes(message)
    return rules.replace(changes, name="TBP") if changes else rules


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, SevenbagError) else f"{type(error).__name__}: {error}"


def _log(text: str) -> None:
    with contextlib.suppress(OSError):
        print(f"sevenbag serve: {text}", file=sys.stderr, flush=True)
