"""A report for people, as JSON, and as JUnit's XML, which CI services read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from sevenbag.bots.check.finding import SEVERITIES
from sevenbag.errors import printable

if TYPE_CHECKING:
    from sevenbag.bots.check.finding import Check, Finding, Report

_LONGEST_LINE: Final = 172
_LONGEST_END: Final = 60
_EMPTY_ROWS: Final = re.compile(r"\[null(, ?null)*\](, ?\[null(, ?null)*\])+")


def as_text(report: Report) -> str:
    """For people: the findings, the worst first, then what was checked."""
    parts = [_headline(report)]
    parts += [_finding_text(finding) for finding in report.findings]
    passed = sum(check.status == "passed" for check in report.checks)
    parts += _skipped_text(report)
    counts = ", ".join(_plural(report.count(severity), severity) for severity in SEVERITIES)
    parts.append(f"\n{passed} of {len(report.checks)} checks without a finding; {counts}")
    return "\n".join(parts) + "\n"


def as_json(report: Report) -> str:
    """For programs."""
    content = {
        "protocol": report.protocol,
        "subject": report.subject,
        "name": report.name,
        "version": report.version,
        "counts": {severity: report.count(severity) for severity in SEVERITIES},
        "checks": [_check_data(check) for check in report.checks],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_junit(report: Report) -> str:
    """For CI: a test case a check. Errors and warnings are failures, notes are output."""
    suite = ET.Element(
        "testsuite", name=f"{report.protocol}: {_clean(report.name or report.subject)}"
    )
    failures = 0
    for check in report.checks:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=report.protocol.lower(),
            name=check.clause.id,
            time=f"{check.seconds:.3f}",
        )
        failing = [each for each in check.findings if each.severity != "note"]
        if failing:
            failures += 1
            failure = ET.SubElement(
                case, "failure", type=failing[0].severity, message=_clean(failing[0].what)
            )
            failure.text = _clean("\n".join(_finding_text(each) for each in failing))
        elif check.findings:
            text = "\n".join(_finding_text(each) for each in check.findings)
            ET.SubElement(case, "system-out").text = _clean(text)
        elif check.skipped:
            ET.SubElement(case, "skipped", message=_clean(check.skipped))
    suite.set("tests", str(len(report.checks)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(check.status == "skipped" for check in report.checks)))
    suite.set("time", f"{sum(check.seconds for check in report.checks):.3f}")
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


# --- helpers ------------------------------------------------------------------------------------


def _headline(report: Report) -> str:
    name = f"{report.name} {report.version}".strip()
    name = printable(name)
    subject = f"{name} ({report.subject})" if name else report.subject
    return f"{report.protocol} check of {subject}"


def _finding_text(finding: Finding) -> str:
    clause = finding.clause
    lines = [
        "",
        f"{finding.severity}: {clause.id}: {printable(finding.what)}",
        f"    the text: {clause.says} [{finding.place or clause.place}]",
    ]
    lines += [f"    | {_shortened(line)}" for line in finding.lines]
    return "\n".join(lines)


def _skipped_text(report: Report) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for check in report.checks:
        if check.status == "skipped":
            reasons.setdefault(check.skipped, []).append(check.clause.id)
    return [
        f"\nnot checked ({', '.join(ids) if len(ids) < 5 else f'{len(ids)} checks'}): {reason}"
        for reason, ids in reasons.items()
    ]


def _check_data(check: Check) -> dict[str, Any]:
    return {
        "id": check.clause.id,
        "title": check.clause.title,
        "status": check.status,
        "says": check.clause.says,
        "place": check.clause.place,
        "skipped": check.skipped or None,
        "seconds": round(check.seconds, 3),
        "findings": [
            {
                "severity": finding.severity,
                "what": finding.what,
                "place": finding.place or check.clause.place,
                "lines": list(finding.lines),
            }
            for finding in check.findings
        ],
    }


def _shortened(line: str) -> str:
    """Shorten a line: summarise empty rows, then leave out the middle if it is still too long."""
    line = _EMPTY_ROWS.sub(lambda rows: f"{rows[0].count('[')} empty rows", printable(line))
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE - _LONGEST_END - 5]} ... {line[-_LONGEST_END:]}"


def _clean(text: str) -> str:
    """Replace the unprintable characters of each line; XML cannot contain all of them."""
    return "\n".join(map(printable, text.split("\n")))


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
