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
    """Which placements count as spins (docs/coordinates.md has the rules)."""

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
    """A mode, and in what else games differ; a mode alone stands for one with the defaults.

    Args:
        mode: which placements count as spins.
        full_kicks: kicks that make a T-spin full. ``downward``: two rows down and one column
            across, in a quarter turn into east or west (guideline, TETR.IO). ``fifth``: the fifth
            test of any turn (Cold Clear). ``none`` (Jstris).
        on_shift: what a sideways shift does to a spin: it ``ends`` (guideline, TETR.IO); ``keeps``
            what it was (Triangle.js played frame by frame); ``rejudges``: corners are read where
            the piece locks, if it has turned and not fallen since (Jstris).
        hold_keeps_spin: whether a piece from hold keeps the spin of the held piece until it falls
            (Triangle.js). Used by games only.
        top_filled: whether corners above the board's top row count as filled (TETR.IO).

    Raises:
        RulesError: an argument is none of these; the message lists them.
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
    """The mode of a name such as ``T-spins+``, in any case.

    Raises:
        RulesError: the name is not known; the message lists those that are.
    """

def spin_mode_name(mode: SpinsLike) -> str:
    """The mode's name as the field's protocols spell it."""

MAX_KICKS: int
"""Kicks that a turn can try after turning in place."""

MAX_KICK_DISTANCE: int
"""How far a kick can reach, in columns and in rows."""

MAX_CELL_DISTANCE: int
"""How far a piece's cells can lie from its origin, in columns and in rows."""

class Kicks:
    """A rotation system: which tests a rotation tries, in order, and where a piece lies.

    A piece lies around its origin, which stays where it is as a piece turns in place. In most
    systems it is a corner of SRS's box; what appears at the spawn is then the centre.

    Systems are equal if they turn all pieces alike, whatever their names.

    Args:
        name: one of `Kicks.names()`, in any case, or an alias of the field such as ``srsPlus``;
            ``... without 180`` leaves out half turns.
        half_turns: False leaves out half turns.

    Raises:
        KicksError: the name is not known; the message lists those that are.
    """

    def __init__(self, name: str, *, half_turns: bool = True) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def is_builtin(self) -> bool:
        """Whether `Kicks(name)` is this system."""
    @staticmethod
    def names() -> list[str]: ...
    @staticmethod
    def from_file(path: str | os.PathLike[str]) -> Kicks:
        """A system of one's own, from a TOML file (docs/kicks.md).

        Raises:
            KicksError: the file cannot be read, or does not describe a system; the message names
                the line and what would be right.
        """
    @staticmethod
    def from_text(text: str, name: str = "own") -> Kicks:
        """A system of one's own, from the text of such a file."""
    @staticmethod
    def from_turns(
        name: str,
        turns: Mapping[tuple[Piece, Rotation, Rotation], Sequence[tuple[int, int]]],
        spawns: Mapping[Piece, Rotation] = ...,
        shapes: Mapping[Piece, Sequence[Sequence[tuple[int, int]]]] = ...,
    ) -> Kicks:
        """A system from all tests of each turn, as `turns` gives them; others do not exist.

        Args:
            name: what to call it: 1 to 64 printable characters, not the name of another system.
            turns: by piece, the rotation before and the one after: at most `MAX_KICKS` + 1
                displacements of the piece's origin, within `MAX_KICK_DISTANCE`; (0, 0) is a turn
                in place.
            spawns: pieces that do not appear pointing north.
            shapes: pieces that differ from SRS: for each rotation its four cells
                (x, y) from the origin, y up, within `MAX_CELL_DISTANCE`. Two lists alternate, one
                is for all rotations. The cells are those of the piece in that rotation, anywhere.

        Raises:
            KicksError: there are too many tests, one is too far, a shape is not the piece's, or the
                name is not free.
        """
    def without_half_turns(self) -> Kicks:
        """The same system, called ``... without 180``; itself if it has no half turns."""
    def tests(
        self, piece: PieceLike, start: Rotation, end: Rotation
    ) -> list[tuple[int, int]] | None:
        """Displacements of the centre, in the order tried; None if there is no such rotation."""
    def turns(self) -> dict[tuple[Piece, Rotation, Rotation], list[tuple[int, int]]]:
        """All tests of all turns there are, as displacements of the piece's origin."""
    def shapes(self, piece: PieceLike) -> list[list[tuple[int, int]]]:
        """The cells of each rotation from the piece's origin, sorted by y, then x."""
    def has_custom_shapes(self, piece: PieceLike) -> bool:
        """Whether the piece lies otherwise than in SRS's box."""
    def spawn_at(self, piece: PieceLike, x: int, y: int) -> Placement:
        """The piece as it appears with its origin at (x, y)."""
    def spawn_rotation(self, piece: PieceLike) -> Rotation:
        """The way a piece points as it appears."""
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
        """Create a board from rows, from the bottom up.

        ``.``, ``_``, ``0`` and spaces are empty cells; ``#``, ``X``, ``1``, ``G`` (garbage), ``B``
        (bomb) and the letters of pieces, in either case, are filled cells.

        Raises:
            BoardError: invalid cell, rows of different widths, or too many rows.
        """
    @staticmethod
    def from_text(text: str, *, height: int = 40) -> Board:
        """Create a board from lines, from the top down, with the letters of `from_rows`.

        Blank lines before and after the drawing are no rows, and blanks that all lines begin with
        are indentation; all others are empty cells.

        Raises:
            BoardError: invalid cell, lines of different widths, or too many lines.
        """
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
    def cell_count(self) -> int:
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
        spins: SpinsLike = SpinMode.NONE,
        spawn: tuple[int, int] = (4, 19),
    ) -> Placements:
        """All placements reachable from the spawn by shifts, single-row drops and rotations."""
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
        """The fewest keys that lead to a placement, HARD_DROP last; None if none do.

        Args:
            placement: to its cells, and with its spin where `spins` tells spins apart.
            kicks: the rotation system.
            spins: which placements count as spins.
            spawn: where the piece appears.
            keys: those that there are; None: all but those of DAS.
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
        """Where a piece comes to lie, with its spin, that is let fall after these presses.

        A press that moves nothing is passed over. None if the piece cannot appear.
        """
    def rotate(
        self,
        placement: Placement,
        to: Rotation,
        kicks: Kicks | str = "srs",
        *,
        spins: SpinsLike = SpinMode.NONE,
    ) -> tuple[Placement, int] | None:
        """Turn a piece, resting or in mid-air, and judge the spin at once.

        Returns: where it comes to be, with its spin, and which of the system's tests led there
            (the first is 0); None if there is no such turn or nothing fits.
        Raises: PlacementError if the placement itself does not fit.
        """
    def lock(self, placement: Placement) -> int:
        """Fill the placement's cells and remove full rows.

        Returns: the number of rows removed.
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
        """A self-contained SVG picture; see `sevenbag.drawing.draw_board`."""
    def _repr_svg_(self) -> str:
        """What notebooks show."""
    def add_garbage(self, hole: int, count: int = 1) -> None:
        """Push `count` full rows with one empty column in from below; the top is cut."""
    def copy(self) -> Board: ...
    def __copy__(self) -> Board: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__ = None  # type: ignore[assignment]  # it changes
    def __str__(self) -> str:
        """Rows from the top of the stack down, ``#`` and ``.``; ends with the bottom row."""

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
    """Number of ways to place the first `depth` pieces of `queue`, one after another, no hold.

    Other threads of Python run meanwhile, and Ctrl-C ends it.

    Args:
        queue: pieces or their letters.
        depth: 0 to 64; all of them by default.
        kicks: the rotation system.
        board: where to begin; 10 x 40 and empty by default.
        spins: placements that differ in spin count apart.
        spawn: where a piece's origin appears.
        threads: 1 to 256, or as many as the machine has to give.
    """

def instruction_set() -> str:
    """The instruction set the kernel chose on this machine: base, x86-64-v3 or avx512.

    Raises:
        InputError: the environment's SEVENBAG_INSTRUCTION_SET names one that this kernel or
            machine does not have.
    """

# --- games; `sevenbag.game` is the face to use --------------------------------------------------

class KernelRules:
    """Rules as the kernel takes them, from `sevenbag.game.Rules.to_dict`."""

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
        """What a clear sends; the counters are those before it."""
    def compute_raw_lines(
        self, piece: PieceLike, spin: Spin, lines: int, combo: int, back_to_back: int
    ) -> float:
        """Lines of a clear before multiplier and rounding; the counters are those after it."""
    def apply_lock(
        self,
        board: Board,
        colors: Sequence[str] | None,
        placement: Placement,
        combo: int,
        back_to_back: int,
    ) -> tuple[Board, tuple[str, ...] | None, int, int]:
        """Board, colours, combo and back-to-back after a lock; garbage is not part of it.

        Raises: PlacementError if the placement does not fit.
        """
    def placements(
        self, board: Board, piece: PieceLike, cleared: bool, spins: bool = True
    ) -> list[Placement]:
        """All placements of a piece that has appeared; none if it cannot.

        Args:
            board: its rows that are not solid are in nobody's way.
            piece: the piece.
            cleared: whether the lock before cleared rows.
            spins: whether to judge spins, and to list two that differ in nothing else.
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
        """As `Board.find_path`, from where the piece appears under these rules, or from `start`.

        Raises:
            PlacementError: start is another piece than the placement.
        """
    def apply_keys(
        self, board: Board, piece: PieceLike, keys: Sequence[Key], cleared: bool
    ) -> Placement | None:
        """As `Board.apply_keys`, from where the piece appears under these rules."""

class GarbageQueue:
    """Incoming attacks on their way, and the holes of the rows that enter.

    There is no clock: frames are told. Senders and numbers are any integers.

    Raises:
        RulesError: a number out of its range.
    """

    def __init__(self, rules: KernelRules, seed: int) -> None: ...
    def receive(self, lines: int, frame: int, hole: int = -1) -> None:
        """An attack sets out; `hole` is the column that comes with it, or -1."""
    def announce(self, sender: int, number: int, lines: int, hole: int = -1) -> None:
        """An attack is made known; it can be cancelled, but does not travel yet."""
    def confirm(self, sender: int, number: int, frame: int) -> int:
        """An announced attack sets out. Returns the lines that are left of it."""
    def cancel(self, attacks: Sequence[int], piece_number: int) -> tuple[tuple[int, ...], int]:
        """What is left of the attacks of a clearing lock, and how many lines they cancelled.

        Pieces are numbered from 1.
        """
    def enter(self, frame: int, cap: int, hard_drop: bool = True) -> tuple[tuple[int, ...], ...]:
        """Open columns of the rows that enter at a lock, by rows, in order; at most `cap`.

        A piece that locks by time (`hard_drop` False) lets in what arrived a frame earlier.
        """
    @property
    def pending(self) -> tuple[int, ...]:
        """Lines of the batches that wait."""

class InFlightAttacks:
    """One player's attacks under way to others, against which theirs cancel out.

    Raises:
        RulesError: a number out of its range.
    """

    def __init__(self) -> None: ...
    def send(self, player: int, lines: int) -> int:
        """An attack leaves for a player. Returns its number: 1, 2, 3 and so on."""
    def receive(self, player: int, number: int, lines: int, acknowledged: int) -> int:
        """Lines left of a player's attack, who had then received ours up to `acknowledged`."""
    def last_received(self, player: int) -> int:
        """The number of the last attack that has come from a player; 0 for none."""
    def lines_in_flight(self, player: int) -> int:
        """Lines on their way to a player, as far as it is known here."""

class LockResult:
    """What happened when a piece locked."""

    @property
    def placement(self) -> Placement:
        """The placement, with the spin that the rules saw in it."""
    @property
    def from_hold(self) -> bool:
        """Whether the piece came out of the hold slot."""
    @property
    def lines(self) -> int:
        """Rows cleared."""
    @property
    def rows(self) -> tuple[int, ...]:
        """Which rows were cleared, lowest first, as they lay before anything moved."""
    @property
    def garbage_lines(self) -> int:
        """Cleared rows that held garbage."""
    @property
    def spin(self) -> Spin:
        """The spin, with lines or without."""
    @property
    def is_difficult(self) -> bool:
        """Whether the clear counts for back-to-back: with a spin, or of four rows."""
    @property
    def perfect_clear(self) -> bool:
        """Whether the clear left the board empty."""
    @property
    def attacks(self) -> tuple[int, ...]:
        """Attacks made, in lines, before cancelling; in the order they are sent."""
    @property
    def attack(self) -> int:
        """Sum of `attacks`."""
    @property
    def surge(self) -> int:
        """Lines among them that a broken back-to-back charge released."""
    @property
    def cancelled(self) -> int:
        """Lines of waiting garbage that the attacks removed."""
    @property
    def sent(self) -> tuple[int, ...]:
        """What was left of the attacks."""
    @property
    def garbage(self) -> tuple[int, ...]:
        """Hole columns of the garbage rows that entered, in order; the last is the bottom row.

        The first of them, where a row has several.
        """
    @property
    def garbage_holes(self) -> tuple[tuple[int, ...], ...]:
        """All columns of these rows that are not garbage, by rows."""
    @property
    def combo(self) -> int:
        """Clearing placements in a row, this one included; 0 if it cleared nothing."""
    @property
    def back_to_back(self) -> int:
        """Difficult clears in a row after this lock."""
    @property
    def new_pieces(self) -> tuple[Piece, ...]:
        """Pieces that came into sight at the end of the queue: none to two."""
    @property
    def top_out(self) -> str | None:
        """``block out``, ``lock out`` or ``garbage out``; None if the game goes on."""
    @property
    def frame(self) -> int:
        """When it happened."""

class Stats:
    """What a player has done in a game."""

    @property
    def pieces(self) -> int:
        """Pieces placed."""
    @property
    def holds(self) -> int:
        """Uses of hold."""
    @property
    def lines(self) -> int:
        """Rows cleared."""
    @property
    def attack(self) -> int:
        """Lines of attack made, before cancelling."""
    @property
    def cancelled(self) -> int:
        """Lines of waiting garbage removed by attack."""
    @property
    def sent(self) -> int:
        """Lines of attack left after cancelling."""
    @property
    def received(self) -> int:
        """Lines of attack announced by the other side."""
    @property
    def garbage_entered(self) -> int:
        """Rows of garbage that came onto the board."""
    @property
    def garbage_cleared(self) -> int:
        """Cleared rows that held garbage."""
    @property
    def spins(self) -> int:
        """Locks with a spin, with lines or without."""
    @property
    def perfect_clears(self) -> int:
        """Clears that left the board empty."""
    @property
    def max_combo(self) -> int:
        """The longest run of clearing placements."""
    @property
    def max_back_to_back(self) -> int:
        """The longest chain of difficult clears."""
    @property
    def clears(self) -> dict[str, int]:
        """How often each kind of clear was made: ``single``, ``mini double``, ``spin triple``.

        More than four rows are ``five or more``.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Button(enum.IntEnum):
    """A key of a player who plays in real time; NONE does nothing, and counts as a key."""

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
    """How a player's keyboard acts. Times are frames, and may be fractions of one.

    Args:
        das: a held key repeats after this long.
        arr: and then once in so long; 0 is at once to the wall, otherwise 0.001 at least.
        dcd: repeats wait so long after a piece has appeared or turned at a wall.
        soft_drop: times the gravity; 41 and more falls to the floor within a frame.
        safe_lock: no hard drop for 7 frames after a piece has locked by time.
        cancel: releasing one side discharges the other.
        may_20g: sliding pieces stick to the floor where a soft drop is quick enough.
        initial_rotation: ``off``, ``hold`` (a held key turns the next piece as it appears) or
            ``tap``, which means nothing without entry delays.
        initial_hold: the same of the hold key.

    Raises:
        RulesError: a value is out of its range.
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
    """The rules of time.

    Args:
        gravity: rows a frame.
        gravity_growth: what it grows by in a second.
        gravity_margin: frames before it begins to.
        gravity_may_20g: more than the board's height a frame is at once.
        lock_time: frames a piece may stand still.
        lock_resets: moves that begin that time anew.
        infinite_movement: any number of them.
        infinite_hold: hold as often as one likes.
        hard_drop: whether there is one.
        sends_attacks: whether there is anybody to attack.
        cancels_in_flight: attacks that cross on the way cancel out.
        rounded_heights: heights are rounded to millionths, as since version 19 of TETR.IO.

    Raises:
        RulesError: a value is out of its range.
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
    """What TETR.IO counts besides."""

    @property
    def inputs(self) -> int:
        """Keys pressed, but for hard drops that were swallowed."""
    @property
    def points(self) -> int:
        """The score."""
    @property
    def max_spike(self) -> int:
        """Most lines sent within a second of each other."""
    @property
    def sent_unmultiplied(self) -> float:
        """Sum of ``floor(lines / multiplier)`` of all attacks, by the multiplier at each lock."""
    @property
    def max_spike_unmultiplied(self) -> float:
        """Largest spike in the lines of `sent_unmultiplied`."""
    @property
    def combo_power(self) -> int:
        """Lines of the largest clear of the combo that is on, 7 at most."""
    @property
    def spins_without_lines(self) -> tuple[int, int]:
        """Mini and full spins that cleared nothing."""

def back_to_back_power(back_to_back: int) -> int:
    """Lines that a chain of difficult clears is worth."""

class FrameGame:
    """A game played frame by frame; `sevenbag.game.frame_game` has the face of it."""

    def __init__(
        self, rules: KernelRules, frame_rules: FrameRules, handling: Handling, seed: int
    ) -> None: ...
    def press(self, button: Button, subframe: float = 0.0, hoisted: bool = False) -> None:
        """A key goes down at a moment of this frame, from 0 to 1.

        Args:
            button: the key.
            subframe: when; an earlier one than was told before is as that one.
            hoisted: it was down already when the game began.

        Raises:
            InputError: no such moment.
        """
    def release(self, button: Button, subframe: float = 0.0) -> None:
        """A key goes up."""
    def set_targets(self, players: Sequence[int]) -> None:
        """Whom this player attacks from now on, by numbers that the caller chooses."""
    def announce(
        self, sender: int, number: int, lines: int, acknowledged: int, hole: int = -1
    ) -> None:
        """An attack is on its way here.

        Args:
            sender: whose.
            number: of those that player sent here, from 1.
            lines: as it was sent.
            acknowledged: the number of the last attack of ours that had reached the sender.
            hole: the column that comes with it, or -1.

        Raises:
            RulesError: a number out of its range.
        """
    def confirm(self, sender: int, number: int) -> None:
        """An announced attack sets out in this frame."""
    def advance_to(self, subframe: float) -> None:
        """Time passes up to a moment of this frame."""
    def end_frame(self) -> None:
        """The rest of the frame passes."""
    @overload
    def run_script(self, script: list[float], frames: int, record: Literal[False] = False) -> None:
        """Play what is known beforehand; `sevenbag.game.frame_game.FrameGame.play` says how."""
    @overload
    def run_script(
        self, script: list[float], frames: int, record: Literal[True]
    ) -> list[tuple[LockResult, tuple[str, ...], Piece, Piece | None]]: ...
    def take_sent_attacks(self) -> tuple[tuple[int, int, int, int, int, int], ...]:
        """Attacks since this was asked last (see `sevenbag.game.frame_game.Sent`)."""
    @property
    def board(self) -> Board: ...
    @property
    def colors(self) -> tuple[str, ...]:
        """Rows from the bottom, a letter a cell."""
    @property
    def piece(self) -> Placement:
        """The piece in the air, as it would lock where it is."""
    @property
    def is_hard_drop_blocked(self) -> bool:
        """Whether a hard drop would be swallowed now."""
    @property
    def handling(self) -> Handling: ...
    @property
    def height(self) -> float:
        """The top row of its box, with the fraction that gravity wears down."""
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
        """The same as `game_over_reason`, as `Game` tells it."""
    @property
    def combo(self) -> int: ...
    @property
    def back_to_back(self) -> int: ...
    @property
    def pending(self) -> tuple[int, ...]:
        """Lines of the attacks that wait."""
    @property
    def stats(self) -> FrameStats: ...
    @property
    def last_lock(self) -> LockResult: ...
    @property
    def frame(self) -> int:
        """Frames that have ended."""
    @property
    def subframe(self) -> float:
        """How much of the frame that goes on has passed."""
    @property
    def duration(self) -> float:
        """How long it has lasted, in frames, up to the last key or until the player was out."""
    @property
    def game_over_reason(self) -> str | None:
        """Why the player is out: ``topout``, ``garbagesmash``; None while it is not."""

class Game:
    """The kernel's part of `sevenbag.game.Game`."""

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
        """Play a lock of a recorded game: the way to it is not looked for, its spin is believed."""
    def receive(self, lines: int, frame: int) -> None: ...
    def set_attackers(self, attackers: int) -> None: ...

class Versus:
    """The kernel's part of `sevenbag.game.Versus`."""

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
        self,
        first: Placement,
        second: Placement,
        first_hold: bool | None,
        second_hold: bool | None,
    ) -> tuple[LockResult, LockResult]: ...

# --- search; `sevenbag.bots.builtin.beam_bot` is the public interface ---------------------------

class StopFlag:
    """Ends a search before its time."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """From any thread; there is no way back."""
    @property
    def is_set(self) -> bool: ...

class SearchResult:
    """What a search found."""

    @property
    def moves(self) -> list[Placement]:
        """Every legal placement of the current piece and of what hold offers, best first."""
    @property
    def scores(self) -> list[int]:
        """Of the best line that begins with each move; of two lines the longer counts first."""
    @property
    def nodes(self) -> int:
        """Boards judged."""
    @property
    def depth(self) -> int:
        """Pieces of the best line, the last of them a guess; 0 if every move loses."""

class BeamSearch:
    """A beam search over the known pieces, with hold; one run at a time, others wait."""

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
        """Search. Other threads run meanwhile.

        Args:
            board: of the size of the rules.
            queue: the first is the current piece; the first 16 are looked at.
            hold: the held piece.
            combo: clearing placements in a row so far, at most 1,000,000.
            back_to_back: difficult clears in a row, at most 1,000,000.
            pending: lines of garbage that wait, at most 1,000,000.
            bag: what the piece after the queue is drawn from; empty where that is not known.
            nodes: maximum number of boards to evaluate, at least 1. All placements of the first
                piece are evaluated even beyond it. With no limits other than this and `width`, the
                result is the same on every machine.
            milliseconds: time to use, above 0.
            width: boards expanded for each piece, 1 to 32,768.
            stop: ends it at once, with what has been found.

        Raises:
            BoardError: the board's size is not that of the rules.
            QueueError: the queue is empty.
            RulesError: a counter or a limit out of its range.
        """

# --- perfect clears; `sevenbag.pc` is the face to use ---------------------------------------------

PC_MAX_HEIGHT: int
"""Rows of the highest perfect clear that is searched for."""

class SolveStatus(enum.IntEnum):
    """What a search for a perfect clear came to."""

    FOUND = 0
    NONE = 1
    """Proved: no height for which there are pieces has one."""
    ODD_CELLS = 2
    """An odd number of cells is empty in every height."""
    TOO_FEW_PIECES = 3
    """Too few pieces for the lowest height."""
    CANNOT_SAVE = 4
    """The piece to save is not among those that can be left over."""
    STOPPED = 5
    """Nothing is known."""

class PcSolveResult:
    """What a search for a perfect clear found."""

    @property
    def status(self) -> SolveStatus: ...
    @property
    def height(self) -> int:
        """Rows of the perfect clear; if there is none, of the last one searched for."""
    @property
    def placements(self) -> tuple[Placement, ...]: ...
    @property
    def holds(self) -> tuple[bool, ...]:
        """Whether hold is pressed before each placement."""
    @property
    def nodes(self) -> int:
        """Positions looked at, or some hundred fewer."""

class PcTiling:
    """Tiles on a field: which cells belong to which piece, whatever the order of play."""

    @property
    def tiles(self) -> tuple[tuple[Piece, tuple[tuple[int, int], ...]], ...]:
        """Pieces and their (x, y), in rows of the field as it is at the start."""
    @property
    def queues(self) -> int | None:
        """Bit i is set if queue i of those asked about can play them; None if none were."""
    def find_playable_queues(
        self,
        queues: Iterable[Iterable[PieceLike]],
        hold: PieceLike | None,
        *,
        use_hold: bool = True,
    ) -> int:
        """Bit i is set if queue i can play all tiles.

        Raises:
            QueueError: there is no queue.
        """
    def find_order(
        self, queue: Iterable[PieceLike], hold: PieceLike | None, *, use_hold: bool = True
    ) -> tuple[tuple[Placement, ...], tuple[bool, ...]] | None:
        """Placements in an order for the queue, and before which of them hold is pressed."""

PC_MAX_TILES: int
"""Tiles of a `PcTiling` at most."""

PC_MAX_TILED_ROWS: int
"""Rows of a field that can be tiled at most."""

PC_ACTIVATIONS: tuple[str, ...]
"""What nodes of a network can make of their sums."""
PC_MAX_GENES: int
"""Genes of a network, at most."""

class PcNetwork:
    """A network that rates boards by their features; see `sevenbag.pc.network`."""

    def __init__(self, hidden: str, output: str, genes: Sequence[tuple[int, int, float]]) -> None:
        """Made of activations and (input, output, weight).

        Raises:
            InputError: there is no such activation, or an edge that cannot be.
        """
    def score_boards(self, features: Sequence[Sequence[float]]) -> list[float]:
        """Of boards one after another; each has nine features."""

def compute_pc_features(board: Board, height: int) -> tuple[float, ...]:
    """The nine features of a board that is to be filled up to this height.

    Raises:
        BoardError: the board is not 10 wide, or higher.
    """

class PcSolver:
    """Searches for perfect clears; one search at a time, others wait."""

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
        """Search, as `sevenbag.pc.solve` says. Other threads run meanwhile.

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
        """What `solve` comes to for each queue; STOPPED for those that were not reached."""
    def set_network(self, network: PcNetwork | None) -> None:
        """Let searches in the order of play try first what the network rates highest."""
    def measure_effort(
        self, queues: Iterable[Iterable[PieceLike]], height: int
    ) -> list[tuple[int, bool]]:
        """For each queue, from the empty field: how many positions the search looks at that tries
        few placements of each, which is all that an order can change; and whether it succeeds.

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
        """Every tiling of exactly this height that any of the queues can play.

        Raises:
            BoardError: the board is not 10 wide, or higher than `height` or `PC_MAX_TILED_ROWS`.
            QueueError: a queue is empty or too long.
            SearchStoppedError: a limit was reached, or there are too many ways.
        """
    def create_tiling(
        self, board: Board, placements: Sequence[Placement], *, drop: str = "soft"
    ) -> PcTiling:
        """The tiles of placements, given in an order of play.

        Raises:
            BoardError: the board is not 10 wide, or higher than `PC_MAX_TILED_ROWS`.
            PlacementError: one covers a filled cell or leaves these rows, or they are more than
                `PC_MAX_TILES`.
        """
    @property
    def fingerprint(self) -> int:
        """64 bits; the same for systems that move pieces alike, everywhere."""
    def encode_table(self, height: int, sequences: Iterable[Iterable[PieceLike]]) -> bytes:
        """A table of sequences that have no perfect clear of this height, 2 or 4.

        Raises:
            QueueError: the height is another one, or a sequence has not the right length.
        """
    def load_table(self, buffer: bytes | mmap.mmap) -> tuple[int, int]:
        """Believe a table from now on; the buffer is kept, and must not change.

        Returns: the height it is for, and how many sequences it holds.

        Raises:
            RulesError: it is no table, of another version or rotation system, or damaged.
        """
    def time_queues(
        self, queues: Iterable[Iterable[PieceLike]], height: int, repeat: int
    ) -> list[tuple[float, bool]]:
        """Solve queues from the empty field at exactly this height.

        Returns:
            For each the shortest of `repeat` times, in microseconds, and whether there is a
            perfect clear.
        """

# --- questions about many queues; `sevenbag.pc` is the face to use --------------------------------

class PcQueues:
    """Different queues of one length, in the order of the pieces IOTLJSZ.

    Args:
        automaton: seven numbers a node, a piece each: the node it leads to, or -1. Nodes come after
            those that they lead to; node 0 is the end, the last node the beginning.

    Raises:
        QueueError: there are other lengths, or more than 10,000,000 queues.
    """

    def __init__(self, automaton: Sequence[int]) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> str:
        """The letters of a queue."""
    @property
    def length(self) -> int:
        """Pieces of each."""

class PcProblem:
    """A field of at most six rows that is to be filled, and the rules for it.

    Raises:
        BoardError: the field is not 10 wide, is filled above the rows to clear, has more than six
            rows to fill, or a number of empty cells that no pieces fill.
        RulesError: `drop` is none of soft, hard, t-soft.
    """

    def __init__(
        self, board: Board, *, height: int, kicks: Kicks | str, hold: bool, drop: str
    ) -> None: ...
    @property
    def pieces_needed(self) -> int:
        """Pieces that fill the field."""
    @property
    def kicks(self) -> Kicks: ...
    @property
    def board(self) -> Board:
        """The field without its full rows; a copy."""
    def find_solvable_queues(
        self,
        queues: PcQueues,
        *,
        milliseconds: float | None = None,
        stop: StopFlag | None = None,
    ) -> bytes | None:
        """Which queues have a perfect clear; other threads run meanwhile.

        Returns:
            A bit for each queue, the lowest bit first; None if it was stopped.

        Raises:
            QueueError: the queues are not as long as can be placed.
        """

def find_smallest_cover(
    sets: Sequence[bytes], *, milliseconds: float | None = None, stop: StopFlag | None = None
) -> tuple[tuple[int, ...], int]:
    """The fewest sets that have all elements of all sets between them.

    Args:
        sets: a bit for each element, all of the same length.
        milliseconds: time to use.
        stop: ends the search, with the best that is known.

    Returns:
        The numbers of the sets, rising, and a number below which there is no cover: if that is how
        many there are, it is proved that there are none with fewer.
    """

def find_maximal_sets(sets: Sequence[bytes]) -> list[int]:
    """The sets that are part of no other one, by number, rising; of equal ones the first.

    Args:
        sets: a bit for each element, all of the same length. Empty ones are left out.
    """

# --- batches of games and random playouts; `sevenbag.envs` is the face to use ---------------------

class GameBatch:
    """Games stepped together; arrays are NumPy's, contiguous, a row for each seat.

    A seat is a player of a game: seat s belongs to game s // players.

    Raises:
        RulesError: a number out of its range, or an array of a wrong size.
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
        """Sizes of (hold, spin, rotation, y, x)."""
    @property
    def observed_pieces(self) -> int: ...
    def game(self, agent: int) -> Game:
        """A copy of a seat's game."""
    def has_ended(self, game: int) -> bool: ...
    def seed(self, game: int) -> int:
        """What the game was begun with."""
    def find_move(self, agent: int, action: int) -> tuple[Placement, bool] | None:
        """What an action plays now, and whether by hold; None if it cannot be played."""
    def reset(self, game: int, seed: int) -> None: ...
    def observe(
        self, threads: int, boards: object, pieces: object, counters: object, masks: object
    ) -> None: ...
    def reset_ended(self, boards: object, pieces: object, counters: object, masks: object) -> None:
        """Begin the next game where one has ended, and write what is seen of it."""
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
        """One turn of every game; other threads of Python run meanwhile.

        Raises:
            PlacementError: a game has ended, was not reset, and `autoreset` is False.
        """
    def sample_actions(self, seed: int, actions: object) -> None:
        """For every seat an action that can be played, all equally likely; 0 where none can."""

class FallingPiece:
    """A piece in the air, moved by keys; the game itself does not change.

    Raises:
        PlacementError: hold offers no piece, or the piece cannot appear.
    """

    def __init__(self, game: Game, hold: bool) -> None: ...
    def copy(self) -> FallingPiece: ...
    @property
    def placement(self) -> Placement:
        """Where it is, with the spin of its last rotation if nothing has taken it back."""
    @property
    def is_resting(self) -> bool: ...
    def press(self, key: Key) -> bool:
        """Whether the key has moved it; HARD_DROP falls, but does not lock."""

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
    """Whole versus games of random players, and what happened in them.

    Args:
        rules: for both.
        seed: decides everything; the number of threads does not.
        games: how many.
        frames_per_turn: as in `Versus`.
        hold_one_in: how seldom a player uses hold; 0 is never.
        samples: of so many placements, drawn evenly, the lowest is played.
        max_turns: turns after which a game is given up.
        threads: threads that share the games.

    Returns: games, placements, holds, lines, spins, attack, garbage (rows that entered),
        first_wins, second_wins, draws, unfinished.
    """

# --- files of perfect clears; `sevenbag.formats.pc_file` is the face to use ----------------------

class PcFault(enum.IntEnum):
    """What is wrong with a solution of a .pc file."""

    NONE = 0
    NO_PLACEMENT = 1
    OUTSIDE = 2
    OVERLAP = 3
    FLOATING = 4
    UNREACHABLE = 5
    CLEARED_EARLY = 6
    NOT_CLEARED = 7

class PcValidator:
    """Holds records of a .pc file to the rules."""

    def __init__(self, systems: list[Kicks | str], allow_early_clear: bool = True) -> None: ...
    def validate(self, data: bytes) -> tuple[int, int, PcFault, int]:
        """Check the records that are there in full, up to the first faulty one.

        Returns: good records, bytes gone through (with the faulty one), its fault and placement.
        """

def read_pc_records(
    data: bytes, max_records: int
) -> tuple[list[tuple[list[Piece], int, list[Placement]]], int]:
    """At most so many records that are there in full: sequence, holds, placements; bytes used."""

def write_pc_record(sequence: list[Piece], holds: int, placements: list[Placement]) -> bytes:
    """A record.

    Raises: QueueError for a sequence of wrong length, PlacementError for a placement that is not
        of the piece the sequence has there, or whose centre is above row 5.
    """

def skip_pc_records(data: bytes, max_records: int) -> tuple[int, int]:
    """Go through at most so many records that are there in full; records and bytes."""

MAX_THREADS: int
"""Threads of the kernel's long work at most."""

PC_GRAPH_STAGES: int
"""Stages of the making of a graph: one for each piece forward, then one for each backward."""

PC_TABLEBASE_STAGES: int
"""Stages of all that is counted: the graph's, three of endings, the sequences."""

class PcProgress:
    """How far long work is; read from any thread while it runs."""

    def __init__(self) -> None: ...
    @property
    def stage(self) -> int:
        """0 to PC_TABLEBASE_STAGES - 1; stages may be skipped."""

    @property
    def done(self) -> int:
        """Of this stage's `total`."""

    @property
    def total(self) -> int:
        """At least 1."""

    def stop(self) -> None:
        """End the work soon."""

class PcTablebase:
    """All boards between the empty field and its perfect clears of a height."""

    @staticmethod
    def build(
        kicks: Kicks | str, height: int, threads: int, progress: PcProgress
    ) -> PcTablebase | None:
        """Look at all boards. Other threads of Python run meanwhile.

        Args:
            kicks: rotation system.
            height: 2 or 4 lines; 4 take over two gigabytes of memory.
            threads: 1 to `MAX_THREADS`.
            progress: says how far it is.

        Returns:
            The census; None if it was stopped.

        Raises:
            BoardError: another height.
            KicksError: there is no such system.
            QueueError: another number of threads.
            MemoryError: there is not enough.
        """

    def count_solvable(
        self, threads: int, progress: PcProgress
    ) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes] | None:
        """Count the queues with a perfect clear. Other threads of Python run meanwhile.

        Returns:
            Possible and total queues: from the start of a bag with nothing held, from anywhere
            with nothing held, from anywhere with any held piece or none; and the impossible
            sequences, sorted, one a line. None if it was stopped.

        Raises:
            QueueError: not 1 to `MAX_THREADS` threads.
            MemoryError: there is not enough.
        """

    def find_unsolvable(self, block: int) -> bytes:
        """The sequences of a block without a perfect clear, as `compute_pc_odds` takes them.

        Any number of threads may ask for blocks; other threads run meanwhile.

        Raises:
            QueueError: there is no such block.
            MemoryError: there is not enough.
        """

    def encode_records(self, block: int) -> bytes:
        """Records of .pc files for the sequences of a block, in listing order.

        Any number of threads may ask for blocks; other threads run meanwhile.

        Raises:
            QueueError: there is no such block.
            MemoryError: there is not enough.
        """

def compute_pc_odds(
    unsolvable: bytes, letters: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], bytes]:
    """Count as `PcTablebase.count_solvable`, given the sequences without a perfect clear.

    Args:
        unsolvable: what `PcTablebase.find_unsolvable` gave for the blocks, together, in any order.
        letters: of a sequence; 4 to 24.

    Raises:
        QueueError: they are no such sequences, or not all different.
    """

def count_block_sequences(letters: int) -> list[int]:
    """How many sequences of so many letters each block has.

    A block has the sequences with the same first four letters.
    """

def count_pc_sequences(length: int, phases: int = 0b1111111) -> int:
    """How many sequences there are of a length; of windows of these phases of the bag only.

    Bit f of `phases` is for windows that begin after f pieces of a bag.

    Raises:
        QueueError: the length is not 0 to 24.
    """

def find_pc_sequence_index(sequence: Sequence[Piece]) -> int:
    """The number of a sequence in the list of its length, from 0.

    Raises:
        QueueError: it is no sequence.
    """

def list_pc_sequences(length: int, first: int, count: int) -> list[list[Piece]]:
    """So many sequences from that number on, at most 65,536.

    Raises:
        QueueError: one of them is not there, or these are too many.
    """
