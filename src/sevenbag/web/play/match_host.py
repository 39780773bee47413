"""Matches played for pages: requests, games, and a cache of their replays."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Annotated, Final

import msgspec

from sevenbag.arena.runner.game_options import BotDeadlines, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.bots.bot import Bot, Limits
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.registry import BUILTIN_BOTS, create_bot
from sevenbag.errors import InputError, SevenbagError, shown
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.game.game_result import GameResult
from sevenbag.web.core.http_server import SocketClosedError, TextSocket
from sevenbag.web.play.page_connection import PageConnection
from sevenbag.web.play.page_observer import MatchRejectedEvent, PageObserver

MAX_SEED: Final = 2**31 - 2
MAX_PIECES: Final = 2000
# Built-in players run on the server, which other matches share.
MAX_MILLISECONDS: Final = 5000
MAX_NODES: Final = 5_000_000
MAX_PPS: Final = 60
MAX_TIMEOUT: Final = 60
DEFAULT_PIECES: Final = 200
DEFAULT_PPS: Final = 5
DEFAULT_TIMEOUT: Final = 5
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


class BuiltinPlayer(msgspec.Struct, frozen=True, tag_field="kind", tag="builtin"):
    """Built-in bot, which runs on the server.

    Attributes:
        spec: bot and options, as on the command line; one of
            `sevenbag.bots.registry.BUILTIN_BOTS`.
    """

    spec: Annotated[str, msgspec.Meta(max_length=200)]


class WorkerPlayer(msgspec.Struct, frozen=True, tag_field="kind", tag="worker"):
    """Bot in a Web Worker of the page.

    Attributes:
        script: name of the script, for display only.
    """

    script: Annotated[str, msgspec.Meta(max_length=200)]


class MatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request of a page for a match.

    Attributes:
        rules: name of a preset.
        seed: seed of the pieces; None for a random one.
        pieces: number of pieces per player; then more attack wins.
        milliseconds: limit of each move in milliseconds, for bots that observe it.
        nodes: limit of each move in nodes, likewise.
        pps: maximum turns per second; None for no limit.
        timeout: time in seconds for a worker's answer.
    """

    players: tuple[BuiltinPlayer | WorkerPlayer, BuiltinPlayer | WorkerPlayer]
    rules: Annotated[str, msgspec.Meta(max_length=100)] = "guideline"
    seed: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEED)] | None = None
    pieces: Annotated[int, msgspec.Meta(ge=1, le=MAX_PIECES)] = DEFAULT_PIECES
    milliseconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_MILLISECONDS)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=MAX_NODES)] | None = None
    pps: Annotated[float, msgspec.Meta(gt=0, le=MAX_PPS)] | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0, le=MAX_TIMEOUT)] = DEFAULT_TIMEOUT

    @property
    def limits(self) -> Limits:
        """Return the limits of each move."""
        return Limits(self.milliseconds, self.nodes)

    def load_rules(self) -> Rules:
        """Return the rules.

        Raises:
            InputError: there is no preset of this name. Names of files are not accepted.
        """
        names = Rules.preset_names()
        if self.rules not in names:
            raise InputError(f"invalid rules: expected {', '.join(names)}, got {shown(self.rules)}")
        return Rules.preset(self.rules)

    def pick_seed(self) -> int:
        """Return the seed, or a random one if none was requested."""
        return secrets.randbelow(MAX_SEED + 1) if self.seed is None else self.seed


def parse_match_request(text: str) -> MatchRequest:
    """Parse a page's request.

    Raises:
        InputError: the request is invalid; the message names the field.
    """
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        match = _ERROR_PATH.match(str(error))
        if match and match["path"]:
            raise InputError(f"{match['path']}: {match['reason']}") from None
        raise InputError(str(error)) from None


def create_builtin_bot(spec: str) -> Bot:
    """Create a built-in bot. Pages cannot start programs.

    Raises:
        InputError: there is no such bot, or an option is invalid or exceeds a limit.
    """
    kind = spec.strip().partition(":")[0].strip().lower()
    if kind not in BUILTIN_BOTS:
        raise InputError(f"invalid bot: expected {', '.join(BUILTIN_BOTS)}, got {shown(kind)}")
    bot = create_bot(spec)
    limits = bot.effective_limits(Limits())
    for name, value, maximum in (
        ("nodes", limits.nodes, MAX_NODES),
        ("ms", limits.milliseconds, MAX_MILLISECONDS),
    ):
        if value is not None and value > maximum:
            raise InputError(f"invalid {name} of {kind}: expected at most {maximum}, got {value:g}")
    return bot


class ReplayCache:
    """Cache of encoded replays. The oldest are dropped at a limit.

    Args:
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

    Args:
        report: called with the summary of each finished match.
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


_DECODER: Final = msgspec.json.Decoder(MatchRequest)
_ERROR_PATH: Final = re.compile(r"^(?P<reason>.*) - at `\$\.?(?P<path>.*)`$")


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
        deadlines=BotDeadlines(
            prepare=max(_LOAD_TIMEOUT, request.timeout) + request.timeout + _DEADLINE_MARGIN,
            suggest=max(_BUILTIN_TIMEOUT, request.timeout + _DEADLINE_MARGIN),
        ),
    )


def _format_spec(player: BuiltinPlayer | WorkerPlayer) -> str:
    return player.spec if isinstance(player, BuiltinPlayer) else f"worker:{player.script}"
