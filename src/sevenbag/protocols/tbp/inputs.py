"""Ways to a move, as the versus dialect tells them: inputs from where the piece appears.

What follows the last input is a hard drop. There is no word for a fall by a single row, nor for
hold, which the piece of the move tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Board, Kicks, Piece, Placement, SpinMode, SpinRules
    from sevenbag.protocols.tbp import messages as tbp


def way_to(
    placement: Placement,
    board: Board,
    *,
    spawn: tuple[int, int],
    kicks: Kicks | str,
    spins: SpinRules | SpinMode | str = "none",
) -> tuple[tbp.InputName, ...] | None:
    """The fewest inputs to a move, with its spin where `spins` tells spins apart; None: no way."""
    keys = board.path(placement, kicks, spins=spins, spawn=spawn, keys=list(_NAMES))
    return None if keys is None else tuple(_NAMES[key] for key in keys[:-1])


def end_of(
    inputs: Sequence[tbp.InputName],
    piece: Piece,
    board: Board,
    *,
    spawn: tuple[int, int],
    kicks: Kicks | str,
) -> Placement | None:
    """Where a piece comes to rest by these inputs; None if it cannot even appear.

    An input that moves nothing, as one against a wall, is passed over, as games do.
    """
    return board.follow(piece, [KEY_OF[name] for name in inputs], kicks, spawn=spawn)


# --- helpers ------------------------------------------------------------------------------------

KEY_OF: Final[dict[tbp.InputName, Key]] = {
    "left": Key.LEFT,
    "right": Key.RIGHT,
    "cw": Key.CW,
    "ccw": Key.CCW,
    "flip": Key.FLIP,
    "sonic": Key.SONIC_DROP,
}
"""What each input does."""
_NAMES: Final[dict[Key, tbp.InputName]] = {key: name for name, key in KEY_OF.items()}
