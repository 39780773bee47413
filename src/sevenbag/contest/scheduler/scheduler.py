"""The scheduler: gives matches to game servers, keeps what they tell, moves on when one dies."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.scheduler.contest_runner import ContestRunner
from sevenbag.contest.scheduler.match_assigner import MatchAssigner
from sevenbag.contest.scheduler.server_registry import ServerConnection
from sevenbag.contest.scheduler.site_api import (
    ChangeFeed,
    ChangeSubscription,
    ContestChange,
    CurrentMatch,
    MatchAddress,
    ServerStatus,
    TestMatch,
)
from sevenbag.contest.scheduler_protocol import (
    Heartbeat,
    ServerDismissed,
    ServerHello,
    decode_server_message,
    encode,
)
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store import BuiltinEntrant
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import NameTakenError, SchedulerError, StoreError, UnknownEntryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    import structlog

    from sevenbag.contest.scheduler.match_assigner import ActiveMatch
    from sevenbag.contest.settings import ContestSettings
    from sevenbag.contest.store import ContestRow, MatchRow, Store, Team

T = TypeVar("T")


class Scheduler:
    """Lives in the site's process, beside it; everything that must survive is in the store.

    What is asked of it is done one after another, and to its end even if whoever asked has gone.

    Args:
        store: what survives; open.
        settings: of the contest.
        clock: monotonic seconds.
        wall: seconds since 1970.
        pace: seconds between looks at what time has brought; None for none but those that are
            asked for.
        twin_seconds: in which a connected game server has to say something when another one of its
            name comes; else it is the dead one.
        logger: where to; by default standard error.
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
        self._pace = pass_interval
        self._twin_seconds = duplicate_timeout
        self._log = logger or create_logger(settings.log)
        self._changes = ChangeFeed()
        self._contests = ContestRunner(store, self._changes, self._log)
        self._assigner = MatchAssigner(
            store,
            settings.site,
            self._changes,
            clock=clock,
            wall_clock=wall_clock,
            on_finished=self._over,
            logger=self._log,
        )
        self._turn = asyncio.Lock()
        self._works: set[asyncio.Task[Any]] = set()
        self._links: set[ServerConnection] = set()
        self._stale = False
        """Whether the store has failed in the middle of something, so that it is read anew."""
        self._wake = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    # --- its life ---------------------------------------------------------------------------

    async def start(self) -> None:
        """Read where everything stands, and begin to work.

        Raises:
            StoreError: the store cannot be read.
        """
        await self._run_in_turn(self._reload())
        if self._pace is not None:
            self._looking = asyncio.create_task(self._look_on(self._pace))

    async def stop(self) -> None:
        """End all connections and work; the game servers play on, and tell it when it is back."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
            self._looking = None
        for connection in tuple(self._links):
            connection.closing.set()
        while self._works:
            await asyncio.wait(self._works)
        self._changes.close()

    async def run_pass(self) -> None:
        """Do what time has brought, now."""
        await self._run_in_turn(self._look())

    @property
    def is_healthy(self) -> bool:
        """Whether it works: it has been started, and the store answered when it was last asked."""
        running = self._pace is None or (self._looking is not None and not self._looking.done())
        return running and not self._stale

    # --- game servers -----------------------------------------------------------------------

    async def serve_game_server(
        self,
        hear: Callable[[], Awaitable[bytes | str | None]],
        say: Callable[[bytes], Awaitable[None]],
    ) -> None:
        """Speak with a game server that has proven itself, until either side ends it.

        Args:
            hear: the next frame; None, or a `ConnectionError`, when the other side has gone.
            say: send a frame.
        """
        hello = await self._introduced(hear, say)
        if hello is None:
            return
        connection = ServerConnection(hello, self._clock())
        self._links.add(connection)
        sender = asyncio.create_task(_send_all(connection, say))
        try:
            await self._await_end_of_twin(connection)
            await self._run_in_turn(self._assigner.connect_server(connection))
            self._wake.set()
            await self._hear_all(connection, hear)
        except StoreError as error:
            # Nothing was said of what is not in the store: it will all be told again.
            self._log.error("store.failed", server=hello.name, error=str(error))
        finally:
            connection.closing.set()
            self._links.discard(connection)
            self._assigner.disconnect_server(connection)
            await sender

    def list_servers(self) -> tuple[ServerStatus, ...]:
        """All game servers that are known, by name."""
        load = self._assigner.count_matches()
        return tuple(
            server.status(load[name]) for name, server in sorted(self._assigner.servers.items())
        )

    # --- matches ----------------------------------------------------------------------------

    async def create_test_match(self, team: str, *, wait_seconds: float = 5.0) -> TestMatch:
        """A match of a team against the test client, ready to be connected to.

        Args:
            team: name of the team, whose password was checked.
            wait_seconds: seconds that a game server may take to make it ready.

        Raises:
            SchedulerError: there is no such team or no game server has room; in words for people.
        """
        match = await self._run_in_turn(self._add_test_match(team))
        self._wake.set()
        try:
            async with asyncio.timeout(wait_seconds):
                if self._pace is None:
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
                "no game server has room for a match now" if here else "there is no game server now"
            )
        return TestMatch(token=match.row.token, match_id=match.row.id, address=address)

    async def current_match(self, team: str) -> CurrentMatch:
        """What a team is to play now in the contests.

        Raises:
            SchedulerError: there is no such team.
        """
        return await self._run_in_turn(self._current(team))

    async def cancel_match(self, token: str, reason: str) -> None:
        """End a match without a winner; one of a contest that runs is played anew.

        Raises:
            SchedulerError: there is no such match, or it is over.
        """
        await self._run_in_turn(self._assigner.cancel(token, reason))
        self._wake.set()

    def find_address(self, token: str) -> MatchAddress | None:
        """Where clients connect to a match; None while it cannot be connected to."""
        match = self._assigner.matches.get(token)
        if match is None or not match.is_accepted:
            return None
        server = self._assigner.servers.get(match.server)
        return None if server is None else server.address

    def state_endpoint(self, token: str) -> str | None:
        """ZeroMQ's address of a match's state channel; None while it is not played."""
        address = self.find_address(token)
        return None if address is None else address.state_endpoint

    def active_tokens(self) -> tuple[str, ...]:
        """Tokens of the matches that can be connected to, the oldest first."""
        return tuple(token for token, match in self._assigner.matches.items() if match.is_accepted)

    # --- contests ---------------------------------------------------------------------------

    async def create_contest(
        self,
        name: str,
        teams: Sequence[str],
        *,
        rules: ContestRules | None = None,
        plan: ContestPlan | None = None,
    ) -> ContestRow:
        """Plan a contest.

        Args:
            name: for people.
            teams: names, in the order in which they are seeded where there is no ranking.
            rules: of its matches; None for those of the settings.
            plan: what is played; None for a ranking and a bracket of all.

        Raises:
            SchedulerError: there is no such team.
            InputError: a name is none, or there are too many teams.
        """
        if rules is None:
            rules = ContestRules(game=self._settings.game, match=self._settings.match)
        return await self._run_in_turn(
            self._contests.create(name, teams, rules, ContestPlan() if plan is None else plan)
        )

    async def start_contest(self, contest_id: int) -> ContestRow:
        """Begin to play a contest.

        Raises:
            SchedulerError: it runs already or is over, or has fewer than two teams.
            UnknownEntryError: there is no such contest.
        """
        return await self._contest(self._contests.start(self._assigner, contest_id))

    async def pause_contest(self, contest_id: int) -> ContestRow:
        """Let the games that are played end, and begin no others.

        Raises:
            SchedulerError: it does not run.
            UnknownEntryError: there is no such contest.
        """
        return await self._contest(self._contests.pause(self._assigner, contest_id))

    async def resume_contest(self, contest_id: int) -> ContestRow:
        """Go on with a contest that was paused.

        Raises:
            SchedulerError: it is not paused.
            UnknownEntryError: there is no such contest.
        """
        return await self._contest(self._contests.resume(self._assigner, contest_id))

    async def cancel_contest(self, contest_id: int, reason: str) -> ContestRow:
        """End a contest and its matches without a winner.

        Raises:
            SchedulerError: it is over already.
            UnknownEntryError: there is no such contest.
        """
        return await self._contest(self._contests.cancel(self._assigner, contest_id, reason))

    # --- for those who watch ----------------------------------------------------------------

    def subscribe(self) -> ChangeSubscription:
        """What happens from now on, change by change."""
        return self._changes.subscribe()

    def metrics(self) -> Mapping[str, float]:
        """Numbers for the site's metrics, by name."""
        matches = self._assigner.matches.values()
        counts = self._assigner.counts
        return {
            "contest_servers": sum(server.is_connected for server in self.list_servers()),
            "contest_matches_waiting": sum(not match.server for match in matches),
            "contest_matches_assigned": sum(bool(match.server) for match in matches),
            "contest_matches_finished_total": counts["matches finished"],
            "contest_games_stored_total": counts["games kept"],
            "contest_games_rejected_total": counts["games refused"],
            "contest_failovers_total": counts["failovers"],
            "contest_assignments_rejected_total": counts["refusals"],
            "contest_invalid_results_total": counts["lies"],
            "contest_connection_errors_total": counts["link errors"],
            "contest_store_errors_total": counts["store errors"],
        }

    # --- helpers ----------------------------------------------------------------------------

    async def _run_in_turn(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something after all that was asked before; whoever asks may go away meanwhile."""
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
        await self._contests.reload(self._assigner)
        self._stale = False

    async def _over(self, match: ActiveMatch) -> None:
        await self._contests.match_finished(self._assigner, match)

    async def _look(self) -> None:
        if self._stale:
            await self._reload()
        await self._assigner.run_pass()

    async def _look_on(self, pace: float) -> None:
        while True:
            self._wake.clear()
            try:
                await self.run_pass()
            except (StoreError, SchedulerError) as error:
                self._log.error("scheduler.pass_failed", error=str(error))
                await asyncio.sleep(pace)
            except Exception as error:  # noqa: BLE001  # or nothing would be placed any more
                self._log.error("scheduler.pass_crashed", exc_info=error)
                self._stale = True
                await asyncio.sleep(pace)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pace):
                    await self._wake.wait()

    async def _introduced(
        self,
        hear: Callable[[], Awaitable[bytes | str | None]],
        say: Callable[[bytes], Awaitable[None]],
    ) -> ServerHello | None:
        try:
            async with asyncio.timeout(_HELLO_SECONDS):
                frame = await hear()
            if frame is None:
                return None
            message = decode_server_message(frame)
            if not isinstance(message, ServerHello):
                reason = "the first message must be hello"
            elif not message.name.isprintable():
                reason = "the server's name must be printable"
            else:
                return message
        except (TimeoutError, ConnectionError):
            self._assigner.counts["link errors"] += 1
            return None
        except (msgspec.DecodeError, UnicodeError) as error:
            reason = f"the first message cannot be understood: {error}"
        self._assigner.counts["link errors"] += 1
        with contextlib.suppress(ConnectionError):
            await say(encode(ServerDismissed(reason=reason)))
        return None

    async def _await_end_of_twin(self, connection: ServerConnection) -> None:
        """Find out whether a connected server of this name is only the newcomer's dead self."""
        server = self._assigner.servers.get(connection.hello.name)
        old = None if server is None else server.connection
        if server is None or old is None or old.hello.instance == connection.hello.instance:
            return
        frames = old.received_count
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._twin_seconds):
                # It says that it is well every two seconds, or goes; both are seldom waited for.
                while server.connection is old and old.received_count == frames:  # noqa: ASYNC110
                    await asyncio.sleep(_TWIN_LOOK_SECONDS)
        if server.connection is old and old.received_count == frames:
            old.closing.set()
            self._assigner.disconnect_server(old)

    async def _hear_all(
        self, connection: ServerConnection, hear: Callable[[], Awaitable[bytes | str | None]]
    ) -> None:
        closing = asyncio.create_task(connection.closing.wait())
        try:
            while not connection.closing.is_set():
                hearing = asyncio.ensure_future(hear())
                await asyncio.wait([hearing, closing], return_when=asyncio.FIRST_COMPLETED)
                if not hearing.done():
                    hearing.cancel()
                    await asyncio.wait([hearing])
                    return
                frame = hearing.result()
                if frame is None:
                    return
                connection.last_received_at = self._clock()
                connection.received_count += 1
                message = decode_server_message(frame)
                await self._run_in_turn(self._assigner.handle_message(connection, message))
                if not isinstance(message, Heartbeat):
                    self._wake.set()
        except ConnectionError:
            pass
        except (msgspec.DecodeError, UnicodeError, SchedulerError) as error:
            self._assigner.counts["link errors"] += 1
            self._log.error(
                "game_server.message_invalid", server=connection.hello.name, error=str(error)
            )
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
            await self._assigner.cancel(row.token, "the team has begun another test match")
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
        return await self._contests.current_match(self._assigner, await self._team(name))

    async def _team(self, name: str) -> Team:
        team = await asyncio.to_thread(self._store.teams.find, name)
        if team is None or team.disabled:
            raise SchedulerError("there is no such team")
        return team


async def _send_all(connection: ServerConnection, say: Callable[[bytes], Awaitable[None]]) -> None:
    """Send what is to be sent until the connection closes, then what is left."""
    closing = asyncio.create_task(connection.closing.wait())
    try:
        while not connection.closing.is_set():
            taking = asyncio.create_task(connection.next_frame())
            await asyncio.wait([taking, closing], return_when=asyncio.FIRST_COMPLETED)
            if not taking.done():
                taking.cancel()
                await asyncio.wait([taking])
                break
            async with asyncio.timeout(_SAY_SECONDS):
                await say(taking.result())
        async with asyncio.timeout(_LAST_WORDS_SECONDS):
            for frame in connection.rest():
                await say(frame)
    except (ConnectionError, TimeoutError):
        pass
    finally:
        closing.cancel()
        connection.closing.set()


_HELLO_SECONDS: Final = 10.0
_TWIN_LOOK_SECONDS: Final = 0.02
_SAY_SECONDS: Final = 10.0
_LAST_WORDS_SECONDS: Final = 1.0
