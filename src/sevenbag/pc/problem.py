"""Perfect clear problems: a field, the rows to clear, and the rules."""

from __future__ import annotations

from typing import Final, Literal, get_args

from sevenbag import _kernel
from sevenbag._kernel import Board, Kicks, PcQueues
from sevenbag.errors import BoardError, QueueError, RulesError, expect_type, shown
from sevenbag.pc.patterns import Automaton, Pattern

DropMode = Literal["soft", "hard", "t-soft"]
"""Movement of pieces: every move of the rotation system; shifts and turns above the field, then a
hard drop; or the first for T and the second for all other pieces."""
DROP_MODES: Final[tuple[DropMode, ...]] = get_args(DropMode)


class PcProblem:
    """A field to be cleared, and the rules.

    Args:
        field: board, or a drawing of it (see `Board.from_text`; "" is the empty field).
        height: number of rows to clear, including rows that are already full. Then the field must
            be empty. No piece may extend above these rows.
        hold: whether hold may be used. The hold is empty at the start.
        kicks: rotation system, or its name.
        drop: movement of pieces.

    Attributes:
        board: the field without its full rows.
        pieces_needed: number of pieces that fill the field.

    Raises:
        BoardError: the field is not 10 wide, is filled above `height`, has more than six rows to
            fill, or its number of empty cells is not a multiple of four.
        KicksError: unknown rotation system.
        RulesError: unknown drop mode.
    """

    def __init__(
        self,
        field: Board | str = "",
        *,
        height: int = 4,
        hold: bool = True,
        kicks: Kicks | str = "srs",
        drop: DropMode = "soft",
    ) -> None:
        board = read_board(field)
        expect_type("height", height, int, "an integer", BoardError)
        expect_type("hold", hold, bool, "True or False", RulesError)
        if drop not in DROP_MODES:
            wanted = ", ".join(map(repr, DROP_MODES))
            raise RulesError(f"invalid drop: expected one of {wanted}, got {shown(drop)}")
        if not isinstance(kicks, Kicks):
            kicks = Kicks(kicks)
        self.kernel: Final = _kernel.PcProblem(
            board, height=height, kicks=kicks, hold=hold, drop=drop
        )
        self.height: Final = height
        self.hold: Final = hold
        self.kicks: Final = kicks
        self.drop: Final = drop
        self.board: Final = self.kernel.board
        self.pieces_needed: Final = self.kernel.pieces_needed

    @property
    def open_rows(self) -> int:
        """Number of rows to fill: those to clear, except rows that are full already."""
        return (self.pieces_needed * 4 + self.board.cell_count) // 10

    @property
    def usable_pieces(self) -> int:
        """Number of pieces of a queue that matter: with hold, one more than needed."""
        return self.pieces_needed + self.hold if self.pieces_needed else 1


class ProblemQueues:
    """Queues of a pattern, cut to the pieces that a problem can use.

    Attributes:
        pattern: first pieces of the queues.
        unused: number of pieces cut off each queue.
        automaton: the queues as paths.
        kernel: the queues in the kernel; has their number and returns each by index.

    Raises:
        PatternError: invalid pattern.
        QueueError: too few pieces, or too many queues.
    """

    def __init__(self, problem: PcProblem, pattern: Pattern | str) -> None:
        given = Pattern.parse(pattern) if isinstance(pattern, str) else pattern
        if given.length < problem.pieces_needed:
            raise QueueError(
                f"invalid pattern: expected queues of at least {problem.pieces_needed} pieces to"
                f" fill the {problem.height} rows, got {given.length}"
            )
        self.pattern: Final = given.truncate(problem.usable_pieces)
        self.unused: Final = given.length - self.pattern.length
        self.automaton: Final[Automaton] = self.pattern.automaton()
        self.kernel: Final = PcQueues(self.automaton)

    def __len__(self) -> int:
        return len(self.kernel)


def read_board(field: Board | str) -> Board:
    """Return a board, or read one from a drawing.

    Raises:
        BoardError: `field` is neither a board nor a valid drawing.
    """
    if isinstance(field, str):
        return Board.from_text(field)
    expect_type("field", field, Board, "a Board or a drawing of it", BoardError)
    return field
