"""Pictures and their arrangement; colours of cells and shapes of pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.errors import printable

EMPTY: Final = "."
GARBAGE: Final = "G"
BOMB: Final = "B"

COLORS: Final = {
    "I": "#2fc8d8",
    "O": "#e8c52e",
    "T": "#b056d6",
    "L": "#e8892e",
    "J": "#4a72e8",
    "S": "#58bf48",
    "Z": "#e04a4f",
    GARBAGE: "#868b94",
    BOMB: "#3d424d",
}
"""Usual colours by cell letter, legible on a dark background."""

_FUSE: Final = "#ff5a5f"

CELL: Final = 20
"""Size of a cell of a board."""

Shape = tuple[tuple[bool, ...], ...]


def piece_shape(letter: str) -> Shape:
    """Return the cells of a piece at its spawn: two rows from the top, as wide as the piece."""
    return _SHAPES[letter]


def cell_element(letter: str, left: float, top: float, size: int) -> str:
    """Return a cell with a light upper edge that separates neighbours of one colour."""
    fill = COLORS.get(letter, COLORS[GARBAGE])
    side = size - 1
    drawn = (
        f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{side}" height="{side}" rx="2"'
        f' fill="{fill}"/>'
        f'<path d="M{left + 2:g} {top + 2:g}h{size - 4}" stroke="#fff" stroke-opacity="0.35"/>'
    )
    if letter == BOMB:
        middle = f'cx="{left + size / 2:g}" cy="{top + size / 2:g}"'
        drawn += f'<circle {middle} r="{size * 0.28:g}" fill="{_FUSE}"/>'
    return drawn


def piece_elements(letter: str, left: float, top: float, size: int) -> Iterable[str]:
    """Return the cells of a piece at its spawn, its upper left corner at (left, top)."""
    for y, row in enumerate(piece_shape(letter)):
        for x, filled in enumerate(row):
            if filled:
                yield cell_element(letter, left + x * size, top + y * size, size)


BACKGROUND: Final = "#14161b"
TEXT: Final = "#eceff4"
LABEL: Final = "#8b93a5"

FONT: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""Fonts of the reader: an embedded font would be larger than the picture."""

_CAPTION: Final = 13
_LINE: Final = 18
_HEAD: Final = 15
_ARROW: Final = 26
_LETTER: Final = 0.61
"""Width of a letter of `FONT` relative to its height."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Size and SVG elements; the upper left corner is (0, 0)."""

    width: float
    height: float
    parts: tuple[str, ...]

    def svg(self, title: str = "") -> str:
        """Return an SVG file; the title is for screen readers."""
        size = f"{self.width:g} {self.height:g}"
        label = escape(printable(title))
        named = f' aria-label="{label}"' if title else ""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{self.width:g}"'
            f' height="{self.height:g}" role="img"{named} font-family="{FONT}">'
        )
        return "\n".join([head, *self.parts, "</svg>"]) + "\n"

    def _repr_svg_(self) -> str:
        """Return the picture for notebooks."""
        return self.svg()


def escape_text(text: str) -> str:
    """Escape text for XML and replace unprintable characters."""
    return escape(printable(text), quote=False)


def arrange_row(pictures: Sequence[Picture], *, gap: float = 24, arrows: bool = False) -> Picture:
    """Arrange pictures side by side, aligned at the top.

    Args:
        pictures: pictures from the left.
        gap: space between two pictures.
        arrows: draw an arrow from each picture to the next.
    """
    height = max((picture.height for picture in pictures), default=0)
    parts: list[str] = []
    left = 0.0
    for picture in pictures:
        if left:
            if arrows:
                parts.append(_arrow(left + gap / 2, height / 2))
                left += _ARROW
            left += gap
        parts += _moved(picture, left, 0)
        left += picture.width
    return Picture(left, height, tuple(parts))


def arrange_column(pictures: Sequence[Picture], *, gap: float = 20) -> Picture:
    """Arrange pictures in a column, aligned at the left."""
    parts: list[str] = []
    top = 0.0
    for picture in pictures:
        top += gap if top else 0
        parts += _moved(picture, 0, top)
        top += picture.height
    return Picture(max((picture.width for picture in pictures), default=0), top, tuple(parts))


def add_caption(picture: Picture, *lines: str) -> Picture:
    """Add centred text below a picture."""
    width = max(picture.width, *(text_width(line, _CAPTION) for line in lines))
    parts = list(_moved(picture, (width - picture.width) / 2, 0))
    parts += [
        text_element(
            line, width / 2, picture.height + _LINE * i, size=_CAPTION, fill=TEXT, at="middle"
        )
        for i, line in enumerate(lines, start=1)
    ]
    return Picture(width, picture.height + _LINE * len(lines) + 4, tuple(parts))


def add_heading(picture: Picture, line: str) -> Picture:
    """Add a heading above a picture."""
    width = max(picture.width, text_width(line, _HEAD))
    above = _HEAD + 12
    head = text_element(line, 0, _HEAD, size=_HEAD, fill=TEXT, weight="bold")
    return Picture(width, picture.height + above, (head, *_moved(picture, 0, above)))


def add_background(picture: Picture, *, margin: float = 20) -> Picture:
    """Add a dark background with rounded corners."""
    width, height = picture.width + 2 * margin, picture.height + 2 * margin
    ground = f'<rect width="{width:g}" height="{height:g}" rx="12" fill="{BACKGROUND}"/>'
    return Picture(width, height, (ground, *_moved(picture, margin, margin)))


def text_element(
    text: str,
    left: float,
    baseline: float,
    *,
    size: int,
    fill: str = TEXT,
    at: str = "start",
    weight: str = "normal",
) -> str:
    """Return a line of text; `at` is the part of it at `left`: ``start``, ``middle`` or ``end``."""
    return (
        f'<text x="{left:g}" y="{baseline:g}" font-size="{size}" fill="{fill}"'
        f' text-anchor="{at}" font-weight="{weight}">{escape_text(text)}</text>'
    )


def text_width(text: str, size: int) -> float:
    """Estimate the width of a line of text."""
    return len(text) * size * _LETTER


def _drawn(piece: Piece) -> Shape:
    cells = Placement(piece, Rotation.NORTH, 1, 0).cells
    columns = [x for x, _ in cells]
    across = range(min(columns), max(columns) + 1)
    return tuple(tuple((x, y) in cells for x in across) for y in (1, 0))


_SHAPES: Final = {piece.name: _drawn(piece) for piece in Piece}


def _moved(picture: Picture, left: float, top: float) -> Iterable[str]:
    return (f'<g transform="translate({left:g} {top:g})">', *picture.parts, "</g>")


def _arrow(left: float, middle: float) -> str:
    tip = left + _ARROW
    return (
        f'<path d="M{left:g} {middle:g}H{tip:g}m-8 -6l8 6l-8 6" fill="none" stroke="{LABEL}"'
        ' stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>'
    )
