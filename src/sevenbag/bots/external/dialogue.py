"""A conversation with a foreign bot: what it says is heard in time, or named for what it is."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Final

from sevenbag.bots.external.bot_channel import Hearing
from sevenbag.errors import BotForfeitError, BotTimeoutError
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.frontend_side import TbpEvent, TbpFrontendConnection, TbpStage
from sevenbag.protocols.tbp.wire import decode, encode

if TYPE_CHECKING:
    from sevenbag.bots.external.bot_channel import Channel

_DECODE: Final = functools.partial(decode, ignore_extensions=True)


class Dialogue:
    """One conversation over one channel.

    Attributes:
        channel: what carries it.
        side: how far it has come.
        spaced: whether to write JSON with blanks.
    """

    def __init__(self, channel: Channel, *, spaced: bool = False) -> None:
        self.channel = channel
        self.side = TbpFrontendConnection()
        self.spaced = spaced
        self._hearing: Hearing[tbp.TbpMessage] = Hearing(channel, _DECODE)

    @property
    def name(self) -> str:
        """By which errors call the bot."""
        return self.channel.name

    @property
    def skipped(self) -> int:
        """Lines that came and are no messages."""
        return self._hearing.skipped

    def written(self, message: tbp.TbpFrontendMessage) -> bytes:
        """A message as it is sent."""
        return encode(message, spaced=self.spaced)

    async def send(self, message: tbp.TbpFrontendMessage) -> None:
        """Say something.

        Raises:
            BotDiedError: nobody is there.
            BotTimeoutError: nobody has listened for long.
        """
        await self.channel.send(self.written(message))

    async def introduction(self, seconds: float) -> TbpEvent:
        """Wait until the bot has said who it is, or that it does not play."""
        return (await self._event(seconds, seconds, "no info", TbpEvent.INTRODUCED))[0]

    async def readiness(self, seconds: float) -> TbpEvent:
        """Wait until the bot is ready for the rules, or says that it does not play them."""
        return (await self._event(seconds, seconds, "no answer to the rules", TbpEvent.READY))[0]

    async def suggestion(self, left: float, allowed: float) -> tbp.TbpSuggestion:
        """Wait for the answer to a question.

        Args:
            left: seconds until it must be there.
            allowed: how many there were when the question was first asked.

        Raises:
            BotTimeoutError: it did not come in time.
            BotForfeitError: the bot says that it cannot play.
        """
        event, message = await self._event(
            left, allowed, "no answer to suggest", TbpEvent.SUGGESTED
        )
        if event is TbpEvent.REFUSED or not isinstance(message, tbp.TbpSuggestion):
            raise self._given_up()
        return message

    async def waiting_answer(self) -> tbp.TbpSuggestion | None:
        """Hear what was said before we ask: late or double answers, chatter. That is dropped.

        It is an answer for us only if this position was asked for before, and whoever asked then
        was cancelled.
        """
        answer: tbp.TbpSuggestion | None = None
        for line in await self.channel.take_waiting():
            message = self._hearing.decoded(line)
            if message is None:
                continue
            event = self.side.receive(message)
            if event is TbpEvent.SUGGESTED and isinstance(message, tbp.TbpSuggestion):
                answer = message
        if self.side.stage is TbpStage.REFUSED:
            raise self._given_up()
        return answer

    async def settle(self, seconds: float) -> bool:
        """Wait for answers that nobody wants any more, lest they be taken for the next ones.

        Returns: whether they have come.
        """
        try:
            async with asyncio.timeout(seconds):
                while self.side.pending_answers:
                    self.side.receive(await self._hearing.next())
        except TimeoutError:
            return False
        return True

    # --- helpers --------------------------------------------------------------------------------

    async def _event(
        self, left: float, allowed: float, what: str, awaited: TbpEvent
    ) -> tuple[TbpEvent, tbp.TbpMessage]:
        """The awaited event, or a refusal."""
        skipped = self.skipped
        try:
            async with asyncio.timeout(left):
                while True:
                    message = await self._hearing.next()
                    event = self.side.receive(message)
                    if event is awaited or event is TbpEvent.REFUSED:
                        return event, message
        except TimeoutError:
            hints = [f"{what} within {allowed:g} s", *self._hearing.hints(skipped)]
            if awaited is not TbpEvent.SUGGESTED:
                hints.append("is its output flushed?")
            raise BotTimeoutError(self.name, "; ".join(hints)) from None

    def _given_up(self) -> BotForfeitError:
        return BotForfeitError(self.name, f"says that it cannot play ({self.side.error_reason})")
