"""What views in the terminal are put together from: cells, pieces, columns, lines that fit."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.text import Text

from sevenbag.drawing.cells import COLORS, EMPTY, GARBAGE, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FAINT: Final = "grey42"
LABEL: Final = "grey62"
VALUE: Final = "bold"
ALARM: Final = "bold red"
WON: Final = "bold green"

CELL: Final = 2
"""Columns that a cell of `wide_row` takes."""


def wide_row(row: str) -> Text:
    """A row of a board, a letter a cell, `CELL` columns each; small letters are only hinted at."""
    line = Text(no_wrap=True)
    for letter in row:
        if letter == EMPTY:
            line.append(" ·", style=FAINT)
        elif letter.islower():
            line.append("░░", style=tint(letter.upper()))
        else:
            line.append("▒▒" if letter == GARBAGE else "██", style=tint(letter))
    return line


def half_rows(rows: Sequence[str]) -> Iterable[Text]:
    """Rows of a board from the bottom, two a line: the upper and lower half of each character."""
    from_top = [_without_hints(row) for row in reversed(rows)]
    if len(from_top) % 2:
        from_top.insert(0, EMPTY * len(from_top[0]))
    for upper, lower in zip(from_top[::2], from_top[1::2], strict=True):
        line = Text(no_wrap=True)
        for above, below in zip(upper, lower, strict=True):
            line.append(*_half_cell(above, below))
        yield line


def piece_lines(letter: str, *, large: bool) -> list[Text]:
    """A piece as it appears, two lines of wide cells or one of halves."""
    upper, lower = shape(letter)
    style = tint(letter)
    if large:
        return [
            Text("".join("██" if cell else "  " for cell in row), style=style, no_wrap=True)
            for row in (upper, lower)
        ]
    halves = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
    text = "".join(halves[pair] for pair in zip(upper, lower, strict=True))
    return [Text(text, style=style, no_wrap=True)]


def in_columns(*columns: Sequence[Text]) -> list[Text]:
    """Columns side by side, one blank between them."""
    widths = [max(line.cell_len for line in column) for column in columns]
    lines: list[Text] = []
    for cells in zip_longest(*columns):
        line = Text(no_wrap=True)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            if index:
                line.append(" ")
            line.append(fitted(cell if cell is not None else Text(), width))
        lines.append(line)
    return lines


def heading(text: str, width: int) -> Text:
    """The name of what stands below it."""
    return fitted(Text(text, style=LABEL, no_wrap=True), width)


def fitted(text: Text, width: int) -> Text:
    """A copy, cut or filled up to a width."""
    copy = text.copy()
    copy.no_wrap = True
    copy.truncate(width, pad=True)
    return copy


def clipped(text: Text, width: int) -> Text:
    """The text itself, cut with an ellipsis where it is too long."""
    text.no_wrap = True
    text.truncate(width, overflow="ellipsis")
    return text


def overlaid(line: Text, at: int, text: Text) -> Text:
    """A line with a text on it."""
    before, _, after = line.divide([at, at + text.cell_len])
    joined = Text(no_wrap=True)
    for part in (before, text, after):
        joined.append(part)
    return joined


def tint(letter: str) -> str:
    """The colour of a cell."""
    return COLORS.get(letter, COLORS[GARBAGE])


# --- helpers ------------------------------------------------------------------------------------


def _without_hints(row: str) -> str:
    return "".join(EMPTY if letter.islower() else letter for letter in row)


def _half_cell(above: str, below: str) -> tuple[str, str]:
    if above == below == EMPTY:
        return " ", "none"
    if below == EMPTY:
        return "▀", tint(above)
    if above == EMPTY:
        return "▄", tint(below)
    if above == below:
        return "█", tint(above)
    return "▀", f"{tint(above)} on {tint(below)}"
