"""Ways to a move, as the versus dialect tells them: inputs from where the piece appears.

What follows the last input is a hard drop. There is no word for a fall by a single row, nor for
hold, which the piece of the move tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Key, Piece, Placement, Rotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Board, Kicks
    from sevenbag.protocols.tbp import messages as tbp


def inputs_of(keys: Sequence[Key]) -> tuple[tbp.InputName, ...] | None:
    """The keys of a path in the dialect's words; None if it has no word for one of them."""
    *way, last = keys
    if last is not Key.HARD_DROP or any(key not in _NAMES for key in way):
        return None
    return tuple(_NAMES[key] for key in way)


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
    placement = Placement(piece, Rotation.NORTH, *spawn)
    if not board.fits(placement):
        return None
    for name in inputs:
        if name == "sonic":
            placement = _fallen(board, placement)
        elif name in _SHIFTS:
            shifted = _moved(placement, _SHIFTS[name], 0)
            placement = shifted if board.fits(shifted) else placement
        else:
            to = Rotation((placement.rotation + _TURNS[name]) % 4)
            turned = board.rotate(placement, to, kicks)
            placement = turned[0] if turned is not None else placement
    return _fallen(board, placement)


# --- helpers ------------------------------------------------------------------------------------

_NAMES: Final[dict[Key, tbp.InputName]] = {
    Key.LEFT: "left",
    Key.RIGHT: "right",
    Key.CW: "cw",
    Key.CCW: "ccw",
    Key.FLIP: "flip",
    Key.SONIC_DROP: "sonic",
}
_SHIFTS: Final[dict[tbp.InputName, int]] = {"left": -1, "right": 1}
_TURNS: Final[dict[tbp.InputName, int]] = {"cw": 1, "flip": 2, "ccw": 3}


def _moved(placement: Placement, dx: int, dy: int) -> Placement:
    return Placement(
        placement.piece, placement.rotation, placement.x + dx, placement.y + dy, placement.spin
    )


def _fallen(board: Board, placement: Placement) -> Placement:
    while board.fits(lower := _moved(placement, 0, -1)):
        placement = lower
    return placement
