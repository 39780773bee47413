"""State of a game to be drawn, and its SVG picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import shorten_name
from sevenbag.drawing.board_picture import METER, PIECE_CELL, WARNING, draw_playfield, garbage_meter
from sevenbag.drawing.picture import (
    BACKGROUND,
    CELL,
    FONT,
    LABEL,
    TEXT,
    escape_text,
    piece_elements,
    text_element,
)
from sevenbag.errors import printable
from sevenbag.game.game_result import GameEnding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.game import Player, Versus
    from sevenbag.game.game_result import GameResult, Loss, PlayerStats


@dataclass(frozen=True, slots=True)
class PlayerScene:
    """One player's side.

    Attributes:
        name: who plays.
        rows: the visible rows from the bottom, a letter a cell as in `Position.colors`.
        hold: the held piece, a letter.
        queue: current piece and previews, letters.
        pending: lines of garbage waiting.
        stats: what the player has done so far.
        combo: clearing placements in a row.
        back_to_back: difficult clears in a row.
        loss: why the player lost; None if it did not.
        won: whether the game is over and won.
    """

    name: str
    rows: tuple[str, ...]
    hold: str | None
    queue: tuple[str, ...]
    pending: int
    stats: PlayerStats
    combo: int
    back_to_back: int
    loss: str | None = None
    won: bool = False

    @property
    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Label and value of every statistic that is known, in the order shown."""
        stats = self.stats
        known = (
            ("pieces", str(stats.pieces)),
            ("lines", str(stats.lines)),
            ("attack", str(stats.attack)),
            ("APP", f"{stats.app:.2f}"),
            ("PPS", _three_digits(stats.pps)),
            ("ms/piece", _three_digits(stats.thinking_ms_per_piece)),
            ("combo", str(self.combo)),
            ("B2B", str(self.back_to_back)),
            ("garbage", str(self.pending)),
        )
        return tuple((label, value) for label, value in known if value)


@dataclass(frozen=True, slots=True)
class GameScene:
    """Both sides, and a line about the game."""

    players: tuple[PlayerScene, PlayerScene]
    caption: str


def build_scene(
    versus: Versus,
    names: tuple[str, str],
    stats: tuple[PlayerStats, PlayerStats],
    *,
    seed: int,
    result: GameResult | None = None,
    hint: str = "",
) -> GameScene:
    """The scene of a game as it stands.

    Args:
        versus: the game.
        names: the players.
        stats: what each has done so far.
        seed: the game's seed, for the caption.
        result: how it ended, if it has.
        hint: what the caption says at its end.
    """
    first, second = (
        _player_scene(
            game,
            names[player],
            stats[player],
            result.losses[player] if result else None,
            won=result is not None and result.winner == player,
        )
        for player, game in enumerate(versus.players)
    )
    # In real time there are no turns.
    when = (
        f"{versus.frame / 60:.1f} s" if versus.frame and not versus.turn else f"turn {versus.turn}"
    )
    words = [when, f"rules {printable(versus.rules.name)}", f"seed {seed}"]
    if result is not None and result.ending is GameEnding.INTERRUPTED:
        words.append("unfinished")
    if hint:
        words.append(hint)
    return GameScene((first, second), " · ".join(words))


def _player_scene(
    game: Player, name: str, stats: PlayerStats, loss: Loss | None, *, won: bool
) -> PlayerScene:
    return PlayerScene(
        name=printable(name),
        rows=game.colors[: game.rules.board.visible],
        hold=game.hold.name if game.hold is not None else None,
        queue=tuple(piece.name for piece in game.queue),
        pending=sum(game.pending),
        stats=stats,
        combo=game.combo,
        back_to_back=game.back_to_back,
        loss=loss.reason.value if loss else None,
        won=won,
    )


def _three_digits(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


_MARGIN: Final = 28
_LEFT: Final = 96
_RIGHT: Final = 92
_BETWEEN: Final = 24
_HEAD: Final = 44
_FOOT: Final = 36

_WON: Final = "#6fdc6f"


def scene_svg(scene: GameScene) -> str:
    """The picture of a scene."""
    widths = [_side_width(player) for player in scene.players]
    tallest = max(len(player.rows) for player in scene.players) * CELL
    width = 2 * _MARGIN + sum(widths) + _BETWEEN
    height = _HEAD + tallest + _FOOT + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img"'
        f' font-family="{FONT}">',
        f"<title>{escape_text(' against '.join(player.name for player in scene.players))}</title>",
        f'<rect width="{width}" height="{height}" rx="12" fill="{BACKGROUND}"/>',
    ]
    left = _MARGIN
    for player, side_width in zip(scene.players, widths, strict=True):
        parts.append(f'<g transform="translate({left} {_HEAD})">')
        parts += _draw_player(player)
        parts.append("</g>")
        left += side_width + _BETWEEN
    parts.append(
        text_element(
            scene.caption, width / 2, height - _MARGIN + 6, size=13, fill=LABEL, at="middle"
        )
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


# --- one player ---------------------------------------------------------------------------------


def _draw_player(player: PlayerScene) -> Iterable[str]:
    columns, rows = len(player.rows[0]), len(player.rows)
    well_left = _LEFT + METER
    well_width, well_height = columns * CELL, rows * CELL
    name_fill = _WON if player.won else WARNING if player.loss else TEXT
    yield text_element(
        shorten_name(player.name, well_width // 10),
        well_left + well_width / 2,
        -16,
        size=17,
        fill=name_fill,
        at="middle",
        weight="bold",
    )
    yield from _draw_hold_and_statistics(player)
    yield from garbage_meter(player.pending, _LEFT - 1, well_height)
    yield f'<g transform="translate({well_left} 0)">'
    yield from _draw_board(player)
    yield "</g>"
    yield from _draw_queue(player, well_left + well_width + 16)


def _draw_hold_and_statistics(player: PlayerScene) -> Iterable[str]:
    yield text_element("hold", 0, 12, size=12, fill=LABEL)
    if player.hold is not None:
        yield from piece_elements(player.hold, 0, 24, PIECE_CELL)
    for index, (label, value) in enumerate(player.statistics):
        top = 84 + index * 36
        alarmed = label == "garbage" and player.pending > 0
        yield text_element(label, 0, top, size=12, fill=LABEL)
        yield text_element(
            value, 0, top + 18, size=16, fill=WARNING if alarmed else TEXT, weight="bold"
        )


def _draw_board(player: PlayerScene) -> Iterable[str]:
    width, height = len(player.rows[0]) * CELL, len(player.rows) * CELL
    yield from draw_playfield(player.rows)
    verdict = "winner" if player.won else player.loss
    if verdict:
        fill = _WON if player.won else WARNING
        yield (
            f'<rect y="{height / 2 - 20}" width="{width}" height="40" fill="{BACKGROUND}"'
            ' fill-opacity="0.88"/>'
        )
        yield text_element(
            shorten_name(verdict, width // 11),
            width / 2,
            height / 2 + 6,
            size=18,
            fill=fill,
            at="middle",
            weight="bold",
        )


def _draw_queue(player: PlayerScene, left: float) -> Iterable[str]:
    yield text_element("next", left, 12, size=12, fill=LABEL)
    for index, letter in enumerate(player.queue):
        yield from piece_elements(letter, left, 24 + index * 48, PIECE_CELL)


def _side_width(player: PlayerScene) -> int:
    return _LEFT + METER + len(player.rows[0]) * CELL + _RIGHT - 8
