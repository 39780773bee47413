"""The guideline preset once more, slow and obvious, to hold the kernel's against.

Where a piece can go, and whether it spins, is taken from the kernel; that has its own tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sevenbag._kernel import Placement, Spin

WIDTH, ROWS, VISIBLE, TRAVEL = 10, 40, 20, 30
COMBO = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]
ATTACK = {
    Spin.NONE: [0, 0, 1, 2, 4],
    Spin.MINI: [0, 0, 1],
    Spin.FULL: [0, 2, 4, 6],
}


class Draws:
    """The 16807 generator."""

    def __init__(self, seed: int) -> None:
        self.value = seed % 2147483647 or 2147483646

    def fraction(self) -> float:
        self.value = self.value * 16807 % 2147483647
        return (self.value - 1) / 2147483646

    def below(self, limit: int) -> int:
        return int(self.fraction() * limit)


def seven_bag(seed: int, count: int) -> str:
    draws, pieces = Draws(seed), ""
    while len(pieces) < count:
        bag = list("ZLOSIJT")
        for i in range(6, 0, -1):
            j = draws.below(i + 1)
            bag[i], bag[j] = bag[j], bag[i]
        pieces += "".join(bag)
    return pieces[:count]


@dataclass
class Happened:
    lines: int = 0
    perfect: bool = False
    attack: int = 0
    sent: int = 0
    holes: list[int] = field(default_factory=list)
    lost: str | None = None


class Reference:
    def __init__(self, seed: int) -> None:
        self.pieces = seven_bag(seed, 2000)
        self.taken = 1
        self.hold: str | None = None
        self.current = self.pieces[0]
        self.rows: list[str] = ["." * WIDTH] * ROWS
        self.combo = 0
        self.back_to_back = 0
        self.pending: list[tuple[int, int]] = []
        self.draws = Draws(seed)
        self.column: int | None = None
        self.column_is_new = False

    def receive(self, lines: int, frame: int) -> None:
        self.pending.append((frame, lines))

    def play(self, placement: Placement, frame: int) -> Happened:
        happened = Happened()
        letter = placement.piece.name
        if letter != self.current:
            if self.hold is None:
                self.hold, self.current = self.current, self._next()
            else:
                self.hold, self.current = self.current, self.hold
        assert letter == self.current
        for x, y in placement.cells:
            assert self.rows[y][x] == "."
            self.rows[y] = self.rows[y][:x] + letter + self.rows[y][x + 1 :]
        if all(y >= VISIBLE for _, y in placement.cells):
            happened.lost = "lock out"
            return happened

        kept = [row for row in self.rows if "." in row]
        happened.lines = ROWS - len(kept)
        self.rows = kept + ["." * WIDTH] * happened.lines
        if happened.lines:
            self._attack(happened, placement.spin)
        else:
            self.combo = 0
            self._garbage(happened, frame)
        if happened.lost is None:
            self.current = self._next()
            spawned = Placement(self.current, placement.rotation.NORTH, 4, 20).cells
            if any(self.rows[y][x] != "." for x, y in spawned):
                happened.lost = "block out"
        return happened

    def _attack(self, happened: Happened, spin: Spin) -> None:
        difficult = happened.lines == 4 or spin != Spin.NONE
        self.back_to_back = self.back_to_back + 1 if difficult else 0
        self.combo += 1
        attack = ATTACK[spin][happened.lines]
        if self.back_to_back > 1:
            attack += 1
        attack += COMBO[min(self.combo - 1, 11)]
        happened.perfect = all(row == "." * WIDTH for row in self.rows)
        if happened.perfect:
            attack = 10
        happened.attack = attack
        while attack > 0 and self.pending:
            frame, lines = self.pending.pop(0)
            if lines > attack:
                self.pending.insert(0, (frame, lines - attack))
                attack = 0
            else:
                attack -= lines
                self._new_column()
        happened.sent = attack

    def _garbage(self, happened: Happened, frame: int) -> None:
        while self.pending and self.pending[0][0] + TRAVEL <= frame:
            _, lines = self.pending.pop(0)
            for _ in range(lines):
                if self.column is None:
                    self.column = self.draws.below(WIDTH)
                else:
                    self.draws.fraction()
                happened.holes.append(self.column)
                if self.rows[-1] != "." * WIDTH:
                    happened.lost = "garbage out"
                row = "".join("." if x == self.column else "G" for x in range(WIDTH))
                self.rows = [row, *self.rows[:-1]]
            self._new_column()

    def _new_column(self) -> None:
        """An attack is used up: the next one has a column of its own, drawn right now."""
        self.draws.fraction()
        self.column = self.draws.below(WIDTH)

    def _next(self) -> str:
        self.taken += 1
        return self.pieces[self.taken - 1]
