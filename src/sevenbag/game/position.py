"""What a player sees when a move is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag._kernel import Piece

if TYPE_CHECKING:
    from sevenbag._kernel import Board


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
