"""Connection to a checked bot that records all lines and reports malformed ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from sevenbag.bots.external.bot_channel import BotChannel
from sevenbag.errors import BotDiedError, BotError, BotProtocolError
from sevenbag.protocols.json_lines import Deviation, Severity, message_type, parse_json

Json = dict[str, Any]

_MAX_OTHER_MESSAGES: Final = 200
"""Maximum lines that are skipped while a message is awaited."""
_MAX_LINES: Final = 400
_MAX_LINE_BYTES: Final = 32 << 10
_QUOTED_LINES: Final = 8
_MAX_OMITTED_LINES: Final = 4
"""Maximum lines between two excerpts that are quoted instead of omitted."""


class CheckEndedError(Exception):
    """The check ends; its finding, or the reason for the skip, is recorded."""


class CheckAbortedError(Exception):
    """The bot does not send the expected message; the check ends with a finding."""


class BotExitedError(CheckAbortedError):
    """The bot exited, closed its output or reported that it cannot play."""


class ReportProblem(Protocol):
    """Records a problem of the last line."""

    def __call__(
        self, message: str, /, *, clause: str, severity: Severity | None = None, source: str = ""
    ) -> None:
        """Record it; without a severity, the one of the clause."""


class Transcript:
    """The lines of a connection.

    Attributes:
        lines: messages to the bot (``>``) and from it (``<``). A repeated exchange is stored once.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._sent: list[str] = []
        self._pinned: list[str] = []

    def add(self, sign: str, line: bytes) -> None:
        """Add a line with its sign, ``>`` or ``<``."""
        text = line[:_MAX_LINE_BYTES].decode("utf-8", "replace").rstrip("\r\n")
        more = f"... ({len(line)} bytes)" if len(line) > _MAX_LINE_BYTES else ""
        entry = f"{sign} {text}{more}"
        if sign == ">" and entry not in self._sent:
            # A repeated request still refers to the messages before its first occurrence.
            if self.lines and self.lines[-1].startswith("<"):
                self._sent.clear()
            self._sent.append(entry)
        self.lines.append(entry)
        if self.lines[-4:-2] == self.lines[-2:]:
            del self.lines[-2:]
        elif len(self.lines) > _MAX_LINES:
            del self.lines[0]

    def quote(self, count: int = _QUOTED_LINES) -> tuple[str, ...]:
        """Return the last lines, preceded by the last messages to the bot.

        Args:
            count: number of last lines; 1 returns only the last line.
        """
        decisive = self._pinned or self._sent
        tail = self.lines[-count:]
        if count == 1 or not decisive or decisive[0] in tail:
            return tuple(tail)
        since = self.lines[::-1].index(decisive[0]) + 1 if decisive[0] in self.lines else _MAX_LINES
        if since <= count + _MAX_OMITTED_LINES:
            return tuple(self.lines[-since:])
        return (*decisive, "...", *tail)

    def pin_quote(self) -> None:
        """Quote the last messages to the bot in all further findings."""
        self._pinned = list(self._sent)


class RecordedConnection:
    """Connection to a running bot."""

    def __init__(
        self,
        channel: BotChannel,
        *,
        answer_seconds: float,
        report_problem: ReportProblem,
        find_deviations: Callable[[Json], list[Deviation]],
        quit_message: bytes,
        safe_line_bytes: int,
    ) -> None:
        """Start to record.

        Args:
            channel: channel to the bot.
            answer_seconds: default time limit of `receive`.
            report_problem: records a problem of the last line.
            find_deviations: returns deviations of a message from the specification.
            quit_message: line that ends the bot.
            safe_line_bytes: longer lines, with their ends, are reported.
        """
        self.channel = channel
        self.transcript = Transcript()
        self._answer_seconds = answer_seconds
        self._report_problem = report_problem
        self._find_deviations = find_deviations
        self._quit_message = quit_message
        self._safe_line_bytes = safe_line_bytes

    async def send(self, *messages: Json) -> None:
        """Send messages.

        Raises:
            BotExitedError: the bot cannot receive them.
        """
        for message in messages:
            await self.send_line(encode_line(message))

    async def send_line(self, line: bytes) -> None:
        """Send a line without changes; see `send`."""
        self.transcript.add(">", line)
        try:
            await self.channel.send(line)
        except BotError as error:
            raise BotExitedError(describe_error(error)) from None

    async def receive(self, *kinds: str, seconds: float | None = None) -> Json:
        """Return the next message of one of these types and skip other messages.

        Args:
            kinds: types of the message.
            seconds: time limit.

        Raises:
            BotExitedError: the bot exited or sent ``error``.
            CheckAbortedError: the message did not arrive in time, or too many others did.
        """
        limit = self._answer_seconds if seconds is None else seconds
        expected = " or ".join(kinds)
        try:
            async with asyncio.timeout(limit):
                for _ in range(_MAX_OTHER_MESSAGES):
                    message = await self._receive_message()
                    kind = message_type(message)
                    if kind in kinds:
                        return message
                    if kind == "error":
                        raise BotExitedError(f"sent error with reason {message.get('reason')!r}")
                    if message:
                        problem = f"sent {kind!r} instead of {expected}"
                        self._report_problem(problem, clause="unsolicited")
        except TimeoutError:
            pending = self.channel.pending_bytes()
            more = f"; {pending} bytes without a line end" if pending else ""
            raise CheckAbortedError(f"no {expected} within {limit:g} s{more}") from None
        raise CheckAbortedError(f"sent {_MAX_OTHER_MESSAGES} other lines instead of {expected}")

    async def collect(self, seconds: float) -> list[Json]:
        """Return the messages that arrive within this time.

        Raises:
            BotExitedError: the bot exited.
            CheckAbortedError: a line is too long.
        """
        messages: list[Json] = []
        try:
            async with asyncio.timeout(seconds):
                while len(messages) < _MAX_OTHER_MESSAGES:
                    message = await self._receive_message()
                    if message:
                        messages.append(message)
        except TimeoutError:
            pass
        return messages

    async def wait_for_exit(self, seconds: float) -> bool:
        """Return True if the bot exits within this time; skip its messages."""
        try:
            await self.collect(seconds)
        except BotExitedError:
            return True
        except CheckAbortedError:
            return False
        return False

    async def close(self) -> None:
        """End the bot."""
        await self.channel.close(self._quit_message, 0.2)

    async def _receive_message(self) -> Json:
        """Return the next line as an object; an empty one if the line is malformed."""
        try:
            line = await self.channel.receive()
        except BotProtocolError as error:
            raise CheckAbortedError(describe_error(error)) from None
        except BotDiedError as error:
            raise BotExitedError(describe_error(error)) from None
        self.transcript.add("<", line)
        if len(line) >= self._safe_line_bytes:
            problem = f"line of {len(line) + 1} bytes with its end"
            self._report_problem(problem, clause="line-length")
        content = parse_json(line)
        if not isinstance(content, dict):
            problem = "line is not a JSON object" if line.strip() else "blank line"
            self._report_problem(problem, clause="lines")
            return {}
        message = cast("dict[str, object]", content)
        for deviation in self._find_deviations(message):
            self._report_problem(
                f"{deviation.path}: {deviation.problem}",
                clause="message-format",
                severity=deviation.severity,
                source=deviation.clause,
            )
        return message


def encode_line(message: Json, *, spaced: bool = False, end: bytes = b"\n") -> bytes:
    """Encode a message as a line of JSON, compact or with spaces."""
    separators = None if spaced else (",", ":")
    return json.dumps(message, separators=separators).encode() + end


def describe_error(error: BotError) -> str:
    """Return the message of an error without the bot's name."""
    return str(error).removeprefix(f"{error.bot}: ")
