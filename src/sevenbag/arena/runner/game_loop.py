"""Loop of one game: ask the bots, lock pieces, find the end.

Pieces lock turn by turn, or at frames in real time (simulated or on the wall clock).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag._kernel import Key
from sevenbag.arena.runner.bot_session import CANCEL_SECONDS, BotSession, BotUpdate
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn
from sevenbag.errors import PlacementError
from sevenbag.game import LockResult, Player, Rules, TopOut
from sevenbag.game.frame_versus import GravityVersus
from sevenbag.game.game import MAX_FRAME
from sevenbag.game.game_config import FRAMES_PER_SECOND, RealTime
from sevenbag.game.game_result import (
    GameEnding,
    GameResult,
    Loss,
    LossReason,
    PlayerStats,
    decide_winner,
)
from sevenbag.game.rules import compile_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

T = TypeVar("T")


class GameLoop:
    """Loop that asks two bot sessions and locks their pieces in a game.

    Attributes:
        began: time of the first turn on the monotonic clock; None before.
    """

    def __init__(
        self,
        sessions: tuple[BotSession, BotSession],
        config: GameConfig,
        observers: Sequence[GameObserver],
    ) -> None:
        self.sessions = sessions
        self.config = config
        self.game = config.new_game()
        self.began: float | None = None
        self._observers = observers
        self._turns = 0

    async def run(self) -> GameEnding:
        """Play until the game is over."""
        if self.config.real_time is None:
            return await _play_turns(self)
        return await _RealTimeGame(self, self.config.real_time).run()

    async def call_bots(
        self, calls: Mapping[int, Coroutine[object, object, T]]
    ) -> dict[int, T | None]:
        """Return the results of calls to sessions; None for a call that did not return.

        Sessions keep their deadlines, and abandon calls that do not end.
        """
        if not calls:
            return {}
        finished = asyncio.get_running_loop().create_future()
        waiting = set(calls)

        def release(player: int) -> None:
            waiting.discard(player)
            if not waiting and not finished.done():
                finished.set_result(None)

        async def run(player: int, call: Coroutine[object, object, T]) -> T:
            try:
                return await call
            finally:
                release(player)

        tasks: dict[int, asyncio.Future[T]] = {}
        for player, call in calls.items():
            tasks[player] = task = asyncio.ensure_future(run(player, call))
            self.sessions[player].attach(task, functools.partial(release, player))
        try:
            await finished
        except asyncio.CancelledError:
            for each in tasks.values():
                each.cancel()
            # The bots must be free before another call.
            await asyncio.wait(tasks.values(), timeout=CANCEL_SECONDS)
            raise
        return {
            player: task.result() if task.done() and not task.cancelled() else None
            for player, task in tasks.items()
        }

    async def update_bot(self, player: int, update: BotUpdate) -> None:
        """Send an update to the bot of a player."""
        session, players = self.sessions[player], self.game.players
        opponents = (players[1 - player].position(),) if session.wants_opponents else ()
        await session.update(update, players[player], opponents)

    def first_legal(self, player: int, moves: Sequence[Placement]) -> Placement | None:
        """Return the first legal placement; without one, return None and the player loses."""
        try:
            return first_legal(self.game.players[player], moves)
        except PlacementError as error:
            self.sessions[player].forfeit(LossReason.ILLEGAL, str(error))
            return None

    def play_turn(
        self, first: tuple[Placement, ...] | None, second: tuple[Placement, ...] | None
    ) -> tuple[LockResult, LockResult] | None:
        """Play the first legal placement of each answer; None if a player has lost."""
        if first and second and not self.has_loser:
            # Nearly always, both first placements are legal: the game judges each of them once.
            with contextlib.suppress(PlacementError):
                return self.game.play(first[0], second[0])
        legal = [
            None if moves is None else self.first_legal(player, moves)
            for player, moves in enumerate((first, second))
        ]
        if legal[0] is None or legal[1] is None or self.has_loser:
            return None
        return self.game.play(legal[0], legal[1])

    def notify_start(self, names: tuple[str, str]) -> None:
        """Notify the observers of the start of the game."""
        limits = (self.sessions[0].limits, self.sessions[1].limits)
        start = GameStart(names, self.config, limits, self.game, self.stats)
        for observer in self._observers:
            observer.game_started(start)

    def notify_turn(
        self,
        placements: tuple[Placement | None, Placement | None],
        locks: tuple[LockResult | None, LockResult | None],
        frame: int | None = None,
    ) -> None:
        """Notify the observers of a turn."""
        self._turns += 1
        first, second = self.sessions
        turn = PlayedTurn(
            self._turns,
            placements,
            locks,
            (first.answer_seconds, second.answer_seconds),
            (first.move_info, second.move_info),
            frame,
        )
        for observer in self._observers:
            observer.turn_played(turn)

    def notify_end(self, result: GameResult) -> None:
        """Notify the observers of the end of the game."""
        for observer in self._observers:
            observer.game_ended(result)

    def abort(self, names: tuple[str, str]) -> None:
        """Notify the observers that the game ends unfinished."""
        result = self.result(names, GameEnding.INTERRUPTED)
        for observer in self._observers:
            # An observer may have failed; the others are still notified.
            with contextlib.suppress(Exception):
                observer.game_ended(result)

    @property
    def has_loser(self) -> bool:
        """Return True if a player has lost."""
        first, second = self.sessions
        return first.loss is not None or second.loss is not None or self.game.over

    def find_ending(self) -> GameEnding | None:
        """Return the reason that the game is over; None while it continues."""
        if self.has_loser:
            return GameEnding.LOSS
        first, second = (game.stats for game in self.game.players)
        lead, limit = self.config.lead, self.config.pieces
        if lead is not None and abs(first.attack - second.attack) >= lead:
            return GameEnding.LEAD
        if limit is not None and max(first.pieces, second.pieces) >= limit:
            return GameEnding.PIECES
        return None

    def stats(self) -> tuple[PlayerStats, PlayerStats]:
        """Return the statistics of both players so far."""
        elapsed = time.monotonic() - self.began if self.began is not None else 0.0
        first, second = (
            PlayerStats(
                done.pieces,
                done.lines,
                done.attack,
                session.thinking_seconds,
                elapsed,
                session.clock_seconds,
            )
            for session, done in zip(
                self.sessions, (game.stats for game in self.game.players), strict=True
            )
        )
        return first, second

    def result(self, names: tuple[str, str], ending: GameEnding) -> GameResult:
        """Return the result of the game."""
        losses = (None, None) if ending is GameEnding.INTERRUPTED else self._losses()
        stats = self.stats()
        winner = decide_winner(ending, losses, stats, self.config.double)
        first, second = self.sessions
        started = (first.started, second.started)
        return GameResult(names, winner, ending, losses, stats, started)

    def _losses(self) -> tuple[Loss | None, Loss | None]:
        first, second = (
            session.loss or _top_out_loss(game.top_out)
            for session, game in zip(self.sessions, self.game.players, strict=True)
        )
        return first, second


def _top_out_loss(reason: TopOut | None) -> Loss | None:
    return None if reason is None else Loss(LossReason(reason))


def first_legal(game: Player, moves: Sequence[Placement]) -> Placement:
    """Return the first legal placement, with its spin.

    Raises:
        PlacementError: no placement is legal; the message is about the first one.
    """
    problem: PlacementError | None = None
    for move in moves:
        try:
            return game.find_move(move)
        except PlacementError as error:
            problem = problem or error
    raise problem or PlacementError("there is no move")


async def _play_turns(loop: GameLoop) -> GameEnding:
    pace = 1 / loop.config.pps if loop.config.pps else 0.0
    updates = [BotUpdate(), BotUpdate()]
    due = loop.began = time.monotonic()
    while True:
        answers = await loop.call_bots(
            {player: _ask_in_time(loop, player, updates[player], due) for player in (0, 1)}
        )
        locks = loop.play_turn(answers[0], answers[1])
        if locks is not None:
            due = max(due + pace, time.monotonic())
            first, second = locks
            loop.notify_turn((first.placement, second.placement), locks)
            updates = [BotUpdate.after_lock(lock) for lock in locks]
        ending = loop.find_ending()
        if ending is not None:
            return ending


async def _ask_in_time(
    loop: GameLoop, player: int, update: BotUpdate, due: float
) -> tuple[Placement, ...] | None:
    # The update is sent at once, so that a bot can think until the turn is due.
    await loop.update_bot(player, update)
    waiting = due - time.monotonic()
    if waiting > 0:
        await asyncio.sleep(waiting)
    return await loop.sessions[player].suggest()


def count_key_frames(game: Player, placement: Placement, rules: Rules) -> int:
    """Return the frames that the keys of a placement take under the rules' delays.

    The path has the fewest keys; hold is one more. If a soft drop is part of it, every row that the
    piece falls counts.
    """
    delays = rules.delays
    if not delays.key and not delays.row:
        return 0
    spawn = game.spawn or (rules.spawn.x, rules.spawn.y)
    # The previous lock has cleared rows exactly if there is a combo.
    path = compile_rules(rules).find_path(game.board, placement, game.combo > 0)
    keys = path if path is not None else [Key.HARD_DROP]
    held = placement.piece != game.current
    frames = (len(keys) + held) * delays.key
    if not _DROPS.isdisjoint(keys):
        frames += max(0, spawn[1] - placement.y) * delays.row
    return frames


def min_lock_frames(lock: LockResult, rules: Rules) -> int:
    """Return the frames from a lock until the next piece appears."""
    delays = rules.delays
    if lock.perfect_clear:
        clear = delays.perfect_clear
    else:
        clear = delays.clears[min(lock.lines, len(delays.clears) - 1)] if lock.lines else 0
    return clear + delays.spawn


_DROPS: Final = frozenset({Key.SOFT_DROP, Key.SONIC_DROP})


@dataclass(slots=True)
class _RealTimePlayer:
    """State of one player in a real-time game.

    Attributes:
        appears: frame at which its piece appears, or has appeared.
        choice: placement of its piece; None until its bot has answered.
        locks: frame at which its piece locks.
        paced: frame at which its previous piece locked according to its pace.
        task: call of its bot, on the wall clock.
        outdated: garbage has changed the board since that call.
    """

    appears: int = 0
    update: BotUpdate = field(default_factory=BotUpdate)
    choice: Placement | None = None
    locks: float = 0.0
    paced: float = 0.0
    task: asyncio.Task[tuple[Placement, ...] | None] | None = None
    outdated: bool = False

    @property
    def next_frame(self) -> int:
        """Return the frame of the next event: the piece locks or appears."""
        return self.appears if self.choice is None else math.ceil(self.locks)


class _RealTimeGame:
    def __init__(self, loop: GameLoop, timing: RealTime) -> None:
        self._loop = loop
        self._timing = timing
        self._rules = loop.config.rules
        self._sides = (_RealTimePlayer(), _RealTimePlayer())
        self._intervals = tuple(FRAMES_PER_SECOND / pps for pps in timing.pps)
        self._began = 0.0

    async def run(self) -> GameEnding:
        self._began = self._loop.began = time.monotonic()
        return await (self._run_by_wall_clock() if self._timing.wall else self._run_simulated())

    async def _run_simulated(self) -> GameEnding:
        frame = 0
        while True:
            await self._ask_bots(frame)
            ending = self._loop.find_ending()
            if ending is None:
                frame = min(side.next_frame for side in self._sides)
                self._lock(frame)
                ending = self._loop.find_ending()
            if ending is not None:
                return ending

    async def _ask_bots(self, frame: int) -> None:
        """Ask the bots that have a piece without a placement."""
        answers = await self._loop.call_bots(
            {
                player: self._ask(player)
                for player, side in enumerate(self._sides)
                if side.choice is None and side.appears <= frame
            }
        )
        for player, moves in answers.items():
            if moves is not None:
                self._choose(player, moves, self._thinking_frames(self._loop.sessions[player]))

    def _thinking_frames(self, session: BotSession) -> float:
        """Return the duration of an answer in simulated time, in frames."""
        limits = session.granted_limits
        seconds = (limits.milliseconds or 0.0) / 1000
        if limits.nodes is not None and self._timing.nps is not None:
            by_nodes = limits.nodes / self._timing.nps
            seconds = min(seconds, by_nodes) if seconds else by_nodes
        return seconds * FRAMES_PER_SECOND

    async def _run_by_wall_clock(self) -> GameEnding:
        try:
            while True:
                self._start_calls()
                await self._wait_for_event()
                self._collect_answers()
                ending = self._loop.find_ending()
                while ending is None:
                    frame = self._due_frame()
                    if frame is None:
                        break
                    self._lock(frame)
                    ending = self._loop.find_ending()
                if ending is not None:
                    return ending
        finally:
            tasks = [side.task for side in self._sides if side.task is not None]
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    def _now(self) -> float:
        return (time.monotonic() - self._began) * FRAMES_PER_SECOND

    def _start_calls(self) -> None:
        now = self._now()
        for player, side in enumerate(self._sides):
            if side.choice is None and side.task is None and side.appears <= now:
                side.task = asyncio.create_task(self._ask_alone(player))

    async def _ask_alone(self, player: int) -> tuple[Placement, ...] | None:
        return (await self._loop.call_bots({player: self._ask(player)}))[player]

    async def _wait_for_event(self) -> None:
        """Wait until a bot answers, a piece locks or one appears."""
        tasks = [side.task for side in self._sides if side.task is not None]
        frames = [side.next_frame for side in self._sides if side.task is None]
        seconds = None
        if frames:
            seconds = max(0.0, (min(frames) - self._now()) / FRAMES_PER_SECOND)
        if tasks:
            await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(seconds or 0.0)

    def _collect_answers(self) -> None:
        for player, side in enumerate(self._sides):
            if side.task is not None and side.task.done():
                moves, side.task = side.task.result(), None
                outdated, side.outdated = side.outdated, False
                if moves is not None and not outdated:
                    self._choose(player, moves, max(0.0, self._now() - side.appears))

    def _due_frame(self) -> int | None:
        """Return the frame of the next lock if it has passed."""
        due = [side.next_frame for side in self._sides if side.choice is not None]
        return min(due) if due and min(due) <= self._now() else None

    async def _ask(self, player: int) -> tuple[Placement, ...] | None:
        await self._loop.update_bot(player, self._sides[player].update)
        return await self._loop.sessions[player].suggest()

    def _choose(self, player: int, moves: tuple[Placement, ...], thinking: float) -> None:
        """Choose a placement and the frame at which it locks."""
        side, game = self._sides[player], self._loop.game.players[player]
        choice = self._loop.first_legal(player, moves)
        if choice is None:
            return
        ready = side.appears + thinking + count_key_frames(game, choice, self._rules)
        # Never two at the same frame, nor in the past of the game.
        earliest = max(game.frame + 1, self._loop.game.frame)
        side.paced = max(side.paced + self._intervals[player], ready)
        side.locks = max(side.paced, earliest)
        side.choice = choice

    def _lock(self, frame: int) -> None:
        """Lock the pieces that are due at a frame."""
        first, second = (
            side.choice if side.choice is not None and side.next_frame <= frame else None
            for side in self._sides
        )
        if first is None and second is None:
            return
        game, choices = self._loop.game, (first, second)
        before = [player.stats.garbage_entered for player in game.players]
        # As with turns, time stands still after a day.
        locks = game.lock_at(min(max(frame, game.frame), MAX_FRAME), first, second)
        by_itself = isinstance(game, GravityVersus) and game.locked_by_itself
        self._loop.notify_turn((None, None) if by_itself else choices, locks, game.frame)
        for player, (side, lock) in enumerate(zip(self._sides, locks, strict=True)):
            entered = game.players[player].stats.garbage_entered > before[player]
            if lock is None and not entered:
                continue
            # The board has changed: by a lock, or by garbage that enters without one.
            intended = lock is not None and not entered and _is_at(lock, choices[player])
            side.update = BotUpdate.after_lock(lock) if lock and intended else BotUpdate()
            side.choice = None
            side.outdated = side.task is not None
            if lock is None:
                side.appears = max(side.appears, game.frame)
            else:
                side.appears = game.frame + min_lock_frames(lock, self._rules)


def _is_at(lock: LockResult, choice: Placement | None) -> bool:
    """Return True if a piece locked at the chosen placement."""
    return choice is not None and set(lock.placement.cells) == set(choice.cells)
