"""All perfect clears of a field, and which queues can play them.

Two solutions are the same here if the same cells belong to the same pieces, whatever the order of
play: a tiling. Cells are counted in rows of the field as it is at the start (full rows removed), so
that a piece may have a gap where rows are cleared before it comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from sevenbag._kernel import (
    PC_MAX_TILES,
    PC_TILED_ROWS,
    Kicks,
    PcReason,
    PcSolver,
    PcTiling,
    Piece,
)
from sevenbag.errors import SearchStoppedError
from sevenbag.pc.solver import MAX_HEIGHT, Solution, as_board

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag._kernel import Board, PieceLike, Placement, StopFlag

MAX_TILES: Final = PC_MAX_TILES
"""Tiles of a tiling, at most."""

MAX_ROWS: Final = PC_TILED_ROWS
"""Rows of a field whose tilings are looked for, at most."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The cells of one piece.

    Attributes:
        piece: which piece.
        cells: its four (x, y), from the lowest row up, in rows of the start field.
    """

    piece: Piece
    cells: tuple[tuple[int, int], ...]


class Tiling:
    """Tiles on a field that do not overlap."""

    def __init__(self, kernel: PcTiling) -> None:
        self._kernel = kernel
        self._tiles = tuple(Tile(piece, cells) for piece, cells in kernel.tiles)

    @classmethod
    def of(
        cls, field: Board | str, placements: Sequence[Placement], kicks: Kicks | str = "srs+"
    ) -> Self:
        """The tiles of placements, given in any order in which they can follow each other.

        They need not fill the field.

        Raises:
            BoardError: the field is not 10 wide, or filled above `MAX_ROWS` rows.
            PlacementError: one covers a filled cell or leaves these rows, or they are more than
                `MAX_TILES`.
        """
        return cls(PcSolver(kicks).tiling(as_board(field), placements))

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles, from left to right or in the order given."""
        return self._tiles

    @property
    def queues(self) -> int:
        """Bit i is set if queue i of those asked about can play the tiling."""
        return self._kernel.queues or 0

    def played_by(
        self,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
    ) -> int:
        """Which queues can play all tiles: bit i is set for queue i.

        Every tile must be reachable when its turn comes.
        """
        return self._kernel.played_by(queues, hold, use_hold=use_hold)

    def solution(
        self,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
    ) -> Solution | None:
        """The tiles in an order of play for a queue; None if there is no such order."""
        found = self._kernel.order(queue, hold, use_hold=use_hold)
        if found is None:
            return None
        rows = {y for tile in self._tiles for _, y in tile.cells}
        return Solution(*found, height=max(rows) + 1)


def all_solutions(
    field: Board | str,
    queues: Iterable[Iterable[PieceLike]],
    hold: PieceLike | None = None,
    *,
    height: int,
    kicks: Kicks | str = "srs+",
    use_hold: bool = True,
    strict: bool = False,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> list[Tiling]:
    """Find every tiling of a field that at least one of the queues can play.

    >>> tilings = all_solutions("", ["OIIII", "OIIIS"], height=2)
    >>> len(tilings), {tiling.queues for tiling in tilings}
    (3, {1})

    Args:
        field: the board or a drawing of it, as `solve` takes it; at most `MAX_ROWS` rows.
        queues: pieces to come, the current one first. Of longer queues as many count as the
            shortest has.
        hold: the piece held at the beginning of each.
        height: rows to fill.
        kicks: rotation system, or its name.
        use_hold: whether hold may be used.
        strict: whether the field may not be empty before the end.
        seconds: time to use, at most.
        stop: ends the search at once when set, from any thread.

    Raises:
        BoardError: the field is not 10 wide, or higher than `height` or `MAX_ROWS`.
        PieceError: there is no such piece.
        QueueError: a queue is too long.
        SearchStoppedError: a limit was reached, or the field has too many ways to be filled.
    """
    found = PcSolver(kicks).all_tilings(
        as_board(field),
        queues,
        hold,
        height,
        use_hold=use_hold,
        strict=strict,
        milliseconds=None if seconds is None else seconds * 1000,
        stop=stop,
    )
    return [Tiling(tiling) for tiling in found]


def solvable(
    field: Board | str,
    queues: Iterable[Iterable[PieceLike]],
    hold: PieceLike | None = None,
    *,
    kicks: Kicks | str = "srs+",
    use_hold: bool = True,
    min_height: int = 0,
    max_height: int = MAX_HEIGHT,
    save: PieceLike | None = None,
    strict: bool = False,
    threads: int = 1,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> list[bool]:
    """Whether each of the queues has a perfect clear; arguments and errors are those of `solve`."""
    reasons = PcSolver(kicks).solve_many(
        as_board(field),
        queues,
        hold,
        use_hold=use_hold,
        min_height=min_height,
        max_height=max_height,
        save=save,
        strict=strict,
        threads=threads,
        milliseconds=None if seconds is None else seconds * 1000,
        stop=stop,
    )
    if PcReason.STOPPED in reasons:
        known = sum(reason != PcReason.STOPPED for reason in reasons)
        raise SearchStoppedError(f"stopped after {known} of {len(reasons)} queues")
    return [reason == PcReason.FOUND for reason in reasons]
