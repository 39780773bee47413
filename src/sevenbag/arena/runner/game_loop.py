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
    """Configuration of one game: rules, limits and timing.

    Attributes:
        rules: the rules.
        seed: seed of pieces and garbage.
        limits: limits of each bot per move, for bots that support limits.
        specs: by which specification each bot was called for, for those who want to know.
        pieces: piece limit, after which more attack wins; in real time as soon as one player has
            reached it. None for no limit.
        frames_per_turn: game time of a turn, in which garbage travels; of no matter in real time.
        pps: turns begin at most so often in a second of real time; None for as fast as can be.
        deadlines: how long a bot may take over each step.
        clocks: for each bot the time it has for all its moves; None for no such limit.
        lead: lead in lines of attack that wins the game; None for no such end.
        double: what both topping out at once is: a draw, or won by more attack.
        opening: a fumen, on the field of whose first page both begin; None for an empty board.
        real_time: how time passes where players do not take turns; None: they do.
    """

    rules: Rules
    seed: int
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    specs: tuple[str, str] = ("", "")
    pieces: int | None = None
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
    """Loop that asks two bot sessions and locks their pieces in a game.

    Attributes:
        sessions: the bots.
        config: how they play.
        game: the game as it stands.
        began: when the first turn began, by the monotonic clock; None before.
    """

    def __init__(
        self,
        sessions: tuple[BotSession, BotSession],
        config: GameConfig,
        observers: Sequence[GameObserver],
    ) -> None:
        self.sessions = sessions
        self.config = config
        opening, rules = config.opening, config.rules
        board = None if opening is None else opening_board(opening, rules)
        if config.real_time is not None and config.real_time.frames:
            if board is not None:
                raise InputError("frame by frame, games begin on empty boards")
            self.game: Versus = KeyedVersus(rules, config.seed)
        else:
            self.game = Versus(
                rules,
                config.seed,
                frames_per_turn=config.frames_per_turn,
                boards=(board, board),
            )
        self.began: float | None = None
        self._watchers = observers
        self._turns = 0

    # --- bot sessions ---------------------------------------------------------------------------

    async def call_bots(
        self, calls: Mapping[int, Coroutine[object, object, T]], seconds: float
    ) -> dict[int, T | None]:
        """Return the results of calls to sessions; None for a call that did not return.

        A session keeps its own deadlines; a second after those it is no longer waited for one that
        has got stuck in them, as with a bot that will not be cancelled.
        """
        tasks = {session: asyncio.ensure_future(call) for session, call in calls.items()}
        try:
            await asyncio.wait(tasks.values(), timeout=seconds + _CANCEL_SECONDS)
        except asyncio.CancelledError:
            for task in tasks.values():
                task.cancel()
            # Let them leave the bots before anybody else speaks to these.
            await asyncio.wait(tasks.values(), timeout=_CANCEL_SECONDS)
            raise
        answers: dict[int, T | None] = {}
        for session, task in tasks.items():
            if task.done():
                answers[session] = task.result()
            else:
                self.sessions[session].forfeit(
                    LossReason.TIMEOUT, "hangs, and will not be cancelled"
                )
                _abandon(task)
                answers[session] = None
        return answers

    def first_legal(self, player: int, moves: Sequence[Placement]) -> Placement | None:
        """Return the first legal placement; without one, return None and the player loses."""
        try:
            return first_legal(self.game.players[player], moves)
        except PlacementError as error:
            self.sessions[player].forfeit(LossReason.ILLEGAL, str(error))
            return None

    def others(self, player: int) -> tuple[Position, ...]:
        """Return the opponents' positions if the bot wants them."""
        if not self.sessions[player].wants_opponents:
            return ()
        return (self.game.players[1 - player].position(),)

    # --- observers ------------------------------------------------------------------------------

    def notify_start(self, names: tuple[str, str]) -> None:
        """Tell that the game begins."""
        config = self.config
        opening = GameStart(
            names=names,
            rules=config.rules,
            seed=config.seed,
            specs=config.specs,
            limits=(self.sessions[0].limits, self.sessions[1].limits),
            pieces=config.pieces,
            frames_per_turn=config.frames_per_turn,
            game=self.game,
            opening=config.opening,
            lead=config.lead,
            double=config.double,
            clocks=config.clocks,
            real_time=config.real_time,
        )
        for observer in self._watchers:
            observer.game_started(opening)

    def notify_turn(
        self,
        placements: tuple[Placement | None, Placement | None],
        locks: tuple[Lock | None, Lock | None],
        frame: int | None = None,
    ) -> None:
        """Tell what was played."""
        self._turns += 1
        first, second = self.sessions
        turn = PlayedTurn(
            self._turns,
            placements,
            locks,
            (first.answer_seconds, second.answer_seconds),
            (first.move_info, second.move_info),
            self.stats(),
            frame,
        )
        for observer in self._watchers:
            observer.turn_played(turn)

    def notify_end(self, result: GameResult) -> None:
        """Tell that the game is over."""
        for observer in self._watchers:
            observer.game_ended(result)

    def abort(self, names: tuple[str, str]) -> None:
        """Tell that the game ends here, unfinished."""
        result = self.result(names, GameEnding.INTERRUPTED)
        for observer in self._watchers:
            # An observer may have failed; the others are still notified.
            with contextlib.suppress(Exception):
                observer.game_ended(result)

    # --- how it stands --------------------------------------------------------------------------

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


async def play_turns(loop: GameLoop) -> GameEnding:
    """Play until the game is over."""
    config = loop.config
    pace = 1 / config.pps if config.pps else 0.0
    update = [BotUpdate(), BotUpdate()]
    due = loop.began = time.monotonic()
    while True:
        choices = await _ask_for_placements(loop, update, due)
        if choices is not None:
            due = max(due + pace, time.monotonic())
            locks = loop.game.play(*choices)
            loop.notify_turn(choices, locks)
            update = [update_after_lock(lock) for lock in locks]
        ending = loop.find_ending()
        if ending is not None:
            return ending


@dataclass(frozen=True, slots=True)
class BotUpdate:
    """Updates sent to a bot between its moves; without a placement it gets a new position."""

    placement: Placement | None = None
    new_pieces: tuple[Piece, ...] = ()


def update_after_lock(lock: Lock) -> BotUpdate:
    """Return the update that tells a bot of its own lock."""
    if lock.garbage:
        return BotUpdate()
    return BotUpdate(lock.placement, tuple(lock.new_pieces))


async def send_updates(loop: GameLoop, player: int, update: BotUpdate) -> None:
    """Tell a bot what happened since it was asked last."""
    game, others = loop.game.players[player], loop.others(player)
    if update.placement is None:
        await loop.sessions[player].start(game.position(), others)
    else:
        await loop.sessions[player].advance(
            update.placement, update.new_pieces, game.pending, others
        )


async def _ask_for_placements(
    loop: GameLoop, update: Sequence[BotUpdate], due: float
) -> tuple[Placement, Placement] | None:
    """Return the placements of both players; None if one of them lost instead."""
    patience = max(
        session.step_timeout("tell") + session.answer_timeout for session in loop.sessions
    )
    waiting = max(0.0, due - time.monotonic())
    answers = await loop.call_bots(
        {player: _ask_in_time(loop, player, update[player], due) for player in (0, 1)},
        waiting + patience,
    )
    choices: list[Placement] = []
    for player, moves in answers.items():
        if moves is not None:
            choice = loop.first_legal(player, moves)
            if choice is not None:
                choices.append(choice)
    return None if loop.has_loser else (choices[0], choices[1])


async def _ask_in_time(
    loop: GameLoop, player: int, update: BotUpdate, due: float
) -> tuple[Placement, ...] | None:
    # The bot gets the update at once and is asked when the turn is due: the time between is
    # its own, as bots that think unasked expect.
    await send_updates(loop, player, update)
    waiting = due - time.monotonic()
    if waiting > 0:
        await asyncio.sleep(waiting)
    return await loop.sessions[player].suggest()


async def play_in_real_time(loop: GameLoop, timing: RealTime) -> GameEnding:
    """Play until the game is over."""
    loop.began = time.monotonic()
    course = _SimulatedGame(loop, timing)
    return await (course.by_the_wall() if timing.wall else course.simulated())


def count_key_frames(game: Player, placement: Placement, rules: Rules) -> int:
    """Return the frames that the keys of a placement take under the rules' delays.

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
        appears: the frame at which its piece appears, or has appeared.
        update: updates not yet sent to its bot.
        choice: what it is going to place; None while it has to be asked.
        locks: when that locks, in frames.
        paced: when the piece before locked, as its pace counts, in frames and parts of one.
        task: the bot while it is being asked, on the wall's clock.
        outdated: whether garbage has changed the board since then.
    """

    appears: int = 0
    update: BotUpdate = field(default_factory=BotUpdate)
    choice: Placement | None = None
    locks: float = 0.0
    paced: float = 0.0
    task: asyncio.Task[tuple[Placement, ...] | None] | None = None
    outdated: bool = False


def _is_at(lock: Lock, choice: Placement | None) -> bool:
    """Return True if a piece locked at the chosen placement."""
    return choice is not None and set(lock.placement.cells) == set(choice.cells)


class _SimulatedGame:
    def __init__(self, loop: GameLoop, timing: RealTime) -> None:
        self._table = loop
        self._timing = timing
        self._rules = loop.config.rules
        self._sides = (_RealTimePlayer(), _RealTimePlayer())
        self._intervals = tuple(FRAMES_PER_SECOND / pps for pps in timing.pps)

    # --- simulated ------------------------------------------------------------------------------

    async def simulated(self) -> GameEnding:
        frame = 0
        while True:
            await self._ask_all(frame)
            ending = self._table.find_ending()
            if ending is not None:
                return ending
            frame = min(self._next_of(side) for side in self._sides)
            self._lock(frame)
            ending = self._table.find_ending()
            if ending is not None:
                return ending

    async def _ask_all(self, frame: int) -> None:
        """Ask the bots that have a piece without a placement."""
        asked = [
            player
            for player, side in enumerate(self._sides)
            if side.choice is None and side.appears <= frame
        ]
        if not asked:
            return
        loop = self._table
        sessions = [loop.sessions[player] for player in asked]
        answers = await loop.call_bots(
            {player: self._answer(player) for player in asked},
            max(session.step_timeout("tell") + session.answer_timeout for session in sessions),
        )
        for player, moves in answers.items():
            if moves is not None:
                self._choose(player, moves, self._granted(loop.sessions[player]))

    def _granted(self, session: BotSession) -> float:
        """Return the duration of an answer in simulated time, in frames."""
        limits = session.granted_limits
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
                self._collect_answers()
                ending = self._table.find_ending()
                while ending is None:
                    frame = self._due()
                    if frame is None:
                        break
                    self._lock(frame)
                    ending = self._table.find_ending()
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
        loop = self._table
        session = loop.sessions[player]
        patience = session.step_timeout("tell") + session.answer_timeout
        return (await loop.call_bots({player: self._answer(player)}, patience))[player]

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

    def _collect_answers(self) -> None:
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
        await send_updates(self._table, player, self._sides[player].update)
        return await self._table.sessions[player].suggest()

    def _choose(self, player: int, moves: tuple[Placement, ...], thought: float) -> None:
        """Take what a bot plays, and find when that locks."""
        side, game = self._sides[player], self._table.game.players[player]
        choice = self._table.first_legal(player, moves)
        if choice is None:
            return
        ready = side.appears + thought + count_key_frames(game, choice, self._rules)
        # Never two at the same frame, nor in the past of the game.
        earliest = max(game.frame + 1, self._table.game.frame)
        side.paced = max(side.paced + self._intervals[player], ready)
        side.locks = max(side.paced, earliest)
        side.choice = choice

    def _next_of(self, side: _RealTimePlayer) -> int:
        """Return the frame of a player's next event: its piece locks or appears."""
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
        versus = self._table.game
        before = [game.stats.garbage_entered for game in versus.players]
        # As where players take turns, time stands still after a day.
        locks = versus.lock_at(min(max(frame, versus.frame), LAST_FRAME), *choices)
        by_itself = isinstance(versus, KeyedVersus) and versus.by_itself
        self._table.notify_turn((None, None) if by_itself else choices, locks, versus.frame)
        for player, (side, lock) in enumerate(zip(self._sides, locks, strict=True)):
            entered = versus.players[player].stats.garbage_entered > before[player]
            if lock is not None:
                side.choice = None
                # A piece that locks by itself is not waited for.
                side.outdated = side.task is not None
                meant = not entered and _is_at(lock, choices[player])
                side.update = update_after_lock(lock) if meant else BotUpdate()
                side.appears = versus.frame + min_lock_frames(lock, self._rules)
            elif entered:
                # Garbage that needs no lock has changed the board under the piece.
                side.choice = None
                side.outdated = side.task is not None
                side.update = BotUpdate()
                side.appears = max(side.appears, versus.frame)
