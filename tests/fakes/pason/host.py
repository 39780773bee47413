"""A game server in a separate process: ``PYTHONPATH=. python tests/fakes/pason/host.py``.

The first line of its input says where it listens, each further one places a match, calls one off,
or lets the wall clock jump. It prints a JSON object a line: that it is ready, finished games,
finished matches. It logs to its errors. The end of its input ends it.
"""

import asyncio
import base64
import json
import sys
import time
from typing import Any

import argon2
import msgspec

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.scheduler_protocol import AssignedPlayer, MatchAssignment
from sevenbag.contest.server.game_server import GameServer
from sevenbag.contest.server.hosted_match import SchedulerCommands
from sevenbag.contest.settings import ContestRules, LogSettings, ServerSettings, TestClientSettings

# Cheap, because there may be hundreds.
HASHER = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


def say(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


class PrintingSink:
    """Print every result and store nothing."""

    @property
    def problem(self) -> str:
        return ""

    async def start(self, host: SchedulerCommands) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def store_game(self, token: str, result: ContestGameResult, replay: bytes) -> None:
        told = base64.b64encode(replay).decode()
        say(game=msgspec.to_builtins(result), match_token=token, replay=told)

    async def store_match(self, token: str, result: MatchResult) -> None:
        say(match=msgspec.to_builtins(result), match_token=token)

    def report_joined(self, token: str, seat: int) -> None:
        say(joined=seat, match_token=token)

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        pass

    def report_lost(self, token: str, reason: str) -> None:
        say(lost=reason, match_token=token)


class Wall:
    """A wall clock that tests set."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self._real = time.time

    def __call__(self) -> float:
        return self._real() + self.ahead


def placed(order: dict[str, Any]) -> MatchAssignment:
    seats = [
        AssignedPlayer(team=team, password_hash=HASHER.hash(password))
        for team, password in order["teams"]
    ]
    return MatchAssignment(
        match_token=order["match_token"],
        match_name=order["match_name"],
        players=(seats[0], seats[1]),
        rules=msgspec.convert(order["rules"], ContestRules, strict=False),
    )


async def main() -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    wall = Wall()
    time.time = wall
    settings = msgspec.convert(json.loads(await lines.readline()), ServerSettings)
    log = LogSettings(format="json", moves="rejected")
    server = GameServer(
        settings, test_client=TestClientSettings(), log=log, result_sink=PrintingSink()
    )
    await server.start()
    running = asyncio.create_task(server.run())
    say(ready=[server.command_endpoint, server.state_endpoint])
    while line := await lines.readline():
        order = json.loads(line)
        if "jump" in order:
            wall.ahead += order["jump"]
        elif "call_off" in order:
            server.cancel_match(order["call_off"], "enough is seen")
        else:
            server.accept_match(placed(order))
        say(done=True)
    await server.stop("abort")
    await running


if __name__ == "__main__":
    asyncio.run(main())
