"""The C++ kernel: boards, pieces, rotation systems, placements, perft.

Coordinates everywhere: ``x`` from 0 at the left, ``y`` from 0 at the bottom, ``y`` up. A piece's
position is its SRS true-rotation centre (see docs/coordinates.md).
"""

import enum
from collections.abc import Iterator, Sequence
from typing import SupportsIndex, overload

class Piece(enum.IntEnum):
    """The seven one-sided tetrominoes."""

    I = 0
    O = 1
    T = 2
    L = 3
    J = 4
    S = 5
    Z = 6

class Rotation(enum.IntEnum):
    """The way a piece points; NORTH is the spawn rotation, EAST one turn clockwise from it."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

class Spin(enum.IntEnum):
    """What kind of spin a placement is; which spins exist is a rule (see `SpinMode`)."""

    NONE = 0
    MINI = 1
    FULL = 2

class SpinMode(enum.IntEnum):
    """Which placements count as spins."""

    NONE = 0
    T_SPINS = 1

class Key(enum.IntEnum):
    """A key press of the path finder; SOFT_DROP falls one row, SONIC_DROP to the floor."""

    LEFT = 0
    RIGHT = 1
    CW = 2
    CCW = 3
    FLIP = 4
    SOFT_DROP = 5
    SONIC_DROP = 6
    HARD_DROP = 7

PieceLike = Piece | str

class Kicks:
    """A rotation system: which tests a rotation tries, in order.

    Args:
        name: one of `Kicks.names()`, in any case, or an alias of the field such as ``srsPlus``.

    Raises:
        KicksError: the name is not known; the message lists those that are.
    """

    def __init__(self, name: str) -> None: ...
    @property
    def name(self) -> str: ...
    @staticmethod
    def names() -> list[str]: ...
    def tests(self, piece: PieceLike, start: Rotation, end: Rotation) -> list[tuple[int, int]] | None:
        """Displacements of the centre, in the order tried; None if there is no such rotation."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Placement:
    """A piece at rest: what it is, how it points, where its centre is, and what spin it is."""

    def __init__(
        self, piece: PieceLike, rotation: Rotation, x: int, y: int, spin: Spin = Spin.NONE
    ) -> None: ...
    @property
    def piece(self) -> Piece: ...
    @property
    def rotation(self) -> Rotation: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...
    @property
    def spin(self) -> Spin: ...
    @property
    def cells(self) -> list[tuple[int, int]]:
        """The four (x, y) it fills, sorted by y, then x."""
    def canonical(self) -> Placement:
        """The same cells with O pointing north and S, Z, I pointing north or east."""
    def same_cells(self, other: Placement) -> bool:
        """Whether both fill the same cells with the same piece, whatever their rotation."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Placements(Sequence[Placement]):
    """Placements of one piece, decoded one by one as they are asked for."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Placement: ...
    @overload
    def __getitem__(self, index: slice) -> list[Placement]: ...
    def __iter__(self) -> Iterator[Placement]: ...
    def __contains__(self, placement: object) -> bool: ...

class Board:
    """Filled and empty cells, no colours. Width 4 to 16, 4 to 64 rows."""

    def __init__(self, width: int = 10, rows: int = 40) -> None: ...
    @staticmethod
    def from_rows(rows: Sequence[str], *, height: int = 40) -> Board:
        """Rows from the bottom up; ``.``, ``_`` and blanks are empty, anything else is filled."""
    @staticmethod
    def from_text(text: str, *, height: int = 40) -> Board:
        """Lines from the top down, as a person draws a board; blank lines are left out."""
    @property
    def width(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def height(self) -> int:
        """Rows up to the highest filled cell; 0 for an empty board."""
    @property
    def is_empty(self) -> bool: ...
    @property
    def count(self) -> int:
        """Number of filled cells."""
    def __getitem__(self, cell: tuple[int, int]) -> bool: ...
    def __setitem__(self, cell: tuple[int, int], filled: bool) -> None: ...
    def row(self, y: int) -> int:
        """Row y as bits, bit x set where column x is filled."""
    def fits(self, placement: Placement) -> bool:
        """Whether the four cells are on the board and empty."""
    def is_resting(self, placement: Placement) -> bool:
        """Whether the placement fits and cannot move down by one row."""
    def placements(
        self,
        piece: PieceLike,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinMode = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
    ) -> Placements:
        """All placements reachable from the spawn by shifts, single-row drops and rotations."""
    def path(
        self,
        placement: Placement,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinMode = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
    ) -> list[Key] | None:
        """The fewest keys from spawn to the placement, HARD_DROP last; None if unreachable."""
    def lock(self, placement: Placement) -> int:
        """Fill the placement's cells and remove full rows.

        Returns: the number of rows removed.
        Raises: PlacementError if it does not fit.
        """
    def add_garbage(self, hole: int, count: int = 1) -> None:
        """Push `count` full rows with one empty column in from below; what passes the top is cut."""
    def copy(self) -> Board: ...
    def __copy__(self) -> Board: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __str__(self) -> str:
        """Rows from the top of the stack down, ``#`` and ``.``; ends with the bottom row."""

def perft(
    queue: str | Sequence[Piece],
    depth: int | None = None,
    kicks: Kicks | str = "srs",
    *,
    board: Board | None = None,
    spins: SpinMode = SpinMode.NONE,
    spawn: tuple[int, int] = (4, 19),
    threads: int = 1,
) -> int:
    """Number of ways to place the first `depth` pieces of `queue`, one after another, no hold."""

def instruction_set() -> str:
    """The instruction set the kernel chose on this machine."""
