"""The checker of engines: right ones pass, and every planted fault is found, by its name."""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sevenbag.bots.check import CheckSettings, Report
from sevenbag.bots.check.rendering import as_json, as_junit, as_text
from sevenbag.bots.check.triangle import CHOICES, check_engine
from sevenbag.bots.check.triangle.clauses import OF_ENGINES
from sevenbag.bots.external import process
from sevenbag.bots.external.process import create_process_launcher
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
PATIENT = CheckSettings(start_seconds=120.0, seconds=120.0, quick_seconds=120.0, quit_seconds=120.0)
"""So long that no engine misses a limit on a busy machine."""

LIMITS = {("kicks", "warning"), ("sizes", "warning")}
"""What none of them plays: pieces that appear otherwise, and other boards."""

# What each of them does wrong: the checks that find it, with the severity.
FOUND: dict[str, set[tuple[str, str]]] = {
    "DiesAtStart": {("info", "error")},
    "NoAuthor": {("form", "error")},
    "Chatty": {("lines", "warning")},
    "NeedsEnvironment": {("environment", "warning")},
    "PublishedNames": {("keys", "error")},
    "NoHardDrop": {("one-lock", "error")},
    "TwoHardDrops": {("one-lock", "error")},
    "KeysBehind": {("one-lock", "error")},
    "NoKeys": {("answer", "error"), ("empty", "warning")},
    "NoKeysAtFirst": {("empty", "warning")},
    "MissingKeys": {("answer", "error"), ("form", "error")},
    "Das": {("das", "warning")},
    "DiesAtPlay": {("answer", "error")},
    "Twice": {("unasked", "error")},
    "TalksToStderr": {("stderr", "warning")},
    "OnlyDrops": {("game", "warning")},
    "FirstOfQueue": {("answer", "error")},
    "NeedsState": {("answer", "error")},
    "DiesAtState": {
        *((clause, "error") for clause in ("garbage", "states", "elsewhere")),
        *((clause, "error") for clause in ("null-data", "data", "pieces")),
        *((clause, "warning") for clause in ("unknown-fields", "blank")),
        ("rows", "note"),
    },
    "IgnoresState": {("garbage", "error"), ("elsewhere", "error")},
    "IgnoresPieces": {("game", "error")},
    "AppendsTwice": {("garbage", "error")},
    "OneSpelling": {("answer", "error")},
    "OldSpelling": {("spelling", "error")},
    "NeedsData": {("answer", "error")},
    "WantsNoNull": {("null-data", "error")},
    "WholeNumbers": {("numbers", "error")},
    "KnownTypesOnly": {("unknown-types", "error")},
    "ThreeTables": {("kicks", "warning")},
    "TallBoards": {("rows", "note")},
    "LoudAtInterrupt": {("interrupt", "warning")},
}
IMPATIENT: dict[str, set[tuple[str, str]]] = {
    "HangsAtInfo": {("info", "error")},
    "NoNewline": {("info", "error")},
    "Silent": {("answer", "error")},
    "IgnoresInterrupt": {("interrupt", "error")},
    "StaysAtEnd": {("end-of-input", "error")},
    "StaysForEver": {("interrupt", "error"), ("end-of-input", "error")},
}
"""Those that are waited for in vain."""
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


async def check(fault: str, settings: CheckSettings) -> Report:
    launch, barren = launches(fault)
    return await check_engine(launch, fault, settings, barren=barren)


def only_those_of(faults: set[tuple[str, str]], settings: CheckSettings) -> CheckSettings:
    """With the checks alone that can find them: the others would take their time for nothing."""
    found_by = {clause for clause, _ in faults}.intersection(CHOICES)
    return dataclasses.replace(settings, only=tuple(found_by) or ("numbers",))


def found_in(report: Report) -> set[tuple[str, str]]:
    return {(finding.clause.id, finding.severity) for finding in report.findings}


# --- right ones ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["beam:nodes=100", "pc:nodes=100"])
async def test_our_bots_pass(bot: str, mark: str) -> None:
    command = ["sevenbag", "serve", bot, "--as", "triangle"]
    report = await check_engine(
        create_process_launcher(command),
        bot,
        PATIENT,
        barren=create_process_launcher(command, environment={}),
    )
    assert report.findings == []
    assert {each.status for each in report.checks} == {"passed"}
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
    settings = dataclasses.replace(PATIENT, quick_seconds=0.04, only=("environment",))
    assert ("quick", "warning") in found_in(await check("Slow", settings))


async def test_a_finding_says_what_where_and_shows_it(mark: str) -> None:
    report = await check("NoHardDrop", PATIENT)
    [finding] = [each for each in report.findings if each.clause.id == "one-lock"]
    assert finding.what == "keys: a move without hardDrop locks nothing"
    assert finding.clause.place == "Triangle.js 4.2.6"
    assert finding.lines[-1].startswith('< {"type":"move","keys":[')
    assert [each.status for each in report.checks].count("skipped") > 20
    assert "Triangle check of fake 1.0 (NoHardDrop)" in as_text(report)
    assert json.loads(as_json(report))["protocol"] == "Triangle"
    assert 'classname="triangle" name="one-lock"' in as_junit(report)


async def test_engine_that_needs_a_state_first(mark: str) -> None:
    report = await check("NeedsState", PATIENT)
    [finding] = report.findings
    assert finding.what == (
        "needs a state first, but hosts send none before the first garbage "
        "(ended with exit code 1; last error line: RuntimeError: no state)"
    )
    assert '"state"' not in "".join(finding.lines)


async def test_only_some_checks(mark: str) -> None:
    launch, barren = launches("IgnoresState")
    settings = dataclasses.replace(PATIENT, only=("game",))
    report = await check_engine(launch, "it", settings, barren=barren)
    assert report.findings == []
    skipped = {each.clause.id for each in report.checks if each.skipped == "it was not asked for"}
    assert skipped == set(CHOICES) - {"game"}


def test_every_check_has_its_clause() -> None:
    assert set(CHOICES) < set(OF_ENGINES)
