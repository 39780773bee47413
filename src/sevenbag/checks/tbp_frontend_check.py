"""Check of a TBP frontend: a bot that varies its answers and reports the frontend's errors."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any, Final, cast

import sevenbag
from sevenbag.bots.bot import Bot, Limits
from sevenbag.bots.serving.adapter import OutputClosedError
from sevenbag.bots.serving.stdio_server import start_reading, write_line
from sevenbag.checks.harness import ConformanceReport, FindingRecorder, load_clauses
from sevenbag.checks.practice_games import TBP_RULES
from sevenbag.checks.recorded_connection import Transcript, encode_line
from sevenbag.checks.tbp_frontend_game import FrontendGameTracker, SuggestionProbe, create_probe
from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import message_type, parse_json
from sevenbag.protocols.tbp import messages as tbp

_INFO_DELAY: Final = 0.2
_READY_DELAY: Final = 0.2
_LATE_ANSWER_DELAY: Final = 0.3


async def check_tbp_frontend(
    bot: Bot,
    *,
    on_report: Callable[[ConformanceReport], None],
    input_descriptor: int = 0,
    output_descriptor: int = 1,
) -> ConformanceReport:
    """Play with the frontend behind these descriptors until it quits; then end the bot.

    Args:
        bot: bot whose moves are played; not prepared.
        on_report: called with the report after each game and at the end. The frontend may kill
            this process right after that.
        input_descriptor: source of messages.
        output_descriptor: destination of messages.
    """

    def send_line(line: bytes) -> None:
        write_line(output_descriptor, line)

    check = TbpFrontendCheck(bot, send_line, on_report=on_report)
    start_reading(input_descriptor, check)
    try:
        await bot.prepare(TBP_RULES)
        # A frontend may end the check by closing its input.
        with contextlib.suppress(OutputClosedError):
            await check.run()
    finally:
        await bot.quit()
    return check.report


class TbpFrontendCheck(FindingRecorder):
    """Check of one frontend over one connection; a receiver of its lines."""

    def __init__(
        self,
        bot: Bot,
        send_line: Callable[[bytes], None],
        *,
        on_report: Callable[[ConformanceReport], None] = lambda _: None,
    ) -> None:
        """Create a check; nothing is sent yet.

        Args:
            bot: prepared bot whose moves are played; the caller ends it.
            send_line: sends a line with its end.
            on_report: called with the report after each game and at the end.
        """
        super().__init__(load_clauses("tbp_frontend"), ConformanceReport("the frontend"))
        self._bot = bot
        self._send_line = send_line
        self._on_report = on_report
        self._transcript = Transcript()
        self._lines: deque[bytes | None] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._tracker = FrontendGameTracker(self.add)
        self._probe: SuggestionProbe | None = None
        self._probe_count = 0
        self._has_rules = False

    def add_line(self, line: bytes | None) -> None:
        """Take a line that has arrived; None for one that was too long."""
        self._lines.append(line)
        self._changed.set()

    def close(self) -> None:
        """Mark the end of the input."""
        self._closed = True
        self._changed.set()

    async def run(self) -> None:
        """Play until quit or the end of the input."""
        if await self._wait_for_line(_INFO_DELAY):
            self._quote_waiting()
            self.add("message before info", clause="waits-for-info")
        name = "sevenbag check --frontend"
        self._send(tbp.TbpInfo(name, sevenbag.__version__, "sevenbag", (tbp.GARBAGE,)))
        try:
            while await self._wait_for_line(None):
                if not await self._handle_line(self._lines.popleft()):
                    return
            self.add("end of input without quit", clause="quit")
        finally:
            self._finish_probe(played=False)
            self._tracker.report_unplayed_probes()
            self._on_report(self.report)

    def quote(self, count: int) -> tuple[str, ...]:
        """Return the last lines."""
        return tuple(self._transcript.lines[-count:])

    async def _wait_for_line(
        self, seconds: float | None, matches: Callable[[bytes | None], bool] = lambda _: True
    ) -> bool:
        """Wait for a matching line; return False at the time limit or at the end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not any(map(matches, self._lines)) and not self._closed:
                    self._changed.clear()
                    await self._changed.wait()
        return any(map(matches, self._lines))

    async def _handle_line(self, line: bytes | None) -> bool:
        """Handle a line; return False after quit."""
        content = self._parse_line(line)
        if content is None:
            return True
        kind = message_type(content)
        deviations = tbp.find_deviations(content)
        for deviation in deviations:
            self.add(
                f"{deviation.path}: {deviation.problem}",
                clause="message-format",
                severity=deviation.severity,
                source=deviation.clause,
            )
        try:
            message = tbp.from_object(content)
        except ProtocolError as error:
            if not deviations:
                self.add(str(error), clause="message-format", source=f"0000-mvp, {kind}")
            return True
        if message is None:
            self.add(f"message of unknown type {kind!r}", clause="lines", severity="note")
            return True
        return await self._handle_message(message, kind)

    def _parse_line(self, line: bytes | None) -> dict[str, Any] | None:
        self._transcript.add(">", b"(a line longer than 1 MiB)" if line is None else line)
        if line is None:
            self.add("line longer than 1 MiB", clause="lines")
            return None
        if not line.strip():
            self.add("blank line; Cold Clear 2 exits at it", clause="lines", severity="warning")
            return None
        if line.endswith(b"\r"):
            self.add("line that ends with CR LF", clause="lines", severity="note")
        content = parse_json(line)
        if not isinstance(content, dict):
            self.add("line is not a JSON object", clause="lines")
            return None
        if b'": ' in line or b'", "' in line:
            message = "JSON with spaces; bashtet cannot read it"
            self.add(message, clause="lines", severity="note")
        return cast("dict[str, object]", content)

    async def _handle_message(self, message: tbp.TbpMessage, kind: str) -> bool:
        tracker = self._tracker
        match message:
            case tbp.TbpRules():
                await self._handle_rules(message)
            case tbp.TbpStart():
                if not self._has_rules:
                    self.add("start before rules", clause="rules-first")
                self._finish_probe(played=tracker.continues_game(message, self._probe))
                tracker.start(message)
            case tbp.TbpSuggest():
                await self._suggest()
            case tbp.TbpPlay():
                if self._probe is not None:
                    clause, problem = self._probe.find_deviation(message.move)
                    if problem:
                        self.add(problem, clause=clause)
                self._finish_probe(played=True)
                tracker.play(message.move)
            case tbp.TbpNewPiece():
                tracker.add_piece(message)
            case tbp.TbpGarbage():
                tracker.add_garbage(message)
            case tbp.TbpStop():
                tracker.stop()
                self._finish_probe(played=False)
                self._on_report(self.report)
            case tbp.TbpQuit():
                return False
            case _:
                self.add(f"message of a bot, {kind!r}", clause="lines", severity="note")
        return True

    async def _handle_rules(self, rules: tbp.TbpRules) -> None:
        if not self._has_rules and await self._wait_for_line(_READY_DELAY):
            self._quote_waiting()
            self.add("message before ready", clause="waits-for-ready")
        self._has_rules = True
        self._tracker.rules = rules
        self._send(tbp.TbpReady())

    async def _suggest(self) -> None:
        position = self._tracker.suggest()
        if position is None:
            self._send(tbp.TbpSuggestion(()))
            return
        await self._bot.start(position)
        suggestion = await self._bot.suggest(Limits(nodes=100))
        self._probe = create_probe(self._probe_count, position, suggestion.moves)
        self._probe_count += 1
        if self._probe is None:
            self._send(tbp.TbpSuggestion(()))
            return
        if self._probe.kind == "late" and await self._wait_for_line(
            _LATE_ANSWER_DELAY, _requires_answer
        ):
            line = next(filter(_requires_answer, self._lines)) or b""
            self._transcript.add(">", line)
            kind = message_type(parse_json(line))
            self.add(f"{kind} before the answer to the pending suggest", clause="pending-suggest")
        self._write_line(encode_line(self._probe.message))

    def _finish_probe(self, *, played: bool) -> None:
        """Record if the pending suggestion was played, or if the game ended at it."""
        probe, self._probe = self._probe, None
        if probe is not None:
            self._tracker.record_probe(probe.kind, played=played)

    def _quote_waiting(self) -> None:
        """Add waiting lines to the transcript."""
        for line in self._lines:
            self._transcript.add(">", line or b"")

    def _send(self, message: tbp.TbpBotMessage) -> None:
        self._write_line(tbp.encode(message))

    def _write_line(self, line: bytes) -> None:
        self._transcript.add("<", line)
        self._send_line(line)


def _requires_answer(line: bytes | None) -> bool:
    return line is not None and message_type(parse_json(line)) in {"play", "suggest"}
