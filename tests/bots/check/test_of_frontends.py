"""The checker of frontends: right ones pass, and what others do is found, by its name."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from sevenbag.arena.match import Conditions, play_match
from sevenbag.bots.registry import create_bot
from sevenbag.bots.tbp import TbpBot
from sevenbag.game import Rules
from tests.fakes import frontends
from tests.fakes.dropper import cells_of, drops
from tests.fakes.frontends import Frontend, LostError

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]

CHECK = [sys.executable, "-P", "-m", "sevenbag", "check", "--frontend", "--format", "json"]


class ForeignBag(Frontend):
    """Tells the bag at the current piece, not at the end of the queue."""

    def state(self) -> Json:
        state = super().state()
        state["randomizer"]["bag_state"] = list(self.queue)
        return state


class EmptyBag(Frontend):
    def state(self) -> Json:
        return {**super().state(), "randomizer": {"type": "seven_bag", "bag_state": []}}


class OtherRandomizer(Frontend):
    def rules(self) -> Json:
        return {"type": "rules", "randomizer": "uniform"}


class Hasty(Frontend):
    """Does not wait for ready, nor for info."""

    def agree(self) -> None:
        self.say(self.rules())
        self.board = [[False] * 10 for _ in range(40)]
        self.queue = list("SZOITL")
        self.say(super().state())
        self.hear()
        self.hear()


class AsksTooEarly(Frontend):
    def agree(self) -> None:
        super().agree()
        self.say({"type": "suggest"})
        self.hear()
        self.say({"type": "play", "move": {"location": {}, "spin": "none"}})
        self.say({"type": "new_piece", "piece": "T"})


class ShortQueue(Frontend):
    """Does not tell the second piece after a first hold."""

    def choose(self, moves: list[Json]) -> Json:
        move = super().choose(moves)
        if self.hold is None and self.pieces > 1:
            held = next(drop for drop in drops(self.board, self.queue[1]))
            return {"location": held, "spin": "none"}
        return move

    def tell(self, move: Json, dealt: list[str]) -> None:
        super().tell(move, dealt[:1])


class WrongPieces(Frontend):
    def deal(self) -> str:
        return self.random.choice("IOTLJSZ")


class PlaysAnother(Frontend):
    def choose(self, moves: list[Json]) -> Json:
        super().choose(moves)
        spot = list(drops(self.board, self.queue[0]))[-1]
        return {"location": spot, "spin": "none"}


class PlaysTheLast(Frontend):
    def choose(self, moves: list[Json]) -> Json:
        return super().choose(moves[::-1])


class Hangs(Frontend):
    def tell(self, move: Json, dealt: list[str]) -> None:
        spot = {**move["location"], "y": move["location"]["y"] + 5}
        super().tell({"location": spot, "spin": "none"}, dealt)


class Believes(Frontend):
    """Tells back whatever was claimed."""


class Impatient(Frontend):
    def ask(self) -> Json:
        self.say({"type": "suggest"})
        time.sleep(0.1)
        self.say({"type": "suggest"})
        answer = self.hear()
        self.hear()
        return answer


class UnaskedGarbage(Frontend):
    def enter_garbage(self) -> None:
        row = [None, *["G"] * 9]
        self.board = [[False, *[True] * 9], *self.board][:40]
        self.say({"type": "garbage", "rows": [row]})


class FullGarbage(frontends.TakesGarbage):
    def enter_garbage(self) -> None:
        self.say({"type": "garbage", "rows": [["G"] * 10]})
        self.start()


class StrictForms(Frontend):
    """Ends at moves that are not pointed as it points them itself."""

    def choose(self, moves: list[Json]) -> Json:
        known: dict[object, Json] = {}
        for piece in {self.queue[0], self.hold or self.queue[1]}:
            for spot in drops(self.board, piece):
                known.setdefault(frozenset(cells_of(**spot)), spot)
        for move in moves:
            if move["location"] in known.values():
                return move
        raise LostError("not in my list")


class OnlyTheFirst(Frontend):
    def choose(self, moves: list[Json]) -> Json:
        return super().choose(moves[:1])


class Slams(Frontend):
    """Never says quit."""

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(5)


class OldBoard(Frontend):
    def state(self) -> Json:
        state = super().state()
        return {**state, "board": state["board"][:20], "combo": -1, "back_to_back": 1}


def findings(frontend: type[Frontend], tmp_path: Path, *more: str) -> set[tuple[str, str]]:
    """What is found when this one plays two games; a lost game goes on with the next."""
    file = tmp_path / "report.json"
    partner = frontend([*CHECK, "--output", str(file), *more])
    try:
        partner.agree()
        for _ in range(2):
            try:
                partner.game(14)
            except LostError:
                partner.say({"type": "stop"})
        code = partner.leave()
    finally:
        partner.kill()
    report = json.loads(file.read_text())
    found = {
        (check["id"], finding["severity"])
        for check in report["checks"]
        for finding in check["findings"]
    }
    assert code == int(any(severity == "error" for _, severity in found))
    for check in report["checks"]:
        for finding in check["findings"]:
            assert finding["what"]
            assert finding["place"]
            assert finding["lines"]
    return found


# --- right ones ---------------------------------------------------------------------------------


@pytest.mark.parametrize("garbage", [0, 40])
async def test_our_own_driver_passes(garbage: int, mark: str, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    rules = Rules.preset("guideline").replace({"garbage": {"travel": 0}})
    checker = TbpBot([*CHECK[:-1], "text", "--output", str(file)], deadlines=None)
    conditions = Conditions(rules, seed=3, max_pieces=40)
    result = await play_match((checker, create_bot("beam:nodes=300")), conditions)
    fall = result.falls[0]
    assert fall is None or not fall.reason.is_fault
    assert result.stats[0].pieces > 15
    assert "0 errors, 0 warnings, 0 notes" in file.read_text()


@pytest.mark.parametrize("name", ["Frontend", "Battletris", "ZxclPage", "TakesGarbage"])
def test_those_by_the_text_pass(name: str, mark: str, tmp_path: Path) -> None:
    frontend: type[Frontend] = getattr(frontends, name)
    found = findings(frontend, tmp_path)
    # A move is told back with the claim that was made; only one of them judges spins itself.
    assert found - {("spin", "warning"), ("preferred", "warning")} == set()


# --- others -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frontend", "expected"),
    [
        (ForeignBag, ("bag", "error")),
        (EmptyBag, ("form", "error")),
        (OtherRandomizer, ("same-randomizer", "error")),
        (Hasty, ("waits-for-info", "warning")),
        (Hasty, ("waits-for-ready", "error")),
        (AsksTooEarly, ("started", "error")),
        (AsksTooEarly, ("form", "error")),
        (ShortQueue, ("new-pieces", "warning")),
        (WrongPieces, ("dealt", "warning")),
        (PlaysAnother, ("preferred", "error")),
        (PlaysTheLast, ("preferred", "error")),
        (Hangs, ("legal", "error")),
        (Believes, ("spin", "warning")),
        (Impatient, ("patience", "error")),
        (UnaskedGarbage, ("features", "error")),
        (FullGarbage, ("form", "error")),
        (StrictForms, ("cells", "warning")),
        (OnlyTheFirst, ("preferred", "warning")),
        (Slams, ("quit", "warning")),
        (OldBoard, ("form", "error")),
        (OldBoard, ("form", "warning")),
        (frontends.Stadium, ("preferred", "error")),
        (frontends.Playground, ("quit", "warning")),
        (frontends.Swagtris, ("lines", "note")),
        (frontends.Adapter, ("lines", "warning")),
        (frontends.Adapter, ("form", "error")),
        (frontends.EarlyDraft, ("form", "error")),
        (frontends.Negative, ("form", "error")),
        (frontends.NoRules, ("rules", "error")),
        (frontends.Quadspace, ("started", "warning")),
    ],
)
def test_what_they_do_is_found(
    frontend: type[Frontend], expected: tuple[str, str], mark: str, tmp_path: Path
) -> None:
    assert expected in findings(frontend, tmp_path)


def test_the_report_is_there_before_the_end(mark: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    partner = Frontend([*CHECK, "--output", str(file)])
    try:
        partner.agree()
        partner.game(3)
        ends = time.monotonic() + 120
        while not file.exists() and time.monotonic() < ends:
            time.sleep(0.02)
        assert json.loads(file.read_text())["counts"]["error"] == 0
    finally:
        partner.kill()
