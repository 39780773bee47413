"""Games as pictures, as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.drawing import Picture, captioned, in_a_row, on_ground, side_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.game.game import Player


def players_picture(players: Sequence[Player]) -> Picture:
    """The sides of players as they stand, next to each other."""
    return on_ground(in_a_row([_side(player) for player in players], gap=32))


# --- helpers ------------------------------------------------------------------------------------


def _side(player: Player) -> Picture:
    # What is stacked above the visible rows is what tops out: it is shown, too.
    shown = max(player.rules.board.visible, player.board.height)
    side = side_picture(
        player.colors[:shown],
        hold=player.hold.name if player.hold is not None else None,
        queue=[piece.name for piece in player.queue],
        pending=sum(player.pending),
        figures=[
            ("pieces", str(player.stats.pieces)),
            ("attack", str(player.stats.attack)),
            ("combo", str(player.combo)),
            ("B2B", str(player.back_to_back)),
            ("garbage", str(sum(player.pending))),
        ],
    )
    return captioned(side, player.top_out.value) if player.top_out is not None else side
