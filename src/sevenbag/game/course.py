"""How a position goes on, for those who see the moves but do not run the game."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from sevenbag._kernel import Piece, Spin
from sevenbag.errors import PlacementError

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.game.position import Position

QUAD = 4


def after_placement(position: Position, placement: Placement) -> Position:
    """The position after a move; whether it uses hold is told by its piece.

    The placement's spin is believed. Waiting garbage is no longer known: only the game knows what
    the move cancelled.

    Raises:
        PlacementError: the piece is neither the current one nor the one that hold offers, or it
            does not fit.
    """
    queue, hold = _taken(position, placement.piece)
    board = position.board.copy()
    lines = board.lock(placement)
    back_to_back = position.back_to_back
    if lines:
        difficult = lines == QUAD or placement.spin != Spin.NONE
        back_to_back = back_to_back + 1 if difficult else 0
    return dataclasses.replace(
        position,
        board=board,
        queue=queue,
        hold=hold,
        combo=position.combo + 1 if lines else 0,
        back_to_back=back_to_back,
        pending=(),
        colors=_colored(position.colors, placement, position.board.width),
    )


def after_new_piece(position: Position, piece: Piece) -> Position:
    """The position with one more piece at the end of the queue.

    A piece that the bag cannot give shows that the bag is not what it was taken for; from then on
    it is unknown.
    """
    bag = position.bag
    if bag is not None:
        if piece in bag:
            rest = list(bag)
            rest.remove(piece)
            bag = tuple(rest) or tuple(Piece)
        else:
            bag = None
    return dataclasses.replace(position, queue=(*position.queue, piece), bag=bag)


# --- helpers ------------------------------------------------------------------------------------


def _taken(position: Position, piece: Piece) -> tuple[tuple[Piece, ...], Piece | None]:
    """Queue and hold without the piece that is placed."""
    queue, hold = position.queue, position.hold
    if queue and queue[0] == piece:
        return queue[1:], hold
    if hold == piece:
        return queue[1:], queue[0] if queue else None
    if hold is None and len(queue) > 1 and queue[1] == piece:
        return queue[2:], queue[0]
    offered = hold if hold is not None else queue[1] if len(queue) > 1 else None
    has = " or ".join(p.name for p in (*queue[:1], offered) if p is not None)
    raise PlacementError(f"{piece.name} is not to be placed now, but {has or 'nothing'}")


def _colored(
    colors: tuple[str, ...] | None, placement: Placement, width: int
) -> tuple[str, ...] | None:
    if colors is None:
        return None
    rows = [list(row) for row in colors]
    for x, y in placement.cells:
        rows.extend(["."] * width for _ in range(y + 1 - len(rows)))
        rows[y][x] = placement.piece.name
    left = ["".join(row) for row in rows if "." in row]
    left.extend("." * width for _ in range(len(colors) - len(left)))
    return tuple(left)
