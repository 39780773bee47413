"""The verbs ``pc demo`` and ``pc display``, which draw in the terminal."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from sevenbag.arena.terminal import pc_demo, solution_view
from sevenbag.arena.terminal.pc_demo import PcDemoGame, PcLookahead, PcSolveFunction, pc_demo_rules
from sevenbag.arena.terminal.solution_view import SolutionScene
from sevenbag.arena.terminal.terminal_screen import (
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    FrameTimer,
    TerminalScreen,
    can_draw,
    open_key_reader,
)
from sevenbag.cli.pc.perfect_tetris import (
    NETWORK_OPTION,
    UsageError,
    Verb,
    VerbOption,
    integer_up_to,
    kicks_option,
)
from sevenbag.cli.signals import stop_on_interrupt
from sevenbag.formats.pc_file import PcFileIndex, PcRecord
from sevenbag.pc import Solver
from sevenbag.pc.network import find_network
from sevenbag.pc.solver import MAX_HEIGHT

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement, StopFlag

_END_OF_INPUT: Final = "\x04"


_FASTER: Final = 1.25
_SLOWEST: Final = 0.1
_PRINT_SECONDS: Final = 1.0
"""Seconds between lines where there is no terminal."""


def _run_demo(values: dict[str, Any], _: list[str]) -> int:
    """Play until the user quits."""
    if values["pps"] == 0:
        print("PPS option must be greater than 0", file=sys.stderr)
        return 0
    solver = Solver(values["kicks"], network=find_network(values["nn"]))
    seed = secrets.randbits(63) if values["seed"] is None else values["seed"]
    height = values["min-height"]
    rules = pc_demo_rules(values["kicks"], 1 + max(15, (height + 1) * 10 // 4))
    planner = PcLookahead(rules, seed % 2**63, _solve_function(solver, height))
    caption = f"{values['kicks'].name} · {height} rows or more · seed {seed}"
    with stop_on_interrupt(), planner:
        play = PcDemoGame(rules, seed % 2**63, planner, values["pps"], time.perf_counter())
        console = Console()
        if can_draw(console):
            _show_demo(play, planner, console, caption)
        else:
            _print_demo(play, planner)
    if planner.error is not None:
        print(f"error: {planner.error}", file=sys.stderr)
        return 1
    return 0


def _solve_function(solver: Solver, height: int) -> PcSolveFunction:
    def solve(
        queue: Sequence[Piece], hold: Piece | None, stop: StopFlag
    ) -> Sequence[Placement] | None:
        if height > MAX_HEIGHT:
            return None
        answer = solver.search("", queue, hold, min_height=height, stop=stop)
        return answer.solution.placements if answer.solution is not None else None

    return solve


def _show_demo(play: PcDemoGame, planner: PcLookahead, console: Console, caption: str) -> None:
    paused = False
    with open_key_reader() as keys, TerminalScreen(console) as frames:
        pace = FrameTimer()
        while planner.error is None or planner.queued:
            now = time.perf_counter()
            if paused:
                play.pause(now)
            else:
                play.advance(now)
            shown = f"{caption} · {play.pps:.3g} PPS" + (" · paused" if paused else "")
            scene = pc_demo.build_demo_scene(play, now, waiting=planner.queued, caption=shown)
            frames.draw(pc_demo.render_demo(scene, *frames.size))
            key = keys.read_key(pace.seconds_left())
            if key in ("q", "Q", _END_OF_INPUT):
                return
            if key == " ":
                paused = not paused
            elif key in ("+", "="):
                play.pps *= _FASTER
            elif key == "-":
                play.pps = max(_SLOWEST, play.pps / _FASTER)


def _print_demo(play: PcDemoGame, planner: PcLookahead) -> None:
    printed: float | None = None
    pace = FrameTimer()
    while planner.error is None or planner.queued:
        now = time.perf_counter()
        play.advance(now)
        if printed is None or now - printed >= _PRINT_SECONDS:
            printed = now
            figures = pc_demo.build_demo_scene(
                play, now, waiting=planner.queued, caption=""
            ).figures
            print("  ".join(f"{label} {value}" for label, value in figures), flush=True)
        time.sleep(pace.seconds_left())


DEMO: Final = Verb(
    _run_demo,
    "[options]",
    (
        kicks_option("srsPlus"),
        VerbOption(
            "min-height", "m", "minimum rows to clear [default: 4]", integer_up_to(127), 4, "N"
        ),
        NETWORK_OPTION,
        VerbOption(
            "pps", "p", "pieces per second [default: 10]", integer_up_to(2**32 - 1), 10, "N"
        ),
        VerbOption(
            "seed", "s", "seed of the pieces [default: random]", integer_up_to(2**64 - 1), None, "N"
        ),
    ),
)


_REDRAW_SECONDS: Final = 0.1
"""Seconds between drawings without a key: the terminal may have been resized."""
_MAX_DIGITS: Final = 12


def _run_display(_: dict[str, Any], inputs: list[str]) -> int:
    """Show the file until its end, or until the user quits."""
    if len(inputs) > 1:
        raise UsageError("display shows one file")
    console = Console()
    with PcFileIndex(inputs[0]) as index:
        first = index.read(0)
        if first is None:
            print("There is no solution in it.")
            return 0
        if can_draw(console) and sys.stdin.isatty():
            with stop_on_interrupt():
                _SolutionViewer(index, first, Path(inputs[0]).name, console).run()
        else:
            _print_solutions(index, first)
    return 0


class _SolutionViewer:
    def __init__(self, index: PcFileIndex, first: PcRecord, name: str, console: Console) -> None:
        self._index = index
        self._console = console
        self._scene: SolutionScene = SolutionScene(first, len(first.placements), name, 1, None)

    def run(self) -> None:
        with open_key_reader() as keys, TerminalScreen(self._console) as frames:
            while True:
                if self._index.complete:
                    self._scene = replace(self._scene, total=self._index.count)
                frames.draw(solution_view.render_solution(self._scene, *frames.size))
                # Keys come before the rest of the file.
                key = keys.read_key(_REDRAW_SECONDS if self._index.complete else 0)
                if key is not None:
                    if not self._handle_key(key):
                        return
                elif not self._index.complete:
                    self._index.extend()

    def _handle_key(self, key: str) -> bool:
        """Handle a key; return False to quit."""
        scene = self._scene = replace(self._scene, message="")
        if key in ("q", "Q", _END_OF_INPUT):
            return False
        if key in ("\r", "\n"):
            self._scene = replace(scene, typed="")
            return self._go_to(max(1, int(scene.typed)) if scene.typed else scene.number + 1)
        if key.isdigit() and key.isascii():
            self._scene = replace(scene, typed=(scene.typed + key)[:_MAX_DIGITS])
        elif key in ("\x7f", "\b"):
            self._scene = replace(scene, typed=scene.typed[:-1])
        elif key == KEY_RIGHT:
            self._step_to(scene.number + 1)
        elif key == KEY_LEFT:
            self._step_to(scene.number - 1)
        elif key in (KEY_UP, KEY_DOWN):
            shown = scene.shown + (1 if key == KEY_DOWN else -1)
            self._scene = replace(scene, shown=max(0, min(shown, len(scene.solution.placements))))
        return True

    def _go_to(self, number: int) -> bool:
        """Show a solution; return False if its number is too large."""
        solution = self._index.read(number - 1)
        if solution is None:
            return False
        shown = len(solution.placements)
        self._scene = replace(self._scene, solution=solution, shown=shown, number=number)
        return True

    def _step_to(self, number: int) -> None:
        if number < 1 or not self._go_to(number):
            where = "first" if number < 1 else "last"
            self._scene = replace(self._scene, message=f"this is the {where} solution")


def _print_solutions(index: PcFileIndex, first: PcRecord) -> None:
    """Print solutions; read an empty line for the next one, or its number."""
    solution: PcRecord | None = first
    number = 1
    while solution is not None:
        while not index.complete:
            index.extend()
        scene = SolutionScene(solution, len(solution.placements), "", number, index.count)
        print("\n".join(solution_view.format_solution(scene)))
        print("Skip to: ", end="", flush=True)
        number = _read_number(number)
        print()
        if number == 0:
            return
        solution = index.read(number - 1)


def _read_number(number: int) -> int:
    """Read the number of the next solution; 0 at the end of the input."""
    while True:
        line = sys.stdin.readline()
        if not line:
            return 0
        word = line.strip()
        if not word:
            return number + 1
        if word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS:
            return max(1, int(word))


DISPLAY: Final = Verb(_run_display, "PATH", needs_input=True)
