"""Which piece every cell of a board came from: the wire tells only that cells are filled.

Who follows a game knows the piece that was last seen falling; when the board changes, its cells
explain the change. What nothing explains (a watcher who came late, a message that was missed) is
`UNKNOWN`, and only until it is cleared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.protocols.pason.pason_conversion import HEIGHT, SHAPES, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sevenbag.protocols.pason.messages import PieceState

EMPTY: Final = "."

GARBAGE: Final = "G"

UNKNOWN: Final = "U"

Cells = tuple[tuple[int, int], ...]


class CellTracker:
    """Follows one player's board through one game.

    Attributes:
        rows: letters of the cells, the top row first: a piece's, `GARBAGE`, `UNKNOWN` or `EMPTY`.
    """

    def __init__(self) -> None:
        self.rows: list[str] = [_EMPTY_ROW] * HEIGHT
        self._came_late = True

    @property
    def text(self) -> str:
        """All cells along the rows, the top left one first."""
        return "".join(self.rows)

    def update(self, board: int, piece: PieceState | None) -> int:
        """Take the board as it is told now.

        Args:
            board: see `sevenbag.protocols.pason.pason_conversion`.
            piece: the player's piece as it was last told of.

        Returns:
            How many rows of garbage have come from below.
        """
        told = _told_rows(board)
        came_late, self._came_late = self._came_late, False
        if told == _filled(self.rows):
            return 0
        if came_late:
            self.rows = _guessed(self.rows, told)
            return 0
        rises = [(_rise(base, told), base) for base in self._explanations(piece, told)]
        # An empty board rises to any other: the least that explains it all is the likeliest.
        rise, base = min(rises, key=lambda each: each[0])
        if rise == HEIGHT:
            self.rows = _guessed(self.rows, told)
            return 0
        self.rows = base[rise:] + [_lettered(row, GARBAGE) for row in told[HEIGHT - rise :]]
        return rise

    def _explanations(self, piece: PieceState | None, told: Sequence[str]) -> Iterator[list[str]]:
        """What the board may have become before garbage came."""
        if piece is not None:
            cells = _cells(piece)
            dropped = _dropped(self.rows, cells)
            yield _cleared(_put(self.rows, dropped, piece.piece))
            if dropped != cells:
                # It was locked where it was, by garbage that pushed it.
                yield _cleared(_put(self.rows, cells, piece.piece))
            # It was seen elsewhere last: who moves quicker than is told locks where nobody looks.
            fresh = _fresh(self.rows, told)
            if _shape(fresh) in map(_shape, SHAPES[piece.piece]):
                yield _put(self.rows, fresh, piece.piece)
        yield self.rows


# --- helpers ------------------------------------------------------------------------------------

_EMPTY_ROW: Final = EMPTY * WIDTH

_TO_BITS: Final = str.maketrans({EMPTY: "0"} | dict.fromkeys([*SHAPES, GARBAGE, UNKNOWN], "1"))


def _told_rows(board: int) -> list[str]:
    """Rows as texts of 0 and 1."""
    bits = f"{board:0{WIDTH * HEIGHT}b}"[-WIDTH * HEIGHT :]
    return [bits[start : start + WIDTH] for start in range(0, WIDTH * HEIGHT, WIDTH)]


def _filled(rows: Sequence[str]) -> list[str]:
    return [row.translate(_TO_BITS) for row in rows]


def _lettered(bits: str, letter: str) -> str:
    return bits.replace("0", EMPTY).replace("1", letter)


def _cells(piece: PieceState) -> Cells:
    """(row, column) of a piece's cells; none for one that cannot be on the board."""
    ring = SHAPES[piece.piece]
    # Numbers of others may be of any size.
    if not (-HEIGHT <= piece.row < HEIGHT and -WIDTH <= piece.col < 2 * WIDTH):
        return ()
    cells = tuple(
        (piece.row + row, piece.col + column) for row, column in ring[piece.orient % len(ring)]
    )
    inside = all(0 <= column < WIDTH and row < HEIGHT for row, column in cells)
    return cells if inside else ()


def _dropped(rows: Sequence[str], cells: Cells) -> Cells:
    """The cells as far down as they can fall."""
    while cells:
        below = tuple((row + 1, column) for row, column in cells)
        if not all(
            row < HEIGHT and (row < 0 or rows[row][column] == EMPTY) for row, column in below
        ):
            break
        cells = below
    return cells


def _put(rows: Sequence[str], cells: Cells, letter: str) -> list[str]:
    changed = list(rows)
    for row, column in cells:
        if row >= 0:
            changed[row] = changed[row][:column] + letter + changed[row][column + 1 :]
    return changed


def _cleared(rows: list[str]) -> list[str]:
    left = [row for row in rows if EMPTY in row]
    return [_EMPTY_ROW] * (HEIGHT - len(left)) + left


def _rise(rows: Sequence[str], told: Sequence[str]) -> int:
    """By how many rows the first must rise to be the second, at the least; all where it cannot."""
    filled = _filled(rows)
    return next(rise for rise in range(HEIGHT + 1) if filled[rise:] == told[: HEIGHT - rise])


def _guessed(rows: Sequence[str], told: Sequence[str]) -> list[str]:
    """Letters for the rows that are still there, moved as far as most of them were."""
    filled = _filled(rows)

    def still_there(shift: int) -> int:
        return sum(
            "1" in row and row == filled[y + shift]
            for y, row in enumerate(told)
            if 0 <= y + shift < HEIGHT
        )

    shift = max(sorted(range(-HEIGHT + 1, HEIGHT), key=abs), key=still_there)
    painted: list[str] = []
    for y, row in enumerate(told):
        before = rows[y + shift] if 0 <= y + shift < HEIGHT else _EMPTY_ROW
        painted.append(
            "".join(
                EMPTY if bit == "0" else UNKNOWN if old == EMPTY else old
                for bit, old in zip(row, before, strict=True)
            )
        )
    return painted


def _fresh(rows: Sequence[str], told: Sequence[str]) -> Cells:
    """Cells that are filled and were not."""
    return tuple(
        (y, x)
        for y, row in enumerate(told)
        for x, bit in enumerate(row)
        if bit == "1" and rows[y][x] == EMPTY
    )


def _shape(cells: Cells) -> Cells:
    """Cells, wherever they lie."""
    if not cells:
        return ()
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))
