"""Real time: each player has a time of its own, and garbage travels in frames.

A piece appears; its bot is asked at once, with the garbage that waits by then; the piece locks when
the pace, the thinking and the keys allow it; what a clear takes and the spawn delay pass; the next
one appears. What locks at the same frame locks before what both sent sets out.

In simulated time the game waits for its bots, and each answer takes as long as its limits grant:
the same game on every machine. On the wall's clock an answer takes as long as it takes.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Key
from sevenbag.arena.conditions import FRAMES_PER_SECOND
from sevenbag.arena.turns import News, news_of, tell_news
from sevenbag.game.game import LAST_FRAME
from sevenbag.game.keyed_versus import KeyedVersus
from sevenbag.game.rules import kernel_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Lock, Placement
    from sevenbag.arena.conditions import RealTime
    from sevenbag.arena.result import Ending
    from sevenbag.arena.seat import Seat
    from sevenbag.arena.table import Table
    from sevenbag.game import Player, Rules


async def play_in_real_time(table: Table, timing: RealTime) -> Ending:
    """Play until the game is over."""
    table.began = time.monotonic()
    course = _Course(table, timing)
    return await (course.by_the_wall() if timing.wall else course.simulated())


def key_frames(game: Player, placement: Placement, rules: Rules) -> int:
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


def lock_frames(lock: Lock, rules: Rules) -> int:
    """How long it takes from a lock until the next piece appears, in frames."""
    delays = rules.delays
    if lock.perfect_clear:
        clear = delays.perfect_clear
    else:
        clear = delays.clears[min(lock.lines, len(delays.clears) - 1)] if lock.lines else 0
    return clear + delays.spawn


# --- helpers ------------------------------------------------------------------------------------

_DROPS: Final = frozenset({Key.SOFT_DROP, Key.SONIC_DROP})


@dataclass(slots=True)
class _Side:
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
    news: News = field(default_factory=News)
    choice: Placement | None = None
    locks: float = 0.0
    paced: float = 0.0
    task: asyncio.Task[tuple[Placement, ...] | None] | None = None
    outdated: bool = False


def _is_at(lock: Lock, choice: Placement | None) -> bool:
    """Whether a piece has locked where its player wanted it to."""
    return choice is not None and set(lock.placement.cells) == set(choice.cells)


class _Course:
    def __init__(self, table: Table, timing: RealTime) -> None:
        self._table = table
        self._timing = timing
        self._rules = table.conditions.rules
        self._sides = (_Side(), _Side())
        self._intervals = tuple(FRAMES_PER_SECOND / pps for pps in timing.pps)

    # --- simulated ------------------------------------------------------------------------------

    async def simulated(self) -> Ending:
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

    def _granted(self, seat: Seat) -> float:
        """How long an answer takes in simulated time, in frames."""
        limits = seat.granted
        seconds = (limits.milliseconds or 0.0) / 1000
        if limits.nodes is not None and self._timing.nps is not None:
            by_nodes = limits.nodes / self._timing.nps
            seconds = min(seconds, by_nodes) if seconds else by_nodes
        return seconds * FRAMES_PER_SECOND

    # --- on the wall's clock --------------------------------------------------------------------

    async def by_the_wall(self) -> Ending:
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
        await tell_news(self._table, player, self._sides[player].news)
        return await self._table.seats[player].suggest()

    def _choose(self, player: int, moves: tuple[Placement, ...], thought: float) -> None:
        """Take what a bot plays, and find when that locks."""
        side, game = self._sides[player], self._table.versus.players[player]
        choice = self._table.legal(player, moves)
        if choice is None:
            return
        ready = side.appears + thought + key_frames(game, choice, self._rules)
        # Never two at the same frame, nor in the past of the game.
        earliest = max(game.frame + 1, self._table.versus.frame)
        side.paced = max(side.paced + self._intervals[player], ready)
        side.locks = max(side.paced, earliest)
        side.choice = choice

    def _next_of(self, side: _Side) -> int:
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
                side.news = news_of(lock) if meant else News()
                side.appears = versus.frame + lock_frames(lock, self._rules)
            elif entered:
                # Garbage that needs no lock has changed the board under the piece.
                side.choice = None
                side.outdated = side.task is not None
                side.news = News()
                side.appears = max(side.appears, versus.frame)
