"""Perfect clears of a field: one, the proof that there is none, or all of them.

A perfect clear of height h is a sequence of placements that fill rows 0 to h - 1 and leave the
field empty; rows may be cleared on the way. No piece may extend above these rows as they are when
it is placed. Every placement is reachable from above under the rotation system, by shifts,
single-row drops and rotations in any order.

With hold, the next piece is one of the first two that are left, in their order. So a queue of n + 1
pieces, the held one included, is searched for a perfect clear of n placements.

The search is in the kernel (kernel/pc/solver.cpp, kernel/pc/play_order_search_isa.cpp). A network
can set the order in which it tries placements (`sevenbag.pc.network`).

Two solutions with the same tiling are equal: the same cells belong to the same pieces, in any order
of play. Cells of a tiling are counted in rows of the start field without its full rows, so a piece
may have gaps where rows are cleared before it is placed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TypedDict, Unpack

from sevenbag._kernel import (
    PC_MAX_HEIGHT,
    Board,
    Kicks,
    PcSolver,
    PcTiling,
    Piece,
    Placement,
    SolveStatus,
    StopFlag,
)
from sevenbag.errors import QueueError, SearchStoppedError, expect_type
from sevenbag.pc.problem import read_board
from sevenbag.pc.unsolvable_table import load_available_tables

if TYPE_CHECKING:
    from sevenbag._kernel import PieceLike
    from sevenbag.pc.network import Network

MAX_HEIGHT: Final = PC_MAX_HEIGHT
"""Maximum number of rows of a perfect clear."""


@dataclass(frozen=True)
class PcSolution:
    """A perfect clear.

    Attributes:
        placements: in the order of play. Coordinates are those of the field at that time, without
            the full rows of the start field.
        holds: whether hold is pressed before each placement.
        height: number of rows that are filled.
    """

    placements: tuple[Placement, ...]
    holds: tuple[bool, ...]
    height: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Pieces in the order of play."""
        return tuple(placement.piece for placement in self.placements)

    def boards(self, field: Board | str = "") -> Iterator[Board]:
        """Yield the field before each placement, then the empty field."""
        board = _without_full_rows(read_board(field))
        for placement in self.placements:
            yield board.copy()
            board.lock(placement)
        yield board


@dataclass(frozen=True)
class SolveResult:
    """Result of a search.

    Attributes:
        status: FOUND, NONE (proved), ODD_CELLS, TOO_FEW_PIECES or CANNOT_SAVE (impossible), or
            STOPPED (a limit was reached; nothing is known).
        solution: the perfect clear, if found.
        height: number of rows of the last height that was searched.
        nodes: number of positions searched; may be some hundred too low.
    """

    status: SolveStatus
    solution: PcSolution | None
    height: int
    nodes: int


class QueueOptions(TypedDict, total=False):
    """Options of searches of one queue or many.

    Attributes:
        use_hold: whether hold may be used (default True).
        min_height: minimum number of rows (default 0).
        max_height: maximum number of rows, at most `MAX_HEIGHT` (the default).
        save: piece that must be left at the end: in hold, or as the current piece if hold was never
            used. One piece more than are placed is needed.
        strict: whether the field must not be empty before the end (default False).
        threads: number of threads for long searches, such as the proof that a queue has no perfect
            clear of six rows (default 1). The result is the same.
        stop: stops the search when set, from any thread.
    """

    use_hold: bool
    min_height: int
    max_height: int
    save: PieceLike | None
    strict: bool
    threads: int
    stop: StopFlag | None


class SolveOptions(QueueOptions, total=False):
    """Options of a search: those of `QueueOptions`, and the maximum number of positions."""

    nodes: int | None


class Solver:
    """Searches for perfect clears under one rotation system.

    A solver caches what it learns about a field, so use one solver for many queues on one field. It
    runs one search at a time: use one solver for each thread.

    Args:
        kicks: rotation system, or its name.
        tables: whether to use the tables that exist (see `sevenbag.pc.unsolvable_table`).
        network: sets the order in which placements are tried. The default, a sum of five features,
            is faster (docs/networks.md). The result is valid with any.

    Raises:
        KicksError: unknown rotation system.
    """

    def __init__(
        self, kicks: Kicks | str = "srs+", *, tables: bool = True, network: Network | None = None
    ) -> None:
        self._kernel = PcSolver(kicks)
        if network is not None:
            self._kernel.set_network(network.kernel)
        if tables:
            load_available_tables(self._kernel)

    @property
    def kicks(self) -> Kicks:
        """Rotation system."""
        return self._kernel.kicks

    def search(
        self,
        field: Board | str,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        seconds: float | None = None,
        **options: Unpack[SolveOptions],
    ) -> SolveResult:
        """Search as `solve` does, and return why there is no solution."""
        expect_type("queue", queue, Iterable, "pieces or their letters", QueueError)
        found = self._kernel.solve(
            read_board(field), queue, hold, milliseconds=_milliseconds(seconds), **options
        )
        solution = None
        if found.status == SolveStatus.FOUND:
            solution = PcSolution(found.placements, found.holds, found.height)
        return SolveResult(found.status, solution, found.height, found.nodes)

    def solve(
        self,
        field: Board | str,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        seconds: float | None = None,
        **options: Unpack[SolveOptions],
    ) -> PcSolution | None:
        """Find a perfect clear of the lowest height that has one.

        The lowest height is that of the field, or one more if the number of empty cells requires
        it; further heights are two rows apart, as long as there are enough pieces.

        Args:
            field: board, or a drawing of it (lines from the top down, as `Board.from_text` reads;
                "" is the empty field). Full rows are removed first.
            queue: current piece and next pieces, as letters or pieces.
            hold: held piece.
            seconds: time limit.
            options: see `SolveOptions`.

        Returns:
            The perfect clear, or None if it is proved that there is none.

        Raises:
            BoardError: the field is not 10 wide, or is filled above `MAX_HEIGHT` rows.
            PieceError: unknown piece.
            QueueError: no pieces, or too many; invalid number of threads.
            SearchStoppedError: a limit was reached before the result was known.
        """
        result = self.search(field, queue, hold, seconds=seconds, **options)
        if result.status == SolveStatus.STOPPED:
            raise SearchStoppedError(
                f"the search for a perfect clear of {result.height} rows was stopped after"
                f" {result.nodes} positions"
            )
        return result.solution


def solve(
    field: Board | str,
    queue: Iterable[PieceLike],
    hold: PieceLike | None = None,
    *,
    kicks: Kicks | str = "srs+",
    seconds: float | None = None,
    **options: Unpack[SolveOptions],
) -> PcSolution | None:
    """Find a perfect clear; see `Solver.solve`. Each thread reuses its solver.

    >>> solution = solve("", "IJLOO", "I")
    >>> solution.height, "".join(piece.name for piece in solution.pieces)
    (2, 'IJLOO')
    >>> solve("", "SZSZSZ") is None
    True
    """
    kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    solver = getattr(_thread_data, "solver", None)
    if not isinstance(solver, Solver) or solver.kicks != kicks:
        solver = _thread_data.solver = Solver(kicks)
    return solver.solve(field, queue, hold, seconds=seconds, **options)


def find_solvable(
    field: Board | str,
    queues: Iterable[Iterable[PieceLike]],
    hold: PieceLike | None = None,
    *,
    kicks: Kicks | str = "srs+",
    seconds: float | None = None,
    **options: Unpack[QueueOptions],
) -> list[bool]:
    """Return whether each queue has a perfect clear; arguments and errors as of `solve`."""
    statuses = PcSolver(kicks).solve_queues(
        read_board(field), queues, hold, milliseconds=_milliseconds(seconds), **options
    )
    if SolveStatus.STOPPED in statuses:
        known = sum(status != SolveStatus.STOPPED for status in statuses)
        raise SearchStoppedError(f"stopped after {known} of {len(statuses)} queues")
    return [status == SolveStatus.FOUND for status in statuses]


@dataclass(frozen=True, slots=True)
class PcTile:
    """A piece and its four cells (x, y), from the lowest row up, in rows of the start field."""

    piece: Piece
    cells: tuple[tuple[int, int], ...]


class Tiling:
    """Tiles on a field that do not overlap.

    Attributes:
        tiles: from left to right, or in the order given.
    """

    def __init__(self, kernel: PcTiling) -> None:
        self._kernel = kernel
        self.tiles: Final = tuple(PcTile(piece, cells) for piece, cells in kernel.tiles)

    @classmethod
    def from_placements(
        cls, field: Board | str, placements: Sequence[Placement], kicks: Kicks | str = "srs+"
    ) -> Self:
        """Create the tiling of placements, given in a playable order.

        They need not fill the field.

        Raises:
            BoardError: the field is not 10 wide, or is filled above six rows.
            PlacementError: a placement covers a filled cell or extends above these rows, or there
                are more than 15.
        """
        return cls(PcSolver(kicks).create_tiling(read_board(field), placements))

    @property
    def queues(self) -> int:
        """Bit i is set if queue i of `find_tilings` can play the tiling."""
        return self._kernel.queues or 0

    def find_playable_queues(
        self,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
    ) -> int:
        """Return the queues that can play all tiles: bit i is set for queue i.

        Every tile must be reachable when it is placed.
        """
        return self._kernel.find_playable_queues(queues, hold, use_hold=use_hold)

    def find_solution(
        self, queue: Iterable[PieceLike], hold: PieceLike | None = None, *, use_hold: bool = True
    ) -> PcSolution | None:
        """Return the tiles in an order that a queue can play, or None."""
        found = self._kernel.find_order(queue, hold, use_hold=use_hold)
        if found is None:
            return None
        rows = {y for tile in self.tiles for _, y in tile.cells}
        placements, holds = found
        return PcSolution(placements, holds, max(rows) + 1)


def find_tilings(
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
    """Find every tiling of a field that at least one queue can play.

    >>> tilings = find_tilings("", ["OIIII", "OIIIS"], height=2)
    >>> len(tilings), {tiling.queues for tiling in tilings}
    (3, {1})

    The arguments are those of `solve`; `height` is the number of rows to fill. Longer queues are
    cut to the shortest.

    Raises:
        BoardError: the field is not 10 wide, or higher than `height` or six rows.
        PieceError: unknown piece.
        QueueError: a queue is too long.
        SearchStoppedError: a limit was reached, or the field has too many tilings.
    """
    found = PcSolver(kicks).find_tilings(
        read_board(field),
        queues,
        hold,
        height,
        use_hold=use_hold,
        strict=strict,
        milliseconds=_milliseconds(seconds),
        stop=stop,
    )
    return [Tiling(tiling) for tiling in found]


_thread_data = threading.local()


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000


def _without_full_rows(board: Board) -> Board:
    full = (1 << board.width) - 1
    rows = [row for y in range(board.height) if (row := board.row(y)) != full]
    drawn = ["".join(".X"[row >> x & 1] for x in range(board.width)) for row in rows]
    return Board.from_rows(drawn, height=board.rows)
