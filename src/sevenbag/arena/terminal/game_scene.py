"""State of a game to be drawn, and its SVG picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag.bots.bot import shorten_name
from sevenbag.drawing.board_picture import draw_player
from sevenbag.drawing.picture import (
    CELL,
    Picture,
    add_background,
    add_caption,
    add_heading,
    arrange_row,
)
from sevenbag.errors import printable
from sevenbag.game import Player, Versus
from sevenbag.game.game_config import FRAMES_PER_SECOND
from sevenbag.game.game_result import GameEnding, GameResult, Loss, PlayerStats

if TYPE_CHECKING:
    from sevenbag.replay.playback import Playback


@dataclass(frozen=True, slots=True)
class PlayerScene:
    """State of one player.

    Attributes:
        rows: visible rows from the bottom, one letter per cell as in `Position.colors`.
        hold: letter of the held piece.
        queue: letters of the current piece and the previews.
        pending: lines of pending garbage.
        combo: number of consecutive clears.
        back_to_back: number of consecutive difficult clears.
        loss: reason of the loss; None if the player has not lost.
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
        """Return label and value of each known statistic."""
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
    """State of both players, and a line about the game."""

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
    """Build the scene of a game."""
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
        f"{versus.frame / FRAMES_PER_SECOND:.1f} s"
        if versus.frame and not versus.turn
        else f"turn {versus.turn}"
    )
    words = [when, f"rules {printable(versus.rules.name)}", f"seed {seed}"]
    if result is not None and result.ending is GameEnding.INTERRUPTED:
        words.append("unfinished")
    if hint:
        words.append(hint)
    return GameScene((first, second), " · ".join(words))


def playback_scene(playback: Playback, hint: str = "") -> GameScene:
    """Build the scene of a replay in its current state."""
    return build_scene(
        playback.game,
        playback.names,
        playback.player_stats(),
        seed=playback.replay.header.seed,
        result=playback.recorded_result() if playback.at_end else None,
        hint=hint,
    )


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


def scene_svg(scene: GameScene) -> str:
    """Draw a scene as SVG."""
    sides = arrange_row([_draw_side(player) for player in scene.players])
    picture = add_background(add_caption(sides, scene.caption))
    return picture.svg(" against ".join(player.name for player in scene.players))


def _draw_side(player: PlayerScene) -> Picture:
    side = draw_player(
        player.rows,
        hold=player.hold,
        queue=player.queue,
        pending=player.pending,
        statistics=player.statistics,
    )
    verdict = "winner" if player.won else player.loss
    if verdict:
        side = add_caption(side, verdict)
    return add_heading(side, shorten_name(player.name, len(player.rows[0]) * CELL // 10))
