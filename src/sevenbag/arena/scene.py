"""What there is to see of a game at one moment, for whoever draws it.

A scene is plain data: the terminal view, the picture and any later page are drawn from it, and
none of them knows the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag.arena.result import Ending
from sevenbag.errors import printable

if TYPE_CHECKING:
    from sevenbag.arena.result import Fall, PlayerStats, Result
    from sevenbag.game import Player, Versus


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
        fall: why the player lost; None if it did not.
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
    fall: str | None = None
    won: bool = False

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Label and value of every statistic that is known, in the order shown."""
        stats = self.stats
        known = (
            ("pieces", str(stats.pieces)),
            ("lines", str(stats.lines)),
            ("attack", str(stats.attack)),
            ("APP", f"{stats.app:.2f}"),
            ("PPS", _three_digits(stats.pps)),
            ("ms/piece", _three_digits(stats.milliseconds)),
            ("combo", str(self.combo)),
            ("B2B", str(self.back_to_back)),
            ("garbage", str(self.pending)),
        )
        return tuple((label, value) for label, value in known if value)


@dataclass(frozen=True, slots=True)
class Scene:
    """Both sides, and a line about the game."""

    players: tuple[PlayerScene, PlayerScene]
    caption: str


def scene_of(
    versus: Versus,
    names: tuple[str, str],
    stats: tuple[PlayerStats, PlayerStats],
    *,
    seed: int,
    result: Result | None = None,
    hint: str = "",
) -> Scene:
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
            result.falls[player] if result else None,
            won=result is not None and result.winner == player,
        )
        for player, game in enumerate(versus.players)
    )
    # In real time there are no turns.
    when = (
        f"{versus.frame / 60:.1f} s" if versus.frame and not versus.turn else f"turn {versus.turn}"
    )
    words = [when, f"rules {printable(versus.rules.name)}", f"seed {seed}"]
    if result is not None and result.ending is Ending.INTERRUPTED:
        words.append("unfinished")
    if hint:
        words.append(hint)
    return Scene((first, second), " · ".join(words))


# --- helpers ------------------------------------------------------------------------------------


def _player_scene(
    game: Player, name: str, stats: PlayerStats, fall: Fall | None, *, won: bool
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
        fall=fall.reason.value if fall else None,
        won=won,
    )


def _three_digits(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
