"""Connection of a game server to the scheduler.

A finished game is written to the `ResultSpool` and sent from memory; it is published once it
is stored. While the scheduler is away the server continues: results wait in the spool and are sent
at each connection until they are acknowledged. If the spool cannot be written, the match waits
until the spool or the scheduler has stored the result.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.credentials import bearer_header, read_secret
from sevenbag.contest.game import match_results
from sevenbag.contest.game.pason_game import PlayerIndex
from sevenbag.contest.server.hosted_match import SchedulerCommands
from sevenbag.contest.server.result_spool import (
    ResultSpool,
    SpooledResult,
    file_name,
    finished_match_token,
    game_file_name,
    match_file_name,
)
from sevenbag.contest.settings import LogSettings, ServerSettings
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import FormatError, MatchRejectedError, SettingsError


class SchedulerClient:
    """`ResultSink` that stores results with the scheduler.

    Attributes:
        connected: True while the scheduler is connected.

    Args:
        settings: scheduler, secret and spool of the server.
        acknowledge_timeout: seconds to wait for an acknowledgement while connected; afterwards the
            copy in the spool is sufficient.
        heartbeat_interval: seconds between heartbeats.
        log: settings of the log.
        logger: logger; None for standard error.

    Raises:
        SettingsError: the URL of the scheduler or the secret is invalid.
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
                "invalid server.secret_file: expected the file with the secret of the site, got ''"
            )
        self._secret = read_secret(settings.secret_file)
        self._folder = Path(settings.spool)
        self._acknowledge_timeout = acknowledge_timeout
        self._heartbeat_interval = heartbeat_interval
        self._log = logger or create_logger(log or LogSettings())
        self._instance = uuid.uuid4().hex
        self._problem = "the scheduler has not been reached yet"
        self._spool: ResultSpool | None = None
        self._pending: dict[str, _PendingResult] = {}
        """Results that the scheduler has not stored, by file name."""
        self._histories: dict[str, str] = {}
        """Hash of the finished games of each match."""
        self._outgoing: asyncio.Queue[scheduler_protocol.ServerMessage | str] = asyncio.Queue()
        """Messages, and file names in the spool."""
        self._disconnected = asyncio.Event()
        self._disconnected.set()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def problem(self) -> str:
        """Reason why results cannot be stored or matches assigned; empty if there is none."""
        if unwritten := self._count_unwritten():
            return f"the spool cannot be written; results not stored: {unwritten}"
        return "" if self.connected else self._problem

    @property
    def unacknowledged(self) -> int:
        """Number of results that the scheduler has not stored."""
        return len(self._pending)

    async def start(self, host: SchedulerCommands) -> None:
        """Connect now and after each loss of the connection, and send the results in the spool.

        Raises:
            SettingsError: the spool cannot be used.
        """
        self._spool = await asyncio.to_thread(ResultSpool, self._folder, host.create_hello().name)
        for name in self._spool.list_files():
            self._pending[name] = _PendingResult(None, is_spooled=True)
        if self._pending:
            self._log.warning("spool.results_found", count=len(self._pending))
        self._task = asyncio.create_task(self._run(host))

    async def stop(self) -> None:
        """Return unfinished matches to the scheduler, wait briefly for answers, and stop."""
        if self._task is None:
            return
        self._stopping = True
        self._outgoing.put_nowait(_STOP)
        if self.connected:
            await asyncio.wait([self._task], timeout=2 * _STOP_SECONDS)
        self._task.cancel()
        await asyncio.wait([self._task])
        self._task = None
        if unwritten := self._count_unwritten():
            self._log.error("results.lost", count=unwritten)
        if self._spool is not None:
            self._spool.close()

    async def store_game(
        self, token: str, result: match_results.ContestGameResult, replay: bytes
    ) -> None:
        """Store a finished game in the spool or the scheduler's database."""
        # The history of a cancelled match is no longer known.
        line = self._histories.get(token, _UNKNOWN_HISTORY)
        if token in self._histories:
            self._histories[token] = match_results.hash_history([result], line)
        await self._store(
            scheduler_protocol.GameFinished(
                match_token=token, result=result, replay=replay, history=line
            )
        )

    async def store_match(self, token: str, result: match_results.MatchResult) -> None:
        """Store the result of a match in the spool or the scheduler's database."""
        line = self._histories.pop(token, _UNKNOWN_HISTORY)
        await self._store(
            scheduler_protocol.MatchFinished(match_token=token, result=result, history=line)
        )

    def report_joined(self, token: str, seat: PlayerIndex) -> None:
        """Report the connection of a team; dropped while disconnected."""
        self._send(scheduler_protocol.TeamJoined(match_token=token, player=seat))

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        """Report the start of a game; dropped while disconnected."""
        self._send(
            scheduler_protocol.GameStarted(match_token=token, number=number, game_name=game_name)
        )

    def report_lost(self, token: str, reason: str) -> None:
        """Report an aborted match; while disconnected, the next hello omits it."""
        self._send(scheduler_protocol.MatchRejected(match_token=token, reason=reason))

    async def _store(self, done: SpooledResult) -> None:
        """Write a result to the spool, and send it from memory if the scheduler is connected."""
        assert self._spool is not None, "the client has not been started"
        name = file_name(done)
        if (
            isinstance(done, scheduler_protocol.GameFinished)
            and len(done.replay) > _MAX_REPLAY_BYTES
        ):
            self._log.error("replay.dropped", bytes=len(done.replay))
            done = msgspec.structs.replace(done, replay=b"")
        pending = self._pending[name] = _PendingResult(done)
        acknowledged = pending.acknowledged
        while not pending.is_spooled:
            try:
                await asyncio.to_thread(self._spool.write, pending.with_current_age())
                pending.is_spooled = True
            except FormatError as error:
                if not pending.has_failed:
                    self._log.error("spool.write_failed", error=str(error))
                    pending.has_failed = True
                    self._send(name)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_SPOOL_RETRY_SECONDS):
                        await acknowledged.wait()
                if acknowledged.is_set():
                    return
        if acknowledged.is_set():
            # The scheduler answered during the write.
            self._spool.remove(name)
        elif pending.has_failed:
            self._log.info("spool.recovered")
        else:
            self._send(name)
            if self.connected:
                await self._wait([acknowledged], self._acknowledge_timeout)
        # What the scheduler has not stored is read from the spool later.
        pending.result = None

    async def _wait(self, events: list[asyncio.Event], seconds: float) -> None:
        """Wait until all events are set, the connection is lost or the time is over."""
        every = asyncio.create_task(_all_set(events))
        gone = asyncio.create_task(self._disconnected.wait())
        try:
            await asyncio.wait([every, gone], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            every.cancel()
            gone.cancel()

    def _acknowledge(self, name: str, *, aside: bool = False) -> None:
        assert self._spool is not None
        (self._spool.quarantine if aside else self._spool.remove)(name)
        pending = self._pending.pop(name, None)
        if pending is not None:
            pending.acknowledged.set()

    def _count_unwritten(self) -> int:
        return sum(
            pending.has_failed and not pending.is_spooled for pending in self._pending.values()
        )

    async def _run(self, host: SchedulerCommands) -> None:
        """Keep a connection to the scheduler."""
        pause = _MIN_RECONNECT_SECONDS
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
                    if not await self._run_connection(host, connection):
                        return
                    if time.monotonic() - began > _MAX_RECONNECT_SECONDS:
                        # A connection that is closed at once does not reset the delay.
                        pause = _MIN_RECONNECT_SECONDS
                reason = "the scheduler has closed the connection"
            except InvalidStatus as error:
                reason = f"HTTP {error.response.status_code}"
                if error.response.status_code in {401, 403}:
                    reason += ": server.secret_file does not have the secret of the site"
            except (OSError, TimeoutError, WebSocketException) as error:
                reason = str(error) or type(error).__name__
            except Exception as error:  # noqa: BLE001  # or the server would never reconnect
                self._log.error("scheduler.connection_failed", exc_info=error)
                reason = f"internal error: {type(error).__name__}"
            self._report_disconnect(reason)
            await asyncio.sleep(random.uniform(pause / 2, pause))  # not a secret
            pause = min(2 * pause, _MAX_RECONNECT_SECONDS)

    def _report_disconnect(self, reason: str) -> None:
        problem = f"the scheduler cannot be reached: {reason}"
        if not self._stopping and problem != self._problem:
            self._log.warning("scheduler.disconnected", reason=reason)
        self._problem = problem

    async def _run_connection(self, host: SchedulerCommands, connection: ClientConnection) -> bool:
        """Run one connection; return False after the last one."""
        # Messages of an earlier connection are obsolete; results are in the spool.
        while not self._outgoing.empty():
            if self._outgoing.get_nowait() is _STOP:
                return False
        # `_store` sends results that are being written.
        names = sorted(
            name
            for name, pending in self._pending.items()
            if pending.is_spooled or pending.has_failed
        )
        ended = tuple(filter(None, map(finished_match_token, names)))
        hello = msgspec.structs.replace(host.create_hello(), instance=self._instance, ended=ended)
        for name in names:
            self._outgoing.put_nowait(name)
        self.connected = True
        self._disconnected.clear()
        await connection.send(scheduler_protocol.encode(hello), text=True)
        self._log.info("scheduler.connected", told=len(names))
        self._problem = "the connection to the scheduler is closed"
        sending = asyncio.create_task(self._send_all(host, connection))
        beating = asyncio.create_task(self._send_heartbeats(host))
        try:
            return await self._receive_all(host, connection, sending)
        finally:
            # `_run` logs the end of the connection, because it knows the reason.
            self.connected = False
            self._disconnected.set()
            for task in (sending, beating):
                task.cancel()
            await asyncio.wait([sending, beating])

    async def _receive_all(
        self, host: SchedulerCommands, connection: ClientConnection, sending: asyncio.Task[None]
    ) -> bool:
        while True:
            receiving = asyncio.create_task(connection.recv())
            await asyncio.wait([receiving, sending], return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                # Everything is sent, or the connection is lost.
                receiving.cancel()
                await asyncio.wait([receiving])
                return sending.exception() is not None
            try:
                message = scheduler_protocol.decode_scheduler_message(receiving.result())
            except ConnectionClosed:
                return True
            except (msgspec.DecodeError, UnicodeError) as error:
                self._log.error("scheduler.message_invalid", error=str(error))
                return True
            if isinstance(message, scheduler_protocol.ServerDismissed):
                self._problem = message.reason
                host.dismiss(message.reason)
                return False
            self._handle_message(host, message)

    def _handle_message(
        self, host: SchedulerCommands, message: scheduler_protocol.SchedulerMessage
    ) -> None:
        match message:
            case scheduler_protocol.MatchAssignment(match_token=token):
                here = token in host.create_hello().hosting
                try:
                    host.accept_match(message)
                except MatchRejectedError as error:
                    self.report_lost(token, str(error))
                except Exception as error:  # noqa: BLE001  # other matches continue
                    self._log.error("match.accept_failed", exc_info=error)
                    self.report_lost(token, f"internal error: {type(error).__name__}")
                else:
                    if not here:
                        self._histories[token] = match_results.hash_history(message.finished_games)
                    self._send(scheduler_protocol.MatchAccepted(match_token=token))
            case scheduler_protocol.StopMatch(
                match_token=token, reason=reason, continues_elsewhere=continues_elsewhere
            ):
                self._histories.pop(token, None)
                (host.release_match if continues_elsewhere else host.cancel_match)(token, reason)
            case scheduler_protocol.PauseMatch(match_token=token, paused=paused):
                host.pause_match(token, paused)
            case scheduler_protocol.GameStored(match_token=token, number=number):
                self._acknowledge(game_file_name(token, number))
            case scheduler_protocol.GameDiscarded(match_token=token, number=number):
                # The scheduler logs the reason.
                self._acknowledge(game_file_name(token, number), aside=True)
            case scheduler_protocol.MatchStored(match_token=token):
                self._acknowledge(match_file_name(token))
            case scheduler_protocol.ServerDismissed():  # pragma: no cover  # never comes here
                pass

    def _send(self, message: scheduler_protocol.ServerMessage | str) -> None:
        if self.connected:
            self._outgoing.put_nowait(message)

    async def _send_all(self, host: SchedulerCommands, connection: ClientConnection) -> None:
        """Send messages until the server stops."""
        while True:
            next_one = await self._outgoing.get()
            if next_one is _STOP:
                # First a draining heartbeat, so that no match is assigned meanwhile.
                await connection.send(scheduler_protocol.encode(host.create_heartbeat()), text=True)
                for token in host.create_hello().hosting:
                    lost = scheduler_protocol.MatchRejected(
                        match_token=token, reason="the game server is shutting down"
                    )
                    await connection.send(scheduler_protocol.encode(lost), text=True)
                await self._wait(
                    [pending.acknowledged for pending in self._pending.values()], _STOP_SECONDS
                )
                return
            message = await self._load(next_one) if isinstance(next_one, str) else next_one
            if message is not None:
                await connection.send(scheduler_protocol.encode(message), text=True)

    async def _load(self, name: str) -> SpooledResult | None:
        assert self._spool is not None
        pending = self._pending.get(name)
        if pending is None:
            return None
        if pending.result is not None:
            return pending.with_current_age()
        try:
            done = await asyncio.to_thread(self._spool.read, name)
        except FormatError as error:
            self._log.error("spool.read_failed", error=str(error))
            return None
        if done is None and name in self._pending:
            self._log.error("spool.file_quarantined", name=name[:8])
            self._acknowledge(name)
        return done

    async def _send_heartbeats(self, host: SchedulerCommands) -> None:
        while True:
            self._send(host.create_heartbeat())
            await asyncio.sleep(self._heartbeat_interval)


@dataclass
class _PendingResult:
    """Result that the scheduler has not stored.

    Attributes:
        result: result to send; None if it is in the spool only.
        has_failed: True once the spool could not store it.
        since: time at which it was finished.
        acknowledged: set once the scheduler has stored it.
    """

    result: SpooledResult | None
    is_spooled: bool = False
    has_failed: bool = False
    since: float = field(default_factory=time.time)
    acknowledged: asyncio.Event = field(default_factory=asyncio.Event)

    def with_current_age(self) -> SpooledResult:
        """Return the result; a game with its current age."""
        assert self.result is not None
        if isinstance(self.result, scheduler_protocol.GameFinished):
            return msgspec.structs.replace(self.result, age=max(0.0, time.time() - self.since))
        return self.result


async def _all_set(events: list[asyncio.Event]) -> None:
    for event in events:
        await event.wait()


_STOP: Final = "."
"""Marks the end of sending; no file of the spool has this name."""

_UNKNOWN_HISTORY: Final = "?"

_MIN_RECONNECT_SECONDS: Final = 0.1

_MAX_RECONNECT_SECONDS: Final = 2.0
"""Maximum seconds between attempts; less than the scheduler's grace period."""

_SPOOL_RETRY_SECONDS: Final = 1.0
"""Seconds between attempts to write to the spool."""

_OPEN_SECONDS: Final = 5.0

_PING_SECONDS: Final = 3.0

_STOP_SECONDS: Final = 2.0

_MAX_REPLAY_BYTES: Final = scheduler_protocol.MAX_FRAME_BYTES * 3 // 4 - (1 << 20)
"""Frames contain replays in base 64: four bytes for three."""


def _link_url(scheduler: str) -> str:
    parts = urlsplit(scheduler)
    schemes = {"http": "ws", "https": "wss"}
    if parts.scheme not in schemes or not parts.netloc:
        raise SettingsError(
            f"invalid server.scheduler: expected the URL of a site, such as http://127.0.0.1:8080, "
            f"got {scheduler!r}"
        )
    return f"{schemes[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}{scheduler_protocol.LINK_PATH}"
