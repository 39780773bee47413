"""Pages of a fumen: fields, placements, and comments with a quiz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from sevenbag._kernel import Board, Piece, Placement, Rotation
from sevenbag.errors import FumenError

WIDTH: Final = 10
ROWS: Final = 23
CELLS: Final = (ROWS + 1) * WIDTH
COLORS: Final = ".ILOZTJSG"
"""Letters of the cell values 0 to 8, as in `Position.colors`."""

_EMPTY_ROW: Final = bytes(WIDTH)
_VALUES: Final = {letter: value for value, letter in enumerate(COLORS)}
_TO_LETTERS: Final = bytes.maketrans(bytes(range(len(COLORS))), COLORS.encode())


@dataclass(frozen=True, slots=True, repr=False)
class Field:
    """Coloured cells before the piece of a page is placed.

    Attributes:
        cells: 240 values 0 to 8 (`COLORS`) from the top row; the last ten are the garbage row.

    Raises:
        FumenError: (``InvalidFieldLength``, ``InvalidBlock``) the number of cells or a value is
            invalid.
    """

    cells: bytes = bytes(CELLS)

    def __post_init__(self) -> None:
        if len(self.cells) != CELLS:
            raise FumenError(
                "InvalidFieldLength", f"a field has {CELLS} cells, not {len(self.cells)}"
            )
        if max(self.cells) >= len(COLORS):
            raise FumenError(
                "InvalidBlock", f"{max(self.cells)} is no colour of a cell; they go from 0 to 8"
            )

    @staticmethod
    def from_rows(rows: Sequence[str], garbage: str = "") -> Field:
        """Create a field from rows of letters.

        Args:
            rows: at most 23 rows of ten letters from the bottom: a piece's, ``G`` for garbage,
                ``.`` for empty.
            garbage: garbage row [default: empty].

        Raises:
            FumenError: the rows are invalid.
        """
        if len(rows) > ROWS:
            raise FumenError("InvalidFieldLength", f"a field has {ROWS} rows, not {len(rows)}")
        above = bytes((ROWS - len(rows)) * WIDTH)
        drawn = [_row_of(row) for row in reversed(rows)]
        return Field(b"".join([above, *drawn, _row_of(garbage) if garbage else _EMPTY_ROW]))

    @staticmethod
    def from_board(board: Board) -> Field:
        """Create a field with garbage cells where a board is filled.

        Raises:
            FumenError: (``InvalidFieldLength``) the board is not ten columns wide, or is filled
                above row 23.
        """
        if board.width != WIDTH or board.height > ROWS:
            raise FumenError(
                "InvalidFieldLength",
                f"the board is {board.width} columns wide and filled up to row {board.height};"
                f" a fumen has {WIDTH} columns and {ROWS} rows",
            )
        letters = COLORS[0] + COLORS[-1]
        return Field.from_rows(
            ["".join(letters[board[x, y]] for x in range(WIDTH)) for y in range(board.height)]
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """23 rows above the garbage row, from the bottom, one letter per cell."""
        return tuple(row.translate(_TO_LETTERS).decode() for row in reversed(self._upper_rows()))

    @property
    def garbage(self) -> str:
        """Garbage row, one letter per cell."""
        return self.cells[-WIDTH:].translate(_TO_LETTERS).decode()

    @property
    def height(self) -> int:
        """Number of rows up to the highest filled cell, without the garbage row."""
        filled = len(self.cells.lstrip(b"\0"))
        return max(0, (filled + WIDTH - 1) // WIDTH - 1)

    def __getitem__(self, cell: tuple[int, int]) -> str:
        """Return the letter of cell (x, y); y = -1 is the garbage row."""
        x, y = cell
        if not (0 <= x < WIDTH and -1 <= y < ROWS):
            raise IndexError(f"cell ({x}, {y}) is outside columns 0-9 and rows -1-22")
        return COLORS[self.cells[cell_index(x, y)]]

    def board(self, rows: int = 40) -> Board:
        """Return the filled cells as a board, without the garbage row."""
        return Board.from_rows(self.rows[: self.height], height=rows)

    @staticmethod
    def has_room_for(placement: Placement) -> bool:
        """Return True if a piece is between the walls and above the garbage row.

        It may extend above the top.
        """
        return all(0 <= x < WIDTH and y >= 0 for x, y in placement.cells)

    def fits(self, placement: Placement) -> bool:
        """Return True if all cells of a piece are within the field and empty."""
        return self.has_room_for(placement) and not any(
            self.cells[cell_index(x, y)] for x, y in placement.cells if y < ROWS
        )

    def with_piece(self, placement: Placement) -> Field:
        """Return the field with a piece; cells above the top are dropped.

        Raises:
            FumenError: (``InvalidPieceLocation``) the piece does not fit.
        """
        if not self.fits(placement):
            raise FumenError("InvalidPieceLocation", f"{placement} does not fit where it is")
        cells = bytearray(self.cells)
        for x, y in placement.cells:
            if y < ROWS:
                cells[cell_index(x, y)] = _VALUES[placement.piece.name]
        return Field(bytes(cells))

    def without_full_rows(self) -> Field:
        """Return the field without full rows, except the garbage row."""
        left = [row for row in self._upper_rows() if 0 in row]
        if len(left) == ROWS:
            return self
        return Field(bytes((ROWS - len(left)) * WIDTH) + b"".join(left) + self.cells[-WIDTH:])

    def with_garbage_raised(self) -> Field:
        """Return the field with the garbage row moved into it; the top row is dropped."""
        return Field(self.cells[WIDTH:] + _EMPTY_ROW)

    def mirrored(self) -> Field:
        """Return the field mirrored, except the garbage row; cells keep their colours."""
        return Field(b"".join([*(row[::-1] for row in self._upper_rows()), self.cells[-WIDTH:]]))

    def differences(self, old: Field) -> Iterator[tuple[int, int]]:
        """Return runs of (new - old, number of cells), from the top left to the garbage row."""
        for change, run in groupby(map(int.__sub__, self.cells, old.cells)):
            yield change, sum(1 for _ in run)

    def with_changes(self, differences: Iterable[tuple[int, int]]) -> Field:
        """Return the field with runs of differences added.

        Raises:
            FumenError: (``InvalidFieldLength``, ``InvalidBlock``) the runs do not cover the field,
                or a value is invalid.
        """
        changes = [change for change, count in differences for _ in range(count)]
        if len(changes) != CELLS:
            raise FumenError(
                "InvalidFieldLength", f"the field covers {len(changes)} cells instead of {CELLS}"
            )
        values = list(map(int.__add__, self.cells, changes))
        wrong = next((value for value in values if not 0 <= value < len(COLORS)), None)
        if wrong is not None:
            raise FumenError(
                "InvalidBlock", f"a cell would have colour {wrong}; they go from 0 to 8"
            )
        return Field(bytes(values))

    def __repr__(self) -> str:
        garbage = f", {self.garbage!r}" if any(self.cells[-WIDTH:]) else ""
        return f"Field.from_rows({list(self.rows[: self.height])}{garbage})"

    def __str__(self) -> str:
        """Return rows from the top of the stack, then a line and the garbage row if it is used."""
        lines = [*reversed(self.rows[: self.height])]
        if any(self.cells[-WIDTH:]):
            lines += ["-" * WIDTH, self.garbage]
        return "\n".join(lines)

    def _upper_rows(self) -> list[bytes]:
        return [self.cells[start : start + WIDTH] for start in range(0, ROWS * WIDTH, WIDTH)]


def cell_index(x: int, y: int) -> int:
    """Return the index of cell (x, y) in `Field.cells`."""
    return (ROWS - 1 - y) * WIDTH + x


def _row_of(row: str) -> bytes:
    if len(row) != WIDTH:
        raise FumenError("InvalidFieldLength", f"row {row!r} has {len(row)} cells, not {WIDTH}")
    try:
        return bytes(_VALUES[letter] for letter in row)
    except KeyError as error:
        raise FumenError(
            "InvalidBlock", f"{error.args[0]!r} is no cell; the letters are {COLORS}"
        ) from None


MARK: Final = "#Q="
_CAPTION: Final = re.compile(r"#Q=\[(.?)\]\((.?)\)(.*)", re.DOTALL)

# A quiz as editors accept it: spaces between the letters, and text after a semicolon.
_LOOSE: Final = re.compile(r"#Q=\[([IOTLJSZ]?)\]\(([IOTLJSZ]?)\)([IOTLJSZ]*)(?:;(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quiz:
    """Pieces to play, in a comment such as ``#Q=[H](C)NEXT``.

    Attributes:
        hold: held piece; None for none.
        current: piece to play; None only at the end.
    """

    hold: Piece | None = None
    current: Piece | None = None
    queue: tuple[Piece, ...] = ()

    @staticmethod
    def parse(comment: str) -> Quiz:
        """Parse the quiz of a comment; an empty ``()`` takes the first of the next pieces.

        Raises:
            FumenError: (``NotQuiz``, ``InvalidQuizCaption``, ``InvalidPieceLetter``) the comment is
                not a valid quiz.
        """
        if not comment.startswith(MARK):
            raise FumenError("NotQuiz", f"the comment is no quiz: it does not begin with {MARK}")
        found = _CAPTION.fullmatch(comment)
        if found is None:
            raise FumenError(
                "InvalidQuizCaption", f"a quiz looks like #Q=[H](C)NEXT, not {_shown(comment)}"
            )
        hold, current, queue = found.groups()
        held, first = (_piece(letter) if letter else None for letter in (hold, current))
        return Quiz(held, first, tuple(map(_piece, queue)))._shifted()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces in the order of the solver: current, held, next."""
        first = [piece for piece in (self.current, self.hold) if piece is not None]
        return (*first, *self.queue)

    def play(self, piece: Piece) -> Quiz:
        """Return the quiz after a piece, which is the current one or comes from hold.

        Raises:
            FumenError: (``InvalidQuizPiece``) the piece is not available.
        """
        quiz = self if piece is self.current else self._held()
        if piece is not quiz.current:
            raise FumenError("InvalidQuizPiece", f"{piece.name} is played, but the quiz is {self}")
        return Quiz(quiz.hold, None, quiz.queue)._shifted()

    def __str__(self) -> str:
        hold, current = (
            piece.name if piece is not None else "" for piece in (self.hold, self.current)
        )
        return f"{MARK}[{hold}]({current}){''.join(piece.name for piece in self.queue)}"

    def _shifted(self) -> Quiz:
        if self.current is not None or not self.queue:
            return self
        return Quiz(self.hold, self.queue[0], self.queue[1:])

    def _held(self) -> Quiz:
        """Return the quiz with current and held piece exchanged."""
        if self.hold is not None or not self.queue:
            return Quiz(self.current, self.hold, self.queue)
        return Quiz(self.current, self.queue[0], self.queue[1:])


@dataclass(frozen=True, slots=True)
class Page:
    """Page: a field, an optional piece, a comment, and flags.

    Attributes:
        field: field before the piece is placed.
        placement: piece; None for none. Its spin is not encoded.
        lock: place the piece and remove full rows at the end of the page; without it `rise` and
            `mirror` have no effect.
        rise: move the garbage row into the field.
        color: use guideline colours; valid for the first page only.
    """

    field: Field = field(default_factory=Field)
    placement: Placement | None = None
    comment: str = ""
    lock: bool = True
    rise: bool = False
    mirror: bool = False
    color: bool = False

    @property
    def resulting_field(self) -> Field:
        """Field after the page.

        Raises:
            FumenError: (``InvalidPieceLocation``) the piece is to be locked, and does not fit.
        """
        left = self.field
        if not self.lock:
            return left
        if self.placement is not None:
            left = left.with_piece(self.placement)
        left = left.without_full_rows()
        if self.rise:
            left = left.with_garbage_raised()
        return left.mirrored() if self.mirror else left

    @property
    def next_comment(self) -> str:
        """Default comment of the next page.

        A quiz advances by a locked piece. A finished quiz is replaced by the text after its
        semicolon, which may be another quiz. An unavailable piece leaves the comment unchanged. The
        rules are those of the editors, in particular tetris-fumen.
        """
        state = _loose(self.comment)
        if state is None:
            return self.comment
        if self.lock and self.placement is not None:
            state = _loosely_played(state, self.placement.piece.name)
        return _loosely_written(state)

    def create_next(self, placement: Placement | None = None) -> Page:
        """Return a following page with the resulting field and the next comment.

        Raises:
            FumenError: as `resulting_field`.
        """
        return Page(self.resulting_field, placement, self.next_comment)


def create_pages(page: Page, placements: Sequence[Placement]) -> list[Page]:
    """Return one page per placement, each following from the one before; the first from `page`."""
    pages: list[Page] = []
    for placement in placements:
        page = page.create_next(placement)
        pages.append(page)
    return pages


def location_index(placement: Placement) -> int:
    """Return the index in `Field.cells` that encodes a piece; negative above the top."""
    dx, dy = _CELL_OF[placement.piece, placement.rotation]
    return cell_index(placement.x + dx, placement.y + dy)


def placement_at(piece: Piece, rotation: Rotation, location: int) -> Placement:
    """Return the piece encoded by a location."""
    row, x = divmod(location, WIDTH)
    dx, dy = _CELL_OF[piece, rotation]
    return Placement(piece, rotation, x - dx, ROWS - 1 - row - dy)


def _cell_of(piece: Piece, rotation: Rotation) -> tuple[int, int]:
    """Return the cell that encodes a piece, relative to its centre.

    T, J and L: the centre of their box. I: the second cell from the left or from the top. O: the
    upper left cell. S and Z: horizontal, the middle of the upper row; vertical, the upper cell of
    the column that reaches lower.
    """
    if piece in (Piece.T, Piece.J, Piece.L):
        return 0, 0
    cells = Placement(piece, rotation, 0, 0).cells  # sorted by y, then x
    if piece is Piece.I:
        standing = cells[0][0] == cells[-1][0]
        return cells[2] if standing else cells[1]
    if piece is Piece.O:
        return cells[2]
    # In both cases it is the only cell, from the bottom, above another one.
    return next(cell for cell in cells if (cell[0], cell[1] - 1) in cells)


_CELL_OF: Final = {
    (piece, rotation): _cell_of(piece, rotation) for piece in Piece for rotation in Rotation
}

# Letters of hold, current and next, and the text after the semicolon, None without one.
_Loose = tuple[str, str, str, str | None]


def _loose(comment: str) -> _Loose | None:
    """Parse a comment as editors do: invalid quizzes are ignored, a finished one is skipped."""
    if not comment.startswith(MARK):
        return None
    found = _LOOSE.fullmatch(re.sub(r"\s+", "", comment))
    if found is None:
        return None
    hold, current, queue, rest = found.groups()
    if rest is not None and not (hold or current or queue):
        following = _loose(rest)
        if following is not None:
            return following
    return hold, current, queue, rest


def _loosely_played(state: _Loose, letter: str) -> _Loose:
    hold, current, queue, rest = state
    if letter == current:
        return hold, queue[:1], queue[1:], rest
    if letter == hold:
        return current, queue[:1], queue[1:], rest
    if letter == queue[:1] and not hold:
        return current, queue[1:2], queue[2:], rest
    if letter == queue[:1] and not current:
        return hold, queue[1:2], queue[2:], rest
    return state


def _loosely_written(state: _Loose) -> str:
    hold, current, queue, rest = state
    if not current and hold:
        hold, current = "", hold
    elif not current:
        current, queue = queue[:1], queue[1:]
    if not current:
        return rest or ""
    return f"{MARK}[{hold}]({current}){queue}" + (f";{rest}" if rest is not None else "")


def _piece(letter: str) -> Piece:
    if letter not in Piece.__members__:
        raise FumenError(
            "InvalidPieceLetter",
            f"{_shown(letter)} in the quiz is no piece; they are IOTLJSZ, in capitals",
        )
    return Piece[letter]


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:39] + "...")
