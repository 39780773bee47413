"""What a check finds, and what is made of it for people and for machines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sevenbag.protocols.json_lines import Severity

Status = Literal["passed", "found", "skipped"]

SEVERITIES: Final = ("error", "warning", "note")
"""From worst to least: loses games, or is against the text; fails with some programs; may be so."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that is checked.

    Attributes:
        id: its name, for machines.
        title: in a few words.
        says: what the text says of it, in ours.
        place: where; which text and which message or section of it.
    """

    id: str
    title: str
    says: str
    place: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        clause: what was checked.
        severity: how bad it is.
        what: what was seen, in a sentence.
        lines: the lines in question, the last ones of the conversation.
        place: where the text says so, if not where the clause is.
    """

    clause: Clause
    severity: Severity
    what: str
    lines: tuple[str, ...] = ()
    place: str = ""


@dataclass(slots=True)
class Check:
    """A clause, and what came of checking it.

    Attributes:
        clause: what was checked.
        findings: nothing, if all is well.
        skipped: why it was not checked.
        seconds: how long it took.
    """

    clause: Clause
    findings: list[Finding] = field(default_factory=list)
    skipped: str = ""
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """What came of it, in a word."""
        if self.findings:
            return "found"
        return "skipped" if self.skipped else "passed"


@dataclass(slots=True)
class Report:
    """All checks of one program.

    Attributes:
        subject: the program: its command, or ``frontend``.
        name: what it calls itself.
        version: and its version.
        checks: in the order in which they were made.
        protocol: to which it is held.
    """

    subject: str
    name: str = ""
    version: str = ""
    checks: list[Check] = field(default_factory=list)
    protocol: str = "TBP"

    @property
    def findings(self) -> list[Finding]:
        """All of them, the worst first."""
        found = [finding for check in self.checks for finding in check.findings]
        return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def fails(self, least: Severity) -> bool:
        """Whether there is a finding of this severity, or a worse one."""
        worst = SEVERITIES.index(least)
        return any(SEVERITIES.index(each.severity) <= worst for each in self.findings)
