"""The check of TBP frontends passes correct frontends and finds the errors of others."""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sevenbag.bots.registry import create_bot
from sevenbag.checks import ConformanceReport, check_tbp_frontend, tbp_frontend_check
from tests.checks.checking import Findings, list_findings, parse_findings
from tests.fakes import frontends
from tests.fakes.dropper import cells_of, drops
from tests.fakes.frontends import Frontend, LostError

Json = dict[str, Any]

CORRECT = ["Battletris", "ZxclPage", "TakesGarbage"]
CHECK = [sys.executable, "-P", "-m", "sevenbag", "check", "--frontend", "--format", "json"]


class ForeignBag(Frontend):
    """Sends the bag before the queue, not after it."""

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
    """Does not wait for info and ready."""

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
    """Omits the second new piece after a first hold."""

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
    """Repeats claimed spins."""


class Impatient(Frontend):
    def ask(self) -> Json:
        self.say({"type": "suggest"})
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
    """Rejects moves in other forms than its own."""

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
    """Never sends quit."""

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(120)


class OldBoard(Frontend):
    def state(self) -> Json:
        state = super().state()
        return {**state, "board": state["board"][:20], "combo": -1, "back_to_back": 1}


class Hosted:
    """Check of a frontend in a thread, with pipes like those of a process."""

    def __init__(self) -> None:
        self.report = ConformanceReport("")
        self._input, to_check = os.pipe()
        from_check, self._output = os.pipe()
        self.stdin = open(to_check, "wb", buffering=0)  # noqa: PTH123, SIM115
        self.stdout = open(from_check, "rb", buffering=0)  # noqa: PTH123, SIM115
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        check = check_tbp_frontend(
            create_bot("beam:nodes=20"),
            on_report=lambda _: None,
            input_descriptor=self._input,
            output_descriptor=self._output,
        )
        self.report = asyncio.run(check)

    def wait(self, seconds: float | None = None) -> int:
        self._thread.join(seconds)
        assert not self._thread.is_alive()
        return int(self.report.has_severity("error"))

    def kill(self) -> None:
        # The check and its reader thread end at the end of the input.
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self._thread.join()
        for thread in threading.enumerate():
            if thread.name == "sevenbag-serve-input":
                thread.join()
        os.close(self._input)
        os.close(self._output)


def play(partner: Frontend) -> int:
    """Play two games, of which each may be lost, and return the exit code."""
    try:
        partner.agree()
        for _ in range(2):
            try:
                partner.game(14)
            except LostError:
                partner.say({"type": "stop"})
        return partner.leave()
    finally:
        partner.kill()


def findings(frontend: type[Frontend], monkeypatch: pytest.MonkeyPatch) -> Findings:
    """Return the findings of two games of a frontend."""
    # Only two of them send messages too early.
    monkeypatch.setattr(tbp_frontend_check, "_INFO_DELAY", 120.0 if frontend is Hasty else 0.0)
    monkeypatch.setattr(tbp_frontend_check, "_READY_DELAY", 120.0 if frontend is Hasty else 0.0)
    monkeypatch.setattr(
        tbp_frontend_check, "_LATE_ANSWER_DELAY", 120.0 if frontend is Impatient else 0.0
    )
    monkeypatch.setattr(frontends.Battletris, "seconds", 120.0)
    monkeypatch.setattr(Frontend, "launch", lambda *_: Hosted())
    partner = frontend([])
    play(partner)
    assert isinstance(partner.process, Hosted)
    report = partner.process.report
    for finding in report.findings:
        assert finding.message
        assert finding.source or finding.clause.source
        assert finding.lines
    return list_findings(report)


@pytest.mark.parametrize(
    "name", ["Frontend", *(pytest.param(name, marks=pytest.mark.slow) for name in CORRECT)]
)
def test_correct_frontends_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(getattr(frontends, name), monkeypatch)
    # Only one of them determines spins itself.
    assert found <= parse_findings("spin:warning preferred-move:warning")


FOUND: dict[type[Frontend], str] = {
    Hasty: "waits-for-info:warning waits-for-ready:error",
    AsksTooEarly: "start-first:error message-format:error",
    PlaysTheLast: "preferred-move:error",
    Impatient: "pending-suggest:error",
    OldBoard: "message-format:error message-format:warning",
}
FOUND_SLOWLY: dict[type[Frontend], str] = {
    ForeignBag: "bag-state:error",
    EmptyBag: "message-format:error",
    OtherRandomizer: "randomizer:error",
    ShortQueue: "new-pieces:warning",
    WrongPieces: "bag-order:warning",
    PlaysAnother: "preferred-move:error",
    Hangs: "legal-play:error",
    Believes: "spin:warning",
    UnaskedGarbage: "features:error",
    FullGarbage: "message-format:error",
    StrictForms: "equivalent-moves:warning",
    OnlyTheFirst: "preferred-move:warning",
    Slams: "quit:warning",
    frontends.Stadium: "preferred-move:error",
    frontends.Playground: "quit:warning",
    frontends.Swagtris: "lines:note",
    frontends.Adapter: "lines:warning message-format:error",
    frontends.EarlyDraft: "message-format:error",
    frontends.Negative: "message-format:error",
    frontends.NoRules: "rules-first:error",
    frontends.Quadspace: "start-first:warning",
}


@pytest.mark.parametrize(
    ("frontend", "expected"),
    [
        *FOUND.items(),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in FOUND_SLOWLY.items()),
    ],
)
def test_errors_are_found(
    frontend: type[Frontend], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parse_findings(expected) <= findings(frontend, monkeypatch)


def test_command(mark: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    assert play(ForeignBag([*CHECK, "--output", str(file)])) == 1
    report = json.loads(file.read_text())
    found = {check["id"]: check["findings"] for check in report["checks"]}
    assert {finding["severity"] for finding in found["bag-state"]} == {"error"}
    assert found["bag-state"][0]["lines"]


def test_report_is_written_after_each_game(mark: str, tmp_path: Path) -> None:
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
