"""Serves any bot to a frontend that speaks TBP, whatever carries the messages."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

import sevenbag
from sevenbag.bots.bot import Limits, Suggestion
from sevenbag.errors import ProtocolError, SevenbagError
from sevenbag.protocols.tbp import bot_side, convert
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.inputs import inputs_of
from sevenbag.protocols.tbp.wire import decode, encode, plain

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.bots.bot import Bot
    from sevenbag.game import Rules

LONGEST_ANSWER: Final = 4096
"""Bytes; a frontend in the field reads lines into a buffer of this size."""

HURRY: Final = 1.0
"""Seconds that a bot gets to finish a thought when what follows is already known."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a bot is served.

    Attributes:
        limits: what it may spend on a suggestion; nothing said, what it grants itself.
        rules: by which it plays, as far as the frontend does not tell; None for ``guideline``.
        moves: how many moves a suggestion has at most. One is what all frontends take alike.
        longest_line: bytes of an answer with its end, at most.
        features: whether to announce those that we have.
        inputs: whether to tell the way to the first move, as the versus dialect does.
    """

    limits: Limits = field(default_factory=Limits)
    rules: Rules | None = None
    moves: int = 1
    longest_line: int = LONGEST_ANSWER
    features: bool = True
    inputs: bool = False


class LostOutputError(Exception):
    """What carries the messages failed, and not the bot."""


@dataclass(frozen=True, slots=True)
class Misheard:
    """A message that makes no sense; of what type it says to be, as far as that is known."""

    kind: str = ""


Heard: TypeAlias = tbp.Message | Misheard
Say = Callable[[bytes], None]
"""Sends one line with its end, now.

Raises:
    LostOutputError: it cannot be sent.
"""


class Server:
    """One bot, one frontend, from the introduction to the end.

    Every question is answered once, in order. What is odd is told in a line on standard error.
    """

    def __init__(self, bot: Bot, manner: Manner, inbox: Inbox, say: Say) -> None:
        """Nothing happens before `run`.

        Args:
            bot: not yet prepared.
            manner: how it is served.
            inbox: what the frontend says.
            say: sends a line.
        """
        self._bot = bot
        self._manner = manner
        self._inbox = inbox
        self._say = say
        self._rules: Rules | None = None
        self._side = bot_side.BotSide(most_moves=manner.moves, longest_line=manner.longest_line)

    async def run(self) -> None:
        """Serve until told to quit, or until no more will be said; the bot is left to the caller.

        Raises:
            LostOutputError: an answer cannot be sent.
        """
        features = bot_side.FEATURES if self._manner.features else ()
        self._send(self._side.introduce(self._bot.name, sevenbag.__version__, "sevenbag", features))
        while (heard := await self._inbox.next()) is not None:
            if isinstance(heard, Misheard):
                self._side.misheard(heard.kind)
                continue
            for action in self._side.receive(heard):
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
                case bot_side.Think():
                    await self._answer()
                case bot_side.Note(text):
                    log(text)
                case _:
                    await self._tell(action)
        except LostOutputError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            # Whatever happened to it: it is asked again from the next position on.
            log(_words(error))
            self._side.lose_track()
            return False
        return True

    async def _tell(self, action: bot_side.Action) -> None:
        """Let the bot know."""
        match action:
            case bot_side.Begin(position):
                await self._bot.start(position)
            case bot_side.Advance(placement):
                await self._bot.play(placement)
            case bot_side.Extend(piece):
                await self._bot.new_piece(piece)
            case bot_side.Face(opponents):
                await self._bot.opponents(opponents)
            case bot_side.Expect(pending):
                await self._bot.garbage(pending)
            case bot_side.End():
                await self._bot.stop()
            case _:
                pass

    async def _prepare(self, told: tbp.Rules) -> bool:
        try:
            self._rules = _rules_of(told, self._manner.rules)
            await self._bot.prepare(self._rules)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything
            log(_words(error))
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
                suggestion.moves,
                tbp.MoveInfo(info.nodes, info.nps, info.depth, info.extra),
                inputs=self._way_to(suggestion.moves[0]) if suggestion.moves else None,
            )
        except Exception:
            # Whoever asks gets an answer.
            self._send(self._side.answer(()))
            raise
        self._send(answer)

    def _way_to(self, move: Placement) -> tuple[tbp.InputName, ...] | None:
        position, rules = self._side.position, self._rules
        if not self._manner.inputs or position is None or rules is None:
            return None
        spawn = convert.spawn_of(position.board, move.piece, rules)
        if spawn is None:
            return None
        keys = position.board.path(move, rules.pieces.kicks, spins=rules.pieces.spins, spawn=spawn)
        return None if keys is None else inputs_of(keys)

    async def _thought(self) -> Suggestion:
        """What the bot suggests; nothing if it was still thinking when it was to be elsewhere."""
        task = asyncio.ensure_future(self._bot.suggest(self._manner.limits))
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
        self._say(encode(message))


class Inbox:
    """Messages that have come. Hearing never waits for the bot, nor the bot for hearing."""

    def __init__(self) -> None:
        self._heard: deque[Heard] = deque()
        self._news = asyncio.Event()
        self._superseded = asyncio.Event()
        self._closed = False

    def hear(self, line: bytes | None) -> None:
        """Take a line that has come; None for one that was too long."""
        heard = _heard_in(line)
        if heard is not None:
            self._heard.append(heard)
            if _supersedes(heard):
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
        if not self._closed and not any(map(_supersedes, self._heard)):
            self._superseded.clear()
        return heard

    async def until_superseded(self, task: asyncio.Task[Suggestion]) -> None:
        """Wait until the task is done, or a message is there that makes its result worthless."""
        waiting: asyncio.Task[object] = asyncio.ensure_future(self._superseded.wait())
        try:
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()


def log(text: str) -> None:
    """Say something to whoever looks after the server."""
    with contextlib.suppress(OSError):
        print(f"sevenbag serve: {text}", file=sys.stderr, flush=True)


# --- helpers ------------------------------------------------------------------------------------


def _supersedes(heard: Heard) -> bool:
    return isinstance(heard, tbp.Start | tbp.Stop | tbp.Quit)


def _heard_in(line: bytes | None) -> Heard | None:
    if line is None:
        log("passed over a line that is too long")
        return Misheard()
    try:
        message = decode(line, forgiving=True)
    except ProtocolError as error:
        log(f"passed over a message: {error}")
        return Misheard(error.kind)
    if message is None and line.strip():
        log(f"passed over a line that is no message: {line[:60]!r}")
        if line.lstrip().startswith(b"{") and plain(line) is None:
            return Misheard(_kind_in(line))
    return message


def _kind_in(line: bytes) -> str:
    """Of what type a broken message seems to be; one that is not known would be passed over."""
    kinds = ("start", "play", "garbage")
    return next((kind for kind in kinds if f'"{kind}"'.encode() in line), "unknown")


def _rules_of(told: tbp.Rules, rules: Rules | None) -> Rules:
    """The rules that we were told ourselves, with what the frontend tells."""
    # Looked up only now: the introduction is not to wait for it.
    from sevenbag.game import Rules  # noqa: PLC0415

    base = rules or Rules.preset("guideline")
    changes = convert.rules_changes(told)
    return base.replace(changes, name="TBP") if changes else base


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, SevenbagError) else f"{type(error).__name__}: {error}"
