"""What goes over the socket of a page: what it is told, and the words of its workers.

A frame is JSON, which is between the page and us, or a number, a blank and what a worker says or is
told: its own text, unchanged. The number is that of one start of one worker, so that a late word of
a worker that was ended is not taken for one of its successor.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.errors import BotDiedError, BotError, BotProtocolError, BotTimeoutError
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sevenbag.bots.external.bot_channel import ChannelLauncher, Transport

_MOST_WAITING: Final = 1024
_MOST_BYTES: Final = 4 << 20
"""What a worker may have said that nobody has heard yet. The socket is the whole page's: it cannot
be left unread for the sake of one worker, whom that would slow down."""
_LONGEST_LAST_WORDS: Final = 300


class PageChannel:
    """One start of a worker. See `sevenbag.bots.external.bot_channel.BotChannel`.

    Attributes:
        name: by which errors call the bot.
        stderr: the error of its script, if it had one.
    """

    def __init__(self, name: str, number: int, tunnel: Tunnel) -> None:
        """The page has been told to start it."""
        self.name = name
        self.stderr = ""
        self._number = number
        self._tunnel = tunnel
        self._words: deque[bytes] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self._ended: BotError | None = None

    @property
    def transport(self) -> Transport:
        """The worker of a page."""
        return "page"

    @property
    def pid(self) -> int | None:
        """None: it runs in somebody's browser."""
        return None

    @property
    def running(self) -> bool:
        """Whether it can be spoken to."""
        return self._ended is None

    async def send(self, data: bytes) -> None:
        """Say something to it."""
        if self._ended is not None:
            raise self._ended
        for line in data.splitlines():
            await self._tunnel.say_to(self._number, self.name, line.decode())

    async def receive(self) -> bytes:
        """What it says next."""
        while not self._words:
            if self._ended is not None:
                raise self._ended
            self._news.clear()
            await self._news.wait()
        words = self._words.popleft()
        self._bytes -= len(words)
        return words

    async def receive_available(self) -> list[bytes]:
        """What it has said already."""
        # What has come takes the event loop a few rounds to bring here.
        for _ in range(4):
            await asyncio.sleep(0)
        words = list(self._words)
        self._words.clear()
        self._bytes = 0
        if isinstance(self._ended, BotProtocolError):
            raise self._ended
        return words

    def pending_bytes(self) -> int:
        """0: what it says comes whole."""
        return 0

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Say the last words, then have the page end it."""
        if last_message and self._ended is None:
            with contextlib.suppress(BotError):
                await self.send(last_message)
                # Whoever knows how to leave needs a moment; the others are ended by their page.
                await asyncio.sleep(min(grace_seconds, 0.05))
        self.end("was ended")
        self._tunnel.forget(self._number)

    # --- for the tunnel -------------------------------------------------------------------------

    def take(self, text: str) -> None:
        """It has said something."""
        words = text.encode("utf-8", "replace")
        if self._ended is not None:
            return
        if len(words) > MAX_LINE_BYTES:
            what = f"posted a message longer than {MAX_LINE_BYTES} bytes"
            self._end(BotProtocolError(self.name, what))
        elif len(self._words) >= _MOST_WAITING or self._bytes + len(words) > _MOST_BYTES:
            what = f"posted {len(self._words)} messages that nobody had asked for"
            self._end(BotProtocolError(self.name, what))
        else:
            self._words.append(words)
            self._bytes += len(words)
            self._news.set()

    def end(self, why: str, last_words: str = "") -> None:
        """It will say nothing more."""
        if self._ended is None:
            self.stderr = last_words[:_LONGEST_LAST_WORDS]
            self._end(BotDiedError(self.name, why))

    def _end(self, error: BotError) -> None:
        self._ended = error
        self._news.set()


LONGEST_FRAME: Final = MAX_LINE_BYTES + 16
"""The longest message of a worker, behind its number."""
_MOST_UNSENT: Final = 256
"""Frames that the page has not taken, before a word to a worker has to wait."""
_LISTEN: Final = 5.0
"""Seconds that a word to a worker waits, before its page is taken for deaf."""
_PICTURE_SECONDS: Final = 1 / 30
"""Nobody sees more."""


class PageGoneError(Exception):
    """The page has closed its socket, or says what no page of ours says."""


class StartWorker(msgspec.Struct, frozen=True, tag_field="event", tag="start_worker"):
    """The page is to start the worker of a player, under this number."""

    number: int
    seat: int


class EndWorker(msgspec.Struct, frozen=True, tag_field="event", tag="end_worker"):
    """The page is to end the worker of this number."""

    number: int


class Failed(msgspec.Struct, frozen=True, tag_field="word", tag="failed"):
    """A worker has failed: so says the page, the browser, or the worker's error."""

    number: int
    reason: str


class Stop(msgspec.Struct, frozen=True, tag_field="word", tag="stop"):
    """The visitor has seen enough."""


class Tunnel:
    """One page's socket.

    Attributes:
        stopped: whether the visitor wants the game to end.

    Args:
        hear: the next frame; raises `PageGoneError`.
        say: sends a frame; raises `PageGoneError`.
    """

    def __init__(
        self, hear: Callable[[], Awaitable[str]], say: Callable[[str], Awaitable[None]]
    ) -> None:
        self.stopped = asyncio.Event()
        self._hear = hear
        self._say = say
        self._unsent: deque[str] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._picture: Callable[[], msgspec.Struct] | None = None
        self._channels: dict[int, PageChannel] = {}
        self._started = 0
        self._gone = ""

    def tell(self, event: msgspec.Struct) -> None:
        """Tell the page something that it must not miss."""
        self._put(_ENCODER.encode(event).decode())

    def finish(self, event: msgspec.Struct) -> None:
        """Tell the page its last event; no picture follows it."""
        self._picture = None
        self.tell(event)

    def show(self, picture: Callable[[], msgspec.Struct]) -> None:
        """Something is to be seen; it is asked for when the page can take it."""
        self._picture = picture
        self._news.set()

    def launcher(self, seat: int) -> ChannelLauncher:
        """How a channel to the worker of this player is opened."""

        async def launch(name: str) -> PageChannel:
            self._started += 1
            number = self._started
            channel = PageChannel(name, number, self)
            self._channels[number] = channel
            self.tell(StartWorker(number, seat))
            return channel

        return launch

    async def say_to(self, number: int, name: str, text: str) -> None:
        """Tell a worker something.

        Raises:
            BotDiedError: its page is gone.
            BotTimeoutError: its page takes nothing.
        """
        try:
            async with asyncio.timeout(_LISTEN):
                while len(self._unsent) >= _MOST_UNSENT and not self._gone:
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError:
            raise BotTimeoutError(name, "its page does not read what is sent to it") from None
        if self._gone:
            raise BotDiedError(name, self._gone)
        self._put(f"{number} {text}")

    def forget(self, number: int) -> None:
        """End a worker: it is neither heard nor told anything any more."""
        if self._channels.pop(number, None) is not None:
            self.tell(EndWorker(number))

    async def carry(self) -> None:
        """Carry until the page is gone."""
        tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._gone = self._gone or "its page was closed"
            for channel in self._channels.values():
                channel.end(self._gone)
            self._room.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def drain(self, seconds: float) -> None:
        """Wait until the page has taken all there is, but not for ever."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._unsent and not self._gone:
                    self._room.clear()
                    await self._room.wait()

    # --- helpers --------------------------------------------------------------------------------

    def _put(self, frame: str) -> None:
        if not self._gone:
            self._unsent.append(frame)
            self._news.set()

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            left = due - loop.time() if self._picture is not None else None
            try:
                async with asyncio.timeout(left):
                    await self._news.wait()
            except TimeoutError:
                pass
            self._news.clear()
            try:
                while self._unsent:
                    await self._say(self._unsent[0])
                    self._unsent.popleft()
                    self._room.set()
                if self._picture is not None and loop.time() >= due:
                    picture, self._picture = self._picture, None
                    await self._say(_ENCODER.encode(picture()).decode())
                    due = loop.time() + _PICTURE_SECONDS
            except PageGoneError:
                return

    async def _receive(self) -> None:
        try:
            while True:
                self._take(await self._hear())
        except PageGoneError:
            return

    def _take(self, frame: str) -> None:
        number, _, text = frame.partition(" ")
        if number.isdecimal() and len(number) < 10:
            channel = self._channels.get(int(number))
            if channel is not None:
                channel.take(text)
            return
        try:
            word = _WORDS.decode(frame)
        except (msgspec.DecodeError, UnicodeError) as error:
            self._gone = "its page says what no page of ours says"
            raise PageGoneError from error
        if isinstance(word, Stop):
            self.stopped.set()
            return
        channel = self._channels.get(word.number)
        if channel is not None:
            channel.end(f"its script failed: {word.reason[:300]}", word.reason)


# --- helpers ------------------------------------------------------------------------------------

_ENCODER: Final = msgspec.json.Encoder()
_WORDS: Final = msgspec.json.Decoder(Failed | Stop)
