"""Scheduler: assigns matches to game servers, stores their results and handles lost servers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

import msgspec
import structlog

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.scheduler.contest_runner import ContestRunner
from sevenbag.contest.scheduler.match_assigner import ActiveMatch, MatchAssigner
from sevenbag.contest.scheduler.result_handler import ResultHandler
from sevenbag.contest.scheduler.server_registry import ServerConnection
from sevenbag.contest.scheduler.site_api import (
    ChangeFeed,
    ContestChange,
    CurrentMatch,
    MatchAddress,
    ServerStatus,
    TestMatch,
)
from sevenbag.contest.scheduler_protocol import (
    GameFinished,
    Heartbeat,
    MatchFinished,
    ServerDismissed,
    ServerHello,
    ServerMessage,
    decode_server_message,
    encode,
)
from sevenbag.contest.settings import ContestRules, ContestSettings
from sevenbag.contest.store import BuiltinEntrant, ContestRow, MatchRow, Store, Team
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import NameTakenError, SchedulerError, StoreError, UnknownEntryError

T = TypeVar("T")


class Scheduler:
    """Scheduler in the process of the site; all persistent state is in the store.

    Requests are processed one after another, and completed even if the caller is cancelled.
    Errors of the store, such as `UnknownEntryError`, are raised as they are.

    Args:
        clock: monotonic seconds.
        pass_interval: seconds between passes; None for passes on request only.
        duplicate_timeout: seconds in which a connected game server has to send a message when
            another one with its name connects; otherwise the new one replaces it.
    """

    def __init__(
        self,
        store: Store,
        settings: ContestSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        pass_interval: float | None = 0.25,
        duplicate_timeout: float = 3.0,
        logger: structlog.typing.FilteringBoundLogger | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._pass_interval = pass_interval
        self._duplicate_timeout = duplicate_timeout
        self._log = logger or create_logger(settings.log)
        self._changes = ChangeFeed()
        self._assigner = MatchAssigner(
            store,
            settings.site,
            self._changes,
            clock=clock,
            wall_clock=wall_clock,
            on_finished=self._match_finished,
            logger=self._log,
        )
        self._contests = ContestRunner(store, self._assigner, self._changes, self._log)
        self._results = ResultHandler(
            store, self._assigner, clock=clock, on_finished=self._match_finished, logger=self._log
        )
        self._turn = asyncio.Lock()
        self._works: set[asyncio.Task[Any]] = set()
        self._connections: set[ServerConnection] = set()
        self._stale = False
        """True after a failure of the store within a request; the next pass reads it again."""
        self._wake = asyncio.Event()
        self._pass_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the store and start.

        Raises:
            StoreError: the store cannot be read.
        """
        await self._run_in_turn(self._reload())
        if self._pass_interval is not None:
            self._pass_task = asyncio.create_task(self._run_passes(self._pass_interval))

    async def stop(self) -> None:
        """Close all connections; game servers continue and report results after a restart."""
        if self._pass_task is not None:
            self._pass_task.cancel()
            await asyncio.wait([self._pass_task])
            self._pass_task = None
        for connection in tuple(self._connections):
            connection.close()
        while self._works:
            await asyncio.wait(self._works)
        self._changes.close()

    async def run_pass(self) -> None:
        """Process everything that is due now."""
        await self._run_in_turn(self._process_due())

    @property
    def is_healthy(self) -> bool:
        """True if the scheduler runs and its last access to the store succeeded."""
        running = self._pass_interval is None or (
            self._pass_task is not None and not self._pass_task.done()
        )
        return running and not self._stale

    async def serve_game_server(
        self,
        receive: Callable[[], Awaitable[bytes | str | None]],
        send: Callable[[bytes], Awaitable[None]],
    ) -> None:
        """Serve an authenticated game server until either side closes the connection.

        Args:
            receive: return the next frame; None, or a `ConnectionError`, at the end.
            send: send a frame.
        """
        hello = await self._receive_hello(receive, send)
        if hello is None:
            return
        connection = ServerConnection(hello, self._clock())
        self._connections.add(connection)
        sender = asyncio.create_task(connection.send_queued(send))
        try:
            await self._resolve_duplicate(connection)
            await self._run_in_turn(self._assigner.connect_server(connection))
            self._wake.set()
            await self._receive_all(connection, receive)
        except StoreError as error:
            # The server repeats results that were not acknowledged.
            self._log.error("store.failed", server=hello.name, error=str(error))
        finally:
            connection.close()
            self._connections.discard(connection)
            self._assigner.disconnect_server(connection)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await sender

    def list_servers(self) -> tuple[ServerStatus, ...]:
        """Return all known game servers by name."""
        load = self._assigner.count_matches()
        return tuple(
            server.status(load[name]) for name, server in sorted(self._assigner.servers.items())
        )

    async def create_test_match(self, team: str, *, wait_seconds: float = 5.0) -> TestMatch:
        """Create a match of a team against the test client and wait until it accepts connections.

        Args:
            team: name of the authenticated team.
            wait_seconds: maximum seconds for a game server to accept the match.

        Raises:
            SchedulerError: the team does not exist, or no game server has capacity.
        """
        match = await self._run_in_turn(self._add_test_match(team))
        self._wake.set()
        try:
            async with asyncio.timeout(wait_seconds):
                if self._pass_interval is None:
                    await self.run_pass()
                await match.ready.wait()
        except TimeoutError:
            pass
        address = self.find_address(match.row.token)
        if address is None:
            with contextlib.suppress(SchedulerError):  # it was called off already
                await self._run_in_turn(
                    self._assigner.cancel(match.row.token, "no game server has taken it in time")
                )
            here = any(server.is_connected for server in self.list_servers())
            raise SchedulerError(
                "no game server has capacity for a match" if here else "no game server is connected"
            )
        return TestMatch(token=match.row.token, match_id=match.row.id, address=address)

    async def current_match(self, team: str) -> CurrentMatch:
        """Return the current match of a team in the contests.

        Raises:
            SchedulerError: the team does not exist.
        """
        return await self._run_in_turn(self._current(team))

    async def cancel_match(self, token: str, reason: str) -> None:
        """End a match without a winner; a match of a running contest is played again.

        Raises:
            SchedulerError: the match does not exist or is over.
        """
        await self._run_in_turn(self._assigner.cancel(token, reason))
        self._wake.set()

    def find_address(self, token: str) -> MatchAddress | None:
        """Return the address of a match; None if it does not accept connections."""
        match = self._assigner.matches.get(token)
        return None if match is None else self._assigner.find_address(match)

    def state_endpoint(self, token: str) -> str | None:
        """Return the ZeroMQ endpoint of a match's state channel; None if it is not played."""
        address = self.find_address(token)
        return None if address is None else address.state_endpoint

    def active_tokens(self) -> tuple[str, ...]:
        """Return the tokens of matches that accept connections, oldest first."""
        return tuple(token for token, match in self._assigner.matches.items() if match.is_accepted)

    async def create_contest(
        self,
        name: str,
        teams: Sequence[str],
        *,
        rules: ContestRules | None = None,
        plan: ContestPlan | None = None,
    ) -> ContestRow:
        """Create a contest.

        Args:
            name: name of the contest.
            teams: team names in seeding order without a ranking.
            rules: rules of its matches; None for those of the settings.
            plan: stages; None for a ranking and a bracket of all teams.

        Raises:
            SchedulerError: a team does not exist.
            InputError: the name is invalid, or there are too many teams.
        """
        if rules is None:
            rules = ContestRules(game=self._settings.game, match=self._settings.match)
        return await self._run_in_turn(
            self._contests.create(name, teams, rules, ContestPlan() if plan is None else plan)
        )

    async def start_contest(self, contest_id: int) -> ContestRow:
        """Start a contest.

        Raises:
            SchedulerError: the contest is running or finished, or has fewer than two teams.
        """
        return await self._contest(self._contests.start(contest_id))

    async def pause_contest(self, contest_id: int) -> ContestRow:
        """Finish running games and start no others.

        Raises:
            SchedulerError: the contest is not running.
        """
        return await self._contest(self._contests.pause(contest_id))

    async def resume_contest(self, contest_id: int) -> ContestRow:
        """Continue a paused contest.

        Raises:
            SchedulerError: the contest is not paused.
        """
        return await self._contest(self._contests.resume(contest_id))

    async def cancel_contest(self, contest_id: int, reason: str) -> ContestRow:
        """End a contest and its matches without a winner.

        Raises:
            SchedulerError: the contest is over.
        """
        return await self._contest(self._contests.cancel(contest_id, reason))

    def subscribe(self) -> AbstractContextManager[AsyncIterator[ContestChange]]:
        """Return all further changes, as a context; leaving it ends the subscription."""
        return self._changes.subscribe()

    def metrics(self) -> Mapping[str, float]:
        """Return metrics for the site by name."""
        matches = self._assigner.matches.values()
        counts = self._assigner.counts
        return {
            "contest_servers": sum(server.is_connected for server in self.list_servers()),
            "contest_matches_waiting": sum(not match.server for match in matches),
            "contest_matches_assigned": sum(bool(match.server) for match in matches),
            "contest_matches_finished_total": counts["matches finished"],
            "contest_games_stored_total": counts["games stored"],
            "contest_games_rejected_total": counts["games rejected"],
            "contest_failovers_total": counts["failovers"],
            "contest_assignments_rejected_total": counts["rejections"],
            "contest_invalid_results_total": counts["invalid results"],
            "contest_connection_errors_total": counts["connection errors"],
            "contest_store_errors_total": counts["store errors"],
        }

    async def _run_in_turn(self, work: Coroutine[Any, Any, T]) -> T:
        """Run after all earlier requests; complete even if the caller is cancelled."""
        task = asyncio.create_task(self._in_turn(work))
        self._works.add(task)
        task.add_done_callback(self._works.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, work: Coroutine[Any, Any, T]) -> T:
        async with self._turn:
            try:
                return await work
            except (UnknownEntryError, NameTakenError):
                raise
            except StoreError:
                self._assigner.counts["store errors"] += 1
                self._stale = True
                raise

    async def _contest(self, work: Coroutine[Any, Any, ContestRow]) -> ContestRow:
        row = await self._run_in_turn(work)
        self._wake.set()
        return row

    async def _reload(self) -> None:
        await self._assigner.reload()
        await self._contests.reload()
        self._stale = False

    async def _match_finished(self, match: ActiveMatch) -> None:
        await self._contests.match_finished(match)

    async def _process_due(self) -> None:
        if self._stale:
            await self._reload()
        await self._assigner.run_pass()

    async def _run_passes(self, pace: float) -> None:
        while True:
            self._wake.clear()
            try:
                await self.run_pass()
            except (StoreError, SchedulerError) as error:
                self._log.error("scheduler.pass_failed", error=str(error))
                await asyncio.sleep(pace)
            except Exception as error:  # noqa: BLE001  # or no match would be assigned any more
                self._log.error("scheduler.pass_crashed", exc_info=error)
                self._stale = True
                await asyncio.sleep(pace)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pace):
                    await self._wake.wait()

    async def _receive_hello(
        self,
        receive: Callable[[], Awaitable[bytes | str | None]],
        send: Callable[[bytes], Awaitable[None]],
    ) -> ServerHello | None:
        try:
            async with asyncio.timeout(_HELLO_SECONDS):
                frame = await receive()
            if frame is None:
                return None
            message = decode_server_message(frame)
            if not isinstance(message, ServerHello):
                reason = "invalid first message: expected hello"
            elif not message.name.isprintable():
                reason = "the server's name must be printable"
            else:
                return message
        except (TimeoutError, ConnectionError):
            self._assigner.counts["connection errors"] += 1
            return None
        except (msgspec.DecodeError, UnicodeError) as error:
            reason = f"invalid first message: {error}"
        self._assigner.counts["connection errors"] += 1
        with contextlib.suppress(ConnectionError):
            await send(encode(ServerDismissed(reason=reason)))
        return None

    async def _resolve_duplicate(self, connection: ServerConnection) -> None:
        """Wait until a connected server of the same name proves alive or is replaced."""
        server = self._assigner.servers.get(connection.name)
        old = None if server is None else server.connection
        if server is None or old is None or old.hello.instance == connection.hello.instance:
            return
        frames = old.received_count
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._duplicate_timeout):
                # Servers send a heartbeat every two seconds.
                while server.connection is old and old.received_count == frames:  # noqa: ASYNC110
                    await asyncio.sleep(_DUPLICATE_POLL_SECONDS)
        if server.connection is old and old.received_count == frames:
            old.close()
            self._assigner.disconnect_server(old)

    async def _handle_message(self, connection: ServerConnection, message: ServerMessage) -> None:
        server = self._assigner.get_server(connection)
        if server is None:
            return  # its results are sent again on the new connection
        match message:
            case GameFinished():
                await self._results.handle_game(connection, message)
            case MatchFinished():
                await self._results.handle_match(connection, message)
            case _:
                await self._assigner.handle_message(server, connection, message)

    async def _receive_all(
        self, connection: ServerConnection, receive: Callable[[], Awaitable[bytes | str | None]]
    ) -> None:
        closing = asyncio.create_task(connection.closing.wait())
        try:
            while not connection.closing.is_set():
                receiving = asyncio.ensure_future(receive())
                await asyncio.wait([receiving, closing], return_when=asyncio.FIRST_COMPLETED)
                if not receiving.done():
                    receiving.cancel()
                    await asyncio.wait([receiving])
                    return
                frame = receiving.result()
                if frame is None:
                    return
                connection.last_received_at = self._clock()
                connection.received_count += 1
                message = decode_server_message(frame)
                await self._run_in_turn(self._handle_message(connection, message))
                if not isinstance(message, Heartbeat):
                    self._wake.set()
        except ConnectionError:
            pass
        except (msgspec.DecodeError, UnicodeError, SchedulerError) as error:
            self._assigner.counts["connection errors"] += 1
            self._log.error("game_server.message_invalid", server=connection.name, error=str(error))
        finally:
            closing.cancel()

    async def _add_test_match(self, name: str) -> ActiveMatch:
        team = await self._team(name)
        mine: list[MatchRow] = [
            match.row
            for match in self._assigner.matches.values()
            if match.row.kind == "test" and team.id in match.teams
        ]
        for row in mine[: len(mine) + 1 - self._settings.site.max_test_matches]:
            await self._assigner.cancel(row.token, "the team has started another test match")
        client = self._settings.test_client
        row = await asyncio.to_thread(
            self._store.matches.add,
            kind="test",
            name=f"Test of {team.name}",
            players=(team.id, BuiltinEntrant(name=client.name, bot=client.bot)),
            rules=ContestRules(game=self._settings.game, match=self._settings.test_match),
        )
        match = self._assigner.add(row)
        self._changes.publish(ContestChange("match waiting", row.id, row.token))
        return match

    async def _current(self, name: str) -> CurrentMatch:
        return await self._contests.current_match(await self._team(name))

    async def _team(self, name: str) -> Team:
        team = await asyncio.to_thread(self._store.teams.find, name)
        if team is None or team.disabled:
            raise SchedulerError("there is no such team")
        return team


_HELLO_SECONDS: Final = 10.0
_DUPLICATE_POLL_SECONDS: Final = 0.02
_CLOSE_SECONDS: Final = 1.0
