"""Between the words of TBP and our own, in one place.

Moves are written in one form: O north, and S, Z, I north or east. They are read in any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET, UnsetType

from sevenbag._kernel import Board, Piece, Placement, Rotation, Spin
from sevenbag.errors import BoardError
from sevenbag.game.position import Position
from sevenbag.protocols.tbp import messages as tbp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.game import Rules

WIDTH: Final = 10
ROWS: Final = 40


# --- moves --------------------------------------------------------------------------------------


def piece_of(letter: tbp.PieceLetter) -> Piece:
    """The piece that a letter names."""
    return _PIECES[letter]


def letter_of(piece: Piece) -> tbp.PieceLetter:
    """The letter that names a piece."""
    return _LETTERS[piece]


def placement_of(move: tbp.Move) -> Placement:
    """A move as a placement.

    Raises:
        PlacementError: it lies farther outside the board than a placement can.
    """
    location = move.location
    return Placement(
        _PIECES[location.type],
        _ROTATIONS[location.orientation],
        location.x,
        location.y,
        _SPINS[move.spin],
    )


def move_of(placement: Placement) -> tbp.Move:
    """A placement as a move, in the form we always write."""
    form = placement.canonical()
    return tbp.Move(
        tbp.Location(_LETTERS[form.piece], _ORIENTATIONS[form.rotation], form.x, form.y),
        _SPIN_NAMES[placement.spin],
    )


# --- boards -------------------------------------------------------------------------------------


def board_of(rows: Sequence[tbp.Row]) -> Board:
    """The filled cells; rows above the fortieth are cut, missing ones are empty."""
    return Board.from_rows(_drawn(rows), height=ROWS) if rows else Board(WIDTH, ROWS)


def colors_of(rows: Sequence[tbp.Row]) -> tuple[str, ...]:
    """The cells' letters, in forty rows from the bottom."""
    colored = _drawn(rows)
    return (*colored, *[_EMPTY_COLORS] * (ROWS - len(colored)))


def rows_of(board: Board, colors: Sequence[str] | None = None) -> tuple[tbp.Row, ...]:
    """Exactly 40 rows of 10 cells, with their letters where they are known, else ``G``.

    Raises:
        BoardError: the board is not 10 wide; TBP has no others.
    """
    if board.width != WIDTH:
        raise BoardError(f"a board of TBP is {WIDTH} wide, not {board.width}")
    rows: list[tbp.Row] = []
    for y in range(min(board.height, ROWS)):
        letters = colors[y] if colors is not None and y < len(colors) else ""
        rows.append(_row_of(board.row(y), letters))
    rows.extend([_EMPTY_ROW] * (ROWS - len(rows)))
    return tuple(rows)


# --- positions ----------------------------------------------------------------------------------


def position_of(start: tbp.Start) -> Position:
    """The position that a `Start` tells."""
    return Position(
        board=board_of(start.board),
        queue=tuple(_PIECES[letter] for letter in start.queue),
        hold=None if start.hold is None else _PIECES[start.hold],
        combo=start.combo,
        back_to_back=int(start.back_to_back),
        bag=_bag_of(start.randomizer),
        colors=colors_of(start.board),
    )


def start_of(position: Position, randomizer: tbp.RandomizerName) -> tbp.Start:
    """The `Start` that tells a position, in the official form.

    Args:
        position: the position.
        randomizer: as it was named in the `Rules`; it decides how the bag is told.
    """
    return tbp.Start(
        hold=None if position.hold is None else _LETTERS[position.hold],
        queue=tuple(_LETTERS[piece] for piece in position.queue),
        combo=max(position.combo, 0),
        back_to_back=position.back_to_back > 0,
        board=rows_of(position.board, position.colors),
        randomizer=_state_of(position.bag, randomizer),
    )


# --- rules --------------------------------------------------------------------------------------


def randomizer_of(rules: Rules) -> tbp.RandomizerName:
    """What TBP calls the rules' randomizer."""
    return _RANDOMIZERS.get(rules.pieces.bag, "unknown")


def rules_changes(rules: tbp.Rules) -> dict[str, dict[str, object]]:
    """What the message changes in the rules that TBP takes for granted."""
    return {"pieces": {"bag": "total mayhem"}} if rules.randomizer == "uniform" else {}


# --- helpers ------------------------------------------------------------------------------------

_LETTERS: Final[dict[Piece, tbp.PieceLetter]] = {
    Piece.I: "I",
    Piece.O: "O",
    Piece.T: "T",
    Piece.L: "L",
    Piece.J: "J",
    Piece.S: "S",
    Piece.Z: "Z",
}
_PIECES: Final[dict[str, Piece]] = {letter: piece for piece, letter in _LETTERS.items()}
_ORIENTATIONS: Final[dict[Rotation, tbp.Orientation]] = {
    Rotation.NORTH: "north",
    Rotation.EAST: "east",
    Rotation.SOUTH: "south",
    Rotation.WEST: "west",
}
_ROTATIONS: Final[dict[str, Rotation]] = {name: turn for turn, name in _ORIENTATIONS.items()}
_SPIN_NAMES: Final[dict[Spin, tbp.SpinName]] = {
    Spin.NONE: "none",
    Spin.MINI: "mini",
    Spin.FULL: "full",
}
_SPINS: Final[dict[str, Spin]] = {name: spin for spin, name in _SPIN_NAMES.items()}
_RANDOMIZERS: Final[dict[str, tbp.RandomizerName]] = {
    "7-bag": "seven_bag",
    "14-bag": "general_bag",
    "total mayhem": "uniform",
}
_CELLS: Final[dict[str, tbp.Cell]] = {letter: letter for letter in tbp.PIECE_LETTERS}
_EMPTY_ROW: Final[tbp.Row] = (None,) * WIDTH
_EMPTY_COLORS: Final = "." * WIDTH


def _drawn(rows: Sequence[tbp.Row]) -> list[str]:
    return ["".join(["." if cell is None else cell for cell in row]) for row in rows[:ROWS]]


def _row_of(filled: int, letters: str) -> tbp.Row:
    if not filled:
        return _EMPTY_ROW
    marks = letters.ljust(WIDTH, "G")
    return tuple([_CELLS.get(marks[x], "G") if filled >> x & 1 else None for x in range(WIDTH)])


def _bag_of(randomizer: tbp.Randomizer | UnsetType) -> tuple[Piece, ...] | None:
    if isinstance(randomizer, tbp.SevenBag):
        return tuple(_PIECES[letter] for letter in randomizer.bag_state)
    if isinstance(randomizer, tbp.GeneralBag) and set(randomizer.filled_bag.values()) == {1}:
        current = randomizer.current_bag
        return tuple(_PIECES[letter] for letter in current for _ in range(current[letter]))
    # How other bags are filled is nothing that a position tells.
    return None


def _state_of(
    bag: tuple[Piece, ...] | None, randomizer: tbp.RandomizerName
) -> tbp.Randomizer | UnsetType:
    if randomizer == "uniform":
        return tbp.Uniform()
    if bag is None or randomizer == "unknown":
        return UNSET
    if randomizer == "seven_bag":
        return tbp.SevenBag(tuple(_LETTERS[piece] for piece in bag) or tbp.PIECE_LETTERS)
    counts: dict[tbp.PieceLetter, int] = {
        letter: bag.count(piece) for piece, letter in _LETTERS.items()
    }
    filled = dict.fromkeys(tbp.PIECE_LETTERS, 2)
    return tbp.GeneralBag(counts if bag else filled, filled)
