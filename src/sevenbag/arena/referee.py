"""What may be played, and what a bot gets to see.

A suggestion is a wish: the first move of it that is legal is played, with the spin that the kernel
finds. A spin that is claimed only chooses between two ways to the same cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.errors import PlacementError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Placement
    from sevenbag.game import Player


def first_legal(game: Player, moves: Sequence[Placement]) -> Placement:
    """The first of the moves that can be played, as it would count.

    Raises:
        PlacementError: none can; the message says why not the first.
    """
    why: PlacementError | None = None
    for move in moves:
        try:
            return game.judge(move)
        except PlacementError as error:
            why = why or error
    raise why or PlacementError("there is no move")
