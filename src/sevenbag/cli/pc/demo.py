"""``pc demo``: a bot plays perfect clears, live in the terminal."""

from __future__ import annotations

import secrets
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from sevenbag._kernel import Kicks
from sevenbag.arena.demo_view import draw, scene_of
from sevenbag.arena.frames import Frames, Pace
from sevenbag.arena.perfect_play import PerfectPlay, Planner, demo_rules
from sevenbag.cli.arguments import named_kicks
from sevenbag.cli.keys import pressed_keys
from sevenbag.cli.pc.network import NETWORK, network_at
from sevenbag.cli.pc.options import KICKS, Option, whole
from sevenbag.cli.stopping import until_left
from sevenbag.pc import Solver
from sevenbag.pc.solver import MAX_HEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece, Placement, StopFlag
    from sevenbag.arena.perfect_play import Solve

USAGE: Final = "demo [options]"
OPTIONS: Final = (
    Option(
        "kicks",
        "k",
        f"{' '.join(KICKS)} (default: srsPlus)",
        named_kicks,
        Kicks("srsPlus"),
        "KICKS",
    ),
    Option("min-height", "m", "rows to clear at least (default: 4)", whole(127), 4, "N"),
    NETWORK,
    Option("pps", "p", "pieces a second (default: 10)", whole(2**32 - 1), 10, "N"),
    Option(
        "seed", "s", "what the pieces follow from (default: random)", whole(2**64 - 1), None, "N"
    ),
)
NEEDS_INPUT: Final = False

_FASTER: Final = 1.25
_SLOWEST: Final = 0.1
_END_OF_INPUT: Final = "\x04"
# Without a terminal there is nothing to be seen: then a line now and then says what goes on.
_TOLD_EVERY: Final = 1.0


def run(values: dict[str, Any], inputs: list[str]) -> int:  # noqa: ARG001  # as all verbs
    """Play until the user has seen enough."""
    if values["pps"] == 0:
        print("PPS option must be greater than 0", file=sys.stderr)
        return 0
    solver = Solver(values["kicks"], network=network_at(values["nn"]))
    seed = secrets.randbits(63) if values["seed"] is None else values["seed"]
    height = values["min-height"]
    rules = demo_rules(values["kicks"], 1 + max(15, (height + 1) * 10 // 4))
    planner = Planner(rules, seed % 2**63, _solving(solver, height))
    caption = f"{values['kicks'].name} · {height} rows or more · seed {seed}"
    with until_left(), planner:
        play = PerfectPlay(rules, seed % 2**63, planner, values["pps"], time.perf_counter())
        console = Console()
        if console.is_terminal and not console.is_dumb_terminal:
            _show(play, planner, console, caption)
        else:
            _tell(play, planner)
    if planner.failure is not None:
        print(f"error: {planner.failure}", file=sys.stderr)
        return 1
    return 0


# --- helpers ------------------------------------------------------------------------------------


def _solving(solver: Solver, height: int) -> Solve:
    def solve(
        queue: Sequence[Piece], hold: Piece | None, stop: StopFlag
    ) -> Sequence[Placement] | None:
        if height > MAX_HEIGHT:
            return None
        answer = solver.search("", queue, hold, min_height=height, stop=stop)
        return answer.solution.placements if answer.solution is not None else None

    return solve


def _show(play: PerfectPlay, planner: Planner, console: Console, caption: str) -> None:
    paused = False
    with pressed_keys() as keys, Frames(console) as frames:
        pace = Pace()
        while planner.failure is None or planner.waiting:
            now = time.perf_counter()
            if paused:
                play.pause(now)
            else:
                play.advance(now)
            shown = f"{caption} · {play.pps:.3g} PPS" + (" · paused" if paused else "")
            scene = scene_of(play, now, waiting=planner.waiting, caption=shown)
            frames.show(draw(scene, *frames.size))
            key = keys.wait(pace.left())
            if key in ("q", "Q", _END_OF_INPUT):
                return
            if key == " ":
                paused = not paused
            elif key in ("+", "="):
                play.pps *= _FASTER
            elif key == "-":
                play.pps = max(_SLOWEST, play.pps / _FASTER)


def _tell(play: PerfectPlay, planner: Planner) -> None:
    told: float | None = None
    pace = Pace()
    while planner.failure is None or planner.waiting:
        now = time.perf_counter()
        play.advance(now)
        if told is None or now - told >= _TOLD_EVERY:
            told = now
            figures = scene_of(play, now, waiting=planner.waiting, caption="").figures
            print("  ".join(f"{label} {value}" for label, value in figures), flush=True)
        time.sleep(pace.left())
