"""Game server: matches of two teams over ZeroMQ."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Final, Literal, Self

import structlog
import zmq
from prometheus_client import Metric

import sevenbag
from sevenbag.contest.child_process import raise_file_limit
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.passwords import PasswordVerifier
from sevenbag.contest.scheduler_protocol import Heartbeat, MatchAssignment, ServerHello
from sevenbag.contest.server.command_handler import ClientTokens, CommandHandler
from sevenbag.contest.server.hosted_match import HostedMatch, MatchTimers, ResultSink, ServerContext
from sevenbag.contest.server.monitoring import (
    METRIC_PREFIX,
    HealthServer,
    ServerMetrics,
    create_health_app,
)
from sevenbag.contest.server.zmq_channels import AddressLimiter, CommandChannel, StateChannel
from sevenbag.contest.settings import LogSettings, ServerSettings, TestClientSettings
from sevenbag.contest.telemetry import create_logger, create_metric
from sevenbag.errors import InputError, MatchRejectedError, ServerDismissedError

ShutdownMode = Literal["finish", "abort"]

_SHUTDOWN_POLL: Final = 0.02
"""Seconds between checks for running games during shutdown."""

_MAX_STORE_SECONDS: Final = 5.0
"""Maximum seconds to store finished games during shutdown, in either mode."""

_BEAT: Final = 0.25
"""Seconds between checks for new subscribers and measurements of the delay."""

_FILES_OF_A_MATCH: Final = 8

_FILES: Final = 256
"""Open files of the process itself, and connections of viewers."""

_EVERYWHERE: Final = frozenset({"", "*", "0.0.0.0", "::"})  # noqa: S104  # only compared with


class GameServer:
    """Host matches until stopped, in the event loop that calls `start`.

    Args:
        test_client: settings of built-in players.
        result_sink: receiver of results and events; None for a server without a scheduler.
        logger: logger; None for standard error.
    """

    def __init__(
        self,
        settings: ServerSettings,
        *,
        test_client: TestClientSettings,
        log: LogSettings,
        result_sink: ResultSink | None = None,
        logger: structlog.typing.FilteringBoundLogger | None = None,
    ) -> None:
        self.metrics = ServerMetrics()
        self._settings = settings
        self._test_client = test_client
        self._log = log
        self._result_sink = result_sink
        self._logger = logger or create_logger(log)
        self._sessions = ClientTokens()
        self._context: ServerContext | None = None
        self._delay = 0.0
        self._draining = False
        self._dismissal = ""
        self._over = asyncio.Event()
        self._stopping: asyncio.Task[None] | None = None
        self._shutdown_mode: ShutdownMode = settings.shutdown_mode
        self._closing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen.

        Raises:
            InputError: a port is in use or not permitted, or an address is not of this machine.
        """
        settings = self._settings
        self._loop = loop = asyncio.get_running_loop()
        self._began = time.time()
        self._timers = MatchTimers(loop.time)
        self._zmq: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._health_server: HealthServer | None = None
        async with contextlib.AsyncExitStack() as undo:
            undo.callback(self._zmq.destroy, 0)
            self._commands = CommandChannel(
                self._zmq,
                settings.bind,
                settings.command_port,
                max_frame_bytes=settings.max_command_bytes,
            )
            self._states = StateChannel(
                self._zmq,
                settings.state_bind or settings.bind,
                settings.state_port,
                backlog=settings.state_backlog,
            )
            if settings.http_port:
                app = create_health_app(self._find_problem, self._read_metrics)
                self._health_server = HealthServer(app, settings.bind, settings.http_port)
                await self._health_server.start()
            undo.pop_all()
        files = raise_file_limit(settings.capacity * _FILES_OF_A_MATCH + _FILES)
        self._limiter = AddressLimiter(
            (self._commands.port, self._states.port),
            max_connections=settings.max_connections_per_address or files // 2,
            logger=self._logger,
        )
        self._watching = loop.create_task(self._limiter.watch())
        self._context = ServerContext(
            clock=loop.time,
            states=self._states,
            timers=self._timers,
            result_sink=self._result_sink,
            metrics=self.metrics,
            logger=self._logger,
            log=self._log,
            checks=PasswordVerifier(max_waiting=4 * settings.capacity + 200),
            builtin_moves_per_second=self._test_client.moves_per_second,
            on_removed=self._forget,
        )
        self._command_handler = CommandHandler(
            self._sessions,
            self.metrics,
            self._logger,
            loop.time,
            self._commands,
            max_command_bytes=settings.max_command_bytes,
        )
        self._commands.start(self._command_handler.handle)
        self._beat()
        self._logger.info(
            "server.started",
            commands=self.command_endpoint,
            states=self.state_endpoint,
            http=self.http_port,
        )
        if self._result_sink is not None:
            await self._result_sink.start(self)

    async def run(self) -> None:
        """Serve until stopped; when cancelled, shut down as the settings say.

        Raises:
            ServerDismissedError: the scheduler dismissed this server.
        """
        try:
            await self._over.wait()
        finally:
            await self.stop()
        if self._dismissal:
            raise ServerDismissedError(self._dismissal)

    async def stop(self, mode: ShutdownMode | None = None) -> None:
        """Shut down: running games are finished or aborted.

        Args:
            mode: finish or abort; None for the mode of the settings. "abort" also ends a shutdown
                that waits for games.
        """
        await asyncio.shield(self._begin_to_stop(mode or self._settings.shutdown_mode))

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Abort running games and stop."""
        await self.stop("abort")

    @property
    def command_endpoint(self) -> str:
        """Endpoint of the command channel, such as ``tcp://127.0.0.1:5557``."""
        return self._commands.endpoint

    @property
    def state_endpoint(self) -> str:
        """Endpoint of the state channel."""
        return self._states.endpoint

    @property
    def http_port(self) -> int:
        """Port of ``/health``, ``/ready`` and ``/metrics``; 0 for none."""
        return 0 if self._health_server is None else self._health_server.port

    def create_hello(self) -> ServerHello:
        """Return the name, the addresses and the matches of the server."""
        settings = self._settings
        address = settings.address or _public_address(settings.bind)
        state_address = settings.state_address or settings.address
        return ServerHello(
            name=settings.name or f"{_machine_name(settings.bind)}:{self._commands.port}",
            version=sevenbag.__version__,
            command_address=address,
            state_address=state_address or _public_address(settings.state_bind or settings.bind),
            internal_address=settings.internal_address or address,
            command_port=self._commands.port,
            state_port=self._states.port,
            capacity=settings.capacity,
            hosting=tuple(token for token, table in self.matches.items() if not table.ended),
        )

    @property
    def matches(self) -> Mapping[str, HostedMatch]:
        """Matches by match token, including finished ones that linger."""
        return self._sessions.matches

    def create_heartbeat(self) -> Heartbeat:
        """Return the current load."""
        return Heartbeat(
            matches=self._count_hosted(), commands=self.metrics.commands, draining=self._draining
        )

    def accept_match(self, place: MatchAssignment) -> None:
        """Host a match; clients may connect to it at once.

        A match that is hosted already continues unchanged.

        Raises:
            MatchRejectedError: the server does not accept the match.
        """
        old = self.matches.get(place.match_token)
        if old is not None and not old.ended:
            if len(place.finished_games) > sum(old.match.games):
                raise MatchRejectedError("the match is hosted here with fewer finished games")
            return
        context = self._context
        if self._draining or context is None:
            raise MatchRejectedError("the server is shutting down")
        if self._count_hosted() >= self._settings.capacity:
            raise MatchRejectedError(
                f"the server is full: it hosts {self._settings.capacity} matches"
            )
        try:
            match = ContestMatch(
                place.match_token,
                place.match_name,
                place.players,
                place.rules,
                secrets.randbits(64),
                time.time,
                place.finished_games,
                attempt=place.attempt,
            )
            table = HostedMatch(place, match, context)
        except InputError as error:
            raise MatchRejectedError(str(error)) from None
        if old is not None:
            self._forget(old)
        self._sessions.add(table)
        self._logger.info(
            "match.accepted",
            match=table.token[:8],
            name=place.match_name,
            teams=[seat.team for seat in place.players],
            finished=len(place.finished_games),
        )
        table.start()

    def cancel_match(self, token: str, reason: str) -> None:
        """End a match without a winner; ignore unknown matches."""
        if table := self.matches.get(token):
            table.cancel(reason)

    def release_match(self, token: str, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""
        if table := self.matches.get(token):
            table.release(reason)

    def pause_match(self, token: str, paused: bool) -> None:
        """Pause a match before its next game, or resume it."""
        if (table := self.matches.get(token)) and not table.ended:
            table.set_paused(paused)

    async def wait_for_result(self, token: str) -> MatchResult:
        """Wait for the result of a match.

        Raises:
            MatchRejectedError: the match is not hosted here, or continues on another server.
        """
        table = self.matches.get(token)
        if table is None:
            raise MatchRejectedError(f"no match {token[:8]}... is hosted here")
        await asyncio.wait({table.result})
        if table.result.cancelled():
            raise MatchRejectedError(f"match {token[:8]}... is not finished here")
        return table.result.result()

    def dismiss(self, reason: str) -> None:
        """Stop at once: the scheduler rejects this server."""
        self._logger.error("server.dismissed", reason=reason)
        self._dismissal = reason
        for token in list(self.matches):
            self.release_match(token, reason)
        self._begin_to_stop("abort")

    def _count_hosted(self) -> int:
        return sum(not table.ended for table in self.matches.values())

    def _forget(self, table: HostedMatch) -> None:
        self._sessions.remove(table)
        closing = asyncio.create_task(table.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _find_problem(self) -> str:
        """Return the reason why the server takes no matches; empty if it does."""
        if self._draining:
            return "the server is shutting down"
        return "" if self._result_sink is None else self._result_sink.problem

    def _begin_to_stop(self, mode: ShutdownMode) -> asyncio.Task[None]:
        self._draining = True
        if self._context is not None:
            self._command_handler.is_shutting_down = True
        if self._stopping is None:
            self._shutdown_mode = mode
            self._stopping = asyncio.create_task(self._stop())
        elif mode == "abort":
            self._shutdown_mode = mode
        return self._stopping

    async def _stop(self) -> None:
        if self._context is not None:
            self._logger.info(
                "server.stopping", mode=self._shutdown_mode, matches=self._count_hosted()
            )
            await self._finish_games()
            if self._result_sink is not None:
                await self._result_sink.stop()
            for table in tuple(self.matches.values()):
                self._forget(table)
            await asyncio.gather(*self._closing)
            await self._close_sockets()
        self._logger.info("server.stopped", commands=self.metrics.commands)
        self._over.set()

    async def _close_sockets(self) -> None:
        """Stop receiving and publishing; pending messages are still sent."""
        self._beating.cancel()
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        if self._health_server is not None:
            await self._health_server.close()
        await self._command_handler.close()
        self._timers.close()
        self._commands.close()
        self._states.close()
        # This waits for the last messages.
        await asyncio.to_thread(self._zmq.term)

    def _beat(self, due: float | None = None) -> None:
        """Process subscriptions and measure the delay of the event loop, again and again."""
        now = self._loop.time()
        if due is not None:
            self._delay = max(0.0, now - due)
        self._states.process_subscriptions()
        self._beating = self._loop.call_at(now + _BEAT, self._beat, now + _BEAT)

    def _read_metrics(self) -> Iterator[Metric]:
        yield from self.metrics.collect()
        for name, description, value in (
            ("matches_hosted", "Matches that are played or linger.", len(self.matches)),
            ("start_time_seconds", "Start time of the server.", self._began),
            ("loop_delay_seconds", "Delay of the last timer.", self._delay),
            ("states_published_total", "Published state messages.", self._states.published),
            ("states_dropped_total", "Messages a slow subscriber lost.", self._states.incomplete),
            ("invalid_envelopes_total", "Messages that were no requests.", self._commands.dropped),
            ("connections_closed_total", "Connections over the limit.", self._limiter.closed),
            ("replies_dropped_total", "Answers that no client received.", self._commands.unsent),
        ):
            yield create_metric(METRIC_PREFIX + name, description, value)

    async def _finish_games(self) -> None:
        tables = [table for table in self.matches.values() if not table.ended]
        began = time.monotonic()
        if self._shutdown_mode == "finish":
            for table in tables:
                table.set_paused(paused=True)
        # Polled: games end in many ways.
        while self._must_wait(tables, time.monotonic() - began):  # noqa: ASYNC110
            await asyncio.sleep(_SHUTDOWN_POLL)
        if self._result_sink is None:
            # Without a scheduler the matches continue nowhere.
            for table in tables:
                table.cancel("the server is shutting down")

    def _must_wait(self, tables: list[HostedMatch], seconds: float) -> bool:
        """Return True if a match is worth waiting for, after `seconds` of shutdown."""
        if any(table.is_storing for table in tables) and seconds < _MAX_STORE_SECONDS:
            return True
        patience = self._settings.shutdown_seconds if self._shutdown_mode == "finish" else 0.0
        return seconds < patience and any(table.is_busy for table in tables)


def _machine_name(bind: str) -> str:
    """Return a name for the machine and address; all servers may use the same ports."""
    machine = socket.gethostname()
    return machine if bind in _EVERYWHERE else f"{machine} {bind}"


def _public_address(bind: str) -> str:
    """Return the address at which clients reach a server that listens at `bind`."""
    return socket.gethostname() if bind in _EVERYWHERE else bind
