"""Engines for Triangle hosts: a correct one, and others with one fault each.

``PYTHONPATH=. python tests/fakes/triangle_bots.py NAME``. They keep the board by themselves and
import nothing of ours but the cells of the other fake, so that they share none of our mistakes.
"""

import contextlib
import json
import os
import signal
import sys
import time
from typing import Any

from tests.fakes.dropper import badness, cells_of, fail, hang, is_free, place, say, say_no_more

CENTRE_SHIFTS = {"I": [0, 1, 1, 0]}
"""Change of the centre's column by a rotation."""
TURNS = [[], ["rotateCW"], ["rotate180"], ["rotateCCW"]]
ORIENTATIONS = ("north", "east", "south", "west")
ALL = "iotljsz"


class Engine:
    """Drops pieces where the stack stays low; holds only where it does not know its piece."""

    def __init__(self) -> None:
        self.board: list[list[bool]] = [[False] * 10 for _ in range(40)]
        self.current: str | None = None
        self.hold: str | None = None
        self.queue: list[str] = []
        self.asked = 0

    def run(self) -> None:
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))
        self.introduce()
        for line in sys.stdin:
            with contextlib.suppress(ValueError):
                self.receive(json.loads(line))

    def receive(self, message: Any) -> None:
        kind = message.get("type") if isinstance(message, dict) else None
        if kind in {"config", "state", "pieces", "play"}:
            getattr(self, kind)(message)

    def introduce(self) -> None:
        say({"type": "info", "name": "fake", "version": "1.0", "author": "us"})

    def config(self, message: dict[str, Any]) -> None:
        self.board = [[False] * 10 for _ in range(40)]
        self.hold = None
        self.queue = [piece.lower() for piece in message["queue"]]
        self.current = self.first()

    def first(self) -> str | None:
        if len(set(self.queue[:6])) == 6:
            return next(piece for piece in ALL if piece not in self.queue[:6])
        counts = {piece: self.queue[:13].count(piece) for piece in ALL}
        if sorted(counts.values()) != [1, 2, 2, 2, 2, 2, 2]:
            return None
        return min(counts, key=lambda piece: counts[piece])

    def state(self, message: dict[str, Any]) -> None:
        rows = [[cell is not None for cell in row] for row in message["board"]]
        self.board = rows + [[False] * 10 for _ in range(40 - len(rows))]
        self.current = message["current"].lower()
        self.hold = message["hold"]
        self.queue = [piece.lower() for piece in message["queue"]]

    def pieces(self, message: dict[str, Any]) -> None:
        self.queue += [piece.lower() for piece in message["pieces"]]

    def play(self, message: dict[str, Any]) -> None:
        self.asked += 1
        say({"type": "move", "keys": self.keys(), "data": {"board": self.cells()}})

    def keys(self) -> list[str]:
        keys: list[str] = []
        if self.current is None:
            keys.append("hold")
            self.current = self.queue.pop(0)
        piece = self.current.upper()
        best: tuple[int, list[str], list[list[bool]]] | None = None
        for turns in range({"O": 1, "I": 2, "S": 2, "Z": 2}.get(piece, 4)):
            start = 4 + CENTRE_SHIFTS.get(piece, [0] * 4)[turns]
            for x in range(10):
                y = 19
                cells = cells_of(piece, ORIENTATIONS[turns], x, y)
                if not is_free(self.board, cells):
                    continue
                while is_free(self.board, cells_of(piece, ORIENTATIONS[turns], x, y - 1)):
                    y -= 1
                after = place(self.board, cells_of(piece, ORIENTATIONS[turns], x, y))
                shifts = ["moveLeft" if x < start else "moveRight"] * abs(x - start)
                value = badness(after)
                if best is None or value < best[0]:
                    best = value, [*TURNS[turns], *shifts], after
        self.current = self.queue.pop(0) if self.queue else None
        if best is None:
            return [*keys, "hardDrop"]
        self.board = best[2]
        return [*keys, *best[1], "hardDrop"]

    def cells(self) -> list[list[int]]:
        return [[int(cell) for cell in row] for row in self.board]


class DiesAtStart(Engine):
    def introduce(self) -> None:
        fail("no model file", 3)


class HangsAtInfo(Engine):
    def introduce(self) -> None:
        hang()


class NoNewline(Engine):
    def introduce(self) -> None:
        sys.stdout.write('{"type":"info","name":"x","version":"1","author":"us"}')
        sys.stdout.flush()
        hang()


class NoAuthor(Engine):
    def introduce(self) -> None:
        say({"type": "info", "name": "x", "version": "1"})


class Chatty(Engine):
    def introduce(self) -> None:
        print("warming up", flush=True)
        super().introduce()


class NeedsEnvironment(Engine):
    def run(self) -> None:
        os.environ["PATH"]
        super().run()


class PublishedNames(Engine):
    def keys(self) -> list[str]:
        names = {"rotateCW": "rotateClockwise", "rotateCCW": "rotateCounterclockwise"}
        return [names.get(key, key) for key in ["rotateCW", "rotateCCW", *super().keys()]]


class NoHardDrop(Engine):
    def keys(self) -> list[str]:
        return super().keys()[:-1] or ["moveLeft"]


class TwoHardDrops(Engine):
    def keys(self) -> list[str]:
        return [*super().keys(), "hardDrop"]


class KeysBehind(Engine):
    def keys(self) -> list[str]:
        return [*super().keys(), "moveLeft"]


class NoKeys(Engine):
    def keys(self) -> list[str]:
        return []


class NoKeysAtFirst(Engine):
    def keys(self) -> list[str]:
        return [] if self.asked == 1 else super().keys()


class MissingKeys(Engine):
    def play(self, message: dict[str, Any]) -> None:
        say({"type": "move", "moves": ["hardDrop"]})


class Das(Engine):
    def keys(self) -> list[str]:
        return ["dasLeft", "moveRight", "moveRight", "moveRight", *super().keys()]


class Silent(Engine):
    def play(self, message: dict[str, Any]) -> None:
        say_no_more()


class DiesAtPlay(Engine):
    def play(self, message: dict[str, Any]) -> None:
        fail("index out of range", 1)


class Twice(Engine):
    def play(self, message: dict[str, Any]) -> None:
        move = json.dumps({"type": "move", "keys": self.keys(), "data": {"board": self.cells()}})
        # At once, so the second one never answers the next request.
        sys.stdout.write(f"{move}\n{move}\n")
        sys.stdout.flush()


class Slow(Engine):
    def play(self, message: dict[str, Any]) -> None:
        time.sleep(0.05)
        super().play(message)


class TalksToStderr(Engine):
    def play(self, message: dict[str, Any]) -> None:
        print("thinking", file=sys.stderr, flush=True)
        super().play(message)


class OnlyDrops(Engine):
    def play(self, message: dict[str, Any]) -> None:
        say({"type": "move", "keys": ["hardDrop"]})


class FirstOfQueue(Engine):
    def first(self) -> str | None:
        return self.queue.pop(0)


class NeedsState(Engine):
    def config(self, message: dict[str, Any]) -> None:
        self.current = None
        self.queue = []

    def keys(self) -> list[str]:
        if self.current is None:
            raise RuntimeError("no state")
        keys = super().keys()
        self.current = None
        return keys


class DiesAtState(Engine):
    def state(self, message: dict[str, Any]) -> None:
        print("thread 'main' panicked at src/protocol.rs:82:52:", file=sys.stderr)
        print("called `unwrap()` on an `Err` value: unknown variant `gb`", file=sys.stderr)
        note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
        fail(note, 101)


class IgnoresState(Engine):
    def state(self, message: dict[str, Any]) -> None:
        pass


class IgnoresPieces(Engine):
    def pieces(self, message: dict[str, Any]) -> None:
        pass


class AppendsTwice(Engine):
    def state(self, message: dict[str, Any]) -> None:
        queue = self.queue
        super().state(message)
        self.queue = queue + self.queue[-7:]


class OneSpelling(Engine):
    def config(self, message: dict[str, Any]) -> None:
        message["b2bCharging"]
        super().config(message)


class OldSpelling(Engine):
    def config(self, message: dict[str, Any]) -> None:
        message["b2bCharing"]
        super().config(message)


class NeedsData(Engine):
    def receive(self, message: Any) -> None:
        message["data"]
        super().receive(message)


class WantsNoNull(Engine):
    def receive(self, message: Any) -> None:
        if message.get("data", {}) is None:
            raise RuntimeError("data is null")
        super().receive(message)


class WholeNumbers(Engine):
    def play(self, message: dict[str, Any]) -> None:
        if not isinstance(message["garbageMultiplier"], int):
            raise TypeError("garbageMultiplier")
        super().play(message)


class KnownTypesOnly(Engine):
    def receive(self, message: Any) -> None:
        getattr(self, message["type"])(message)


class ThreeTables(Engine):
    def config(self, message: dict[str, Any]) -> None:
        {"SRS": 1, "SRS+": 2, "SRS-X": 3}[message["kicks"]]
        super().config(message)


class TallBoards(Engine):
    def state(self, message: dict[str, Any]) -> None:
        assert len(message["board"]) == 40
        super().state(message)


class IgnoresInterrupt(Engine):
    def introduce(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().introduce()


class LoudAtInterrupt(Engine):
    def introduce(self) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        super().introduce()


class StaysAtEnd(Engine):
    def run(self) -> None:
        super().run()
        hang()


class StaysForEver(Engine):
    def introduce(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().introduce()

    def run(self) -> None:
        super().run()
        hang()


if __name__ == "__main__":
    globals()[sys.argv[1] if len(sys.argv) > 1 else "Engine"]().run()
