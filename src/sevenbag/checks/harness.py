"""Conformance harness: clauses, findings and the loop that runs the checks of one program."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.checks.recorded_connection import (
    BotExitedError,
    CheckAbortedError,
    CheckEndedError,
    RecordedConnection,
    describe_error,
)
from sevenbag.config.toml import parse_toml
from sevenbag.errors import BotError, BotStartError, InputError
from sevenbag.protocols.json_lines import Deviation, Severity

Procedure: TypeAlias = Callable[[Any], Awaitable[None]]


Json = dict[str, Any]
Status = Literal["passed", "found", "skipped"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""Highest first."""
_MAX_FINDINGS: Final = 5
_SILENCE_SECONDS: Final = 0.15
"""Time in which an unsolicited message would arrive."""


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checked requirement.

    Attributes:
        id: unique name.
        title: requirement in a few words.
        requirement: paraphrase of the specification.
        source: document and section; empty if each finding has its own.
        severity: default severity of its findings.
        required: True if further checks are impossible without it.
    """

    id: str
    title: str
    requirement: str
    source: str = ""
    severity: Severity = "error"
    required: bool = False


def load_clauses(name: str) -> tuple[Clause, ...]:
    """Load a table of clauses: ``tbp_bot``, ``tbp_frontend`` or ``triangle``."""
    text = resources.files("sevenbag.checks").joinpath(f"{name}_clauses.toml").read_text("utf-8")
    return msgspec.convert(parse_toml(text)["clause"], tuple[Clause, ...])


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of a clause.

    Attributes:
        message: observed and expected behaviour.
        lines: excerpt of the transcript.
        source: document and section, if not those of the clause.
    """

    clause: Clause
    severity: Severity
    message: str
    lines: tuple[str, ...] = ()
    source: str = ""


@dataclass(slots=True)
class ClauseResult:
    """Result of one clause.

    Attributes:
        skip_reason: reason why it was not checked; empty if it was.
        seconds: duration of its check.
    """

    clause: Clause
    findings: list[Finding] = field(default_factory=list)
    skip_reason: str = ""
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """Return ``found``, ``skipped`` or ``passed``."""
        if self.findings:
            return "found"
        return "skipped" if self.skip_reason else "passed"


@dataclass(slots=True)
class ConformanceReport:
    """Results of all clauses for one program.

    Attributes:
        subject: command of the program, or ``the frontend``.
        name: name that the program sends.
        version: version that the program sends.
        protocol: ``TBP`` or ``Triangle``.
    """

    subject: str
    name: str = ""
    version: str = ""
    results: list[ClauseResult] = field(default_factory=list)
    protocol: str = "TBP"

    @property
    def findings(self) -> list[Finding]:
        """All findings, highest severity first."""
        found = [finding for result in self.results for finding in result.findings]
        return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))

    def count(self, severity: Severity) -> int:
        """Return the number of findings of this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def has_severity(self, minimum: Severity) -> bool:
        """Return True if there is a finding of this or a higher severity."""
        return any(map(self.count, SEVERITIES[: SEVERITIES.index(minimum) + 1]))


class FindingRecorder:
    """Records the findings of one program.

    Attributes:
        report: report that they are added to.
    """

    def __init__(self, clauses: Sequence[Clause], report: ConformanceReport) -> None:
        self.report = report
        report.results = [ClauseResult(clause) for clause in clauses]
        self._results = {result.clause.id: result for result in report.results}
        self._current = report.results[0]
        self._seen: set[tuple[str, str]] = set()

    def begin(self, clause: str) -> ClauseResult:
        """Make a clause the current one, to which findings belong."""
        self._current = self._results[clause]
        return self._current

    def skip(self, reason: str) -> None:
        """Skip the current clause."""
        self._current.skip_reason = reason

    def add(
        self,
        message: str,
        *,
        clause: str = "",
        severity: Severity | None = None,
        source: str = "",
        lines: int = 8,
        part: str = "",
    ) -> None:
        """Add a finding; one that differs from another only in numbers is added once.

        Args:
            message: observed and expected behaviour.
            clause: its clause, if not the current one.
            severity: its severity, if not that of the clause.
            source: its source, if not that of the clause.
            lines: number of last lines to quote.
            part: decisive part of a long line, quoted last.
        """
        result = self._results[clause] if clause else self._current
        key = (result.clause.id, "".join("#" if c.isdigit() else c for c in message))
        if key in self._seen or len(result.findings) >= _MAX_FINDINGS:
            return
        self._seen.add(key)
        quoted = (*self.quote(lines), part) if part else self.quote(lines)
        finding = Finding(
            result.clause, severity or result.clause.severity, message, quoted, source
        )
        result.findings.append(finding)

    def quote(self, count: int) -> tuple[str, ...]:
        """Return the last lines of the transcript; none without one."""
        del count
        return ()


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """Time limits and extent of a check.

    Attributes:
        start_seconds: time limit of info and ready.
        answer_seconds: time limit of other answers.
        slow_seconds: longer answers are reported as slow.
        quit_seconds: time limit of the exit.
        length: pieces in the test game.
        only: checks to run besides the required ones; empty for all.
    """

    start_seconds: float = 10.0
    answer_seconds: float = 10.0
    slow_seconds: float = 0.5
    quit_seconds: float = 1.0
    length: int = 40
    only: tuple[str, ...] = ()


class ConformanceHarness(FindingRecorder):
    """Starts a bot for each check and records the findings.

    Attributes:
        connection: the current or last connection.
        optional_checks: names of the checks that `CheckSettings.only` selects from.
    """

    protocol: ClassVar[str]
    """Name of the protocol in reports."""
    safe_line_bytes: ClassVar[int]
    """Longer lines, with their ends, are reported."""
    quit_message: ClassVar[bytes] = b""
    """Line that ends a bot."""

    def __init__(
        self,
        clauses: Sequence[Clause],
        procedures: Mapping[str, Procedure],
        launcher: ChannelLauncher,
        subject: str,
        settings: CheckSettings | None = None,
    ) -> None:
        """Create a check; nothing is started yet.

        Args:
            clauses: its clauses, required ones first.
            procedures: procedures by the clauses that they check.
            launcher: opens a channel to a new bot.
            subject: name of the bot in the report.
            settings: time limits and extent.

        Raises:
            InputError: the settings name a check that does not exist.
        """
        super().__init__(clauses, ConformanceReport(subject, protocol=self.protocol))
        self.settings = settings or CheckSettings()
        self.connection: RecordedConnection | None = None
        self.info: Json = {}
        self._procedures = procedures
        self._launcher = launcher
        self.optional_checks = tuple(
            clause.id for clause in clauses if clause.id in procedures and not clause.required
        )
        for name in self.settings.only:
            if name not in self.optional_checks:
                expected = ", ".join(self.optional_checks)
                raise InputError(f"invalid check name {name!r}: expected one of {expected}")

    async def run(self) -> ConformanceReport:
        """Run the checks in the order of their clauses."""
        unreached = ""
        for result in self.report.results:
            clause = result.clause
            if clause.id not in self._procedures:
                continue
            self.begin(clause.id)
            if unreached:
                self.skip(unreached)
            elif self.settings.only and clause.id not in self.settings.only and not clause.required:
                self.skip("not selected")
            else:
                await self._run_check(result)
                if clause.required and (error := self._find_fatal_error()):
                    unreached = f"not reached: {error}"
        for result in self.report.results:
            if unreached and result.status == "passed" and not result.seconds:
                result.skip_reason = unreached
        return self.report

    def find_deviations(self, message: Json) -> list[Deviation]:
        """Return deviations of a bot's message from the specification."""
        raise NotImplementedError

    @contextlib.asynccontextmanager
    async def start_bot(
        self, launcher: ChannelLauncher | None = None
    ) -> AsyncGenerator[RecordedConnection]:
        """Start a bot, wait for its info message and end it afterwards.

        Raises:
            BotExitedError: it cannot be started.
            CheckAbortedError: it sends no info.
        """
        try:
            channel = await (launcher or self._launcher)("the bot")
        except BotStartError as error:
            raise BotExitedError(describe_error(error)) from None
        connection = self.connection = RecordedConnection(
            channel,
            answer_seconds=self.settings.answer_seconds,
            report_problem=functools.partial(self.add, lines=1),
            find_deviations=self.find_deviations,
            quit_message=self.quit_message,
            safe_line_bytes=self.safe_line_bytes,
        )
        try:
            self.info = await connection.receive("info", seconds=self.settings.start_seconds)
            yield connection
        finally:
            with contextlib.suppress(BotError):
                await connection.close()

    def quote(self, count: int) -> tuple[str, ...]:
        """Return the last lines of the current connection."""
        return self.connection.transcript.quote(count) if self.connection and count else ()

    def report_identity(self) -> None:
        """Store name and version of the bot in the report."""
        name, version = self.info.get("name"), self.info.get("version")
        self.report.name = name if isinstance(name, str) else ""
        self.report.version = version if isinstance(version, str) else ""

    async def expect_silence(
        self, connection: RecordedConnection, when: str, seconds: float = _SILENCE_SECONDS
    ) -> None:
        """Report the messages that arrive now."""
        for message in await connection.collect(seconds):
            self.add(f"sent {message.get('type')!r} {when}", clause="unsolicited", lines=3)

    def check_answer_time(self, started: float) -> None:
        """Report an answer that has arrived late, given the time of the request."""
        if time.monotonic() - started > self.settings.slow_seconds:
            message = f"answered after more than {self.settings.slow_seconds * 1000:g} ms"
            self.add(message, clause="answer-time", lines=2)

    def require_lines(self, connection: RecordedConnection) -> None:
        """Skip the check if the transport has no lines."""
        if connection.channel.transport != "stdio":
            self.skip("the transport has no lines")
            raise CheckEndedError

    async def send_in_parts(self, connection: RecordedConnection, line: bytes) -> None:
        """Send a line in two parts."""
        await connection.send_line(line[:100])
        await connection.collect(0.1)
        await connection.send_line(line[100:])

    async def expect_exit(self, connection: RecordedConnection, cause: str) -> None:
        """Report a bot that is still running after the given cause."""
        seconds = self.settings.quit_seconds
        if await connection.wait_for_exit(seconds):
            self.check_exit(connection, cause)
        else:
            self.add(f"still running {seconds:g} s after {cause}", lines=2)

    async def close_input(self, connection: RecordedConnection) -> None:
        """Close the bot's input and report a bot that does not exit."""
        seconds = self.settings.quit_seconds
        await connection.channel.close(b"", seconds)
        if connection.channel.was_terminated:
            self.add(f"still running {seconds:g} s after the end of its input", lines=2)
        else:
            self.check_exit(connection, "the end of its input")

    def check_exit(self, connection: RecordedConnection, cause: str) -> None:
        """Report an unusual exit of a bot."""

    async def _run_check(self, result: ClauseResult) -> None:
        started = time.monotonic()
        try:
            await self._procedures[result.clause.id](self)
        except CheckAbortedError as error:
            self.add(str(error))
        except CheckEndedError:
            pass
        result.seconds = time.monotonic() - started

    def _find_fatal_error(self) -> str:
        """Return the first error of a required clause; empty without one."""
        return next(
            (
                finding.message
                for finding in self.report.findings
                if finding.clause.required and finding.severity == "error"
            ),
            "",
        )


def collect_procedures(namespace: Mapping[str, Any]) -> dict[str, Procedure]:
    """Return the ``check_*`` functions of a module by the clauses that they check."""
    return {
        name.removeprefix("check_").replace("_", "-"): function
        for name, function in namespace.items()
        if name.startswith("check_")
    }
