"""Settings and helpers of the tests of the checks."""

import dataclasses

from sevenbag.checks import CheckSettings, ConformanceReport

PATIENT = CheckSettings(
    start_seconds=120.0, answer_seconds=120.0, slow_seconds=120.0, quit_seconds=120.0, length=12
)
"""Time limits that no bot exceeds on a busy machine."""

Findings = set[tuple[str, str]]
"""Clauses and severities."""


def list_findings(report: ConformanceReport) -> Findings:
    """Return clause and severity of each finding."""
    return {(finding.clause.id, finding.severity) for finding in report.findings}


def select_checks(
    findings: Findings, optional_checks: tuple[str, ...], settings: CheckSettings = PATIENT
) -> CheckSettings:
    """Run only the checks that report these findings, or one that plays two moves."""
    names = {"game" if clause == "spin" else clause for clause, _ in findings}
    only = tuple(name for name in optional_checks if name in names) or ("partial-lines",)
    return dataclasses.replace(settings, only=only)


def parse_findings(text: str) -> Findings:
    """Return the findings of words such as ``info:error``."""
    pairs = (word.split(":") for word in text.split())
    return {(clause, severity) for clause, severity in pairs}
