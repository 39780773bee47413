"""Slow reference implementation of pending garbage, for comparison with the kernel.

It follows the description of the rules and takes rows off one by one.
"""

import math
from dataclasses import dataclass

from sevenbag.game import Rules

NEVER = math.inf


class Draws:
    """Random numbers of the 16807 generator."""

    def __init__(self, seed: int) -> None:
        self.value = seed % 2147483647 or 2147483646

    def fraction(self) -> float:
        self.value = self.value * 16807 % 2147483647
        return (self.value - 1) / 2147483646

    def below(self, limit: int) -> int:
        return int(self.fraction() * limit)


@dataclass
class Attack:
    lines: int
    time: float
    name: tuple[int, int] | None = None
    columns: tuple[int, ...] | None = None
    told: bool = False
    begun: bool = False


class Waiting:
    """Pending garbage of a player."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules.garbage
        self.width = rules.board.width
        self.draws = Draws(seed)
        self.attacks: list[Attack] = []
        self.sent_so_far = 0
        self.column: int | None = None
        self.fresh = False

    @property
    def pending(self) -> tuple[int, ...]:
        return tuple(attack.lines for attack in self.attacks)

    def receive(self, lines: int, frame: int, hole: int = -1) -> None:
        self._take_in(lines, 0 if self.rules.travel_unit == "own locks" else frame, None, hole)

    def announce(self, name: tuple[int, int], lines: int, hole: int = -1) -> None:
        self._take_in(lines, NEVER, name, hole)

    def confirm(self, name: tuple[int, int], frame: int) -> int:
        lines = 0
        for attack in self.attacks:
            if attack.name == name and attack.time == NEVER:
                attack.time = 0 if self.rules.travel_unit == "own locks" else frame
                lines += attack.lines
        return lines

    def cancel(self, attacks: list[int], piece_number: int) -> tuple[tuple[int, ...], int]:
        sent: list[int] = []
        removed = 0
        if self.rules.blocking in {"none", "instant"}:
            return tuple(lines for lines in attacks if lines), 0
        for i, lines in enumerate(attacks):
            budget, free = lines, 0
            waiting = sum(self.pending)
            if piece_number <= self.rules.opener_pieces and waiting >= self.sent_so_far:
                free = lines
            while budget + free > 0 and self.attacks:
                self._take_line(by_cancelling=True)
                removed += 1
                if budget > 0:
                    budget -= 1
                else:
                    free -= 1
            if budget > 0:
                sent.append(budget)
                self.sent_so_far += budget
                sent += [later for later in attacks[i + 1 :] if later]
                break
        return tuple(sent), removed

    def enter(self, frame: int, cap: int, *, hard_drop: bool) -> list[tuple[int, ...]]:
        rules = self.rules
        rows: list[tuple[int, ...]] = []
        if not self.attacks:
            return rows
        if rules.travel_unit == "frames":
            self.attacks.sort(key=lambda attack: attack.time)
        if rules.timeout and frame >= rules.timeout:
            self._new_column()
            self.fresh = True
        while self.attacks and len(rows) < cap and self._is_here(self.attacks[0], frame, hard_drop):
            first = self.attacks[0]
            if first.told:
                rows.append(self._wide(first.columns[0] if first.columns else 0))
            else:
                rows.append(self._row(first, first_of_entry=not rows))
            first.begun = True
            self._take_line(by_cancelling=False)
        return rows

    def count_lock(self) -> None:
        if self.rules.travel_unit == "own locks":
            for attack in self.attacks:
                attack.time += 1

    def _take_in(self, lines: int, time: float, name: tuple[int, int] | None, hole: int) -> None:
        if lines == 0:
            return
        if hole >= 0:
            self.attacks.append(Attack(lines, time, name, (hole,) * lines, told=True))
        elif self.rules.holes == "sent":
            self.column = self._any_column()
            columns = [self.column]
            for _ in range(lines - 1):
                if self.draws.fraction() < self.rules.inner:
                    self._new_column()
                columns.append(self.column)
            # Neighbours with the same column are reported as one.
            start = 0
            for end in range(1, lines + 1):
                if end == lines or columns[end] != columns[start]:
                    part = tuple(columns[start:end])
                    self.attacks.append(Attack(end - start, time, name, part))
                    start = end
        else:
            self.attacks.append(Attack(lines, time, name))
        self._cut_tail()

    def _is_here(self, attack: Attack, frame: int, hard_drop: bool) -> bool:
        if attack.time == NEVER:
            return False
        if self.rules.blocking == "instant":
            return True
        if self.rules.travel_unit == "own locks":
            return attack.time >= self.rules.travel
        return attack.time + self.rules.travel <= (frame if hard_drop else frame - 1)

    def _take_line(self, *, by_cancelling: bool) -> None:
        first = self.attacks[0]
        first.lines -= 1
        if first.columns:
            first.columns = first.columns[1:]
        if first.lines:
            return
        self.attacks.pop(0)
        by_attacks = {"attacks"} if by_cancelling else {"attacks", "attacks before 2025-05"}
        if (
            not first.told
            and self.rules.holes in by_attacks
            and self.draws.fraction() < self.rules.change
        ):
            self._new_column()
            self.fresh = self.rules.holes == "attacks"

    def _row(self, attack: Attack, *, first_of_entry: bool) -> tuple[int, ...]:
        rules = self.rules
        if rules.holes == "coins":
            open_cells: list[int] = []
            while not open_cells:
                tosses = [self.draws.fraction() < 0.5 for _ in range(self.width)]
                open_cells = [x for x, toss in enumerate(tosses) if toss]
            return tuple(open_cells)
        if rules.holes == "sent":
            assert attack.columns
            return self._wide(attack.columns[0])
        if rules.holes == "entries":
            if first_of_entry:
                self.column = self._any_column()
            if self.draws.fraction() < rules.inner:
                self._new_column()
        elif rules.holes == "rounded":
            chance = rules.inner if attack.begun else rules.change
            if self.column is None or self.draws.fraction() < chance:
                u = self.draws.fraction()
                self.column = math.floor(u * (self.width - rules.hole_size) + 0.5)
        else:
            # The first row ever asks for no draw.
            wanted = self.column is None or self.draws.fraction() < rules.inner
            if wanted and not self.fresh:
                self._new_column()
            self.fresh = False
        assert self.column is not None
        return self._wide(self.column)

    def _wide(self, column: int) -> tuple[int, ...]:
        return tuple(x for x in range(column, column + self.rules.hole_size) if x < self.width)

    def _new_column(self) -> None:
        if not self.rules.other or self.column is None:
            self.column = self._any_column()
            return
        edge = self._edge()
        places = self.width - (self.rules.hole_size - 1) - 1 - 2 * edge
        column = edge + self.draws.below(places)
        self.column = column + 1 if column >= self.column else column

    def _any_column(self) -> int:
        edge = self._edge()
        return edge + self.draws.below(self.width - (self.rules.hole_size - 1) - 2 * edge)

    def _edge(self) -> int:
        return math.floor(self.width / 5 + 0.5) if self.rules.centred else 0

    def _cut_tail(self) -> None:
        most = self.rules.absolute_cap
        while most and sum(self.pending) > most:
            last = self.attacks[-1]
            last.lines -= 1
            if last.columns:
                last.columns = last.columns[:-1]
            if not last.lines:
                self.attacks.pop()
