"""Scripted game server, and a scheduler with a simulated clock."""

from __future__ import annotations

import asyncio
import io
import json
import uuid
from collections.abc import Collection
from typing import Any, TypeVar

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game import match_results
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.scheduler_protocol import (
    GameFinished,
    GameStored,
    Heartbeat,
    MatchAccepted,
    MatchAssignment,
    MatchFinished,
    SchedulerMessage,
    ServerHello,
    ServerMessage,
    decode_scheduler_message,
    encode,
)
from sevenbag.contest.settings import (
    ContestRules,
    ContestSettings,
    LogSettings,
    MatchRules,
    SiteSettings,
)
from sevenbag.contest.store import Store
from sevenbag.contest.telemetry import create_logger

M = TypeVar("M", bound=SchedulerMessage)

PATIENCE = 120.0
"""Seconds after which a test that waits for a message has failed."""
HASH = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$" + "A" * 22
TWIN_SECONDS = 0.2
PLAN = ContestPlan(ranking=False)
RULES = ContestRules(match=MatchRules(games=3))


class Clock:
    """Clock that advances on request."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class ScriptedServer:
    """One connection of a game server to a scheduler, in memory."""

    def __init__(
        self,
        scheduler: Scheduler,
        name: str = "one",
        *,
        capacity: int = 10,
        instance: str = "",
        hosting: Collection[str] = (),
        ended: Collection[str] = (),
    ) -> None:
        self.name = name
        self.mute = False
        self.heard: list[SchedulerMessage] = []
        self._news = asyncio.Event()
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._hello = ServerHello(
            name=name,
            version="1",
            command_address=f"{name}.example",
            state_address=f"{name}.example",
            internal_address="127.0.0.1",
            command_port=5557,
            state_port=5556,
            capacity=capacity,
            instance=instance or uuid.uuid4().hex,
            hosting=tuple(hosting),
            ended=tuple(ended),
        )
        self._scheduler = scheduler
        self._taken = False
        self.over: asyncio.Task[None] | None = None

    async def come(self) -> ScriptedServer:
        """Connect; the scheduler has taken note when this returns."""
        self.over = asyncio.create_task(self._scheduler.serve_game_server(self._hear, self._say))
        await self.tell(self._hello)
        return self

    async def tell(self, message: ServerMessage) -> None:
        """Send a message, and return after the scheduler has processed it."""
        await self.tell_frame(encode(message))

    async def tell_frame(self, frame: bytes) -> None:
        """Say something that need not be a message."""
        assert self.over is not None
        self._frames.put_nowait(frame)
        done = asyncio.create_task(self._frames.join())
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([done, self.over], return_when=asyncio.FIRST_COMPLETED)
        done.cancel()

    async def told(self, kind: type[M]) -> M:
        """Return the next received message of a kind, once."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self.heard:
                    if isinstance(message, kind):
                        self.heard.remove(message)
                        return message
                self._news.clear()
                await self._news.wait()

    async def placed(self) -> MatchAssignment:
        """Take the next match that is placed here."""
        place = await self.told(MatchAssignment)
        await self.tell(MatchAccepted(match_token=place.match_token))
        return place

    async def finish_game(self, token: str, number: int, winner: int = 0) -> None:
        """Report a finished game."""
        await self.tell(game_done(token, number, winner))

    async def store_game(self, token: str, number: int, winner: int = 0) -> None:
        """Report a finished game and check that it is stored."""
        await self.finish_game(token, number, winner)
        assert (await self.told(GameStored)).number == number

    def has_heard(self, kind: type[SchedulerMessage]) -> bool:
        """Return True if a message of this kind was received and not yet read by `told`."""
        return any(isinstance(message, kind) for message in self.heard)

    async def cut(self) -> None:
        """Disconnect."""
        assert self.over is not None
        self._frames.put_nowait(None)
        async with asyncio.timeout(PATIENCE):
            await self.over

    async def _hear(self) -> bytes | None:
        if self._taken:
            self._frames.task_done()
            self._taken = False
        frame = await self._frames.get()
        self._taken = True
        return frame

    async def _say(self, frame: bytes) -> None:
        self.heard.append(decode_scheduler_message(frame))
        self._news.set()


def game_done(
    token: str, number: int, winner: int = 0, *, points: int = 100, age: float = 0.0
) -> GameFinished:
    """Return a game won with a number of points to none."""
    scores = (points, 0) if winner == 0 else (0, points)
    assert winner in {0, 1}
    result = match_results.ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=1 if winner else 0,
        ending="top out",
        scores=scores,
        last_sequence=100 * number,
        last_piece_number=10 * number,
    )
    return GameFinished(match_token=token, result=result, replay=b"replay", age=age)


def match_done(token: str, games: tuple[int, int], points: int = 100) -> MatchFinished:
    """Return a match that ended by majority; each game was won with a number of points to none."""
    result = match_results.MatchResult(
        winner=0 if games[0] > games[1] else 1,
        ending="majority of games",
        games=games,
        points=(points * games[0], points * games[1]),
    )
    return MatchFinished(match_token=token, result=result)


def settings(**site: object) -> ContestSettings:
    """Settings with a grace of ten seconds and matches of three games."""
    return ContestSettings(
        site=SiteSettings(**site),  # type: ignore[arg-type]
        match=RULES.match,
        test_match=RULES.match,
    )


class SchedulerHarness:
    """A store and schedulers on it, one after another."""

    def __init__(self, url: str) -> None:
        self.clock = Clock()
        self.log = io.StringIO()
        self.store = Store(url).open()
        self.settings = settings()
        self.scheduler = self._scheduler()
        self.servers: list[ScriptedServer] = []
        self._killed: list[Scheduler] = []
        self._dead: list[ScriptedServer] = []

    async def end(self) -> None:
        """End all tasks, including those of killed servers."""
        for scheduler in (*self._killed, self.scheduler):
            await scheduler.stop()
        async with asyncio.timeout(PATIENCE):
            for server in (*self._dead, *self.servers):
                if server.over is not None:
                    await server.over
        self.store.close()

    async def restart(self) -> None:
        """Kill the scheduler and start another one with the same store."""
        self._dead += self.servers
        self._killed.append(self.scheduler)
        self.servers = []
        self.scheduler = self._scheduler()
        await self.scheduler.start()

    def _scheduler(self) -> Scheduler:
        return Scheduler(
            self.store,
            self.settings,
            clock=self.clock,
            pass_interval=None,
            duplicate_timeout=TWIN_SECONDS,
            logger=create_logger(LogSettings(format="json"), self.log),
        )

    def warnings(self) -> list[str]:
        """Return the events that were logged as warnings or errors."""
        return [line["event"] for line in self.lines() if line["level"] != "info"]

    def lines(self, event: str = "") -> list[dict[str, Any]]:
        """Return the lines of the log, of one event or of all, without their times."""
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        for line in lines:
            del line["timestamp"]
        return [line for line in lines if event in {"", line["event"]}]

    async def server(self, name: str = "one", **more: object) -> ScriptedServer:
        """A game server that has connected."""
        server = ScriptedServer(self.scheduler, name, **more)  # type: ignore[arg-type]
        self.servers.append(server)
        return await server.come()

    async def after(self, seconds: float) -> None:
        """Advance the clock; connected servers send heartbeats."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + 2)
            for server in self.servers:
                if not server.mute and server.over is not None and not server.over.done():
                    await server.tell(Heartbeat(matches=0, commands=0))
            await self.scheduler.run_pass()

    def teams(self, *names: str) -> list[str]:
        """Register teams."""
        for name in names:
            self.store.teams.add(name, HASH)
        return list(names)

    async def contest(self, *names: str, **more: object) -> int:
        """A contest of these teams that has begun."""
        row = await self.scheduler.create_contest("Cup", self.teams(*names), **more)  # type: ignore[arg-type]
        await self.scheduler.start_contest(row.id)
        await self.scheduler.run_pass()
        return row.id

    async def match(self) -> None:
        """A contest of one match."""
        await self.contest("red", "blue", plan=PLAN)

    async def placed_match(self, **more: object) -> tuple[ScriptedServer, str]:
        """Return the server "one" and the token of its match, which nobody has joined."""
        one = await self.server("one", **more)
        await self.match()
        return one, (await one.placed()).match_token

    async def test_match(self, server: ScriptedServer, team: str = "red") -> MatchAssignment:
        """Create a test match of a team, which the server accepts."""
        creating = asyncio.create_task(self.scheduler.create_test_match(team))
        place = await server.placed()
        assert (await creating).token == place.match_token
        return place

    def results(self, token: str) -> list[tuple[int, int]]:
        """The games of a match in the store: number and winner."""
        return [(game.number, game.winner) for game in self.store.matches.list_game_results(token)]
