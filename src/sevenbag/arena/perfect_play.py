"""A game of perfect clears, one after another, played key by key in real time.

A thread solves ahead: it plays the same game without showing it, and hands over each perfect clear
as it finds it. So the speed of the game is the one asked for, as long as solving is faster.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, Self

from sevenbag._kernel import Kicks, Piece, Placement, Rotation, StopFlag
from sevenbag.errors import SevenbagError
from sevenbag.game import Game, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Board

AHEAD: Final = 128
"""Perfect clears that wait to be played, at most."""

HOLD: Final = "HOLD"
SOFT_DROP: Final = "SOFT_DROP"
HARD_DROP: Final = "HARD_DROP"

RULES: Final = "tetrio-season-1"
"""The preset whose attacks are counted; rotation system and previews are the demo's own."""

# Within the rows that are seen, and above all that perfect clears of so few pieces fill.
_SPAWN: Final = (4, 18)
_MOST_PREVIEWS: Final = 32
# Nobody catches up with so many seconds without a burst that looks broken.
_LATE: Final = 0.25
_TURNS: Final = {"CW": 1, "FLIP": 2, "CCW": 3}


class Solve(Protocol):
    """A solver of the empty field: placements for these pieces, or None if there are none."""

    def __call__(
        self, queue: Sequence[Piece], hold: Piece | None, stop: StopFlag
    ) -> Sequence[Placement] | None:
        """Solve; None also when stopped."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A perfect clear that was found ahead, and how long that took."""

    placements: tuple[Placement, ...]
    seconds: float


def demo_rules(kicks: Kicks | str, pieces: int) -> Rules:
    """Rules under which so many pieces of the queue are seen, at most 33."""
    rules = Rules.preset(RULES)
    previews = min(max(pieces - 1, 5), _MOST_PREVIEWS)
    return replace(rules, pieces=replace(rules.pieces, previews=previews, kicks=kicks))


class Planner:
    """Finds perfect clears ahead, in a thread of its own; a context, which ends that.

    Attributes:
        failure: why there is no further one; None while all is well.
    """

    def __init__(self, rules: Rules, seed: int, solve: Solve) -> None:
        self._plans: queue.Queue[Plan] = queue.Queue(AHEAD)
        self._stop = StopFlag()
        self._stopped = threading.Event()
        self._game = Game(rules, seed)
        self._solve = solve
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.failure: str | None = None

    @property
    def waiting(self) -> int:
        """Perfect clears that wait to be played."""
        return self._plans.qsize()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._stop.set()
        self._thread.join()

    def take(self) -> Plan | None:
        """The next perfect clear; None if none is ready."""
        try:
            return self._plans.get_nowait()
        except queue.Empty:
            return None

    # --- private --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                plan = self._planned()
                if plan is None:
                    return
                while not self._stopped.is_set():
                    try:
                        self._plans.put(plan, timeout=0.1)
                        break
                    except queue.Full:
                        continue
        except SevenbagError as error:
            self.failure = str(error)

    def _planned(self) -> Plan | None:
        began = time.perf_counter()
        placements = self._solve(self._game.queue, self._game.hold, self._stop)
        seconds = time.perf_counter() - began
        if placements is None:
            if not self._stopped.is_set():
                self.failure = "SolutionTooLong"
            return None
        for placement in placements:
            self._game.play(placement, frame=0)
        return Plan(tuple(placements), seconds)


@dataclass(frozen=True, slots=True)
class Press:
    """A key, and what it makes of the falling piece."""

    key: str
    before: Placement
    after: Placement


class PerfectPlay:
    """The game as it is played.

    Attributes:
        game: as it stands; the falling piece is not on its board.
        falling: the piece in the air; None between two perfect clears.
        pressed: the last keys, with the time of each.
        cleared_at: when the last perfect clear was made; None before the first.
        perfect_clears: how many were made.
        pps: pieces a second that are wanted.
        plan_seconds: how long the perfect clear that is played took to find.

    Args:
        planner: where perfect clears come from, for the same rules and seed.
        now: the time, of a clock that only runs forward.
    """

    def __init__(self, rules: Rules, seed: int, planner: Planner, pps: float, now: float) -> None:
        self.game = Game(rules, seed)
        self.falling: Placement | None = None
        self.pressed: deque[tuple[str, float]] = deque(maxlen=16)
        self.cleared_at: float | None = None
        self.perfect_clears = 0
        self.pps = pps
        self.plan_seconds = 0.0
        kicks = rules.pieces.kicks
        self._kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
        self._planner = planner
        self._presses: deque[Press] = deque()
        self._due = now
        self._slot = 0.0
        self._played = 0.0
        self._clock = now

    @property
    def seconds(self) -> float:
        """How long it has been played, pauses left out."""
        return self._played

    def pause(self, now: float) -> None:
        """Let time pass without anything happening."""
        self._due += now - self._clock
        self._clock = now

    def advance(self, now: float) -> None:
        """Press every key that is due."""
        self._played += now - self._clock
        self._clock = now
        if now - self._due > _LATE:
            self._due = now
        while self._due <= now:
            if not self._presses and not self._begin():
                self._due = now
                return
            self._press(now)
            self._due += self._slot

    def falling_at(self, now: float) -> Placement | None:
        """The falling piece; a soft drop is spread over the time of its key."""
        piece = self.falling
        if piece is None or not self._presses or self._slot <= 0:
            return piece
        press = self._presses[0]
        if press.key != SOFT_DROP:
            return piece
        share = 1 - min(1.0, max(0.0, (self._due - now) / self._slot))
        fallen = round((press.before.y - press.after.y) * share)
        return Placement(piece.piece, piece.rotation, piece.x, press.before.y - fallen)

    # --- private --------------------------------------------------------------------------------

    def _begin(self) -> bool:
        """Take the next perfect clear; False if none is ready."""
        plan = self._planner.take()
        if plan is None:
            return False
        board = self.game.board
        current, hold = self.game.current, self.game.hold
        coming = list(self.game.queue[1:])
        for placement in plan.placements:
            if placement.piece is not current:
                self._presses.append(Press(HOLD, _spawned(current), _spawned(placement.piece)))
                if hold is None:
                    coming.pop(0)
                hold = current
            self._presses += _presses(board, placement, self._kicks)
            board.lock(placement)
            current = coming.pop(0) if coming else Piece.I
        self._slot = len(plan.placements) / (self.pps * len(self._presses))
        self.plan_seconds = plan.seconds
        self.falling = self._presses[0].before
        return True

    def _press(self, now: float) -> None:
        press = self._presses.popleft()
        self.pressed.append((press.key, now))
        self.falling = press.after
        if press.key == HARD_DROP:
            lock = self.game.play(press.after, frame=0)
            if lock.perfect_clear:
                self.perfect_clears += 1
                self.cleared_at = now
            self.falling = self._presses[0].before if self._presses else None


# --- helpers ------------------------------------------------------------------------------------


def _spawned(piece: Piece) -> Placement:
    return Placement(piece, Rotation.NORTH, *_SPAWN)


def _presses(board: Board, placement: Placement, kicks: Kicks) -> list[Press]:
    """The fewest keys to a placement; drops by one row are one key as long as it is held."""
    keys = board.path(placement, kicks, spawn=_SPAWN)
    if keys is None:
        raise SevenbagError(f"{placement} cannot be reached")
    presses: list[Press] = []
    piece = _spawned(placement.piece)
    for key in keys:
        after = _after(board, piece, key.name, kicks)
        name = SOFT_DROP if key.name == "SONIC_DROP" else key.name
        if name == SOFT_DROP and presses and presses[-1].key == SOFT_DROP:
            presses[-1] = Press(SOFT_DROP, presses[-1].before, after)
        else:
            presses.append(Press(name, piece, after))
        piece = after
    return presses


def _after(board: Board, piece: Placement, key: str, kicks: Kicks) -> Placement:
    kind, rotation, x, y = piece.piece, piece.rotation, piece.x, piece.y
    if key in _TURNS:
        turned = board.rotate(piece, Rotation((rotation + _TURNS[key]) % 4), kicks)
        return turned[0] if turned is not None else piece
    if key in ("LEFT", "RIGHT"):
        return Placement(kind, rotation, x + (1 if key == "RIGHT" else -1), y)
    if key == SOFT_DROP:
        return Placement(kind, rotation, x, y - 1)
    return landed(board, piece)


def landed(board: Board, piece: Placement) -> Placement:
    """Where a piece comes to lie if it falls straight down."""
    y = piece.y
    while board.fits(Placement(piece.piece, piece.rotation, piece.x, y - 1)):
        y -= 1
    return Placement(piece.piece, piece.rotation, piece.x, y)
