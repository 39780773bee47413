"""Existing bots, each with its peculiarity: ``field.py NAME``.

Written from descriptions of what these programs do, not from the programs. The moves are those of
the dropper; only their manners are the others'.
"""

import os
import sys
import time
from typing import Any

from tests.fakes.dropper import Dropper, cells_of, fail, place, say, say_no_more
from tests.fakes.faulty import GrepsCompactJson, StrictTypes


class ColdClear1(Dropper):
    """Exits at an unknown message or cell."""

    name = "Cold Clear"

    def hear(self, message: dict[str, Any]) -> bool:
        known = {"rules", "start", "suggest", "play", "new_piece", "stop", "quit"}
        if message["type"] not in known:
            fail("unknown variant", 101)
        return super().hear(message)

    def start(self, message: dict[str, Any]) -> None:
        if any(cell not in {*"IOTLJSZG", None} for row in message["board"] for cell in row):
            fail("unknown variant", 101)
        super().start(message)


class WestForms(Dropper):
    """Bot that writes S, Z and I as north or west, like Cold Clear 1, and matches moves by form."""

    def moves(self) -> list[dict[str, Any]]:
        return [move for move in super().moves() if self.is_own(**move["location"])]

    def play(self, move: dict[str, Any]) -> None:
        if not self.is_own(**move["location"]):
            fail("no such move in the tree", 101)
        super().play(move)

    @staticmethod
    def is_own(type: str, orientation: str, **more: object) -> bool:  # noqa: A002
        forms = {"O": ("north",), **dict.fromkeys("SZI", ("north", "west"))}
        return type not in forms or orientation in forms[type]


class ColdClear2(StrictTypes):
    """Suggests no move at first."""

    name = "Cold Clear 2"

    def start(self, message: dict[str, Any]) -> None:
        self.asked = 0
        super().start(message)

    def suggest(self) -> None:
        info = {"nodes": 0 if self.asked == 1 else 5, "nps": 0.5, "extra": "NaN%"}
        moves = [] if self.asked == 1 else self.moves()[:1]
        say({"type": "suggestion", "moves": moves, "move_info": info})


class ColdClear2Web(ColdClear2):
    """Loses messages while it loads; logs between messages."""

    def run(self) -> None:
        print("Service initialized!", flush=True)
        time.sleep(0.2)
        os.set_blocking(0, False)
        try:
            lost = os.read(0, 1 << 20)
        except BlockingIOError:
            lost = b""
        os.set_blocking(0, True)
        if lost:
            print(f"lost {len(lost)} bytes", file=sys.stderr, flush=True)
        super().run()


class MisaMino(Dropper):
    """Plays its own move at suggest and ignores ``play``."""

    name = "MisaMino"
    run_id = 0

    def introduce(self) -> None:
        say({"type": "info", "name": self.name, "version": "1", "author": "us", "features": None})

    def start(self, message: dict[str, Any]) -> None:
        self.run_id += 1
        super().start(message)
        self.forget_what_lies_high()

    def forget_what_lies_high(self) -> None:
        self.board = [row if y < 20 else [False] * 10 for y, row in enumerate(self.board)]

    def suggest(self) -> None:
        if not self.board:
            spot = {"type": "N", "orientation": "north", "x": 0, "y": 0}
            say({"type": "suggestion", "moves": [{"location": spot, "spin": "none"}]})
            return
        if len(self.queue) < 2:
            say({"type": "suggestion", "moves": [], "run_id": self.run_id})
            return
        [move] = self.moves()[:1]
        before = sum(map(sum, self.board))
        self.advance(move)
        cleared = sum(map(sum, self.board)) <= before
        move["spin"] = "full" if cleared else "none"
        say({"type": "suggestion", "moves": [move], "run_id": self.run_id})

    def advance(self, move: dict[str, Any]) -> None:
        self.board = place(self.board, cells_of(**move["location"]))
        self.forget_what_lies_high()
        del self.queue[0]

    def play(self, move: dict[str, Any]) -> None:
        pass

    def quit(self) -> bool:
        say_no_more()
        return True


class OutOfStep(Dropper):
    """Bot that drops a piece of its queue after a first hold and lists moves of both pieces."""

    def moves(self) -> list[dict[str, Any]]:
        return super().moves()[:10] + self.hold_moves()[:10]

    def hold_moves(self) -> list[dict[str, Any]]:
        if len(self.queue) < 2:
            return []
        current = self.queue[0]
        self.queue[0] = self.held or self.queue[1]
        moves = super().moves()
        self.queue[0] = current
        return moves

    def play(self, move: dict[str, Any]) -> None:
        self.board = place(self.board, cells_of(**move["location"]))
        current = self.queue.pop(0)
        if move["location"]["type"] != current:
            self.held = current


class Bashtet(OutOfStep, GrepsCompactJson):
    """Holds whenever possible, so the first hold comes at once."""

    name = "bashtet"

    def moves(self) -> list[dict[str, Any]]:
        return (self.hold_moves() * 40)[:160]


class Hikari(Dropper):
    """Silent without randomizer, exits at other messages, repeats its own move."""

    name = "hikari_firefly"
    own: dict[str, Any] | None = None

    def hear(self, message: dict[str, Any]) -> bool:
        known = {"rules", "start", "suggest", "play", "new_piece", "stop", "quit"}
        if message["type"] not in known:
            fail("unknown message", 1)
        return super().hear(message)

    def rules(self, message: dict[str, Any]) -> None:
        if "randomizer" not in message:
            say_no_more()
        elif message["randomizer"] != "seven_bag":
            say({"type": "error", "reason": "unsupported_rules"})
        else:
            say({"type": "ready"})

    def start(self, message: dict[str, Any]) -> None:
        if message["randomizer"]["type"] != "seven_bag":
            fail("panicked", 101)
        super().start(message)

    def suggest(self) -> None:
        # Its first move is illegal, so the frontend must play another one.
        moves = self.moves()
        wish = {**moves[0]["location"], "y": 30}
        self.own = moves[0]
        best = {"location": wish, "spin": "none"}
        info = {"nodes": 0, "nps": 0, "depth": 0, "extra": ""}
        say({"type": "suggestion", "moves": [best, *moves[1:]], "move_info": info})

    def play(self, move: dict[str, Any]) -> None:
        assert self.own is not None
        super().play(self.own)


class Dellacherie(Dropper):
    """Never holds; exits if a hold is played."""

    name = "dellacherie"

    def play(self, move: dict[str, Any]) -> None:
        if move["location"]["type"] != self.queue[0]:
            fail("assertion failed", 101)
        super().play(move)


class Zxcl(Dropper):
    """Needs seven visible pieces; gives up at garbage."""

    name = "zxcl"

    def moves(self) -> list[dict[str, Any]]:
        return super().moves() if len(self.queue) >= 7 else []


class FreeWords(Dropper):
    """Sends its own messages at launch; rejects rules with a sentence."""

    def introduce(self) -> None:
        say({"type": "tbp_boot"})
        super().introduce()

    def rules(self, message: dict[str, Any]) -> None:
        say({"type": "error", "reason": "WebAssembly is not available in this browser"})


class OtherPlay(Dropper):
    """Uses another protocol of the same name: its ``play`` has other fields."""

    def play(self, move: dict[str, Any]) -> None:
        fail("missing field `mv`", 101)


class AnswersUnasked(Dropper):
    """Suggests after each position without a request."""

    def introduce(self) -> None:
        features = ["skip_suggest", "set_min_nodes"]
        say({"type": "info", "name": "keen", "version": "1", "author": "us", "features": features})

    def rules(self, message: dict[str, Any]) -> None:
        print(f"min_nodes {message.get('min_nodes')}", file=sys.stderr, flush=True)
        super().rules(message)

    def start(self, message: dict[str, Any]) -> None:
        super().start(message)
        say({"type": "suggestion", "moves": self.moves()})

    def play(self, move: dict[str, Any]) -> None:
        super().play(move)
        say({"type": "suggestion", "moves": self.moves()})

    def suggest(self) -> None:
        fail("nobody has to ask", 10)


class TakesGarbage(Dropper):
    """Announces the garbage draft; exits at a second start in a game."""

    started = False

    def introduce(self) -> None:
        features = ["garbage"]
        say({"type": "info", "name": "taker", "version": "1", "author": "us", "features": features})

    def hear(self, message: dict[str, Any]) -> bool:
        if message["type"] == "garbage":
            rows = [[cell is not None for cell in row] for row in message["rows"]]
            self.board = (rows[::-1] + self.board)[:40]
            return True
        if message["type"] == "stop":
            self.started = False
        return super().hear(message)

    def rules(self, message: dict[str, Any]) -> None:
        if message.get("garbage") != "general":
            fail("nobody said that garbage would come", 5)
        super().rules(message)

    def start(self, message: dict[str, Any]) -> None:
        if self.started:
            fail("started anew", 6)
        self.started = True
        super().start(message)


class Versus(Dropper):
    """Uses the versus dialect: counts, opponents, pieces before moves, inputs."""

    name = "versus"
    pieces_told = 0

    def hear(self, message: dict[str, Any]) -> bool:
        if message["type"] in {"start", "play"} and "opponents" not in message:
            fail("no opponents", 7)
        return super().hear(message)

    def start(self, message: dict[str, Any]) -> None:
        if type(message["back_to_back"]) is not int:
            fail("no count", 8)
        self.pieces_told = 0
        super().start(message)

    def play(self, move: dict[str, Any]) -> None:
        if len(self.queue) < 7:
            fail("the piece comes first", 9)
        super().play(move)

    def moves(self) -> list[dict[str, Any]]:
        """Add inputs to each move: rotations, then shifts."""
        turns = {"north": [], "east": ["cw"], "south": ["flip"], "west": ["ccw"]}
        moves: list[dict[str, Any]] = []
        for move in super().moves():
            spot = move["location"]
            if spot["orientation"] == "north":
                shift = spot["x"] - 4
                side = ["left" if shift < 0 else "right"] * abs(shift)
                moves.append({**move, "inputs": [*turns[spot["orientation"]], *side]})
        return moves


class Strays(Versus):
    """Its inputs lead elsewhere."""

    def moves(self) -> list[dict[str, Any]]:
        moves = [move for move in super().moves() if move["location"]["x"] < 7]
        return [{**move, "inputs": ["right"] * 9} for move in moves]


if __name__ == "__main__":
    bot: type[Dropper] = globals()[sys.argv[1]]
    bot().run()
