"""Boards, placements and moves of the contest, and their conversion for the kernel.

A board is one number of 200 bits: row by row from the top left cell, which is the most significant
bit. On the wire it is 50 hexadecimal digits. Rows above the top are the bits above those 200. The
kernel counts rows from the bottom.

Shapes are (row, column) offsets with rows downwards and orientations in the order of the contest's
figure: ``lrotate`` is one step forward, ``rrotate`` one step back. There is no hold, no half turn
and no soft drop to the floor.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from sevenbag._kernel import Board, Key, Kicks, Piece, Placement, Rotation
from sevenbag.errors import PlacementError, ProtocolError, shown
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules

WIDTH: Final = 10
HEIGHT: Final = 20
CELL_COUNT: Final = WIDTH * HEIGHT
DIGIT_COUNT: Final = CELL_COUNT // 4
KERNEL_ROWS: Final = 24
"""Rows of the preset ``pason-2012``: four above the top."""

FULL_ROW: Final = (1 << WIDTH) - 1
VISIBLE_CELLS: Final = (1 << CELL_COUNT) - 1
"""All cells of the board in messages."""


def cell_bit(row: int, column: int) -> int:
    """Return the bit of a cell; rows above the top are negative."""
    return 1 << (CELL_COUNT - 1 - WIDTH * row - column)


def encode_board(board: int) -> str:
    """Return 50 lower-case hexadecimal digits; rows above the top are left out."""
    return f"{board & VISIBLE_CELLS:050x}"


def decode_board(text: str) -> int:
    """Decode a board of 50 hexadecimal digits.

    Raises:
        ProtocolError: the text is invalid. Upper case is accepted.
    """
    if _HEX.fullmatch(text) is None:
        raise ProtocolError(
            f"{shown(text)} is no board; expected exactly {DIGIT_COUNT} hexadecimal digits",
            "board_state",
        )
    return int(text, 16)


def board_to_kernel(board: int) -> Board:
    """Convert a board for the kernel, `KERNEL_ROWS` high."""
    bits = f"{board:0{WIDTH * KERNEL_ROWS}b}".translate(_CELL_MARKS)
    # The last row is the lowest; rows above those of the kernel are dropped.
    end = len(bits)
    return Board.from_rows(
        [bits[end - WIDTH * (y + 1) : end - WIDTH * y] for y in range(KERNEL_ROWS)],
        height=KERNEL_ROWS,
    )


def board_from_kernel(board: Board) -> int:
    """Convert a kernel board ten columns wide; keep its rows above the top."""
    number = 0
    for y in range(board.height - 1, -1, -1):
        number = number << WIDTH | _MIRRORED[board.row(y)]
    return number


PieceName: TypeAlias = Literal["O", "I", "S", "Z", "L", "J", "T"]
Offsets: TypeAlias = tuple[tuple[int, int], ...]

PIECES: Final[tuple[PieceName, ...]] = ("O", "I", "S", "Z", "L", "J", "T")
ROTATIONS: Final = (Rotation.SOUTH, Rotation.EAST, Rotation.NORTH, Rotation.WEST)
"""Kernel rotation of each orientation: pieces point down first, then turn counter-clockwise."""
SPAWN_ROW: Final = 0
SPAWN_COLUMN: Final = 5
"""Spawn cell of the origin of all pieces."""


def _shapes(kicks: Kicks, piece: PieceName) -> tuple[Offsets, ...]:
    all_ways = kicks.shapes(piece)
    ring = [tuple(sorted((-y, x) for x, y in all_ways[rotation])) for rotation in ROTATIONS]
    # Pieces with one or two orientations repeat them in the kernel's four rotations.
    for states in (1, 2):
        if all(ring[way] == ring[way % states] for way in range(len(ring))):
            return tuple(ring[:states])
    return tuple(ring)


SHAPES: Final[dict[PieceName, tuple[Offsets, ...]]] = {
    piece: _shapes(Kicks("pason"), piece) for piece in PIECES
}
"""The four (row, column) offsets by piece and orientation, sorted."""


class PasonPlacement(NamedTuple):
    """A placement in the contest's terms.

    Attributes:
        row: row of the origin, 0 at the top.
        col: column of the origin.
    """

    piece: PieceName
    orient: int
    row: int
    col: int

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The four (row, column) that it fills."""
        return [(self.row + row, self.col + col) for row, col in SHAPES[self.piece][self.orient]]


def parse_placement(place: PasonPlacement) -> Placement:
    """Convert to a kernel placement with the same cells."""
    return Placement(place.piece, ROTATIONS[place.orient], place.col, HEIGHT - 1 - place.row)


def format_placement(placement: Placement) -> PasonPlacement:
    """Convert a kernel placement by its cells; its rotation is ignored.

    Raises:
        PlacementError: the contest has no such shape.
    """
    cells = sorted((HEIGHT - 1 - y, x) for x, y in placement.cells)
    first_row, first_col = cells[0]
    found = _BY_SHAPE.get((placement.piece, _relative_to_first(cells)))
    if found is None:
        raise PlacementError(f"{placement!r} is in no orientation of the contest's")
    piece, orient, row, col = found
    return PasonPlacement(piece, orient, first_row - row, first_col - col)


MoveName: TypeAlias = Literal["left", "right", "down", "drop", "lrotate", "rrotate"]

MOVE_KEYS: Final[dict[MoveName, Key]] = {
    "left": Key.LEFT,
    "right": Key.RIGHT,
    "down": Key.SOFT_DROP,
    "drop": Key.HARD_DROP,
    "lrotate": Key.CCW,
    "rrotate": Key.CW,
}
"""Kernel key of each move."""


def find_moves(board: Board, placement: Placement, rules: Rules) -> tuple[MoveName, ...] | None:
    """Return the fewest moves to a placement, ``drop`` last; None if it is unreachable."""
    keys = compile_rules(rules).find_path(board, placement, cleared=False, keys=list(_MOVE_NAMES))
    return None if keys is None else tuple(_MOVE_NAMES[key] for key in keys)


_HEX: Final = re.compile(r"[0-9a-fA-F]{50}", re.ASCII)
_CELL_MARKS: Final = {ord("0"): ".", ord("1"): "#"}

# The left column is the kernel's lowest bit and the wire's highest bit.
_MIRRORED: Final = tuple(int(f"{bits:0{WIDTH}b}"[::-1], 2) for bits in range(1 << WIDTH))


def _relative_to_first(cells: Offsets | list[tuple[int, int]]) -> Offsets:
    first_row, first_col = cells[0]
    return tuple((row - first_row, col - first_col) for row, col in cells)


_BY_SHAPE: Final[dict[tuple[Piece, Offsets], tuple[PieceName, int, int, int]]] = {
    (Piece[piece], _relative_to_first(shape)): (piece, orient, shape[0][0], shape[0][1])
    for piece in PIECES
    for orient, shape in enumerate(SHAPES[piece])
}
"""A shape's piece and orientation, and its first cell from the origin."""


_MOVE_NAMES: Final[dict[Key, MoveName]] = {key: name for name, key in MOVE_KEYS.items()}
