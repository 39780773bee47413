"""Encoding of fumen pages as digits.

A page consists of the differences from the field left by the previous page, three digits for piece
and flags, and an optional comment. Version 110 has two rows less.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.errors import FumenError
from sevenbag.formats.fumen_page import (
    CELLS,
    ROWS,
    WIDTH,
    Field,
    Page,
    location_index,
    placement_at,
)

DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
MAX_PAGES: Final = 10_000
ROWS_OF: Final = {115: ROWS, 110: ROWS - 2}
"""Number of rows above the garbage row by version."""

# Added to differences, so that they are not negative.
_UNCHANGED: Final = 8
_MOST_REPEATS: Final = len(DIGITS) - 1
_VALUES: Final = {digit: value for value, digit in enumerate(DIGITS)}
_PIECES: Final = (None, *(Piece[letter] for letter in "ILOZTJS"))
_ROTATIONS: Final = (Rotation.SOUTH, Rotation.EAST, Rotation.NORTH, Rotation.WEST)


class PageReader:
    """Iterator over the encoded pages of version 115 or 110.

    Attributes:
        text: digits without other characters, such as the usual ``?``.
        repeats: number of further pages with an unchanged field, which is not encoded.
    """

    def __init__(self, text: str, version: int) -> None:
        self.repeats = 0
        self.text = re.sub(r"[^A-Za-z0-9+/]+", "", text)
        self._at = 0
        # Rows that do not exist in version 110.
        self._missing = (ROWS - ROWS_OF[version]) * WIDTH
        self._cells = CELLS - self._missing

    def __iter__(self) -> Iterator[Page]:
        """Iterate over the pages.

        Raises:
            FumenError: the data is invalid; the message starts with the page.
        """
        field, comment = Field(), ""
        number = 0
        while self._at < len(self.text):
            number += 1
            try:
                if number > MAX_PAGES:
                    raise FumenError("TooManyPages", f"more than {MAX_PAGES} pages")
                page = self._page(field, comment)
                field, comment = page.resulting_field, page.next_comment
            except FumenError as error:
                raise FumenError(error.code, f"page {number}: {error}") from None
            yield page

    def _page(self, field: Field, comment: str) -> Page:
        field = self._field(field)
        value = self._read(3, "the piece")
        value, piece = divmod(value, 8)
        value, rotation = divmod(value, 4)
        value, location = divmod(value, self._cells)
        rise, mirror, color, commented, loose = (bool(value >> bit & 1) for bit in range(5))
        kind = _PIECES[piece]
        placement = None
        if kind is not None:
            placement = placement_at(kind, _ROTATIONS[rotation], location + self._missing)
            _expect_room(placement)
        return Page(
            field,
            placement,
            self._comment() if commented else comment,
            lock=not loose,
            rise=rise,
            mirror=mirror,
            color=color,
        )

    def _field(self, before: Field) -> Field:
        if self.repeats:
            self.repeats -= 1
            return before
        runs: list[tuple[int, int]] = []
        covered = 0
        while covered < self._cells:
            change, count = divmod(self._read(2, "the field"), self._cells)
            covered += count + 1
            runs.append((change - _UNCHANGED, count + 1))
        if runs == [(0, self._cells)]:
            if self._at == len(self.text):
                raise FumenError("InvalidFieldRepeat", "the number of unchanged fields is missing")
            self.repeats = self._read(1, "the field")
            return before
        return before.with_changes([(0, self._missing), *runs])

    def _comment(self) -> str:
        length = self._read(2, "the length of a comment")
        characters: list[str] = []
        for _ in range(0, length, _GROUP):
            value = self._read(5, "a comment")
            for _ in range(_GROUP):
                value, code = divmod(value, _BASE)
                if code + _FIRST > ord("~"):
                    value = 1
                    break
                characters.append(chr(code + _FIRST))
            if value:
                raise FumenError("InvalidCaption", "the comment has a character that is not ASCII")
        return unescape("".join(characters[:length]))

    def _read(self, count: int, what: str) -> int:
        """Read a number of `count` digits."""
        end = self._at + count
        if end > len(self.text):
            raise FumenError("EndOfData", f"the data ends within {what}, at digit {self._at}")
        value = 0
        for digit in reversed(self.text[self._at : end]):
            value = value * len(DIGITS) + _VALUES[digit]
        self._at = end
        return value


def write_pages(pages: Sequence[Page], after: Page | None = None, repeats: int = 0) -> str | None:
    """Encode pages.

    Args:
        pages: at most `MAX_PAGES`.
        after: previous page, already encoded.
        repeats: number of pages that must leave the field unchanged.

    Returns:
        The digits; None if one of those pages changes the field.

    Raises:
        FumenError: a comment is too long, or a piece does not fit.
    """
    if len(pages) > MAX_PAGES:
        raise FumenError("TooManyPages", f"{len(pages)} pages, at most {MAX_PAGES} can be written")
    befores, comments = _expected(pages, after)
    parts: list[str] = []
    for number, (page, before, comment) in enumerate(zip(pages, befores, comments, strict=True)):
        if repeats:
            if page.field != before:
                return None
            repeats -= 1
        elif page.field != before:
            parts += _written_runs(page.field, before)
        else:
            repeats = _unchanged_after(number, pages, befores)
            parts += [*_written_runs(page.field, before), DIGITS[repeats]]
        commented = page.comment != comment
        parts.append(_written_action(page, commented=commented))
        if commented:
            parts.append(encode_comment(page.comment))
    return "".join(parts)


MAX_ESCAPED: Final = 4095
"""Maximum length of an escaped comment."""

# Five digits encode a group of four characters.
_BASE: Final = 96
_FIRST: Final = 32
_GROUP: Final = 4
_PLAIN: Final = frozenset(DIGITS + "@*_-.")
_ESCAPE: Final = re.compile("%(?:u([0-9A-Fa-f]{4})|([0-9A-Fa-f]{2}))")


def escape(text: str) -> str:
    """Escape a text as ASCII; lengths are counted in UTF-16 as in JavaScript."""
    units = struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass"))
    return "".join(
        chr(unit) if chr(unit) in _PLAIN else f"%{unit:02X}" if unit < 256 else f"%u{unit:04X}"
        for (unit,) in units
    )


def unescape(text: str) -> str:
    """Reverse `escape`; invalid escapes are kept."""
    plain = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    # Two escapes may encode one character.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def encode_comment(text: str) -> str:
    """Encode a comment.

    Raises:
        FumenError: (``InvalidCaption``) it is longer than 4095 characters after escaping.
    """
    escaped = escape(text)
    if len(escaped) > MAX_ESCAPED:
        raise FumenError(
            "InvalidCaption",
            f"the comment has {len(escaped)} characters after escaping, at most {MAX_ESCAPED} fit",
        )
    groups = [encode_digits(len(escaped), 2)]
    for start in range(0, len(escaped), _GROUP):
        value = 0
        for character in reversed(escaped[start : start + _GROUP]):
            value = value * _BASE + ord(character) - _FIRST
        groups.append(encode_digits(value, 5))
    return "".join(groups)


def encode_digits(value: int, count: int) -> str:
    """Encode a number as `count` digits."""
    digits: list[str] = []
    for _ in range(count):
        value, digit = divmod(value, len(DIGITS))
        digits.append(DIGITS[digit])
    return "".join(digits)


def _expected(pages: Sequence[Page], after: Page | None) -> tuple[list[Field], list[str]]:
    """Return the default field and comment of each page."""
    befores = [after.resulting_field if after is not None else Field()]
    comments = [after.next_comment if after is not None else ""]
    for number, page in enumerate(pages, 1):
        try:
            if page.placement is not None:
                _expect_room(page.placement)
            befores.append(page.resulting_field)
        except FumenError as error:
            raise FumenError(error.code, f"page {number}: {error}") from None
        comments.append(page.next_comment)
    return befores[:-1], comments[:-1]


def _unchanged_after(number: int, pages: Sequence[Page], befores: Sequence[Field]) -> int:
    """Count the following pages that leave the field unchanged, up to the limit of one digit."""
    end = number + 1
    while end < len(pages) and end - number <= _MOST_REPEATS and pages[end].field == befores[end]:
        end += 1
    return end - number - 1


def _written_runs(field: Field, before: Field) -> list[str]:
    return [
        encode_digits((change + _UNCHANGED) * CELLS + count - 1, 2)
        for change, count in field.differences(before)
    ]


def _written_action(page: Page, *, commented: bool) -> str:
    piece = rotation = location = 0
    if page.placement is not None:
        piece = _PIECES.index(page.placement.piece)
        rotation = _ROTATIONS.index(page.placement.rotation)
        location = location_index(page.placement)
    flags = (page.rise, page.mirror, page.color, commented, not page.lock)
    value = sum(flag << bit for bit, flag in enumerate(flags))
    return encode_digits(piece + 8 * (rotation + 4 * (location + CELLS * value)), 3)


def _expect_room(placement: Placement) -> None:
    # A piece may extend above the top, but the cell that encodes it is within the field.
    if not Field.has_room_for(placement) or location_index(placement) < 0:
        raise FumenError("InvalidPieceLocation", f"{placement} lies outside the field")
