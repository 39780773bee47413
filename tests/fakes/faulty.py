"""Bots with one fault each: ``PYTHONPATH=. python tests/fakes/faulty.py NAME``.

What the field has, and what it could have.
"""

import io
import json
import os
import signal
import sys
import time
from typing import Any

from tests.fakes.dropper import Dropper, fail, hang, say, say_no_more


def note(line: str) -> None:
    """Append a line to the file that the test names."""
    # Without pathlib, which takes long to load.
    file = os.open(os.environ["SEVENBAG_FAKE_NOTE"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def changed(moves: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    """Return moves with other locations."""
    return [{**move, "location": {**move["location"], **changes}} for move in moves]


class DiesAtStart(Dropper):
    def introduce(self) -> None:
        print("a first line", file=sys.stderr)
        fail("no model file", 3)


class HangsAtInfo(Dropper):
    def introduce(self) -> None:
        hang()


class ChattyAtInfo(Dropper):
    def introduce(self) -> None:
        for part in range(3):
            print(f"warming up, part {part}", flush=True)
        hang()


class NoNewline(Dropper):
    def introduce(self) -> None:
        sys.stdout.write('{"type":"info","name":"x","version":"1","author":"us","features":[]}')
        sys.stdout.flush()
        hang()


class Refuses(Dropper):
    def rules(self, message: dict[str, Any]) -> None:
        say({"type": "error", "reason": "unsupported_rules"})


class HangsAtReady(Dropper):
    def rules(self, message: dict[str, Any]) -> None:
        say_no_more()


class NullFeatures(Dropper):
    def introduce(self) -> None:
        say({"type": "tbp_boot"})
        print("Service initialized!", flush=True)
        print(flush=True)
        say({"type": "info", "name": "null\x1b[2J features", "version": 2, "features": None})


class NeedsRandomizer(Dropper):
    """As hikari: silent without randomizer in rules, exits without it in start."""

    def rules(self, message: dict[str, Any]) -> None:
        if message.get("randomizer") == "seven_bag":
            super().rules(message)
        else:
            say_no_more()

    def start(self, message: dict[str, Any]) -> None:
        if message["randomizer"]["type"] != "seven_bag" or not message["randomizer"]["bag_state"]:
            fail("wrong randomizer", 101)
        super().start(message)


class GrepsCompactJson(Dropper):
    """As bashtet: searches JSON for fixed texts and kills its process group at the end."""

    def run(self) -> None:
        self.introduce()
        for line in filter(str.strip, sys.stdin):
            if '"type":"' not in line or ": " in line or not line.isascii():
                fail(f"not understood: {line[:60]}", 4)
            if not self.hear(json.loads(line)):
                os.killpg(0, signal.SIGTERM)


class StrictTypes(Dropper):
    """As Cold Clear 2: exits at a count instead of a boolean, a negative number, 39 rows."""

    def start(self, message: dict[str, Any]) -> None:
        sizes = {len(row) for row in message["board"]}
        if (
            type(message["back_to_back"]) is not bool
            or message["combo"] < 0
            or len(message["board"]) != 40
            or sizes != {10}
            or any(cell not in {*"IOTLJSZG", None} for row in message["board"] for cell in row)
        ):
            fail("thread 'main' panicked", 101)
        super().start(message)

    def run(self) -> None:
        self.introduce()
        while True:
            line = sys.stdin.readline()
            if not line.strip():
                fail("called `Option::unwrap()` on a `None` value", 101)
            if not self.hear(json.loads(line)):
                return


class NotesWhatItHears(Dropper):
    def hear(self, message: dict[str, Any]) -> bool:
        note(message["type"])
        return super().hear(message)


class DiesInGame(Dropper):
    def suggest(self) -> None:
        if self.asked == 3:
            fail("segmentation imminent", 7)
        super().suggest()


class KilledInGame(Dropper):
    def suggest(self) -> None:
        if self.asked == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        super().suggest()


class DiesInMidMessage(Dropper):
    def suggest(self) -> None:
        sys.stdout.write('{"type":"suggestion","moves":[{"location":{"ty')
        sys.stdout.flush()
        sys.exit(0)


class ClosesOutput(Dropper):
    def suggest(self) -> None:
        sys.stdout.flush()
        os.close(1)
        hang()


class HangsAtSuggest(Dropper):
    def suggest(self) -> None:
        hang()


class Rubbish(Dropper):
    """Prints invalid lines forever."""

    def suggest(self) -> None:
        while True:
            print("Lorem ipsum " * 10)


class Chatty(Dropper):
    """Logs to its output between messages."""

    def suggest(self) -> None:
        for i in range(100):
            print(f"INFO depth {i}")
        say({"type": "thoughts", "about": "weather"})
        super().suggest()


class MalformedMove(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return changed(super().moves()[:1], x="four")


class BogusPiece(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return changed(super().moves()[:1], type="N")


class LongLine(Dropper):
    def suggest(self) -> None:
        sys.stdout.write('{"type":"suggestion","moves":[],"padding":"')
        for _ in range(10):
            sys.stdout.write("x" * (1 << 20))
        say({})


class IllegalMoves(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        moves = super().moves()
        return [{**m, "location": {**m["location"], "y": m["location"]["y"] + 5}} for m in moves]


class FarMoves(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return changed(super().moves()[:1], y=900)


class FirstMoveIllegal(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return [*changed(super().moves()[:1], y=900), *super().moves()]


class LastMoveIllegal(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return [*super().moves(), *changed(super().moves()[:1], y=30)]


class LongSuggestions(Dropper):
    """As bashtet: some 160 moves and 17 kB."""

    def moves(self) -> list[dict[str, Any]]:
        return (super().moves() * 20)[:160]


class EmptyAtFirst(Dropper):
    """As Cold Clear 2: suggests no move if asked too early."""

    def moves(self) -> list[dict[str, Any]]:
        return super().moves() if self.asked % 2 == 0 else []


class GivesUp(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return []


class NotesAndGivesUp(GivesUp, NotesWhatItHears):
    pass


class GivesUpInOtherWords(Dropper):
    """Bot that sends different answers without moves."""

    def suggest(self) -> None:
        say({"type": "suggestion", "moves": [], "move_info": {"nodes": self.asked}})


class GivesUpByError(Dropper):
    def suggest(self) -> None:
        say({"type": "error", "reason": "garbage"})


class FalseSpins(Dropper):
    """As MisaMino: claims a full spin for each move."""

    def moves(self) -> list[dict[str, Any]]:
        return [{**move, "spin": "full"} for move in super().moves()]


class LowerCase(Dropper):
    def moves(self) -> list[dict[str, Any]]:
        return changed(super().moves(), type=self.queue[0].lower())


class OddForms(Dropper):
    """Writes south and west, integers as floats, JSON with spaces, and no spin."""

    def suggest(self) -> None:
        moves = [
            {"location": {**m["location"], "x": float(m["location"]["x"])}} for m in self.moves()
        ]
        moves.sort(key=lambda m: m["location"]["orientation"] not in {"south", "west"})
        print(json.dumps({"moves": moves, "mood": None, "type": "suggestion"}), end="\r\n")
        sys.stdout.flush()


class AnswersTwice(Dropper):
    def suggest(self) -> None:
        super().suggest()
        super().suggest()


class AnswersTwiceAtOnce(Dropper):
    def suggest(self) -> None:
        kept, sys.stdout = sys.stdout, io.StringIO()
        super().suggest()
        answer, sys.stdout = sys.stdout.getvalue(), kept
        os.write(1, answer.encode() * 2)


class AnswersLate(Dropper):
    """Answers the first request of each game late."""

    def start(self, message: dict[str, Any]) -> None:
        super().start(message)
        self.asked = 0

    def suggest(self) -> None:
        if self.asked == 1:
            time.sleep(0.6)
        super().suggest()


class MoveInfo(Dropper):
    def suggest(self) -> None:
        info = {"nodes": 12.5, "nps": 0, "depth": "deep", "extra": "NaN%", "more": [1]}
        say({"type": "suggestion", "moves": self.moves(), "move_info": info})


class IgnoresQuit(Dropper):
    def run(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()

    def leave(self) -> None:
        hang()


class LeavesWhenTerminated(IgnoresQuit):
    """Exits with code 0 at SIGTERM."""

    def run(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        Dropper.run(self)


class ExitsAtEndOfInput(Dropper):
    def quit(self) -> bool:
        say_no_more()
        return True


class LeavesChildren(Dropper):
    """Its child processes keep its output open after its exit."""

    def start(self, message: dict[str, Any]) -> None:
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")
        super().start(message)

    def suggest(self) -> None:
        if self.asked == 3:
            os._exit(9)
        super().suggest()


class TalksToStderr(Dropper):
    def suggest(self) -> None:
        sys.stderr.write("thinking hard\n" * 20_000)
        sys.stderr.flush()
        super().suggest()


class DoesNotRead(Dropper):
    def run(self) -> None:
        self.introduce()
        say({"type": "ready"})
        hang()


if __name__ == "__main__":
    fault: type[Dropper] = globals()[sys.argv[1]]
    fault().run()
