"""Ways to a placement as the Pason contest of 2012 has them: one move a message.

There is no hold, no half turn, and no fall to the floor that does not lock. ``lrotate`` turns a
piece counter-clockwise on the screen, as the contest's figure has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sevenbag._kernel import Key
from sevenbag.game.rules import kernel_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board, Placement
    from sevenbag.game import Rules

MoveName: TypeAlias = Literal["left", "right", "down", "drop", "lrotate", "rrotate"]

KEY_OF: Final[dict[MoveName, Key]] = {
    "left": Key.LEFT,
    "right": Key.RIGHT,
    "down": Key.SOFT_DROP,
    "drop": Key.HARD_DROP,
    "lrotate": Key.CCW,
    "rrotate": Key.CW,
}
"""What each move does."""


def moves_to(board: Board, placement: Placement, rules: Rules) -> tuple[MoveName, ...] | None:
    """The fewest moves to a placement, ``drop`` last; None if nothing leads there.

    Args:
        board: filled and empty cells.
        placement: a placement of the current piece.
        rules: the rules in force, such as the preset ``pason-2012``.
    """
    keys = kernel_rules(rules).path(board, placement, cleared=False, keys=list(_MOVES))
    return None if keys is None else tuple(_MOVES[key] for key in keys)


# --- helpers ------------------------------------------------------------------------------------

_MOVES: Final[dict[Key, MoveName]] = {key: name for name, key in KEY_OF.items()}
