"""One game of two players under the rules of 2012."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias

from sevenbag.contest.settings import GameRules
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
    MoveName,
    Offsets,
    PieceName,
    cell_bit,
)

PlayerIndex: TypeAlias = Literal[0, 1]

Ending: TypeAlias = Literal["top out", "points at the time limit", "coin flip at the time limit"]

PLAYERS: Final[tuple[PlayerIndex, PlayerIndex]] = (0, 1)


class MoveOutcome(StrEnum):
    """Outcome of a move."""

    DONE = "done"
    COLLIDES = "collides"
    OUT_OF_DATE = "out of date"
    NO_PIECE = "no piece"
    GAME_OVER = "game over"


class GameOutcome(NamedTuple):
    """Outcome of a game."""

    winner: PlayerIndex
    ending: Ending


class GameChanges(NamedTuple):
    """Changes since the last call of `PasonGame.take_changes`.

    Attributes:
        boards: whether a board changed.
        cleared: rows that each player cleared, numbered as before the clear.
        numbers: number of the piece that each player locked last; -1 for none.
        pieces: whether a piece or the queue changed.
    """

    boards: bool
    cleared: tuple[tuple[int, ...], tuple[int, ...]]
    numbers: tuple[int, int]
    pieces: bool


@dataclass(slots=True, eq=False)
class FallingPiece:
    """A piece in play.

    Attributes:
        row: row of the origin; negative above the top.
        col: column of the origin.
        number: piece number, unique in the match or among the player's pieces.
    """

    kind: PieceName
    orient: int
    row: int
    col: int
    number: int

    @property
    def mask(self) -> int:
        """Cells as bits of a board."""
        return _PLACES[self.kind][self.orient][self.row + _ABOVE][self.col]


class PasonGame:
    """A game. It begins with a piece for each player.

    Attributes:
        boards: locked cells of each player; bits above the 200 are rows above the top, which occur
            only at the end of a game.
        pieces: falling piece of each player; None between two pieces.
        queue: upcoming pieces, shared by both players.
        pending_garbage: garbage rows that will enter each board.
        boards_changed: whether a board changed since `take_changes`.

    Args:
        rules: options that the text of the contest leaves open.
        first_piece_number: number of the first piece.
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
        # Separate streams, so that garbage does not change the pieces.
        self._dealer = _create_dealer(rules, seeded_random(seed, "queue"))
        self._garbage = seeded_random(seed, "garbage")
        self._coin = seeded_random(seed, "coin")
        self.queue: list[PieceName] = [self._dealer() for _ in range(rules.queue_length)]
        self.boards_changed = True
        self._pieces_changed = True
        self._cleared: list[tuple[int, ...]] = [(), ()]
        self._locked_numbers = [-1, -1]
        for player in self._flip_coin():
            self._draw(player)

    @property
    def next_number(self) -> int:
        """Lowest piece number above all that were used."""
        return max(self.next_piece_numbers)

    @property
    def step_ms(self) -> int:
        """Milliseconds of a time step at the current level."""
        periods = self.rules.gravity_ms
        return periods[min(self.level, len(periods)) - 1]

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended."""
        return self.outcome is not None

    def move(
        self, player: PlayerIndex, move: MoveName, number: int | str | None = None
    ) -> MoveOutcome:
        """Do a move.

        Args:
            player: index of the player.
            move: name of the move.
            number: number of the piece that the move is meant for; None for the current piece.

        Returns:
            The outcome. A rotation of O is done and changes nothing.
        """
        if self.outcome is not None:
            return _GAME_OVER
        piece = self.pieces[player]
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
            self._drop(player, piece)
            return _DONE
        else:
            return self._rotate(player, piece, 1 if move == "lrotate" else -1)
        mask = _PLACES[kind][orient][row + _ABOVE][col]
        if not mask or mask & self.boards[player]:
            if move == "down" and self.rules.down_on_floor == "lock":
                self._drop(player, piece)
                return _DONE
            return _COLLIDES
        piece.row = row
        piece.col = col
        self._pieces_changed = True
        return _DONE

    def step(self) -> None:
        """Advance both players by a time step.

        Garbage that enters by time comes first. Players without a piece draw one. All other pieces
        fall by one row, or lock if they rest. A coin flip decides the order of the players.
        """
        if self.is_over:
            return
        waiting: list[PlayerIndex] = [player for player in PLAYERS if self.pieces[player] is None]
        if self.rules.garbage_when == "step":
            self._insert_pending_garbage()
        for player in self._in_order(waiting):
            if not self.is_over:
                self._draw(player)
        falling: list[PlayerIndex] = []
        resting: list[PlayerIndex] = []
        for player in PLAYERS:
            piece = self.pieces[player]
            if player not in waiting and piece is not None:
                (resting if self._rests(player, piece) else falling).append(player)
        for player in falling:
            piece = self.pieces[player]
            if piece is not None and not self.is_over:
                piece.row += 1
                self._pieces_changed = True
        for player in self._in_order(resting):
            # The garbage of the first player may have locked or lifted the piece of the second.
            piece = self.pieces[player]
            if piece is not None and not self.is_over:
                if self._rests(player, piece):
                    self._lock(player, piece)
                else:
                    piece.row += 1
                    self._pieces_changed = True

    def end_by_time(self) -> None:
        """End the game by points, or by a coin flip if they are equal."""
        if self.is_over:
            return
        first, second = self.scores
        if first != second:
            self.outcome = GameOutcome(0 if first > second else 1, "points at the time limit")
        else:
            self.outcome = GameOutcome(self._flip_coin()[0], "coin flip at the time limit")

    def take_changes(self) -> GameChanges:
        """Return the changes since the last call; the first call reports everything as changed."""
        changes = GameChanges(
            self.boards_changed,
            (self._cleared[0], self._cleared[1]),
            (self._locked_numbers[0], self._locked_numbers[1]),
            self._pieces_changed,
        )
        if self.boards_changed:
            self.boards_changed = False
            self._cleared = [(), ()]
            self._locked_numbers = [-1, -1]
        self._pieces_changed = False
        return changes

    def _rotate(self, player: PlayerIndex, piece: FallingPiece, step: int) -> MoveOutcome:
        ways = _PLACES[piece.kind]
        orient = (piece.orient + step) % len(ways)
        if orient != piece.orient:
            mask = ways[orient][piece.row + _ABOVE][piece.col]
            if not mask or mask & self.boards[player]:
                return _COLLIDES
            if mask >> CELL_COUNT and not self.rules.rotate_above_top:
                return _COLLIDES
            piece.orient = orient
            self._pieces_changed = True
        return _DONE

    def _rests(self, player: PlayerIndex, piece: FallingPiece) -> bool:
        below = _PLACES[piece.kind][piece.orient][piece.row + 1 + _ABOVE][piece.col]
        return not below or bool(below & self.boards[player])

    def _drop(self, player: PlayerIndex, piece: FallingPiece) -> None:
        """Drop and lock a piece, then draw the next one."""
        board = self.boards[player]
        places = _PLACES[piece.kind][piece.orient]
        row, col = piece.row + _ABOVE, piece.col
        while (below := places[row + 1][col]) and not below & board:
            row += 1
        piece.row = row - _ABOVE
        self._lock(player, piece)
        if not self.is_over:
            self._draw(player)

    def _lock(self, player: PlayerIndex, piece: FallingPiece) -> None:
        """Lock a piece at its position, clear rows and send garbage; draw no new piece."""
        board = self.boards[player] | piece.mask
        self.pieces[player] = None
        self.locked_pieces[player] += 1
        self._locked_numbers[player] = piece.number
        self.boards_changed = self._pieces_changed = True
        if board >> CELL_COUNT:
            self.boards[player] = board
            self._lose(player)
            return
        board, rows = _clear(board, piece.row)
        self.boards[player] = board
        other: PlayerIndex = 1 if player == 0 else 0
        self._cleared[player] = rows
        self._score(player, len(rows))
        sent = self.rules.sends[len(rows)]
        if self.rules.garbage_when == "lock":
            self._insert_garbage(player, self.pending_garbage[player])
        if sent and not self.is_over:
            self.pending_garbage[other] += sent
            if self.rules.garbage_when == "instant":
                self._insert_garbage(other, sent)

    def _score(self, player: PlayerIndex, rows: int) -> None:
        rules = self.rules
        factors = rules.level_factors
        factor = factors[min(self.level, len(factors)) - 1]
        self.lines[player] += rows
        self.scores[player] += rules.points[rows] * factor
        reached = self.scores[player]
        while (
            self.level <= len(rules.level_points) and reached >= rules.level_points[self.level - 1]
        ):
            self.level += 1

    def _insert_pending_garbage(self) -> None:
        """Insert all garbage that was pending before this step."""
        counts = tuple(self.pending_garbage)
        for player in self._in_order([player for player in PLAYERS if counts[player]]):
            if not self.is_over:
                self._insert_garbage(player, counts[player])

    def _insert_garbage(self, player: PlayerIndex, count: int) -> None:
        """Insert a number of pending garbage rows at the bottom."""
        if count == 0:
            return
        self.pending_garbage[player] -= count
        rows = 0
        for _ in range(count):
            rows = rows << WIDTH | self._garbage_row()
        piece = self.pieces[player]
        if (
            piece is not None
            and self.rules.garbage_overlap == "lock"
            and piece.mask & (self.boards[player] << WIDTH * count | rows)
        ):
            self._lock(player, piece)
            if self.is_over:
                return
        board = self.boards[player] << WIDTH * count | rows
        if board >> CELL_COUNT and self.rules.garbage_out == "cut":
            board &= VISIBLE_CELLS
        self.boards[player] = board
        self.boards_changed = True
        if board >> CELL_COUNT:
            self._lose(player)
            return
        piece = self.pieces[player]
        if piece is not None:
            self._lift(player, piece)

    def _garbage_row(self) -> int:
        while True:
            row = self._garbage.getrandbits(WIDTH)
            if row != FULL_ROW:
                return row
            if self.rules.full_garbage_row == "repair":
                return row & ~(1 << random_below(self._garbage, WIDTH))

    def _draw(self, player: PlayerIndex) -> None:
        """Spawn the next piece of the queue."""
        kind = self.queue.pop(0)
        self.queue.append(self._dealer())
        orient = self.rules.spawn_orientation % len(SHAPES[kind])
        number = self.next_piece_numbers[player]
        if self.rules.piece_numbers == "shared":
            self.next_piece_numbers = [number + 1, number + 1]
        else:
            self.next_piece_numbers[player] = number + 1
        piece = FallingPiece(kind, orient, SPAWN_ROW, SPAWN_COLUMN, number)
        self.pieces[player] = piece
        self._pieces_changed = True
        if piece.mask & self.boards[player]:
            if self.rules.blocked_spawn == "lose":
                self._lose(player)
            else:
                self._lift(player, piece)

    def _lift(self, player: PlayerIndex, piece: FallingPiece) -> None:
        """Raise a piece until it overlaps nothing; the rows above the top are empty."""
        while piece.mask & self.boards[player]:
            piece.row -= 1

    def _lose(self, player: PlayerIndex) -> None:
        self.outcome = GameOutcome(1 if player == 0 else 0, "top out")

    def _flip_coin(self) -> tuple[PlayerIndex, PlayerIndex]:
        """Return both players in the order of a coin flip."""
        return (1, 0) if self._coin.getrandbits(1) else (0, 1)

    def _in_order(self, players: list[PlayerIndex]) -> list[PlayerIndex]:
        """Return the players in order; flip a coin only if there are two."""
        return list(self._flip_coin()) if len(players) == 2 else players  # both


_ABOVE: Final = 4
"""Rows above the top in `_PLACES`. A piece is lifted by at most three rows, and the vertical I has
a cell above its origin."""

_DONE: Final = MoveOutcome.DONE

_COLLIDES: Final = MoveOutcome.COLLIDES

_OUT_OF_DATE: Final = MoveOutcome.OUT_OF_DATE

_NO_PIECE: Final = MoveOutcome.NO_PIECE

_GAME_OVER: Final = MoveOutcome.GAME_OVER


def _place(shape: Offsets, row: int, col: int) -> int:
    """Return the bits of a piece; 0 if it is outside the walls or below the floor."""
    cells = [(row + down, col + right) for down, right in shape]
    if any(not 0 <= column < WIDTH or line >= HEIGHT for line, column in cells):
        return 0
    return sum(cell_bit(line, column) for line, column in cells)


# Indexed by piece, orientation, row + _ABOVE and column. There is an extra row for a step down from
# the last row, and an extra column for a step right from the last column or left (index -1) from
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
    """Clear full rows near the origin of a locked piece.

    Returns:
        The board, and the cleared rows, numbered as before the clear.
    """
    rows: tuple[int, ...] = ()
    for line in range(max(row - 1, 0), min(row + 3, HEIGHT)):
        shift = WIDTH * (HEIGHT - 1 - line)
        if board >> shift & FULL_ROW == FULL_ROW:
            board = board >> shift + WIDTH << shift | board & (1 << shift) - 1
            rows += (line,)
    return board, rows


def _create_dealer(rules: GameRules, rng: random.Random) -> Callable[[], PieceName]:
    """Return a function that deals the next piece of the queue."""
    if rules.queue == "uniform":
        return lambda: PIECES[random_below(rng, len(PIECES))]
    bag: list[PieceName] = []

    def from_bag() -> PieceName:
        if not bag:
            bag.extend(PIECES)
        return bag.pop(random_below(rng, len(bag)))

    return from_bag


def seeded_random(seed: int, name: str) -> random.Random:
    """Return a named random stream of a seed.

    Use only `random.Random.getrandbits`: other methods may change between Python versions.
    """
    # Seeding with a string is stable between Python versions.
    return random.Random(f"{name} {seed}")  # games, not secrets


def random_below(rng: random.Random, count: int) -> int:
    """Return a uniform random number from 0 to `count` - 1."""
    while True:
        number = rng.getrandbits(count.bit_length())
        if number < count:
            return number
