"""Matches played for pages, and the cache of their replays."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from sevenbag.arena.runner.bot_session import BotDeadlines as SeatDeadlines
from sevenbag.arena.runner.game_loop import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.bots.external.tbp_driver import Deadlines, TbpDriver
from sevenbag.errors import InputError, SevenbagError
from sevenbag.web.play.match_request import HouseBot, PageBot, Setup, house_bot, read_setup
from sevenbag.web.play.page_connection import PageGoneError, Tunnel
from sevenbag.web.play.page_observer import Refused, View

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.formats.replay import Replay
    from sevenbag.game.game_result import GameResult

_MOST: Final = 64
_MOST_BYTES: Final = 64 << 20


class Shelf:
    """Keeps so many replays, and so many bytes of them; the oldest go first."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def keep(self, replay: Replay) -> str:
        """Keep a replay; returns the word by which it is found, which nobody can guess."""
        data = replay.encode()
        word = secrets.token_urlsafe(12)
        self._kept[word] = data
        self._bytes += len(data)
        while len(self._kept) > self._most or (
            self._bytes > self._most_bytes and len(self._kept) > 1
        ):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest)
        return word

    def find(self, word: str) -> bytes | None:
        """The replay of this word; None if it is gone, or never was."""
        return self._kept.get(word)


MOST_MATCHES: Final = 8
"""At once; whoever comes then is asked to come again."""
LONGEST_MATCH: Final = 600.0
"""Seconds."""
_ASK: Final = 10.0
"""Seconds that a page has to say what it wants."""
_LOAD: Final = 15.0
"""Seconds for a worker to be loaded; patience is for what it is asked then."""
_HOUSE: Final = 10.0
"""Seconds that a bot of our own may think, whatever its limits."""
_LEEWAY: Final = 5.0
_LEAVE: Final = 5.0
"""Seconds until a game is over whose page has gone."""
_FAREWELL: Final = 5.0


class Room:
    """Where the matches of all pages are played.

    Attributes:
        playing: how many there are.

    Args:
        shelf: where replays go.
        say: is told of each game that has ended, in a line.
        most: matches at once.
        longest: seconds of a match.
    """

    def __init__(
        self,
        shelf: Shelf,
        say: Callable[[str], None],
        *,
        most: int = MOST_MATCHES,
        longest: float = LONGEST_MATCH,
    ) -> None:
        self.playing = 0
        self._shelf = shelf
        self._say = say
        self._most = most
        self._longest = longest
        self._games: set[asyncio.Task[GameResult]] = set()

    def close(self) -> None:
        """Break off all games."""
        for game in self._games:
            game.cancel()

    async def receive(
        self, hear: Callable[[], Awaitable[str]], say: Callable[[str], Awaitable[None]]
    ) -> None:
        """Hear what a page wants, and play it.

        Args:
            hear: the page's next frame; raises `PageGoneError`.
            say: sends it a frame; raises `PageGoneError`.
        """
        tunnel = Tunnel(hear, say)
        try:
            async with asyncio.timeout(_ASK):
                wanted = await hear()
        except (PageGoneError, TimeoutError):
            return
        carrying: asyncio.Task[None] | None = None
        try:
            if self.playing >= self._most:
                raise InputError(f"{self._most} games are being played already; try again soon")
            setup = read_setup(wanted)
            bots = (_bot(setup, 0, tunnel), _bot(setup, 1, tunnel))
            conditions = _conditions(setup)
        except SevenbagError as error:
            tunnel.tell(Refused(str(error)))
            carrying = asyncio.create_task(tunnel.carry())
        else:
            self.playing += 1
            try:
                carrying = asyncio.create_task(tunnel.carry())
                await self._play(tunnel, carrying, bots, conditions)
            finally:
                self.playing -= 1
        finally:
            if carrying is not None:
                await tunnel.drain(_FAREWELL)
                carrying.cancel()
                await asyncio.gather(carrying, return_exceptions=True)

    # --- helpers --------------------------------------------------------------------------------

    async def _play(
        self,
        tunnel: Tunnel,
        carrying: asyncio.Task[None],
        bots: tuple[Bot, Bot],
        conditions: GameConfig,
    ) -> None:
        view, recorder = View(tunnel), ReplayRecorder(times=True, infos=True)
        game = asyncio.create_task(play_game(bots, conditions, (recorder, view)))
        stopped = asyncio.create_task(tunnel.stopped.wait())
        self._games.add(game)
        why = "the server was ended"
        try:
            await asyncio.wait(
                {game, carrying, stopped},
                timeout=self._longest,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if game.done():
                pass
            elif stopped.done():
                why = "you have ended it"
            elif not carrying.done():
                why = f"it has taken {self._longest:g} s, and is ended here"
            else:
                why = "its page was closed"
                # A worker that is gone has lost; others need not play on for nobody.
                if any(isinstance(bot, TbpDriver) for bot in bots):
                    await asyncio.wait({game}, timeout=_LEAVE)
        finally:
            stopped.cancel()
            # In any case: no bot outlives its game.
            game.cancel()
            await asyncio.wait({game})
            self._games.discard(game)
        replay = recorder.replay
        word = None
        if replay is not None and replay.turns:
            word = f"/replays/{self._shelf.keep(replay)}"
        over = view.over(why, word)
        tunnel.finish(over)
        self._say(over.text)


def _bot(setup: Setup, seat: int, tunnel: Tunnel) -> Bot:
    player = setup.players[seat]
    if isinstance(player, HouseBot):
        return house_bot(player.spec)
    deadlines = Deadlines(
        info=max(_LOAD, setup.patience), ready=setup.patience, move=setup.patience, quit=0.1
    )
    launch = tunnel.launcher(seat)
    return TbpDriver(["worker"], deadlines=deadlines, launcher=launch, worker=True)


def _conditions(setup: Setup) -> GameConfig:
    first, second = (_spec(player) for player in setup.players)
    return GameConfig(
        rules=setup.chosen_rules(),
        seed=setup.chosen_seed(),
        limits=(setup.limits, setup.limits),
        specs=(first, second),
        max_pieces=setup.pieces,
        pps=setup.pps,
        # A worker's own patience ends first, and says more of what was waited for.
        deadlines=SeatDeadlines(
            prepare=max(_LOAD, setup.patience) + setup.patience + _LEEWAY,
            suggest=max(_HOUSE, setup.patience + _LEEWAY),
        ),
    )


def _spec(player: HouseBot | PageBot) -> str:
    return player.spec if isinstance(player, HouseBot) else f"worker:{player.script}"
