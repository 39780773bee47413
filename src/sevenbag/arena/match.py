"""Runs one game between two bots.

Both think at the same time; when both have answered, both placements are made at once. Whatever a
bot does wrong costs it the game and nobody else anything: no fault of a bot leaves this module as
an exception, none makes it wait for ever, and both bots are ended before it returns.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sevenbag.arena.referee import first_legal
from sevenbag.arena.result import Ending, Fall, PlayerStats, Reason, Result, decide
from sevenbag.arena.seat import Deadlines, Seat
from sevenbag.arena.watch import Opening, Turn, Watcher
from sevenbag.bots.bot import Limits
from sevenbag.errors import PlacementError
from sevenbag.game import Versus

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.bot import Bot
    from sevenbag.game import Lock, Rules, TopOut

FRAMES_PER_TURN: Final = 30
"""Game time of a turn unless something else is wanted: two pieces a second."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a game is played.

    Attributes:
        rules: the rules.
        seed: what the pieces and the garbage follow from.
        limits: what each bot may spend on a move, as far as it heeds limits.
        specs: by which specification each bot was called for, for those who want to know.
        max_pieces: after so many pieces each, more attack wins; None for no limit.
        frames_per_turn: game time of a turn, in which garbage travels.
        pps: turns begin at most so often in a second of real time; None for as fast as can be.
        deadlines: how long a bot may take over each step.
    """

    rules: Rules
    seed: int
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    specs: tuple[str, str] = ("", "")
    max_pieces: int | None = None
    frames_per_turn: int = FRAMES_PER_TURN
    pps: float | None = None
    deadlines: Deadlines = field(default_factory=Deadlines)


async def play_match(
    bots: tuple[Bot, Bot], conditions: Conditions, watchers: Sequence[Watcher] = ()
) -> Result:
    """Prepare the bots, play one game, end the bots.

    A bot that cannot be prepared has lost as well: that game opens and closes without a turn.
    When cancelled, or when a watcher fails, the watchers are told that the game is broken off, and
    the bots are ended.
    """
    first, second = (
        Seat(bot, limits, conditions.deadlines)
        for bot, limits in zip(bots, conditions.limits, strict=True)
    )
    match = _Match((first, second), conditions, watchers)
    try:
        return await match.play()
    finally:
        await _to_the_end(match.dismiss())


def distinct_names(first: str, second: str, specs: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """The names of two players, told apart where they are the same.

    By the bots' specifications if these differ and are short enough for names, else by numbers.
    """
    if first != second:
        return first, second
    if specs[0] != specs[1] and all(0 < len(s) <= _NAME and s.isprintable() for s in specs):
        return specs
    return f"{first} (1)", f"{second} (2)"


# --- the game -----------------------------------------------------------------------------------

T = TypeVar("T")

# The longest specification that makes a name.
_NAME: Final = 40

# A seat keeps its own deadlines; this much later the match no longer waits for one that has got
# stuck in them, as with a bot that will not be cancelled.
_STUCK: Final = 1.0


@dataclass(frozen=True, slots=True)
class _News:
    """What a bot hears between two of its moves; no placement means: take the new position."""

    placement: Placement | None = None
    new_pieces: tuple[Piece, ...] = ()


class _Match:
    def __init__(
        self, seats: tuple[Seat, Seat], conditions: Conditions, watchers: Sequence[Watcher]
    ) -> None:
        self._seats = seats
        self._conditions = conditions
        self._watchers = watchers
        self._names = self._named()
        self._versus = Versus(
            conditions.rules, conditions.seed, frames_per_turn=conditions.frames_per_turn
        )
        self._began: float | None = None

    async def play(self) -> Result:
        """The whole game."""
        conditions, deadlines = self._conditions, self._conditions.deadlines
        await self._both(
            [seat.prepare(conditions.rules) for seat in self._seats], deadlines.prepare
        )
        # A driver may learn only now what its bot calls itself.
        self._names = self._named()
        opening = Opening(
            self._names,
            conditions.rules,
            conditions.seed,
            conditions.specs,
            (self._seats[0].limits, self._seats[1].limits),
            conditions.max_pieces,
            conditions.frames_per_turn,
            self._versus,
        )
        try:
            for watcher in self._watchers:
                watcher.opened(opening)
            ending = Ending.FALL if self._somebody_fell() else await self._turns()
        except BaseException:
            self._break_off()
            raise
        result = self._result(ending)
        for watcher in self._watchers:
            watcher.closed(result)
        return result

    async def dismiss(self) -> None:
        """Stop and end both bots."""
        deadlines = self._conditions.deadlines
        await self._both(
            [_stop_and_quit(seat) for seat in self._seats], deadlines.stop + deadlines.quit
        )

    def _named(self) -> tuple[str, str]:
        first, second = (_called(seat.bot) for seat in self._seats)
        return distinct_names(first, second, self._conditions.specs)

    async def _turns(self) -> Ending:
        pace = 1 / self._conditions.pps if self._conditions.pps else 0.0
        news = [_News(), _News()]
        due = self._began = time.monotonic()
        for number in itertools.count(1):
            choices = await self._choices(news, due)
            if choices is None:
                return Ending.FALL
            due = max(due + pace, time.monotonic())
            news = self._place(number, choices)
            if self._somebody_fell():
                return Ending.FALL
            if number == self._conditions.max_pieces:
                return Ending.PIECES
        raise AssertionError("a count has no end")

    async def _choices(
        self, news: Sequence[_News], due: float
    ) -> tuple[Placement, Placement] | None:
        """What both play; None if one of them fell instead."""
        deadlines = self._conditions.deadlines
        granted = max(seat.limits.milliseconds or 0.0 for seat in self._seats) / 1000
        waiting = max(0.0, due - time.monotonic())
        suggestions = await self._both(
            [self._suggestion(player, news[player], due) for player in (0, 1)],
            deadlines.tell + waiting + granted + deadlines.suggest,
        )
        choices: list[Placement] = []
        for player, moves in enumerate(suggestions):
            if moves is None:
                continue
            try:
                choices.append(first_legal(self._versus.players[player], moves))
            except PlacementError as error:
                self._seats[player].fail(Reason.ILLEGAL, str(error))
        return None if self._somebody_fell() else (choices[0], choices[1])

    async def _suggestion(
        self, player: int, news: _News, due: float
    ) -> tuple[Placement, ...] | None:
        # The bot hears the news at once and is asked when the turn is due: the time between is
        # its own, as bots that think unasked expect.
        seat = self._seats[player]
        if news.placement is None:
            await seat.start(self._versus.players[player].position())
        else:
            pending = self._versus.players[player].pending
            await seat.advance(news.placement, news.new_pieces, pending)
        waiting = due - time.monotonic()
        if waiting > 0:
            await asyncio.sleep(waiting)
        return await seat.suggest()

    def _place(self, number: int, choices: tuple[Placement, Placement]) -> list[_News]:
        locks = self._versus.play(*choices)
        turn = Turn(
            number,
            choices,
            locks,
            (self._seats[0].last_seconds, self._seats[1].last_seconds),
            self._stats(),
        )
        for watcher in self._watchers:
            watcher.turned(turn)
        return [_news_of(lock, choice) for lock, choice in zip(locks, choices, strict=True)]

    def _somebody_fell(self) -> bool:
        return any(self._falls())

    def _falls(self) -> tuple[Fall | None, Fall | None]:
        first, second = (
            seat.fall or _top_out(game.top_out)
            for seat, game in zip(self._seats, self._versus.players, strict=True)
        )
        return first, second

    def _stats(self) -> tuple[PlayerStats, PlayerStats]:
        elapsed = time.monotonic() - self._began if self._began is not None else 0.0
        first, second = (
            PlayerStats(done.pieces, done.lines, done.attack, seat.seconds, elapsed)
            for seat, done in zip(
                self._seats, (game.stats for game in self._versus.players), strict=True
            )
        )
        return first, second

    def _result(self, ending: Ending) -> Result:
        falls = (None, None) if ending is Ending.INTERRUPTED else self._falls()
        stats = self._stats()
        return Result(self._names, decide(ending, falls, stats), ending, falls, stats)

    def _break_off(self) -> None:
        result = self._result(Ending.INTERRUPTED)
        for watcher in self._watchers:
            # It may be a watcher that failed: the others are told nevertheless.
            with contextlib.suppress(Exception):
                watcher.closed(result)

    async def _both(
        self, calls: Sequence[Coroutine[object, object, T]], seconds: float
    ) -> list[T | None]:
        """What a call to each seat comes to; None for a seat that got stuck in its call."""
        tasks = [asyncio.ensure_future(call) for call in calls]
        try:
            await asyncio.wait(tasks, timeout=seconds + _STUCK)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            # Let them leave the bots before anybody else speaks to these.
            await asyncio.wait(tasks, timeout=_STUCK)
            raise
        answers: list[T | None] = []
        for seat, task in zip(self._seats, tasks, strict=True):
            if task.done():
                answers.append(task.result())
            else:
                seat.fail(Reason.TIMEOUT, "hangs, and will not be cancelled")
                _abandon(task)
                answers.append(None)
        return answers


def _called(bot: Bot) -> str:
    return f"{bot.name} ({bot.protocol})" if bot.protocol else bot.name


async def _stop_and_quit(seat: Seat) -> None:
    await seat.stop()
    await seat.quit()


_abandoned: set[asyncio.Future[Any]] = set()


def _abandon(task: asyncio.Future[T]) -> None:
    """Let a task that ignores being cancelled run on without anybody waiting for it."""
    _abandoned.add(task)
    task.add_done_callback(_forget)
    task.cancel()


def _forget(task: asyncio.Future[T]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()


async def _to_the_end(call: Coroutine[object, object, None]) -> None:
    """Run to the end, however often one is cancelled meanwhile: what it ends must not live on."""
    task = asyncio.ensure_future(call)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError


def _news_of(lock: Lock, placement: Placement) -> _News:
    if lock.garbage:
        return _News()
    return _News(placement, tuple(lock.new_pieces))


def _top_out(reason: TopOut | None) -> Fall | None:
    return None if reason is None else Fall(Reason(reason))
