"""Reports for people, programs and CI."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from sevenbag.bots.check.finding import Check, Clause, Finding, Report
from sevenbag.bots.check.rendering import as_json, as_junit, as_text

FIRST = Clause("info", "introduces itself", "the bot sends info", "0000-mvp, info")
SECOND = Clause("game", "plays a game", "play advances", "0000-mvp, play")
THIRD = Clause("hold", "follows holds", "told by its piece", "0000-mvp, play")


@pytest.fixture
def report() -> Report:
    return Report(
        "tbp:./bot",
        "bot\x1b[2J",
        "1",
        [
            Check(
                FIRST, [Finding(FIRST, "note", "odd", ("< a",)), Finding(FIRST, "note", "odder")]
            ),
            Check(
                SECOND,
                [
                    Finding(SECOND, "warning", "slow", place="elsewhere"),
                    Finding(SECOND, "error", "wrong\x00 & <bad>", ("> x" * 99, "< \ud800")),
                ],
                seconds=1.5,
            ),
            Check(THIRD, skipped="too late"),
        ],
    )


def test_counts(report: Report) -> None:
    assert [each.severity for each in report.findings] == ["error", "warning", "note", "note"]
    assert report.fails("error")
    assert report.fails("note")
    report.checks = report.checks[:1]
    assert not report.fails("warning")
    assert report.fails("note")


def test_for_people(report: Report) -> None:
    text = as_text(report)
    assert "error: game: wrong" in text
    assert "    the text: play advances [0000-mvp, play]" in text
    assert "    the text: play advances [elsewhere]" in text
    assert "    | < a" in text
    assert "not checked (hold): too late" in text
    assert text.endswith("0 of 3 checks without a finding; 1 error, 1 warning, 2 notes\n")
    assert "\x1b" not in text
    assert "\x00" not in text
    assert max(map(len, text.splitlines())) < 180


def test_for_programs(report: Report) -> None:
    content = json.loads(as_json(report))
    assert content["counts"] == {"error": 1, "warning": 1, "note": 2}
    assert [check["status"] for check in content["checks"]] == ["found", "found", "skipped"]
    assert content["checks"][1]["findings"][0]["place"] == "elsewhere"
    assert content["checks"][2]["skipped"] == "too late"


def test_for_ci(report: Report) -> None:
    suite = ET.fromstring(as_junit(report).partition("\n")[2])
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    first, second, third = suite
    assert first.find("failure") is None
    assert "odd" in (first.findtext("system-out") or "")
    failure = second.find("failure")
    assert failure is not None
    assert "wrong" in (failure.text or "")
    assert third.find("skipped") is not None


def test_long_lines_keep_both_ends(report: Report) -> None:
    rows = ['["G",null]', *["[null,null]"] * 38]
    line = f'> {{"type":"start","board":[{",".join(rows)}],"randomizer":{{"type":"uniform"}}}}'
    report.checks[0].findings = [Finding(FIRST, "note", "odd", (line, "< " + "x" * 999 + "end"))]
    text = as_text(report)
    short = '> {"type":"start","board":[["G",null],38 empty rows],"randomizer":{"type":"uniform"}}'
    assert f"    | {short}\n" in text
    assert "x ... x" in text
    assert "xend\n" in text
