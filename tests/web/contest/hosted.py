"""Game server that is linked to a site and publishes the states of a test."""

import asyncio
import contextlib
import itertools
from typing import Final, Self
from urllib.parse import urlsplit

import msgspec

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.game.pason_game import PLAYERS
from sevenbag.contest.scheduler_protocol import (
    GameFinished,
    GameStarted,
    Heartbeat,
    MatchAccepted,
    MatchAssignment,
    MatchFinished,
    ServerHello,
    TeamJoined,
    decode_scheduler_message,
    encode,
)
from sevenbag.contest.settings import ContestSettings
from sevenbag.errors import SevenbagError
from tests.web.contest.conftest import Running
from tests.web.contest.publisher import Publisher
from tests.web.contest.recorded_game import play

TEST_GAMES: Final = ContestSettings().test_match.games

_NUMBERS: Final = itertools.count()


class GameServer:
    """Game server without games.

    Attributes:
        states: its state channel, with messages of the match that it accepted last.
        match: public number of its test match.
    """

    def __init__(self, site: Running) -> None:
        self._site = site
        self._name = f"server {next(_NUMBERS)}"
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._places: asyncio.Queue[MatchAssignment] = asyncio.Queue()
        self._ended: list[ContestGameResult] = []
        self.match = 0
        self.states = Publisher()
        site.run(self._connect())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(SevenbagError):
            self._site.run(self._site.scheduler.cancel_match(self.states.token, "the test is over"))
        self.die()

    def host(self, team: str) -> None:
        """Create a test match of a team and wait until viewers are subscribed to it."""
        if self._site.store.teams.find(team) is None:
            self._site.add_team(team)
        made = self._site.run(self._site.scheduler.create_test_match(team, wait_seconds=120))
        self.match = made.match_id
        self.take_over()

    def take_over(self) -> None:
        """Wait for the assignment of a match, new or from another server."""
        place = self._site.run(asyncio.wait_for(self._places.get(), 120))
        self.states.token = place.match_token
        self.states.teams = (place.players[0].team, place.players[1].team)
        self.states.wait_until_heard()

    def begin_game(self) -> None:
        """Report the team as connected and start the next game."""
        token, number = self.states.token, len(self._ended) + 1
        self._tell(TeamJoined(match_token=token, player=0))
        self._tell(GameStarted(match_token=token, number=number, game_name=f"Game {number}"))

    def end_game(self, result: ContestGameResult, replay: bytes) -> None:
        """Have the site store a game, then publish its end."""
        token = self.states.token
        self._ended.append(result)
        self._tell(GameFinished(match_token=token, result=result, replay=replay))
        while len(self._site.store.matches.list_game_results(token)) < result.number:
            self._site.run(asyncio.sleep(0.01))
        self.states.end_game(result.scores, result.winner)

    def end_match(self) -> MatchResult:
        """Play the remaining games, have the site store the result, then publish the end."""
        while True:
            wins = [game.winner for game in self._ended]
            leader = max(PLAYERS, key=wins.count)
            if wins.count(leader) > TEST_GAMES // 2:
                break
            number = len(self._ended) + 1
            game = play(number, self.states.teams, seed=number)
            self.end_game(game.result, game.replay)
        points = [sum(game.scores[seat] for game in self._ended) for seat in PLAYERS]
        result = MatchResult(
            winner=leader,
            ending="majority of games",
            games=(wins.count(0), wins.count(1)),
            points=(points[0], points[1]),
        )
        self._tell(MatchFinished(match_token=self.states.token, result=result))
        self.states.end_match()
        return result

    def die(self) -> None:
        """Disconnect at once; may be repeated."""
        self._site.run(self._disconnect())
        self.states.close()

    async def _connect(self) -> None:
        port = urlsplit(self.states.endpoint).port
        assert port is not None
        hello = ServerHello(
            name=self._name,
            version="1",
            command_address="127.0.0.1",
            state_address="127.0.0.1",
            internal_address="127.0.0.1",
            command_port=1,
            state_port=port,
            capacity=9,
        )
        self._frames.put_nowait(encode(hello))
        self._linked = asyncio.create_task(
            self._site.scheduler.serve_game_server(self._frames.get, self._hear)
        )
        self._beating = asyncio.create_task(self._beat())

    async def _disconnect(self) -> None:
        self._beating.cancel()
        self._frames.put_nowait(None)
        await self._linked

    async def _beat(self) -> None:
        while True:
            self._frames.put_nowait(encode(Heartbeat(matches=1, commands=1)))
            await asyncio.sleep(1)

    async def _hear(self, frame: bytes) -> None:
        told = decode_scheduler_message(frame)
        if isinstance(told, MatchAssignment):
            self._frames.put_nowait(encode(MatchAccepted(match_token=told.match_token)))
            self._places.put_nowait(told)

    def _tell(self, message: msgspec.Struct) -> None:
        async def put() -> None:
            self._frames.put_nowait(encode(message))

        self._site.run(put())
