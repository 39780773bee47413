"""The C++ kernel: boards, pieces, rotation systems, placements, perft.

Coordinates everywhere: ``x`` from 0 at the left, ``y`` from 0 at the bottom, ``y`` up. A piece's
position is its SRS true-rotation centre (see docs/coordinates.md).
"""

import enum
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, SupportsIndex, overload

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
    """Rotation of a piece: NORTH is the spawn rotation, EAST one turn clockwise."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

class Spin(enum.IntEnum):
    """Spin of a placement; the rules decide which spins exist (see `SpinMode`)."""

    NONE = 0
    MINI = 1
    FULL = 2

class SpinMode(enum.IntEnum):
    """Placements that count as spins (see docs/spins.md)."""

    NONE = 0
    T_SPINS = 1
    T_SPINS_PLUS = 2
    ALL = 3
    ALL_PLUS = 4
    ALL_MINI = 5
    ALL_MINI_PLUS = 6
    MINI_ONLY = 7
    HANDHELD = 8
    STUPID = 9
    IMMOBILE = 10

class Key(enum.IntEnum):
    """A key press.

    SOFT_DROP falls one row, SONIC_DROP to the floor without locking; HARD_DROP also locks.
    DAS_LEFT and DAS_RIGHT hold a direction until the piece is at the wall.
    """

    LEFT = 0
    RIGHT = 1
    CW = 2
    CCW = 3
    FLIP = 4
    SOFT_DROP = 5
    SONIC_DROP = 6
    HARD_DROP = 7
    DAS_LEFT = 8
    DAS_RIGHT = 9

PieceLike = Piece | str

class SpinRules:
    """Rules of spins. A mode alone stands for the rules with the default options.

    Args:
        mode: placements that count as spins.
        full_kicks: kicks that make a T-spin full. ``downward``: two rows down and one column
            across, in a quarter turn into east or west (guideline, TETR.IO). ``fifth``: the fifth
            test of any turn (Cold Clear). ``none`` (Jstris).
        on_shift: effect of a sideways shift on a spin. ``ends``: the spin ends (guideline,
            TETR.IO). ``keeps``: the spin stays (Triangle.js frame by frame). ``rejudges``: corners
            are checked where the piece locks, if it has turned and not fallen since (Jstris).
        hold_keeps_spin: whether a piece from hold keeps the spin of the held piece until it falls
            (Triangle.js). Used by games only.
        top_filled: whether corners above the board's top row count as filled (TETR.IO).

    Raises:
        RulesError: unknown value; the message lists the known ones.
    """

    def __init__(
        self,
        mode: SpinsLike,
        *,
        full_kicks: str = "downward",
        on_shift: str = "ends",
        hold_keeps_spin: bool = False,
        top_filled: bool = False,
    ) -> None: ...
    @property
    def mode(self) -> SpinMode: ...
    @property
    def full_kicks(self) -> str: ...
    @property
    def on_shift(self) -> str: ...
    @property
    def hold_keeps_spin(self) -> bool: ...
    @property
    def top_filled(self) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

SpinsLike = SpinRules | SpinMode | str

def parse_spin_mode(name: str) -> SpinMode:
    """Return the mode with a name such as ``T-spins+``, in any case.

    Raises:
        RulesError: unknown name; the message lists the known ones.
    """

def spin_mode_name(mode: SpinsLike) -> str:
    """Return the name of a mode, as protocols spell it."""

MAX_KICKS: int
"""Maximum number of kicks of a turn, after the turn in place."""

MAX_KICK_DISTANCE: int
"""Maximum distance of a kick, in columns and in rows."""

MAX_CELL_DISTANCE: int
"""Maximum distance of a cell from the origin of its piece, in columns and in rows."""

class Kicks:
    """A rotation system: the tests of each turn, in order, and the cells of pieces.

    Cells are relative to the origin of a piece, which stays in place when the piece turns in place.
    In most systems it is a corner of the box of SRS; the piece then spawns at its centre.

    Systems are equal if all pieces turn the same way, whatever their names.

    Args:
        name: one of `Kicks.names()`, in any case, or a common alias such as ``srsPlus``;
            ``... without 180`` excludes half turns.
        half_turns: whether half turns exist.

    Raises:
        KicksError: unknown name; the message lists the known ones.
    """

    def __init__(self, name: str, *, half_turns: bool = True) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def is_builtin(self) -> bool:
        """True if `Kicks(name)` is this system."""
    @staticmethod
    def names() -> list[str]: ...
    @staticmethod
    def from_file(path: str | os.PathLike[str]) -> Kicks:
        """Load a custom system from a TOML file (docs/kicks.md).

        Raises:
            KicksError: the file cannot be read or is invalid; the message names the line.
        """
    @staticmethod
    def from_text(text: str, name: str = "own") -> Kicks:
        """Parse a custom system from the text of such a file."""
    @staticmethod
    def from_turns(
        name: str,
        turns: Mapping[tuple[Piece, Rotation, Rotation], Sequence[tuple[int, int]]],
        spawns: Mapping[Piece, Rotation] = ...,
        shapes: Mapping[Piece, Sequence[Sequence[tuple[int, int]]]] = ...,
    ) -> Kicks:
        """Create a system from the tests of all turns, as `turns` returns them.

        Args:
            name: name of the system: 1 to 64 printable characters, not the name of another system.
            turns: by piece, the rotation before and the one after: at most `MAX_KICKS` + 1
                displacements of the piece's origin, within `MAX_KICK_DISTANCE`; (0, 0) is a turn
                in place.
            spawns: rotations of pieces that do not spawn pointing north.
            shapes: pieces that differ from SRS: for each rotation its four cells
                (x, y) from the origin, y up, within `MAX_CELL_DISTANCE`. Two lists alternate, one
                is for all rotations. The cells are those of the piece in that rotation, anywhere.

        Raises:
            KicksError: too many tests, a test too far away, cells of another piece, or a name that
                is already used.
        """
    def without_half_turns(self) -> Kicks:
        """Return the system without half turns, named ``... without 180``."""
    def tests(
        self, piece: PieceLike, start: Rotation, end: Rotation
    ) -> list[tuple[int, int]] | None:
        """Return displacements of the centre, in the order tried; None if there is no such turn."""
    def turns(self) -> dict[tuple[Piece, Rotation, Rotation], list[tuple[int, int]]]:
        """Return the tests of all turns, as displacements of the origin of the piece."""
    def shapes(self, piece: PieceLike) -> list[list[tuple[int, int]]]:
        """Return the cells of each rotation relative to the origin, sorted by y, then x."""
    def has_custom_shapes(self, piece: PieceLike) -> bool:
        """Return whether the cells of the piece differ from SRS."""
    def spawn_at(self, piece: PieceLike, x: int, y: int) -> Placement:
        """Return the piece as it spawns with its origin at (x, y)."""
    def spawn_rotation(self, piece: PieceLike) -> Rotation:
        """Return the rotation of a piece at its spawn."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Placement:
    """Placement of a piece: piece, rotation, position of its centre, and spin."""

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
        """Its four cells (x, y), sorted by y, then x."""
    def canonical(self) -> Placement:
        """Return the same cells with O pointing north, and S, Z and I pointing north or east."""
    def same_cells(self, other: Placement) -> bool:
        """Return whether both fill the same cells with the same piece, in any rotation."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Placements(Sequence[Placement]):
    """Placements of one piece, decoded on access."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Placement: ...
    @overload
    def __getitem__(self, index: slice) -> list[Placement]: ...
    def __iter__(self) -> Iterator[Placement]: ...
    def __contains__(self, placement: object) -> bool: ...

class Board:
    """Filled and empty cells without colours; width 4 to 16, 4 to 64 rows."""

    def __init__(self, width: int = 10, rows: int = 40) -> None: ...
    @staticmethod
    def from_rows(rows: Sequence[str], *, height: int = 40) -> Board:
        """Create a board from rows, from the bottom up.

        ``.``, ``_``, ``0`` and spaces are empty cells; ``#``, ``X``, ``1``, ``G`` (garbage), ``B``
        (bomb) and the letters of pieces, in either case, are filled cells.

        Raises:
            BoardError: invalid cell, rows of different widths, or too many rows.
        """
    @staticmethod
    def from_text(text: str, *, height: int = 40) -> Board:
        """Create a board from lines, from the top down, with the letters of `from_rows`.

        Blank lines before and after the drawing and common indentation are ignored; other blanks
        are empty cells.

        Raises:
            BoardError: invalid cell, lines of different widths, or too many lines.
        """
    @property
    def width(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def height(self) -> int:
        """Number of rows up to the highest filled cell; 0 for an empty board."""
    @property
    def is_empty(self) -> bool: ...
    @property
    def cell_count(self) -> int:
        """Number of filled cells."""
    def __getitem__(self, cell: tuple[int, int]) -> bool: ...
    def __setitem__(self, cell: tuple[int, int], filled: bool) -> None: ...
    def row(self, y: int) -> int:
        """Return row y as bits; bit x is set if column x is filled."""
    def fits(self, placement: Placement) -> bool:
        """Return whether the four cells are on the board and empty."""
    def is_resting(self, placement: Placement) -> bool:
        """Return whether the placement fits and cannot move down by one row."""
    def placements(
        self,
        piece: PieceLike,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinsLike = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
    ) -> Placements:
        """Return all placements reachable by shifts, single-row drops and rotations."""
    def find_path(
        self,
        placement: Placement,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinsLike = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
        keys: Sequence[Key] | None = None,
        gravity_rows: int = 0,
    ) -> list[Key] | None:
        """Return the fewest keys that lead to a placement, HARD_DROP last; None if unreachable.

        Args:
            placement: target cells, and the target spin if `spins` distinguishes spins.
            kicks: rotation system.
            spins: placements that count as spins.
            spawn: spawn of the piece.
            keys: available keys [default: all except those of DAS].
            gravity_rows: maximum number of rows that gravity moves the piece before the first key,
                0 to 15. The keys work for every number up to it. Above 0, very long paths may not
                be found.

        Raises:
            InputError: gravity_rows is out of its range.
        """
    def apply_keys(
        self,
        piece: PieceLike,
        keys: Sequence[Key],
        kicks: Kicks | str = "srs",
        *,
        spins: SpinsLike = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
    ) -> Placement | None:
        """Return the placement of a piece after key presses and a hard drop, with its spin.

        Presses without effect are ignored. None if the piece cannot spawn.
        """
    def rotate(
        self,
        placement: Placement,
        to: Rotation,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinsLike = SpinMode.NONE,
    ) -> tuple[Placement, int] | None:
        """Turn a piece, resting or in mid-air, and detect the spin.

        Returns: the new placement with its spin, and the index of the successful test, from 0; None
            if there is no such turn or no test fits.
        Raises: PlacementError if the placement itself does not fit.
        """
    def lock(self, placement: Placement) -> int:
        """Fill the cells of a placement and remove full rows.

        Returns: number of removed rows.
        Raises: PlacementError if it does not fit.
        """
    def svg(
        self,
        *,
        placements: Sequence[Placement] = (),
        ghosts: Sequence[Placement] = (),
        marks: Mapping[tuple[int, int], str] | None = None,
        colors: Sequence[str] | None = None,
        rows: int | range | None = None,
        skyline: int | None = None,
    ) -> str:
        """Return a self-contained SVG picture; see `sevenbag.drawing.draw_board`."""
    def _repr_svg_(self) -> str:
        """Return the picture shown by notebooks."""
    def add_garbage(self, hole: int, count: int = 1) -> None:
        """Insert `count` rows with one hole at the bottom; the top rows are lost."""
    def copy(self) -> Board: ...
    def __copy__(self) -> Board: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__ = None  # type: ignore[assignment]  # mutable
    def __str__(self) -> str:
        """Return the rows from the top of the stack down, with ``#`` and ``.``."""

def perft(
    queue: str | Sequence[Piece],
    depth: int | None = None,
    kicks: Kicks | str = "srs",
    *,
    board: Board | None = None,
    spins: SpinsLike = SpinMode.NONE,
    spawn: tuple[int, int] = (4, 19),
    threads: int = 1,
) -> int:
    """Count the ways to place the first `depth` pieces of a queue, without hold.

    Releases the GIL; Ctrl-C stops it.

    Args:
        queue: pieces or their letters.
        depth: number of pieces, 0 to 64 [default: all].
        kicks: rotation system.
        board: start [default: empty, 10 x 40].
        spins: placements that differ in spin count separately.
        spawn: spawn of the origin of each piece.
        threads: number of threads, 1 to 256.
    """

def instruction_set() -> str:
    """Return the instruction set in use: base, x86-64-v3 or avx512.

    Raises:
        InputError: the environment variable SEVENBAG_INSTRUCTION_SET names an unavailable one.
    """

# --- games; `sevenbag.game` is the public interface -----------------------------------------------

class KernelRules:
    """Rules of the kernel, from `sevenbag.game.Rules.to_dict`."""

    def __init__(self, data: dict[str, object]) -> None: ...
    def compute_attacks(
        self,
        piece: PieceLike,
        spin: Spin,
        lines: int,
        garbage_lines: int,
        perfect: bool,
        combo: int,
        back_to_back: int,
        attackers: int = 0,
    ) -> tuple[int, ...]:
        """Return the attacks of a clear; counters are those before it."""
    def compute_raw_lines(
        self, piece: PieceLike, spin: Spin, lines: int, combo: int, back_to_back: int
    ) -> float:
        """Return the attack before multiplier and rounding; counters are those after the clear."""
    def apply_lock(
        self,
        board: Board,
        colors: Sequence[str] | None,
        placement: Placement,
        combo: int,
        back_to_back: int,
    ) -> tuple[Board, tuple[str, ...] | None, int, int]:
        """Return board, colours, combo and back-to-back after a lock, without garbage.

        Raises: PlacementError if the placement does not fit.
        """
    def placements(
        self, board: Board, piece: PieceLike, cleared: bool, spins: bool = True
    ) -> list[Placement]:
        """Return all placements of a piece after its spawn; none if it cannot spawn.

        Args:
            board: the board; rows that are not solid are ignored.
            piece: the piece.
            cleared: whether the previous lock cleared rows.
            spins: whether to detect spins, and to list placements that differ only in spin.
        """
    def find_path(
        self,
        board: Board,
        placement: Placement,
        cleared: bool,
        keys: Sequence[Key] | None = None,
        gravity_rows: int = 0,
        start: Placement | None = None,
    ) -> list[Key] | None:
        """Find a path as `Board.find_path`, from the spawn under these rules, or from `start`.

        Raises:
            PlacementError: start and placement are different pieces.
        """
    def apply_keys(
        self, board: Board, piece: PieceLike, keys: Sequence[Key], cleared: bool
    ) -> Placement | None:
        """Apply keys as `Board.apply_keys`, from the spawn under these rules."""

class GarbageQueue:
    """Pending attacks, and the holes of garbage rows.

    Frames are given by the caller. Senders and numbers are any integers.

    Raises:
        RulesError: a number out of range.
    """

    def __init__(self, rules: KernelRules, seed: int) -> None: ...
    def receive(self, lines: int, frame: int, hole: int = -1) -> None:
        """Add an attack; `hole` is its column, or -1."""
    def announce(self, sender: int, number: int, lines: int, hole: int = -1) -> None:
        """Announce an attack: it can be cancelled, but does not travel yet."""
    def confirm(self, sender: int, number: int, frame: int) -> int:
        """Start an announced attack and return its remaining lines."""
    def cancel(self, attacks: Sequence[int], piece_number: int) -> tuple[tuple[int, ...], int]:
        """Return the rest of the attacks of a clear, and the number of cancelled lines.

        Pieces are numbered from 1.
        """
    def enter(self, frame: int, cap: int, hard_drop: bool = True) -> tuple[tuple[int, ...], ...]:
        """Return the holes of the rows that enter at a lock, at most `cap` rows.

        At a lock by time (`hard_drop` False), attacks enter that arrived a frame earlier.
        """
    @property
    def pending(self) -> tuple[int, ...]:
        """Lines of the pending attacks."""

class InFlightAttacks:
    """Attacks in flight between players, which cancel each other.

    Raises:
        RulesError: a number out of range.
    """

    def __init__(self) -> None: ...
    def send(self, player: int, lines: int) -> int:
        """Send an attack to a player and return its number, from 1."""
    def receive(self, player: int, number: int, lines: int, acknowledged: int) -> int:
        """Return the rest of an attack; `acknowledged` is the last of ours that was received."""
    def last_received(self, player: int) -> int:
        """Return the number of the last attack received from a player, or 0."""
    def lines_in_flight(self, player: int) -> int:
        """Return the number of lines in flight to a player."""

class LockResult:
    """Result of a lock."""

    @property
    def placement(self) -> Placement:
        """Placement, with the spin under the rules."""
    @property
    def from_hold(self) -> bool:
        """True if the piece came from hold."""
    @property
    def lines(self) -> int:
        """Number of cleared rows."""
    @property
    def rows(self) -> tuple[int, ...]:
        """Cleared rows, lowest first, by their position before the clear."""
    @property
    def garbage_lines(self) -> int:
        """Number of cleared garbage rows."""
    @property
    def spin(self) -> Spin:
        """Spin, with or without cleared rows."""
    @property
    def is_difficult(self) -> bool:
        """True if the clear counts for back-to-back: with a spin, or of four rows."""
    @property
    def perfect_clear(self) -> bool:
        """True if the clear left the board empty."""
    @property
    def attacks(self) -> tuple[int, ...]:
        """Attacks in lines before cancelling, in the order sent."""
    @property
    def attack(self) -> int:
        """Sum of `attacks`."""
    @property
    def surge(self) -> int:
        """Lines of a broken back-to-back charge, included in `attacks`."""
    @property
    def cancelled(self) -> int:
        """Lines of pending garbage cancelled by the attacks."""
    @property
    def sent(self) -> tuple[int, ...]:
        """Attacks after cancelling."""
    @property
    def garbage(self) -> tuple[int, ...]:
        """Hole columns of the garbage rows that entered, in order; the last is the bottom row.

        The first of them, where a row has several.
        """
    @property
    def garbage_holes(self) -> tuple[tuple[int, ...], ...]:
        """All holes of these rows, by row."""
    @property
    def combo(self) -> int:
        """Number of consecutive clears, this one included; 0 without a clear."""
    @property
    def back_to_back(self) -> int:
        """Number of consecutive difficult clears after this lock."""
    @property
    def new_pieces(self) -> tuple[Piece, ...]:
        """New pieces at the end of the visible queue, up to two."""
    @property
    def top_out(self) -> str | None:
        """``block out``, ``lock out`` or ``garbage out``; None if the game goes on."""
    @property
    def frame(self) -> int:
        """Frame of the lock."""

class Stats:
    """Statistics of a player."""

    @property
    def pieces(self) -> int:
        """Number of placed pieces."""
    @property
    def holds(self) -> int:
        """Number of uses of hold."""
    @property
    def lines(self) -> int:
        """Number of cleared rows."""
    @property
    def attack(self) -> int:
        """Lines of attack before cancelling."""
    @property
    def cancelled(self) -> int:
        """Lines of pending garbage cancelled."""
    @property
    def sent(self) -> int:
        """Lines of attack after cancelling."""
    @property
    def received(self) -> int:
        """Lines of attack received."""
    @property
    def garbage_entered(self) -> int:
        """Number of garbage rows that entered the board."""
    @property
    def garbage_cleared(self) -> int:
        """Number of cleared garbage rows."""
    @property
    def spins(self) -> int:
        """Number of locks with a spin."""
    @property
    def perfect_clears(self) -> int:
        """Number of perfect clears."""
    @property
    def max_combo(self) -> int:
        """Longest run of consecutive clears."""
    @property
    def max_back_to_back(self) -> int:
        """Longest run of consecutive difficult clears."""
    @property
    def clears(self) -> dict[str, int]:
        """Number of clears of each kind: ``single``, ``mini double``, ``spin triple``.

        More than four rows are ``five or more``.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Button(enum.IntEnum):
    """A key in real-time play; NONE has no effect, but counts as an input."""

    MOVE_LEFT = 0
    MOVE_RIGHT = 1
    SOFT_DROP = 2
    HARD_DROP = 3
    ROTATE_CW = 4
    ROTATE_CCW = 5
    ROTATE_180 = 6
    HOLD = 7
    NONE = 8

class Handling:
    """Handling of a player's keyboard. Times are frames, and may be fractional.

    Args:
        das: delay before a held key repeats.
        arr: time between repeats; 0 moves to the wall at once, otherwise at least 0.001.
        dcd: delay of repeats after a piece spawned, or turned at a wall.
        soft_drop: factor of gravity; 41 and more drops to the floor within a frame.
        safe_lock: block hard drops for 7 frames after a lock by time.
        cancel: releasing one direction resets the DAS of the other.
        may_20g: pieces that slide at the wall fall at once if soft drop is fast enough.
        initial_rotation: ``off``, ``hold`` (a held key turns the next piece as it appears) or
            ``tap``, which has no effect without entry delays.
        initial_hold: the same for the hold key.

    Raises:
        RulesError: a value is out of range.
    """

    def __init__(
        self,
        *,
        das: float = 10.0,
        arr: float = 2.0,
        dcd: float = 0.0,
        soft_drop: float = 6.0,
        safe_lock: bool = True,
        cancel: bool = False,
        may_20g: bool = True,
        initial_rotation: str = "off",
        initial_hold: str = "off",
    ) -> None: ...
    @property
    def das(self) -> float: ...
    @property
    def arr(self) -> float: ...
    @property
    def dcd(self) -> float: ...
    @property
    def soft_drop(self) -> float: ...
    @property
    def safe_lock(self) -> bool: ...
    @property
    def cancel(self) -> bool: ...
    @property
    def may_20g(self) -> bool: ...
    @property
    def initial_rotation(self) -> str: ...
    @property
    def initial_hold(self) -> str: ...

class FrameRules:
    """Rules of frame-by-frame games.

    Args:
        gravity: rows per frame.
        gravity_growth: increase per second.
        gravity_margin: frames before the increase starts.
        gravity_may_20g: gravity above the board height per frame drops at once.
        lock_time: frames on the ground before a piece locks.
        lock_resets: number of moves that restart this time.
        infinite_movement: unlimited lock resets.
        infinite_hold: unlimited hold.
        hard_drop: whether hard drop is allowed.
        sends_attacks: whether there are opponents.
        cancels_in_flight: attacks in flight cancel each other.
        rounded_heights: round heights to millionths, as TETR.IO does since version 19.

    Raises:
        RulesError: a value is out of range.
    """

    def __init__(
        self,
        *,
        gravity: float = 0.02,
        gravity_growth: float = 0.0,
        gravity_margin: int = 0,
        gravity_may_20g: bool = True,
        lock_time: float = 30.0,
        lock_resets: int = 15,
        infinite_movement: bool = False,
        infinite_hold: bool = False,
        hard_drop: bool = True,
        sends_attacks: bool = True,
        cancels_in_flight: bool = True,
        rounded_heights: bool = True,
    ) -> None: ...
    @property
    def gravity(self) -> float: ...
    @property
    def gravity_growth(self) -> float: ...
    @property
    def gravity_margin(self) -> int: ...
    @property
    def gravity_may_20g(self) -> bool: ...
    @property
    def lock_time(self) -> float: ...
    @property
    def lock_resets(self) -> int: ...
    @property
    def infinite_movement(self) -> bool: ...
    @property
    def infinite_hold(self) -> bool: ...
    @property
    def hard_drop(self) -> bool: ...
    @property
    def sends_attacks(self) -> bool: ...
    @property
    def cancels_in_flight(self) -> bool: ...
    @property
    def rounded_heights(self) -> bool: ...

class FrameStats(Stats):
    """Further statistics of TETR.IO."""

    @property
    def inputs(self) -> int:
        """Number of key presses, without blocked hard drops."""
    @property
    def points(self) -> int:
        """Score."""
    @property
    def max_spike(self) -> int:
        """Largest number of lines sent within a second."""
    @property
    def sent_unmultiplied(self) -> float:
        """Sum of ``floor(lines / multiplier)`` of all attacks, by the multiplier at each lock."""
    @property
    def max_spike_unmultiplied(self) -> float:
        """Largest spike in the lines of `sent_unmultiplied`."""
    @property
    def combo_power(self) -> int:
        """Lines of the largest clear of the current combo, at most 7."""
    @property
    def spins_without_lines(self) -> tuple[int, int]:
        """Number of mini and of full spins without cleared rows."""

def back_to_back_power(back_to_back: int) -> int:
    """Return the attack of a back-to-back chain."""

class FrameGame:
    """A game played frame by frame; see `sevenbag.game.frame_game`."""

    def __init__(
        self, rules: KernelRules, frame_rules: FrameRules, handling: Handling, seed: int
    ) -> None: ...
    def press(self, button: Button, subframe: float = 0.0, hoisted: bool = False) -> None:
        """Press a key in this frame.

        Args:
            button: the key.
            subframe: time within the frame, 0 to 1; not before that of earlier calls.
            hoisted: the key was already down at the start of the game.

        Raises:
            InputError: invalid time.
        """
    def release(self, button: Button, subframe: float = 0.0) -> None:
        """Release a key."""
    def set_targets(self, players: Sequence[int]) -> None:
        """Set the players that receive attacks, by numbers of the caller."""
    def announce(
        self, sender: int, number: int, lines: int, acknowledged: int, hole: int = -1
    ) -> None:
        """Announce an incoming attack.

        Args:
            sender: number of the sender.
            number: number of the attack among those of the sender, from 1.
            lines: lines as sent.
            acknowledged: number of our last attack that the sender had received.
            hole: column of the hole, or -1.

        Raises:
            RulesError: a number out of range.
        """
    def confirm(self, sender: int, number: int) -> None:
        """Start an announced attack in this frame."""
    def advance_to(self, subframe: float) -> None:
        """Advance to a time within this frame."""
    def end_frame(self) -> None:
        """Advance to the end of the frame."""
    @overload
    def run_script(self, script: list[float], frames: int, record: Literal[False] = False) -> None:
        """Run a script of events; see `sevenbag.game.frame_game.FrameGame.run_script`."""
    @overload
    def run_script(
        self, script: list[float], frames: int, record: Literal[True]
    ) -> list[tuple[LockResult, tuple[str, ...], Piece, Piece | None]]: ...
    def take_sent_attacks(self) -> tuple[tuple[int, int, int, int, int, int], ...]:
        """Return the attacks since the last call (see `sevenbag.game.frame_game.Sent`)."""
    @property
    def board(self) -> Board: ...
    @property
    def colors(self) -> tuple[str, ...]:
        """Rows from the bottom up, a letter for each cell."""
    @property
    def piece(self) -> Placement:
        """Falling piece, as it would lock at its position."""
    @property
    def is_hard_drop_blocked(self) -> bool:
        """True if a hard drop would be ignored now."""
    @property
    def handling(self) -> Handling: ...
    @property
    def height(self) -> float:
        """Top row of the piece's box, with the fraction of gravity."""
    @property
    def hold(self) -> Piece | None: ...
    @property
    def previews(self) -> tuple[Piece, ...]: ...
    @property
    def current(self) -> Piece: ...
    @property
    def bag(self) -> tuple[Piece, ...] | None: ...
    @property
    def filled_bag(self) -> tuple[Piece, ...] | None: ...
    @property
    def top_out(self) -> str | None:
        """`game_over_reason` in the terms of `Game`."""
    @property
    def combo(self) -> int: ...
    @property
    def back_to_back(self) -> int: ...
    @property
    def pending(self) -> tuple[int, ...]:
        """Lines of the pending attacks."""
    @property
    def stats(self) -> FrameStats: ...
    @property
    def last_lock(self) -> LockResult: ...
    @property
    def frame(self) -> int:
        """Number of finished frames."""
    @property
    def subframe(self) -> float:
        """Elapsed fraction of the current frame."""
    @property
    def duration(self) -> float:
        """Duration in frames, up to the last key or the end of the game."""
    @property
    def game_over_reason(self) -> str | None:
        """``topout`` or ``garbagesmash``; None while the game goes on."""

class Game:
    """Kernel of `sevenbag.game.Game`."""

    def __init__(self, rules: KernelRules, seed: int, garbage_seed: int) -> None: ...
    def start_from(self, board: Board, combo: int, back_to_back: int) -> None: ...
    def copy(self) -> Game: ...
    @property
    def board(self) -> Board: ...
    @property
    def colors(self) -> tuple[str, ...]: ...
    @property
    def current(self) -> Piece: ...
    @property
    def hold(self) -> Piece | None: ...
    @property
    def previews(self) -> tuple[Piece, ...]: ...
    @property
    def bag(self) -> tuple[Piece, ...] | None: ...
    @property
    def filled_bag(self) -> tuple[Piece, ...] | None: ...
    @property
    def spawn(self) -> tuple[int, int] | None: ...
    @property
    def combo(self) -> int: ...
    @property
    def back_to_back(self) -> int: ...
    @property
    def pending(self) -> tuple[int, ...]: ...
    @property
    def frame(self) -> int: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def top_out(self) -> str | None: ...
    def placements(self, hold: bool) -> list[Placement]: ...
    def find_move(self, placement: Placement, hold: bool | None) -> Placement: ...
    def play(self, placement: Placement, hold: bool | None, frame: int) -> LockResult: ...
    def play_unchecked(self, placement: Placement, hold: bool, frame: int) -> LockResult:
        """Play a lock of a recorded game without checking reachability and spin."""
    def receive(self, lines: int, frame: int) -> None: ...
    def set_attackers(self, attackers: int) -> None: ...

class Versus:
    """Kernel of `sevenbag.game.Versus`."""

    def __init__(self, rules: KernelRules, seed: int, frames_per_turn: int) -> None: ...
    def player(self, index: int) -> Game: ...
    def copy(self) -> Versus: ...
    @property
    def turn(self) -> int: ...
    @property
    def frame(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def winner(self) -> int | None: ...
    def play(
        self, first: Placement, second: Placement, first_hold: bool | None, second_hold: bool | None
    ) -> tuple[LockResult, LockResult]: ...

# --- search; `sevenbag.bots.builtin.beam_bot` is the public interface -----------------------------

class StopFlag:
    """Stops a search."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """Stop the search, from any thread; this is final."""
    @property
    def is_set(self) -> bool: ...

class SearchResult:
    """Result of a search."""

    @property
    def moves(self) -> list[Placement]:
        """All legal placements of the current piece and of the piece from hold, best first."""
    @property
    def scores(self) -> list[int]:
        """Score of the best line that starts with each move; longer lines rank first."""
    @property
    def nodes(self) -> int:
        """Number of evaluated boards."""
    @property
    def depth(self) -> int:
        """Length of the best line; its last piece is a guess. 0 if every move loses."""

class BeamSearch:
    """Beam search over the known pieces, with hold; runs one search at a time."""

    def __init__(self, rules: KernelRules) -> None: ...
    def run(
        self,
        board: Board,
        queue: Sequence[Piece],
        hold: Piece | None,
        combo: int = 0,
        back_to_back: int = 0,
        pending: int = 0,
        bag: Sequence[Piece] = (),
        *,
        nodes: int | None = None,
        milliseconds: float | None = None,
        width: int | None = None,
        stop: StopFlag | None = None,
    ) -> SearchResult:
        """Search; releases the GIL.

        Args:
            board: a board of the size in the rules.
            queue: current piece and next pieces; the first 16 are used.
            hold: held piece.
            combo: number of consecutive clears, at most 1,000,000.
            back_to_back: number of consecutive difficult clears, at most 1,000,000.
            pending: lines of pending garbage, at most 1,000,000.
            bag: pieces that can follow the queue; empty if unknown.
            nodes: maximum number of boards to evaluate, at least 1. All placements of the first
                piece are evaluated even beyond it. With no limits other than this and `width`, the
                result is the same on every machine.
            milliseconds: time limit, above 0.
            width: boards expanded for each piece, 1 to 32,768.
            stop: stops the search; the result is the best so far.

        Raises:
            BoardError: the size of the board differs from the rules.
            QueueError: the queue is empty.
            RulesError: a counter or a limit is out of range.
        """

# --- perfect clears; `sevenbag.pc` is the public interface ----------------------------------------

PC_MAX_HEIGHT: int
"""Maximum number of rows of a perfect clear."""

class SolveStatus(enum.IntEnum):
    """Status of a search for a perfect clear."""

    FOUND = 0
    NONE = 1
    """Proved: no perfect clear of any height with enough pieces."""
    ODD_CELLS = 2
    """The number of empty cells is odd for every height."""
    TOO_FEW_PIECES = 3
    """Too few pieces for the lowest height."""
    CANNOT_SAVE = 4
    """The piece to save cannot be left over."""
    STOPPED = 5
    """A limit was reached; the result is unknown."""

class PcSolveResult:
    """Result of a search for a perfect clear."""

    @property
    def status(self) -> SolveStatus: ...
    @property
    def height(self) -> int:
        """Number of rows of the perfect clear, or of the last height searched."""
    @property
    def placements(self) -> tuple[Placement, ...]: ...
    @property
    def holds(self) -> tuple[bool, ...]:
        """Whether hold is pressed before each placement."""
    @property
    def nodes(self) -> int:
        """Number of positions searched; may be some hundred too low."""

class PcTiling:
    """Tiles on a field: pieces and their cells, in any order of play."""

    @property
    def tiles(self) -> tuple[tuple[Piece, tuple[tuple[int, int], ...]], ...]:
        """Pieces and their cells (x, y), in rows of the start field."""
    @property
    def queues(self) -> int | None:
        """Bit i is set if queue i of `find_tilings` can play them; None without queues."""
    def find_playable_queues(
        self,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None,
        *,
        use_hold: bool = True,
    ) -> int:
        """Return the queues that can play all tiles: bit i is set for queue i.

        Raises:
            QueueError: there is no queue.
        """
    def find_order(
        self, queue: Iterable[PieceLike], hold: PieceLike | None, *, use_hold: bool = True
    ) -> tuple[tuple[Placement, ...], tuple[bool, ...]] | None:
        """Return the placements in an order for the queue, and whether hold precedes each."""

PC_MAX_TILES: int
"""Maximum number of tiles of a `PcTiling`."""

PC_MAX_TILED_ROWS: int
"""Maximum number of rows of a field with tilings."""

PC_ACTIVATIONS: tuple[str, ...]
"""Names of the activation functions."""
PC_MAX_GENES: int
"""Maximum number of genes of a network."""

class PcNetwork:
    """A network that scores boards by their features; see `sevenbag.pc.network`."""

    def __init__(self, hidden: str, output: str, genes: Sequence[tuple[int, int, float]]) -> None:
        """Create a network from activations and edges (input, output, weight).

        Raises:
            InputError: unknown activation, or invalid edge.
        """
    def score_boards(self, features: Sequence[Sequence[float]]) -> list[float]:
        """Return the scores of consecutive boards with nine features each."""

def compute_pc_features(board: Board, height: int) -> tuple[float, ...]:
    """Compute the nine features of a board that is to be filled up to a height.

    Raises:
        BoardError: the board is not 10 wide, or higher.
    """

class PcSolver:
    """Searches for perfect clears; runs one search at a time."""

    def __init__(self, kicks: Kicks | str) -> None: ...
    @property
    def kicks(self) -> Kicks: ...
    def solve(
        self,
        board: Board,
        queue: Iterable[PieceLike],
        hold: PieceLike | None,
        *,
        use_hold: bool = True,
        min_height: int = 0,
        max_height: int = ...,
        save: PieceLike | None = None,
        strict: bool = False,
        threads: int = 1,
        nodes: int | None = None,
        milliseconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> PcSolveResult:
        """Search as `sevenbag.pc.solve`; releases the GIL.

        Raises:
            BoardError: the board is not 10 wide, or is filled above `PC_MAX_HEIGHT` rows.
            QueueError: no pieces, or more than can be of use; not 1 to `MAX_THREADS` threads.
        """
    def solve_queues(
        self,
        board: Board,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None,
        *,
        use_hold: bool = True,
        min_height: int = 0,
        max_height: int = ...,
        save: PieceLike | None = None,
        strict: bool = False,
        threads: int = 1,
        milliseconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> list[SolveStatus]:
        """Return the status of each queue; STOPPED for those not searched."""
    def set_network(self, network: PcNetwork | None) -> None:
        """Order searches by the scores of a network; None restores the default order."""
    def measure_effort(
        self, queues: Iterable[Iterable[PieceLike]], height: int
    ) -> list[tuple[int, bool]]:
        """Return the number of positions that a narrow search examines, and whether it succeeds.

        The search starts from the empty field and tries few placements per position.

        Raises:
            BoardError: the height is none of 2, 4, 6.
            QueueError: a queue has another number of pieces than the height needs, or one more.
        """
    def find_tilings(
        self,
        board: Board,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None,
        height: int,
        *,
        use_hold: bool = True,
        strict: bool = False,
        drop: str = "soft",
        milliseconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> list[PcTiling]:
        """Find all tilings of exactly this height that any of the queues can play.

        Raises:
            BoardError: the board is not 10 wide, or higher than `height` or `PC_MAX_TILED_ROWS`.
            QueueError: a queue is empty or too long.
            SearchStoppedError: a limit was reached, or there are too many tilings.
        """
    def create_tiling(
        self, board: Board, placements: Sequence[Placement], *, drop: str = "soft"
    ) -> PcTiling:
        """Create the tiling of placements in an order of play.

        Raises:
            BoardError: the board is not 10 wide, or higher than `PC_MAX_TILED_ROWS`.
            PlacementError: one covers a filled cell or leaves these rows, or they are more than
                `PC_MAX_TILES`.
        """
    @property
    def fingerprint(self) -> int:
        """64-bit hash of the rotation system, equal on all machines."""
    def encode_table(self, height: int, sequences: Iterable[Iterable[PieceLike]]) -> bytes:
        """Encode a table of sequences without a perfect clear of a height, 2 or 4.

        Raises:
            QueueError: invalid height, or a sequence of the wrong length.
        """
    def load_table(self, buffer: bytes | mmap.mmap) -> tuple[int, int]:
        """Use a table; the buffer is referenced and must not change.

        Returns: height of the table, and its number of sequences.

        Raises:
            RulesError: invalid table, another version or rotation system, or damaged.
        """
    def time_queues(
        self, queues: Iterable[Iterable[PieceLike]], height: int, repeat: int
    ) -> list[tuple[float, bool]]:
        """Solve queues from the empty field at exactly this height.

        Returns:
            For each queue the shortest of `repeat` times in microseconds, and whether there is a
            perfect clear.
        """

# --- problems with many queues; `sevenbag.pc` is the public interface ---------------------------

class PcQueues:
    """Different queues of one length, in the order of the pieces IOTLJSZ.

    Args:
        automaton: seven numbers for each node, one for each piece: the successor, or -1. Nodes come
            after their successors; node 0 is the end, the last node the start.

    Raises:
        QueueError: queues of different lengths, or more than 10,000,000 queues.
    """

    def __init__(self, automaton: Sequence[int]) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> str:
        """Return the letters of a queue."""
    @property
    def length(self) -> int:
        """Number of pieces of each queue."""

class PcProblem:
    """A field of at most six rows to fill, and the rules.

    Raises:
        BoardError: the field is not 10 wide, is filled above the rows to clear, has more than six
            rows to fill, or its number of empty cells is not a multiple of four.
        RulesError: `drop` is not soft, hard or t-soft.
    """

    def __init__(
        self, board: Board, *, height: int, kicks: Kicks | str, hold: bool, drop: str
    ) -> None: ...
    @property
    def pieces_needed(self) -> int:
        """Number of pieces that fill the field."""
    @property
    def kicks(self) -> Kicks: ...
    @property
    def board(self) -> Board:
        """Copy of the field without its full rows."""
    def find_solvable_queues(
        self, queues: PcQueues, *, milliseconds: float | None = None, stop: StopFlag | None = None
    ) -> bytes | None:
        """Find the queues with a perfect clear; releases the GIL.

        Returns:
            A bit for each queue, the lowest bit first; None if it was stopped.

        Raises:
            QueueError: the queues have the wrong length.
        """

def find_smallest_cover(
    sets: Sequence[bytes], *, milliseconds: float | None = None, stop: StopFlag | None = None
) -> tuple[tuple[int, ...], int]:
    """Find a smallest set of sets that contains all elements.

    Args:
        sets: a bit for each element, all of the same length.
        milliseconds: time limit.
        stop: stops the search; the result is the best so far.

    Returns:
        Sorted indices of the sets, and a proved lower bound of their number.
    """

def find_maximal_sets(sets: Sequence[bytes]) -> list[int]:
    """Return the sorted indices of the sets that are not subsets of others.

    Args:
        sets: a bit for each element, all of the same length. Empty sets are left out; of equal sets
            the first counts.
    """

# --- batches of games and random playouts; `sevenbag.envs` is the public interface ----------------

class GameBatch:
    """Games that are stepped together; NumPy arrays are contiguous, with a row for each agent.

    An agent is a player of a game: agent a belongs to game a // players.

    Raises:
        RulesError: a number out of range, or an array of the wrong size.
    """

    def __init__(
        self,
        rules: KernelRules,
        games: int,
        players: int,
        rows: int,
        separate_spins: bool,
        frames_per_turn: int,
        max_pieces: int,
        weights: dict[str, float],
    ) -> None: ...
    @property
    def action_shape(self) -> tuple[int, int, int, int, int]:
        """Shape of actions: (hold, spin, rotation, y, x)."""
    @property
    def observed_pieces(self) -> int: ...
    def game(self, agent: int) -> Game:
        """Return a copy of the game of an agent."""
    def has_ended(self, game: int) -> bool: ...
    def seed(self, game: int) -> int:
        """Return the seed of a game."""
    def find_move(self, agent: int, action: int) -> tuple[Placement, bool] | None:
        """Return the placement of an action and whether it uses hold; None if it is illegal."""
    def reset(self, game: int, seed: int) -> None: ...
    def observe(
        self, threads: int, boards: object, pieces: object, counters: object, masks: object
    ) -> None: ...
    def reset_ended(self, boards: object, pieces: object, counters: object, masks: object) -> None:
        """Reset games that have ended, and write their observations."""
    def step(
        self,
        actions: object,
        autoreset: bool,
        threads: int,
        boards: object,
        pieces: object,
        counters: object,
        masks: object,
        rewards: object,
        terminated: object,
        truncated: object,
    ) -> None:
        """Play one turn of every game; releases the GIL.

        Raises:
            PlacementError: a game has ended, was not reset, and `autoreset` is False.
        """
    def sample_actions(self, seed: int, actions: object) -> None:
        """Write a random legal action for every agent; 0 if there is none."""

class FallingPiece:
    """A falling piece moved by keys; the game does not change.

    Raises:
        PlacementError: hold has no piece, or the piece cannot spawn.
    """

    def __init__(self, game: Game, hold: bool) -> None: ...
    def copy(self) -> FallingPiece: ...
    @property
    def placement(self) -> Placement:
        """Position, with the spin of the last rotation unless a later move ended it."""
    @property
    def is_resting(self) -> bool: ...
    def press(self, key: Key) -> bool:
        """Press a key and return whether the piece moved; HARD_DROP does not lock."""

def play_random_versus(
    rules: KernelRules,
    seed: int,
    games: int,
    *,
    frames_per_turn: int = 30,
    hold_one_in: int = 8,
    samples: int = 1,
    max_turns: int = 10000,
    threads: int = 1,
) -> dict[str, int]:
    """Play versus games of random players and count events.

    Args:
        rules: rules of both players.
        seed: seed of all games; the result does not depend on the number of threads.
        games: number of games.
        frames_per_turn: as in `Versus`.
        hold_one_in: a player uses hold once in so many turns; 0 is never.
        samples: number of random placements per turn, of which the lowest is played.
        max_turns: maximum number of turns of a game.
        threads: number of threads.

    Returns: games, placements, holds, lines, spins, attack, garbage (rows that entered),
        first_wins, second_wins, draws, unfinished.
    """

# --- files of perfect clears; `sevenbag.formats.pc_file` is public --------------------------------

class PcFault(enum.IntEnum):
    """Fault of a solution in a .pc file."""

    NONE = 0
    NO_PLACEMENT = 1
    OUTSIDE = 2
    OVERLAP = 3
    FLOATING = 4
    UNREACHABLE = 5
    CLEARED_EARLY = 6
    NOT_CLEARED = 7

class PcValidator:
    """Validates records of a .pc file."""

    def __init__(self, systems: list[Kicks | str], allow_early_clear: bool = True) -> None: ...
    def validate(self, data: bytes) -> tuple[int, int, PcFault, int]:
        """Check the complete records, up to the first faulty one.

        Returns: valid records, bytes read (including the faulty record), its fault and placement.
        """

def read_pc_records(
    data: bytes, max_records: int
) -> tuple[list[tuple[list[Piece], int, list[Placement]]], int]:
    """Read complete records (sequence, holds, placements); return them and the bytes used."""

def write_pc_record(sequence: list[Piece], holds: int, placements: list[Placement]) -> bytes:
    """Encode a record.

    Raises: QueueError for a sequence of the wrong length, PlacementError for a placement of another
        piece than in the sequence, or with its centre above row 5.
    """

def skip_pc_records(data: bytes, max_records: int) -> tuple[int, int]:
    """Skip complete records; return their number and their bytes."""

MAX_THREADS: int
"""Maximum number of threads."""

PC_GRAPH_STAGES: int
"""Number of stages of a graph: one for each piece forward, then one for each backward."""

PC_TABLEBASE_STAGES: int
"""Number of stages of a count: those of the graph, three endgames, the sequences."""

class PcProgress:
    """Progress of long work; can be read from any thread."""

    def __init__(self) -> None: ...
    @property
    def stage(self) -> int:
        """0 to PC_TABLEBASE_STAGES - 1; stages may be skipped."""

    @property
    def done(self) -> int:
        """Finished units of this stage."""

    @property
    def total(self) -> int:
        """Units of this stage, at least 1."""

    def stop(self) -> None:
        """Stop the work soon."""

class PcTablebase:
    """All boards between the empty field and its perfect clears of a height."""

    @staticmethod
    def build(
        kicks: Kicks | str, height: int, threads: int, progress: PcProgress
    ) -> PcTablebase | None:
        """Build the tablebase; releases the GIL.

        Args:
            kicks: rotation system.
            height: 2 or 4 rows; 4 take over two gigabytes of memory.
            threads: 1 to `MAX_THREADS`.
            progress: receives the progress.

        Returns:
            The tablebase; None if it was stopped.

        Raises:
            BoardError: invalid height.
            KicksError: unknown rotation system.
            QueueError: invalid number of threads.
            MemoryError: not enough memory.
        """

    def count_solvable(
        self, threads: int, progress: PcProgress
    ) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes] | None:
        """Count the queues with a perfect clear; releases the GIL.

        Returns:
            Possible and total queues: from the start of a bag with nothing held, from anywhere
            with nothing held, from anywhere with any held piece or none; and the unsolvable
            sequences, sorted, one per line. None if it was stopped.

        Raises:
            QueueError: not 1 to `MAX_THREADS` threads.
            MemoryError: not enough memory.
        """

    def find_unsolvable(self, block: int) -> bytes:
        """Return the sequences of a block without a perfect clear, for `compute_pc_odds`.

        Can be called from any thread; releases the GIL.

        Raises:
            QueueError: unknown block.
            MemoryError: not enough memory.
        """

    def encode_records(self, block: int) -> bytes:
        """Return records of .pc files for the sequences of a block, in order.

        Can be called from any thread; releases the GIL.

        Raises:
            QueueError: unknown block.
            MemoryError: not enough memory.
        """

def compute_pc_odds(
    unsolvable: bytes, letters: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes]:
    """Count as `PcTablebase.count_solvable`, given the sequences without a perfect clear.

    Args:
        unsolvable: joined results of `PcTablebase.find_unsolvable`, in any order.
        letters: length of a sequence, 4 to 24.

    Raises:
        QueueError: invalid or equal sequences.
    """

def count_block_sequences(letters: int) -> list[int]:
    """Return the number of sequences of each block.

    A block has the sequences with the same first four letters.
    """

def count_pc_sequences(length: int, phases: int = 0b1111111) -> int:
    """Count the sequences of a length, of windows in given phases of the bag.

    Bit f of `phases` stands for windows that start after f pieces of a bag.

    Raises:
        QueueError: the length is not 0 to 24.
    """

def find_pc_sequence_index(sequence: Sequence[Piece]) -> int:
    """Return the index of a sequence in the list of its length, from 0.

    Raises:
        QueueError: invalid sequence.
    """

def list_pc_sequences(length: int, first: int, count: int) -> list[list[Piece]]:
    """Return `count` sequences, from the index `first`; at most 65,536.

    Raises:
        QueueError: the index is out of range, or `count` is too large.
    """
