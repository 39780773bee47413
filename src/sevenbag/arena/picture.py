"""A scene as a picture: one self-contained SVG, no script, no font and no file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from sevenbag.arena.scene import shape, shortened
from sevenbag.formats.drawing import CELL, GROUND, block, well

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.arena.scene import PlayerScene, Scene

_PIECE_CELL: Final = 14
_MARGIN: Final = 28
_LEFT: Final = 96
_RIGHT: Final = 92
_METER: Final = 8
_BETWEEN: Final = 24
_HEAD: Final = 44
_FOOT: Final = 36

_LABEL: Final = "#8b93a5"
_TEXT: Final = "#eceff4"
_ALARM: Final = "#ff5a5f"
_WON: Final = "#6fdc6f"


def svg(scene: Scene) -> str:
    """The picture of a scene."""
    widths = [_side_width(player) for player in scene.players]
    tallest = max(len(player.rows) for player in scene.players) * CELL
    width = 2 * _MARGIN + sum(widths) + _BETWEEN
    height = _HEAD + tallest + _FOOT + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">',
        f"<title>{escape(' against '.join(player.name for player in scene.players))}</title>",
        f'<rect width="{width}" height="{height}" rx="12" fill="{GROUND}"/>',
    ]
    left = _MARGIN
    for player, side_width in zip(scene.players, widths, strict=True):
        parts.append(f'<g transform="translate({left} {_HEAD})">')
        parts += _side(player)
        parts.append("</g>")
        left += side_width + _BETWEEN
    parts.append(
        _words(scene.caption, width / 2, height - _MARGIN + 6, size=13, fill=_LABEL, at="middle")
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


# --- one player ---------------------------------------------------------------------------------


def _side(player: PlayerScene) -> Iterable[str]:
    columns, rows = len(player.rows[0]), len(player.rows)
    well_left = _LEFT + _METER
    well_width, well_height = columns * CELL, rows * CELL
    name_fill = _WON if player.won else _ALARM if player.fall else _TEXT
    yield _words(
        shortened(player.name, well_width // 10),
        well_left + well_width / 2,
        -16,
        size=17,
        fill=name_fill,
        at="middle",
        weight="bold",
    )
    yield from _hold_and_figures(player)
    yield from _meter(player, well_height)
    yield f'<g transform="translate({well_left} 0)">'
    yield from _well(player)
    yield "</g>"
    yield from _queue(player, well_left + well_width + 16)


def _hold_and_figures(player: PlayerScene) -> Iterable[str]:
    yield _words("hold", 0, 12, size=12, fill=_LABEL)
    if player.hold is not None:
        yield from _piece(player.hold, 0, 24)
    for index, (label, value) in enumerate(player.figures):
        top = 84 + index * 36
        alarmed = label == "garbage" and player.pending > 0
        yield _words(label, 0, top, size=12, fill=_LABEL)
        yield _words(value, 0, top + 18, size=16, fill=_ALARM if alarmed else _TEXT, weight="bold")


def _meter(player: PlayerScene, well_height: int) -> Iterable[str]:
    """Garbage that waits, beside the rows it will take; the same edge the terminal shows."""
    filled = min(player.pending * CELL, well_height)
    if filled:
        yield (
            f'<rect x="{_LEFT - 1}" y="{well_height - filled}" width="{_METER - 2}"'
            f' height="{filled}" rx="2" fill="{_ALARM}"/>'
        )


def _well(player: PlayerScene) -> Iterable[str]:
    width, height = len(player.rows[0]) * CELL, len(player.rows) * CELL
    yield from well(player.rows)
    verdict = "winner" if player.won else player.fall
    if verdict:
        fill = _WON if player.won else _ALARM
        yield (
            f'<rect y="{height / 2 - 20}" width="{width}" height="40" fill="{GROUND}"'
            ' fill-opacity="0.88"/>'
        )
        yield _words(
            shortened(verdict, width // 11),
            width / 2,
            height / 2 + 6,
            size=18,
            fill=fill,
            at="middle",
            weight="bold",
        )


def _queue(player: PlayerScene, left: float) -> Iterable[str]:
    yield _words("next", left, 12, size=12, fill=_LABEL)
    for index, letter in enumerate(player.queue):
        yield from _piece(letter, left, 24 + index * 48)


# --- parts --------------------------------------------------------------------------------------


def _piece(letter: str, left: float, top: float) -> Iterable[str]:
    for y, row in enumerate(shape(letter)):
        for x, filled in enumerate(row):
            if filled:
                yield block(letter, left + x * _PIECE_CELL, top + y * _PIECE_CELL, _PIECE_CELL)


def _words(
    text: str,
    left: float,
    baseline: float,
    *,
    size: int,
    fill: str,
    at: str = "start",
    weight: str = "normal",
) -> str:
    return (
        f'<text x="{left:g}" y="{baseline:g}" font-size="{size}" fill="{fill}"'
        f' text-anchor="{at}" font-weight="{weight}">{escape(text)}</text>'
    )


def _side_width(player: PlayerScene) -> int:
    return _LEFT + _METER + len(player.rows[0]) * CELL + _RIGHT - 8
