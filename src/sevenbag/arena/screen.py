"""A scene in the terminal: both boards side by side, drawn to fit.

Three sizes: two columns a cell, half a character a cell, and one line of figures for what is
smaller than both. The terminal is asked at every drawing, so that it may be resized at any time.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.text import Text

from sevenbag.arena.blocks import (
    ALARM,
    CELL,
    FAINT,
    LABEL,
    VALUE,
    WON,
    clipped,
    fitted,
    half_rows,
    heading,
    in_columns,
    overlaid,
    piece_lines,
    wide_row,
)
from sevenbag.bots.bot import shorten_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

    from sevenbag.arena.scene import PlayerScene, Scene

_LEFT: Final = 9
_NEXT_SMALL: Final = 5
_NEXT_LARGE: Final = 9
_FRAME: Final = 2
_GAP: Final = 2


class SceneView:
    """A scene as something that Rich can print."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw in the largest size that fits."""
        width, height = options.max_width, options.height or console.height
        yield from draw(self._scene, width, height)


def draw(scene: Scene, width: int, height: int) -> list[Text]:
    """The lines of a scene for a terminal of this size."""
    lines = _large(scene, width, height) or _small(scene, width, height)
    if lines is None:
        return [clipped(_figures_line(player), width) for player in scene.players][:height]
    lines.append(Text(scene.caption, style=LABEL, no_wrap=True))
    margin = max(0, (width - max(line.cell_len for line in lines[:-1])) // 2)
    for line in lines:
        line.pad_left(margin)
    return [clipped(line, width) for line in lines][:height]


# --- sizes --------------------------------------------------------------------------------------


def _large(scene: Scene, width: int, height: int) -> list[Text] | None:
    if height < max(len(player.rows) for player in scene.players) + _FRAME + 1:
        return None
    for next_width, large_pieces in ((_NEXT_LARGE, True), (_NEXT_SMALL, False)):
        needed = _GAP + sum(
            _LEFT + 1 + _board_width(player, CELL) + 1 + next_width for player in scene.players
        )
        if needed <= width:
            return _side_by_side(
                [
                    in_columns(
                        _left_column(player),
                        _framed(player, [wide_row(row) for row in reversed(player.rows)], CELL),
                        _next_column(player, next_width, large=large_pieces),
                    )
                    for player in scene.players
                ]
            )
    return None


def _small(scene: Scene, width: int, height: int) -> list[Text] | None:
    """Two rows a line; the figures stand under the board."""
    tallest = max((len(player.rows) + 1) // 2 for player in scene.players)
    across = [_board_width(player, 1) + 1 + _NEXT_SMALL for player in scene.players]
    if height < tallest + _FRAME + 1 or width < sum(across) + _GAP:
        return None
    return _side_by_side(
        [
            in_columns(
                _framed(player, list(half_rows(player.rows)), 1),
                _next_column(player, _NEXT_SMALL, large=False),
            )
            for player in scene.players
        ]
    )


def _figures_line(player: PlayerScene) -> Text:
    line = Text(f"{player.name}: ", style=VALUE)
    line.append("  ".join(f"{label} {value}" for label, value in player.figures), style="none")
    if player.fall:
        line.append(f"  {player.fall}", style=ALARM)
    return line


# --- parts of a player's side -------------------------------------------------------------------


def _left_column(player: PlayerScene) -> list[Text]:
    lines = [heading("hold", _LEFT)]
    lines += piece_lines(player.hold, large=True) if player.hold else [Text(), Text()]
    lines.append(Text())
    for label, value in player.figures:
        style = ALARM if label == "garbage" and player.pending else VALUE
        lines += [heading(label, _LEFT), Text(value, style=style, no_wrap=True)]
    return [fitted(line, _LEFT) for line in lines]


def _next_column(player: PlayerScene, width: int, *, large: bool) -> list[Text]:
    lines = [heading("next", width)]
    for letter in player.queue:
        lines += [*piece_lines(letter, large=large), Text()]
    return [fitted(line, width) for line in lines]


def _framed(player: PlayerScene, rows: Sequence[Text], cell: int) -> list[Text]:
    """The board in its frame; the left side of the frame is the meter of pending garbage."""
    inner = _board_width(player, cell) - _FRAME
    name = shorten_name(player.name, inner - 2)
    top = Text("┌", style=FAINT, no_wrap=True)
    style = WON if player.won else ALARM if player.fall else VALUE
    top.append(Text(f" {name} ", style=style))
    top.append("─" * (inner - len(name) - 2) + "┐", style=FAINT)
    lines = [top]
    rows_a_line = len(player.rows) / len(rows)
    for index, row in enumerate(rows):
        below = (len(rows) - 1 - index) * rows_a_line
        side = ("█", ALARM) if below < player.pending else ("│", FAINT)
        line = Text(no_wrap=True)
        line.append(side[0], style=side[1])
        line.append(row)
        line.append("│", style=FAINT)
        lines.append(line)
    lines.append(Text(f"└{'─' * inner}┘", style=FAINT, no_wrap=True))
    verdict = ("winner", WON) if player.won else (player.fall, ALARM) if player.fall else None
    if verdict is not None and verdict[0]:
        text = f" {verdict[0]} "[:inner]
        at = 1 + (inner - len(text)) // 2
        middle = len(lines) // 2
        lines[middle] = overlaid(lines[middle], at, Text(text, style=f"reverse {verdict[1]}"))
    return lines


# --- putting together ---------------------------------------------------------------------------


def _side_by_side(sides: Sequence[list[Text]]) -> list[Text]:
    # The boards decide how many lines there are: what hangs over in a side column is cut.
    heights = [next(i for i, line in enumerate(side) if "└" in line.plain) + 1 for side in sides]
    first, second = (side[: max(heights)] for side in sides)
    widths = [max(line.cell_len for line in side) for side in (first, second)]
    lines: list[Text] = []
    for left, right in zip_longest(first, second):
        line = fitted(left if left is not None else Text(), widths[0])
        line.append(" " * _GAP)
        line.append(fitted(right if right is not None else Text(), widths[1]))
        lines.append(line)
    return lines


def _board_width(player: PlayerScene, cell: int) -> int:
    return len(player.rows[0]) * cell + _FRAME
