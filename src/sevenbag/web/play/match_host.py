"""Matches played for pages, and a cache of their replays."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.errors import InputError, SevenbagError
from sevenbag.web.core.text_socket import SocketClosedError
from sevenbag.web.play.match_request import (
    BuiltinPlayer,
    MatchRequest,
    WorkerPlayer,
    create_builtin_bot,
    parse_match_request,
)
from sevenbag.web.play.page_connection import PageConnection
from sevenbag.web.play.page_observer import MatchRejectedEvent, PageObserver

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.bots.bot import Bot
    from sevenbag.formats.replay_file import Replay
    from sevenbag.game.game_result import GameResult
    from sevenbag.web.core.text_socket import TextSocket

MAX_MATCHES: Final = 8
"""Maximum number of concurrent matches."""
MAX_MATCH_SECONDS: Final = 600.0
_MAX_REPLAYS: Final = 64
_MAX_REPLAY_BYTES: Final = 64 << 20
# Timeouts in seconds.
_REQUEST_TIMEOUT: Final = 10.0
_LOAD_TIMEOUT: Final = 15.0
"""For loading a worker; its own timeout applies from then on."""
_BUILTIN_TIMEOUT: Final = 10.0
"""For a move of a built-in bot, whatever its limits."""
_DEADLINE_MARGIN: Final = 5.0
_ABANDON_TIMEOUT: Final = 5.0
"""For the end of a match with workers after its page was closed."""
_FLUSH_TIMEOUT: Final = 5.0


class ReplayCache:
    """Cache of encoded replays. The oldest are dropped at a limit.

    Args:
        max_replays: maximum number of replays.
        max_bytes: maximum size of all replays; the newest one is always kept.
    """

    def __init__(self, max_replays: int = _MAX_REPLAYS, max_bytes: int = _MAX_REPLAY_BYTES) -> None:
        self._max_replays = max_replays
        self._max_bytes = max_bytes
        self._replays: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def add(self, replay: Replay) -> str:
        """Add a replay and return its token, which cannot be guessed."""
        data = replay.encode()
        token = secrets.token_urlsafe(12)
        self._replays[token] = data
        self._bytes += len(data)
        while len(self._replays) > self._max_replays or (
            self._bytes > self._max_bytes and len(self._replays) > 1
        ):
            _, oldest = self._replays.popitem(last=False)
            self._bytes -= len(oldest)
        return token

    def get(self, token: str) -> bytes | None:
        """Return the replay of a token, or None."""
        return self._replays.get(token)


class MatchHost:
    """Host of all pages' matches.

    Attributes:
        active_matches: number of matches that are being played.

    Args:
        replays: cache for the replays.
        report: called with the summary of each finished match.
        max_matches: maximum number of concurrent matches.
        max_seconds: maximum duration of a match.
    """

    def __init__(
        self,
        replays: ReplayCache,
        report: Callable[[str], None],
        *,
        max_matches: int = MAX_MATCHES,
        max_seconds: float = MAX_MATCH_SECONDS,
    ) -> None:
        self.active_matches = 0
        self._replays = replays
        self._report = report
        self._max_matches = max_matches
        self._max_seconds = max_seconds
        self._games: set[asyncio.Task[GameResult]] = set()

    def close(self) -> None:
        """Abort all matches."""
        for game in self._games:
            game.cancel()

    async def serve(self, socket: TextSocket) -> None:
        """Read a page's request and play the match."""
        try:
            async with asyncio.timeout(_REQUEST_TIMEOUT):
                text = await socket.receive()
        except (SocketClosedError, TimeoutError):
            return
        connection = PageConnection(socket)
        running: asyncio.Task[None] | None = None
        try:
            if self.active_matches >= self._max_matches:
                raise InputError(
                    f"{self._max_matches} games are being played already; try again soon"
                )
            request = parse_match_request(text)
            bots = (_create_bot(request, 0, connection), _create_bot(request, 1, connection))
            conditions = _build_conditions(request)
        except SevenbagError as error:
            connection.send_event(MatchRejectedEvent(str(error)))
            running = asyncio.create_task(connection.run())
        else:
            self.active_matches += 1
            try:
                running = asyncio.create_task(connection.run())
                await self._play(connection, running, bots, conditions)
            finally:
                self.active_matches -= 1
        finally:
            if running is not None:
                await connection.flush(_FLUSH_TIMEOUT)
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    # --- helpers --------------------------------------------------------------------------------

    async def _play(
        self,
        connection: PageConnection,
        running: asyncio.Task[None],
        bots: tuple[Bot, Bot],
        conditions: GameConfig,
    ) -> None:
        observer, recorder = PageObserver(connection), ReplayRecorder(times=True, infos=True)
        game = asyncio.create_task(play_game(bots, conditions, (recorder, observer)))
        stopped = asyncio.create_task(connection.stop_requested.wait())
        self._games.add(game)
        abort_reason = "the server was stopped"
        try:
            await asyncio.wait(
                {game, running, stopped},
                timeout=self._max_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if game.done():
                pass
            elif stopped.done():
                abort_reason = "stopped by you"
            elif not running.done():
                abort_reason = f"the time limit of {self._max_seconds:g} s is reached"
            else:
                abort_reason = "its page was closed"
                # A worker that is gone has lost. Built-in bots need not play on.
                if any(isinstance(bot, TbpDriver) for bot in bots):
                    await asyncio.wait({game}, timeout=_ABANDON_TIMEOUT)
        finally:
            stopped.cancel()
            # No bot may outlive its game.
            game.cancel()
            await asyncio.wait({game})
            self._games.discard(game)
        replay = recorder.replay
        url = None
        if replay is not None and replay.turns:
            url = f"/replays/{self._replays.add(replay)}"
        event = observer.finished_event(abort_reason, url)
        connection.send_final_event(event)
        self._report(event.summary)


def _create_bot(request: MatchRequest, player: int, connection: PageConnection) -> Bot:
    requested = request.players[player]
    if isinstance(requested, BuiltinPlayer):
        return create_builtin_bot(requested.spec)
    options = {
        "info_seconds": str(max(_LOAD_TIMEOUT, request.timeout)),
        "ready_seconds": str(request.timeout),
        "move_seconds": str(request.timeout),
        "quit_seconds": "0.1",
    }
    launch = connection.worker_launcher(player)
    return TbpDriver(["worker"], options=options, launcher=launch, worker=True)


def _build_conditions(request: MatchRequest) -> GameConfig:
    first, second = (_format_spec(player) for player in request.players)
    return GameConfig(
        rules=request.load_rules(),
        seed=request.pick_seed(),
        limits=(request.limits, request.limits),
        specs=(first, second),
        pieces=request.pieces,
        pps=request.pps,
        # The worker's own deadlines expire first, and their errors name the missing answer.
        deadlines=BotDeadlines(
            prepare=max(_LOAD_TIMEOUT, request.timeout) + request.timeout + _DEADLINE_MARGIN,
            suggest=max(_BUILTIN_TIMEOUT, request.timeout + _DEADLINE_MARGIN),
        ),
    )


def _format_spec(player: BuiltinPlayer | WorkerPlayer) -> str:
    return player.spec if isinstance(player, BuiltinPlayer) else f"worker:{player.script}"
