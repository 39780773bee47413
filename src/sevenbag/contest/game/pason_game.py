"""One game of two players under the rules of 2012."""

from __future__ import annotations

import random
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from sevenbag.protocols.pason.pason_conversion import (
    CELL_COUNT,
    FULL_ROW,
    HEIGHT,
    PIECES,
    SHAPES,
    SPAWN_COLUMN,
    SPAWN_ROW,
    VISIBLE_CELLS,
    WIDTH,
    cell_bit,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.settings import GameRules
    from sevenbag.protocols.pason.pason_conversion import MoveName, Offsets, PieceName

PlayerIndex: TypeAlias = Literal[0, 1]

Ending: TypeAlias = Literal["top out", "points at the time limit", "coin flip at the time limit"]

PLAYERS: Final[tuple[PlayerIndex, PlayerIndex]] = (0, 1)


class MoveOutcome(StrEnum):
    """What became of a move."""

    DONE = "done"
    COLLIDES = "collides"
    OUT_OF_DATE = "out of date"
    NO_PIECE = "no piece"
    GAME_OVER = "game over"


class GameOutcome(NamedTuple):
    """How a game ended."""

    winner: PlayerIndex
    ending: Ending


class GameChanges(NamedTuple):
    """What has happened since it was last asked for.

    Attributes:
        boards: whether a board is another one.
        cleared: rows that each seat cleared, as they were before.
        numbers: of the piece that each seat has locked last; -1 for none.
        pieces: whether a piece is, or is elsewhere, or the queue is another one.
    """

    boards: bool
    cleared: tuple[tuple[int, ...], tuple[int, ...]]
    numbers: tuple[int, int]
    pieces: bool


class FallingPiece:
    """A piece in play.

    Attributes:
        kind: its letter.
        orient: its orientation.
        row: of its origin; negative above the top.
        col: of its origin.
        number: that no other piece of the match has, or none of its player's.
    """

    __slots__ = ("col", "kind", "number", "orient", "row")

    def __init__(self, kind: PieceName, orient: int, row: int, col: int, number: int) -> None:
        self.kind: PieceName = kind
        self.orient = orient
        self.row = row
        self.col = col
        self.number = number

    @property
    def mask(self) -> int:
        """Its cells, as bits of a board."""
        return _PLACES[self.kind][self.orient][self.row + _ABOVE][self.col]

    def __repr__(self) -> str:
        return (
            f"Falling({self.kind!r}, {self.orient}, row={self.row}, col={self.col},"
            f" number={self.number})"
        )


class PasonGame:
    """A game. It begins with a piece for each seat.

    Attributes:
        rules: what the contest's text leaves open.
        boards: of both seats, locked cells only; bits above the 200 are rows above the top, which
            only a game that is over has.
        pieces: of both seats; None for a seat that has none right now.
        queue: the upcoming pieces, which both draw from.
        scores: points of both.
        lines: rows cleared by both.
        locked: pieces locked by both.
        waiting: garbage rows that are to enter at each seat.
        level: shared by both, from 1.
        next_numbers: what the next piece's number will be, for both.
        outcome: how it ended; None while it goes on.
        boards_changed: whether a board is another one since `take_changes`.

    Args:
        rules: see there.
        seed: what everything random follows from.
        first_number: of the first piece.
    """

    def __init__(self, rules: GameRules, seed: int, *, first_piece_number: int = 1) -> None:
        self.rules = rules
        self.boards = [0, 0]
        self.pieces: list[FallingPiece | None] = [None, None]
        self.scores = [0, 0]
        self.lines = [0, 0]
        self.locked_pieces = [0, 0]
        self.pending_garbage = [0, 0]
        self.level = 1
        self.next_piece_numbers = [first_piece_number, first_piece_number]
        self.outcome: GameOutcome | None = None
        # One stream each: what is tossed for garbage does not change which pieces come.
        self._dealer = _dealer(rules, seeded_random(seed, "queue"))
        self._garbage = seeded_random(seed, "garbage")
        self._coin = seeded_random(seed, "coin")
        self.queue: list[PieceName] = [self._dealer() for _ in range(rules.queue_length)]
        self.boards_changed = True
        self._pieces_changed = True
        self._cleared: list[tuple[int, ...]] = [(), ()]
        self._numbers = [-1, -1]
        for seat in self._tossed():
            self._draw(seat)

    @property
    def next_number(self) -> int:
        """Higher than every number that was given out."""
        return max(self.next_piece_numbers)

    @property
    def step_ms(self) -> int:
        """Milliseconds of a time step on the present level."""
        periods = self.rules.gravity_ms
        return periods[min(self.level, len(periods)) - 1]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    def move(
        self, seat: PlayerIndex, move: MoveName, number: int | str | None = None
    ) -> MoveOutcome:
        """Do a move at once.

        Args:
            seat: whose.
            move: which.
            number: of the piece that it is meant for; None for whatever piece is there.

        Returns: what became of it. A rotation of O is done and changes nothing.
        """
        if self.outcome is not None:
            return _GAME_OVER
        piece = self.pieces[seat]
        if piece is None:
            return _NO_PIECE
        if number is not None and number != piece.number:
            return _OUT_OF_DATE
        kind, orient, row, col = piece.kind, piece.orient, piece.row, piece.col
        if move == "left":
            col -= 1
        elif move == "right":
            col += 1
        elif move == "down":
            row += 1
        elif move == "drop":
            self._drop(seat, piece)
            return _DONE
        else:
            return self._rotate(seat, piece, 1 if move == "lrotate" else -1)
        mask = _PLACES[kind][orient][row + _ABOVE][col]
        if not mask or mask & self.boards[seat]:
            if move == "down" and self.rules.down_on_floor == "lock":
                self._drop(seat, piece)
                return _DONE
            return _COLLIDES
        piece.row = row
        piece.col = col
        self._pieces_changed = True
        return _DONE

    def step(self) -> None:
        """Let a time step pass for both.

        Garbage that enters with time does so first. Who had no piece draws one. All other pieces
        fall by one row, or lock where they cannot. Where both seats do the same thing, a coin says
        who is first.
        """
        if self.is_over:
            return
        without: list[PlayerIndex] = [seat for seat in PLAYERS if self.pieces[seat] is None]
        if self.rules.garbage_when == "step":
            self._take_waiting()
        for seat in self._in_order(without):
            if not self.is_over:
                self._draw(seat)
        falling: list[PlayerIndex] = []
        resting: list[PlayerIndex] = []
        for seat in PLAYERS:
            piece = self.pieces[seat]
            if seat not in without and piece is not None:
                (resting if self._rests(seat, piece) else falling).append(seat)
        for seat in falling:
            piece = self.pieces[seat]
            if piece is not None and not self.is_over:
                piece.row += 1
                self._pieces_changed = True
        for seat in self._in_order(resting):
            # The first one's garbage may have locked or lifted the other's piece.
            piece = self.pieces[seat]
            if piece is not None and not self.is_over:
                if self._rests(seat, piece):
                    self._lock(seat, piece)
                else:
                    piece.row += 1
                    self._pieces_changed = True

    def end_by_time(self) -> None:
        """End the game by points, or by a coin where they are equal."""
        if self.is_over:
            return
        first, second = self.scores
        if first != second:
            self.outcome = GameOutcome(0 if first > second else 1, "points at the time limit")
        else:
            self.outcome = GameOutcome(self._tossed()[0], "coin flip at the time limit")

    def take_changes(self) -> GameChanges:
        """What has happened since this was last asked for; at first, everything is new."""
        changes = GameChanges(
            self.boards_changed,
            (self._cleared[0], self._cleared[1]),
            (self._numbers[0], self._numbers[1]),
            self._pieces_changed,
        )
        if self.boards_changed:
            self.boards_changed = False
            self._cleared = [(), ()]
            self._numbers = [-1, -1]
        self._pieces_changed = False
        return changes

    # --- helpers --------------------------------------------------------------------------------

    def _rotate(self, seat: PlayerIndex, piece: FallingPiece, step: int) -> MoveOutcome:
        ways = _PLACES[piece.kind]
        orient = (piece.orient + step) % len(ways)
        if orient != piece.orient:
            mask = ways[orient][piece.row + _ABOVE][piece.col]
            if not mask or mask & self.boards[seat]:
                return _COLLIDES
            if mask >> CELL_COUNT and not self.rules.rotate_above_top:
                return _COLLIDES
            piece.orient = orient
            self._pieces_changed = True
        return _DONE

    def _rests(self, seat: PlayerIndex, piece: FallingPiece) -> bool:
        below = _PLACES[piece.kind][piece.orient][piece.row + 1 + _ABOVE][piece.col]
        return not below or bool(below & self.boards[seat])

    def _drop(self, seat: PlayerIndex, piece: FallingPiece) -> None:
        """Lock a piece on the floor; the next one is there at once."""
        board = self.boards[seat]
        places = _PLACES[piece.kind][piece.orient]
        row, col = piece.row + _ABOVE, piece.col
        while (below := places[row + 1][col]) and not below & board:
            row += 1
        piece.row = row - _ABOVE
        self._lock(seat, piece)
        if not self.is_over:
            self._draw(seat)

    def _lock(self, seat: PlayerIndex, piece: FallingPiece) -> None:
        """Lock a piece where it is, with all that follows but the next one."""
        board = self.boards[seat] | piece.mask
        self.pieces[seat] = None
        self.locked_pieces[seat] += 1
        self._numbers[seat] = piece.number
        self.boards_changed = self._pieces_changed = True
        if board >> CELL_COUNT:
            self.boards[seat] = board
            self._lose(seat)
            return
        board, rows = _clear(board, piece.row)
        self.boards[seat] = board
        other: PlayerIndex = 1 if seat == 0 else 0
        self._cleared[seat] = rows
        self._score(seat, len(rows))
        sent = self.rules.sends[len(rows)]
        if self.rules.garbage_when == "lock":
            self._take_garbage(seat, self.pending_garbage[seat])
        if sent and not self.is_over:
            self.pending_garbage[other] += sent
            if self.rules.garbage_when == "instant":
                self._take_garbage(other, sent)

    def _score(self, seat: PlayerIndex, rows: int) -> None:
        rules = self.rules
        factors = rules.level_factors
        factor = factors[min(self.level, len(factors)) - 1]
        self.lines[seat] += rows
        self.scores[seat] += rules.points[rows] * factor
        reached = self.scores[seat]
        while (
            self.level <= len(rules.level_points) and reached >= rules.level_points[self.level - 1]
        ):
            self.level += 1

    def _take_waiting(self) -> None:
        """Let all that waited before now enter; what a lock of now sends comes with the next."""
        counts = tuple(self.pending_garbage)
        for seat in self._in_order([seat for seat in PLAYERS if counts[seat]]):
            if not self.is_over:
                self._take_garbage(seat, counts[seat])

    def _take_garbage(self, seat: PlayerIndex, count: int) -> None:
        """Let so many of the rows that wait enter from below."""
        if count == 0:
            return
        self.pending_garbage[seat] -= count
        rows = 0
        for _ in range(count):
            rows = rows << WIDTH | self._garbage_row()
        piece = self.pieces[seat]
        if (
            piece is not None
            and self.rules.garbage_overlap == "lock"
            and piece.mask & (self.boards[seat] << WIDTH * count | rows)
        ):
            self._lock(seat, piece)
            if self.is_over:
                return
        board = self.boards[seat] << WIDTH * count | rows
        if board >> CELL_COUNT and self.rules.garbage_out == "cut":
            board &= VISIBLE_CELLS
        self.boards[seat] = board
        self.boards_changed = True
        if board >> CELL_COUNT:
            self._lose(seat)
            return
        piece = self.pieces[seat]
        if piece is not None:
            self._lift(seat, piece)

    def _garbage_row(self) -> int:
        while True:
            row = self._garbage.getrandbits(WIDTH)
            if row != FULL_ROW:
                return row
            if self.rules.full_garbage_row == "repair":
                return row & ~(1 << random_below(self._garbage, WIDTH))

    def _draw(self, seat: PlayerIndex) -> None:
        """Let a piece enter."""
        kind = self.queue.pop(0)
        self.queue.append(self._dealer())
        orient = self.rules.spawn_orientation % len(SHAPES[kind])
        number = self.next_piece_numbers[seat]
        if self.rules.piece_numbers == "shared":
            self.next_piece_numbers = [number + 1, number + 1]
        else:
            self.next_piece_numbers[seat] = number + 1
        piece = FallingPiece(kind, orient, SPAWN_ROW, SPAWN_COLUMN, number)
        self.pieces[seat] = piece
        self._pieces_changed = True
        if piece.mask & self.boards[seat]:
            if self.rules.blocked_spawn == "lose":
                self._lose(seat)
            else:
                self._lift(seat, piece)

    def _lift(self, seat: PlayerIndex, piece: FallingPiece) -> None:
        """Raise a piece until it overlaps nothing: above the top, nothing ever is."""
        while piece.mask & self.boards[seat]:
            piece.row -= 1

    def _lose(self, seat: PlayerIndex) -> None:
        self.outcome = GameOutcome(1 if seat == 0 else 0, "top out")

    def _tossed(self) -> tuple[PlayerIndex, PlayerIndex]:
        """Both seats, in an order that a coin decides."""
        return (1, 0) if self._coin.getrandbits(1) else (0, 1)

    def _in_order(self, seats: list[PlayerIndex]) -> list[PlayerIndex]:
        """These seats; the coin is tossed for two of them only."""
        return list(self._tossed()) if len(seats) == 2 else seats  # both


_ABOVE: Final = 4
"""Rows above the top that there are places in. Pieces are lifted only until they overlap nothing,
which above the top nothing does: by three rows, and I standing has a cell above its origin."""

_DONE: Final = MoveOutcome.DONE

_COLLIDES: Final = MoveOutcome.COLLIDES

_OUT_OF_DATE: Final = MoveOutcome.OUT_OF_DATE

_NO_PIECE: Final = MoveOutcome.NO_PIECE

_GAME_OVER: Final = MoveOutcome.GAME_OVER


def _place(shape: Offsets, row: int, col: int) -> int:
    """The bits of a piece; 0 where it would be in a wall or in the floor."""
    cells = [(row + down, col + right) for down, right in shape]
    if any(not 0 <= column < WIDTH or line >= HEIGHT for line, column in cells):
        return 0
    return sum(cell_bit(line, column) for line, column in cells)


# By piece, orientation, row + _ABOVE and column. One row and one column more than there are: a step
# down from the last row, and to the right from the last column or to the left (to index -1) from
# the first.
_PLACES: Final[dict[PieceName, tuple[tuple[tuple[int, ...], ...], ...]]] = {
    kind: tuple(
        tuple(
            tuple(_place(shape, row, col) for col in range(WIDTH + 1))
            for row in range(-_ABOVE, HEIGHT + 1)
        )
        for shape in shapes
    )
    for kind, shapes in SHAPES.items()
}


def _clear(board: int, row: int) -> tuple[int, tuple[int, ...]]:
    """Remove full rows near a piece's origin; only a lock fills rows.

    Returns: the board, and the rows as they were counted before.
    """
    rows: tuple[int, ...] = ()
    for line in range(max(row - 1, 0), min(row + 3, HEIGHT)):
        shift = WIDTH * (HEIGHT - 1 - line)
        if board >> shift & FULL_ROW == FULL_ROW:
            board = board >> shift + WIDTH << shift | board & (1 << shift) - 1
            rows += (line,)
    return board, rows


def _dealer(rules: GameRules, chance: random.Random) -> Callable[[], PieceName]:
    """What gives the next piece of the queue."""
    if rules.queue == "uniform":
        return lambda: PIECES[random_below(chance, len(PIECES))]
    bag: list[PieceName] = []

    def from_bag() -> PieceName:
        if not bag:
            bag.extend(PIECES)
        return bag.pop(random_below(chance, len(bag)))

    return from_bag


def seeded_random(seed: int, name: str) -> random.Random:
    """One of the streams of chance of a seed. Use its raw bits alone: other draws may change."""
    # Seeding by a text is fixed; by other objects it was changed before.
    return random.Random(f"{name} {seed}")  # games, not secrets


def random_below(chance: random.Random, count: int) -> int:
    """A number from 0 to one less than `count`, evenly."""
    while True:
        number = chance.getrandbits(count.bit_length())
        if number < count:
            return number
