"""Perfect clears of any field: one, or the proof that there is none.

A perfect clear of height h is a sequence of placements that fill rows 0 to h - 1, whatever is
cleared on the way, and leave the field empty. No piece may rise above these rows as they are when
it is placed. Every placement is reachable from above under the rotation system: by shifts,
single-row drops and rotations in any order.

Pieces are placed by the rules of the hold: of those that are left, in their order, one of the first
two. So a queue of n + 1 pieces, the held one among them, is looked at for a perfect clear of n
placements.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from sevenbag._kernel import (
    PC_MAX_HEIGHT,
    PC_MAX_TILED_ROWS,
    PC_MAX_TILES,
    Board,
    Kicks,
    PcSolver,
    PcTiling,
    Piece,
    Placement,
    SolveStatus,
)
from sevenbag.errors import QueueError, SearchStoppedError, expect_type
from sevenbag.pc.problem import read_board
from sevenbag.pc.unsolvable_table import load_available_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sevenbag._kernel import PieceLike, Placement, StopFlag
    from sevenbag.pc.network import Network

MAX_HEIGHT: Final = PC_MAX_HEIGHT
"""Rows of the highest perfect clear that is searched for."""


@dataclass(frozen=True)
class PcSolution:
    """A perfect clear.

    Attributes:
        placements: in the order of play; coordinates are those of the field as it is then, full
            rows of the start field removed first.
        holds: whether hold is pressed before each placement.
        height: rows that were filled.
    """

    placements: tuple[Placement, ...]
    holds: tuple[bool, ...]
    height: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces in the order in which they are placed."""
        return tuple(placement.piece for placement in self.placements)

    def boards(self, field: Board | str = "") -> Iterator[Board]:
        """The field before each placement, and at last the empty one."""
        board = _without_full_rows(read_board(field))
        for placement in self.placements:
            yield board.copy()
            board.lock(placement)
        yield board


@dataclass(frozen=True)
class SolveResult:
    """What a search came to.

    Attributes:
        status: FOUND, NONE (proved), ODD_CELLS, TOO_FEW_PIECES or CANNOT_SAVE (impossible), or
            STOPPED (a limit was reached; nothing is known).
        solution: if found.
        height: rows of the last height that was searched.
        nodes: positions looked at, or some hundred fewer.
    """

    status: SolveStatus
    solution: PcSolution | None
    height: int
    nodes: int


class Solver:
    """Searches for perfect clears under one rotation system.

    It keeps what it learns about a field, so that many queues on one field are best given to one
    solver. Searches from several threads wait for each other: give each thread its own.

    Args:
        kicks: rotation system, or its name.
        tables: whether tables that are found are used (see `sevenbag.pc.unsolvable_table`).
        network: says which placements are tried first; without one a sum of five figures does,
            which is faster (docs/networks.md). What is found is as true with any.

    Raises:
        KicksError: there is no system of this name.
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
        """The rotation system."""
        return self._kernel.kicks

    def search(
        self,
        field: Board | str,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
        min_height: int = 0,
        max_height: int = MAX_HEIGHT,
        save: PieceLike | None = None,
        strict: bool = False,
        threads: int = 1,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> SolveResult:
        """Search as `solve` does, and say why there is no solution."""
        expect_type("queue", queue, Iterable, "pieces or their letters", QueueError)
        answer = self._kernel.solve(
            read_board(field),
            queue,
            hold,
            use_hold=use_hold,
            min_height=min_height,
            max_height=max_height,
            save=save,
            strict=strict,
            threads=threads,
            nodes=nodes,
            milliseconds=None if seconds is None else seconds * 1000,
            stop=stop,
        )
        solution = None
        if answer.status == SolveStatus.FOUND:
            solution = PcSolution(answer.placements, answer.holds, answer.height)
        return SolveResult(answer.status, solution, answer.height, answer.nodes)

    def solve(
        self,
        field: Board | str,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
        min_height: int = 0,
        max_height: int = MAX_HEIGHT,
        save: PieceLike | None = None,
        strict: bool = False,
        threads: int = 1,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> PcSolution | None:
        """Find a perfect clear of the lowest height that has one.

        The lowest height is that of the field, or one row more if the number of empty cells wants
        it; then follow heights of two rows more, as long as there are pieces.

        Args:
            field: the board, or a drawing of it (lines from the top down, as `Board.from_text`
                reads them; empty for the empty field). Full rows are removed first.
            queue: the current piece and those that follow, as letters or pieces.
            hold: the held piece.
            use_hold: whether hold may be used.
            min_height: lower heights are left out.
            max_height: higher ones, too; at most `MAX_HEIGHT`.
            save: the piece that must be left over at the end: in the hold, or current beside a
                hold that was never used. One piece more than are placed must be given.
            strict: whether the field may not be empty before the end.
            threads: share what takes long, as the proof that odd queues have no perfect clear of
                six rows; what is found is the same. What is done in milliseconds is done in one.
            nodes: positions to look at, at most.
            seconds: time to use, at most.
            stop: ends the search at once when set, from any thread.

        Returns:
            The perfect clear; None if there is none, which is proved.

        Raises:
            BoardError: the field is not 10 wide, or is filled above `MAX_HEIGHT` rows.
            PieceError: there is no such piece.
            QueueError: no pieces, or more than can be of use; threads that are none.
            SearchStoppedError: a limit was reached before the answer was known.
        """
        answer = self.search(
            field,
            queue,
            hold,
            use_hold=use_hold,
            min_height=min_height,
            max_height=max_height,
            save=save,
            strict=strict,
            threads=threads,
            nodes=nodes,
            seconds=seconds,
            stop=stop,
        )
        if answer.status == SolveStatus.STOPPED:
            raise SearchStoppedError(
                f"the search for a perfect clear of {answer.height} rows was stopped after"
                f" {answer.nodes} positions"
            )
        return answer.solution


def solve(
    field: Board | str,
    queue: Iterable[PieceLike],
    hold: PieceLike | None = None,
    *,
    kicks: Kicks | str = "srs+",
    use_hold: bool = True,
    min_height: int = 0,
    max_height: int = MAX_HEIGHT,
    save: PieceLike | None = None,
    strict: bool = False,
    threads: int = 1,
    nodes: int | None = None,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> PcSolution | None:
    """Find a perfect clear; see `Solver.solve`. Each thread keeps a solver for the next call.

    >>> solution = solve("", "IJLOO", "I")
    >>> solution.height, "".join(piece.name for piece in solution.pieces)
    (2, 'IJLOO')
    >>> solve("", "SZSZSZ") is None
    True
    """
    kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    solver = getattr(_own, "solver", None)
    if not isinstance(solver, Solver) or solver.kicks != kicks:
        solver = _own.solver = Solver(kicks)
    return solver.solve(
        field,
        queue,
        hold,
        use_hold=use_hold,
        min_height=min_height,
        max_height=max_height,
        save=save,
        strict=strict,
        threads=threads,
        nodes=nodes,
        seconds=seconds,
        stop=stop,
    )


_own = threading.local()


def _without_full_rows(board: Board) -> Board:
    rows = [board.row(y) for y in range(board.height)]
    full = (1 << board.width) - 1
    drawn = [
        "".join("X" if row >> x & 1 else "." for x in range(board.width))
        for row in rows
        if row != full
    ]
    return Board.from_rows(drawn, height=board.rows)


MAX_TILES: Final = PC_MAX_TILES
"""Tiles of a tiling, at most."""

MAX_ROWS: Final = PC_MAX_TILED_ROWS
"""Rows of a field whose tilings are looked for, at most."""


@dataclass(frozen=True, slots=True)
class PcTile:
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
        self._tiles = tuple(PcTile(piece, cells) for piece, cells in kernel.tiles)

    @classmethod
    def from_placements(
        cls, field: Board | str, placements: Sequence[Placement], kicks: Kicks | str = "srs+"
    ) -> Self:
        """The tiles of placements, given in any order in which they can follow each other.

        They need not fill the field.

        Raises:
            BoardError: the field is not 10 wide, or filled above `MAX_ROWS` rows.
            PlacementError: one covers a filled cell or leaves these rows, or they are more than
                `MAX_TILES`.
        """
        return cls(PcSolver(kicks).create_tiling(read_board(field), placements))

    @property
    def tiles(self) -> tuple[PcTile, ...]:
        """The tiles, from left to right or in the order given."""
        return self._tiles

    @property
    def queues(self) -> int:
        """Bit i is set if queue i of those asked about can play the tiling."""
        return self._kernel.queues or 0

    def find_playable_queues(
        self,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
    ) -> int:
        """Which queues can play all tiles: bit i is set for queue i.

        Every tile must be reachable when its turn comes.
        """
        return self._kernel.find_playable_queues(queues, hold, use_hold=use_hold)

    def find_solution(
        self,
        queue: Iterable[PieceLike],
        hold: PieceLike | None = None,
        *,
        use_hold: bool = True,
    ) -> PcSolution | None:
        """The tiles in an order of play for a queue; None if there is no such order."""
        found = self._kernel.find_order(queue, hold, use_hold=use_hold)
        if found is None:
            return None
        rows = {y for tile in self._tiles for _, y in tile.cells}
        return PcSolution(*found, height=max(rows) + 1)


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
    """Find every tiling of a field that at least one of the queues can play.

    >>> tilings = find_tilings("", ["OIIII", "OIIIS"], height=2)
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
    found = PcSolver(kicks).find_tilings(
        read_board(field),
        queues,
        hold,
        height,
        use_hold=use_hold,
        strict=strict,
        milliseconds=None if seconds is None else seconds * 1000,
        stop=stop,
    )
    return [Tiling(tiling) for tiling in found]


def find_solvable(
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
    reasons = PcSolver(kicks).solve_queues(
        read_board(field),
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
    if SolveStatus.STOPPED in reasons:
        known = sum(reason != SolveStatus.STOPPED for reason in reasons)
        raise SearchStoppedError(f"stopped after {known} of {len(reasons)} queues")
    return [reason == SolveStatus.FOUND for reason in reasons]
