"""Base of the drivers: one external bot over one channel.

The caller of `suggest` keeps its deadline. The steps before a game have phases with time limits of
their own.
"""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from sevenbag.bots.bot import Bot, Step, printable_name
from sevenbag.bots.external.bot_channel import LAUNCH_TIMEOUT, BotChannel, ChannelLauncher
from sevenbag.bots.external.process import create_process_launcher, program_name, split_command
from sevenbag.errors import (
    BotDiedError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    ProtocolError,
    RulesError,
)
from sevenbag.game.rules import Rules

STALE_ANSWER_TIMEOUT: Final = 1.0
"""Seconds for an answer about an earlier position, before the bot is restarted."""
TIMEOUT_MARGIN: Final = 5.0
"""Extra seconds for steps with several phases, so that the timeout of a phase comes first."""
_FLUSH_HINT: Final = "is its output flushed?"
_MAX_SKIPPED_LINES: Final = 1000
"""Maximum lines in a row that are not messages."""
_MAX_QUOTED_BYTES: Final = 60


def loop_time() -> float:
    """Return the time of the event loop in seconds."""
    return asyncio.get_running_loop().time()


class ExternalBot(Bot):
    """An external bot: a program, a WebSocket server or a worker; it starts in `prepare`.

    Attributes:
        name: given name, else announced name, else name of the program.
        launcher: opens a channel to the bot.
        skipped_lines: number of lines of the running bot that were not messages.
        misdrops: number of moves that led to another board than the bot expected.
    """

    _sends_sigint = False

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None,
        folder: Path | None,
        log: Path | None,
        launcher: ChannelLauncher | None,
    ) -> None:
        """Create a driver.

        Args:
            command: program and arguments; a text is split as a shell would split it.
            name: name of the bot.
            folder: working folder; by default that of this process.
            log: file to which standard error is appended.
            launcher: opens a channel other than a process of this command.

        Raises:
            BotStartError: the command is empty, or its quotes do not match.
        """
        words = split_command(command, name or self.protocol or "")
        self._has_fixed_name = name is not None
        self.name = name or program_name(words)
        self.launcher = launcher or create_process_launcher(
            words, folder=folder, log=log, send_sigint=self._sends_sigint
        )
        self.misdrops = 0
        self._rules: Rules | None = None
        self._channel: BotChannel | None = None
        self.skipped_lines = 0
        self._skipped_before = 0
        self._last_skipped = b""

    def step_timeout(self, step: Step) -> float:
        """Return the time limit of the settings; a position may require a new process."""
        answer, ready, leave = self._phase_timeouts()
        if step == "suggest":
            return answer
        start = LAUNCH_TIMEOUT + ready
        restart = STALE_ANSWER_TIMEOUT + leave + start
        seconds = {"prepare": start, "update": restart, "stop": leave, "quit": leave}
        return seconds[step] + TIMEOUT_MARGIN

    def explain_timeout(self) -> str:
        """Describe unusable output since the last question."""
        found: list[str] = []
        if lines := self.skipped_lines - self._skipped_before:
            what = "line that is not a message" if lines == 1 else "lines that are not messages"
            found.append(f"skipped {lines} {what}, such as {_quote(self._last_skipped)}")
        if self._channel is not None and (pending := self._channel.pending_bytes()):
            found.append(f"{pending} bytes came without a line end")
        return "; ".join(found)

    @property
    def pid(self) -> int | None:
        """Process ID and process group ID; None when no process runs."""
        return self._channel.pid if self._channel is not None else None

    @property
    def stderr(self) -> str:
        """The end of its standard error output."""
        return self._channel.stderr if self._channel is not None else ""

    async def prepare(self, rules: Rules) -> None:
        """Start the bot and agree on the rules."""
        try:
            self._check_rules(rules)
        except RulesError as error:
            raise BotStartError(self.name, str(error)) from None
        self._rules = rules
        try:
            if self._channel is None or not self._channel.running:
                await self._launch()
            await self._agree(rules)
        except BotDiedError as error:
            await self.quit()
            raise BotStartError(self.name, error.reason) from error
        except BaseException:
            # Leave nothing behind of a bot that did not become ready.
            await self.quit()
            raise

    async def quit(self) -> None:
        """End the bot with all its children."""
        self._forget_position()
        await self._close()

    @abc.abstractmethod
    def _phase_timeouts(self) -> tuple[float, float, float]:
        """Return the seconds for an answer, to be ready after the launch, and to exit."""

    @abc.abstractmethod
    def _check_rules(self, rules: Rules) -> None:
        """Check that the protocol can express the rules; `RulesError` if not."""

    @abc.abstractmethod
    async def _launch(self) -> None:
        """Start the bot, or start it again, and wait for its introduction."""

    async def _agree(self, rules: Rules) -> None:
        """Agree on the rules with the running bot."""

    @abc.abstractmethod
    def _decode(self, line: bytes) -> object | None:
        """Decode a line; None for lines to skip, `ProtocolError` for an invalid message."""

    @abc.abstractmethod
    def _forget_position(self) -> None:
        """Forget the game."""

    @abc.abstractmethod
    async def _close(self) -> None:
        """Close the channel."""

    async def _open_channel(self) -> None:
        await self._close()
        self._channel = await self.launcher(self.name)
        self.skipped_lines = 0

    async def _close_channel(self, last_message: bytes, seconds: float) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close(last_message, seconds)

    def _require_channel(self) -> BotChannel:
        if self._channel is None:
            raise BotDiedError(self.name, "is not running")
        return self._channel

    def _set_announced_name(self, name: str) -> None:
        announced = printable_name(name)
        if announced and not self._has_fixed_name:
            self.name = self._require_channel().name = announced

    async def _receive_available(self) -> list[Any]:
        """Return the messages that have arrived."""
        lines = await self._require_channel().receive_available()
        messages = [self._read(line) for line in lines]
        return [message for message in messages if message is not None]

    async def _receive_until(
        self, accept: Callable[[Any], bool], seconds: float | None = None, what: str = ""
    ) -> Any:
        """Wait for a message that `accept` accepts; it receives all messages.

        Raises:
            BotTimeoutError: it did not arrive in time; `what` describes it.
        """
        self._skipped_before = self.skipped_lines
        if seconds is None:
            return await self._receive_accepted(accept)
        try:
            async with asyncio.timeout(seconds):
                return await self._receive_accepted(accept)
        except TimeoutError:
            hints = [f"{what} within {seconds:g} s", self.explain_timeout(), _FLUSH_HINT]
            raise BotTimeoutError(self.name, "; ".join(filter(None, hints))) from None

    async def _receive_accepted(self, accept: Callable[[Any], bool]) -> Any:
        while not accept(message := await self._receive_message()):
            pass
        return message

    async def _receive_message(self) -> object:
        """Return the next message and skip a limited number of other lines."""
        line = b""
        for _ in range(_MAX_SKIPPED_LINES):
            line = await self._require_channel().receive()
            if (message := self._read(line)) is not None:
                return message
        what = f"printed {_MAX_SKIPPED_LINES} lines that are not messages, such as {_quote(line)}"
        raise BotProtocolError(self.name, what)

    def _read(self, line: bytes) -> object | None:
        try:
            message = self._decode(line)
        except ProtocolError as error:
            raise BotProtocolError(self.name, str(error)) from error
        if message is None and line.strip():
            self.skipped_lines += 1
            self._last_skipped = line
        return message


def _quote(line: bytes) -> str:
    text = line[:_MAX_QUOTED_BYTES].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > _MAX_QUOTED_BYTES else "")
