"""A worker in somebody's page, at the other end of its tunnel."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING, Final

from sevenbag.errors import BotDiedError, BotError, BotProtocolError
from sevenbag.protocols.lines import LONGEST_LINE

if TYPE_CHECKING:
    from sevenbag.bots.channel import Carrier
    from sevenbag.web.tunnel import Tunnel

_MOST_WAITING: Final = 1024
_MOST_BYTES: Final = 4 << 20
"""What a worker may have said that nobody has heard yet. The socket is the whole page's: it cannot
be left unread for the sake of one worker, whom that would slow down."""
_LONGEST_LAST_WORDS: Final = 300


class PageChannel:
    """One start of a worker. See `sevenbag.bots.channel.Channel`.

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
    def carrier(self) -> Carrier:
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

    async def take_waiting(self) -> list[bytes]:
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

    def unfinished(self) -> int:
        """0: what it says comes whole."""
        return 0

    async def close(self, farewell: bytes = b"", grace: float = 1.0) -> None:
        """Say the last words, then have the page end it."""
        if farewell and self._ended is None:
            with contextlib.suppress(BotError):
                await self.send(farewell)
                # Whoever knows how to leave needs a moment; the others are ended by their page.
                await asyncio.sleep(min(grace, 0.05))
        self.end("was ended")
        self._tunnel.forget(self._number)

    # --- for the tunnel -------------------------------------------------------------------------

    def take(self, text: str) -> None:
        """It has said something."""
        words = text.encode("utf-8", "replace")
        if self._ended is not None:
            return
        if len(words) > LONGEST_LINE:
            what = f"posted a message longer than {LONGEST_LINE} bytes"
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
