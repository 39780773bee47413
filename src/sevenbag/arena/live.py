"""Shows a game while it is played: drawn in the terminal, or told in lines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Self, TextIO

from rich.live import Live
from rich.text import Text

from sevenbag.arena.result import PlayerStats
from sevenbag.arena.scene import scene_of
from sevenbag.arena.screen import SceneView
from sevenbag.arena.watch import Watcher
from sevenbag.errors import printable
from sevenbag.formats.replay import write_placement

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

    from sevenbag.arena.result import Result
    from sevenbag.arena.scene import Scene
    from sevenbag.arena.watch import Opening, Turn
    from sevenbag.bots.bot import Limits
    from sevenbag.game import Lock

# Nobody sees more, and drawing must not take time from bots that play faster.
_FRAME_SECONDS: Final = 1 / 20

_NOTHING: Final = PlayerStats(0, 0, 0, 0.0, 0.0)


class LiveView(Watcher):
    """Draws the game on the terminal's other screen; a context, which restores the first one.

    Attributes:
        scene: what was last to be seen; None before the game began.

    Args:
        console: where to draw.
        before: what is to be read there until the game begins.
    """

    def __init__(self, console: Console, before: str = "") -> None:
        self._before = before
        self.scene: Scene | None = None
        self._console = console
        self._live = Live(console=console, screen=True, auto_refresh=False)
        self._opening: Opening | None = None
        self._drawn = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        self._live.update(Text(self._before), refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def opened(self, opening: Opening) -> None:
        """Draw the empty boards."""
        self._opening = opening
        self._draw(None, None)

    def turned(self, turn: Turn) -> None:
        """Draw what the turn made, unless the last drawing was only just now."""
        if time.monotonic() - self._drawn >= _FRAME_SECONDS:
            self._draw(turn, None)

    def closed(self, result: Result) -> None:
        """Draw the end."""
        self._draw(None, result)

    def _draw(self, turn: Turn | None, result: Result | None) -> None:
        opening = self._opening
        if opening is None:
            return
        stats = turn.stats if turn else result.stats if result else (_NOTHING, _NOTHING)
        self.scene = scene_of(
            opening.versus, opening.names, stats, seed=opening.seed, result=result
        )
        self._live.update(SceneView(self.scene), refresh=True)
        self._drawn = time.monotonic()


class Lines(Watcher):
    """Tells the game in lines, one a turn, for pipes and files."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def opened(self, opening: Opening) -> None:
        """Say who plays."""
        players = [
            player_line(*each)
            for each in zip(opening.names, opening.specs, opening.limits, strict=True)
        ]
        self._tell(opening_line(opening.names, opening.rules.name, opening.seed))
        for line in players:
            self._tell(line)

    def turned(self, turn: Turn) -> None:
        """Say what both did."""
        self._tell(turn_line(turn.number, turn.locks, turn.frame))

    def _tell(self, line: str) -> None:
        self._out.write(printable(line) + "\n")
        self._out.flush()


def opening_line(names: tuple[str, str], rules: str, seed: int) -> str:
    """Who plays, by which rules."""
    return f"{names[0]} against {names[1]}, rules {rules}, seed {seed}"


def player_line(name: str, spec: str | None, limits: Limits) -> str:
    """A player in full: its name, the specification of its bot, the limits that hold for it."""
    plain = spec or "no specification"
    held = [f"{limits.nodes} nodes"] if limits.nodes is not None else []
    if limits.milliseconds is not None:
        held.append(f"{limits.milliseconds:g} ms")
    return f"  {name}: {plain}" + (f", {' and '.join(held)} a move" if held else "")


def turn_line(number: int, locks: tuple[Lock | None, Lock | None], frame: int | None = None) -> str:
    """A turn in words; in real time what locked at a frame."""
    when = f"{number:4}" if frame is None else f"{frame:6}"
    return f"{when}  {_told(locks[0]):<36}  {_told(locks[1])}".rstrip()


# --- helpers ------------------------------------------------------------------------------------


def _told(lock: Lock | None) -> str:
    if lock is None:
        return ""
    told = [write_placement(lock.placement)]
    if lock.held:
        told.append("hold")
    if lock.lines:
        told.append(f"clears {lock.lines}")
    if lock.attack:
        told.append(f"attacks {lock.attack}")
    if lock.garbage:
        told.append(f"takes {len(lock.garbage)}")
    return " ".join(told)
