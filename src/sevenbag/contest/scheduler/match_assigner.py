"""Assign matches to game servers and follow them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog

from sevenbag.contest.scheduler.server_registry import (
    RegisteredServer,
    ServerConnection,
    choose_server,
)
from sevenbag.contest.scheduler.site_api import ChangeFeed, ChangeKind, ContestChange, MatchAddress
from sevenbag.contest.scheduler_protocol import (
    GameStarted,
    Heartbeat,
    MatchAccepted,
    MatchRejected,
    PauseMatch,
    ServerDismissed,
    ServerHello,
    ServerMessage,
    TeamJoined,
)
from sevenbag.contest.settings import SiteSettings
from sevenbag.contest.store import Store
from sevenbag.contest.store.rows import UNFINISHED, MatchRow, MatchState
from sevenbag.errors import SchedulerError


class MatchAssigner:
    """All unfinished matches and all game servers.

    Attributes:
        matches: matches by token, oldest first.
        servers: game servers by name.
        paused: contests that start no games.
        counts: counts for metrics.

    Args:
        clock: monotonic seconds.
        wall_clock: seconds since 1970.
        on_finished: callback for the contest of a finished match.
    """

    def __init__(
        self,
        store: Store,
        settings: SiteSettings,
        feed: ChangeFeed,
        *,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
        on_finished: Callable[[ActiveMatch], Awaitable[None]],
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self.matches: dict[str, ActiveMatch] = {}
        self.servers: dict[str, RegisteredServer] = {}
        self.paused: set[int] = set()
        self.counts: Counter[str] = Counter()
        self._store = store
        self._settings = settings
        self._changes = feed
        self._clock = clock
        self._wall = wall_clock
        self._over = on_finished
        self._log = logger
        self._last_pass_at = clock()

    async def reload(self) -> None:
        """Read all matches from the store; connections stay open."""
        rows = {
            row.token: row for row in await asyncio.to_thread(self._store.matches.list_unfinished)
        }
        for token in [token for token in self.matches if token not in rows]:
            self.remove(self.matches[token])
        for row in rows.values():
            match = self.matches.get(row.token)
            if match is not None and match.server == row.server:
                match.row = row
                continue
            known = self.add(row)
            known.server = row.server
            known.has_players = row.state == "playing"
            if row.server:
                # The grace period starts now.
                self._find_or_add(row.server)

    def add(self, row: MatchRow) -> ActiveMatch:
        """Add a waiting match of the store."""
        match = ActiveMatch(row=row, since=self._clock())
        self.matches[row.token] = match
        return match

    async def run_pass(self) -> None:
        """Drop silent servers and assign waiting matches."""
        now = self._clock()
        slept = now - self._last_pass_at
        self._last_pass_at = now
        for server in tuple(self.servers.values()):
            if server.connection and slept > self._settings.server_timeout_seconds / 2:
                # This process was suspended, so the silence is its own.
                server.connection.last_received_at += slept
            if (
                server.connection
                and now - server.connection.last_received_at > self._settings.server_timeout_seconds
            ):
                self._log.warning("game_server.timed_out", server=server.name)
                server.connection.close()
                self.disconnect_server(server.connection)
            if server.connection is None and now - server.changed >= self._settings.grace_seconds:
                await self._release_matches(server)
        for match in tuple(self.matches.values()):
            await self._check(match, now)
        await self._assign_waiting(now)

    async def connect_server(self, connection: ServerConnection) -> None:
        """Handle a new connection of a game server."""
        hello = connection.hello
        server = self._find_or_add(hello.name)
        old = server.connection
        if old is not None and old.hello.instance != hello.instance:
            # The connected server keeps its matches; the new one is misconfigured.
            self._log.error("game_server.name_conflict", server=server.name)
            reason = (
                f"a game server named {hello.name!r} is connected already; "
                "each needs a server.name of its own"
            )
            connection.send(ServerDismissed(reason=reason))
            connection.close()
            return
        if old is not None:
            old.close()
        restarted = server.hello is not None and server.hello.instance != hello.instance
        lost = "its server was restarted" if restarted else "its server does not have it"
        server.connect(connection, self._clock(), self._wall())
        self._log.info("game_server.connected", server=server.name, hosting=len(hello.hosting))
        self._changes.publish(ContestChange("server", server=server.name))
        for match in self._list_assigned(server.name):
            if match.row.token in hello.ended:
                # The server will send its games and its end.
                match.is_accepted, match.since = False, self._clock()
            elif match.row.token not in connection.hosting:
                # Results that it still has to send come first.
                await self.requeue(match, lost, delayed=True)
        for token in hello.hosting:
            await self._reconnect_match(connection, token)
        for match in tuple(self.matches.values()):
            if match.home == server.name != match.server and match.server and not match.has_players:
                # Its teams have not moved to the other server.
                match.avoided.pop(server.name, None)
                self.stop_at(
                    match.server, match.row.token, "its server is back", continues_elsewhere=True
                )
                await self.requeue(match, "its server is back", delayed=True)

    def disconnect_server(self, connection: ServerConnection) -> None:
        """Handle the end of a connection; matches wait for the server for a while."""
        server = self.get_server(connection)
        if server is None:
            return
        server.disconnect(self._clock(), self._wall())
        if server.draining:
            self._log.info("game_server.stopped", server=server.name)
        else:
            self._log.warning("game_server.disconnected", server=server.name)
        self._changes.publish(ContestChange("server", server=server.name))

    def get_server(self, connection: ServerConnection) -> RegisteredServer | None:
        """Return the game server of a connection; None if another connection replaced it."""
        server = self.servers.get(connection.name)
        return server if server is not None and server.connection is connection else None

    async def handle_message(
        self, server: RegisteredServer, connection: ServerConnection, message: ServerMessage
    ) -> None:
        """Handle a message of a game server that is no result."""
        if isinstance(message, Heartbeat):
            server.commands = message.commands
            server.draining = message.draining
            return
        if isinstance(message, ServerHello):
            self._log.error("game_server.hello_repeated", server=server.name)
            connection.close()
            return
        match = self.matches.get(message.match_token)
        if match is not None and match.server == server.name:
            await self._handle_match_message(match, server, connection, message)
        elif isinstance(message, MatchRejected):
            connection.hosting.discard(message.match_token)
        else:
            connection.stop_match(
                message.match_token,
                "the match is not this server's",
                continues_elsewhere=match is not None,
            )

    async def cancel(self, token: str, reason: str) -> None:
        """End a match without a winner.

        Raises:
            SchedulerError: the match does not exist or is over.
        """
        match = self.matches.get(token)
        if match is None or await self._change(match, "called off") is None:
            raise SchedulerError("there is no such match, or it is over already")
        self.stop_at(match.server, token, reason)
        self.remove(match)
        self.publish_change("match called off", match)
        self._log.info("match.cancelled", match=match.row.id, reason=reason)
        await self._over(match)

    def set_paused(self, contest_id: int, *, paused: bool) -> None:
        """Pause the games and assignments of a contest, or resume them."""
        (self.paused.add if paused else self.paused.discard)(contest_id)
        for match in self.matches.values():
            if match.row.contest_id == contest_id and match.server:
                self._send_pause(match)

    def count_matches(self) -> Counter[str]:
        """Return the number of matches by server name."""
        return Counter(match.server for match in self.matches.values() if match.server)

    def find_address(self, match: ActiveMatch) -> MatchAddress | None:
        """Return the address of a match; None if it does not accept connections."""
        server = self.servers.get(match.server)
        return None if server is None or not match.is_accepted else server.address

    def _find_or_add(self, name: str) -> RegisteredServer:
        if name not in self.servers:
            self.servers[name] = RegisteredServer(name, self._clock(), self._wall())
        return self.servers[name]

    def _list_assigned(self, name: str) -> list[ActiveMatch]:
        return [match for match in self.matches.values() if match.server == name]

    async def _release_matches(self, server: RegisteredServer) -> None:
        for match in self._list_assigned(server.name):
            await self.requeue(match, "its server is gone")
            self.counts["failovers"] += 1
        if self._clock() - server.changed > _FORGET_SECONDS:
            del self.servers[server.name]

    async def _check(self, match: ActiveMatch, now: float) -> None:
        waits = now - match.since
        if match.server and not match.is_accepted and waits > _ANSWER_SECONDS:
            if self._find_connection(match.server) is not None:
                await self.revoke(match, match.server, "the server did not say that it has it")
        elif not match.server and match.row.kind == "test" and waits > _TEST_SECONDS:
            await self.cancel(match.row.token, "no game server has taken it")
        elif (
            not match.server
            and match.row.placed is not None
            and match.row.contest_id not in self.paused
            and not match.overdue
            and waits > _OVERDUE_SECONDS
        ):
            match.overdue = True
            self._log.warning(
                "match.overdue", match=match.row.id, reason="no game server has taken it"
            )

    async def _reconnect_match(self, connection: ServerConnection, token: str) -> None:
        match = self.matches.get(token)
        if match is None:
            connection.stop_match(token, "the match is over or unknown")
        elif match.server == connection.name or not match.server or not match.has_players:
            # No team has connected elsewhere.
            await self.assign(match, connection.name)
        else:
            reason = f"the match has moved to {match.server}"
            connection.stop_match(token, reason, continues_elsewhere=True)

    async def assign(self, match: ActiveMatch, name: str) -> None:
        """Assign a match to the server that hosts it already."""
        old = match.server
        # A server may host the match before its first game begins.
        state: MatchState = "placed" if match.row.began is None else "playing"
        if await self._change(match, state, name) is None:
            self.stop_at(name, match.row.token, "the match is over")
            return
        if old != name:
            reason = f"the match has moved to {name}"
            self.stop_at(old, match.row.token, reason, continues_elsewhere=True)
        match.server, match.is_accepted, match.has_players = name, True, True
        match.home = name
        match.since = self._clock()
        match.ready.set()
        self._send_pause(match)
        self.publish_change("match placed", match)

    async def _assign_waiting(self, now: float) -> None:
        load = self.count_matches()
        assigned = [
            match for match in self.matches.values() if match.server and match.row.kind == "contest"
        ]
        busy = {team for match in assigned for team in match.teams}
        room = (self._settings.max_matches or len(self.matches)) - len(assigned)
        # Interrupted matches come first, because their teams wait for them.
        for match in sorted(self.matches.values(), key=lambda match: match.row.placed is None):
            contest = match.row.kind == "contest"
            if match.server or (contest and not busy.isdisjoint(match.teams)):
                continue
            if contest and match.row.contest_id in self.paused:
                continue
            avoided = [name for name, until in match.avoided.items() if until > now]
            server = (
                choose_server(self.servers.values(), load, avoided, match.home)
                if match.not_before <= now and (room > 0 or not contest)
                else None
            )
            if server is not None and await self._assign(match, server):
                load[server.name] += 1
                room -= contest
            elif match.row.placed is None:
                continue
            if contest:
                busy.update(match.teams)

    async def _assign(self, match: ActiveMatch, server: RegisteredServer) -> bool:
        token, connection = match.row.token, server.connection
        if connection is None or await self._change(match, "placed", server.name) is None:
            return False
        match.server, match.is_accepted, match.has_players = server.name, False, False
        match.since = self._clock()
        place = await asyncio.to_thread(self._store.matches.load_assignment, token)
        connection.hosting.add(token)
        connection.send(place)
        self._log.info(
            "match.assigned",
            match=match.row.id,
            server=server.name,
            games=len(place.finished_games),
        )
        return True

    async def requeue(self, match: ActiveMatch, reason: str, *, delayed: bool = False) -> None:
        """Remove a match from its server; if delayed, wait for pending results first."""
        server = self.servers.get(match.server)
        # A delayed match is usually assigned again within seconds; `_check` reports others.
        expected = delayed or (server is not None and server.draining)
        tell = self._log.info if expected else self._log.warning
        tell("match.waiting", match=match.row.id, server=match.server, reason=reason)
        if await self._change(match, "waiting") is None:
            return
        if match.has_players:
            match.home = match.server
        match.server, match.is_accepted, match.has_players = "", False, False
        match.since = match.not_before = self._clock()
        match.overdue = False
        if delayed:
            self.delay_assignment(match)
        self.publish_change("match waiting", match)

    def delay_assignment(self, match: ActiveMatch) -> None:
        """Delay the assignment of a match until pending results have arrived."""
        match.not_before = self._clock() + _RESULT_SECONDS

    async def revoke(
        self, match: ActiveMatch, name: str, reason: str, *, seconds: float = 5.0
    ) -> None:
        """Remove a match from a server and avoid the server for a while."""
        self.stop_at(name, match.row.token, reason, continues_elsewhere=True)
        match.avoided[name] = self._clock() + seconds
        if match.server == name:
            await self.requeue(match, reason)

    def stop_at(
        self, name: str, token: str, reason: str, *, continues_elsewhere: bool = False
    ) -> None:
        """Stop a match on a server, if that is connected."""
        if connection := self._find_connection(name):
            connection.stop_match(token, reason, continues_elsewhere=continues_elsewhere)

    def _find_connection(self, name: str) -> ServerConnection | None:
        server = self.servers.get(name)
        return None if server is None else server.connection

    def _send_pause(self, match: ActiveMatch) -> None:
        connection = self._find_connection(match.server)
        if connection is not None and match.row.contest_id is not None:
            paused = match.row.contest_id in self.paused
            connection.send(PauseMatch(match_token=match.row.token, paused=paused))

    async def _handle_match_message(
        self,
        match: ActiveMatch,
        server: RegisteredServer,
        connection: ServerConnection,
        message: ServerMessage,
    ) -> None:
        match message:
            case MatchAccepted():
                match.is_accepted = True
                match.ready.set()
                if match.row.contest_id in self.paused:
                    self._send_pause(match)
                self.publish_change("match placed", match)
            case MatchRejected(reason=reason):
                connection.hosting.discard(match.row.token)
                match.avoided[server.name] = self._clock() + _REJECTED_SECONDS
                self.counts["rejections"] += 1
                await self.requeue(match, reason)
            case TeamJoined():
                match.has_players = True
                self.publish_change("joined", match)
            case GameStarted(number=number):
                match.has_players = True
                if match.row.state != "playing":
                    await self._change(match, "playing")
                self.publish_change("game began", match, number)
            case _:
                pass

    async def _change(
        self, match: ActiveMatch, state: MatchState, server: str | None = None
    ) -> MatchRow | None:
        """Change the state of a match in the store; return None if it is over."""
        for _ in range(_CHANGE_TRIES):
            row = await asyncio.to_thread(
                self._store.matches.set_state, match.row, state, server=server
            )
            if row is not None:
                match.row = row
                return row
            fresh = await asyncio.to_thread(self._store.matches.find, match.row.token)
            if fresh is None or fresh.state not in UNFINISHED:
                self.remove(match)
                return None
            match.row = fresh
        raise SchedulerError(f"match {match.row.id} is changed concurrently")

    def remove(self, match: ActiveMatch) -> None:
        """Remove a finished match."""
        self.matches.pop(match.row.token, None)
        match.ready.set()

    def publish_change(
        self, kind: ChangeKind, match: ActiveMatch, number: int | None = None
    ) -> None:
        """Publish a change of a match."""
        self._changes.publish(
            ContestChange(
                kind, match.row.id, match.row.token, match.row.contest_id, number, match.server
            )
        )


@dataclass(slots=True, eq=False)
class ActiveMatch:
    """Unfinished match.

    Attributes:
        server: name of the assigned server; empty while it waits.
        is_accepted: True once that server has accepted it.
        has_players: True once a team has connected to it there.
        home: name of the server that its teams joined last; clients of 2012 know no other one.
        since: time of the assignment or of the start of waiting, by the scheduler's clock.
        not_before: earliest time of the next assignment.
        overdue: True once the log has a warning about its waiting.
        avoided: times until which servers are avoided, by name.
        ready: set once clients can connect to it, or never will.
    """

    row: MatchRow
    server: str = ""
    is_accepted: bool = False
    has_players: bool = False
    home: str = ""
    since: float = 0.0
    not_before: float = 0.0
    overdue: bool = False
    avoided: dict[str, float] = field(default_factory=dict)
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def teams(self) -> list[int]:
        """Numbers of its registered teams."""
        return [seat.team_id for seat in self.row.players if seat.team_id is not None]


_ANSWER_SECONDS: Final = 10.0
"""Seconds in which a server has to accept a match."""

_RESULT_SECONDS: Final = 1.0
"""Seconds in which a returning server sends its results."""

_OVERDUE_SECONDS: Final = 5.0
"""Seconds after which an interrupted match that waits is logged as overdue."""

_REJECTED_SECONDS: Final = 5.0

_TEST_SECONDS: Final = 120.0
"""Seconds after which a test match without a server is cancelled."""

_FORGET_SECONDS: Final = 3_600.0

_CHANGE_TRIES: Final = 5
