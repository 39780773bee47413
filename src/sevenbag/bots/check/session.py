"""One conversation with the bot that is checked: every line is kept, and looked at."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from sevenbag.errors import BotDiedError, BotError, BotProtocolError
from sevenbag.protocols.json_lines import message_type, parse_json
from sevenbag.protocols.tbp.messages import find_deviations

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.external.bot_channel import BotChannel
    from sevenbag.protocols.json_lines import Deviation

Json = dict[str, Any]
Oddity = Literal["line", "unasked", "length"]

LONGEST_SAFE: Final = 4096
"""Bytes of a line with its end that every frontend reads whole."""
_MOST_RUBBISH: Final = 200
"""Lines that are no messages, before nothing else is expected of a bot."""
_MOST_KEPT: Final = 400
_LONGEST_KEPT: Final = 32 << 10
_SHORTEST_SEEN: Final = 8
_MOST_BETWEEN: Final = 4
"""Maximum lines between two excerpts that are quoted instead of omitted."""


class SilentError(Exception):
    """The bot did not say in time what it should have said."""


class GoneError(Exception):
    """The bot has ended, or closed its output."""


class RubbishError(Exception):
    """The bot says something else, and does not stop."""


class Session:
    """A bot that runs, and what was said.

    Attributes:
        lines: messages to the bot (``>``) and from it (``<``). A repeated exchange is stored once.
    """

    def __init__(
        self,
        channel: BotChannel,
        *,
        seconds: float,
        departed: Callable[[Deviation, Session], None],
        oddity: Callable[[Oddity, str, Session], None],
        judge: Callable[[object], list[Deviation]] = find_deviations,
        farewell: bytes = b'{"type":"quit"}\n',
        longest: int = LONGEST_SAFE,
    ) -> None:
        """Listen.

        Args:
            channel: to the bot.
            seconds: how long it may take over an answer.
            departed: is told of each message that is not by the letter.
            oddity: is told of each line that is no message, not the one awaited, or very long.
            judge: what of a message is not by the letter.
            farewell: what ends a conversation.
            longest: bytes of a line with its end that are safe.
        """
        self.lines: list[str] = []
        self._said: list[str] = []
        self._pinned: list[str] = []
        self._channel = channel
        self._seconds = seconds
        self._departed = departed
        self._oddity = oddity
        self._judge = judge
        self._farewell = farewell
        self._longest = longest

    @property
    def channel(self) -> BotChannel:
        """What carries the conversation."""
        return self._channel

    @property
    def exit_code(self) -> int | None:
        """How the bot's process ended: negative for a signal; None where there is no process."""
        code: object = getattr(self._channel, "exit_code", None)
        return code if isinstance(code, int) else None

    @property
    def was_terminated(self) -> bool:
        """Whether closing the bot's process required a signal."""
        return bool(getattr(self._channel, "was_terminated", False))

    def last(self, count: int = _SHORTEST_SEEN) -> tuple[str, ...]:
        """Return the last lines, preceded by the last messages to the bot.

        Args:
            count: number of last lines; 1 returns only the last line.
        """
        deciding = self._pinned or self._said
        tail = self.lines[-count:]
        if count == 1 or not deciding or deciding[0] in tail:
            return tuple(tail)
        since = self.lines[::-1].index(deciding[0]) + 1 if deciding[0] in self.lines else _MOST_KEPT
        if since <= count + _MOST_BETWEEN:
            return tuple(self.lines[-since:])
        return (*deciding, "...", *tail)

    def pin(self) -> None:
        """Quote the last messages to the bot in all further findings."""
        self._pinned = list(self._said)

    async def say(self, message: Json, *, spaced: bool = False) -> None:
        """Say a message.

        Raises:
            GoneError: nobody listens any more.
        """
        await self.say_line(encode_line(message, spaced=spaced))

    async def tell(self, played: Json, pieces: list[Json]) -> None:
        """Say a move, and what came with it; see `say`."""
        for message in (played, *pieces):
            await self.say(message)

    async def say_line(self, line: bytes) -> None:
        """Say a line as it is; see `say`."""
        self._keep(">", line)
        try:
            await self._channel.send(line)
        except BotError as error:
            raise GoneError(_words(error)) from None

    async def hear(self, *kinds: str, seconds: float | None = None) -> Json:
        """The next message of one of these types; what comes before it is passed over.

        Raises:
            SilentError: it did not come in time.
            GoneError: the bot has ended, or says that it cannot play.
            RubbishError: other lines come, and do not end.
        """
        allowed = self._seconds if seconds is None else seconds
        try:
            async with asyncio.timeout(allowed):
                for _ in range(_MOST_RUBBISH):
                    message = await self._message()
                    kind = message_type(message)
                    if kind in kinds:
                        return message
                    if kind == "error":
                        raise GoneError(f"said error, {message.get('reason')!r}")
                    if message:
                        what = f"said {kind!r} where {' or '.join(kinds)} was due"
                        self._oddity("unasked", what, self)
        except TimeoutError:
            begun = self._channel.pending_bytes()
            cut = f"; {begun} bytes came without a line end" if begun else ""
            raise SilentError(f"no {' or '.join(kinds)} within {allowed:g} s{cut}") from None
        raise RubbishError(f"{_MOST_RUBBISH} other lines where {' or '.join(kinds)} was due")

    async def overhear(self, seconds: float) -> list[Json]:
        """The messages that come within this time, whether anybody asked for them or not.

        Raises:
            GoneError: the bot has ended.
            RubbishError: a line is too long.
        """
        heard: list[Json] = []
        try:
            async with asyncio.timeout(seconds):
                while len(heard) < _MOST_RUBBISH:
                    message = await self._message()
                    if message:
                        heard.append(message)
        except TimeoutError:
            pass
        return heard

    async def until_gone(self, seconds: float) -> bool:
        """Whether the bot has ended within this time; what it still says is passed over."""
        try:
            await self.overhear(seconds)
        except GoneError:
            return True
        except RubbishError:
            return False
        return False

    async def close(self) -> None:
        """End the bot, whatever state it is in."""
        await self._channel.close(self._farewell, 0.2)

    # --- helpers --------------------------------------------------------------------------------

    async def _message(self) -> Json:
        """The next line as an object; an empty one if it is none."""
        try:
            line = await self._channel.receive()
        except BotProtocolError as error:
            raise RubbishError(_words(error)) from None
        except BotDiedError as error:
            raise GoneError(_words(error)) from None
        self._keep("<", line)
        if len(line) >= self._longest:
            self._oddity("length", f"wrote a line of {len(line) + 1} bytes with its end", self)
        content = parse_json(line)
        if not isinstance(content, dict):
            what = "a line that is no JSON object" if line.strip() else "a blank line"
            self._oddity("line", f"wrote {what}", self)
            return {}
        message = cast("dict[str, object]", content)
        for departure in self._judge(message):
            self._departed(departure, self)
        return message

    def _keep(self, sign: str, line: bytes) -> None:
        text = line[:_LONGEST_KEPT].decode("utf-8", "replace").rstrip("\r\n")
        more = f"... ({len(line)} bytes)" if len(line) > _LONGEST_KEPT else ""
        kept = f"{sign} {text}{more}"
        if sign == ">" and kept not in self._said:
            # A repeated request still refers to the messages before its first occurrence.
            if self.lines and self.lines[-1].startswith("<"):
                self._said.clear()
            self._said.append(kept)
        self.lines.append(kept)
        if self.lines[-4:-2] == self.lines[-2:]:
            del self.lines[-2:]
        elif len(self.lines) > _MOST_KEPT:
            del self.lines[0]


def encode_line(message: Json, *, spaced: bool = False, end: bytes = b"\n") -> bytes:
    """Encode a message as a line of JSON, compact or with spaces."""
    separators = None if spaced else (",", ":")
    return json.dumps(message, separators=separators).encode() + end


def _words(error: BotError) -> str:
    return str(error).removeprefix(f"{error.bot}: ")
