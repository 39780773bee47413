"""Crashes, lost connections and restarts in random order: the store stays consistent.

Game servers are models of the real ones: they keep what they finish in a spool that outlives them,
and play on while they are cut off. In the end everything heals, and the contest comes to its end.
"""

from __future__ import annotations

import asyncio
import random
import uuid

import msgspec
import pytest

from sevenbag.contest.game import match_results
from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.scheduler_protocol import (
    GameDiscarded,
    GameFinished,
    GameStored,
    MatchAccepted,
    MatchAssignment,
    MatchFinished,
    MatchStored,
    StopMatch,
    TeamJoined,
)
from sevenbag.contest.settings import ContestRules, MatchRules
from tests.contest.scheduler.scripted_server import (
    PLAN,
    SchedulerHarness,
    ScriptedServer,
    game_done,
)

GAMES = 9
STEPS = 80
RULES = ContestRules(match=MatchRules(games=GAMES))


class Model:
    """A game server that lives, dies, and is cut off."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.instance = uuid.uuid4().hex
        self.line: ScriptedServer | None = None
        self.hosting: dict[str, list[ContestGameResult]] = {}
        self.spool: dict[tuple[str, int], GameFinished | MatchFinished] = {}

    @property
    def connected(self) -> bool:
        return self.line is not None and self.line.over is not None and not self.line.over.done()

    async def connect(self) -> None:
        if self.connected:
            return
        self.line = await self.world.harness.server(
            self.name, instance=self.instance, hosting=list(self.hosting)
        )
        for key in sorted(self.spool):
            if key in self.spool and self.connected:
                await self.line.tell(self.aged(self.spool[key]))
                await self.listen()

    async def cut(self) -> None:
        if self.connected:
            assert self.line is not None
            await self.listen()
            await self.line.cut()
        self.line = None

    async def kill(self) -> None:
        """Lose everything in memory; the spool remains."""
        await self.cut()
        self.hosting.clear()
        self.instance = uuid.uuid4().hex

    async def listen(self) -> None:
        """Execute the commands of the scheduler."""
        for _ in range(10):
            await asyncio.sleep(0)
        while self.line is not None and self.line.heard:
            match self.line.heard.pop(0):
                case MatchAssignment(match_token=token, finished_games=finished):
                    self.hosting.setdefault(token, list(finished))
                    await self.line.tell(MatchAccepted(match_token=token))
                case StopMatch(match_token=token):
                    self.hosting.pop(token, None)
                case GameStored(match_token=token, number=number):
                    self.spool.pop((token, number), None)
                case GameDiscarded(match_token=token, number=number):
                    self.spool.pop((token, number), None)
                case MatchStored(match_token=token):
                    self.spool.pop((token, GAMES + 1), None)
                case _:
                    pass

    async def come(self, token: str) -> None:
        """Connect both teams."""
        if self.connected and token in self.hosting:
            assert self.line is not None
            for seat in (0, 1):
                await self.line.tell(TeamJoined(match_token=token, player=1 if seat else 0))

    async def play(self, token: str) -> None:
        """Finish one more game, and the match if that decides it."""
        games = self.hosting[token]
        if max(wins(games)) * 2 <= GAMES and len(games) < GAMES:
            done = game_done(token, len(games) + 1, self.world.chance.randrange(2))
            # All games differ.
            last = self.world.chance.getrandbits(40)
            result = msgspec.structs.replace(done.result, last_sequence=last)
            before = match_results.hash_history(games)
            self.world.follows[last] = before
            await self.tell(msgspec.structs.replace(done, result=result, history=before))
            games.append(result)
        if token in self.hosting and (max(wins(games)) * 2 > GAMES or len(games) == GAMES):
            del self.hosting[token]
            first, second = wins(games)
            points = (sum(game.scores[0] for game in games), sum(game.scores[1] for game in games))
            end = match_results.MatchResult(
                winner=0 if first > second else 1,
                ending="majority of games",
                games=(first, second),
                points=points,
            )
            line = match_results.hash_history(games)
            await self.tell(MatchFinished(match_token=token, result=end, history=line))

    async def tell(self, done: GameFinished | MatchFinished) -> None:
        number = done.result.number if isinstance(done, GameFinished) else GAMES + 1
        self.spool[done.match_token, number] = done
        self.world.finished_at[done.match_token, number, self.name] = self.world.harness.clock()
        if self.connected:
            assert self.line is not None
            await self.line.tell(self.aged(done))
            await self.listen()

    def aged(self, done: GameFinished | MatchFinished) -> GameFinished | MatchFinished:
        if isinstance(done, MatchFinished):
            return done
        at = self.world.finished_at[done.match_token, done.result.number, self.name]
        return msgspec.structs.replace(done, age=self.world.harness.clock() - at)


class World:
    """Scheduler, servers and connections, with random faults."""

    def __init__(self, harness: SchedulerHarness, seed: int) -> None:
        self.harness = harness
        self.chance = random.Random(seed)
        self.follows: dict[int, str] = {}
        self.finished_at: dict[tuple[str, int, str], float] = {}
        self.servers = [Model(self, name) for name in ("one", "two", "three")]
        self.seen: dict[str, tuple[ContestGameResult, ...]] = {}

    async def step(self) -> None:
        """Something happens."""
        server = self.chance.choice(self.servers)
        what = self.chance.choices(
            ["play", "come", "cut", "connect", "kill", "time", "long time", "restart"],
            [12, 5, 2, 5, 1, 5, 2, 0.5],
        )[0]
        if what == "play" and server.hosting:
            await server.play(self.chance.choice(sorted(server.hosting)))
        elif what == "come" and server.hosting:
            await server.come(self.chance.choice(sorted(server.hosting)))
        elif what == "cut":
            await server.cut()
        elif what == "connect":
            await server.connect()
        elif what == "kill":
            await server.kill()
        elif what == "time":
            await self.harness.after(self.chance.uniform(0.1, 3))
        elif what == "long time":
            await self.harness.after(self.chance.uniform(5, 20))
        elif what == "restart":
            await self.harness.restart()
            for one in self.servers:
                one.line = None
        for one in self.servers:
            if one.connected:
                await one.listen()
        self.check()

    def check(self) -> None:
        """Assert that stored games remain and follow each other."""
        for row in self.harness.store.matches.list():
            games = self.harness.store.matches.list_game_results(row.token)
            before = self.seen.get(row.token, ())
            assert games[: len(before)] == before, "a game that was kept is another one now"
            self.seen[row.token] = games
            for number, game in enumerate(games):
                assert game.number == number + 1
                assert self.follows[game.last_sequence] == match_results.hash_history(
                    games[:number]
                )

    async def heal(self) -> None:
        """End all faults."""
        for _ in range(200):
            for server in self.servers:
                await server.connect()
            await self.harness.after(2)
            for server in self.servers:
                await server.listen()
                for token in sorted(server.hosting):
                    await server.come(token)
                    await server.play(token)
            self.check()
            if self.harness.store.contests.get(1).state == "finished":
                return
        raise AssertionError("the contest does not come to its end")


def wins(games: list[ContestGameResult]) -> tuple[int, int]:
    second = sum(game.winner for game in games)
    return len(games) - second, second


@pytest.mark.parametrize(
    "seed", [3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (11, 19, 35, 40, 41, 69))]
)
async def test_stored_results_are_never_lost_or_mixed(harness: SchedulerHarness, seed: int) -> None:
    await harness.contest("a", "b", "c", "d", plan=PLAN, rules=RULES)
    world = World(harness, seed)
    for server in world.servers:
        await server.connect()
    for _ in range(STEPS):
        await world.step()
    await world.heal()
    for row in harness.store.matches.list():
        games = world.seen[row.token]
        assert row.result is not None
        assert row.result.games == wins(list(games))
    assert harness.scheduler.metrics()["contest_invalid_results_total"] == 0
    assert not any(server.spool for server in world.servers)
