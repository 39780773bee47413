"""One bot in one game: calls with deadlines, clock, and the reason of its loss."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from sevenbag._kernel import Placement
from sevenbag.arena.runner.game_options import BotDeadlines, GameClock
from sevenbag.bots.bot import Bot, Limits, Position, SearchInfo, Step, Suggestion
from sevenbag.errors import (
    BotDiedError,
    BotError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    ProtocolError,
    printable,
)
from sevenbag.game import LockResult, Player, Rules
from sevenbag.game.game_result import Loss, LossReason

if TYPE_CHECKING:
    from sevenbag._kernel import Piece


T = TypeVar("T")

CANCEL_SECONDS: Final = 1.0
"""Time for a cancelled call to end."""


@dataclass(frozen=True, slots=True)
class BotUpdate:
    """Update sent to a bot before a question; without a placement it receives a new position."""

    placement: Placement | None = None
    new_pieces: tuple[Piece, ...] = ()

    @classmethod
    def after_lock(cls, lock: LockResult) -> BotUpdate:
        """Create the update for a bot whose piece has locked where it wanted."""
        return cls() if lock.garbage else cls(lock.placement, tuple(lock.new_pieces))


class BotSession:
    """One bot in one game.

    Each call to the bot has a deadline. When it passes, the session forfeits and its task is
    cancelled; a task that ignores this is abandoned a second later. One timer serves all calls,
    because deadlines mostly move on before they pass.

    Attributes:
        limits: limits of a move; from `prepare` on, those that the bot supports.
        loss: loss of the bot; None before.
        started: the bot became ready for the rules.
        thinking_seconds: total duration of its answers.
        answer_seconds: duration of its last answer.
        move_info: search statistics of its last answer, if any.
        granted_limits: limits of its last answer.
        clock_seconds: remaining time on its clock; None without one.

    Args:
        clock: clock for the game; None for none.
        ready: the bot is already prepared for these rules.
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
        self._deadlines = deadlines
        self._clock = clock
        self._ready = ready
        self._playing = False
        self._task: asyncio.Future[Any] | None = None
        self._release: Callable[[], object] = _do_nothing
        self._step = ""
        self._seconds = 0.0
        self._deadline: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def wants_opponents(self) -> bool:
        """Return True if the bot uses the positions of its opponents."""
        return self.bot.wants_opponents

    def attach(self, task: asyncio.Future[Any], release: Callable[[], object]) -> None:
        """Set the task of the next calls, and the function to call if it has to be abandoned."""
        self._task, self._release = task, release

    def step_timeout(self, step: Step) -> float:
        """Return the time limit for a step in seconds, without thinking time."""
        own = self.bot.step_timeout(step)
        seconds: float = getattr(self._deadlines, step) if own is None else own
        return seconds

    async def prepare(self, rules: Rules) -> None:
        """Prepare the bot; if that fails, it has lost."""
        await self._ask("the rules", self._prepare(rules), self.step_timeout("prepare"))
        self.started = self.loss is None

    async def update(
        self, update: BotUpdate, player: Player, opponents: tuple[Position, ...] = ()
    ) -> None:
        """Send an update, or the current position of its player, and the opponents' positions."""
        self._playing = True
        what = "the position" if update.placement is None else "a move"
        await self._ask(what, self._update(update, player, opponents), self.step_timeout("update"))

    async def suggest(self) -> tuple[Placement, ...] | None:
        """Return the bot's moves, best first; None if the bot has lost."""
        if self.clock_seconds is None:
            seconds = self.step_timeout("suggest") + (self.limits.milliseconds or 0.0) / 1000
        else:
            seconds = self.clock_seconds
            self.granted_limits = self._limit_by_clock(seconds)
        began = time.perf_counter()
        try:
            answer: object = await self._ask(
                "suggest", self.bot.suggest(self.granted_limits), seconds
            )
        finally:
            self.answer_seconds = time.perf_counter() - began
            self.thinking_seconds += self.answer_seconds
            self._press_clock()
        return None if self.loss is not None else self._check_answer(answer)

    async def stop(self) -> None:
        """End the game, if there is one and the bot has not failed."""
        if self._playing:
            self._playing = False
            if self.loss is not None and self.loss.reason is LossReason.RESIGNATION:
                # A resigned bot is still running and may play the next game.
                self.loss = None
            await self._ask("stop", self.bot.stop(), self.step_timeout("stop"))

    async def quit(self) -> None:
        """End the bot in any state."""
        # The game is over: a failure has no consequence.
        loss, self.loss = self.loss, None
        await self._ask("quit", self.bot.quit(), self.step_timeout("quit"))
        self.loss = loss

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def forfeit(self, reason: LossReason, detail: str = "") -> None:
        """Record the loss of the bot; the first reason stays."""
        if self.loss is None:
            self.loss = Loss(reason, _one_line(detail))

    async def _prepare(self, rules: Rules) -> None:
        self.limits = self.granted_limits = self.bot.effective_limits(self.limits)
        if not self._ready:
            await self.bot.prepare(rules)

    async def _update(
        self, update: BotUpdate, player: Player, opponents: tuple[Position, ...]
    ) -> None:
        bot = self.bot
        if opponents:
            await bot.opponents(opponents)
        if update.placement is not None:
            await bot.play(update.placement)
        if update.placement is None or bot.takes_positions:
            await bot.start(player.position())
            return
        for piece in update.new_pieces:
            await bot.new_piece(piece)
        await bot.garbage(player.pending)

    def _limit_by_clock(self, seconds: float) -> Limits:
        """Return limits for a move so that the clock lasts for the game."""
        assert self._clock is not None
        left = seconds * 1000
        share = min(left / _EXPECTED_MOVES + self._clock.increment, left * _MAX_SHARE)
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
        # The clock is the reason even if the call itself timed out.
        if self.loss is None or self.loss.reason is LossReason.TIMEOUT:
            self.loss = None
            self.forfeit(
                LossReason.TIMEOUT,
                f"its clock ran out: {self._clock.bank:g} ms and {self._clock.increment:g} ms a"
                " move",
            )

    async def _ask(self, step: str, call: Coroutine[object, object, T], seconds: float) -> T | None:
        if self.loss is not None:
            call.close()
            return None
        deadline = self._set_deadline(step, seconds)
        try:
            return await call
        except TimeoutError:  # raised by the bot itself
            self.forfeit(LossReason.TIMEOUT, f"TimeoutError at {step}")
        except (BotError, ProtocolError) as error:
            self.forfeit(_loss_reason(error), _error_text(error))
        except asyncio.CancelledError:
            if self._is_cancelled():
                raise
            self.forfeit(LossReason.CRASH, f"cancelled itself at {step}")
        except Exception as error:  # noqa: BLE001 - a bot may raise any exception
            self.forfeit(LossReason.CRASH, f"{type(error).__name__} at {step}: {error}")
        finally:
            # An abandoned call may end while another one is running.
            if self._deadline == deadline:
                self._deadline = None
        return None

    def _is_cancelled(self) -> bool:
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0

    def _set_deadline(self, step: str, seconds: float) -> float:
        self._step, self._seconds = step, seconds
        loop = asyncio.get_running_loop()
        self._deadline = deadline = loop.time() + seconds
        if self._timer is None or deadline < self._timer.when():
            self.close()
            self._timer = loop.call_at(deadline, self._check_deadline)
        return deadline

    def _check_deadline(self) -> None:
        self._timer = None
        if self._deadline is None or self._task is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._deadline:
            self._timer = loop.call_at(self._deadline, self._check_deadline)
            return
        detail = f"no answer to {self._step} within {self._seconds:g} s"
        hint = self.bot.explain_timeout()
        self.forfeit(LossReason.TIMEOUT, f"{detail}; {hint}" if hint else detail)
        self._task.cancel()
        loop.call_later(CANCEL_SECONDS, _abandon, self._task, self._release)

    def _check_answer(self, answer: object) -> tuple[Placement, ...] | None:
        """Check the type of an answer: a bot in this process may return any object."""
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


_REASONS: Final = {
    BotStartError: LossReason.NO_START,
    BotTimeoutError: LossReason.TIMEOUT,
    BotDiedError: LossReason.CRASH,
    BotProtocolError: LossReason.INVALID_MESSAGE,
    BotForfeitError: LossReason.FORFEIT,
}
_MAX_DETAIL: Final = 200
_EXPECTED_MOVES: Final = 40
"""Number of remaining moves over which a clock is spent."""
_MAX_SHARE: Final = 0.8
"""Maximum share of the remaining time for a move, so that the answer arrives in time."""
_MIN_SHARE: Final = 0.1
_NO_INFO: Final = SearchInfo()

_abandoned: set[asyncio.Future[Any]] = set()


def _do_nothing() -> None:
    pass


def _abandon(task: asyncio.Future[Any], release: Callable[[], object]) -> None:
    """Stop waiting for a task that ignores its cancellation."""
    if not task.done():
        _abandoned.add(task)
        task.add_done_callback(_forget)
        release()


def _forget(task: asyncio.Future[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()


def _loss_reason(error: BotError | ProtocolError) -> LossReason:
    if isinstance(error, ProtocolError):
        return LossReason.INVALID_MESSAGE
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return LossReason.CRASH


def _error_text(error: BotError | ProtocolError) -> str:
    """Return the message without the bot's name, which precedes every report of a loss."""
    text = str(error)
    if isinstance(error, BotError):
        return text.removeprefix(f"{error.bot}: ")
    return text


def _one_line(text: str) -> str:
    """Return a detail as one printable line of limited length."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= _MAX_DETAIL else line[: _MAX_DETAIL - 3] + "..."
