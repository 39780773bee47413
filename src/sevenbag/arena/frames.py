"""Moving pictures in the terminal: frames of lines, of which only what changed is sent.

A frame that is drawn anew as a whole flickers, and sixty of them a second are more than many
terminals, and most lines to far machines, can take.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Self

from rich.color import ColorSystem
from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

FRAME_SECONDS: Final = 1 / 60

_OTHER_SCREEN: Final = "\x1b[?1049h\x1b[?25l\x1b[2J"
_FIRST_SCREEN: Final = "\x1b[0m\x1b[?25h\x1b[?1049l"
# Terminals that know it show a frame as a whole; others pass it over.
_BEGIN: Final = "\x1b[?2026h"
_END: Final = "\x1b[?2026l"
_CLEAR: Final = "\x1b[2J"
_REST: Final = "\x1b[0m\x1b[K"

_PLAIN: Final = Style()
_COLORS: Final = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}


class Frames:
    """The terminal's other screen; a context, which restores the first one.

    Args:
        console: the terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: list[Text] = []
        self._size = (0, 0)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; asked anew, as the terminal may be resized at any time."""
        size = self._console.size
        return size.width, size.height

    def __enter__(self) -> Self:
        self._write(_OTHER_SCREEN)
        return self

    def __exit__(self, *_: object) -> None:
        self._write(_FIRST_SCREEN)

    def show(self, lines: Sequence[Text]) -> None:
        """Make the screen show these lines, from the top; what does not fit is cut."""
        width, height = size = self.size
        anew = size != self._size
        before = [] if anew else self._shown
        self._size, self._shown = size, [line.copy() for line in lines[:height]]
        changed = [_CLEAR] if anew else []
        for row in range(max(len(before), len(self._shown))):
            line = self._shown[row] if row < len(self._shown) else Text()
            if row < len(before) and _look_alike(before[row], line):
                continue
            changed.append(f"\x1b[{row + 1};1H{self._rendered(line, width)}{_REST}")
        if changed:
            self._write("".join([_BEGIN, *changed, _END]))

    # --- private --------------------------------------------------------------------------------

    def _rendered(self, line: Text, width: int) -> str:
        line = line.copy()
        line.truncate(width)
        # Where nothing else is styled, Rich would leave the style of the whole line out.
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


class Pace:
    """Keeps the time of frames: what one takes too long is taken from the pause after it."""

    def __init__(self, seconds: float = FRAME_SECONDS) -> None:
        self._seconds = seconds
        self._next = time.perf_counter()

    def left(self) -> float:
        """Seconds until the next frame is due; 0 if it is due. Then the one after it is next."""
        now = time.perf_counter()
        self._next = max(self._next + self._seconds, now)
        return self._next - now


def _look_alike(one: Text, other: Text) -> bool:
    return (one.plain, one.style, one.spans) == (other.plain, other.style, other.spans)
