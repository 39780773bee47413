"""Tells from two positions what has happened between them: a move, new pieces, garbage.

A game that is told as positions alone can so be told as moves to a bot that understands garbage,
which then need not begin to think anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag._kernel import Placement, Spin
from sevenbag.errors import PlacementError
from sevenbag.game.course import after_placement
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag._kernel import Piece
    from sevenbag.game.position import Position
    from sevenbag.protocols.tbp import messages as tbp


@dataclass(frozen=True, slots=True)
class Happened:
    """What led from one position to the next.

    Attributes:
        placement: the move.
        new_pieces: pieces that joined the queue.
        garbage: rows that entered after the move, in the order of TBP's message.
    """

    placement: Placement
    new_pieces: tuple[Piece, ...]
    garbage: tuple[tbp.Row, ...]


def what_happened(before: Position, moves: Iterable[Placement], after: Position) -> Happened | None:
    """What led from one position to another; None if none of the moves did, or without garbage.

    Args:
        before: the first position.
        moves: those that may have been made.
        after: the second position.
    """
    for move in moves:
        for spin in (Spin.NONE, Spin.MINI, Spin.FULL):
            placement = Placement(move.piece, move.rotation, move.x, move.y, spin)
            try:
                between = after_placement(before, placement)
            except PlacementError:
                break
            rows = _entered(between, after)
            if rows is not None and _agree(between, after):
                new_pieces = after.queue[len(between.queue) :]
                return Happened(placement, new_pieces, rows)
    return None


# --- helpers ------------------------------------------------------------------------------------


def _agree(between: Position, after: Position) -> bool:
    """Whether all but the board fits together."""
    return (
        after.queue[: len(between.queue)] == between.queue
        and after.hold == between.hold
        and after.combo == between.combo
        and (after.back_to_back > 0) == (between.back_to_back > 0)
    )


def _entered(between: Position, after: Position) -> tuple[tbp.Row, ...] | None:
    """The rows below the old board; None if it is not the old board that lies above them."""
    old, new = between.board, after.board
    if (old.width, old.rows) != (new.width, new.rows):
        return None
    full = (1 << new.width) - 1
    for count in range(1, new.height + 1):
        if new.row(count - 1) == full:
            return None
        if all(new.row(y) == old.row(y - count) for y in range(count, new.rows)):
            return tbp_conversion.rows_of(new, after.colors)[count - 1 :: -1]
    return None
