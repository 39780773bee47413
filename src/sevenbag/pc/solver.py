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
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import PC_MAX_HEIGHT, Board, Kicks, PcReason, PcSolver, Piece, Placement
from sevenbag.errors import BoardError, QueueError, SearchStoppedError, expect_type
from sevenbag.pc.table import use_tables_found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag._kernel import PieceLike, StopFlag
    from sevenbag.pc.network import Network

Reason = PcReason

MAX_HEIGHT: Final = PC_MAX_HEIGHT
"""Rows of the highest perfect clear that is searched for."""


@dataclass(frozen=True)
class Solution:
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
        board = _without_full_rows(as_board(field))
        for placement in self.placements:
            yield board.copy()
            board.lock(placement)
        yield board


@dataclass(frozen=True)
class Answer:
    """What a search came to.

    Attributes:
        reason: FOUND; NONE (proved); ODD, FEW_PIECES, NOT_SAVED (there can be none); STOPPED (a
            limit was reached, nothing is known).
        solution: if found.
        height: rows of the last height that was searched.
        nodes: positions looked at, or some hundred fewer.
    """

    reason: Reason
    solution: Solution | None
    height: int
    nodes: int


class Solver:
    """Searches for perfect clears under one rotation system.

    It keeps what it learns about a field, so that many queues on one field are best given to one
    solver. Searches from several threads wait for each other: give each thread its own.

    Args:
        kicks: rotation system, or its name.
        tables: whether tables that are found are used (see `sevenbag.pc.table`).
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
            self._kernel.order_by(network.kernel)
        if tables:
            use_tables_found(self._kernel)

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
    ) -> Answer:
        """Search as `solve` does, and say why there is no solution."""
        expect_type("queue", queue, Iterable, "pieces or their letters", QueueError)
        answer = self._kernel.solve(
            as_board(field),
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
        if answer.reason == Reason.FOUND:
            solution = Solution(answer.placements, answer.holds, answer.height)
        return Answer(answer.reason, solution, answer.height, answer.nodes)

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
    ) -> Solution | None:
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
        if answer.reason == Reason.STOPPED:
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
) -> Solution | None:
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


def as_board(field: Board | str) -> Board:
    """Return a board, or read one from a drawing.

    Raises:
        BoardError: `field` is neither a board nor a drawing.
    """
    if isinstance(field, str):
        return Board.from_text(field)
    expect_type("field", field, Board, "a Board or a drawing of it", BoardError)
    return field


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
