"""Demonstrate perfect clears on a terminal: the game, the search ahead, and the view."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

from rich.text import Text

from sevenbag._kernel import Kicks, Piece, Placement, Rotation, StopFlag
from sevenbag.arena.terminal.terminal_screen import (
    CELL_COLUMNS,
    FAINT_STYLE,
    LABEL_STYLE,
    VALUE_STYLE,
    WINNER_STYLE,
    center_lines,
    clip_to_width,
    frame_rows,
    join_columns,
    render_half_rows,
    render_heading,
    render_piece,
    render_row,
)
from sevenbag.errors import SevenbagError
from sevenbag.game import Game, Rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board


MAX_QUEUED_PLANS: Final = 128
"""Maximum number of queued perfect clears."""

HOLD_KEY: Final = "HOLD"
SOFT_DROP_KEY: Final = "SOFT_DROP"
HARD_DROP_KEY: Final = "HARD_DROP"

DEMO_RULES: Final = "tetrio-season-1"
"""Preset of the attack table; rotation system and previews are those of the demo."""

# Visible, and above all rows that perfect clears of few pieces fill.
_SPAWN: Final = (4, 18)
_MAX_PREVIEWS: Final = 32
# After a longer pause, catching up would show a burst of moves.
_LATE: Final = 0.25
_TURNS: Final = {"CW": 1, "FLIP": 2, "CCW": 3}


class PcSolveFunction(Protocol):
    """Solver of the empty field."""

    def __call__(
        self, queue: Sequence[Piece], hold: Piece | None, stop: StopFlag
    ) -> Sequence[Placement] | None:
        """Return placements of these pieces; None if there are none, or if stopped."""


@dataclass(frozen=True, slots=True)
class PcPlan:
    """Perfect clear and the time that its search took."""

    placements: tuple[Placement, ...]
    seconds: float


def pc_demo_rules(kicks: Kicks | str, pieces: int) -> Rules:
    """Return rules with this number of previews, at most 33."""
    rules = Rules.preset(DEMO_RULES)
    previews = min(max(pieces - 1, 5), _MAX_PREVIEWS)
    changes = {"pieces": {"previews": previews, "kicks": kicks}}
    return rules.replace(changes, name=rules.name)


class PcLookahead:
    """Find perfect clears ahead in a thread; a context manager that ends the thread.

    Attributes:
        error: reason why there are no further perfect clears; None without an error.
    """

    def __init__(self, rules: Rules, seed: int, solve: PcSolveFunction) -> None:
        self._plans: queue.Queue[PcPlan] = queue.Queue(MAX_QUEUED_PLANS)
        self._stop = StopFlag()
        self._stopped = threading.Event()
        self._game = Game(rules, seed)
        self._solve = solve
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.error: str | None = None

    @property
    def queued(self) -> int:
        """Return the number of queued perfect clears."""
        return self._plans.qsize()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._stop.set()
        self._thread.join()

    def pop(self) -> PcPlan | None:
        """Return the next perfect clear; None if the queue is empty."""
        try:
            return self._plans.get_nowait()
        except queue.Empty:
            return None

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
            self.error = str(error)

    def _planned(self) -> PcPlan | None:
        began = time.perf_counter()
        placements = self._solve(self._game.queue, self._game.hold, self._stop)
        seconds = time.perf_counter() - began
        if placements is None:
            if not self._stopped.is_set():
                self.error = "SolutionTooLong"
            return None
        for placement in placements:
            self._game.play(placement, frame=0)
        return PcPlan(tuple(placements), seconds)


@dataclass(frozen=True, slots=True)
class KeyPress:
    """Key and its effect on the falling piece."""

    key: str
    before: Placement
    after: Placement


class PcDemoGame:
    """Game of the demo.

    Attributes:
        game: game; the falling piece is not on its board.
        falling: falling piece; None between two perfect clears.
        recent_keys: last keys and their times.
        last_clear_time: time of the last perfect clear; None before the first.
        solve_seconds: search time of the current perfect clear.

    Args:
        planner: source of perfect clears, for the same rules and seed.
        now: time of a monotonic clock.
    """

    def __init__(
        self, rules: Rules, seed: int, planner: PcLookahead, pps: float, now: float
    ) -> None:
        self.game = Game(rules, seed)
        self.falling: Placement | None = None
        self.recent_keys: deque[tuple[str, float]] = deque(maxlen=16)
        self.last_clear_time: float | None = None
        self.perfect_clears = 0
        self.pps = pps
        self.solve_seconds = 0.0
        self._kicks = rules.pieces.kicks
        self._planner = planner
        self._presses: deque[KeyPress] = deque()
        self._due = now
        self._slot = 0.0
        self._played = 0.0
        self._clock = now

    @property
    def elapsed_seconds(self) -> float:
        """Return the elapsed seconds without pauses."""
        return self._played

    def pause(self, now: float) -> None:
        """Let time pass without pressing keys."""
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
        """Return the falling piece; a soft drop lasts as long as its key."""
        piece = self.falling
        if piece is None or not self._presses or self._slot <= 0:
            return piece
        press = self._presses[0]
        if press.key != SOFT_DROP_KEY:
            return piece
        share = 1 - min(1.0, max(0.0, (self._due - now) / self._slot))
        fallen = round((press.before.y - press.after.y) * share)
        return Placement(piece.piece, piece.rotation, piece.x, press.before.y - fallen)

    def _begin(self) -> bool:
        """Take the next perfect clear; False if the queue is empty."""
        plan = self._planner.pop()
        if plan is None:
            return False
        board = self.game.board
        current, hold = self.game.current, self.game.hold
        coming = list(self.game.queue[1:])
        for placement in plan.placements:
            if placement.piece is not current:
                self._presses.append(
                    KeyPress(HOLD_KEY, _spawned(current), _spawned(placement.piece))
                )
                if hold is None:
                    coming.pop(0)
                hold = current
            self._presses += _keys_to_press(board, placement, self._kicks)
            board.lock(placement)
            current = coming.pop(0) if coming else Piece.I
        self._slot = len(plan.placements) / (self.pps * len(self._presses))
        self.solve_seconds = plan.seconds
        self.falling = self._presses[0].before
        return True

    def _press(self, now: float) -> None:
        press = self._presses.popleft()
        self.recent_keys.append((press.key, now))
        self.falling = press.after
        if press.key == HARD_DROP_KEY:
            lock = self.game.play(press.after, frame=0)
            if lock.perfect_clear:
                self.perfect_clears += 1
                self.last_clear_time = now
            self.falling = self._presses[0].before if self._presses else None


def _spawned(piece: Piece) -> Placement:
    return Placement(piece, Rotation.NORTH, *_SPAWN)


def _keys_to_press(board: Board, placement: Placement, kicks: Kicks) -> list[KeyPress]:
    """Return the fewest keys to a placement; a held soft drop counts as one key."""
    keys = board.find_path(placement, kicks, spawn=_SPAWN)
    if keys is None:
        raise SevenbagError(f"{placement} cannot be reached")
    presses: list[KeyPress] = []
    piece = _spawned(placement.piece)
    for key in keys:
        after = _after(board, piece, key.name, kicks)
        name = SOFT_DROP_KEY if key.name == "SONIC_DROP" else key.name
        if name == SOFT_DROP_KEY and presses and presses[-1].key == SOFT_DROP_KEY:
            presses[-1] = KeyPress(SOFT_DROP_KEY, presses[-1].before, after)
        else:
            presses.append(KeyPress(name, piece, after))
        piece = after
    return presses


def _after(board: Board, piece: Placement, key: str, kicks: Kicks) -> Placement:
    kind, rotation, x, y = piece.piece, piece.rotation, piece.x, piece.y
    if key in _TURNS:
        turned = board.rotate(piece, Rotation((rotation + _TURNS[key]) % 4), kicks)
        return turned[0] if turned is not None else piece
    if key in ("LEFT", "RIGHT"):
        return Placement(kind, rotation, x + (1 if key == "RIGHT" else -1), y)
    if key == SOFT_DROP_KEY:
        return Placement(kind, rotation, x, y - 1)
    return drop_piece(board, piece)


def drop_piece(board: Board, piece: Placement) -> Placement:
    """Return the placement after a hard drop."""
    y = piece.y
    while board.fits(Placement(piece.piece, piece.rotation, piece.x, y - 1)):
        y -= 1
    return Placement(piece.piece, piece.rotation, piece.x, y)


DEMO_TITLE: Final = "PC Solver"
DEMO_HINT: Final = "space pauses · + - speed · q quits"

_WIDTH: Final = 10
_ROWS: Final = 20
_MIN_ROWS: Final = 8
# Lines besides the rows of the board: title, frame, keys, caption.
_AROUND: Final = 6
_LEFT: Final = 14
_RIGHT: Final = 12
_NEXT: Final = 5

_CAPS: Final = (
    (HOLD_KEY, "hold"),
    ("LEFT", "←"),
    ("RIGHT", "→"),
    ("CCW", "↺"),
    ("CW", "↻"),
    ("FLIP", "180"),
    (SOFT_DROP_KEY, "↓"),
    (HARD_DROP_KEY, "⤓"),
)
_CAP_UP: Final = "grey50 on grey15"
_CAP_DOWN: Final = "bold #14161b on #e8c52e"
# Seconds for which a pressed key and a perfect clear are shown.
_PRESSED: Final = 0.09
_CLEAR_MESSAGE: Final = 0.45


@dataclass(frozen=True, slots=True)
class PcDemoScene:
    """State of the demo to be drawn.

    Attributes:
        rows: rows from the bottom; the falling piece in upper case, its ghost in lower case.
        figures: label and value of each statistic.
        cheer: a perfect clear has just been made.
        caption: line about the game.
    """

    rows: tuple[str, ...]
    hold: str | None
    queue: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    pressed: frozenset[str]
    cheer: bool
    caption: str


def build_demo_scene(play: PcDemoGame, now: float, *, waiting: int, caption: str) -> PcDemoScene:
    """Build the scene of a game at one moment."""
    stats = play.game.stats
    falling = play.falling_at(now)
    pieces = stats.pieces
    return PcDemoScene(
        rows=_render_board(play, falling),
        hold=play.game.hold.name if play.game.hold is not None else None,
        queue=tuple(piece.name for piece in play.game.queue[1 : _NEXT + 1]),
        figures=(
            ("PPS", f"{pieces / play.elapsed_seconds:.2f}" if play.elapsed_seconds > 0 else "0"),
            ("APP", f"{stats.attack / pieces:.2f}" if pieces else "0"),
            ("lines sent", f"{stats.attack:,}"),
            ("perfect clears", f"{play.perfect_clears:,}"),
            ("solved in", _format_time(play.solve_seconds)),
            ("ahead", str(waiting)),
        ),
        pressed=frozenset(key for key, at in play.recent_keys if now - at < _PRESSED),
        cheer=play.last_clear_time is not None and now - play.last_clear_time < _CLEAR_MESSAGE,
        caption=caption,
    )


def render_demo(scene: PcDemoScene, width: int, height: int) -> list[Text]:
    """Return the lines of a scene for a terminal of this size."""
    rows = min(_ROWS, height - _AROUND)
    if rows >= _MIN_ROWS and width >= _LEFT + _WIDTH * CELL_COLUMNS + 2 + _RIGHT + 2:
        body = join_columns(
            _render_left(scene),
            _frame_board(
                scene, [render_row(row) for row in reversed(scene.rows[:rows])], CELL_COLUMNS
            ),
            _render_right(scene, large=True),
        )[: rows + 2]
    elif height >= _ROWS // 2 + _AROUND and width >= _WIDTH + 2 + 16:
        body = join_columns(
            _frame_board(scene, list(render_half_rows(scene.rows[:_ROWS])), 1),
            _render_left(scene, small=True),
        )[: _ROWS // 2 + 2]
    else:
        figures = "  ".join(f"{label} {value}" for label, value in scene.figures)
        return [clip_to_width(Text(figures, style=VALUE_STYLE), width)]
    lines = [
        Text(DEMO_TITLE, style=VALUE_STYLE),
        *body,
        _render_keys(scene),
        Text(scene.caption, style=LABEL_STYLE),
        Text(DEMO_HINT, style=FAINT_STYLE),
    ]
    return center_lines(lines, width, height)


def _render_board(play: PcDemoGame, falling: Placement | None) -> tuple[str, ...]:
    rows = [list(row) for row in play.game.colors[:_ROWS]]
    if falling is not None:
        letter = falling.piece.name
        for piece, drawn in (
            (drop_piece(play.game.board, falling), letter.lower()),
            (falling, letter),
        ):
            for x, y in piece.cells:
                if y < _ROWS:
                    rows[y][x] = drawn
    return tuple("".join(row) for row in rows)


def _render_left(scene: PcDemoScene, *, small: bool = False) -> list[Text]:
    width = _LEFT
    lines = [render_heading("hold", width)]
    if scene.hold is not None:
        lines += render_piece(scene.hold, large=not small)
    else:
        lines += [Text()] if small else [Text(), Text()]
    lines.append(Text())
    for label, value in scene.figures:
        if small:
            lines.append(Text.assemble((f"{label} ", LABEL_STYLE), (value, VALUE_STYLE)))
        else:
            lines += [render_heading(label, width), Text(value, style=VALUE_STYLE)]
    return lines


def _render_right(scene: PcDemoScene, *, large: bool) -> list[Text]:
    lines = [render_heading("next", _RIGHT)]
    for letter in scene.queue:
        lines += [*render_piece(letter, large=large), Text()]
    return lines


def _frame_board(scene: PcDemoScene, rows: list[Text], cell: int) -> list[Text]:
    if not scene.cheer:
        return frame_rows(rows, _WIDTH * cell)
    text = "PERFECT CLEAR" if cell == CELL_COLUMNS else "PERFECT"
    return frame_rows(rows, _WIDTH * cell, WINNER_STYLE, message=(text, WINNER_STYLE))


def _render_keys(scene: PcDemoScene) -> Text:
    line = Text()
    for key, cap in _CAPS:
        line.append(f" {cap} ", style=_CAP_DOWN if key in scene.pressed else _CAP_UP)
        line.append(" ")
    line.rstrip()
    return line


def _format_time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
