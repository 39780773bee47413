"""Our own game server passes the check, and our bots play on it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import TYPE_CHECKING

from sevenbag.contest.client.connection import parse_server_address
from sevenbag.contest.client.contest_client import JoinOptions, play_match
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import AssignedPlayer, MatchAssignment
from sevenbag.contest.server import GameServer
from sevenbag.contest.settings import (
    ContestRules,
    GameRules,
    LogSettings,
    MatchRules,
    ServerSettings,
    TestClientSettings,
)
from tests.conformance.pason.server_check import Side, Timing, check_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sevenbag.contest.client.connection import ServerAddress

PATIENT = Timing(answer=120, begin=120, settle=120, quiet=0.1, step=120)
TEAM, PASSWORD = "Alpha team", "a word of alpha's"
OTHER, OTHER_PASSWORD = "Beta", "a word of beta's"


@contextlib.asynccontextmanager
async def served(
    *seats: AssignedPlayer, games: int = 3
) -> AsyncGenerator[tuple[ServerAddress, str]]:
    """A match on a game server of its own."""
    server = GameServer(
        ServerSettings(command_port=0, state_port=0),
        test_client=TestClientSettings(),
        log=LogSettings(moves="none"),
        keeper=None,
    )
    await server.start()
    running = asyncio.create_task(server.run())
    token = str(uuid.uuid4())
    first, second = seats
    match = MatchRules(games=games, game_seconds=20, first_pause_seconds=0.3, pause_seconds=0.05)
    rules = ContestRules(game=GameRules(gravity_ms=(100,)), match=match)
    server.place(
        MatchAssignment(match_token=token, match_name="x", players=(first, second), rules=rules)
    )
    command = server.command_endpoint.rpartition(":")[2]
    state = server.state_endpoint.rpartition(":")[2]
    try:
        yield parse_server_address(f"pason://127.0.0.1:{command},{state}"), token
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def ours() -> AssignedPlayer:
    return AssignedPlayer(team=TEAM, password_hash=hash_password(PASSWORD))


def test_our_server_keeps_to_the_text() -> None:
    async def run() -> list[str]:
        theirs = AssignedPlayer(team=OTHER, password_hash=hash_password(OTHER_PASSWORD))
        async with served(ours(), theirs) as (address, token):
            sides = (Side(TEAM, PASSWORD), Side(OTHER, OTHER_PASSWORD))
            report = await check_server(address, token, sides, PATIENT)
        assert not [check.clause.id for check in report.results if check.skip_reason]
        return [f"{finding.clause.id}: {finding.message}" for finding in report.findings]

    assert asyncio.run(run()) == []


def test_a_bot_plays_against_a_built_in_player() -> None:
    async def run() -> None:
        theirs = AssignedPlayer(team="Test Client", bot="random")
        async with served(ours(), theirs, games=1) as (address, token):
            manner = JoinOptions(team=TEAM, password=PASSWORD, bot="beam:nodes=60")
            played = await play_match(address, token, manner, lambda _: None)
        assert played.result.opponent == "Test Client"
        assert played.result.end_heard
        assert sum(played.result.games) == 1
        assert not played.failure

    asyncio.run(run())


def test_bots_play_against_each_other() -> None:
    async def run() -> None:
        theirs = AssignedPlayer(team=OTHER, password_hash=hash_password(OTHER_PASSWORD))
        async with served(ours(), theirs, games=1) as (address, token):
            manners = [
                JoinOptions(team=TEAM, password=PASSWORD, bot="beam:nodes=150"),
                JoinOptions(team=OTHER, password=OTHER_PASSWORD, bot="beam:nodes=150"),
            ]
            both = await asyncio.gather(
                *(play_match(address, token, manner, lambda _: None) for manner in manners)
            )
        for played in both:
            _, pieces = played.missed_pieces
            assert pieces > 0
            assert not played.failure

    asyncio.run(run())
