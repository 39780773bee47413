"""Report formats: text, JSON and JUnit XML."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from xml.etree import ElementTree as ET

from sevenbag.checks.harness import SEVERITIES, ClauseResult, ConformanceReport, Finding
from sevenbag.errors import printable

_MAX_LINE: Final = 172
_MAX_LINE_END: Final = 60
_MAX_LISTED_SKIPS: Final = 4
_EMPTY_ROWS: Final = re.compile(r"\[null(, ?null)*\](, ?\[null(, ?null)*\])+")


def format_text(report: ConformanceReport) -> str:
    """Format a report as text: findings with the highest severity first, then a summary."""
    name = printable(f"{report.name} {report.version}".strip())
    subject = f"{name} ({report.subject})" if name else report.subject
    passed = sum(result.status == "passed" for result in report.results)
    counts = ", ".join(_format_count(report.count(severity), severity) for severity in SEVERITIES)
    parts = [
        f"{report.protocol} check of {subject}",
        *map(_format_finding, report.findings),
        *_format_skips(report),
        f"\n{passed} of {len(report.results)} checks passed; {counts}",
    ]
    return "\n".join(parts) + "\n"


def format_json(report: ConformanceReport) -> str:
    """Format a report as JSON."""
    content = {
        "protocol": report.protocol,
        "subject": report.subject,
        "name": report.name,
        "version": report.version,
        "counts": {severity: report.count(severity) for severity in SEVERITIES},
        "checks": [_convert_result(result) for result in report.results],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def format_junit(report: ConformanceReport) -> str:
    """Format a report as JUnit XML with one test case per clause.

    Errors and warnings are failures; notes are output.
    """
    suite = ET.Element(
        "testsuite", name=f"{report.protocol}: {_clean(report.name or report.subject)}"
    )
    failures = 0
    for result in report.results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=report.protocol.lower(),
            name=result.clause.id,
            time=f"{result.seconds:.3f}",
        )
        failing = [finding for finding in result.findings if finding.severity != "note"]
        text = _clean("\n".join(map(_format_finding, failing or result.findings)))
        if failing:
            failures += 1
            message = _clean(failing[0].message)
            failure = ET.SubElement(case, "failure", type=failing[0].severity, message=message)
            failure.text = text
        elif result.findings:
            ET.SubElement(case, "system-out").text = text
        elif result.skip_reason:
            ET.SubElement(case, "skipped", message=_clean(result.skip_reason))
    suite.set("tests", str(len(report.results)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(result.status == "skipped" for result in report.results)))
    suite.set("time", f"{sum(result.seconds for result in report.results):.3f}")
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


def _format_finding(finding: Finding) -> str:
    clause = finding.clause
    source = finding.source or clause.source
    lines = [
        f"\n{finding.severity}: {clause.id}: {printable(finding.message)}",
        f"    specification: {clause.requirement} [{source}]",
        *(f"    | {_shorten(line)}" for line in finding.lines),
    ]
    return "\n".join(lines)


def _format_skips(report: ConformanceReport) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for result in report.results:
        if result.status == "skipped":
            reasons.setdefault(result.skip_reason, []).append(result.clause.id)
    return [
        f"\nskipped ({', '.join(ids) if len(ids) <= _MAX_LISTED_SKIPS else f'{len(ids)} checks'}):"
        f" {reason}"
        for reason, ids in reasons.items()
    ]


def _convert_result(result: ClauseResult) -> dict[str, Any]:
    return {
        "id": result.clause.id,
        "title": result.clause.title,
        "status": result.status,
        "says": result.clause.requirement,
        "place": result.clause.source,
        "skipped": result.skip_reason or None,
        "seconds": round(result.seconds, 3),
        "findings": [
            {
                "severity": finding.severity,
                "what": finding.message,
                "place": finding.source or result.clause.source,
                "lines": list(finding.lines),
            }
            for finding in result.findings
        ],
    }


def _shorten(line: str) -> str:
    """Shorten a line: summarise empty rows, then omit the middle if it is still too long."""
    line = _EMPTY_ROWS.sub(lambda rows: f"{rows[0].count('[')} empty rows", printable(line))
    if len(line) <= _MAX_LINE:
        return line
    return f"{line[: _MAX_LINE - _MAX_LINE_END - 5]} ... {line[-_MAX_LINE_END:]}"


def _clean(text: str) -> str:
    """Replace unprintable characters, which XML cannot contain."""
    return "\n".join(map(printable, text.split("\n")))


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
