"""A Triangle host in plain Python, as Triangle.js's own loop drives bots: frames, gravity, garbage.

It is slow and obvious, and shares nothing with the engine that it is held against. The rules are
those of the engine of Triangle.js 4.2.6 as far as a bot can tell: pieces as cells in boxes, the
published kicks, random numbers and bags, falling by fractions of a row, garbage and its holes,
attack of Tetra League's second season.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]

KICKS: Final[Json] = json.loads((Path(__file__).parent.parent / "data" / "kicks.json").read_text())
BASE: Final = "zlosijt"
# Cells in each rotation: column and row, counted down from the top of the piece's box.
SHAPES: Final = {
    "i": ("01 11 21 31", "20 21 22 23", "02 12 22 32", "10 11 12 13"),
    "o": ("00 10 01 11",) * 4,
    "t": ("10 01 11 21", "10 11 21 12", "01 11 21 12", "10 01 11 12"),
    "j": ("00 01 11 21", "10 20 11 12", "01 11 21 22", "10 11 02 12"),
    "l": ("20 01 11 21", "10 11 12 22", "01 11 21 02", "00 10 11 12"),
    "s": ("10 20 01 11", "10 11 21 22", "11 21 02 12", "00 01 11 12"),
    "z": ("00 10 11 21", "20 11 21 12", "01 11 12 22", "10 01 11 02"),
}
BOXES: Final = {"i": 4, "o": 2}
TURNS: Final = {"rotateCW": 1, "rotate180": 2, "rotateCCW": 3}
SHIFTS: Final = {"moveLeft": -1, "moveRight": 1}


class HostError(Exception):
    """The bot violated the protocol."""


@dataclass(frozen=True)
class Room:
    """Rules of a room; by default those of Tetra League."""

    width: int = 10
    height: int = 20
    kicks: str = "SRS+"
    spins: str = "all-mini+"
    combo_table: str = "multiplier"
    bag: str = "7-bag"
    hold: bool = True
    gravity: float = 0.02
    gravity_growth: float = 0.0035
    gravity_margin: int = 7200
    cap: int = 8


class Random:
    """Random numbers and bags of a game."""

    def __init__(self, seed: int) -> None:
        self._value = seed % 2147483647 or 2147483646

    def draw(self) -> float:
        self._value = 16807 * self._value % 2147483647
        return (self._value - 1) / 2147483646

    def bag(self, kind: str) -> list[str]:
        if kind == "total mayhem":
            return [BASE[int(self.draw() * 7)]]
        pieces = list(BASE) * (2 if kind == "14-bag" else 1)
        for i in range(len(pieces) - 1, 0, -1):
            k = int(self.draw() * (i + 1))
            pieces[i], pieces[k] = pieces[k], pieces[i]
        return pieces


@dataclass
class Piece:
    """A falling piece: left column and top row of its box, with fractions of rows."""

    name: str
    x: int
    y: float
    rotation: int = 0

    def cells(self, dx: int = 0, dy: int = 0, rotation: int | None = None) -> list[tuple[int, int]]:
        turned = self.rotation if rotation is None else rotation
        top = math.floor(self.y) + dy
        shape = SHAPES[self.name][turned].split()
        return [(self.x + dx + int(cell[0]), top - int(cell[1])) for cell in shape]


@dataclass
class Batch:
    """A pending attack and the frame of its start."""

    lines: int
    frame: int


@dataclass
class Lock:
    """Result of a lock before garbage enters."""

    board: list[list[int]]
    entered: int


@dataclass
class Game:
    """One player's game, with keys in frames, or with keys only (`direct`)."""

    room: Room
    seed: int
    direct: bool = False
    queue: list[str] = field(default_factory=list[str])
    hold: str | None = None
    combo: int = -1
    b2b: int = -1
    pieces: int = 0
    dead: bool = False
    lost_rows: int = 0

    def __post_init__(self) -> None:
        self.rows = self.room.height + 20
        self.board: list[list[str | None]] = [[None] * self.room.width for _ in range(self.rows)]
        self.frame = 0
        self.gravity = self.room.gravity
        self.pending: list[Batch] = []
        self.dealt: list[str] = []
        self.locks: list[Lock] = []
        self._bag = Random(self.seed)
        self._holes = Random(self.seed)
        self._hole: int | None = None
        self._changed = False
        self._sent = 0
        self._held = False
        self._spin = "none"
        self._on_ground = 0.0
        self._cleared = False
        self.piece = self._spawned(self._next())
        self.dealt.clear()

    def tick(self, keys: list[str]) -> None:
        """Advance one frame: keys, the rest of the frame, then growing gravity."""
        # A soft drop is held for a tenth of a frame at 400 rows a frame.
        left = 1 - 0.1 * keys.count("softDrop")
        if left <= 0:
            raise HostError("ten soft drops and more reach into the next frame")
        for key in keys:
            self.press(key)
        self._fall(self.gravity * left)
        self._wait(left)
        self.frame += 1
        if self.frame > self.room.gravity_margin:
            self.gravity += self.room.gravity_growth / 60

    def press(self, key: str) -> None:
        """Press a key that takes no time."""
        if key in SHIFTS:
            if self._fits(self.piece.cells(SHIFTS[key])):
                self.piece.x += SHIFTS[key]
                self._on_ground = 0
                if self.direct:
                    self._spin = "none"
        elif key in TURNS:
            self._turn(TURNS[key])
        elif key == "hold":
            if self.room.hold and not self._held:
                held, self.hold = self.hold, self.piece.name
                self.piece = self._spawned(self._next() if held is None else held)
                self._held = True
        elif key == "softDrop":
            self._fall(40.0)
        elif key in {"dasLeft", "dasRight"}:
            for _ in range(self.room.width):
                self.press(f"move{key.removeprefix('das')}")
        elif key == "hardDrop":
            self._fall(self.rows)
            self._lock()
        else:
            raise HostError(f"no key is called {key}")

    def config(self) -> Json:
        """Return the config of the releases: the room and the first pieces."""
        room = self.room
        league = room.spins == "all-mini+"
        return {
            "type": "config",
            "boardWidth": room.width,
            "boardHeight": room.height,
            "kicks": room.kicks,
            "spins": room.spins,
            "comboTable": room.combo_table,
            "b2bCharing": league,
            "b2bChargeAt": 4 if league else 0,
            "b2bChargeBase": 3 if league else 0,
            "b2bChaining": not league,
            "garbageMultiplier": 1,
            "garbageCap": 1,
            "garbageSpecialBonus": league,
            "pcB2b": 1 if league else 0,
            "pcGarbage": 5 if league else 10,
            "queue": self.queue,
        }

    def state(self) -> Json:
        """Return the whole position."""
        return {
            "type": "state",
            "board": self.board,
            "current": self.piece.name,
            "hold": self.hold,
            "queue": self.queue,
            "garbage": [batch.lines for batch in self.pending],
            "combo": self.combo,
            "b2b": self.b2b,
        }

    def _next(self) -> str:
        if len(self.queue) < 31:
            while len(self.queue) < 31:
                bag = self._bag.bag(self.room.bag)
                self.queue += bag
                self.dealt += bag
        return self.queue.pop(0)

    def _spawned(self, name: str) -> Piece:
        x = math.floor(self.room.width / 2 - BOXES.get(name, 3) / 2)
        turned = 2 if self.room.kicks in {"NRS", "ARS"} and name in "ljt" else 0
        piece = Piece(name, x, self.room.height + 2.04, turned)
        while not self._fits(piece.cells()):
            if not self._cleared or piece.y >= self.rows - 1:
                self.dead = True
                break
            piece.y += 1
        self._on_ground = 0
        return piece

    def _fits(self, cells: list[tuple[int, int]]) -> bool:
        return all(
            0 <= x < self.room.width and 0 <= y < self.rows and self.board[y][x] is None
            for x, y in cells
        )

    def _fall(self, rows: float) -> None:
        while rows > 0:
            step = min(rows, 1.0)
            rows -= step
            whole = math.floor(self.piece.y) - math.floor(self.piece.y - step)
            if whole and not self._fits(self.piece.cells(0, -whole)):
                self.piece.y = math.floor(self.piece.y)
                return
            self.piece.y -= step
            if whole:
                self._on_ground = 0
                self._spin = "none"

    def _wait(self, time: float) -> None:
        if not self._fits(self.piece.cells(0, -1)):
            self._on_ground += time
            if self._on_ground > 30:
                self._lock()

    def _turn(self, by: int) -> None:
        piece = self.piece
        to = (piece.rotation + by) % 4
        tables = KICKS["games"][self.room.kicks]
        table = tables.get("i", tables["default"]) if piece.name == "i" else tables["default"]
        name = f"{piece.rotation}{to}"
        if name not in table:
            return
        tests = [(0, 0)] if piece.name == "o" else [(0, 0), *map(tuple, table[name])]
        for dx, dy in tests:
            if self._fits(piece.cells(dx, dy, to)):
                before = piece.rotation
                piece.x, piece.y, piece.rotation = piece.x + dx, piece.y + dy, to
                self._on_ground = 0
                self._spin = self._judged((dx, dy), before)
                return

    def _judged(self, kick: tuple[int, int], before: int) -> str:
        """Return the spin of a rotation in the mode all-mini+."""
        piece = self.piece
        around = ((-1, 0), (1, 0), (0, -1), (0, 1))
        stuck = not any(self._fits(piece.cells(dx, dy)) for dx, dy in around)
        best = "mini" if stuck else "none"
        if piece.name != "t" or self._fits(piece.cells(0, -1)):
            return best
        x, y = piece.x + 1, math.floor(piece.y) - 1
        corners = [(x - 1, y + 1), (x + 1, y + 1), (x + 1, y - 1), (x - 1, y - 1)]
        filled = [not self._fits([corner]) for corner in corners]
        if sum(filled) < 3:
            return best
        front = (piece.rotation, (piece.rotation + 1) % 4)
        far = (before, piece.rotation, kick)
        downward = {(2, 3, (1, -2)), (0, 3, (1, -2)), (2, 1, (-1, -2)), (0, 1, (-1, -2))}
        return "normal" if all(filled[i] for i in front) or far in downward else "mini"

    def _lock(self) -> None:
        for x, y in self.piece.cells():
            self.board[y][x] = self.piece.name
        full = [row for row in self.board if None not in row]
        kept = [row for row in self.board if None in row]
        empty: list[list[str | None]] = [[None] * self.room.width for _ in full]
        self.board = [*kept, *empty]
        lines, spin = len(full), self._spin
        attacks = self._attacks(lines, spin, any("gb" in row for row in full))
        cells = [[int(cell is not None) for cell in row] for row in self.board]
        self.pieces += 1
        entered = 0
        if lines:
            self._cancel(attacks)
        else:
            entered = self._tank()
        self.locks.append(Lock(cells, entered))
        self._cleared, self._held, self._spin = lines > 0, False, "none"
        self.piece = self._spawned(self._next())

    def _attacks(self, lines: int, spin: str, garbage: bool) -> list[int]:
        """Return the attack in Tetra League's second season, counters first."""
        if not lines:
            self.combo = -1
            return []
        self.combo += 1
        empty = all(cell is None for row in self.board for cell in row)
        difficult = spin != "none" or lines >= 4
        chain, broken = self.b2b, False
        if empty or difficult:
            self.b2b += 1
        else:
            self.b2b, broken = -1, True
        attacks: list[int] = []
        if broken and chain + 1 > 4:
            surge = chain - 4 + 3 + 1
            third = math.floor(surge / 3 + 0.5)
            attacks += [third, third, surge - 2 * third]
        table = {"none": (0, 0, 1, 2, 4), "mini": (0, 0, 1, 2, 10), "normal": (0, 2, 4, 6, 10)}
        main = float(table[spin][lines])
        if self.b2b > 0:
            main += 1
        if self.combo > 0:
            main *= 1 + 0.25 * self.combo
            if self.combo > 1:
                main = max(math.log(1 + 1.25 * self.combo), main)
        attacks += [math.floor(main) + (difficult and garbage), 5 * empty]
        return [attack for attack in attacks if attack]

    def _cancel(self, attacks: list[int]) -> None:
        for i, attack in enumerate(attacks):
            total = sum(batch.lines for batch in self.pending)
            free = attack if self.pieces <= 14 and total >= self._sent else 0
            left = attack
            while self.pending and (left or free):
                if left:
                    left -= 1
                else:
                    free -= 1
                self._take()
            if left:
                self._sent += left
                del attacks[:i]
                return

    def _take(self) -> None:
        batch = self.pending[0]
        batch.lines -= 1
        if not batch.lines:
            self.pending.pop(0)
            # Messiness 1 between attacks.
            self._holes.draw()
            self._reroll()

    def _reroll(self) -> None:
        self._hole = math.floor(self._holes.draw() * self.room.width)
        self._changed = True

    def _tank(self) -> int:
        self.pending.sort(key=lambda batch: batch.frame)
        entered = 0
        while self.pending and entered < self.room.cap and self.pending[0].frame + 20 <= self.frame:
            if self._hole is None and not self._changed:
                self._reroll()
            elif self._hole is not None:
                self._holes.draw()
            assert self._hole is not None
            row: list[str | None] = ["gb"] * self.room.width
            row[self._hole] = None
            self._changed = False
            self.board.insert(0, row)
            # The third item from the top of the grown list is lost.
            del self.board[-3]
            entered += 1
            self._take()
        return entered


class Host:
    """Drives a bot as Triangle.js's BotWrapper does, or as hosts that apply keys themselves."""

    def __init__(self, command: list[str], room: Room, seed: int) -> None:
        """Start the bot with an empty environment."""
        self.game = Game(room, seed)
        self.bot = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            start_new_session=True,
        )
        self.said: list[str] = []
        self.waited: list[float] = []
        self.played: list[tuple[Lock, Json]] = []

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.bot.kill()
        self.bot.communicate()

    def play(
        self,
        pieces: int,
        pps: float,
        attack: Callable[[int], int] = lambda _: 0,
        *,
        states: str = "after garbage",
    ) -> list[tuple[Lock, Json]]:
        """Play a number of the bot's pieces.

        Args:
            pieces: how many.
            pps: pieces a second.
            attack: lines that set out against it, by the number of pieces placed.
            states: when they are told: ``after garbage``, or ``always`` before a question.

        Returns: every lock, with the move that made it.

        Raises:
            HostError: the bot says what no host understands, or does not place exactly one piece.
        """
        game, played = self.game, self.played
        self._config()
        entered, attacked = False, 0
        while len(played) < pieces:
            due = game.frame >= (game.pieces + 1) / pps * 60
            if entered or (due and states == "always"):
                self._state()
            entered = False
            before, keys = game.pieces, list[str]()
            move: Json | None = None
            if due:
                self._say({"type": "play", "garbageCap": game.room.cap, "garbageMultiplier": 1})
                move = self._hear("move")
                keys = move["keys"]
                expect_taps(keys)
            game.tick(keys)
            if game.dealt:
                self._say({"type": "pieces", "pieces": game.dealt})
                game.dealt.clear()
            if game.dead:
                raise HostError(f"topped out after {game.pieces} pieces")
            if game.pieces - before != (move is not None):
                raise HostError(f"{game.pieces - before} pieces locked by {keys}")
            if move is not None:
                played.append((game.locks[-1], move))
                entered = game.locks[-1].entered > 0
                if game.pieces > attacked:
                    attacked = game.pieces
                    if lines := attack(game.pieces):
                        game.pending.append(Batch(lines, game.frame))
        return played

    def _config(self) -> None:
        info = self._hear("info")
        if not {"name", "version", "author"} <= set(info):
            raise HostError(f"an incomplete introduction: {info}")
        self._say(self.game.config())

    def _state(self) -> None:
        self._say(self.game.state())

    def _say(self, message: Json) -> None:
        assert self.bot.stdin is not None
        line = json.dumps(message, separators=(",", ":"))
        self.said.append(line)
        self.bot.stdin.write(line.encode() + b"\n")
        self.bot.stdin.flush()

    def _hear(self, kind: str) -> Json:
        assert self.bot.stdout is not None
        begun = time.perf_counter()
        line = self.bot.stdout.readline()
        self.waited.append(time.perf_counter() - begun)
        if not line.endswith(b"\n"):
            raise HostError(f"the bot has ended instead of saying {kind}")
        message: Json = json.loads(line)
        if message["type"] != kind:
            raise HostError(f"the bot said {message['type']} instead of {kind}")
        return message


def expect_taps(keys: list[str]) -> None:
    """Require keys that every host accepts: hold first, taps only, one hard drop last."""
    taps = {*SHIFTS, *TURNS, "softDrop", "hold", "hardDrop"}
    if set(keys) - taps or "hold" in keys[1:] or keys.count("hardDrop") != 1:
        raise HostError(f"keys that some host does not take: {keys}")
    if keys[-1] != "hardDrop":
        raise HostError(f"keys behind the hard drop: {keys}")
