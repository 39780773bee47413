"""Numbers as fumen writes them: base-64 digits, the least significant one first."""

from __future__ import annotations

import re
from typing import Final

from sevenbag.errors import FumenError

DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

_VALUES: Final = {digit: value for value, digit in enumerate(DIGITS)}
_NO_DIGIT: Final = re.compile(r"[^A-Za-z0-9+/]+")


class Digits:
    """Takes numbers from the digits of a fumen, one after another.

    Args:
        text: the digits; other characters, such as the customary ``?``, are left out.
    """

    def __init__(self, text: str) -> None:
        self.text = _NO_DIGIT.sub("", text)
        self._at = 0

    @property
    def at_end(self) -> bool:
        """Whether no digit is left."""
        return self._at >= len(self.text)

    def take(self, count: int, what: str) -> int:
        """The number of the next `count` digits.

        Raises:
            FumenError: (``EndOfData``) there are not so many; the message says `what` is missing.
        """
        end = self._at + count
        if end > len(self.text):
            raise FumenError("EndOfData", f"the data ends within {what}, at digit {self._at}")
        value = 0
        for digit in reversed(self.text[self._at : end]):
            value = value * len(DIGITS) + _VALUES[digit]
        self._at = end
        return value


def written(value: int, count: int) -> str:
    """A number in `count` digits."""
    digits: list[str] = []
    for _ in range(count):
        value, digit = divmod(value, len(DIGITS))
        digits.append(DIGITS[digit])
    return "".join(digits)
