"""Conversion between TBP's data and our own.

Moves are written in canonical form: O north, and S, Z, I north or east. All forms are read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

from msgspec import UNSET, UnsetType

from sevenbag._kernel import Board, Key, Piece, Placement, Rotation, Spin
from sevenbag.errors import BoardError, RulesError
from sevenbag.game import Rules
from sevenbag.game.position import Position
from sevenbag.protocols.tbp import messages as tbp

WIDTH: Final = 10
ROWS: Final = 40


def parse_piece(letter: tbp.PieceLetter) -> Piece:
    """Return the piece that a letter names."""
    return _PIECES[letter]


def format_piece(piece: Piece) -> tbp.PieceLetter:
    """Return the letter of a piece."""
    return _LETTERS[piece]


def parse_move(move: tbp.TbpMove) -> Placement:
    """Convert a move to a placement.

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


def format_move(placement: Placement) -> tbp.TbpMove:
    """Convert a placement to a move in canonical form."""
    return tbp.TbpMove(format_location(placement.canonical()), _SPIN_NAMES[placement.spin])


def format_location(placement: Placement) -> tbp.TbpLocation:
    """Return the location of a placement without changing its form."""
    return tbp.TbpLocation(
        _LETTERS[placement.piece], _ORIENTATIONS[placement.rotation], placement.x, placement.y
    )


def parse_board(rows: Sequence[tbp.Row]) -> Board:
    """Return the filled cells; rows above the fortieth are dropped, missing rows are empty."""
    return Board.from_rows(_format_rows(rows), height=ROWS) if rows else Board(WIDTH, ROWS)


def parse_colors(rows: Sequence[tbp.Row]) -> tuple[str, ...]:
    """Return the letters of the cells, in forty rows from the bottom."""
    colored = _format_rows(rows)
    return (*colored, *[_EMPTY_COLORS] * (ROWS - len(colored)))


def format_board(board: Board, colors: Sequence[str] | None = None) -> tuple[tbp.Row, ...]:
    """Return 40 rows of 10 cells, with their letters if they are known, else ``G``.

    Raises:
        BoardError: the board is not 10 wide; TBP has no others.
    """
    if board.width != WIDTH:
        raise BoardError(f"a board of TBP is {WIDTH} wide, not {board.width}")
    rows: list[tbp.Row] = []
    for y in range(min(board.height, ROWS)):
        letters = colors[y] if colors is not None and y < len(colors) else ""
        rows.append(_format_row(board.row(y), letters))
    rows.extend([_EMPTY_ROW] * (ROWS - len(rows)))
    return tuple(rows)


def parse_start(start: tbp.TbpStart) -> Position:
    """Convert a `TbpStart` to a position."""
    return Position(
        board=parse_board(start.board),
        queue=tuple(_PIECES[letter] for letter in start.queue),
        hold=None if start.hold is None else _PIECES[start.hold],
        combo=start.combo,
        back_to_back=int(start.back_to_back),
        pending=parse_meter(start.meter),
        bag=_parse_bag(start.randomizer),
        colors=parse_colors(start.board),
        filled_bag=_parse_full_bag(start.randomizer),
    )


def parse_meter(meter: int | UnsetType) -> tuple[int, ...]:
    """Convert a meter, which has only the sum, to pending attacks."""
    return (meter,) if meter else ()


def format_start(
    position: Position,
    randomizer: tbp.RandomizerName,
    *,
    back_to_back_count: bool = False,
    hide_colors: bool = False,
    visible_rows: int = ROWS,
) -> tbp.TbpStart:
    """Convert a position to a `TbpStart`, by default in the official form.

    Args:
        position: the position.
        randomizer: name in the `TbpRules`; it decides the form of the bag.
        back_to_back_count: send back-to-back as a count.
        hide_colors: send every filled cell as garbage.
        visible_rows: leave out everything above this number of rows.
    """
    board = format_board(position.board, None if hide_colors else position.colors)
    if visible_rows < ROWS:
        board = (*board[:visible_rows], *[_EMPTY_ROW] * (ROWS - visible_rows))
    return tbp.TbpStart(
        hold=None if position.hold is None else _LETTERS[position.hold],
        queue=_format_pieces(position.queue),
        combo=max(position.combo, 0),
        back_to_back=position.back_to_back if back_to_back_count else position.back_to_back > 0,
        board=board,
        randomizer=_format_randomizer_state(position, randomizer),
    )


def parse_opponent(opponent: tbp.TbpOpponent) -> Position:
    """Convert another player's data to a position; missing parts are empty or 0."""
    board = opponent.board or ()
    return Position(
        board=parse_board(board),
        queue=tuple(_PIECES[letter] for letter in opponent.queue or ()),
        hold=_PIECES[opponent.hold] if opponent.hold else None,
        combo=opponent.combo or 0,
        back_to_back=int(opponent.back_to_back or 0),
        pending=parse_meter(opponent.meter),
        colors=parse_colors(board),
    )


def format_opponent(position: Position) -> tbp.TbpOpponent:
    """Convert a position to another player's data in the versus dialect."""
    return tbp.TbpOpponent(
        hold=None if position.hold is None else _LETTERS[position.hold],
        queue=_format_pieces(position.queue),
        combo=position.combo,
        back_to_back=position.back_to_back,
        board=format_board(position.board, position.colors),
        meter=sum(position.pending),
    )


def add_garbage_rows(position: Position, rows: Sequence[tbp.Row]) -> Position:
    """Add rows from below to a position; the last one is the new bottom row.

    Cells above the fortieth row are dropped.
    """
    entered = _format_rows(rows[::-1][:ROWS])
    old = position.board
    letters = position.colors or tuple(
        "".join("G" if old[x, y] else "." for x in range(WIDTH)) for y in range(old.rows)
    )
    colors = (*entered, *letters)[: old.rows]
    board = Board.from_rows(colors, height=old.rows)
    kept = colors if position.colors is not None else None
    return dataclasses.replace(position, board=board, colors=kept)


def format_randomizer(rules: Rules) -> tbp.RandomizerName:
    """Return TBP's name of the rules' randomizer."""
    return _RANDOMIZERS.get(rules.pieces.bag, "unknown")


def randomizer_name(randomizer: tbp.TbpRandomizer) -> tbp.RandomizerName:
    """Return the name in the rules that belongs to this state of a randomizer."""
    match randomizer:
        case tbp.UniformRandomizer():
            return "uniform"
        case tbp.SevenBagRandomizer():
            return "seven_bag"
        case tbp.GeneralBagRandomizer():
            return "general_bag"
        case tbp.UnknownRandomizer():
            return "unknown"


def find_spawn(board: Board, piece: Piece, rules: Rules) -> tuple[int, int] | None:
    """Return the cell where a piece appears after its immediate fall; None if it is blocked."""
    spawn = rules.spawn
    blocked = 0 if spawn.blocked == "lost" else 1
    for y in range(spawn.y, spawn.y + blocked + 1):
        if board.fits(Placement(piece, Rotation.NORTH, spawn.x, y)):
            lower = y
            while y - lower < spawn.drop and board.fits(
                Placement(piece, Rotation.NORTH, spawn.x, lower - 1)
            ):
                lower -= 1
            return spawn.x, lower
    return None


def check_rules(rules: Rules) -> None:
    """Check that TBP can express these rules.

    TBP assumes boards of 10 columns and 40 rows, and hold; it cannot express anything else. Its
    other assumptions (such as rotation by SRS) are harmless: a bot does not use moves that it does
    not know.

    Raises:
        RulesError: it cannot; the message has the reason.
    """
    board = rules.board
    if board.width != WIDTH:
        raise RulesError(f"TBP knows boards {WIDTH} wide only; these rules have {board.width}")
    if board.rows > ROWS:
        raise RulesError(f"TBP knows boards of at most {ROWS} rows; these rules have {board.rows}")
    if not rules.pieces.hold:
        raise RulesError("TBP cannot say that no piece may be held, as these rules have it")


def parse_rules(rules: tbp.TbpRules) -> dict[str, dict[str, object]]:
    """Return the changes that the message makes to the rules that TBP assumes."""
    return {"pieces": {"bag": "total mayhem"}} if rules.randomizer == "uniform" else {}


def find_inputs(
    placement: Placement, board: Board, rules: Rules
) -> tuple[tbp.InputName, ...] | None:
    """Return the fewest inputs to a move, with its spin; None if it is unreachable."""
    spawn, pieces = find_spawn(board, placement.piece, rules), rules.pieces
    if spawn is None:
        return None
    keys = board.find_path(
        placement, pieces.kicks, spins=pieces.spins, spawn=spawn, keys=list(_INPUT_NAMES)
    )
    return None if keys is None else tuple(_INPUT_NAMES[key] for key in keys[:-1])


def follow_inputs(
    inputs: Sequence[tbp.InputName], piece: Piece, board: Board, rules: Rules
) -> Placement | None:
    """Return where these inputs take a piece; None if it cannot appear.

    An input without effect, such as a move against a wall, is ignored, as in games.
    """
    spawn = find_spawn(board, piece, rules)
    if spawn is None:
        return None
    keys = [INPUT_KEYS[name] for name in inputs]
    return board.apply_keys(piece, keys, rules.pieces.kicks, spawn=spawn)


_LETTERS: Final[dict[Piece, tbp.PieceLetter]] = {
    Piece[letter]: letter for letter in tbp.PIECE_LETTERS
}
_PIECES: Final[dict[str, Piece]] = {letter: piece for piece, letter in _LETTERS.items()}
_ORIENTATIONS: Final[dict[Rotation, tbp.Orientation]] = {
    Rotation[name.upper()]: name for name in get_args(tbp.Orientation)
}
_ROTATIONS: Final[dict[str, Rotation]] = {name: turn for turn, name in _ORIENTATIONS.items()}
_SPIN_NAMES: Final[dict[Spin, tbp.SpinName]] = {
    Spin[name.upper()]: name for name in get_args(tbp.SpinName)
}
_SPINS: Final[dict[str, Spin]] = {name: spin for spin, name in _SPIN_NAMES.items()}
_RANDOMIZERS: Final[dict[str, tbp.RandomizerName]] = {
    "7-bag": "seven_bag",
    "14-bag": "general_bag",
    "general_bag": "general_bag",
    "total mayhem": "uniform",
}
_MAX_BAG: Final = 63
_CELLS: Final[dict[str, tbp.Cell]] = {letter: letter for letter in tbp.PIECE_LETTERS}
_EMPTY_ROW: Final[tbp.Row] = (None,) * WIDTH
_EMPTY_COLORS: Final = "." * WIDTH


def _format_pieces(pieces: Iterable[Piece]) -> tuple[tbp.PieceLetter, ...]:
    return tuple([_LETTERS[piece] for piece in pieces])


def _format_rows(rows: Sequence[tbp.Row]) -> list[str]:
    return ["".join(["." if cell is None else cell for cell in row]) for row in rows[:ROWS]]


def _format_row(filled: int, letters: str) -> tbp.Row:
    if not filled:
        return _EMPTY_ROW
    marks = letters.ljust(WIDTH, "G")
    return tuple([_CELLS.get(marks[x], "G") if filled >> x & 1 else None for x in range(WIDTH)])


def _parse_bag(randomizer: tbp.TbpRandomizer | UnsetType) -> tuple[Piece, ...] | None:
    if isinstance(randomizer, tbp.SevenBagRandomizer):
        return tuple(_PIECES[letter] for letter in randomizer.bag_state)
    if isinstance(randomizer, tbp.GeneralBagRandomizer) and _is_bag(randomizer.filled_bag):
        current, filled = randomizer.current_bag, randomizer.filled_bag
        # More of a piece than in a full bag is impossible; then nothing is known.
        possible = all(current[letter] <= filled[letter] for letter in current)
        return _expand_counts(current) if possible else None
    return None


def _parse_full_bag(randomizer: tbp.TbpRandomizer | UnsetType) -> tuple[Piece, ...]:
    if isinstance(randomizer, tbp.GeneralBagRandomizer) and _is_bag(randomizer.filled_bag):
        return _expand_counts(randomizer.filled_bag)
    return tuple(Piece)


def _is_bag(counts: Mapping[tbp.PieceLetter, int]) -> bool:
    # Larger bags say too little about the next piece.
    return 0 < sum(counts.values()) <= _MAX_BAG


def _expand_counts(counts: Mapping[tbp.PieceLetter, int]) -> tuple[Piece, ...]:
    return tuple(_PIECES[letter] for letter in counts for _ in range(counts[letter]))


def _count_pieces(pieces: tuple[Piece, ...]) -> dict[tbp.PieceLetter, int]:
    return {letter: pieces.count(piece) for piece, letter in _LETTERS.items()}


def _format_randomizer_state(
    position: Position, randomizer: tbp.RandomizerName
) -> tbp.TbpRandomizer | UnsetType:
    bag = position.bag
    if randomizer == "uniform":
        return tbp.UniformRandomizer()
    if bag is None or randomizer == "unknown":
        return UNSET
    if randomizer == "seven_bag":
        each = _format_pieces(piece for piece in _LETTERS if piece in bag)
        return tbp.SevenBagRandomizer(each or tbp.PIECE_LETTERS)
    return tbp.GeneralBagRandomizer(
        _count_pieces(bag or position.filled_bag), _count_pieces(position.filled_bag)
    )


INPUT_KEYS: Final[dict[tbp.InputName, Key]] = {
    "left": Key.LEFT,
    "right": Key.RIGHT,
    "cw": Key.CW,
    "ccw": Key.CCW,
    "flip": Key.FLIP,
    "sonic": Key.SONIC_DROP,
}
"""Key of each input."""
_INPUT_NAMES: Final[dict[Key, tbp.InputName]] = {key: name for name, key in INPUT_KEYS.items()}
