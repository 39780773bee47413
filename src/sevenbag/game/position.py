"""What a player sees when a move is due."""

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
    """All that a player sees when a move is due.

    Attributes:
        board: filled and empty cells.
        queue: upcoming pieces; ``queue[0]`` is the current one.
        hold: the held piece.
        combo: consecutive clearing placements so far; 0 at rest.
        back_to_back: difficult clears in a row; 0 means inactive.
        pending: incoming attacks in the order they will enter, in lines.
        bag: pieces still to come in the bag at the end of `queue`; None where unknown.
            Never empty: a bag that has just been dealt out is the next full one.
        colors: rows from the bottom, a letter a cell: ``.`` empty, ``G`` garbage, ``B`` a bomb,
            or the piece; None where only filled and empty are known.
        filled_bag: what a full bag holds; it matters only where `bag` is known.
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
    """The position after a move; whether it uses hold is told by its piece.

    The placement's spin is believed. Waiting garbage is no longer known: only the game knows what
    the move cancelled.

    Args:
        position: the position before.
        placement: the move.
        rules: the rules in force; None: those of the guideline.

    Raises:
        PlacementError: the piece is neither the current one nor the one that hold offers, or it
            does not fit.
    """
    queue, hold = _taken(position, placement.piece)
    kernel = compile_rules(Rules.preset("guideline") if rules is None else rules)
    board, colors, combo, back_to_back = kernel.after(
        position.board,
        position.colors,
        placement,
        min(max(position.combo, 0), _MOST_COUNTED),
        min(max(position.back_to_back, 0), _MOST_COUNTED),
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
    """The position with one more piece at the end of the queue.

    A piece that the bag cannot give shows that the bag is not what it was taken for; from then on
    it is unknown.
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


# --- helpers ------------------------------------------------------------------------------------


# The kernel counts no further.
_MOST_COUNTED: Final = 1_000_000


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
