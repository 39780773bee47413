"""Comments as fumen writes them: escaped as by JavaScript's `escape`, four characters a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FumenError
from sevenbag.formats.fumen.digits import written

if TYPE_CHECKING:
    from sevenbag.formats.fumen.digits import Digits

MAX_ESCAPED: Final = 4095
"""The longest comment, counted after escaping."""

_BASE: Final = 96
_FIRST: Final = 32
_GROUP: Final = 4

_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_+-./")
_ESCAPE: Final = re.compile("%(?:u([0-9A-Fa-f]{4})|([0-9A-Fa-f]{2}))")


def escape(text: str) -> str:
    """ASCII for any text; characters count as JavaScript counts them, in UTF-16."""
    return "".join(
        character if character in _PLAIN else "".join(map(_escaped_unit, _units(character)))
        for character in text
    )


def unescape(text: str) -> str:
    """The reverse; what only looks like an escape stays as it is."""
    plain = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    # Two escapes may be the halves of one character.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def read_comment(digits: Digits) -> str:
    """Take a comment.

    Raises:
        FumenError: (``EndOfData``, ``InvalidCaption``) it is cut short, or a number stands for no
            four characters.
    """
    length = digits.take(2, "the length of a comment")
    characters: list[str] = []
    for _ in range(0, length, _GROUP):
        value = digits.take(5, "a comment")
        for _ in range(_GROUP):
            value, code = divmod(value, _BASE)
            if code + _FIRST > ord("~"):
                value = 1
                break
            characters.append(chr(code + _FIRST))
        if value:
            raise FumenError("InvalidCaption", "the comment has a character that is not ASCII")
    return unescape("".join(characters[:length]))


def written_comment(text: str) -> str:
    """The digits of a comment.

    Raises:
        FumenError: (``InvalidCaption``) it is longer than 4095 characters after escaping.
    """
    escaped = escape(text)
    if len(escaped) > MAX_ESCAPED:
        raise FumenError(
            "InvalidCaption",
            f"the comment has {len(escaped)} characters after escaping, at most {MAX_ESCAPED} fit",
        )
    groups = [written(len(escaped), 2)]
    for start in range(0, len(escaped), _GROUP):
        value = 0
        for character in reversed(escaped[start : start + _GROUP]):
            value = value * _BASE + ord(character) - _FIRST
        groups.append(written(value, 5))
    return "".join(groups)


# --- helpers ------------------------------------------------------------------------------------


def _units(character: str) -> list[int]:
    data = character.encode("utf-16-le", "surrogatepass")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def _escaped_unit(unit: int) -> str:
    return f"%{unit:02X}" if unit < 256 else f"%u{unit:04X}"
