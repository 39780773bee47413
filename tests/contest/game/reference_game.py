"""The contest's game, slow and obvious: boards are sets of cells, pieces lists of them.

Written from the contest's text and the words of docs/pason.md, with the typed table of pieces;
nothing of it is the package's. Row 0 is the top, row 19 the lowest; rows above are negative.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from sevenbag.contest.settings import GameRules
from tests.protocols.pason.table import CELLS

Cells = set[tuple[int, int]]

LETTERS = "OISZLJT"


@dataclass
class Piece:
    """A piece in play."""

    kind: str
    orient: int
    row: int
    col: int
    number: int

    def cells(self) -> Cells:
        shape = CELLS[self.kind][self.orient % len(CELLS[self.kind])]
        return {(self.row + row, self.col + column) for row, column in shape}

    def moved(self, rows: int = 0, columns: int = 0, turns: int = 0) -> Piece:
        orient = (self.orient + turns) % len(CELLS[self.kind])
        return Piece(self.kind, orient, self.row + rows, self.col + columns, self.number)


class SlowDuel:
    """One game."""

    def __init__(self, rules: GameRules, seed: int, first_number: int) -> None:
        self.rules = rules
        self.boards: list[Cells] = [set(), set()]
        self.pieces: list[Piece | None] = [None, None]
        self.scores = [0, 0]
        self.lines = [0, 0]
        self.locked = [0, 0]
        self.waiting = [0, 0]
        self.cleared: list[list[int]] = [[], []]
        self.last = [-1, -1]
        self.level = 1
        self.next_numbers = [first_number, first_number]
        self.winner: int | None = None
        self.ending = ""
        self.random = {
            name: random.Random(f"{name} {seed}") for name in ("queue", "garbage", "coin")
        }
        self.bag: list[str] = []
        self.queue = [self.deal() for _ in range(rules.queue_length)]
        for seat in self.shuffled([0, 1]):
            self.draw(seat)

    def below(self, name: str, count: int, bits: int) -> int:
        while (number := self.random[name].getrandbits(bits)) >= count:
            pass
        return number

    def deal(self) -> str:
        if self.rules.queue == "uniform":
            return LETTERS[self.below("queue", 7, 3)]
        if not self.bag:
            self.bag = list(LETTERS)
        return self.bag.pop(self.below("queue", len(self.bag), len(self.bag).bit_length()))

    def shuffled(self, seats: list[int]) -> list[int]:
        if len(seats) == 2 and self.random["coin"].getrandbits(1):
            return [1, 0]
        return seats

    def garbage_row(self) -> list[bool]:
        while True:
            bits = self.random["garbage"].getrandbits(10)
            row = [bits >> 9 - column & 1 == 1 for column in range(10)]
            if not all(row):
                return row
            if self.rules.full_garbage_row == "repair":
                # Counted from the right.
                row[9 - self.below("garbage", 10, 4)] = False
                return row

    def over(self) -> bool:
        return self.winner is not None

    def free(self, seat: int, piece: Piece) -> bool:
        return all(
            row <= 19 and 0 <= column <= 9 and (row, column) not in self.boards[seat]
            for row, column in piece.cells()
        )

    def resting(self, seat: int, piece: Piece) -> bool:
        return not self.free(seat, piece.moved(rows=1))

    def draw(self, seat: int) -> None:
        kind = self.queue.pop(0)
        self.queue.append(self.deal())
        states = len(CELLS[kind])
        orient = self.rules.spawn_orientation % states
        piece = Piece(kind, orient, 0, 5, self.next_numbers[seat])
        for counted in (0, 1):
            if counted == seat or self.rules.piece_numbers == "shared":
                self.next_numbers[counted] = piece.number + 1
        if not self.free(seat, piece) and self.rules.blocked_spawn == "lose":
            self.lose(seat)
        self.pieces[seat] = self.lifted(seat, piece) if not self.over() else piece

    def lifted(self, seat: int, piece: Piece) -> Piece:
        while not self.free(seat, piece):
            piece = piece.moved(rows=-1)
        return piece

    def lose(self, seat: int) -> None:
        self.winner, self.ending = 1 - seat, "top out"

    def lock(self, seat: int) -> None:
        piece = self.pieces[seat]
        assert piece is not None
        self.pieces[seat] = None
        self.last[seat] = piece.number
        self.locked[seat] += 1
        board = self.boards[seat]
        board |= piece.cells()
        if any(row < 0 for row, _ in board):
            self.lose(seat)
            return
        full = [row for row in range(20) if all((row, column) in board for column in range(10))]
        for row in full:
            board = {cell for cell in board if cell[0] != row}
            board = {(above + (above < row), column) for above, column in board}
        self.boards[seat] = board
        self.cleared[seat] = full
        count = len(full)
        self.lines[seat] += count
        factors = self.rules.level_factors
        factor = factors[self.level - 1] if self.level <= len(factors) else factors[-1]
        self.scores[seat] += self.rules.points[count] * factor
        self.level = 1 + sum(max(self.scores) >= threshold for threshold in self.rules.level_points)
        if self.rules.garbage_when == "lock":
            self.enter(seat, self.waiting[seat])
        if not self.over():
            sent = self.rules.sends[count]
            self.waiting[1 - seat] += sent
            if self.rules.garbage_when == "instant":
                self.enter(1 - seat, sent)

    def enter(self, seat: int, count: int) -> None:
        if not count:
            return
        self.waiting[seat] -= count
        rows = [self.garbage_row() for _ in range(count)]
        garbage = {
            (20 - count + place, column)
            for place, row in enumerate(rows)
            for column in range(10)
            if row[column]
        }
        piece = self.pieces[seat]
        risen = {(row - count, column) for row, column in self.boards[seat]} | garbage
        if piece and self.rules.garbage_overlap == "lock" and piece.cells() & risen:
            self.lock(seat)
            if self.over():
                return
        board = {(row - count, column) for row, column in self.boards[seat]} | garbage
        if self.rules.garbage_out == "cut":
            board = {(row, column) for row, column in board if row >= 0}
        self.boards[seat] = board
        if any(row < 0 for row, _ in board):
            self.lose(seat)
            return
        piece = self.pieces[seat]
        if piece:
            self.pieces[seat] = self.lifted(seat, piece)

    def move(self, seat: int, move: str, number: int | None) -> str:
        piece = self.pieces[seat]
        if self.over():
            return "game over"
        if piece is None:
            return "no piece"
        if number not in {None, piece.number}:
            return "out of date"
        if move == "drop":
            while not self.resting(seat, piece):
                piece = piece.moved(rows=1)
            self.lock_and_draw(seat, piece)
            return "done"
        if move == "down" and self.resting(seat, piece) and self.rules.down_on_floor == "lock":
            self.lock_and_draw(seat, piece)
            return "done"
        moved = {
            "left": piece.moved(columns=-1),
            "right": piece.moved(columns=1),
            "down": piece.moved(rows=1),
            "lrotate": piece.moved(turns=1),
            "rrotate": piece.moved(turns=-1),
        }[move]
        above = any(row < 0 for row, _ in moved.cells()) and moved.orient != piece.orient
        if not self.free(seat, moved) or (above and not self.rules.rotate_above_top):
            return "collides"
        self.pieces[seat] = moved
        return "done"

    def lock_and_draw(self, seat: int, piece: Piece) -> None:
        self.pieces[seat] = piece
        self.lock(seat)
        if not self.over():
            self.draw(seat)

    def step(self) -> None:
        if self.over():
            return
        without = [seat for seat in (0, 1) if self.pieces[seat] is None]
        if self.rules.garbage_when == "step":
            waiting = list(self.waiting)
            for seat in self.shuffled([seat for seat in (0, 1) if waiting[seat]]):
                if not self.over():
                    self.enter(seat, waiting[seat])
        for seat in self.shuffled(without):
            if not self.over():
                self.draw(seat)
        if self.over():
            return
        others = {
            seat: piece
            for seat, piece in enumerate(self.pieces)
            if piece is not None and seat not in without
        }
        resting = [seat for seat, piece in others.items() if self.resting(seat, piece)]
        for seat, piece in others.items():
            if seat not in resting:
                self.pieces[seat] = piece.moved(rows=1)
        for seat in self.shuffled(resting):
            now = self.pieces[seat]
            if self.over() or now is None:
                continue
            if self.resting(seat, now):
                self.lock(seat)
            else:
                self.pieces[seat] = now.moved(rows=1)

    def time_up(self) -> None:
        if self.over():
            return
        first, second = self.scores
        if first == second:
            self.winner, self.ending = self.shuffled([0, 1])[0], "coin flip at the time limit"
        else:
            self.winner = 0 if first > second else 1
            self.ending = "points at the time limit"
