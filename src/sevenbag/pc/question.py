"""What is asked about perfect clears: a field, the rows to clear, and the rules for it."""

from __future__ import annotations

from typing import Final, Literal, get_args

from sevenbag._kernel import Board, Kicks, PcQuestion, PcQueues
from sevenbag.errors import BoardError, QueueError, RulesError, expect_type, shown
from sevenbag.pc.patterns import Automaton, Pattern
from sevenbag.pc.solver import as_board

Drop = Literal["soft", "hard", "t-soft"]
"""How pieces come down: by anything that the rotation system allows, turned and shifted above the
field and then straight down, or T by the first and all others by the second."""
DROPS: Final[tuple[Drop, ...]] = get_args(Drop)


class Question:
    """A field that is to be cleared, and the rules for it.

    Args:
        field: the board, or a drawing of it (`Board.from_text`; empty for the empty field).
        lines: rows to clear, those that are full already among them. When they are gone the field
            is empty; no piece may rise above them.
        hold: whether hold may be used; it is empty at first.
        kicks: rotation system, or its name.
        drop: how pieces come down.

    Raises:
        BoardError: the field is not 10 wide, is filled above these rows, has more than six rows to
            fill, or a number of empty cells that no pieces fill.
        KicksError: there is no system of this name.
        RulesError: there is no such way to drop.
    """

    def __init__(
        self,
        field: Board | str = "",
        *,
        lines: int = 4,
        hold: bool = True,
        kicks: Kicks | str = "srs",
        drop: Drop = "soft",
    ) -> None:
        board = as_board(field)
        expect_type("lines", lines, int, "an integer", BoardError)
        expect_type("hold", hold, bool, "True or False", RulesError)
        if drop not in DROPS:
            wanted = ", ".join(map(repr, DROPS))
            raise RulesError(f"invalid drop: expected one of {wanted}, got {shown(drop)}")
        if not isinstance(kicks, Kicks):
            kicks = Kicks(kicks)
        self.kernel: Final = PcQuestion(board, lines=lines, kicks=kicks, hold=hold, drop=drop)
        self.lines: Final = lines
        self.hold: Final = hold
        self.drop: Final = drop

    @property
    def board(self) -> Board:
        """The field without its full rows."""
        return self.kernel.board

    @property
    def kicks(self) -> Kicks:
        """The rotation system."""
        return self.kernel.kicks

    @property
    def needed(self) -> int:
        """Pieces that fill the field."""
        return self.kernel.needed

    @property
    def rows(self) -> int:
        """Rows that are to be filled: those to clear without those that are full already."""
        return (self.needed * 4 + self.board.count) // 10

    @property
    def usable(self) -> int:
        """Pieces of a queue that count: with hold one more than are needed."""
        return self.needed + self.hold if self.needed else 1


class AskedQueues:
    """The queues of a pattern as far as a question can use them.

    Attributes:
        pattern: their first pieces.
        unused: pieces of each queue that cannot be of use.
        automaton: the queues as paths.
        kernel: the same for the kernel; their number, and any one of them.

    Raises:
        PatternError: it is no pattern.
        QueueError: too few pieces, or too many queues.
    """

    def __init__(self, question: Question, pattern: Pattern | str) -> None:
        given = Pattern.parse(pattern) if isinstance(pattern, str) else pattern
        if given.length < question.needed:
            raise QueueError(
                f"queues of {given.length} pieces, but {question.needed} are needed to fill the"
                f" {question.lines} rows"
            )
        self.pattern: Final = given.cut(question.usable)
        self.unused: Final = given.length - self.pattern.length
        self.automaton: Final[Automaton] = self.pattern.automaton()
        self.kernel: Final = PcQueues(self.automaton)

    def __len__(self) -> int:
        return len(self.kernel)
