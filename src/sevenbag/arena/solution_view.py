"""A perfect clear in the terminal: all its pieces at once, numbered in the order they are placed.

Rows that are cleared on the way stay where they are drawn, so that the whole is a full rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from sevenbag.arena.blocks import (
    ALARM,
    CELL,
    FAINT,
    LABEL,
    VALUE,
    clipped,
    piece_lines,
    tint,
)

if TYPE_CHECKING:
    from sevenbag.formats.pc_file import Solution

KEYS: Final = "enter next · ← → solutions · ↑ ↓ pieces · number enter that one · q quits"

_WIDTH: Final = 10
# Cells twice as large, where there is room for them and for the lines around.
_LARGE: Final = 2
_AROUND: Final = 11
# Of letters on the colours of pieces, which are light enough for it.
_INK: Final = "bold #14161b"


@dataclass(frozen=True, slots=True)
class SolutionScene:
    """What is to be seen.

    Attributes:
        solution: the perfect clear.
        shown: how many of its pieces are drawn.
        title: where it is from.
        number: which of the solutions it is, from 1.
        total: how many there are; None while that is not known.
        typed: what has been typed behind the prompt.
        message: what to say about it.
    """

    solution: Solution
    shown: int
    title: str
    number: int
    total: int | None
    typed: str = ""
    message: str = ""


def draw(scene: SolutionScene, width: int, height: int) -> list[Text]:
    """The lines of a scene, for a terminal of this size."""
    rows = _letters(scene)
    matrix = _matrix(rows, _LARGE)
    if len(matrix) + _AROUND > height or matrix[0].cell_len > width:
        matrix = _matrix(rows, 1)
    head = [Text(scene.title, style=VALUE), Text(), _sequence(scene), Text()]
    foot = [
        Text(),
        _order(scene),
        Text(),
        _standing(scene),
        Text.assemble(("Skip to: ", LABEL), (scene.typed, VALUE), ("▏", VALUE)),
    ]
    keys = [Text(), Text(scene.message or KEYS, style="bold red" if scene.message else FAINT)]
    lines = [*head, *matrix, *foot, *keys]
    # In a low terminal blank lines go first, then what can be done without.
    if len(lines) > height:
        lines = [line for line in lines if line.plain]
    if len(lines) > height:
        lines = [*matrix, *(line for line in foot if line.plain)]
    if len(lines) > height:
        lines = [line for line in foot if line.plain][-2:]
    top = max(0, (height - len(lines)) // 3)
    for line in lines:
        line.pad_left(max(0, (width - line.cell_len) // 2))
    return [Text()] * top + [clipped(line, width) for line in lines][: height - top]


def plain(scene: SolutionScene) -> list[str]:
    """The same in letters, for what is no terminal."""
    rows = _letters(scene)
    pieces = [piece.name for piece in scene.solution.sequence]
    return [
        f"[{pieces[0]}] {''.join(pieces[1:])}" if pieces else "",
        *("".join(letter for letter, _, _ in row) for row in reversed(rows)),
        _standing(scene).plain,
    ]


# --- parts --------------------------------------------------------------------------------------

_Cell = tuple[str, int | None, str]
"""A letter, the number of the piece where that is to be read, and the colour."""


def _letters(scene: SolutionScene) -> list[list[_Cell]]:
    """Rows of the whole rectangle, from the bottom."""
    cells = scene.solution.uncleared()
    height = max((y + 1 for piece in cells for _, y in piece), default=0)
    rows: list[list[_Cell]] = [[(".", None, "")] * _WIDTH for _ in range(height)]
    seen: list[str] = []
    placed = zip(scene.solution.placements, cells, strict=False)
    for number, (placement, piece) in enumerate(list(placed)[: scene.shown], 1):
        # The number stands in the highest row, where rows cleared in between part a piece.
        first = max(piece, key=lambda cell: (cell[1], -cell[0]))
        letter = placement.piece.name
        # Every other piece of a kind is darker, so that two side by side can be told apart.
        shade = tint(letter) if seen.count(letter) % 2 == 0 else _darker(tint(letter))
        seen.append(letter)
        for x, y in piece:
            rows[y][x] = (letter, number if (x, y) == first else None, shade)
    return rows


def _matrix(rows: list[list[_Cell]], scale: int) -> list[Text]:
    """The rectangle in its frame; a cell is `scale` lines high and twice as many columns wide."""
    cell = CELL * scale
    lines = [Text(f"┌{'─' * (_WIDTH * cell)}┐", style=FAINT)]
    for row in reversed(rows):
        for part in range(scale):
            line = Text("│", style=FAINT)
            for letter, number, shade in row:
                if letter == ".":
                    line.append("·".center(cell) if part == 0 else " " * cell, style=FAINT)
                else:
                    text = "" if number is None or part else str(number)
                    line.append(text.center(cell), style=f"{_INK} on {shade}")
            line.append("│", style=FAINT)
            lines.append(line)
    lines.append(Text(f"└{'─' * (_WIDTH * cell)}┘", style=FAINT))
    return lines


def _sequence(scene: SolutionScene) -> Text:
    pieces = scene.solution.sequence
    line = Text("hold ", style=LABEL)
    for index, piece in enumerate(pieces):
        if index == 1:
            line.append("   then ", style=LABEL)
        line.append(piece_lines(piece.name, large=False)[0])
        line.append("  ")
    line.rstrip()
    return line


def _order(scene: SolutionScene) -> Text:
    """Which piece is placed when; underlined where hold is used for it."""
    line = Text("order ", style=LABEL)
    for index, placement in enumerate(scene.solution.placements):
        letter = placement.piece.name
        style = f"bold {tint(letter)}" if index < scene.shown else FAINT
        if scene.solution.holds >> index & 1:
            style += " underline"
        line.append(letter, style=style)
        line.append(" ")
    line.append("  underlined: out of the hold", style=FAINT)
    return line


def _standing(scene: SolutionScene) -> Text:
    total = str(scene.total) if scene.total is not None else "…"
    line = Text.assemble(
        ("Solution ", LABEL), (str(scene.number), VALUE), (" of ", LABEL), (total, VALUE)
    )
    pieces = len(scene.solution.placements)
    fitting = len(scene.solution.uncleared())
    if fitting < pieces:
        line.append(f"   placement {fitting + 1} does not fit", style=ALARM)
    elif scene.shown < pieces:
        line.append(f"   piece {scene.shown} of {pieces}", style=LABEL)
    return line


def _darker(color: str) -> str:
    parts = (int(color[at : at + 2], 16) * 3 // 4 for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in parts)
