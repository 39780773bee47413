"""Piece of each locked cell, inferred from state messages that only say which cells are filled.

When the board changes, the cells of the last falling piece explain the change. Unexplained cells,
after a late connection or a lost message, are `UNKNOWN` until they are cleared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sevenbag.protocols.pason.messages import PieceState
from sevenbag.protocols.pason.pason_conversion import HEIGHT, SHAPES, WIDTH

EMPTY: Final = "."

GARBAGE: Final = "G"

UNKNOWN: Final = "U"

Cells = tuple[tuple[int, int], ...]


class CellTracker:
    """Tracker of the board of one player in one game.

    Attributes:
        rows: letters of the cells, top row first: a piece letter, `GARBAGE`, `UNKNOWN` or `EMPTY`.
    """

    def __init__(self) -> None:
        self.rows: list[str] = [_EMPTY_ROW] * HEIGHT
        self._is_first = True

    @property
    def text(self) -> str:
        """Letters of all cells, row by row from the top left."""
        return "".join(self.rows)

    def update(self, board: int, piece: PieceState | None) -> int:
        """Update the cells from a state message.

        Returns:
            Number of garbage rows that entered.
        """
        received = _parse_rows(board)
        is_first, self._is_first = self._is_first, False
        if received == _to_bits(self.rows):
            return 0
        if is_first:
            self.rows = _guess_letters(self.rows, received)
            return 0
        rises = [(_count_garbage(base, received), base) for base in self._explain(piece, received)]
        # The explanation with the fewest garbage rows is the most likely.
        rise, base = min(rises, key=lambda each: each[0])
        if rise == HEIGHT:
            self.rows = _guess_letters(self.rows, received)
            return 0
        self.rows = base[rise:] + [_to_letters(row, GARBAGE) for row in received[HEIGHT - rise :]]
        return rise

    def _explain(self, piece: PieceState | None, received: Sequence[str]) -> Iterator[list[str]]:
        """Yield possible boards before garbage entered."""
        if piece is not None:
            cells = _get_cells(piece)
            dropped = _drop(self.rows, cells)
            yield _clear_rows(_place_cells(self.rows, dropped, piece.piece))
            if dropped != cells:
                # Garbage locked the piece at its position.
                yield _clear_rows(_place_cells(self.rows, cells, piece.piece))
            # The piece moved after the last message and locked elsewhere.
            fresh = _find_new_cells(self.rows, received)
            if _normalize(fresh) in map(_normalize, SHAPES[piece.piece]):
                yield _place_cells(self.rows, fresh, piece.piece)
        yield self.rows


_EMPTY_ROW: Final = EMPTY * WIDTH

_TO_BITS: Final = str.maketrans({EMPTY: "0"} | dict.fromkeys([*SHAPES, GARBAGE, UNKNOWN], "1"))


def _parse_rows(board: int) -> list[str]:
    """Return the rows as strings of 0 and 1."""
    bits = f"{board:0{WIDTH * HEIGHT}b}"[-WIDTH * HEIGHT :]
    return [bits[start : start + WIDTH] for start in range(0, WIDTH * HEIGHT, WIDTH)]


def _to_bits(rows: Sequence[str]) -> list[str]:
    return [row.translate(_TO_BITS) for row in rows]


def _to_letters(bits: str, letter: str) -> str:
    return bits.replace("0", EMPTY).replace("1", letter)


def _get_cells(piece: PieceState) -> Cells:
    """Return row and column of each cell; nothing for a piece that is not on the board."""
    ring = SHAPES[piece.piece]
    # Received numbers may be of any size.
    if not (-HEIGHT <= piece.row < HEIGHT and -WIDTH <= piece.col < 2 * WIDTH):
        return ()
    cells = tuple(
        (piece.row + row, piece.col + column) for row, column in ring[piece.orient % len(ring)]
    )
    inside = all(0 <= column < WIDTH and row < HEIGHT for row, column in cells)
    return cells if inside else ()


def _drop(rows: Sequence[str], cells: Cells) -> Cells:
    """Return the cells after a drop."""
    while cells:
        below = tuple((row + 1, column) for row, column in cells)
        if not all(
            row < HEIGHT and (row < 0 or rows[row][column] == EMPTY) for row, column in below
        ):
            break
        cells = below
    return cells


def _place_cells(rows: Sequence[str], cells: Cells, letter: str) -> list[str]:
    changed = list(rows)
    for row, column in cells:
        if row >= 0:
            changed[row] = changed[row][:column] + letter + changed[row][column + 1 :]
    return changed


def _clear_rows(rows: list[str]) -> list[str]:
    left = [row for row in rows if EMPTY in row]
    return [_EMPTY_ROW] * (HEIGHT - len(left)) + left


def _count_garbage(rows: Sequence[str], received: Sequence[str]) -> int:
    """Return the least number of rows by which to raise `rows` to match; `HEIGHT` if impossible."""
    filled = _to_bits(rows)
    return next(rise for rise in range(HEIGHT + 1) if filled[rise:] == received[: HEIGHT - rise])


def _guess_letters(rows: Sequence[str], received: Sequence[str]) -> list[str]:
    """Return letters for the rows that still exist, shifted as most of them were."""
    filled = _to_bits(rows)

    def count_matches(shift: int) -> int:
        return sum(
            "1" in row and row == filled[y + shift]
            for y, row in enumerate(received)
            if 0 <= y + shift < HEIGHT
        )

    shift = max(sorted(range(-HEIGHT + 1, HEIGHT), key=abs), key=count_matches)
    letters: list[str] = []
    for y, row in enumerate(received):
        before = rows[y + shift] if 0 <= y + shift < HEIGHT else _EMPTY_ROW
        letters.append(
            "".join(
                EMPTY if bit == "0" else UNKNOWN if old == EMPTY else old
                for bit, old in zip(row, before, strict=True)
            )
        )
    return letters


def _find_new_cells(rows: Sequence[str], received: Sequence[str]) -> Cells:
    """Return the cells that are newly filled."""
    return tuple(
        (y, x)
        for y, row in enumerate(received)
        for x, bit in enumerate(row)
        if bit == "1" and rows[y][x] == EMPTY
    )


def _normalize(cells: Cells) -> Cells:
    """Return the cells relative to their top left corner."""
    if not cells:
        return ()
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))
