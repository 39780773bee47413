"""A game server within the test, and clients at its real sockets."""

import asyncio
import contextlib
import json
import sys
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
import zmq
import zmq.asyncio

from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import AssignedPlayer, MatchAssignment
from sevenbag.contest.server import GameServer
from sevenbag.contest.server.hosted_match import ResultSink
from sevenbag.contest.settings import (
    ContestRules,
    GameRules,
    LogSettings,
    MatchRules,
    ServerSettings,
    TestClientSettings,
)
from sevenbag.contest.telemetry import create_logger

PASSWORD: Final = "correct horse"
# To hash takes its time, and all teams may have the same.
PASSWORD_HASH: Final = hash_password(PASSWORD)
STILL: Final = GameRules(gravity_ms=(3_600_000,))
"""Pieces stay where they are, so that nothing hangs on how fast the machine is."""
MATCH: Final = MatchRules(
    games=1,
    game_seconds=3_600,
    match_seconds=7_200,
    first_pause_seconds=0.05,
    pause_seconds=0.05,
    repeat_seconds=0.05,
    linger_seconds=60,
)
Json = dict[str, Any]


def placement(
    *names: str,
    match: MatchRules = MATCH,
    game: GameRules = STILL,
    bots: dict[str, str] | None = None,
    finished: tuple[ContestGameResult, ...] = (),
    token: str = "",
) -> MatchAssignment:
    """A match of these teams, or of A and B."""
    bots = bots or {}
    first, second = (
        AssignedPlayer(team=name, bot=bots[name])
        if name in bots
        else AssignedPlayer(team=name, password_hash=PASSWORD_HASH)
        for name in (names or ("A", "B"))
    )
    return MatchAssignment(
        match_token=token or str(uuid.uuid4()),
        match_name="A match",
        players=(first, second),
        rules=ContestRules(game=game, match=match),
        finished_games=finished,
    )


class Client:
    """A request socket."""

    def __init__(self, context: zmq.asyncio.Context, endpoint: str) -> None:
        self.socket = context.socket(zmq.REQ)
        self.socket.connect(endpoint)
        self.token = ""

    async def ask(self, **command: object) -> Json:
        return await self.ask_raw(json.dumps(command).encode())

    async def ask_raw(self, command: bytes) -> Json:
        await self.socket.send(command)
        return self.read(await asyncio.wait_for(self.socket.recv_multipart(), 120))

    @staticmethod
    def read(frames: list[bytes]) -> Json:
        assert len(frames) == 1
        answer = json.loads(frames[0])
        assert isinstance(answer, dict)
        return answer

    async def connect(
        self, place: MatchAssignment, team: str = "A", password: str = PASSWORD
    ) -> Json:
        answer = await self.ask(
            comm_type="MatchConnect",
            match_token=place.match_token,
            team_name=team,
            password=password,
        )
        self.token = answer.get("client_token", self.token)
        return answer

    async def move(self, move: str, **more: object) -> Json:
        return await self.ask(comm_type="GameMove", client_token=self.token, move=move, **more)


class Listener:
    """A subscriber of one match, or of everything."""

    def __init__(self, context: zmq.asyncio.Context, endpoint: str, token: str) -> None:
        self.socket = context.socket(zmq.SUB)
        self.socket.subscribe(token.encode())
        self.socket.connect(endpoint)

    async def next(self) -> Json:
        frames = await asyncio.wait_for(self.socket.recv_multipart(), 120)
        assert len(frames) == 2
        message = json.loads(frames[1])
        assert isinstance(message, dict)
        return message

    async def until(self, kind: str) -> list[Json]:
        """All messages up to the first of a kind."""
        heard = [await self.next()]
        while heard[-1]["comm_type"] != kind:
            heard.append(await self.next())
        return heard


@dataclass
class RecordingSink:
    """Result sink that records results and stores them with a given delay."""

    events: list[tuple[object, ...]] = field(default_factory=list)
    replays: list[bytes] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    problem: str = ""

    def __post_init__(self) -> None:
        self.gate.set()

    async def start(self, host: object) -> None:
        del host
        self.events.append(("start",))

    async def stop(self) -> None:
        self.events.append(("stop",))

    async def store_game(self, token: str, result: ContestGameResult, replay: bytes) -> None:
        await self.gate.wait()
        self.replays.append(replay)
        self.events.append(("game", token, result.number))

    async def store_match(self, token: str, result: object) -> None:
        del result
        await self.gate.wait()
        self.events.append(("match", token))

    def report_joined(self, token: str, seat: int) -> None:
        self.events.append(("joined", token, seat))

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        assert game_name
        self.events.append(("began", token, number))

    def report_lost(self, token: str, reason: str) -> None:
        assert reason
        self.events.append(("lost", token))


class HostedServer:
    """A server with its clients and subscribers."""

    def __init__(self, server: GameServer, context: zmq.asyncio.Context) -> None:
        self.server = server
        self.context = context

    def client(self) -> Client:
        return Client(self.context, self.server.command_endpoint)

    def listener(self, place: MatchAssignment | str) -> Listener:
        token = place if isinstance(place, str) else place.match_token
        return Listener(self.context, self.server.state_endpoint, token)

    def place(self, place: MatchAssignment) -> MatchAssignment:
        self.server.accept_match(place)
        return place

    async def connect_both(self, place: MatchAssignment) -> tuple[Client, Client]:
        clients = self.client(), self.client()
        for client, seat in zip(clients, place.players, strict=True):
            assert (await client.connect(place, seat.team))["resp"] == "ok"
        return clients


@contextlib.asynccontextmanager
async def hosting(
    *,
    result_sink: ResultSink | None = None,
    log: LogSettings | None = None,
    logger: structlog.typing.FilteringBoundLogger | None = None,
    moves_per_second: float = 1_000,
    **settings: Any,
) -> AsyncGenerator[HostedServer]:
    """A running server; at the end it is stopped, unless it was before."""
    log = log or LogSettings(moves="none")
    free: dict[str, Any] = {"command_port": 0, "state_port": 0} | settings
    server = GameServer(
        ServerSettings(**free),
        test_client=TestClientSettings(moves_per_second=moves_per_second),
        log=log,
        result_sink=result_sink,
        # At once, so that it is what pytest shows of the test, and no other's.
        logger=logger or create_logger(log, sys.stderr),
    )
    context = zmq.asyncio.Context()
    try:
        async with server:
            yield HostedServer(server, context)
            context.destroy(0)
    finally:
        context.destroy(0)


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that happens on its own."""
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110  # what happens does not tell
            await asyncio.sleep(0.005)


async def lose(client: Client, listener: Listener) -> Json:
    """Drop pieces until the game is over."""
    while True:
        message = await listener.next()
        if message["comm_type"] == "GameEnd":
            return message
        # Behind the server, further drops could end up in the next game.
        if not await listener.socket.poll(0):
            await client.move("drop")
