"""Game servers that lose their connection to the scheduler during matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.credentials import load_or_create_secret
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.scheduler_protocol import MAX_FRAME_BYTES
from sevenbag.contest.server import GameServer
from sevenbag.contest.server.scheduler_client import SchedulerClient
from sevenbag.contest.settings import (
    ContestRules,
    ContestSettings,
    GameRules,
    LogSettings,
    MatchRules,
    ServerSettings,
    SiteSettings,
    TestClientSettings,
)
from sevenbag.contest.store import Store
from tests.contest.scheduler.teams import PASSWORD, TEAMS, has_come

pytestmark = pytest.mark.faults

GAMES = 31
RULES = ContestRules(
    game=GameRules(gravity_ms=(50,)),
    match=MatchRules(games=GAMES, game_seconds=0.1, first_pause_seconds=0.02, pause_seconds=0.02),
)


class Bridge:
    """The way of one game server to the scheduler, which can be cut."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._connections: set[ServerConnection] = set()
        self._open = True
        self.port = 0

    async def __aenter__(self) -> Bridge:
        self._server = await serve(self._take, "127.0.0.1", 0, max_size=MAX_FRAME_BYTES)
        self.port = next(iter(self._server.sockets)).getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    def cut(self) -> None:
        self._open = False
        for connection in self._connections:
            connection.transport.abort()

    def mend(self) -> None:
        self._open = True

    async def _take(self, connection: ServerConnection) -> None:
        if not self._open:
            connection.transport.abort()
            return
        self._connections.add(connection)

        async def hear() -> bytes | str | None:
            try:
                return await connection.recv()
            except ConnectionClosed:
                return None

        async def say(frame: bytes) -> None:
            try:
                await connection.send(frame, text=True)
            except ConnectionClosed as error:
                raise ConnectionError from error

        await self._scheduler.serve_game_server(hear, say)
        self._connections.discard(connection)


class BridgedContest:
    """Start a scheduler with a store and two game servers behind bridges."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.settings = ContestSettings(site=SiteSettings(grace_seconds=0.5), log=LogSettings())
        self.scheduler = Scheduler(store, self.settings, pass_interval=0.02)
        self.bridges: dict[str, Bridge] = {}
        self.servers: dict[str, GameServer] = {}

    async def add(self, name: str) -> None:
        """One more game server."""
        bridge = self.bridges[name] = Bridge(self.scheduler)
        await bridge.__aenter__()
        settings = ServerSettings(
            name=name,
            command_port=0,
            state_port=0,
            scheduler=f"http://127.0.0.1:{bridge.port}",
            secret_file=str(self.folder / "secret"),
            spool=str(self.folder / "spool"),
        )
        self.servers[name] = GameServer(
            settings,
            test_client=TestClientSettings(),
            log=LogSettings(),
            result_sink=SchedulerClient(settings, heartbeat_interval=0.1),
        )
        await self.servers[name].start()

    async def end(self) -> None:
        for bridge in self.bridges.values():
            bridge.mend()
        for server in self.servers.values():
            await server.stop("abort")
        await self.scheduler.stop()
        for bridge in self.bridges.values():
            await bridge.__aexit__()

    async def begin(self) -> str:
        """The contest's one match, placed on a server."""
        teams = [self.store.teams.add(name, hash_password(PASSWORD)).id for name in TEAMS]
        row = self.store.contests.add("Cup", RULES, ContestPlan(ranking=False), teams)
        await self.scheduler.start_contest(row.id)
        await until(lambda: bool(self.scheduler.active_tokens()))
        (token,) = self.scheduler.active_tokens()
        return token

    async def teams_come(self, name: str, token: str) -> None:
        """Both connect to a server."""
        for team in TEAMS:
            endpoint = self.servers[name].command_endpoint
            assert await asyncio.to_thread(has_come, endpoint, token, team)

    def place_of(self, token: str) -> str:
        """Return the server that the scheduler has assigned; empty for none."""
        address = self.scheduler.find_address(token)
        return "" if address is None else address.server

    def games(self, token: str) -> int:
        """Return the number of stored games."""
        return len(self.store.matches.list_game_results(token))

    def spooled(self, name: str) -> int:
        """Games that a server has finished and the scheduler has not kept."""
        return len(list((self.folder / "spool" / name).glob("*.game")))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110  # what it waits for has no event
            await asyncio.sleep(0.02)


@pytest.fixture
async def bridged(tmp_path: Path) -> AsyncIterator[BridgedContest]:
    load_or_create_secret(tmp_path / "secret")
    with Store(f"sqlite:///{tmp_path}/contest.db") as store:
        bridged = BridgedContest(store, tmp_path)
        await bridged.scheduler.start()
        try:
            await bridged.add("one")
            yield bridged
        finally:
            await bridged.end()


async def finished(bridged: BridgedContest, token: str) -> None:
    """Assert that the match ends with all its games."""
    await until(lambda: bridged.store.matches.get(token).state == "done")
    games = bridged.store.matches.list_game_results(token)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    row = bridged.store.matches.get(token)
    assert row.result is not None
    assert row.result.ending == "majority of games"
    assert max(row.result.games) == GAMES // 2 + 1
    assert sum(row.result.games) == len(games)


async def test_teams_that_continue_during_a_disconnect_lose_nothing(
    bridged: BridgedContest,
) -> None:
    """The match is assigned elsewhere without clients, and returns."""
    token = await bridged.begin()
    await bridged.teams_come("one", token)
    await until(lambda: bridged.games(token) >= 1)
    await bridged.add("two")
    bridged.bridges["one"].cut()
    await until(lambda: bridged.place_of(token) == "two")
    await until(lambda: bridged.spooled("one") >= 2)
    table = bridged.servers["one"].matches[token]
    bridged.bridges["one"].mend()
    # Or it was over before the connection was restored: then its end is sent at once.
    await until(lambda: bridged.place_of(token) in {"one", ""})
    await finished(bridged, token)
    kept = bridged.store.matches.list_game_results(token)
    assert tuple(sum(game.winner == seat for game in kept) for seat in (0, 1)) == table.match.games
    await until(lambda: bridged.spooled("one") == 0)
    assert not (bridged.folder / "spool" / "one" / "refused").exists()


async def test_moved_teams_are_not_affected_by_their_old_server(bridged: BridgedContest) -> None:
    """Games that a disconnected server finishes do not count."""
    token = await bridged.begin()
    await bridged.teams_come("one", token)
    await until(lambda: bridged.games(token) >= 1)
    await bridged.add("two")
    bridged.bridges["one"].cut()
    await until(lambda: bridged.place_of(token) == "two")
    await bridged.teams_come("two", token)
    before = bridged.games(token)
    await until(lambda: bridged.spooled("one") >= 2 and bridged.games(token) > before)
    bridged.bridges["one"].mend()
    await until(lambda: bridged.servers["one"].matches[token].ended)
    assert bridged.place_of(token) in {"two", ""}
    await finished(bridged, token)
    await until(lambda: bridged.spooled("one") == 0)
    refused = list((bridged.folder / "spool" / "one" / "refused").iterdir())
    assert refused, "what does not count is kept for somebody to look at"
    end = bridged.servers["two"].matches[token].match.games
    assert sum(end) == bridged.games(token)
