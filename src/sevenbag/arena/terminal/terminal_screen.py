"""Draw on a terminal: cells, pieces, columns of text, and frames; read its keys."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Generator, Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Self

from rich.color import ColorSystem
from rich.style import Style
from rich.text import Text

from sevenbag.drawing.picture import COLORS, EMPTY, GARBAGE, piece_shape

if TYPE_CHECKING:
    from rich.console import Console


FAINT_STYLE: Final = "grey42"
LABEL_STYLE: Final = "grey62"
VALUE_STYLE: Final = "bold"
ALARM_STYLE: Final = "bold red"
WINNER_STYLE: Final = "bold green"

KEY_LEFT: Final = "left"
KEY_RIGHT: Final = "right"
KEY_UP: Final = "up"
KEY_DOWN: Final = "down"

CELL_COLUMNS: Final = 2
"""Columns of a cell in `render_row`."""


def can_draw(console: Console) -> bool:
    """Return True if a console is a terminal that can move its cursor."""
    return console.is_terminal and not console.is_dumb_terminal


def render_row(row: str) -> Text:
    """Render a row, one letter per cell; lower-case letters are drawn as ghosts."""
    line = Text(no_wrap=True)
    for letter in row:
        if letter == EMPTY:
            line.append(" ·", style=FAINT_STYLE)
        elif letter.islower():
            line.append("░░", style=cell_color(letter.upper()))
        else:
            line.append("▒▒" if letter == GARBAGE else "██", style=cell_color(letter))
    return line


def render_half_rows(rows: Sequence[str]) -> Iterable[Text]:
    """Render rows from the bottom, two per line, as upper and lower halves of characters."""
    from_top = [_without_hints(row) for row in reversed(rows)]
    if len(from_top) % 2:
        from_top.insert(0, EMPTY * len(from_top[0]))
    for upper, lower in zip(from_top[::2], from_top[1::2], strict=True):
        line = Text(no_wrap=True)
        for above, below in zip(upper, lower, strict=True):
            line.append(*_half_cell(above, below))
        yield line


def render_piece(letter: str, *, large: bool) -> list[Text]:
    """Render a piece: two lines of wide cells, or one line of half cells."""
    upper, lower = piece_shape(letter)
    style = cell_color(letter)
    if large:
        return [
            Text("".join("██" if cell else "  " for cell in row), style=style, no_wrap=True)
            for row in (upper, lower)
        ]
    halves = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
    text = "".join(halves[pair] for pair in zip(upper, lower, strict=True))
    return [Text(text, style=style, no_wrap=True)]


def join_columns(*columns: Sequence[Text]) -> list[Text]:
    """Join columns with a blank between them."""
    widths = [max(line.cell_len for line in column) for column in columns]
    lines: list[Text] = []
    for cells in zip_longest(*columns):
        line = Text(no_wrap=True)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            if index:
                line.append(" ")
            line.append(pad_to_width(cell if cell is not None else Text(), width))
        lines.append(line)
    return lines


def render_heading(text: str, width: int) -> Text:
    """Render a heading."""
    return pad_to_width(Text(text, style=LABEL_STYLE, no_wrap=True), width)


def pad_to_width(text: Text, width: int) -> Text:
    """Return a copy, cut or padded to a width."""
    copy = text.copy()
    copy.no_wrap = True
    copy.truncate(width, pad=True)
    return copy


def clip_to_width(text: Text, width: int) -> Text:
    """Cut a text in place, with an ellipsis if it is too long."""
    text.no_wrap = True
    text.truncate(width, overflow="ellipsis")
    return text


def overlay_text(line: Text, at: int, text: Text) -> Text:
    """Return a line with a text over part of it."""
    before, _, after = line.divide([at, at + text.cell_len])
    joined = Text(no_wrap=True)
    for part in (before, text, after):
        joined.append(part)
    return joined


def frame_rows(
    rows: Sequence[Text],
    width: int,
    style: str = FAINT_STYLE,
    *,
    message: tuple[str, str] | None = None,
) -> list[Text]:
    """Return rows in a frame, with an optional message and its style over the middle."""
    lines = [Text(f"┌{'─' * width}┐", style=style, no_wrap=True)]
    lines += [Text.assemble(("│", style), row, ("│", style), no_wrap=True) for row in rows]
    lines.append(Text(f"└{'─' * width}┘", style=style, no_wrap=True))
    if message is not None:
        text = f" {message[0]} "[:width]
        middle = len(lines) // 2
        over = Text(text, style=f"reverse {message[1]}")
        lines[middle] = overlay_text(lines[middle], 1 + (width - len(text)) // 2, over)
    return lines


def center_lines(lines: Sequence[Text], width: int, height: int, above: float = 0.5) -> list[Text]:
    """Center lines horizontally, with a share of the free height above them."""
    top = max(0, int((height - len(lines)) * above))
    for line in lines:
        line.pad_left(max(0, (width - line.cell_len) // 2))
    return [Text()] * top + [clip_to_width(line, width) for line in lines][: height - top]


def cell_color(letter: str) -> str:
    """Return the colour of a cell."""
    return COLORS.get(letter, COLORS[GARBAGE])


def _without_hints(row: str) -> str:
    return "".join(EMPTY if letter.islower() else letter for letter in row)


def _half_cell(above: str, below: str) -> tuple[str, str]:
    if above == below == EMPTY:
        return " ", "none"
    if below == EMPTY:
        return "▀", cell_color(above)
    if above == EMPTY:
        return "▄", cell_color(below)
    if above == below:
        return "█", cell_color(above)
    return "▀", f"{cell_color(above)} on {cell_color(below)}"


FRAME_SECONDS: Final = 1 / 60

_ENTER_ALTERNATE_SCREEN: Final = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LEAVE_ALTERNATE_SCREEN: Final = "\x1b[0m\x1b[?25h\x1b[?1049l"
# Terminals with synchronized output show a frame at once; others ignore this.
_BEGIN_UPDATE: Final = "\x1b[?2026h"
_END_UPDATE: Final = "\x1b[?2026l"
_CLEAR: Final = "\x1b[2J"
_CLEAR_LINE_END: Final = "\x1b[0m\x1b[K"

_PLAIN: Final = Style()
_COLORS: Final = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}


_ARROWS: Final = {
    b"\x1b" + bracket + letter: key
    for letter, key in ((b"D", KEY_LEFT), (b"C", KEY_RIGHT), (b"A", KEY_UP), (b"B", KEY_DOWN))
    for bracket in (b"[", b"O")
}


class KeyReader:
    """Read single keys from a terminal; without one there are no keys.

    Args:
        descriptor: file descriptor of the terminal, or None.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._bytes = b""

    @property
    def is_interactive(self) -> bool:
        """Return True if keys can come."""
        return self._descriptor is not None

    def read_key(self, timeout: float) -> str | None:
        """Return the next key, a character or an arrow; None if none comes in time.

        Args:
            timeout: seconds to wait.
        """
        if self._descriptor is None:
            time.sleep(timeout)
            return None
        if not self._bytes:
            ready, _, _ = select.select([self._descriptor], [], [], timeout)
            if not ready:
                return None
            self._bytes = os.read(self._descriptor, 64)
            if not self._bytes:
                self._descriptor = None
                return "q"
        return self._next()

    def _next(self) -> str:
        # An arrow is three bytes, which arrive together.
        for code, key in _ARROWS.items():
            if self._bytes.startswith(code):
                self._bytes = self._bytes[len(code) :]
                return key
        key, self._bytes = self._bytes[:1].decode("latin-1"), self._bytes[1:]
        return key


@contextlib.contextmanager
def open_key_reader() -> Generator[KeyReader]:
    """Read keys as they are pressed, without Enter and without echo; Ctrl-C still interrupts."""
    if not sys.stdin.isatty():
        yield KeyReader(None)
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield KeyReader(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class TerminalScreen:
    """Alternate screen of a terminal; a context manager.

    Args:
        console: console of the terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: list[Text] = []
        self._size = (0, 0)

    @property
    def size(self) -> tuple[int, int]:
        """Return columns and rows, which may change at any time."""
        size = self._console.size
        return size.width, size.height

    def __enter__(self) -> Self:
        self._write(_ENTER_ALTERNATE_SCREEN)
        return self

    def __exit__(self, *_: object) -> None:
        self._write(_LEAVE_ALTERNATE_SCREEN)

    def draw(self, lines: Sequence[Text]) -> None:
        """Show lines from the top; lines that do not fit are cut."""
        width, height = size = self.size
        anew = size != self._size
        before = [] if anew else self._shown
        self._size, self._shown = size, [line.copy() for line in lines[:height]]
        changed = [_CLEAR] if anew else []
        for row in range(max(len(before), len(self._shown))):
            line = self._shown[row] if row < len(self._shown) else Text()
            if row < len(before) and _is_same_text(before[row], line):
                continue
            changed.append(f"\x1b[{row + 1};1H{self._rendered(line, width)}{_CLEAR_LINE_END}")
        if changed:
            self._write("".join([_BEGIN_UPDATE, *changed, _END_UPDATE]))

    def _rendered(self, line: Text, width: int) -> str:
        line = line.copy()
        line.truncate(width)
        # Without other styles, Rich would omit the style of the line.
        line.stylize_before(line.style)
        system = self._console.color_system
        colors = _COLORS.get(system) if system and not self._console.no_color else None
        return "".join(
            (segment.style or _PLAIN).render(segment.text, color_system=colors)
            for segment in line.render(self._console)
        )

    def _write(self, text: str) -> None:
        file = self._console.file
        file.write(text)
        file.flush()


class FrameTimer:
    """Timer of frames; a slow frame shortens the pause after it."""

    def __init__(self, seconds: float = FRAME_SECONDS) -> None:
        self._seconds = seconds
        self._next = time.perf_counter()

    def seconds_left(self) -> float:
        """Return the seconds until the next frame, 0 if it is due, and advance to the one after."""
        now = time.perf_counter()
        self._next = max(self._next + self._seconds, now)
        return self._next - now


def _is_same_text(one: Text, other: Text) -> bool:
    return (one.plain, one.style, one.spans) == (other.plain, other.style, other.spans)
