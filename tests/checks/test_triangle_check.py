"""The check of Triangle engines passes correct engines and finds each planted fault."""

import dataclasses
import inspect
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from sevenbag.bots.external import process
from sevenbag.checks import CheckSettings, ConformanceReport, create_triangle_check
from sevenbag.checks.report_formats import format_json, format_junit, format_text
from tests.bots.conftest import slow
from tests.checks import checking
from tests.checks.checking import list_findings, parse_findings, select_checks
from tests.fakes import triangle_bots
from tests.fakes.silence import launch_impatiently
from tests.fakes.triangle_bots import Engine

ROOT = Path(triangle_bots.__file__).parents[2]
# An engine with an empty environment has no PYTHONPATH.
RUN = "import sys; sys.path.insert(0, {root!r}); from tests.fakes import triangle_bots; "
PATIENT = dataclasses.replace(checking.PATIENT, length=40)
LIMITS = parse_findings("kicks:warning board-sizes:warning")
"""Findings of each fake: none plays other rotation systems and boards."""

# Findings of each faulty engine.
FOUND: dict[str, str] = {
    "DiesAtStart": "info:error",
    "NoAuthor": "message-format:error",
    "Chatty": "lines:warning",
    "NeedsEnvironment": "empty-environment:warning",
    "PublishedNames": "keys:error",
    "NoHardDrop": "hard-drop:error",
    "TwoHardDrops": "hard-drop:error",
    "KeysBehind": "hard-drop:error",
    "NoKeys": "answer:error empty-answer:warning",
    "NoKeysAtFirst": "empty-answer:warning",
    "MissingKeys": "answer:error message-format:error",
    "Das": "das:warning",
    "DiesAtPlay": "answer:error",
    "Twice": "unsolicited:error",
    "TalksToStderr": "stderr:warning",
    "OnlyDrops": "game:warning",
    "FirstOfQueue": "answer:error",
    "NeedsState": "answer:error",
    "DiesAtState": (
        "arbitrary-state:error blank-lines:warning garbage:error null-data:error "
        "partial-lines:error short-board:note state-before-play:error unknown-data:error "
        "unknown-fields:warning"
    ),
    "IgnoresState": "arbitrary-state:error garbage:error",
    "IgnoresPieces": "game:error",
    "AppendsTwice": "garbage:error",
    "OneSpelling": "answer:error",
    "OldSpelling": "charging-spelling:error",
    "NeedsData": "answer:error",
    "WantsNoNull": "null-data:error",
    "WholeNumbers": "fractions:error",
    "KnownTypesOnly": "unknown-types:error",
    "ThreeTables": "kicks:warning",
    "TallBoards": "short-board:note",
    "LoudAtInterrupt": "sigint:warning",
}
# Findings of engines that exceed a time limit.
IMPATIENT: dict[str, str] = {
    "HangsAtInfo": "info:error",
    "NoNewline": "info:error",
    "Silent": "answer:error",
    "IgnoresInterrupt": "sigint:error",
    "StaysAtEnd": "end-of-input:error",
    "StaysForEver": "end-of-input:error sigint:error",
}
OPTIONAL = create_triangle_check(launch_impatiently([]), "").optional_checks
QUICK = {
    *("DiesAtStart", "PublishedNames", "NoHardDrop", "DiesAtPlay", "IgnoresState"),
    *("Silent", "StaysForEver"),
}
"""One of each kind; the others are slow."""


def tiered(faults: Iterable[str]) -> list[object]:
    return [each for fault in faults for each in ([fault] if fault in QUICK else slow(fault))]


async def check(fault: str, settings: CheckSettings) -> ConformanceReport:
    run = RUN.format(root=str(ROOT)) + f"triangle_bots.{fault}().run()"
    command = [sys.executable, "-S", "-c", run]
    empty = launch_impatiently(command, environment={})
    return await create_triangle_check(
        launch_impatiently(command), fault, settings, empty_environment_launcher=empty
    ).run()


async def test_a_correct_engine_passes(mark: str) -> None:
    assert list_findings(await check("Engine", PATIENT)) == LIMITS


def test_each_fake_engine_is_checked() -> None:
    fakes = {
        name
        for name, kind in inspect.getmembers(triangle_bots, inspect.isclass)
        if issubclass(kind, Engine)
    }
    assert fakes == {"Engine", "Slow", *FOUND, *IMPATIENT}


@pytest.mark.parametrize("fault", tiered(FOUND))
async def test_planted_faults_are_found(fault: str, mark: str) -> None:
    expected = parse_findings(FOUND[fault])
    report = await check(fault, select_checks(expected, OPTIONAL, PATIENT))
    assert expected <= list_findings(report)


@pytest.mark.parametrize("fault", tiered(IMPATIENT))
async def test_missed_time_limits_are_found(
    fault: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The signal that ends them makes no difference.
    monkeypatch.setattr(process, "_TERM_GRACE", 0.0)
    # They never exit by themselves.
    settings = dataclasses.replace(PATIENT, quit_seconds=0.1)
    expected = parse_findings(IMPATIENT[fault])
    report = await check(fault, select_checks(expected, OPTIONAL, settings))
    assert expected <= list_findings(report)


async def test_slow_answers(mark: str) -> None:
    # It takes 0.05 seconds, or more.
    settings = dataclasses.replace(PATIENT, slow_seconds=0.04, only=("empty-environment",))
    assert ("answer-time", "warning") in list_findings(await check("Slow", settings))


async def test_finding_in_each_format(mark: str) -> None:
    report = await check("NoHardDrop", PATIENT)
    [finding] = [each for each in report.findings if each.clause.id == "hard-drop"]
    assert finding.message == "keys: a move without hardDrop locks nothing"
    assert finding.clause.source == "Triangle.js 4.2.6"
    assert finding.lines[-1].startswith('< {"type":"move","keys":[')
    assert [each.status for each in report.results].count("skipped") > 20
    assert "Triangle check of fake 1.0 (NoHardDrop)" in format_text(report)
    assert json.loads(format_json(report))["protocol"] == "Triangle"
    assert 'classname="triangle" name="hard-drop"' in format_junit(report)


async def test_engine_that_needs_a_state_first(mark: str) -> None:
    report = await check("NeedsState", PATIENT)
    [finding] = report.findings
    assert finding.message == (
        "needs a state first, but hosts send none before the first garbage "
        "(ended with exit code 1; last error line: RuntimeError: no state)"
    )
    assert '"state"' not in "".join(finding.lines)


async def test_only_some_checks(mark: str) -> None:
    report = await check("IgnoresState", dataclasses.replace(PATIENT, only=("game",)))
    assert report.findings == []
    skipped = {each.clause.id for each in report.results if each.skip_reason == "not selected"}
    assert skipped == set(OPTIONAL) - {"game"}
