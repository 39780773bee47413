"""Where it is noted what a check finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from sevenbag.bots.check.finding import Check, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sevenbag.bots.check.finding import Clause, Report
    from sevenbag.bots.check.session import Oddity, Session
    from sevenbag.protocols.json_lines import Deviation, Severity

_MOST_FINDINGS: Final = 5
"""Of one check; what comes after is more of the same."""


class Conversation(Protocol):
    """What can be quoted."""

    def last(self, count: int, /) -> tuple[str, ...]:
        """The last so many lines."""
        ...


class Notebook:
    """The checks of one program, and what came of them.

    Attributes:
        report: what was found.
    """

    def __init__(self, clauses: Iterable[Clause], report: Report) -> None:
        """Nothing is checked yet."""
        self.report = report
        report.checks = [Check(clause) for clause in clauses]
        self._checks = {check.clause.id: check for check in report.checks}
        self._current = report.checks[0]
        self._seen: set[tuple[str, str]] = set()

    def begin(self, clause: str) -> Check:
        """From now on what is found belongs here."""
        self._current = self._checks[clause]
        return self._current

    def skip(self, why: str) -> None:
        """What is being checked cannot be."""
        self._current.skipped = why

    def find(
        self,
        severity: Severity,
        what: str,
        session: Conversation | None = None,
        *,
        clause: str = "",
        place: str = "",
        lines: int = 8,
        part: str = "",
    ) -> None:
        """Note a finding; the same one is noted once.

        Args:
            severity: how bad it is.
            what: what was seen.
            session: in which conversation, to quote the end of it.
            clause: where it belongs, if not to what is being checked.
            place: where the text says so, if not where the clause is.
            lines: how many of the conversation to quote.
            part: the decisive part of a long line, quoted last.
        """
        check = self._checks[clause] if clause else self._current
        if (check.clause.id, what) in self._seen or len(check.findings) >= _MOST_FINDINGS:
            return
        self._seen.add((check.clause.id, what))
        quoted = session.last(lines) if session is not None else ()
        if part:
            quoted = (*quoted, part)
        check.findings.append(Finding(check.clause, severity, what, quoted, place))

    def note_departure(self, departure: Deviation, session: Session) -> None:
        """Note a message that is not by the letter."""
        what = f"{departure.path}: {departure.problem}" if departure.path else departure.problem
        # Where in a list it stands is of no matter: it is the same mistake.
        plain = "".join("#" if c.isdigit() else c for c in what)
        if ("", plain) not in self._seen:
            self._seen.add(("", plain))
            self.find(
                departure.severity, what, session, clause="form", place=departure.clause, lines=1
            )

    def note_oddity(self, kind: Oddity, what: str, session: Session) -> None:
        """Note a line that is no message, not the one awaited, or very long."""
        clause = {"line": "lines", "unasked": "unasked", "length": "length"}[kind]
        severity: Severity = "error" if kind == "unasked" else "warning"
        if kind == "length":
            # How long exactly is of no matter.
            if ("length", "") in self._seen:
                return
            self._seen.add(("length", ""))
        self.find(severity, what, session, clause=clause, lines=1)
