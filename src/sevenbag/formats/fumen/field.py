"""The field of a fumen page: 23 rows of ten coloured cells, and the garbage row below them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Board
from sevenbag.errors import FumenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sevenbag._kernel import Placement

WIDTH: Final = 10
ROWS: Final = 23
CELLS: Final = (ROWS + 1) * WIDTH

COLORS: Final = ".ILOZTJSG"
"""Letters of the cell values 0 to 8, as `Position.colors` has them."""

_EMPTY_ROW: Final = bytes(WIDTH)
_VALUES: Final = {letter: value for value, letter in enumerate(COLORS)}
_TO_LETTERS: Final = bytes.maketrans(bytes(range(len(COLORS))), COLORS.encode())


@dataclass(frozen=True, slots=True, repr=False)
class Field:
    """Coloured cells, as they lie before a page's piece is placed.

    Attributes:
        cells: 240 values 0 to 8 (`COLORS`), the top row first, each row from the left; the last
            ten are the garbage row.

    Raises:
        FumenError: (``InvalidFieldLength``, ``InvalidBlock``) there are not 240 cells, or one has
            no such colour.
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
        """A field from rows, the bottom one first, a letter a cell.

        Args:
            rows: at most 23, ten letters each: a piece's, ``G`` for garbage, ``.`` for empty.
            garbage: the garbage row; empty if not given.

        Raises:
            FumenError: as the class does.
        """
        if len(rows) > ROWS:
            raise FumenError("InvalidFieldLength", f"a field has {ROWS} rows, not {len(rows)}")
        above = bytes((ROWS - len(rows)) * WIDTH)
        drawn = [_row_of(row) for row in reversed(rows)]
        return Field(b"".join([above, *drawn, _row_of(garbage) if garbage else _EMPTY_ROW]))

    @staticmethod
    def from_board(board: Board) -> Field:
        """A field of garbage cells where the board is filled.

        Raises:
            FumenError: (``InvalidFieldLength``) the board is not ten columns wide, or filled
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
            [
                "".join(letters[board[x, y]] for x in range(WIDTH))
                for y in range(min(board.height, ROWS))
            ]
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """The 23 rows above the garbage row, the bottom one first, a letter a cell."""
        return tuple(row.translate(_TO_LETTERS).decode() for row in reversed(self._upper_rows()))

    @property
    def garbage(self) -> str:
        """The garbage row, a letter a cell."""
        return self.cells[-WIDTH:].translate(_TO_LETTERS).decode()

    @property
    def height(self) -> int:
        """Rows up to the highest filled cell, the garbage row not counted."""
        filled = len(self.cells.lstrip(b"\0"))
        return max(0, (filled + WIDTH - 1) // WIDTH - 1)

    def __getitem__(self, cell: tuple[int, int]) -> str:
        """The letter of a cell (x, y), y up from 0; -1 is the garbage row."""
        x, y = cell
        if not (0 <= x < WIDTH and -1 <= y < ROWS):
            raise IndexError(f"cell ({x}, {y}) is outside columns 0-9 and rows -1-22")
        return COLORS[self.cells[index_of(x, y)]]

    def board(self, rows: int = 40) -> Board:
        """The filled cells as a board; the garbage row is left out."""
        return Board.from_rows(self.rows[: self.height], height=rows)

    @staticmethod
    def has_room_for(placement: Placement) -> bool:
        """Whether a piece is between the walls and above the garbage row.

        It may stick out of the top.
        """
        return all(0 <= x < WIDTH and y >= 0 for x, y in placement.cells)

    def fits(self, placement: Placement) -> bool:
        """Whether there is room for a piece, and all its cells are empty."""
        return self.has_room_for(placement) and not any(
            self.cells[index_of(x, y)] for x, y in placement.cells if y < ROWS
        )

    def placed(self, placement: Placement) -> Field:
        """The field with a piece in it; what sticks out of the top is lost.

        Raises:
            FumenError: (``InvalidPieceLocation``) it does not fit.
        """
        if not self.fits(placement):
            raise FumenError("InvalidPieceLocation", f"{placement} does not fit where it is")
        cells = bytearray(self.cells)
        for x, y in placement.cells:
            if y < ROWS:
                cells[index_of(x, y)] = _VALUES[placement.piece.name]
        return Field(bytes(cells))

    def cleared(self) -> Field:
        """The field without its full rows; the garbage row is never full."""
        left = [row for row in self._upper_rows() if 0 in row]
        if len(left) == ROWS:
            return self
        return Field(bytes((ROWS - len(left)) * WIDTH) + b"".join(left) + self.cells[-WIDTH:])

    def raised(self) -> Field:
        """The garbage row moved into the field, and a new empty one below; the top row is lost."""
        return Field(self.cells[WIDTH:] + _EMPTY_ROW)

    def mirrored(self) -> Field:
        """Left and right exchanged, but for the garbage row; pieces keep their colours."""
        return Field(b"".join([*(row[::-1] for row in self._upper_rows()), self.cells[-WIDTH:]]))

    def differences(self, old: Field) -> Iterator[tuple[int, int]]:
        """Runs of (new - old, number of cells), from the top left to the garbage row."""
        changes = map(int.__sub__, self.cells, old.cells)
        for change, run in groupby(changes):
            yield change, sum(1 for _ in run)

    def changed(self, differences: Iterable[tuple[int, int]]) -> Field:
        """The field with such runs added to it.

        Raises:
            FumenError: (``InvalidFieldLength``, ``InvalidBlock``) they do not cover the field,
                or lead to no colour.
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
        """Rows from the top of the stack down, then a line, then the garbage row if it is used."""
        lines = [*reversed(self.rows[: self.height])]
        if any(self.cells[-WIDTH:]):
            lines += ["-" * WIDTH, self.garbage]
        return "\n".join(lines)

    # --- private --------------------------------------------------------------------------------

    def _upper_rows(self) -> list[bytes]:
        return [self.cells[start : start + WIDTH] for start in range(0, ROWS * WIDTH, WIDTH)]


def index_of(x: int, y: int) -> int:
    """Where cell (x, y) lies in `Field.cells`."""
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
