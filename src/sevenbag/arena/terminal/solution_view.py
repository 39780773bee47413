"""Show a perfect clear on the terminal: all pieces at once, numbered in order of placement.

Cleared rows stay where they are drawn, so the picture is a full rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from sevenbag.arena.terminal.terminal_screen import (
    ALARM_STYLE,
    CELL_COLUMNS,
    FAINT_STYLE,
    LABEL_STYLE,
    VALUE_STYLE,
    cell_color,
    center_lines,
    frame_rows,
    render_piece,
)

if TYPE_CHECKING:
    from sevenbag.formats.pc_file import PcRecord


SOLUTION_KEYS: Final = "enter next · ← → solutions · ↑ ↓ pieces · number enter that one · q quits"

_WIDTH: Final = 10
# Scale of cells if there is enough room.
_LARGE: Final = 2
_AROUND: Final = 11
# Letters on the light colours of pieces.
_INK: Final = "bold #14161b"


@dataclass(frozen=True, slots=True)
class SolutionScene:
    """State of the solution view to be drawn.

    Attributes:
        shown: number of its pieces to draw.
        number: number of the solution, from 1.
        total: number of solutions; None while unknown.
        typed: text typed after the prompt.
    """

    solution: PcRecord
    shown: int
    title: str
    number: int
    total: int | None
    typed: str = ""
    message: str = ""


def render_solution(scene: SolutionScene, width: int, height: int) -> list[Text]:
    """Return the lines of a scene for a terminal of this size."""
    rows = _letter_rows(scene)
    matrix = _matrix(rows, _LARGE)
    if len(matrix) + _AROUND > height or matrix[0].cell_len > width:
        matrix = _matrix(rows, 1)
    head = [Text(scene.title, style=VALUE_STYLE), Text(), _sequence(scene), Text()]
    foot = [
        Text(),
        _order(scene),
        Text(),
        _board_rows(scene),
        Text.assemble(("Skip to: ", LABEL_STYLE), (scene.typed, VALUE_STYLE), ("▏", VALUE_STYLE)),
    ]
    keys = [
        Text(),
        Text(scene.message or SOLUTION_KEYS, style="bold red" if scene.message else FAINT_STYLE),
    ]
    lines = [*head, *matrix, *foot, *keys]
    # In a low terminal, drop blank lines first, then optional lines.
    if len(lines) > height:
        lines = [line for line in lines if line.plain]
    if len(lines) > height:
        lines = [*matrix, *(line for line in foot if line.plain)]
    if len(lines) > height:
        lines = [line for line in foot if line.plain][-2:]
    return center_lines(lines, width, height, above=1 / 3)


def format_solution(scene: SolutionScene) -> list[str]:
    """Format a scene as letters, for output that is not a terminal."""
    rows = _letter_rows(scene)
    pieces = [piece.name for piece in scene.solution.sequence]
    return [
        f"[{pieces[0]}] {''.join(pieces[1:])}" if pieces else "",
        *("".join(letter for letter, _, _ in row) for row in reversed(rows)),
        _board_rows(scene).plain,
    ]


_Cell = tuple[str, int | None, str]
"""Letter, number of the piece if shown there, and colour."""


def _letter_rows(scene: SolutionScene) -> list[list[_Cell]]:
    """Return the rows of the rectangle, from the bottom."""
    cells = scene.solution.draw_uncleared()
    height = max((y + 1 for piece in cells for _, y in piece), default=0)
    rows: list[list[_Cell]] = [[(".", None, "")] * _WIDTH for _ in range(height)]
    seen: list[str] = []
    placed = zip(scene.solution.placements, cells, strict=False)
    for number, (placement, piece) in enumerate(list(placed)[: scene.shown], 1):
        # The number is in the highest row of a piece that cleared rows split.
        first = max(piece, key=lambda cell: (cell[1], -cell[0]))
        letter = placement.piece.name
        # Every other piece of a kind is darker, so that adjacent ones are distinguishable.
        shade = cell_color(letter) if seen.count(letter) % 2 == 0 else _darker(cell_color(letter))
        seen.append(letter)
        for x, y in piece:
            rows[y][x] = (letter, number if (x, y) == first else None, shade)
    return rows


def _matrix(rows: list[list[_Cell]], scale: int) -> list[Text]:
    """Return the framed rectangle; a cell has `scale` lines and twice as many columns."""
    cell = CELL_COLUMNS * scale
    lines: list[Text] = []
    for row in reversed(rows):
        for part in range(scale):
            line = Text()
            for letter, number, shade in row:
                if letter == ".":
                    line.append("·".center(cell) if part == 0 else " " * cell, style=FAINT_STYLE)
                else:
                    text = "" if number is None or part else str(number)
                    line.append(text.center(cell), style=f"{_INK} on {shade}")
            lines.append(line)
    return frame_rows(lines, _WIDTH * cell)


def _sequence(scene: SolutionScene) -> Text:
    pieces = scene.solution.sequence
    line = Text("hold ", style=LABEL_STYLE)
    for index, piece in enumerate(pieces):
        if index == 1:
            line.append("   then ", style=LABEL_STYLE)
        line.append(render_piece(piece.name, large=False)[0])
        line.append("  ")
    line.rstrip()
    return line


def _order(scene: SolutionScene) -> Text:
    """Return the order of pieces; a piece from hold is underlined."""
    line = Text("order ", style=LABEL_STYLE)
    for index, placement in enumerate(scene.solution.placements):
        letter = placement.piece.name
        style = f"bold {cell_color(letter)}" if index < scene.shown else FAINT_STYLE
        if scene.solution.holds >> index & 1:
            style += " underline"
        line.append(letter, style=style)
        line.append(" ")
    line.append("  underlined: out of the hold", style=FAINT_STYLE)
    return line


def _board_rows(scene: SolutionScene) -> Text:
    total = str(scene.total) if scene.total is not None else "…"
    line = Text.assemble(
        ("Solution ", LABEL_STYLE),
        (str(scene.number), VALUE_STYLE),
        (" of ", LABEL_STYLE),
        (total, VALUE_STYLE),
    )
    pieces = len(scene.solution.placements)
    fitting = len(scene.solution.draw_uncleared())
    if fitting < pieces:
        line.append(f"   placement {fitting + 1} does not fit", style=ALARM_STYLE)
    elif scene.shown < pieces:
        line.append(f"   piece {scene.shown} of {pieces}", style=LABEL_STYLE)
    return line


def _darker(color: str) -> str:
    parts = (int(color[at : at + 2], 16) * 3 // 4 for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in parts)
