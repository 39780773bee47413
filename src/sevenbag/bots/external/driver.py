"""Base of the drivers: one external bot over one channel.

The caller of `suggest` keeps its deadline. The steps before a game have phases with time limits of
their own.
"""

from __future__ import annotations

import abc
import asyncio
from typing import TYPE_CHECKING, Any, Final

from sevenbag.bots.bot import Bot, printable_name
from sevenbag.bots.external.bot_channel import LAUNCH_TIMEOUT, MessageReader
from sevenbag.bots.external.process import create_process_launcher, program_name, split_command
from sevenbag.errors import BotDiedError, BotStartError, BotTimeoutError, RulesError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sevenbag.bots.bot import Step
    from sevenbag.bots.external.bot_channel import BotChannel, ChannelLauncher
    from sevenbag.game.rules import Rules

STALE_ANSWER_TIMEOUT: Final = 1.0
"""Seconds for an answer about an earlier position, before the bot is restarted."""
TIMEOUT_MARGIN: Final = 5.0
"""Extra seconds for steps with several phases, so that the timeout of a phase comes first."""
FLUSH_HINT: Final = "is its output flushed?"


def loop_time() -> float:
    """Return the time of the event loop in seconds."""
    return asyncio.get_running_loop().time()


class ExternalBot(Bot):
    """An external bot: a program, a WebSocket server or a worker; it starts in `prepare`.

    Attributes:
        name: given name, else announced name, else name of the program.
        launcher: opens a channel to the bot.
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
        self._reader: MessageReader[Any] | None = None
        self._skipped_before = 0

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
        if self._reader is None:
            return ""
        return "; ".join(self._reader.describe_problems(self._skipped_before))

    @property
    def pid(self) -> int | None:
        """Process ID and process group ID; None when no process runs."""
        return self._channel.pid if self._channel is not None else None

    @property
    def stderr(self) -> str:
        """The end of its standard error output."""
        return self._channel.stderr if self._channel is not None else ""

    @property
    def skipped_lines(self) -> int:
        """Number of lines that were not messages."""
        return self._reader.skipped_lines if self._reader is not None else 0

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
        """Check that the protocol can express the rules.

        Raises:
            RulesError: it cannot.
        """

    @abc.abstractmethod
    async def _launch(self) -> None:
        """Start the bot, or start it again, and wait for its introduction."""

    async def _agree(self, rules: Rules) -> None:
        """Agree on the rules with the running bot."""

    @abc.abstractmethod
    def _forget_position(self) -> None:
        """Forget the game."""

    @abc.abstractmethod
    async def _close(self) -> None:
        """Close the channel."""

    async def _open_channel(self, decode: Callable[[bytes], object | None]) -> None:
        await self._close()
        self._channel = await self.launcher(self.name)
        self._reader = MessageReader(self._channel, decode)

    async def _close_channel(self, last_message: bytes, seconds: float) -> None:
        channel, self._channel, self._reader = self._channel, None, None
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
        assert self._reader is not None
        messages = [self._reader.decode(line) for line in lines]
        return [message for message in messages if message is not None]

    async def _receive_until(
        self,
        accept: Callable[[Any], bool],
        seconds: float | None = None,
        what: str = "",
    ) -> Any:
        """Wait for a message.

        Args:
            accept: receives each message; returns True for the last one.
            seconds: time limit [default: none].
            what: description of a missing message.

        Raises:
            BotTimeoutError: it did not arrive in time.
        """
        self._require_channel()
        reader = self._reader
        assert reader is not None
        self._skipped_before = reader.skipped_lines
        try:
            async with asyncio.timeout(seconds):
                while not accept(message := await reader.receive()):
                    pass
        except TimeoutError:
            if seconds is None:
                raise
            hints = [f"{what} within {seconds:g} s", self.explain_timeout(), FLUSH_HINT]
            raise BotTimeoutError(self.name, "; ".join(filter(None, hints))) from None
        return message
