"""A bot in its chair: every word to it goes through here, with the clock running.

A bot may raise anything, hang, or answer with anything. Here all that becomes a `Fall`: the seat
keeps the first one, and from then on talks to the bot no more, except to end it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar, cast

from sevenbag._kernel import Placement
from sevenbag.arena.result import Fall, Reason
from sevenbag.bots.bot import Limits, Suggestion
from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    ProtocolError,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sevenbag._kernel import Piece
    from sevenbag.bots.bot import Bot, Position
    from sevenbag.game import Rules

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a bot may take over each step, in seconds.

    Attributes:
        prepare: from launch until it is ready for the rules.
        tell: taking a position or a move.
        suggest: answering, on top of the thinking time that its limits grant.
        stop: ending a game.
        quit: ending itself; a driver kills what has not left by then.
    """

    prepare: float = 20.0
    tell: float = 5.0
    suggest: float = 10.0
    stop: float = 2.0
    quit: float = 10.0


class Seat:
    """One bot of a match.

    Attributes:
        bot: the bot.
        limits: what it may spend on a move; from `prepare` on, what really holds for it.
        fall: how it failed, None as long as it has not.
        seconds: time it has taken for its answers so far.
        last_seconds: time it took for the last one.
    """

    def __init__(self, bot: Bot, limits: Limits, deadlines: Deadlines) -> None:
        self.bot = bot
        self.limits = limits
        self.fall: Fall | None = None
        self.seconds = 0.0
        self.last_seconds = 0.0
        self._deadlines = deadlines
        self._playing = False

    async def prepare(self, rules: Rules) -> None:
        """Get the bot ready; failing that, it has fallen."""
        await self._ask("the rules", self._prepare(rules), self._deadlines.prepare)

    async def start(self, position: Position) -> None:
        """Put the bot before a position."""
        self._playing = True
        await self._ask("the position", self.bot.start(position), self._deadlines.tell)

    async def advance(
        self, placement: Placement, new_pieces: Sequence[Piece], pending: tuple[int, ...]
    ) -> None:
        """Tell the bot what was played, which pieces came, and what garbage waits."""
        told = self._advance(placement, new_pieces, pending)
        await self._ask("a move", told, self._deadlines.tell)

    async def suggest(self) -> tuple[Placement, ...] | None:
        """The bot's moves, best first; None if it has fallen."""
        granted = (self.limits.milliseconds or 0.0) / 1000
        began = time.perf_counter()
        answer: object = await self._ask(
            "suggest", self.bot.suggest(self.limits), self._deadlines.suggest + granted
        )
        self.last_seconds = time.perf_counter() - began
        self.seconds += self.last_seconds
        if self.fall is not None:
            return None
        return self._checked(answer)

    async def stop(self) -> None:
        """End of the game, if there is one and the bot still listens."""
        if self._playing:
            self._playing = False
            await self._ask("stop", self.bot.stop(), self._deadlines.stop)

    async def quit(self) -> None:
        """End of the bot, whatever state it is in."""
        # A bot that fails now has lost nothing by it: the game is over.
        kept, self.fall = self.fall, None
        await self._ask("quit", self.bot.quit(), self._deadlines.quit)
        self.fall = kept

    def fail(self, reason: Reason, detail: str = "") -> None:
        """Note that the bot has lost; the first reason stays."""
        if self.fall is None:
            self.fall = Fall(reason, _one_line(detail))

    async def _prepare(self, rules: Rules) -> None:
        self.limits = self.bot.effective(self.limits)
        await self.bot.prepare(rules)

    async def _advance(
        self, placement: Placement, new_pieces: Sequence[Piece], pending: tuple[int, ...]
    ) -> None:
        await self.bot.play(placement)
        for piece in new_pieces:
            await self.bot.new_piece(piece)
        await self.bot.garbage(pending)

    async def _ask(self, what: str, call: Coroutine[object, object, T], seconds: float) -> T | None:
        if self.fall is not None:
            call.close()
            return None
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError:
            self.fail(Reason.TIMEOUT, f"no answer to {what} within {seconds:g} s")
        except (BotError, ProtocolError) as error:
            self.fail(_reason_of(error), _words_of(error))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self.fail(Reason.CRASH, f"cancelled itself at {what}")
        except Exception as error:  # noqa: BLE001 - a bot may raise anything; its loss, not ours
            self.fail(Reason.CRASH, f"{type(error).__name__} at {what}: {error}")
        return None

    def _checked(self, answer: object) -> tuple[Placement, ...] | None:
        """An in-process bot is bound by no parser: look at what it returned."""
        if not isinstance(answer, Suggestion):
            self.fail(Reason.RUBBISH, f"suggested {answer!r} instead of a Suggestion")
            return None
        moves = answer.moves
        for move in cast("Sequence[object]", moves):
            if not isinstance(move, Placement):
                self.fail(Reason.RUBBISH, f"suggested {move!r} instead of a Placement")
                return None
        if not moves:
            self.fail(Reason.FORFEIT, "suggested no move")
            return None
        return moves


# --- helpers ------------------------------------------------------------------------------------

_REASONS: Final = {
    BotStartError: Reason.NO_START,
    BotTimeoutError: Reason.TIMEOUT,
    BotDiedError: Reason.CRASH,
    BotProtocolError: Reason.RUBBISH,
    BotForfeitError: Reason.FORFEIT,
}
_LONGEST_DETAIL: Final = 200


def _reason_of(error: BotError | ProtocolError) -> Reason:
    if isinstance(error, ProtocolError):
        return Reason.RUBBISH
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return Reason.CRASH


def _words_of(error: BotError | ProtocolError) -> str:
    """The message without the bot's name, which every report of a fall puts before it."""
    text = str(error)
    if isinstance(error, BotError):
        return text.removeprefix(f"{error.bot}: ")
    return text


def _one_line(text: str) -> str:
    """A detail is shown in one line and kept in a file: no line breaks, no end of length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST_DETAIL else line[: _LONGEST_DETAIL - 3] + "..."
