"""Reports as text, JSON and JUnit XML."""

import json
from xml.etree import ElementTree as ET

import pytest

from sevenbag.checks.harness import Clause, ClauseResult, ConformanceReport, Finding
from sevenbag.checks.report_formats import format_json, format_junit, format_text

FIRST = Clause("info", "introduces itself", "the bot sends info", "0000-mvp, info")
SECOND = Clause("game", "plays a game", "play advances", "0000-mvp, play")
THIRD = Clause("hold", "follows holds", "told by its piece", "0000-mvp, play")


@pytest.fixture
def report() -> ConformanceReport:
    return ConformanceReport(
        "tbp:./bot",
        "bot\x1b[2J",
        "1",
        [
            ClauseResult(
                FIRST, [Finding(FIRST, "note", "odd", ("< a",)), Finding(FIRST, "note", "odder")]
            ),
            ClauseResult(
                SECOND,
                [
                    Finding(SECOND, "warning", "slow", source="elsewhere"),
                    Finding(SECOND, "error", "wrong\x00 & <bad>", ("> x" * 99, "< \ud800")),
                ],
                seconds=1.5,
            ),
            ClauseResult(THIRD, skip_reason="too late"),
        ],
    )


def test_counts(report: ConformanceReport) -> None:
    assert [each.severity for each in report.findings] == ["error", "warning", "note", "note"]
    assert report.has_severity("error")
    assert report.has_severity("note")
    report.results = report.results[:1]
    assert not report.has_severity("warning")
    assert report.has_severity("note")


def test_text(report: ConformanceReport) -> None:
    text = format_text(report)
    assert "error: game: wrong" in text
    assert "    specification: play advances [0000-mvp, play]" in text
    assert "    specification: play advances [elsewhere]" in text
    assert "    | < a" in text
    assert "skipped (hold): too late" in text
    assert text.endswith("0 of 3 checks passed; 1 error, 1 warning, 2 notes\n")
    assert "\x1b" not in text
    assert "\x00" not in text
    assert max(map(len, text.splitlines())) < 180


def test_json(report: ConformanceReport) -> None:
    content = json.loads(format_json(report))
    assert content["counts"] == {"error": 1, "warning": 1, "note": 2}
    assert [check["status"] for check in content["checks"]] == ["found", "found", "skipped"]
    assert content["checks"][1]["findings"][0]["place"] == "elsewhere"
    assert content["checks"][2]["skipped"] == "too late"


def test_junit(report: ConformanceReport) -> None:
    suite = ET.fromstring(format_junit(report).partition("\n")[2])
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


def test_long_lines_keep_both_ends(report: ConformanceReport) -> None:
    rows = ['["G",null]', *["[null,null]"] * 38]
    line = f'> {{"type":"start","board":[{",".join(rows)}],"randomizer":{{"type":"uniform"}}}}'
    report.results[0].findings = [Finding(FIRST, "note", "odd", (line, "< " + "x" * 999 + "end"))]
    text = format_text(report)
    short = '> {"type":"start","board":[["G",null],38 empty rows],"randomizer":{"type":"uniform"}}'
    assert f"    | {short}\n" in text
    assert "x ... x" in text
    assert "xend\n" in text
