"""A scene as a picture: one self-contained SVG, no script, no font and no file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import shorten_name
from sevenbag.drawing.board import well
from sevenbag.drawing.cells import CELL, piece
from sevenbag.drawing.picture import FONT, GROUND, LABEL, TEXT, words, xml_text
from sevenbag.drawing.side import ALARM, METER, PIECE_CELL, meter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.arena.scene import PlayerScene, Scene

_MARGIN: Final = 28
_LEFT: Final = 96
_RIGHT: Final = 92
_BETWEEN: Final = 24
_HEAD: Final = 44
_FOOT: Final = 36

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
        f' font-family="{FONT}">',
        f"<title>{xml_text(' against '.join(player.name for player in scene.players))}</title>",
        f'<rect width="{width}" height="{height}" rx="12" fill="{GROUND}"/>',
    ]
    left = _MARGIN
    for player, side_width in zip(scene.players, widths, strict=True):
        parts.append(f'<g transform="translate({left} {_HEAD})">')
        parts += _side(player)
        parts.append("</g>")
        left += side_width + _BETWEEN
    parts.append(
        words(scene.caption, width / 2, height - _MARGIN + 6, size=13, fill=LABEL, at="middle")
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


# --- one player ---------------------------------------------------------------------------------


def _side(player: PlayerScene) -> Iterable[str]:
    columns, rows = len(player.rows[0]), len(player.rows)
    well_left = _LEFT + METER
    well_width, well_height = columns * CELL, rows * CELL
    name_fill = _WON if player.won else ALARM if player.fall else TEXT
    yield words(
        shorten_name(player.name, well_width // 10),
        well_left + well_width / 2,
        -16,
        size=17,
        fill=name_fill,
        at="middle",
        weight="bold",
    )
    yield from _hold_and_figures(player)
    yield from meter(player.pending, _LEFT - 1, well_height)
    yield f'<g transform="translate({well_left} 0)">'
    yield from _well(player)
    yield "</g>"
    yield from _queue(player, well_left + well_width + 16)


def _hold_and_figures(player: PlayerScene) -> Iterable[str]:
    yield words("hold", 0, 12, size=12, fill=LABEL)
    if player.hold is not None:
        yield from piece(player.hold, 0, 24, PIECE_CELL)
    for index, (label, value) in enumerate(player.figures):
        top = 84 + index * 36
        alarmed = label == "garbage" and player.pending > 0
        yield words(label, 0, top, size=12, fill=LABEL)
        yield words(value, 0, top + 18, size=16, fill=ALARM if alarmed else TEXT, weight="bold")


def _well(player: PlayerScene) -> Iterable[str]:
    width, height = len(player.rows[0]) * CELL, len(player.rows) * CELL
    yield from well(player.rows)
    verdict = "winner" if player.won else player.fall
    if verdict:
        fill = _WON if player.won else ALARM
        yield (
            f'<rect y="{height / 2 - 20}" width="{width}" height="40" fill="{GROUND}"'
            ' fill-opacity="0.88"/>'
        )
        yield words(
            shorten_name(verdict, width // 11),
            width / 2,
            height / 2 + 6,
            size=18,
            fill=fill,
            at="middle",
            weight="bold",
        )


def _queue(player: PlayerScene, left: float) -> Iterable[str]:
    yield words("next", left, 12, size=12, fill=LABEL)
    for index, letter in enumerate(player.queue):
        yield from piece(letter, left, 24 + index * 48, PIECE_CELL)


def _side_width(player: PlayerScene) -> int:
    return _LEFT + METER + len(player.rows[0]) * CELL + _RIGHT - 8
