"""Bots play on a game server through the contest client."""

import asyncio

from sevenbag.contest.client.connection import parse_server_address
from sevenbag.contest.client.contest_client import JoinOptions, MatchReport, play_match
from sevenbag.contest.settings import GameRules, MatchRules
from tests.contest.server.hosted_server import PASSWORD, hosting, placement

MATCH = MatchRules(games=1, game_seconds=20, first_pause_seconds=0.3, pause_seconds=0.05)
GAME = GameRules(gravity_ms=(100,))


async def play(*bots: str, opponent: str = "") -> list[MatchReport]:
    """Let bots play as teams A and B, or as A against a built-in player."""
    async with hosting() as hosted:
        players = {"B": opponent} if opponent else {}
        place = hosted.place(placement("A", "B", match=MATCH, game=GAME, bots=players))
        ports = [
            endpoint.rpartition(":")[2]
            for endpoint in (hosted.server.command_endpoint, hosted.server.state_endpoint)
        ]
        address = parse_server_address(f"pason://127.0.0.1:{','.join(ports)}")
        options = [
            JoinOptions(team=team, password=PASSWORD, bot=bot)
            for team, bot in zip("AB", bots, strict=False)
        ]
        return await asyncio.gather(
            *(play_match(address, place.match_token, each, lambda _: None) for each in options)
        )


async def test_a_bot_plays_against_a_built_in_player() -> None:
    [played] = await play("beam:nodes=60", opponent="random")
    assert played.result.opponent == "B"
    assert played.result.end_heard
    assert sum(played.result.games) == 1
    assert not played.failure


async def test_bots_play_against_each_other() -> None:
    for played in await play("beam:nodes=150", "beam:nodes=150"):
        _, pieces = played.missed_pieces
        assert pieces > 0
        assert not played.failure
