"""A TBP connection to an external bot, with a time limit for each answer."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Final

from sevenbag.bots.external.bot_channel import MessageReader
from sevenbag.errors import BotForfeitError, BotTimeoutError
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.messages import decode, encode
from sevenbag.protocols.tbp.tbp_connections import TbpEvent, TbpFrontendConnection, TbpStage

if TYPE_CHECKING:
    from sevenbag.bots.external.bot_channel import BotChannel

_DECODE: Final = functools.partial(decode, ignore_extensions=True)


class TbpConversation:
    """One TBP connection over one channel.

    Attributes:
        channel: channel to the bot.
        connection: protocol state.
        spaced: whether JSON is written with spaces.
    """

    def __init__(self, channel: BotChannel, *, spaced: bool = False) -> None:
        self.channel = channel
        self.connection = TbpFrontendConnection()
        self.spaced = spaced
        self._reader: MessageReader[tbp.TbpMessage] = MessageReader(channel, _DECODE)

    @property
    def name(self) -> str:
        """The bot's name in errors."""
        return self.channel.name

    @property
    def skipped_lines(self) -> int:
        """Number of lines that were not messages."""
        return self._reader.skipped_lines

    def encode(self, message: tbp.TbpFrontendMessage) -> bytes:
        """Encode a message as it is sent."""
        return encode(message, spaced=self.spaced)

    async def send(self, message: tbp.TbpFrontendMessage) -> None:
        """Send a message.

        Raises:
            BotDiedError: the bot has ended.
            BotTimeoutError: the bot has not read its input for long.
        """
        await self.channel.send(self.encode(message))

    async def receive_info(self, seconds: float) -> TbpEvent:
        """Wait until the bot sends ``info``, or an error."""
        return (await self._wait_for(seconds, seconds, "no info", TbpEvent.INTRODUCED))[0]

    async def receive_ready(self, seconds: float) -> TbpEvent:
        """Wait until the bot accepts the rules, or sends an error."""
        return (await self._wait_for(seconds, seconds, "no answer to the rules", TbpEvent.READY))[0]

    async def receive_suggestion(self, left: float, allowed: float) -> tbp.TbpSuggestion:
        """Wait for the answer to a question.

        Args:
            left: remaining seconds.
            allowed: seconds when the question was first asked, for the error.

        Raises:
            BotTimeoutError: it did not arrive in time.
            BotForfeitError: the bot sent an error.
        """
        event, message = await self._wait_for(
            left, allowed, "no answer to suggest", TbpEvent.SUGGESTED
        )
        if event is TbpEvent.REFUSED or not isinstance(message, tbp.TbpSuggestion):
            raise self._forfeit()
        return message

    async def receive_available_answer(self) -> tbp.TbpSuggestion | None:
        """Read the messages that arrived before the question; drop late answers.

        An answer is current only if a cancelled call has asked about this position before.
        """
        answer: tbp.TbpSuggestion | None = None
        for line in await self.channel.receive_available():
            message = self._reader.decode(line)
            if message is None:
                continue
            event = self.connection.receive(message)
            if event is TbpEvent.SUGGESTED and isinstance(message, tbp.TbpSuggestion):
                answer = message
        if self.connection.stage is TbpStage.REFUSED:
            raise self._forfeit()
        return answer

    async def settle(self, seconds: float) -> bool:
        """Wait for stale answers, so that they are not taken for the next one.

        Returns: whether they have arrived.
        """
        try:
            async with asyncio.timeout(seconds):
                while self.connection.pending_answers:
                    self.connection.receive(await self._reader.receive())
        except TimeoutError:
            return False
        return True

    # --- helpers --------------------------------------------------------------------------------

    async def _wait_for(
        self, left: float, allowed: float, what: str, awaited: TbpEvent
    ) -> tuple[TbpEvent, tbp.TbpMessage]:
        """Wait for an event, or for an error of the bot."""
        skipped = self.skipped_lines
        try:
            async with asyncio.timeout(left):
                while True:
                    message = await self._reader.receive()
                    event = self.connection.receive(message)
                    if event is awaited or event is TbpEvent.REFUSED:
                        return event, message
        except TimeoutError:
            hints = [f"{what} within {allowed:g} s", *self._reader.describe_problems(skipped)]
            if awaited is not TbpEvent.SUGGESTED:
                hints.append("is its output flushed?")
            raise BotTimeoutError(self.name, "; ".join(hints)) from None

    def _forfeit(self) -> BotForfeitError:
        return BotForfeitError(self.name, f"sent error ({self.connection.error_reason})")
