"""Slow reference implementation of a game, for comparison with the kernel.

The board is a list of rows of letters. Reachable placements and their spins are taken from the
kernel, which has other tests for them.
"""

from dataclasses import dataclass, field

from sevenbag._kernel import Kicks, Piece, Placement
from sevenbag.game import Rules
from tests.game.reference_attack import attacks_of, counters_after
from tests.game.reference_garbage import Draws, Waiting


def seven_bag(seed: int, count: int) -> str:
    return general_bag(seed, count, "ZLOSIJT")


def general_bag(seed: int, count: int, filled: str) -> str:
    """Return bags of these pieces, filled by rounds of one of each in the order Z L O S I J T."""
    order = ""
    left = list(filled)
    while left:
        for letter in "ZLOSIJT":
            if letter in left:
                left.remove(letter)
                order += letter
    draws, pieces = Draws(seed), ""
    while len(pieces) < count:
        bag = list(order)
        for i in range(len(bag) - 1, 0, -1):
            j = draws.below(i + 1)
            bag[i], bag[j] = bag[j], bag[i]
        pieces += "".join(bag)
    return pieces[:count]


@dataclass
class Happened:
    lines: int = 0
    perfect: bool = False
    attacks: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    entered: list[tuple[int, ...]] = field(default_factory=list)
    lost: str | None = None


class Reference:
    """A game by rules with a 7-bag that does not grow with time."""

    def __init__(self, rules: Rules, seed: int) -> None:
        assert rules.pieces.bag == "7-bag"
        self.rules = rules
        self.pieces = seven_bag(seed, 2000)
        if rules.pieces.opening == "no two of S and Z":
            self.pieces = self._better(seed)
        self.taken = 1
        self.hold: str | None = None
        self.current = self.pieces[0]
        self.empty = "." * rules.board.width
        self.rows: list[str] = [self.empty] * rules.board.rows
        self.combo = self.chain = 0
        self.locked = 0
        self.over = False
        self.cleared = False
        self.waiting = Waiting(rules, seed)
        kicks = rules.pieces.kicks
        self.kicks = Kicks(kicks) if isinstance(kicks, str) else kicks

    def receive(self, lines: int, frame: int) -> None:
        self.waiting.receive(lines, frame)

    def enter_at_once(self, frame: int) -> int:
        """Add all garbage without a lock; return the number of rows."""
        happened = Happened()
        rows = self.waiting.enter(frame, 10**6, hard_drop=True)
        for row in rows:
            self._push(happened, row)
        self.over = happened.lost is not None or self.spawn(self.current) is None
        return len(rows)

    def play(self, placement: Placement, frame: int) -> Happened:
        happened = Happened()
        letter = placement.piece.name
        if letter != self.current:
            if self.hold is None:
                self.hold, self.current = self.current, self._next()
            else:
                self.hold, self.current = self.current, self.hold
        assert letter == self.current
        self._fill(placement)
        above = [y >= self.rules.board.visible for _, y in placement.cells]
        if self.rules.top_out.lock_out == "whole" and all(above):
            happened.lost = "lock out"
            return happened
        if self.rules.top_out.lock_out == "partial" and any(above):
            happened.lost = "lock out"
            return happened

        garbage_lines = self._clear(happened, placement)
        self.locked += 1
        self.cleared = happened.lines > 0
        happened.perfect = self.cleared and all(row == self.empty for row in self.rows)
        happened.attacks = attacks_of(
            self.rules,
            happened.lines,
            placement.spin,
            letter=letter,
            perfect=happened.perfect,
            garbage_lines=garbage_lines,
            combo=self.combo,
            chain=self.chain,
            multiplier=self.rules.attack.multiplier,
            draw=self.waiting.draws.fraction,
        )
        self.combo, self.chain = counters_after(
            self.rules,
            happened.lines,
            placement.spin,
            perfect=happened.perfect,
            combo=self.combo,
            chain=self.chain,
        )
        if happened.lines:
            sent, _ = self.waiting.cancel(happened.attacks, self.locked)
            silent = not self.rules.attack.spin_quads_send
            if not (silent and happened.lines >= 4 and placement.spin):
                happened.sent = list(sent)
        if not happened.lines or self.rules.garbage.blocking != "full":
            cap = int(min(self.rules.garbage.cap, self.rules.garbage.cap_limit))
            happened.entered = self.waiting.enter(frame, cap, hard_drop=True)
            self.waiting.count_lock()
            for row in happened.entered:
                self._push(happened, row)
        if happened.lost is None:
            self.current = self._next()
            if self.spawn(self.current) is None:
                happened.lost = "block out"
        return happened

    def spawn(self, letter: str) -> tuple[int, int] | None:
        """Return the spawn position of a piece."""
        rules = self.rules.spawn
        if self._free(letter, rules.y, solid=True):
            y = rules.y
            while y > rules.y - rules.drop and self._free(letter, y - 1, solid=True):
                y -= 1
        else:
            higher = {
                "lost": [],
                "raise": [rules.y + 1],
                "clutch": list(range(rules.y + 1, len(self.rows))) if self.cleared else [],
            }[rules.blocked]
            free = [y for y in higher if self._free(letter, y, solid=True)]
            if not free:
                return None
            y = free[0]
        return (rules.x, y) if self._free(letter, y, solid=False) else None

    def _better(self, seed: int) -> str:
        pieces = general_bag(seed, 7 * 1500, "ZLOSIJT")
        while pieces[0] in "SZ" and pieces[1] in "SZ":
            pieces = pieces[7:]
        return pieces[:2000]

    def _free(self, letter: str, y: int, *, solid: bool) -> bool:
        """Return True if the cells of a piece are free, among solid rows or all rows."""
        piece = Piece[letter]
        for cx, cy in Placement(
            piece, self.kicks.spawn_rotation(piece), self.rules.spawn.x, y
        ).cells:
            if not (0 <= cx < self.rules.board.width and 0 <= cy < len(self.rows)):
                return False
            if self.rows[cy][cx] != "." and (not solid or cy < self.rules.board.solid):
                return False
        return True

    def _fill(self, placement: Placement) -> None:
        for x, y in placement.cells:
            if y < self.rules.board.solid:
                assert self.rows[y][x] == "."
            if y < self.rules.board.kept and self.rows[y][x] == ".":
                self.rows[y] = self.rows[y][:x] + placement.piece.name + self.rows[y][x + 1 :]

    def _clear(self, happened: Happened, placement: Placement) -> int:
        """Remove rows; return how many of them held garbage."""
        gone: set[int] = set()
        lowest = min(y for _, y in placement.cells)
        bottom = [x for x, y in placement.cells if y == lowest]
        if lowest > 0:
            hit = [x for x in bottom if self.rows[lowest - 1][x] == "B"]
            below = lowest - 1
            while below >= 0 and any(self.rows[below][x] == "B" for x in hit):
                gone.add(below)
                below -= 1
        gone |= {y for y, row in enumerate(self.rows) if "." not in row and "B" not in row}
        dug = sum("G" in self.rows[y] for y in gone)
        happened.lines = len(gone)
        kept = [row for y, row in enumerate(self.rows) if y not in gone]
        self.rows = kept + [self.empty] * len(gone)
        return dug

    def _push(self, happened: Happened, holes: tuple[int, ...]) -> None:
        kept = min(self.rules.board.kept, len(self.rows))
        if self.rules.top_out.garbage_out and self.rows[kept - 1] != self.empty:
            happened.lost = "garbage out"
        gap = "B" if self.rules.garbage.bombs else "."
        row = "".join(gap if x in holes else "G" for x in range(self.rules.board.width))
        grown = [row, *self.rows[:kept]]
        del grown[kept - 2 if self.rules.garbage.cut_off == "third from top" else kept]
        self.rows = grown + self.rows[kept:]

    def _next(self) -> str:
        self.taken += 1
        return self.pieces[self.taken - 1]
