"""Existing frontends, each with its peculiarity, in plain Python.

They own a simple game: seven-bag, pieces dropped from above, no spins. Each plays some pieces with
whatever bot it is given, and raises `LostError` where the program it imitates would end the game.
Written from descriptions of what these programs do, not from the programs.
"""

import contextlib
import json
import random
import select
import subprocess
import time
from typing import Any

from tests.fakes.dropper import Board, cells_of, drops, is_free, place

Json = dict[str, Any]
TURNS = ("north", "east", "south", "west")


class LostError(Exception):
    """The bot lost by its action or inaction."""


class Frontend:
    """Follows the specification: play, new_piece; plays the first legal move."""

    previews = 5
    seconds = 120.0
    buffer: int | None = None
    info_keys = ("name", "version", "author", "features")

    def __init__(self, command: list[str], seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.bag: list[str] = []
        self.queue: list[str] = []
        self.hold: str | None = None
        self.board: Board = []
        self.unsaid: list[str] = []
        self.pieces = 0
        self.process = self.launch(command)
        self.read = b""

    def launch(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def write(self, message: Json) -> str:
        return json.dumps(message, separators=(",", ":"))

    def say(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(self.write(message).encode() + b"\n")

    def hear(self, seconds: float = 120.0) -> Json:
        assert self.process.stdout is not None
        ends = time.monotonic() + seconds
        while b"\n" not in self.read:
            if not select.select([self.process.stdout], [], [], max(0, ends - time.monotonic()))[0]:
                raise LostError("no answer in time")
            data = self.process.stdout.read(1 << 16)
            if not data:
                raise LostError("the bot has ended")
            self.read += data
        line, _, self.read = self.read.partition(b"\n")
        if self.buffer is not None and len(line) >= self.buffer:
            raise LostError("a line that does not fit the buffer")
        content: Json = json.loads(line)
        return content

    def deal(self) -> str:
        if not self.bag:
            self.bag = self.random.sample("IOTLJSZ", 7)
        return self.bag.pop()

    def rules(self) -> Json:
        return {"type": "rules", "randomizer": "seven_bag"}

    def state(self) -> Json:
        cells = [["G" if cell else None for cell in row] for row in self.board]
        return {
            "type": "start",
            "hold": self.hold,
            "queue": list(self.queue),
            "combo": 0,
            "back_to_back": False,
            "board": cells,
            "randomizer": {"type": "seven_bag", "bag_state": self.bag or list("IOTLJSZ")},
        }

    def start(self) -> None:
        self.say(self.state())

    def agree(self) -> None:
        info = self.hear()
        if info["type"] != "info" or any(key not in info for key in self.info_keys):
            raise LostError("no info")
        self.say(self.rules())
        if self.hear()["type"] != "ready":
            raise LostError("not ready")

    def begin(self) -> None:
        self.board = [[False] * 10 for _ in range(40)]
        self.hold = None
        self.bag = []
        self.queue = [self.deal() for _ in range(self.previews + 1)]
        self.start()

    def game(self, pieces: int) -> None:
        self.begin()
        for number in range(pieces):
            if number % 7 == 5:
                self.enter_garbage()
            self.turn()
            if any(map(any, self.board[15:])):
                break
        self.end()

    def turn(self) -> None:
        answer = self.ask()
        move = self.choose(answer["moves"])
        held, first = self.take(move["location"]["type"])
        self.board = place(self.board, cells_of(**move["location"]))
        self.pieces += 1
        self.tell(move, [self.deal() for _ in range(2 if held and first else 1)])

    def ask(self) -> Json:
        self.say({"type": "suggest"})
        answer = self.hear(self.seconds)
        if answer["type"] != "suggestion":
            raise LostError(f"{answer['type']} for an answer")
        if not answer["moves"]:
            raise LostError("gives up")
        return answer

    def choose(self, moves: list[Json]) -> Json:
        for move in moves:
            if self.legal(move):
                return move
        raise LostError("no legal move")

    def legal(self, move: Json) -> bool:
        spot = move["location"]
        offered = self.hold or self.queue[1]
        if spot["type"] not in {self.queue[0], offered}:
            return False
        cells = cells_of(**spot)
        below = [(x, y - 1) for x, y in cells]
        others = [cell for cell in below if cell not in cells]
        return is_free(self.board, cells) and not is_free(self.board, others)

    def take(self, piece: str) -> tuple[bool, bool]:
        """Take the piece out of queue or hold; return True for a first hold."""
        current = self.queue.pop(0)
        if piece == current:
            return False, False
        first = self.hold is None
        if first:
            self.queue.pop(0)
        self.hold = current
        return True, first

    def tell(self, move: Json, dealt: list[str]) -> None:
        self.say({"type": "play", "move": move})
        for piece in dealt:
            self.queue.append(piece)
            self.say({"type": "new_piece", "piece": piece})

    def enter_garbage(self) -> None:
        hole = self.random.randrange(10)
        self.board = [[x != hole for x in range(10)], *self.board][:40]
        self.start()

    def end(self) -> None:
        self.say({"type": "stop"})

    def leave(self) -> int:
        self.say({"type": "quit"})
        return self.process.wait(120)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class Stadium(Frontend):
    """Pieces before moves, the last move, 4096 bytes, opponents, no randomizer, no quit."""

    buffer = 4096

    def rules(self) -> Json:
        return {"type": "rules"}

    def state(self) -> Json:
        state = super().state()
        del state["randomizer"]
        return {**state, "opponents": [{"board": state["board"]}]}

    def choose(self, moves: list[Json]) -> Json:
        return super().choose(moves[-1:])

    def tell(self, move: Json, dealt: list[str]) -> None:
        for piece in dealt:
            self.queue.append(piece)
            self.say({"type": "new_piece", "piece": piece})
        theirs = {"board": [[None] * 10] * 32, "combo": 0, "back_to_back": 1, "meter": 2}
        queue = {"queue": self.queue}
        self.say({"type": "play", "move": move, "opponents": [{**theirs, **queue}]})

    def end(self) -> None:
        pass


class Battletris(Frontend):
    """Limits a move to half a second and rejects false spins."""

    seconds = 0.5

    def legal(self, move: Json) -> bool:
        # Pieces dropped from above never spin.
        spots = list(drops(self.board, move["location"]["type"]))
        cells = sorted(cells_of(**move["location"]))
        dropped = any(sorted(cells_of(**spot)) == cells for spot in spots)
        return super().legal(move) and not (dropped and move["spin"] == "full")


class Playground(Frontend):
    """A web page: waits before suggest, plays the first move, never sends stop or quit."""

    def start(self) -> None:
        super().start()
        time.sleep(0.02)

    def choose(self, moves: list[Json]) -> Json:
        return super().choose(moves[:1])

    def end(self) -> None:
        pass

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(120)


class Jstris(Playground):
    """Shows four pieces."""

    previews = 3


class Quadspace(Frontend):
    """Other forms of moves, pieces when they are dealt; exits at unknown messages."""

    def hear(self, seconds: float = 120.0) -> Json:
        message = super().hear(seconds)
        if message["type"] not in {"info", "ready", "error", "suggestion"}:
            raise LostError("an unknown message")
        return message

    def start(self) -> None:
        # Dealt before the game has begun.
        self.say({"type": "new_piece", "piece": self.queue[0]})
        super().start()
        self.unsaid = []

    def ask(self) -> Json:
        for piece in self.unsaid:
            self.say({"type": "new_piece", "piece": piece})
        self.unsaid = []
        return super().ask()

    def tell(self, move: Json, dealt: list[str]) -> None:
        cells = sorted(cells_of(**move["location"]))
        spot = other = dict(move["location"])
        for turned in TURNS:
            for x in range(spot["x"] - 2, spot["x"] + 3):
                for y in range(spot["y"] - 2, spot["y"] + 3):
                    if sorted(cells_of(spot["type"], turned, x, y)) == cells:
                        other = {**spot, "orientation": turned, "x": x, "y": y}
        self.say({"type": "play", "move": {"location": other, "spin": move["spin"]}})
        self.queue += dealt
        self.unsaid += dealt

    def end(self) -> None:
        pass


class Swagtris(Frontend):
    """JSON with spaces; repeats suggest if there is no move."""

    def write(self, message: Json) -> str:
        return json.dumps(message)

    def start(self) -> None:
        super().start()
        time.sleep(0.025)


class ZxclPage(Frontend):
    """Shows seven pieces, plays the first move."""

    previews = 7

    def choose(self, moves: list[Json]) -> Json:
        return super().choose(moves[:1])


class Stateless(Frontend):
    """Sends start before each suggest, and nothing else."""

    def ask(self) -> Json:
        self.start()
        return super().ask()

    def tell(self, move: Json, dealt: list[str]) -> None:
        self.queue += dealt


class Adapter(Frontend):
    """Filled cells are ``X``, the bag may be empty, hold is missing; blank lines."""

    def state(self) -> Json:
        state = super().state()
        board = [["X" if cell else None for cell in row] for row in state["board"]]
        randomizer = {"type": "seven_bag", "bag_state": self.bag}
        state = {**state, "board": board, "randomizer": randomizer}
        if self.hold is None:
            del state["hold"]
        del state["combo"], state["back_to_back"]
        return state

    def say(self, message: Json) -> None:
        super().say(message)
        assert self.process.stdin is not None
        self.process.stdin.write(b"\r\n")


class TBotProtocol(Frontend):
    """Sends one new piece after a first hold."""

    def tell(self, move: Json, dealt: list[str]) -> None:
        # The omitted piece follows next time, so the queue stays one piece short.
        self.queue += dealt
        self.unsaid += dealt
        self.say({"type": "play", "move": move})
        self.say({"type": "new_piece", "piece": self.unsaid.pop(0)})

    def start(self) -> None:
        self.unsaid = []
        super().start()


class TakesGarbage(Frontend):
    """Sends garbage messages to a bot that announces the feature."""

    def agree(self) -> None:
        info = self.hear()
        if "garbage" not in info["features"]:
            raise LostError("no garbage")
        self.say({**self.rules(), "garbage": "general"})
        if self.hear()["type"] != "ready":
            raise LostError("not ready")

    def enter_garbage(self) -> None:
        holes = [self.random.randrange(10) for _ in range(2)]
        rows = [[x != hole for x in range(10)] for hole in holes]
        self.board = [*rows[::-1], *self.board][:40]
        told = [["G" if cell else None for cell in row] for row in rows]
        self.say({"type": "garbage", "rows": told})


class EarlyDraft(Frontend):
    """Uses the words of the first draft of the bag extension."""

    def rules(self) -> Json:
        return {"type": "rules", "randomizer": "7-bag"}

    def state(self) -> Json:
        return {**super().state(), "randomizer": {"type": "7-bag", "bag": self.bag or ["T"]}}


class Negative(Frontend):
    """Counts that start below 0, boards of 20 rows, pieces in lower case."""

    def state(self) -> Json:
        state = super().state()
        queue = [piece.lower() for piece in self.queue]
        counts = {"combo": -1, "back_to_back": -1}
        return {**state, **counts, "board": state["board"][:20], "queue": queue}


class NoRules(Frontend):
    """Never sends rules."""

    def agree(self) -> None:
        self.hear()
