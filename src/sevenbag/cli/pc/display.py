"""``pc display``: steps through the solutions of a .pc file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from sevenbag.arena.frames import Frames
from sevenbag.arena.solution_view import SolutionScene, draw, plain
from sevenbag.cli.keys import DOWN, LEFT, RIGHT, UP, pressed_keys
from sevenbag.cli.pc.options import Option, UsageError
from sevenbag.cli.stopping import until_left
from sevenbag.formats.pc_file import Index

if TYPE_CHECKING:
    from sevenbag.formats.pc_file import Solution

USAGE: Final = "display PATH"
OPTIONS: Final[tuple[Option, ...]] = ()
NEEDS_INPUT: Final = True

# Seconds without anything to do; the terminal may have been resized meanwhile.
_IDLE: Final = 0.1
_END_OF_INPUT: Final = "\x04"
_LONGEST: Final = 12


def run(values: dict[str, Any], inputs: list[str]) -> int:  # noqa: ARG001  # as all verbs
    """Show the file until its end, or until the user has seen enough."""
    if len(inputs) > 1:
        raise UsageError("display shows one file")
    console = Console()
    with Index(inputs[0]) as index:
        first = index.solution(0)
        if first is None:
            print("There is no solution in it.")
            return 0
        if console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty():
            with until_left():
                _Display(index, first, Path(inputs[0]).name, console).run()
        else:
            _tell(index, first)
    return 0


# --- in a terminal --------------------------------------------------------------------------------


class _Display:
    def __init__(self, index: Index, first: Solution, name: str, console: Console) -> None:
        self._index = index
        self._console = console
        self._scene: SolutionScene = SolutionScene(first, len(first.placements), name, 1, None)

    def run(self) -> None:
        with pressed_keys() as keys, Frames(self._console) as frames:
            while True:
                if self._index.complete:
                    self._scene = replace(self._scene, total=self._index.count)
                frames.show(draw(self._scene, *frames.size))
                # While the file is gone through, keys come first.
                key = keys.wait(_IDLE if self._index.complete else 0)
                if key is not None:
                    if not self._pressed(key):
                        return
                elif not self._index.complete:
                    self._index.grow()

    def _pressed(self, key: str) -> bool:
        """Whether to go on."""
        scene = self._scene = replace(self._scene, message="")
        if key in ("q", "Q", _END_OF_INPUT):
            return False
        if key in ("\r", "\n"):
            self._scene = replace(scene, typed="")
            return self._go_to(max(1, int(scene.typed)) if scene.typed else scene.number + 1)
        if key.isdigit() and key.isascii():
            self._scene = replace(scene, typed=(scene.typed + key)[:_LONGEST])
        elif key in ("\x7f", "\b"):
            self._scene = replace(scene, typed=scene.typed[:-1])
        elif key == RIGHT:
            self._step_to(scene.number + 1)
        elif key == LEFT:
            self._step_to(scene.number - 1)
        elif key in (UP, DOWN):
            shown = scene.shown + (1 if key == DOWN else -1)
            self._scene = replace(scene, shown=max(0, min(shown, len(scene.solution.placements))))
        return True

    def _go_to(self, number: int) -> bool:
        """Show a solution; past the last one the display ends."""
        solution = self._index.solution(number - 1)
        if solution is None:
            return False
        shown = len(solution.placements)
        self._scene = replace(self._scene, solution=solution, shown=shown, number=number)
        return True

    def _step_to(self, number: int) -> None:
        if number < 1 or not self._go_to(number):
            where = "first" if number < 1 else "last"
            self._scene = replace(self._scene, message=f"this is the {where} solution")


# --- elsewhere ------------------------------------------------------------------------------------


def _tell(index: Index, first: Solution) -> None:
    """The same by lines: an empty one for the next solution, or its number."""
    solution: Solution | None = first
    number = 1
    while solution is not None:
        while not index.complete:
            index.grow()
        scene = SolutionScene(solution, len(solution.placements), "", number, index.count)
        print("\n".join(plain(scene)))
        print("Skip to: ", end="", flush=True)
        number = _asked_for(number)
        print()
        if number == 0:
            return
        solution = index.solution(number - 1)


def _asked_for(number: int) -> int:
    """The number of the solution that the next line of input asks for; 0 at its end."""
    while True:
        line = sys.stdin.readline()
        if not line:
            return 0
        word = line.strip()
        if not word:
            return number + 1
        if word.isascii() and word.isdigit() and len(word) <= _LONGEST:
            return max(1, int(word))
