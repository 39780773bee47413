"""The check of TBP bots passes correct bots and finds each planted fault."""

import dataclasses
import inspect
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from sevenbag.bots.external import process
from sevenbag.bots.external.process import create_process_launcher
from sevenbag.bots.external.web_worker import create_worker_launcher, find_browser
from sevenbag.checks import CheckSettings, ConformanceReport, create_tbp_bot_check, tbp_bot_harness
from tests.checks.checking import PATIENT, list_findings, parse_findings, select_checks
from tests.fakes import faulty, field
from tests.fakes.dropper import Dropper
from tests.fakes.silence import launch_impatiently

FAKES = Path(faulty.__file__).parent
ROOT = FAKES.parents[1]
# Findings of each faulty bot.
FOUND: dict[str, str] = {
    "DiesAtStart": "info:error",
    "HangsAtInfo": "info:error",
    "ChattyAtInfo": "info:error lines:warning",
    "NoNewline": "info:error",
    "Refuses": "ready:error",
    "HangsAtReady": "ready:error",
    "NullFeatures": "lines:warning message-format:error unsolicited:error",
    "NeedsRandomizer": "rules-empty:error rules-unknown:error",
    "GrepsCompactJson": "json-whitespace:error quit:note",
    "StrictTypes": "back-to-back-count:warning blank-lines:warning end-of-input:note",
    "DiesInGame": "game:error",
    "KilledInGame": "game:error",
    "DiesInMidMessage": "answer:error lines:warning",
    "ClosesOutput": "answer:error",
    "HangsAtSuggest": "answer:error",
    "Rubbish": "answer:error lines:warning",
    "Chatty": "lines:warning unsolicited:error",
    "MalformedMove": "answer:error message-format:error",
    "BogusPiece": "answer:error message-format:error",
    "LongLine": "answer:error",
    "IllegalMoves": "answer:error",
    "FarMoves": "answer:error",
    "FirstMoveIllegal": "first-move:warning",
    "LastMoveIllegal": "first-move:warning",
    "LongSuggestions": "line-length:warning",
    "EmptyAtFirst": "empty-answer:warning",
    "GivesUp": "answer:error",
    "GivesUpInOtherWords": "answer:error",
    "GivesUpByError": "answer:error",
    "NotesAndGivesUp": "answer:error",
    "FalseSpins": "spin:warning",
    "LowerCase": "message-format:error",
    "OddForms": "message-format:error message-format:warning",
    "AnswersTwice": "one-answer:error",
    "AnswersTwiceAtOnce": "one-answer:error",
    "AnswersLate": "answer-time:warning",
    "MoveInfo": "message-format:warning",
    "IgnoresQuit": "end-of-input:warning quit:error",
    "LeavesWhenTerminated": "end-of-input:warning quit:error",
    "ExitsAtEndOfInput": "quit:error",
    "LeavesChildren": "game:error",
    "DoesNotRead": "answer:error",
    "ColdClear1": "unknown-types:error",
    "WestForms": "equivalent-moves:warning",
    "OutOfStep": "hold:error",
    "ColdClear2": "back-to-back-count:warning blank-lines:warning empty-answer:warning",
    "ColdClear2Web": "empty-answer:warning lines:warning",
    "MisaMino": (
        "message-format:error other-move:error quit:error short-queue:warning "
        "spin:warning suggest-repeated:error suggest-without-position:warning"
    ),
    "Bashtet": "hold:error json-whitespace:error line-length:warning quit:note",
    "Hikari": "first-move:warning game:error rules-empty:error unknown-types:error",
    "Dellacherie": "hold:error",
    "Zxcl": "answer:error",
    "FreeWords": "message-format:warning ready:error unsolicited:error",
    "OtherPlay": "game:error",
    "AnswersUnasked": "game:error",
    "TakesGarbage": "ready:error",
    "Versus": "answer:error",
    "Strays": "answer:error",
}
OPTIONAL = create_tbp_bot_check(launch_impatiently([]), "").optional_checks
FAULTLESS = {"TalksToStderr", "NotesWhatItHears"}
PATIENCE: dict[str, CheckSettings] = {
    # They never exit by themselves.
    "IgnoresQuit": dataclasses.replace(PATIENT, quit_seconds=0.1),
    "LeavesWhenTerminated": dataclasses.replace(PATIENT, quit_seconds=0.1),
    # It takes 0.6 seconds, or more.
    "AnswersLate": dataclasses.replace(PATIENT, slow_seconds=0.3),
}
QUICK = {
    *("DiesAtStart", "HangsAtSuggest", "IllegalMoves", "LowerCase", "AnswersTwice", "OutOfStep"),
    *("GivesUp", "IgnoresQuit"),
}
"""One of each kind; the others are slow."""


def fakes_of(module: ModuleType) -> set[str]:
    return {
        name
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Dropper) and kind.__module__ == module.__name__
    }


class Clock:
    """Clock that advances with each call, so that no limit depends on the machine's speed."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        self.seconds += 5.0
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the requests to a bot that suggests no move."""
    monkeypatch.setattr(tbp_bot_harness, "time", Clock())


async def check(command: list[str], settings: CheckSettings = PATIENT) -> ConformanceReport:
    return await create_tbp_bot_check(
        launch_impatiently(command), " ".join(command), settings
    ).run()


@pytest.mark.parametrize(
    "name", ["", *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(FAULTLESS))]
)
async def test_correct_bots_pass(
    name: str, fake: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEVENBAG_FAKE_NOTE", str(tmp_path / "note"))
    report = await check(fake(name))  # type: ignore[operator]
    assert list_findings(report) == set()


def test_each_fake_bot_is_checked() -> None:
    assert fakes_of(faulty) | fakes_of(field) == set(FOUND) | FAULTLESS


def fake_command(name: str) -> list[str]:
    file = "faulty.py" if hasattr(faulty, name) else "field.py"
    return [sys.executable, "-S", str(FAKES / file), name]


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FOUND],
)
async def test_planted_faults_are_found(
    name: str, mark: str, clock: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SEVENBAG_FAKE_NOTE", str(tmp_path / "note"))
    grace = 0.0 if name == "IgnoresQuit" else 120.0
    monkeypatch.setattr(process, "_TERM_GRACE", grace)
    if name == "AnswersLate":
        monkeypatch.setattr(tbp_bot_harness, "time", time)
    if name == "ClosesOutput":
        # It keeps running, so there is no exit code to wait for.
        monkeypatch.setattr(process, "_EXIT_CODE_TIMEOUT", 0.1)
    expected = parse_findings(FOUND[name])
    settings = select_checks(expected, OPTIONAL, PATIENCE.get(name, PATIENT))
    report = await check(fake_command(name), settings)
    assert expected <= list_findings(report)
    for finding in report.findings:
        assert finding.message
        assert finding.clause.requirement
        assert finding.source or finding.clause.source
    # Checks that were not reached have not passed.
    fatal = any(each.severity == "error" and each.clause.required for each in report.findings)
    not_reached = {each.clause.id for each in report.results if "not reached: " in each.skip_reason}
    assert not_reached.issuperset(settings.only) == fatal


async def test_time_limits(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = dataclasses.replace(PATIENT, start_seconds=0.1)
    launch = create_process_launcher(fake_command("HangsAtInfo"))
    report = await create_tbp_bot_check(launch, "HangsAtInfo", settings).run()
    [finding] = report.findings
    assert finding.message == "no info within 0.1 s"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GrepsCompactJson", "WestForms", "OutOfStep"])
async def test_no_other_fault_is_found(
    name: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    report = await check(fake_command(name))
    assert list_findings(report) == parse_findings(FOUND[name])


async def test_missing_program(mark: str) -> None:
    report = await check(["/no/such/bot"])
    [finding] = report.findings
    assert finding.clause.id == "info"
    assert finding.message == "no such command: /no/such/bot"
    assert {each.status for each in report.results} == {"found", "skipped"}


async def test_finding_quotes_the_line(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = dataclasses.replace(PATIENT, only=("json-whitespace",))
    report = await check(fake_command("LowerCase"), settings)
    finding = next(each for each in report.findings if each.clause.id == "message-format")
    assert finding.message == "moves[0].location.type: expected one of I O T L J S Z, got 'o'"
    assert finding.source == "0000-mvp, location"
    [line] = finding.lines
    assert line.startswith('< {"type":"suggestion","moves":[{"location":{"type":"o"')


async def test_decisive_messages_are_quoted(
    mark: str, clock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    async def quoted(name: str, clause: str) -> tuple[str, ...]:
        only = clause if clause in OPTIONAL else "json-whitespace"
        settings = dataclasses.replace(PATIENT, only=(only,))
        report = await check(fake_command(name), settings)
        return next(each.lines for each in report.findings if each.clause.id == clause)

    # The position precedes all requests for it, even repeated ones.
    same = await quoted("GivesUp", "answer")
    assert [line.partition(",")[0] for line in same[-3:]] == [
        '> {"type":"start"',
        '> {"type":"suggest"}',
        '< {"type":"suggestion"',
    ]
    assert same[-3].endswith('"randomizer":{"type":"seven_bag","bag_state":["L"]}}')
    others = await quoted("GivesUpInOtherWords", "answer")
    assert others[0].startswith('> {"type":"start"')
    assert others[1:3] == ('> {"type":"suggest"}', "...")
    # A request precedes all messages sent instead of its answer.
    assert '> {"type":"suggest"}' in await quoted("Rubbish", "answer")
    # The first hold and the illegal move.
    [*_, play, _, _, _, answer, move] = await quoted("OutOfStep", "hold")
    assert play.startswith('> {"type":"play","move":{"location":{"type":"T"')
    assert answer.startswith('< {"type":"suggestion"')
    assert move.startswith('moves[0]: {"location":{"type":"')
    # One of many moves.
    [*_, move] = await quoted("LastMoveIllegal", "first-move")
    assert move.startswith("moves[")
    assert '"y":30' in move


@pytest.mark.slow
async def test_bots_behind_sockets(mark: str) -> None:
    pytest.importorskip("websockets", reason="the package websockets is not installed")
    from sevenbag.bots.external.websocket_channel import create_websocket_launcher  # noqa: PLC0415
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415
    from sevenbag.bots.serving.websocket_server import WebSocketBotServer  # noqa: PLC0415

    server = WebSocketBotServer(lambda: create_bot("random:seed=1"))
    await server.open()
    try:
        address = f"ws://127.0.0.1:{server.port}/"
        report = await create_tbp_bot_check(
            create_websocket_launcher(address), address, PATIENT
        ).run()
    finally:
        await server.close()
    assert list_findings(report) == set()
    skipped = {each.clause.id for each in report.results if each.skip_reason}
    assert skipped == {"partial-lines", "blank-lines", "end-of-input"}


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium here")
async def test_workers_in_pages(mark: str) -> None:
    launch = create_worker_launcher(str(FAKES / "worker_bot.js"), host="browser")
    settings = dataclasses.replace(PATIENT, only=("hold", "quit", "partial-lines"))
    report = await create_tbp_bot_check(launch, "worker", settings).run()
    assert list_findings(report) == set()
