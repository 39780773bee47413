"""One bot in one game: calls with deadlines, clock, and the reason of its loss."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar, cast

from sevenbag._kernel import Placement
from sevenbag.bots.bot import Bot, Limits, SearchInfo, Suggestion
from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    InputError,
    ProtocolError,
    printable,
    shown,
)
from sevenbag.game.game_result import Loss, LossReason

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sevenbag._kernel import Piece
    from sevenbag.bots.bot import Position, Step
    from sevenbag.game import Rules


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameClock:
    """Thinking time for a whole game, as on a chess clock; who uses it up has lost.

    The bot gets a limit for each move: a fortieth of the remaining time, and the
    increment.

    Attributes:
        bank: milliseconds at the beginning, above 0.
        increment: milliseconds that come on top after each move.

    Raises:
        InputError: a time out of its range.
    """

    bank: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        """See that the times are some."""
        if not 0 < self.bank <= _MAX_BANK:
            raise InputError(
                f"clock: bank is {shown(self.bank)}, must be above 0 and at most {_MAX_BANK:g}"
                " milliseconds"
            )
        if not 0 <= self.increment <= _MAX_BANK:
            raise InputError(
                f"clock: increment is {shown(self.increment)}, must be from 0 to"
                f" {_MAX_BANK:g} milliseconds"
            )


@dataclass(frozen=True, slots=True)
class BotDeadlines:
    """Time limits of a bot for each step, in seconds; a bot's own settings may extend them.

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


class BotSession:
    """One bot of a match.

    Attributes:
        bot: the bot.
        limits: what it may spend on a move; from `prepare` on, what really holds for it.
        loss: its loss; None before.
        started: whether it became ready for the rules.
        thinking_seconds: time it has taken for its answers so far.
        answer_seconds: time it took for the last one.
        move_info: what it said of its search then; None if it said nothing.
        granted_limits: what it could spend on the last one.
        clock_seconds: seconds that its clock still has; None without one.
        wants_opponents: whether it takes note of how the other stands.

    Args:
        bot: the bot.
        limits: what it may spend on a move.
        deadlines: how long it may take over each step.
        clock: the time it has for all moves; None for no such limit.
        ready: whether it was prepared for these rules before, and need not be again.
    """

    def __init__(
        self,
        bot: Bot,
        limits: Limits,
        deadlines: BotDeadlines,
        clock: GameClock | None = None,
        *,
        ready: bool = False,
    ) -> None:
        self.bot = bot
        self.limits = limits
        self.loss: Loss | None = None
        self.started = False
        self.thinking_seconds = 0.0
        self.answer_seconds = 0.0
        self.move_info: SearchInfo | None = None
        self.granted_limits = limits
        self.clock_seconds = clock.bank / 1000 if clock is not None else None
        self.wants_opponents = type(bot).opponents is not Bot.opponents
        self._deadlines = deadlines
        self._clock = clock
        self._ready = ready
        self._playing = False

    @property
    def answer_timeout(self) -> float:
        """Seconds after which an answer that has not come will not come any more."""
        if self.clock_seconds is not None:
            return self.clock_seconds
        return self.step_timeout("suggest") + (self.limits.milliseconds or 0.0) / 1000

    def step_timeout(self, step: Step) -> float:
        """Return the time limit for a step in seconds, without thinking time."""
        seconds: float = getattr(self._deadlines, step)
        return max(seconds, self.bot.least_seconds(step))

    async def prepare(self, rules: Rules) -> None:
        """Get the bot ready; failing that, the bot has lost."""
        await self._ask("the rules", self._prepare(rules), self.step_timeout("prepare"))
        self.started = self.loss is None

    async def start(self, position: Position, others: tuple[Position, ...] = ()) -> None:
        """Put the bot before a position, and tell how the others stand."""
        self._playing = True
        await self._ask("the position", self._start(position, others), self.step_timeout("tell"))

    async def advance(
        self,
        placement: Placement,
        new_pieces: Sequence[Piece],
        pending: tuple[int, ...],
        others: tuple[Position, ...] = (),
    ) -> None:
        """Tell the bot what was played, which pieces came, what waits, how the others stand."""
        told = self._advance(placement, new_pieces, pending, others)
        await self._ask("a move", told, self.step_timeout("tell"))

    async def suggest(self) -> tuple[Placement, ...] | None:
        """The bot's moves, best first; None if the bot has lost."""
        self.granted_limits = (
            self.limits if self.clock_seconds is None else self._by_clock(self.clock_seconds)
        )
        began = time.perf_counter()
        answer: object = await self._ask(
            "suggest", self.bot.suggest(self.granted_limits), self.answer_timeout
        )
        self.answer_seconds = time.perf_counter() - began
        self.thinking_seconds += self.answer_seconds
        self._press_clock()
        if self.loss is not None:
            return None
        return self._checked(answer)

    async def stop(self) -> None:
        """End of the game, if there is one and the bot still listens."""
        if self._playing:
            self._playing = False
            if self.loss is not None and self.loss.reason is LossReason.RESIGNATION:
                # A resigned bot is still running and may play the next game.
                self.loss = None
            await self._ask("stop", self.bot.stop(), self.step_timeout("stop"))

    async def quit(self) -> None:
        """End of the bot, whatever state it is in."""
        # A bot that fails now has lost nothing by it: the game is over.
        kept, self.loss = self.loss, None
        await self._ask("quit", self.bot.quit(), self.step_timeout("quit"))
        self.loss = kept

    def forfeit(self, reason: LossReason, detail: str = "") -> None:
        """Note that the bot has lost; the first reason stays."""
        if self.loss is None:
            self.loss = Loss(reason, _one_line(detail))

    async def _prepare(self, rules: Rules) -> None:
        self.limits = self.bot.effective_limits(self.limits)
        if not self._ready:
            await self.bot.prepare(rules)

    async def _start(self, position: Position, others: tuple[Position, ...]) -> None:
        if others:
            await self.bot.opponents(others)
        await self.bot.start(position)

    async def _advance(
        self,
        placement: Placement,
        new_pieces: Sequence[Piece],
        pending: tuple[int, ...],
        others: tuple[Position, ...],
    ) -> None:
        if others:
            await self.bot.opponents(others)
        await self.bot.play(placement)
        for piece in new_pieces:
            await self.bot.new_piece(piece)
        await self.bot.garbage(pending)

    def _by_clock(self, left: float) -> Limits:
        """Return limits for a move so that the clock lasts for the game."""
        assert self._clock is not None
        share = min(left * 1000 / _EXPECTED_MOVES + self._clock.increment, left * 1000 * _MAX_SHARE)
        milliseconds = self.limits.milliseconds
        share = share if milliseconds is None else min(share, milliseconds)
        return Limits(max(share, _MIN_SHARE), self.limits.nodes)

    def _press_clock(self) -> None:
        if self.clock_seconds is None:
            return
        assert self._clock is not None
        self.clock_seconds -= self.answer_seconds
        if self.clock_seconds > 0:
            self.clock_seconds += self._clock.increment / 1000
            return
        # Not that the answer did not come, but that it came too late for this game.
        if self.loss is None or self.loss.reason is LossReason.TIMEOUT:
            self.loss = None
            self.forfeit(
                LossReason.TIMEOUT,
                f"its clock ran out: {self._clock.bank:g} ms and {self._clock.increment:g} ms a"
                " move",
            )

    async def _ask(self, what: str, call: Coroutine[object, object, T], seconds: float) -> T | None:
        if self.loss is not None:
            call.close()
            return None
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError:
            self.forfeit(LossReason.TIMEOUT, f"no answer to {what} within {seconds:g} s")
        except (BotError, ProtocolError) as error:
            self.forfeit(_loss_reason(error), _error_text(error))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self.forfeit(LossReason.CRASH, f"cancelled itself at {what}")
        except Exception as error:  # noqa: BLE001 - a bot may raise anything; its loss, not ours
            self.forfeit(LossReason.CRASH, f"{type(error).__name__} at {what}: {error}")
        return None

    def _checked(self, answer: object) -> tuple[Placement, ...] | None:
        """An in-process bot is bound by no parser: look at what it returned."""
        if not isinstance(answer, Suggestion):
            self.forfeit(
                LossReason.INVALID_MESSAGE, f"suggested {answer!r} instead of a Suggestion"
            )
            return None
        moves = answer.moves
        for move in cast("Sequence[object]", moves):
            if not isinstance(move, Placement):
                self.forfeit(
                    LossReason.INVALID_MESSAGE, f"suggested {move!r} instead of a Placement"
                )
                return None
        if not moves:
            self.forfeit(LossReason.RESIGNATION, "suggested no move")
            return None
        info = cast("object", answer.info)
        self.move_info = info if isinstance(info, SearchInfo) and info != _NO_INFO else None
        return moves


# --- helpers ------------------------------------------------------------------------------------

_REASONS: Final = {
    BotStartError: LossReason.NO_START,
    BotTimeoutError: LossReason.TIMEOUT,
    BotDiedError: LossReason.CRASH,
    BotProtocolError: LossReason.INVALID_MESSAGE,
    BotForfeitError: LossReason.FORFEIT,
}
_MAX_DETAIL: Final = 200
_MAX_BANK: Final = 1e9
_EXPECTED_MOVES: Final = 40
"""Number of remaining moves over which a clock is spent."""
_MAX_SHARE: Final = 0.8
"""Part of what a clock has left that a move may take, so that the answer arrives in time."""
_MIN_SHARE: Final = 0.1
_NO_INFO: Final = SearchInfo()


def _loss_reason(error: BotError | ProtocolError) -> LossReason:
    if isinstance(error, ProtocolError):
        return LossReason.INVALID_MESSAGE
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return LossReason.CRASH


def _error_text(error: BotError | ProtocolError) -> str:
    """The message without the bot's name, which every report of a loss puts before it."""
    text = str(error)
    if isinstance(error, BotError):
        return text.removeprefix(f"{error.bot}: ")
    return text


def _one_line(text: str) -> str:
    """A detail is shown in one line and kept in a file: no line breaks, no end of length."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= _MAX_DETAIL else line[: _MAX_DETAIL - 3] + "..."
