"""Loop of one game: ask the bots, lock pieces, find the end.

Pieces lock turn by turn, or at frames in real time (simulated or on the wall clock).
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sevenbag._kernel import Key
from sevenbag.arena.runner.bot_session import BotDeadlines, GameClock
from sevenbag.arena.runner.observers import GameStart, PlayedTurn
from sevenbag.bots.bot import Limits
from sevenbag.errors import InputError, PlacementError
from sevenbag.game import Versus
from sevenbag.game.game import LAST_FRAME
from sevenbag.game.game_config import (
    DEFAULT_FRAMES_PER_TURN,
    FRAMES_PER_SECOND,
    DoubleTopOut,
    RealTime,
    opening_board,
)
from sevenbag.game.game_result import (
    GameEnding,
    GameResult,
    Loss,
    LossReason,
    PlayerStats,
    decide_winner,
)
from sevenbag.game.keyed_versus import KeyedVersus
from sevenbag.game.rules import kernel_rules

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.arena.runner.bot_session import BotSession
    from sevenbag.arena.runner.observers import GameObserver
    from sevenbag.game import Lock, Player, Position, Rules, TopOut
    from sevenbag.game.game_config import RealTime


@dataclass(frozen=True, slots=True)
class GameConfig:
    """Under which a game is played.

    Attributes:
        rules: the rules.
        seed: what the pieces and the garbage follow from.
        limits: what each bot may spend on a move, as far as it heeds limits.
        specs: by which specification each bot was called for, for those who want to know.
        max_pieces: after so many pieces each, more attack wins; in real time as soon as one has
            placed so many. None for no limit.
        frames_per_turn: game time of a turn, in which garbage travels; of no matter in real time.
        pps: turns begin at most so often in a second of real time; None for as fast as can be.
        deadlines: how long a bot may take over each step.
        clocks: for each bot the time it has for all its moves; None for no such limit.
        lead: who has made so many more lines of attack has won; None for no such end.
        double: what both topping out at once is: a draw, or won by more attack.
        opening: a fumen, on the field of whose first page both begin; None for an empty board.
        real_time: how time passes where players do not take turns; None: they do.
    """

    rules: Rules
    seed: int
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    specs: tuple[str, str] = ("", "")
    max_pieces: int | None = None
    frames_per_turn: int = DEFAULT_FRAMES_PER_TURN
    pps: float | None = None
    deadlines: BotDeadlines = field(default_factory=BotDeadlines)
    clocks: tuple[GameClock | None, GameClock | None] = (None, None)
    lead: int | None = None
    double: DoubleTopOut = "draw"
    opening: str | None = None
    real_time: RealTime | None = None


T = TypeVar("T")


class GameLoop:
    """Two seats and a game.

    Attributes:
        seats: the bots.
        conditions: how they play.
        versus: the game as it stands.
        began: when the first turn began, by the monotonic clock; None before.
    """

    def __init__(
        self,
        seats: tuple[BotSession, BotSession],
        conditions: GameConfig,
        watchers: Sequence[GameObserver],
    ) -> None:
        self.seats = seats
        self.conditions = conditions
        opening, rules = conditions.opening, conditions.rules
        board = None if opening is None else opening_board(opening, rules)
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
            await asyncio.wait(tasks.values(), timeout=seconds + _CANCEL_SECONDS)
        except asyncio.CancelledError:
            for task in tasks.values():
                task.cancel()
            # Let them leave the bots before anybody else speaks to these.
            await asyncio.wait(tasks.values(), timeout=_CANCEL_SECONDS)
            raise
        answers: dict[int, T | None] = {}
        for seat, task in tasks.items():
            if task.done():
                answers[seat] = task.result()
            else:
                self.seats[seat].fail(LossReason.TIMEOUT, "hangs, and will not be cancelled")
                _abandon(task)
                answers[seat] = None
        return answers

    def legal(self, player: int, moves: Sequence[Placement]) -> Placement | None:
        """What of these a player can play; None if nothing, which costs it the game."""
        try:
            return first_legal(self.versus.players[player], moves)
        except PlacementError as error:
            self.seats[player].fail(LossReason.ILLEGAL, str(error))
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
        opening = GameStart(
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
        turn = PlayedTurn(
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

    def close(self, result: GameResult) -> None:
        """Tell that the game is over."""
        for watcher in self._watchers:
            watcher.closed(result)

    def break_off(self, names: tuple[str, str]) -> None:
        """Tell that the game ends here, unfinished."""
        result = self.result(names, GameEnding.INTERRUPTED)
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

    def ending(self) -> GameEnding | None:
        """What ends the game as it stands; None if it goes on."""
        if self.fallen:
            return GameEnding.FALL
        first, second = (game.stats for game in self.versus.players)
        lead, limit = self.conditions.lead, self.conditions.max_pieces
        if lead is not None and abs(first.attack - second.attack) >= lead:
            return GameEnding.LEAD
        if limit is not None and max(first.pieces, second.pieces) >= limit:
            return GameEnding.PIECES
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

    def result(self, names: tuple[str, str], ending: GameEnding) -> GameResult:
        """How the game ended."""
        falls = (None, None) if ending is GameEnding.INTERRUPTED else self._falls()
        stats = self.stats()
        winner = decide_winner(ending, falls, stats, self.conditions.double)
        first, second = self.seats
        started = (first.started, second.started)
        return GameResult(names, winner, ending, falls, stats, started)

    def _falls(self) -> tuple[Loss | None, Loss | None]:
        first, second = (
            seat.fall or _top_out_loss(game.top_out)
            for seat, game in zip(self.seats, self.versus.players, strict=True)
        )
        return first, second


_CANCEL_SECONDS: Final = 1.0

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


def _top_out_loss(reason: TopOut | None) -> Loss | None:
    return None if reason is None else Loss(LossReason(reason))


def first_legal(game: Player, moves: Sequence[Placement]) -> Placement:
    """The first of the moves that can be played, as it would count.

    Raises:
        PlacementError: none can; the message says why not the first.
    """
    why: PlacementError | None = None
    for move in moves:
        try:
            return game.judge(move)
        except PlacementError as error:
            why = why or error
    raise why or PlacementError("there is no move")


async def play_turns(table: GameLoop) -> GameEnding:
    """Play until the game is over."""
    conditions = table.conditions
    pace = 1 / conditions.pps if conditions.pps else 0.0
    news = [BotUpdate(), BotUpdate()]
    due = table.began = time.monotonic()
    while True:
        choices = await _ask_for_placements(table, news, due)
        if choices is not None:
            due = max(due + pace, time.monotonic())
            locks = table.versus.play(*choices)
            table.tell(choices, locks)
            news = [update_after_lock(lock) for lock in locks]
        ending = table.ending()
        if ending is not None:
            return ending


@dataclass(frozen=True, slots=True)
class BotUpdate:
    """What a bot hears between two of its moves; no placement means: take the new position."""

    placement: Placement | None = None
    new_pieces: tuple[Piece, ...] = ()


def update_after_lock(lock: Lock) -> BotUpdate:
    """What a bot hears of its own lock."""
    if lock.garbage:
        return BotUpdate()
    return BotUpdate(lock.placement, tuple(lock.new_pieces))


async def send_updates(table: GameLoop, player: int, news: BotUpdate) -> None:
    """Tell a bot what happened since it was asked last."""
    game, others = table.versus.players[player], table.others(player)
    if news.placement is None:
        await table.seats[player].start(game.position(), others)
    else:
        await table.seats[player].advance(news.placement, news.new_pieces, game.pending, others)


async def _ask_for_placements(
    table: GameLoop, news: Sequence[BotUpdate], due: float
) -> tuple[Placement, Placement] | None:
    """What both play; None if one of them fell instead."""
    patience = max(seat.allowed("tell") + seat.patience for seat in table.seats)
    waiting = max(0.0, due - time.monotonic())
    answers = await table.ask(
        {player: _ask_in_time(table, player, news[player], due) for player in (0, 1)},
        waiting + patience,
    )
    choices: list[Placement] = []
    for player, moves in answers.items():
        if moves is not None:
            choice = table.legal(player, moves)
            if choice is not None:
                choices.append(choice)
    return None if table.fallen else (choices[0], choices[1])


async def _ask_in_time(
    table: GameLoop, player: int, news: BotUpdate, due: float
) -> tuple[Placement, ...] | None:
    # The bot hears the news at once and is asked when the turn is due: the time between is
    # its own, as bots that think unasked expect.
    await send_updates(table, player, news)
    waiting = due - time.monotonic()
    if waiting > 0:
        await asyncio.sleep(waiting)
    return await table.seats[player].suggest()


async def play_in_real_time(table: GameLoop, timing: RealTime) -> GameEnding:
    """Play until the game is over."""
    table.began = time.monotonic()
    course = _SimulatedGame(table, timing)
    return await (course.by_the_wall() if timing.wall else course.simulated())


def count_key_frames(game: Player, placement: Placement, rules: Rules) -> int:
    """How long the keys of a placement take by the rules' delays, in frames.

    The fewest keys lead there, a key more if it comes out of hold. Where a soft drop is among them,
    every row that the piece falls counts.
    """
    delays = rules.delays
    if not delays.key and not delays.row:
        return 0
    spawn = game.spawn or (rules.spawn.x, rules.spawn.y)
    # A lock that cleared rows is what makes a combo.
    path = kernel_rules(rules).path(game.board, placement, game.combo > 0)
    keys = path if path is not None else [Key.HARD_DROP]
    held = placement.piece != game.current
    frames = (len(keys) + held) * delays.key
    if not _DROPS.isdisjoint(keys):
        frames += max(0, spawn[1] - placement.y) * delays.row
    return frames


def min_lock_frames(lock: Lock, rules: Rules) -> int:
    """How long it takes from a lock until the next piece appears, in frames."""
    delays = rules.delays
    if lock.perfect_clear:
        clear = delays.perfect_clear
    else:
        clear = delays.clears[min(lock.lines, len(delays.clears) - 1)] if lock.lines else 0
    return clear + delays.spawn


_DROPS: Final = frozenset({Key.SOFT_DROP, Key.SONIC_DROP})


@dataclass(slots=True)
class _RealTimePlayer:
    """Where a player is on its own time.

    Attributes:
        appears: the frame at which its piece appears, or has appeared.
        news: what its bot has not heard yet.
        choice: what it is going to place; None while it has to be asked.
        locks: when that locks, in frames.
        paced: when the piece before locked, as its pace counts, in frames and parts of one.
        task: the bot while it is being asked, on the wall's clock.
        outdated: whether garbage has changed the board since then.
    """

    appears: int = 0
    news: BotUpdate = field(default_factory=BotUpdate)
    choice: Placement | None = None
    locks: float = 0.0
    paced: float = 0.0
    task: asyncio.Task[tuple[Placement, ...] | None] | None = None
    outdated: bool = False


def _is_at(lock: Lock, choice: Placement | None) -> bool:
    """Whether a piece has locked where its player wanted it to."""
    return choice is not None and set(lock.placement.cells) == set(choice.cells)


class _SimulatedGame:
    def __init__(self, table: GameLoop, timing: RealTime) -> None:
        self._table = table
        self._timing = timing
        self._rules = table.conditions.rules
        self._sides = (_RealTimePlayer(), _RealTimePlayer())
        self._intervals = tuple(FRAMES_PER_SECOND / pps for pps in timing.pps)

    # --- simulated ------------------------------------------------------------------------------

    async def simulated(self) -> GameEnding:
        frame = 0
        while True:
            await self._ask_all(frame)
            ending = self._table.ending()
            if ending is not None:
                return ending
            frame = min(self._next_of(side) for side in self._sides)
            self._lock(frame)
            ending = self._table.ending()
            if ending is not None:
                return ending

    async def _ask_all(self, frame: int) -> None:
        """Ask whoever has a piece and does not know yet where it goes."""
        asked = [
            player
            for player, side in enumerate(self._sides)
            if side.choice is None and side.appears <= frame
        ]
        if not asked:
            return
        table = self._table
        seats = [table.seats[player] for player in asked]
        answers = await table.ask(
            {player: self._answer(player) for player in asked},
            max(seat.allowed("tell") + seat.patience for seat in seats),
        )
        for player, moves in answers.items():
            if moves is not None:
                self._choose(player, moves, self._granted(table.seats[player]))

    def _granted(self, seat: BotSession) -> float:
        """How long an answer takes in simulated time, in frames."""
        limits = seat.granted
        seconds = (limits.milliseconds or 0.0) / 1000
        if limits.nodes is not None and self._timing.nps is not None:
            by_nodes = limits.nodes / self._timing.nps
            seconds = min(seconds, by_nodes) if seconds else by_nodes
        return seconds * FRAMES_PER_SECOND

    # --- on the wall's clock --------------------------------------------------------------------

    async def by_the_wall(self) -> GameEnding:
        try:
            while True:
                self._ask_due()
                await self._until_something_happens()
                self._hear()
                ending = self._table.ending()
                while ending is None:
                    frame = self._due()
                    if frame is None:
                        break
                    self._lock(frame)
                    ending = self._table.ending()
                if ending is not None:
                    return ending
        finally:
            await self._call_off()

    def _now(self) -> float:
        assert self._table.began is not None
        return (time.monotonic() - self._table.began) * FRAMES_PER_SECOND

    def _ask_due(self) -> None:
        now = self._now()
        for player, side in enumerate(self._sides):
            if side.choice is None and side.task is None and side.appears <= now:
                side.task = asyncio.ensure_future(self._asked(player))

    async def _asked(self, player: int) -> tuple[Placement, ...] | None:
        table = self._table
        seat = table.seats[player]
        patience = seat.allowed("tell") + seat.patience
        return (await table.ask({player: self._answer(player)}, patience))[player]

    async def _until_something_happens(self) -> None:
        """Until a bot has answered, a piece locks, or one appears."""
        tasks = [side.task for side in self._sides if side.task is not None]
        moments = [self._next_of(side) for side in self._sides if side.task is None]
        seconds = None
        if moments:
            seconds = max(0.0, (min(moments) - self._now()) / FRAMES_PER_SECOND)
        if tasks:
            await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(seconds or 0.0)

    def _hear(self) -> None:
        for player, side in enumerate(self._sides):
            if side.task is not None and side.task.done():
                moves, side.task = side.task.result(), None
                outdated, side.outdated = side.outdated, False
                if moves is not None and not outdated:
                    self._choose(player, moves, max(0.0, self._now() - side.appears))

    def _due(self) -> int | None:
        """The next frame at which something locks, if it has come."""
        due = [math.ceil(side.locks) for side in self._sides if side.choice is not None]
        return min(due) if due and min(due) <= self._now() else None

    async def _call_off(self) -> None:
        tasks = [side.task for side in self._sides if side.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            # None of them is stuck for ever: each gives its bot up in time.
            await asyncio.wait(tasks)

    # --- both -----------------------------------------------------------------------------------

    async def _answer(self, player: int) -> tuple[Placement, ...] | None:
        await send_updates(self._table, player, self._sides[player].news)
        return await self._table.seats[player].suggest()

    def _choose(self, player: int, moves: tuple[Placement, ...], thought: float) -> None:
        """Take what a bot plays, and find when that locks."""
        side, game = self._sides[player], self._table.versus.players[player]
        choice = self._table.legal(player, moves)
        if choice is None:
            return
        ready = side.appears + thought + count_key_frames(game, choice, self._rules)
        # Never two at the same frame, nor in the past of the game.
        earliest = max(game.frame + 1, self._table.versus.frame)
        side.paced = max(side.paced + self._intervals[player], ready)
        side.locks = max(side.paced, earliest)
        side.choice = choice

    def _next_of(self, side: _RealTimePlayer) -> int:
        """When something happens to a player: its piece locks, or appears."""
        return side.appears if side.choice is None else math.ceil(side.locks)

    def _lock(self, frame: int) -> None:
        """Lock what locks at this frame."""
        placements = [
            side.choice if side.choice is not None and math.ceil(side.locks) <= frame else None
            for side in self._sides
        ]
        choices = (placements[0], placements[1])
        if choices[0] is None and choices[1] is None:
            return
        versus = self._table.versus
        before = [game.stats.garbage_entered for game in versus.players]
        # As where players take turns, time stands still after a day.
        locks = versus.lock_at(min(max(frame, versus.frame), LAST_FRAME), *choices)
        by_itself = isinstance(versus, KeyedVersus) and versus.by_itself
        self._table.tell((None, None) if by_itself else choices, locks, versus.frame)
        for player, (side, lock) in enumerate(zip(self._sides, locks, strict=True)):
            entered = versus.players[player].stats.garbage_entered > before[player]
            if lock is not None:
                side.choice = None
                # A piece that locks by itself is not waited for.
                side.outdated = side.task is not None
                meant = not entered and _is_at(lock, choices[player])
                side.news = update_after_lock(lock) if meant else BotUpdate()
                side.appears = versus.frame + min_lock_frames(lock, self._rules)
            elif entered:
                # Garbage that needs no lock has changed the board under the piece.
                side.choice = None
                side.outdated = side.task is not None
                side.news = BotUpdate()
                side.appears = max(side.appears, versus.frame)
