"""The checker of engines: right ones pass, and every planted fault is found, by its name."""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sevenbag.bots.external import process
from sevenbag.bots.external.process import create_process_launcher
from sevenbag.checks import CheckSettings, ConformanceReport, create_triangle_check
from sevenbag.checks.report_formats import format_json, format_junit, format_text
from tests.bots.conftest import slow
from tests.fakes import triangle_bots
from tests.fakes.silence import launch_impatiently
from tests.fakes.triangle_bots import Engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.bots.external.bot_channel import ChannelLauncher

ROOT = Path(triangle_bots.__file__).parents[2]
# Without an environment it has to be told where it lies.
RUN = "import sys; sys.path.insert(0, {root!r}); from tests.fakes import triangle_bots; "
PATIENT = CheckSettings(
    start_seconds=120.0, answer_seconds=120.0, slow_seconds=120.0, quit_seconds=120.0
)
"""So long that no engine misses a limit on a busy machine."""

LIMITS = {("kicks", "warning"), ("board-sizes", "warning")}
"""What none of them plays: pieces that appear otherwise, and other boards."""

# What each of them does wrong: the checks that find it, with the severity.
FOUND: dict[str, set[tuple[str, str]]] = {
    "DiesAtStart": {("info", "error")},
    "NoAuthor": {("message-format", "error")},
    "Chatty": {("lines", "warning")},
    "NeedsEnvironment": {("empty-environment", "warning")},
    "PublishedNames": {("keys", "error")},
    "NoHardDrop": {("hard-drop", "error")},
    "TwoHardDrops": {("hard-drop", "error")},
    "KeysBehind": {("hard-drop", "error")},
    "NoKeys": {("answer", "error"), ("empty-answer", "warning")},
    "NoKeysAtFirst": {("empty-answer", "warning")},
    "MissingKeys": {("answer", "error"), ("message-format", "error")},
    "Das": {("das", "warning")},
    "DiesAtPlay": {("answer", "error")},
    "Twice": {("unsolicited", "error")},
    "TalksToStderr": {("stderr", "warning")},
    "OnlyDrops": {("game", "warning")},
    "FirstOfQueue": {("answer", "error")},
    "NeedsState": {("answer", "error")},
    "DiesAtState": {
        *((clause, "error") for clause in ("garbage", "state-before-play", "arbitrary-state")),
        *((clause, "error") for clause in ("null-data", "unknown-data", "partial-lines")),
        *((clause, "warning") for clause in ("unknown-fields", "blank-lines")),
        ("short-board", "note"),
    },
    "IgnoresState": {("garbage", "error"), ("arbitrary-state", "error")},
    "IgnoresPieces": {("game", "error")},
    "AppendsTwice": {("garbage", "error")},
    "OneSpelling": {("answer", "error")},
    "OldSpelling": {("charging-spelling", "error")},
    "NeedsData": {("answer", "error")},
    "WantsNoNull": {("null-data", "error")},
    "WholeNumbers": {("fractions", "error")},
    "KnownTypesOnly": {("unknown-types", "error")},
    "ThreeTables": {("kicks", "warning")},
    "TallBoards": {("short-board", "note")},
    "LoudAtInterrupt": {("sigint", "warning")},
}
IMPATIENT: dict[str, set[tuple[str, str]]] = {
    "HangsAtInfo": {("info", "error")},
    "NoNewline": {("info", "error")},
    "Silent": {("answer", "error")},
    "IgnoresInterrupt": {("sigint", "error")},
    "StaysAtEnd": {("end-of-input", "error")},
    "StaysForEver": {("sigint", "error"), ("end-of-input", "error")},
}
"""Those that are waited for in vain."""
OPTIONAL = create_triangle_check(launch_impatiently([]), "").optional_checks
QUICK = {
    *("DiesAtStart", "PublishedNames", "NoHardDrop", "DiesAtPlay", "IgnoresState"),
    *("Silent", "StaysForEver"),
}
"""One of each kind; the others take long together."""


def tiered(faults: Iterable[str]) -> list[object]:
    return [each for fault in faults for each in ([fault] if fault in QUICK else slow(fault))]


def launches(fault: str) -> tuple[ChannelLauncher, ChannelLauncher]:
    run = RUN.format(root=str(ROOT)) + f"triangle_bots.{fault}().run()"
    command = [sys.executable, "-S", "-c", run]
    return launch_impatiently(command), launch_impatiently(command, environment={})


async def check(fault: str, settings: CheckSettings) -> ConformanceReport:
    launch, barren = launches(fault)
    return await create_triangle_check(
        launch, fault, settings, empty_environment_launcher=barren
    ).run()


def only_those_of(faults: set[tuple[str, str]], settings: CheckSettings) -> CheckSettings:
    """With the checks alone that can find them: the others would take their time for nothing."""
    found_by = {clause for clause, _ in faults}.intersection(OPTIONAL)
    return dataclasses.replace(settings, only=tuple(found_by) or ("fractions",))


def found_in(report: ConformanceReport) -> set[tuple[str, str]]:
    return {(finding.clause.id, finding.severity) for finding in report.findings}


# --- right ones ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["beam:nodes=100", "pc:nodes=100"])
async def test_our_bots_pass(bot: str, mark: str) -> None:
    command = ["sevenbag", "serve", bot, "--as", "triangle"]
    report = await create_triangle_check(
        create_process_launcher(command),
        bot,
        PATIENT,
        empty_environment_launcher=create_process_launcher(command, environment={}),
    ).run()
    assert report.findings == []
    assert {each.status for each in report.results} == {"passed"}
    assert report.name == bot.partition(":")[0]


async def test_an_engine_without_a_fault_passes(mark: str) -> None:
    assert found_in(await check("Engine", PATIENT)) == LIMITS


# --- wrong ones ---------------------------------------------------------------------------------


def test_every_fake_is_checked() -> None:
    fakes = {
        name
        for name, kind in inspect.getmembers(triangle_bots, inspect.isclass)
        if issubclass(kind, Engine)
    }
    assert fakes == {"Engine", "Slow", *FOUND, *IMPATIENT}


@pytest.mark.parametrize("fault", tiered(FOUND))
async def test_every_planted_fault_is_found(fault: str, mark: str) -> None:
    found = found_in(await check(fault, only_those_of(FOUND[fault], PATIENT)))
    assert FOUND[fault] <= found


@pytest.mark.parametrize("fault", tiered(IMPATIENT))
async def test_those_that_keep_hosts_waiting(
    fault: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It makes no difference by which signal they are ended.
    monkeypatch.setattr(process, "_TERM_GRACE", 0.0)
    # Whatever the limit: they never leave.
    settings = dataclasses.replace(PATIENT, quit_seconds=0.1)
    found = found_in(await check(fault, only_those_of(IMPATIENT[fault], settings)))
    assert IMPATIENT[fault] <= found


async def test_slow_answers(mark: str) -> None:
    # It takes 0.05 seconds, or more.
    settings = dataclasses.replace(PATIENT, slow_seconds=0.04, only=("empty-environment",))
    assert ("answer-time", "warning") in found_in(await check("Slow", settings))


async def test_a_finding_says_what_where_and_shows_it(mark: str) -> None:
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
    launch, barren = launches("IgnoresState")
    settings = dataclasses.replace(PATIENT, only=("game",))
    report = await create_triangle_check(
        launch, "it", settings, empty_environment_launcher=barren
    ).run()
    assert report.findings == []
    skipped = {each.clause.id for each in report.results if each.skip_reason == "not selected"}
    assert skipped == set(OPTIONAL) - {"game"}
