"""Slow reference implementation of a frame-by-frame game, for comparison with the kernel.

It follows the description of the rules. `x` and `y` of a piece are the left column and the top row
of its box, with a fraction; cells are looked up one by one.
"""

import json
import math
from pathlib import Path
from typing import Any, Final

from sevenbag._kernel import Spin
from sevenbag.game import Rules
from sevenbag.game.frame_game import FrameRules, Handling
from tests.game.reference import seven_bag
from tests.game.reference_attack import attacks_of, counters_after
from tests.game.reference_garbage import Waiting
from tests.kernel.reference import box

CORNERS: Final = ((0, 0), (2, 0), (2, 2), (0, 2))
KICKS: Final = json.loads((Path(__file__).parents[1] / "data" / "kicks.json").read_bytes())["games"]
POINTS: Final = {
    Spin.NONE: (0, 100, 300, 500, 800),
    Spin.MINI: (100, 200, 400, 600, 2600),
    Spin.FULL: (400, 800, 1200, 1600, 2600),
}


def js_round(value: float) -> float:
    return math.floor(value + 0.5)


class Reference:
    """One player's game; the rotation system must be SRS+ or SRS-X, the bag of seven."""

    def __init__(
        self, rules: Rules, time: FrameRules, handling: Handling, seed: int, kicks: str = "SRS+"
    ) -> None:
        self.rules, self.time, self.hand = rules, time, handling
        self.kicks: Any = KICKS[kicks]
        self.allows_180 = not rules.pieces.kicks.name.endswith(" without 180")
        self.width, self.height = rules.board.width, rules.board.visible
        self.rows = rules.board.rows
        self.cells: dict[tuple[int, int], str] = {}
        self.pieces = iter(seven_bag(seed, 4200))
        self.hold_slot: str | None = None
        self.hold_used = False
        self.n, self.s, self.tick_index = 0, 0.0, 0
        self.gravity = time.gravity
        self.multiplier = rules.attack.multiplier
        self.cap = rules.garbage.cap
        self.held = {"left": False, "right": False}
        self.das = {"left": 0.0, "right": 0.0}
        self.arr = {"left": 0.0, "right": 0.0}
        self.last = "left"
        self.wall = False
        self.soft = False
        self.turning = {"cw": False, "ccw": False, "180": False}
        self.hold_down = False
        self.safe = 0
        self.combo = self.chain = 0
        self.cleared_before = False
        self.waiting = Waiting(rules, seed)
        self.targets: list[int] = []
        self.outgoing: dict[int, list[list[int]]] = {}
        self.numbers: dict[int, int] = {}
        self.out: str | None = None
        self.locks: list[tuple[Any, ...]] = []
        self.sendings: list[tuple[int, float, tuple[int, ...]]] = []
        names = ("pieces", "lines", "inputs", "holds", "attack", "sent", "received", "dug")
        self.count = dict.fromkeys(names, 0)
        self.points = 0.0
        self.lasted = 0.0
        self.spin = Spin.NONE
        self.piece, self.x, self.y, self.low, self.rotation = "", 0, 0.0, 0, 0
        self.clock, self.resets, self.turns, self.total, self.forced = 0.0, 0, 0, 0, False
        self.spawn(next(self.pieces), from_hold=False)

    def tick(self, events: list[tuple[Any, ...]]) -> None:
        self.s, self.tick_index = 0.0, self.n
        for event in events:
            self.happen(event)
        self.n += 1
        self.advance(1 - self.s)
        frame = self.n
        growing = self.rules.garbage
        if frame > self.time.gravity_margin:
            self.gravity += self.time.gravity_growth / 60
        if frame > self.rules.attack.multiplier_margin:
            self.multiplier += self.rules.attack.multiplier_growth / 60
        if frame > growing.cap_margin:
            self.cap += growing.cap_growth / 60

    def happen(self, event: tuple[Any, ...]) -> None:
        kind, *what = event
        if kind in {"down", "hoisted", "up"}:
            if self.out is not None:
                return
            key, moment = what
            if moment > self.s:
                self.advance(moment - self.s)
                self.s = moment
            (self.release if kind == "up" else self.press)(key, hoisted=kind == "hoisted")
        elif kind == "target":
            self.targets = what[0]
        elif kind == "announce":
            self.announce(*what)
        else:
            self.count["received"] += self.waiting.confirm((what[0], what[1]), self.n)

    def advance(self, d: float) -> None:
        if self.out is None:
            self.auto_shift("left", d)
            self.auto_shift("right", d)
            self.fall(d)

    def press(self, key: str, *, hoisted: bool = False) -> None:
        if key == "hardDrop" and (not self.time.hard_drop or self.safe != 0):
            return
        self.count["inputs"] += 1
        if self.out is not None:
            return
        if key in self.held:
            self.held[key] = True
            self.das[key] = self.hand.das - self.hand.dcd if hoisted else 0
            self.arr[key] = self.hand.arr
            self.last = key
            self.shift()
        elif key == "soft":
            self.soft = True
        elif key in self.turning:
            self.turning[key] = True
            if key != "180" or self.allows_180:
                self.turn({"cw": 1, "ccw": -1, "180": 2}[key])
        elif key == "hold":
            self.hold_down = True
            self.hold()
        elif key == "hardDrop":
            before = math.floor(self.y)
            while self.sink(1):
                pass
            self.points += 2 * (before - math.floor(self.y))
            self.lock(hard=True)

    def release(self, key: str, **_: bool) -> None:
        if key in self.held:
            other = "right" if key == "left" else "left"
            self.held[key] = False
            self.das[key] = 0
            if self.held[other]:
                self.last = other
            if self.hand.cancel:
                self.arr[other] = self.hand.arr
                self.das[other] = 0
        elif key == "soft":
            self.soft = False
        elif key in self.turning:
            self.turning[key] = False
        elif key == "hold":
            self.hold_down = False

    def auto_shift(self, side: str, d: float) -> None:
        if not self.held[side] or self.last != side:
            return
        extra = max(0.0, d - max(0.0, self.hand.das - self.das[side]))
        self.das[side] = min(self.das[side] + d, self.hand.das)
        if self.das[side] < self.hand.das:
            return
        self.arr[side] += extra
        if self.arr[side] < self.hand.arr:
            return
        times = self.width if self.hand.arr == 0 else math.floor(self.arr[side] / self.hand.arr)
        self.arr[side] -= self.hand.arr * times
        for _ in range(times):
            self.shift()

    def shift(self) -> None:
        x = self.x + (-1 if self.last == "left" else 1)
        if not self.fits(x, math.floor(self.y), self.rotation):
            self.wall = True
            return
        self.x = x
        self.spin = Spin.NONE
        self.resets = min(self.resets + 1, 31)
        self.wall = False
        self.slam()
        if not self.exhausted():
            self.clock = 0.0

    def cut(self) -> None:
        if self.wall and self.hand.dcd != 0:
            for side in self.held:
                self.das[side] = min(self.das[side], self.hand.das - self.hand.dcd)
                self.arr[side] = self.hand.arr

    def fall(self, d: float) -> None:
        if self.safe > 0:
            self.safe -= 1
        v = self.gravity * d
        sdf = self.hand.soft_drop
        if self.soft:
            v = 400 * d if sdf == 41 else max(v * sdf, 0.05 * sdf)
        if self.exhausted() and not self.fits(self.x, math.floor(self.y) - 1, self.rotation):
            v = 20
            self.forced = True
        limit = self.time.lock_resets + 15
        if self.turns > limit:
            v += 0.5 * d * (self.turns - limit)
        while v > 0:
            before = math.floor(self.y)
            if self.sink(min(1, v)):
                v -= min(1, v)
                if self.soft:
                    self.points += before - math.floor(self.y)
                continue
            self.clock += d
            if self.clock > self.time.lock_time or self.forced or self.exhausted():
                if self.hand.safe_lock:
                    self.safe = 7
                self.lock(hard=False)
            break

    def sink(self, v: float) -> bool:
        y1, y2 = self.y - v, self.y - 1
        if self.time.rounded_heights:
            y1 = js_round(10**6 * y1) / 10**6
        if y1 == math.floor(y1):
            y1 -= 10**-6
        if y2 == math.floor(y2):
            y2 += 2 * 10**-6
        for y in (y1, y2):
            if not self.fits(self.x, math.floor(y), self.rotation):
                return False
        self.y = y1
        self.spin = Spin.NONE
        if y1 < self.low:
            self.resets = self.turns = 0
            self.low = math.floor(y1)
        return True

    def exhausted(self) -> bool:
        return self.resets >= self.time.lock_resets and not self.time.infinite_movement

    def slam(self) -> None:
        sdf = self.hand.soft_drop
        big = self.gravity > self.height and self.time.gravity_may_20g
        if self.soft:
            quick = sdf == 41 or self.gravity * sdf > self.height
            applies = quick and (self.hand.may_20g or big)
        else:
            applies = big
        while applies and self.sink(1):
            pass

    def turn(self, quarters: int) -> None:
        to = (self.rotation + quarters) % 4
        row = math.floor(self.y)
        used = None
        if self.fits(self.x, row, to):
            x, y = self.x, self.y
        else:
            table = self.kicks["i" if self.piece == "I" else "default"]
            kicks = [] if self.piece == "O" else table.get(f"{self.rotation}{to}", [])
            for dx, dy in kicks:
                y = math.ceil(self.y) - 0.1 + dy
                if self.total > self.time.lock_resets + 15:
                    y = self.y + dy
                if self.fits(self.x + dx, math.floor(y), to):
                    x, used = self.x + dx, (dx, dy)
                    break
            else:
                return
        start, self.x, self.y, self.rotation = self.rotation, x, y, to
        self.resets = min(self.resets + 1, 31)
        self.turns = min(self.turns + 1, 63)
        self.spin = self.judge(start, used)
        self.total += 1
        self.cut()
        if not self.exhausted():
            self.clock = 0.0

    def judge(self, start: int, kick: tuple[int, int] | None) -> Spin:
        mode = self.rules.pieces.spins
        row = math.floor(self.y)

        def stuck(dx: int, dy: int) -> bool:
            return not self.fits(self.x + dx, row + dy, self.rotation)

        if not stuck(0, -1):
            return Spin.NONE
        found = Spin.NONE
        if self.piece == "T":
            filled = [self.filled(self.x + dx, row - dy) for dx, dy in CORNERS]
            if sum(filled) >= 3:
                front = filled[self.rotation] and filled[(self.rotation + 1) % 4]
                turn = (start, self.rotation)
                always = (kick == (1, -2) and turn in {(2, 3), (0, 3)}) or (
                    kick == (-1, -2) and turn in {(2, 1), (0, 1)}
                )
                found = Spin.FULL if front or always else Spin.MINI
        if (
            mode == "all-mini+"
            and found is Spin.NONE
            and all(stuck(dx, dy) for dx, dy in ((-1, 0), (1, 0), (0, 1)))
        ):
            found = Spin.MINI
        return found

    def spawn(self, piece: str, *, from_hold: bool) -> None:
        quarters = 0
        if self.hand.initial_rotation == "hold":
            turning = self.turning
            quarters = (turning["cw"] - turning["ccw"] + 2 * turning["180"]) % 4
        marked = self.hand.initial_hold == "hold" and self.hold_down and not from_hold
        self.cut()
        self.wall = False
        self.forced = False
        if not from_hold:
            self.hold_used = False
        self.piece = piece
        size = {"I": 4, "O": 2}.get(piece, 3)
        self.x = math.floor(self.width / 2 - size / 2)
        self.y = self.height + 2.04
        self.low = self.height + 2
        self.rotation = 0
        self.clock = 0.0
        self.resets = self.turns = self.total = 0
        if self.is_blocked():
            smashed = not from_hold and bool(self.locks) and bool(self.locks[-1][-1])
            self.out = "garbagesmash" if smashed else "topout"
            self.lasted = self.n + self.s
        elif marked:
            self.hold()
        else:
            if quarters:
                self.turn({1: 1, 2: 2, 3: -1}[quarters])
            self.slam()

    def is_blocked(self) -> bool:
        def fits() -> bool:
            return self.fits(self.x, math.floor(self.y), self.rotation)

        if not fits() and self.cleared_before and self.rules.spawn.blocked == "clutch":
            while not fits() and math.floor(self.y) < self.rows:
                self.y += 1
                self.low += 1
        return not fits()

    def hold(self) -> None:
        if not self.rules.pieces.hold or (self.hold_used and not self.time.infinite_hold):
            return
        self.hold_used = True
        self.count["holds"] += 1
        put_away, self.hold_slot = self.hold_slot, self.piece
        self.spawn(put_away or next(self.pieces), from_hold=True)

    def lock(self, *, hard: bool) -> None:
        row, spin = math.floor(self.y), self.spin
        place = (self.piece, self.rotation, self.x, row)
        for x, y in self.shape(self.x, row, self.rotation):
            self.cells[x, y] = self.piece
        full = [y for y in range(self.rows) if all((x, y) in self.cells for x in range(self.width))]
        dug = sum(any(self.cells[x, y] == "G" for x in range(self.width)) for y in full)
        for y in reversed(full):
            self.cells = {(x, r - (r > y)): piece for (x, r), piece in self.cells.items() if r != y}
        lines, perfect = len(full), bool(full) and not self.cells
        attacks = attacks_of(
            self.rules,
            lines,
            spin,
            letter=place[0],
            perfect=perfect,
            garbage_lines=dug,
            combo=self.combo,
            chain=self.chain,
            multiplier=self.multiplier,
            draw=self.waiting.draws.fraction,
        )
        if not self.time.sends_attacks:
            attacks = []
        self.combo, self.chain = counters_after(
            self.rules, lines, spin, perfect=perfect, combo=self.combo, chain=self.chain
        )
        sent: tuple[int, ...] = ()
        entered: list[tuple[int, ...]] = []
        if lines:
            sent, _ = self.waiting.cancel(attacks, self.count["pieces"] + 1)
        else:
            most = math.floor(min(self.cap, self.rules.garbage.cap_limit))
            entered = self.waiting.enter(self.n, most, hard_drop=hard)
            for holes in entered:
                self.push(holes)
        self.cleared_before = lines > 0
        first_holes = [columns[0] for columns in entered]
        self.locks.append((self.n, place, lines, spin, tuple(attacks), sent, first_holes))
        self.spawn(next(self.pieces), from_hold=False)
        self.spin = Spin.NONE
        self.sendings.append((self.tick_index, self.multiplier, sent))
        for target in self.targets:
            for amount in sent:
                self.numbers[target] = self.numbers.get(target, 0) + 1
                self.outgoing.setdefault(target, []).append([self.numbers[target], amount])
        self.count["attack"] += sum(attacks)
        self.count["sent"] += sum(sent)
        self.count["pieces"] += 1
        self.count["lines"] += lines
        self.count["dug"] += dug
        points: float = POINTS[spin][lines]
        if lines and self.chain - 1 > 0:
            points *= 1.5
        if lines and self.combo - 1 > 0:
            points += 50 * (self.combo - 1)
        self.points += points + (3500 if perfect else 0)

    def push(self, holes: tuple[int, ...]) -> None:
        # Of 40 rows the third from the top is lost; those above stay.
        top = self.rows
        risen = {
            (x, y if y >= top - 2 else y + 1): piece
            for (x, y), piece in self.cells.items()
            if y != top - 3
        }
        self.cells = risen | {(x, 0): "G" for x in range(self.width) if x not in holes}

    def unmultiplied(self) -> tuple[int, int]:
        """Return the lines sent without the multiplier, and the largest spike of them."""
        total = spike = most = 0
        latest = -math.inf
        for frame, multiplier, sent in self.sendings:
            if not sent:
                continue
            lines = sum(math.floor(amount / multiplier) for amount in sent)
            spike = lines if frame - latest >= 60 else spike + lines
            total, most, latest = total + lines, max(most, spike), frame
        return total, most

    def announce(self, sender: int, number: int, lines: int, known: int) -> None:
        if self.time.cancels_in_flight:
            left = [attack for attack in self.outgoing.get(sender, []) if attack[0] > known]
            for attack in left:
                met = min(attack[1], lines)
                attack[1] -= met
                lines -= met
            self.outgoing[sender] = [attack for attack in left if attack[1]]
        self.waiting.announce((sender, number), lines)

    def shape(self, x: int, row: int, rotation: int) -> list[tuple[int, int]]:
        return [(x + c, row - r) for c, r in box(self.piece, rotation)]

    def filled(self, x: int, y: int) -> bool:
        inside = 0 <= x < self.width and 0 <= y < self.rows
        return not inside or (x, y) in self.cells

    def fits(self, x: int, row: int, rotation: int) -> bool:
        return not any(self.filled(*cell) for cell in self.shape(x, row, rotation))

    def text(self) -> str:
        rows = [
            "".join(self.cells.get((x, y), ".") for x in range(self.width))
            for y in range(self.rows)
        ]
        return "/".join(rows)
