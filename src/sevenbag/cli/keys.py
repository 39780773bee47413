"""Single key presses from the terminal."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import time
import tty
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

LEFT: Final = "left"
RIGHT: Final = "right"
UP: Final = "up"
DOWN: Final = "down"

_ARROWS: Final = {
    b"\x1b" + bracket + letter: key
    for letter, key in ((b"D", LEFT), (b"C", RIGHT), (b"A", UP), (b"B", DOWN))
    for bracket in (b"[", b"O")
}


class Keys:
    """Reads keys from standard input; from one that is no terminal none ever come."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._pressed = b""

    @property
    def can_come(self) -> bool:
        """Whether there is anybody to press a key."""
        return self._descriptor is not None

    def wait(self, seconds: float) -> str | None:
        """The next key: a character, or an arrow; None if none comes in time."""
        if self._descriptor is None:
            time.sleep(seconds)
            return None
        if not self._pressed:
            ready, _, _ = select.select([self._descriptor], [], [], seconds)
            if not ready:
                return None
            self._pressed = os.read(self._descriptor, 64)
            if not self._pressed:
                self._descriptor = None
                return "q"
        return self._next()

    def _next(self) -> str:
        # An arrow is three bytes, which arrive together.
        for code, key in _ARROWS.items():
            if self._pressed.startswith(code):
                self._pressed = self._pressed[len(code) :]
                return key
        key, self._pressed = self._pressed[:1].decode("latin-1"), self._pressed[1:]
        return key


@contextlib.contextmanager
def pressed_keys() -> Generator[Keys]:
    """Keys as they are pressed, without Enter and without echo; Ctrl-C still interrupts."""
    if not sys.stdin.isatty():
        yield Keys(None)
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield Keys(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
