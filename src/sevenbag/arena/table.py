"""The table that a game is played at: two seats, the game between them, and who watches.

Here is what turns and real time have in common: asking both, finding what can be played, and
seeing when it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sevenbag.arena.book import start_board
from sevenbag.arena.referee import first_legal
from sevenbag.arena.result import Ending, Fall, PlayerStats, Reason, Result, decide
from sevenbag.arena.watch import Opening, Turn
from sevenbag.errors import InputError, PlacementError
from sevenbag.game import Versus
from sevenbag.game.keyed_versus import KeyedVersus

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from sevenbag._kernel import Placement
    from sevenbag.arena.conditions import Conditions
    from sevenbag.arena.seat import Seat
    from sevenbag.arena.watch import Watcher
    from sevenbag.game import Lock, Position, TopOut

T = TypeVar("T")


class Table:
    """Two seats and a game.

    Attributes:
        seats: the bots.
        conditions: how they play.
        versus: the game as it stands.
        began: when the first turn began, by the monotonic clock; None before.
    """

    def __init__(
        self, seats: tuple[Seat, Seat], conditions: Conditions, watchers: Sequence[Watcher]
    ) -> None:
        self.seats = seats
        self.conditions = conditions
        opening, rules = conditions.opening, conditions.rules
        board = None if opening is None else start_board(opening, rules)
        if conditions.real_time is not None and conditions.real_time.frames:
            if board is not None:
                raise InputError("frame by frame, games begin on empty boards")
            self.versus: Versus = KeyedVersus(rules, conditions.seed)
        else:
            self.versus = Versus(
                rules,
                conditions.seed,
                frames_per_turn=conditions.frames_per_turn,
                boards=(board, board),
            )
        self.began: float | None = None
        self._watchers = watchers
        self._turns = 0

    # --- talking to the seats -------------------------------------------------------------------

    async def ask(
        self, calls: Mapping[int, Coroutine[object, object, T]], seconds: float
    ) -> dict[int, T | None]:
        """What calls to seats come to, by seat; None for one that got stuck in its call.

        A seat keeps its own deadlines; a second after those it is no longer waited for one that
        has got stuck in them, as with a bot that will not be cancelled.
        """
        tasks = {seat: asyncio.ensure_future(call) for seat, call in calls.items()}
        try:
            await asyncio.wait(tasks.values(), timeout=seconds + _STUCK)
        except asyncio.CancelledError:
            for task in tasks.values():
                task.cancel()
            # Let them leave the bots before anybody else speaks to these.
            await asyncio.wait(tasks.values(), timeout=_STUCK)
            raise
        answers: dict[int, T | None] = {}
        for seat, task in tasks.items():
            if task.done():
                answers[seat] = task.result()
            else:
                self.seats[seat].fail(Reason.TIMEOUT, "hangs, and will not be cancelled")
                _abandon(task)
                answers[seat] = None
        return answers

    def legal(self, player: int, moves: Sequence[Placement]) -> Placement | None:
        """What of these a player can play; None if nothing, which costs it the game."""
        try:
            return first_legal(self.versus.players[player], moves)
        except PlacementError as error:
            self.seats[player].fail(Reason.ILLEGAL, str(error))
            return None

    def others(self, player: int) -> tuple[Position, ...]:
        """How the others stand, for a bot that wants to know."""
        if not self.seats[player].wants_opponents:
            return ()
        return (self.versus.players[1 - player].position(),)

    # --- telling the watchers -------------------------------------------------------------------

    def open(self, names: tuple[str, str]) -> None:
        """Tell that the game begins."""
        conditions = self.conditions
        opening = Opening(
            names=names,
            rules=conditions.rules,
            seed=conditions.seed,
            specs=conditions.specs,
            limits=(self.seats[0].limits, self.seats[1].limits),
            max_pieces=conditions.max_pieces,
            frames_per_turn=conditions.frames_per_turn,
            versus=self.versus,
            opening=conditions.opening,
            lead=conditions.lead,
            double=conditions.double,
            clocks=conditions.clocks,
            real_time=conditions.real_time,
        )
        for watcher in self._watchers:
            watcher.opened(opening)

    def tell(
        self,
        placements: tuple[Placement | None, Placement | None],
        locks: tuple[Lock | None, Lock | None],
        frame: int | None = None,
    ) -> None:
        """Tell what was played."""
        self._turns += 1
        first, second = self.seats
        turn = Turn(
            self._turns,
            placements,
            locks,
            (first.last_seconds, second.last_seconds),
            (first.last_info, second.last_info),
            self.stats(),
            frame,
        )
        for watcher in self._watchers:
            watcher.turned(turn)

    def close(self, result: Result) -> None:
        """Tell that the game is over."""
        for watcher in self._watchers:
            watcher.closed(result)

    def break_off(self, names: tuple[str, str]) -> None:
        """Tell that the game ends here, unfinished."""
        result = self.result(names, Ending.INTERRUPTED)
        for watcher in self._watchers:
            # It may be a watcher that failed: the others are told nevertheless.
            with contextlib.suppress(Exception):
                watcher.closed(result)

    # --- how it stands --------------------------------------------------------------------------

    @property
    def fallen(self) -> bool:
        """Whether somebody has lost."""
        first, second = self.seats
        return first.fall is not None or second.fall is not None or self.versus.over

    def ending(self) -> Ending | None:
        """What ends the game as it stands; None if it goes on."""
        if self.fallen:
            return Ending.FALL
        first, second = (game.stats for game in self.versus.players)
        lead, limit = self.conditions.lead, self.conditions.max_pieces
        if lead is not None and abs(first.attack - second.attack) >= lead:
            return Ending.LEAD
        if limit is not None and max(first.pieces, second.pieces) >= limit:
            return Ending.PIECES
        return None

    def stats(self) -> tuple[PlayerStats, PlayerStats]:
        """What both have done so far."""
        elapsed = time.monotonic() - self.began if self.began is not None else 0.0
        first, second = (
            PlayerStats(done.pieces, done.lines, done.attack, seat.seconds, elapsed, seat.left)
            for seat, done in zip(
                self.seats, (game.stats for game in self.versus.players), strict=True
            )
        )
        return first, second

    def result(self, names: tuple[str, str], ending: Ending) -> Result:
        """How the game ended."""
        falls = (None, None) if ending is Ending.INTERRUPTED else self._falls()
        stats = self.stats()
        winner = decide(ending, falls, stats, self.conditions.double)
        first, second = self.seats
        started = (first.started, second.started)
        return Result(names, winner, ending, falls, stats, started)

    def _falls(self) -> tuple[Fall | None, Fall | None]:
        first, second = (
            seat.fall or _top_out(game.top_out)
            for seat, game in zip(self.seats, self.versus.players, strict=True)
        )
        return first, second


# --- helpers ------------------------------------------------------------------------------------

_STUCK: Final = 1.0

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


def _top_out(reason: TopOut | None) -> Fall | None:
    return None if reason is None else Fall(Reason(reason))
