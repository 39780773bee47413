"""A game server's connection to the scheduler, which outlives the death of either.

A finished game is written into the `ResultSpool` before anybody hears of it, told to the scheduler,
and waited for until it is kept. While the scheduler is away the server plays on; what it finishes
waits
in the spool, is told again at every connection, and is forgotten when the scheduler says so. A
result that the spool cannot store is safe only in the scheduler's database; the match waits until
one of the two has stored it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.credentials import bearer_header, read_secret
from sevenbag.contest.game import match_results
from sevenbag.contest.server.result_spool import (
    ResultSpool,
    SpooledResult,
    file_name,
    finished_match_token,
    game_file_name,
    match_file_name,
)
from sevenbag.contest.settings import LogSettings
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import FormatError, MatchRejectedError, SettingsError

if TYPE_CHECKING:
    import structlog

    from sevenbag.contest.server.hosted_match import SchedulerCommands
    from sevenbag.contest.settings import ServerSettings


class SchedulerClient:
    """A keeper (see `hosted_match`) that has everything kept by the scheduler.

    Attributes:
        connected: whether the scheduler can be spoken to.

    Args:
        settings: of the server: its scheduler, secret and spool.
        patience: seconds that a finished game waits for the scheduler to keep it while it is
            there; then the spool has to do.
        pulse: seconds between two words that all is well.
        log: what is logged.
        logger: where to; by default standard error.

    Raises:
        SettingsError: the scheduler's URL is none, or there is no secret.
    """

    def __init__(
        self,
        settings: ServerSettings,
        *,
        acknowledge_timeout: float = 5.0,
        heartbeat_interval: float = 2.0,
        log: LogSettings | None = None,
        logger: structlog.typing.FilteringBoundLogger | None = None,
    ) -> None:
        self.connected = False
        self._url = _link_url(settings.scheduler)
        if not settings.secret_file:
            raise SettingsError(
                "server.secret_file is empty, must name the file of the site's secret"
            )
        self._secret = read_secret(settings.secret_file)
        self._folder = Path(settings.spool)
        self._patience = acknowledge_timeout
        self._pulse = heartbeat_interval
        self._log = logger or create_logger(log or LogSettings())
        self._instance = uuid.uuid4().hex
        self._trouble = "the scheduler has not been reached yet"
        self._spool: ResultSpool | None = None
        self._unwritten: dict[str, tuple[SpooledResult, float]] = {}
        """Results that the spool could not store, with the time at which they were finished."""
        self._unsettled: dict[str, asyncio.Event] = {}
        """What the scheduler has not settled, by name in the spool; set when it has."""
        self._lines: dict[str, str] = {}
        """For each match here a word for its finished games."""
        self._to_say: asyncio.Queue[scheduler_protocol.ServerMessage | str] = asyncio.Queue()
        """Messages, and names of what the spool has."""
        self._gone = asyncio.Event()
        self._gone.set()
        self._living: asyncio.Task[None] | None = None
        self._ending = False

    @property
    def problem(self) -> str:
        """Why nothing can be kept or placed now; empty when all is well."""
        if self._unwritten:
            waiting = len(self._unwritten)
            return f"the spool cannot be written; results not stored: {waiting}"
        return "" if self.connected else self._trouble

    @property
    def unacknowledged(self) -> int:
        """Finished games and matches that the scheduler has not kept yet."""
        return len(self._unsettled)

    async def start(self, host: SchedulerCommands) -> None:
        """Connect, now and whenever the connection is lost; what is in the spool is told.

        Raises:
            SettingsError: the spool cannot be used.
        """
        self._spool = await asyncio.to_thread(ResultSpool, self._folder, host.create_hello().name)
        for name in self._spool.list_files():
            self._unsettled[name] = asyncio.Event()
        if self._unsettled:
            self._log.warning("spool.results_found", count=len(self._unsettled))
        self._living = asyncio.create_task(self._live(host))

    async def stop(self) -> None:
        """Say that what is unfinished goes on elsewhere, wait a little for answers, and end."""
        if self._living is None:
            return
        self._ending = True
        self._to_say.put_nowait(_LAST_WORDS)
        if self.connected:
            await asyncio.wait([self._living], timeout=2 * _LAST_WORDS_SECONDS)
        self._living.cancel()
        await asyncio.wait([self._living])
        self._living = None
        if self._unwritten:
            self._log.error("results.lost", count=len(self._unwritten))
        if self._spool is not None:
            self._spool.close()

    async def store_game(
        self, token: str, result: match_results.ContestGameResult, replay: bytes
    ) -> None:
        """Store a finished game in the spool or the scheduler's database."""
        # Of a match that was called off it is not known any more what the game follows on.
        line = self._lines.get(token, _UNKNOWN_LINE)
        if token in self._lines:
            self._lines[token] = match_results.hash_history([result], line)
        await self._keep(
            scheduler_protocol.GameFinished(
                match_token=token, result=result, replay=replay, history=line
            )
        )

    async def store_match(self, token: str, result: match_results.MatchResult) -> None:
        """Store the result of a match in the spool or the scheduler's database."""
        line = self._lines.pop(token, _UNKNOWN_LINE)
        await self._keep(
            scheduler_protocol.MatchFinished(match_token=token, result=result, history=line)
        )

    def report_joined(self, token: str, seat: int) -> None:
        """Tell that a team has connected; of interest only now."""
        self._say(
            scheduler_protocol.TeamJoined(match_token=token, player=cast("Literal[0, 1]", seat))
        )

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        """Tell that a game has begun; of interest only now."""
        self._say(
            scheduler_protocol.GameStarted(match_token=token, number=number, game_name=game_name)
        )

    def report_lost(self, token: str, reason: str) -> None:
        """Tell that a match is to go on elsewhere; the next connection does not host it."""
        self._say(scheduler_protocol.MatchRejected(match_token=token, reason=reason))

    # --- what is kept -----------------------------------------------------------------------

    async def _keep(self, done: SpooledResult) -> None:
        assert self._spool is not None, "the uplink has not been started"
        name = file_name(done)
        if isinstance(done, scheduler_protocol.GameFinished) and len(done.replay) > _LONGEST_REPLAY:
            self._log.error("replay.dropped", bytes=len(done.replay))
            done = msgspec.structs.replace(done, replay=b"")
        try:
            await asyncio.to_thread(self._spool.write, done)
        except FormatError as error:
            self._log.error("spool.write_failed", error=str(error))
            await self._keep_unwritten(name, done)
            return
        # Not before it is written: a connection that begins just now reads what is to be told.
        settled = self._unsettled.setdefault(name, asyncio.Event())
        if self.connected:
            self._to_say.put_nowait(name)
            await self._wait([settled], self._patience)

    async def _keep_unwritten(self, name: str, done: SpooledResult) -> None:
        """Wait until the scheduler has stored a result, or retries have written it to the spool."""
        assert self._spool is not None
        settled = self._unsettled.setdefault(name, asyncio.Event())
        since = time.time()
        self._unwritten[name] = done, since
        if self.connected:
            self._to_say.put_nowait(name)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_SPOOL_PAUSE):
                    await settled.wait()
                    return
            try:
                await asyncio.to_thread(self._spool.write, _with_current_age(done, since))
            except FormatError:
                continue
            if settled.is_set():
                # The scheduler answered during the write.
                self._spool.remove(name)
            else:
                del self._unwritten[name]
                self._log.info("spool.recovered")
            return

    async def _wait(self, events: list[asyncio.Event], seconds: float) -> None:
        """Until all are set, or the connection is gone, or so long."""
        every = asyncio.create_task(_all_set(events))
        gone = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait([every, gone], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            every.cancel()
            gone.cancel()

    def _settle(self, name: str, *, aside: bool = False) -> None:
        assert self._spool is not None
        self._unwritten.pop(name, None)
        (self._spool.quarantine if aside else self._spool.remove)(name)
        settled = self._unsettled.pop(name, None)
        if settled is not None:
            settled.set()

    # --- the connection ---------------------------------------------------------------------

    async def _live(self, host: SchedulerCommands) -> None:
        """Connect again and again."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with connect(
                    self._url,
                    additional_headers={"Authorization": bearer_header(self._secret)},
                    max_size=scheduler_protocol.MAX_FRAME_BYTES,
                    compression=None,
                    open_timeout=_OPEN_SECONDS,
                    ping_interval=_PING_SECONDS,
                    ping_timeout=2 * _PING_SECONDS,
                    close_timeout=1.0,
                    proxy=None,
                ) as connection:
                    began = time.monotonic()
                    if not await self._speak(host, connection):
                        return
                    if time.monotonic() - began > _LONGEST_PAUSE:
                        # A connection that is closed at once does not reset the delay.
                        pause = _FIRST_PAUSE
                reason = "the scheduler has closed the connection"
            except InvalidStatus as error:
                reason = _refusal(error.response.status_code)
            except (OSError, TimeoutError, WebSocketException) as error:
                reason = str(error) or type(error).__name__
            except Exception as error:  # noqa: BLE001  # or the server would be alone for good
                self._log.error("scheduler.connection_failed", exc_info=error)
                reason = f"a fault of ours: {type(error).__name__}"
            self._lose(reason)
            await asyncio.sleep(random.uniform(pause / 2, pause))  # not a secret
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _lose(self, reason: str) -> None:
        trouble = f"the scheduler cannot be reached: {reason}"
        if not self._ending and trouble != self._trouble:
            self._log.warning("scheduler.disconnected", reason=reason)
        self._trouble = trouble

    async def _speak(self, host: SchedulerCommands, connection: ClientConnection) -> bool:
        """Everything on one connection; False when it was the last one."""
        # Nothing that was to be said on an earlier one is of use, but what is in the spool.
        while not self._to_say.empty():
            if self._to_say.get_nowait() is _LAST_WORDS:
                return False
        ended = tuple(filter(None, map(finished_match_token, self._unsettled)))
        hello = msgspec.structs.replace(host.create_hello(), instance=self._instance, ended=ended)
        for name in sorted(self._unsettled):
            self._to_say.put_nowait(name)
        self.connected = True
        self._gone.clear()
        await connection.send(scheduler_protocol.encode(hello), text=True)
        self._log.info("scheduler.connected", told=len(self._unsettled))
        self._trouble = "the connection to the scheduler is closed"
        saying = asyncio.create_task(self._say_all(host, connection))
        pulsing = asyncio.create_task(self._beat(host))
        try:
            return await self._hear_all(host, connection, saying)
        finally:
            # `_live` logs the end of the connection, because it knows the reason.
            self.connected = False
            self._gone.set()
            for task in (saying, pulsing):
                task.cancel()
            await asyncio.wait([saying, pulsing])

    async def _hear_all(
        self, host: SchedulerCommands, connection: ClientConnection, saying: asyncio.Task[None]
    ) -> bool:
        while True:
            hearing = asyncio.create_task(connection.recv())
            await asyncio.wait([hearing, saying], return_when=asyncio.FIRST_COMPLETED)
            if not hearing.done():
                # All is said, or nothing more can be.
                hearing.cancel()
                await asyncio.wait([hearing])
                return saying.exception() is not None
            try:
                message = scheduler_protocol.decode_scheduler_message(hearing.result())
            except ConnectionClosed:
                return True
            except (msgspec.DecodeError, UnicodeError) as error:
                self._log.error("scheduler.message_invalid", error=str(error))
                return True
            if isinstance(message, scheduler_protocol.ServerDismissed):
                self._trouble = message.reason
                host.dismiss(message.reason)
                return False
            self._obey(host, message)

    def _obey(self, host: SchedulerCommands, message: scheduler_protocol.SchedulerMessage) -> None:
        match message:
            case scheduler_protocol.MatchAssignment(match_token=token):
                here = token in host.create_hello().hosting
                try:
                    host.accept_match(message)
                except MatchRejectedError as error:
                    self._say(
                        scheduler_protocol.MatchRejected(match_token=token, reason=str(error))
                    )
                except Exception as error:  # noqa: BLE001  # other matches must not notice
                    self._log.error("match.accept_failed", exc_info=error)
                    reason = f"a fault of the server's: {type(error).__name__}"
                    self._say(scheduler_protocol.MatchRejected(match_token=token, reason=reason))
                else:
                    if not here:
                        self._lines[token] = match_results.hash_history(message.finished_games)
                    self._say(scheduler_protocol.MatchAccepted(match_token=token))
            case scheduler_protocol.StopMatch(
                match_token=token, reason=reason, continues_elsewhere=goes_on
            ):
                self._lines.pop(token, None)
                (host.release_match if goes_on else host.cancel_match)(token, reason)
            case scheduler_protocol.PauseMatch(match_token=token, paused=halted):
                host.pause_match(token, halted)
            case scheduler_protocol.GameStored(match_token=token, number=number):
                self._settle(game_file_name(token, number))
            case scheduler_protocol.GameDiscarded(match_token=token, number=number):
                # The scheduler logs the reason.
                self._settle(game_file_name(token, number), aside=True)
            case scheduler_protocol.MatchStored(match_token=token):
                self._settle(match_file_name(token))
            case scheduler_protocol.ServerDismissed():  # pragma: no cover  # never comes here
                pass

    def _say(self, message: scheduler_protocol.ServerMessage) -> None:
        if self.connected:
            self._to_say.put_nowait(message)

    async def _say_all(self, host: SchedulerCommands, connection: ClientConnection) -> None:
        """Say what is to be said, until the last words."""
        while True:
            next_one = await self._to_say.get()
            if next_one is _LAST_WORDS:
                # That it takes no more matches, before it gives back those that it has.
                await connection.send(scheduler_protocol.encode(host.create_heartbeat()), text=True)
                for token in host.create_hello().hosting:
                    lost = scheduler_protocol.MatchRejected(
                        match_token=token, reason="the game server ends"
                    )
                    await connection.send(scheduler_protocol.encode(lost), text=True)
                await self._wait(list(self._unsettled.values()), _LAST_WORDS_SECONDS)
                return
            message = await self._spooled(next_one) if isinstance(next_one, str) else next_one
            if message is not None:
                await connection.send(scheduler_protocol.encode(message), text=True)

    async def _spooled(self, name: str) -> SpooledResult | None:
        assert self._spool is not None
        if name in self._unwritten:
            return _with_current_age(*self._unwritten[name])
        try:
            done = await asyncio.to_thread(self._spool.read, name)
        except FormatError as error:
            self._log.error("spool.read_failed", error=str(error))
            return None
        if done is None and name in self._unsettled:
            self._log.error("spool.file_quarantined", name=name[:8])
            self._settle(name)
        return done

    async def _beat(self, host: SchedulerCommands) -> None:
        while True:
            self._say(host.create_heartbeat())
            await asyncio.sleep(self._pulse)


# --- helpers ------------------------------------------------------------------------------------


def _with_current_age(done: SpooledResult, since: float) -> SpooledResult:
    """Return a finished game with its current age."""
    if isinstance(done, scheduler_protocol.GameFinished):
        return msgspec.structs.replace(done, age=max(0.0, time.time() - since))
    return done


async def _all_set(events: list[asyncio.Event]) -> None:
    for event in events:
        await event.wait()


_LAST_WORDS: Final = "."
"""Stands for what is said last; no file of the spool has this name."""

_UNKNOWN_LINE: Final = "?"

_FIRST_PAUSE: Final = 0.1

_LONGEST_PAUSE: Final = 2.0
"""Seconds between attempts; less than the grace that the scheduler gives."""

_SPOOL_PAUSE: Final = 1.0
"""Seconds between attempts to write to the spool."""

_OPEN_SECONDS: Final = 5.0

_PING_SECONDS: Final = 3.0

_LAST_WORDS_SECONDS: Final = 2.0

_LONGEST_REPLAY: Final = scheduler_protocol.MAX_FRAME_BYTES * 3 // 4 - (1 << 20)
"""In a frame it is written in base 64, which makes four bytes of three."""


def _link_url(scheduler: str) -> str:
    parts = urlsplit(scheduler)
    schemes = {"http": "ws", "https": "wss"}
    if parts.scheme not in schemes or not parts.netloc:
        raise SettingsError(
            f"server.scheduler is {scheduler!r}, must be the site's URL, such as "
            "http://127.0.0.1:8080"
        )
    return f"{schemes[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}{scheduler_protocol.LINK_PATH}"


def _refusal(status: int) -> str:
    if status in {401, 403}:
        return f"it refuses our secret (HTTP {status}): server.secret_file must be the site's"
    return f"it answers with HTTP {status}"
