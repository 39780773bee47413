"""Position of a player, and its updates by moves and new pieces."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Piece
from sevenbag.errors import PlacementError
from sevenbag.game.rules import Rules, compile_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board, Placement


@dataclass(frozen=True, slots=True)
class Position:
    """State of a player when a move is due.

    Attributes:
        queue: upcoming pieces; ``queue[0]`` is the current one.
        combo: consecutive clearing placements so far; 0 after a placement without a clear.
        back_to_back: consecutive difficult clears; 0 means inactive.
        pending: incoming attacks in order of entry, in lines.
        bag: remaining pieces of the bag at the end of `queue`; None if unknown. Never empty: after
            the last piece of a bag it is the next full bag.
        colors: rows from the bottom, one letter per cell: ``.`` empty, ``G`` garbage, ``B`` a bomb,
            or the piece; None if unknown.
        filled_bag: contents of a full bag; used only if `bag` is known.
    """

    board: Board
    queue: tuple[Piece, ...]
    hold: Piece | None = None
    combo: int = 0
    back_to_back: int = 0
    pending: tuple[int, ...] = ()
    bag: tuple[Piece, ...] | None = None
    colors: tuple[str, ...] | None = None
    filled_bag: tuple[Piece, ...] = tuple(Piece)


def apply_placement(
    position: Position, placement: Placement, rules: Rules | None = None
) -> Position:
    """Return the position after a move; the piece of the placement decides if hold is used.

    The spin of the placement is trusted. Pending garbage becomes empty, because only the game knows
    how much of it the move cancelled. The default rules are those of the guideline.

    Raises:
        PlacementError: the piece is neither the current nor the hold piece, or it does not fit.
    """
    queue, hold = _taken(position, placement.piece)
    kernel = compile_rules(Rules.preset("guideline") if rules is None else rules)
    board, colors, combo, back_to_back = kernel.apply_lock(
        position.board,
        position.colors,
        placement,
        min(max(position.combo, 0), _MAX_COUNTER),
        min(max(position.back_to_back, 0), _MAX_COUNTER),
    )
    return dataclasses.replace(
        position,
        board=board,
        queue=queue,
        hold=hold,
        combo=combo,
        back_to_back=back_to_back,
        pending=(),
        colors=colors,
    )


def append_piece(position: Position, piece: Piece) -> Position:
    """Return the position with another piece at the end of the queue.

    If the bag does not contain the piece, the bag becomes unknown.
    """
    bag = position.bag
    if bag is not None:
        if piece in bag:
            rest = list(bag)
            rest.remove(piece)
            bag = tuple(rest) or position.filled_bag
        else:
            bag = None
    return dataclasses.replace(position, queue=(*position.queue, piece), bag=bag)


# Limit of the counters in the kernel.
_MAX_COUNTER: Final = 1_000_000


def _taken(position: Position, piece: Piece) -> tuple[tuple[Piece, ...], Piece | None]:
    """Return queue and hold without the placed piece."""
    queue, hold = position.queue, position.hold
    if queue and queue[0] == piece:
        return queue[1:], hold
    if hold == piece:
        return queue[1:], queue[0] if queue else None
    if hold is None and len(queue) > 1 and queue[1] == piece:
        return queue[2:], queue[0]
    offered = hold if hold is not None else queue[1] if len(queue) > 1 else None
    has = " or ".join(p.name for p in (*queue[:1], offered) if p is not None)
    raise PlacementError(f"invalid piece: expected {has or 'none'}, got {piece.name}")
