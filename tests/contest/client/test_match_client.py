"""Interface of programs that play a match."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import msgspec
import pytest

from sevenbag import Placement, Rotation
from sevenbag.contest.client.connection import ServerAddress, SessionTimeouts, parse_server_address
from sevenbag.contest.client.contest_client import JoinOptions, MatchReport, play_match
from sevenbag.contest.client.match_client import AsyncClientMatch, connect, connect_async
from sevenbag.contest.client.match_view import MatchView, TeamMatchResult
from sevenbag.contest.game import match_results
from sevenbag.contest.game.pason_game import PlayerIndex
from sevenbag.contest.server import GameServer
from sevenbag.contest.settings import GameRules, MatchRules
from sevenbag.errors import CommandRejectedError, InputError, PlacementError, ServerUnreachableError
from tests.contest.client.small_server import PASSWORDS, TEAMS, SmallServer
from tests.contest.game.match_driver import MatchDriver
from tests.contest.server.hosted_server import MATCH, PASSWORD, hosting, lose, placement

HASTY = SessionTimeouts(answer=0.3, server=0.6, state=0.5, silence=1.5)


def lowest(places: Sequence[Placement]) -> Placement:
    return min(places, key=lambda place: sum(y for _, y in place.cells))


def enter(server: SmallServer, seat: int) -> AbstractAsyncContextManager[AsyncClientMatch]:
    return connect_async(server.address, server.token, TEAMS[seat], PASSWORDS[seat])


async def play(server: SmallServer, seat: int) -> AsyncClientMatch:
    async with enter(server, seat) as match:
        async for turn in match.turns():
            await turn.place(lowest(turn.placements()))
    return match


def address_of(server: GameServer) -> ServerAddress:
    ports = (
        endpoint.rpartition(":")[2] for endpoint in (server.command_endpoint, server.state_endpoint)
    )
    return parse_server_address(f"pason://127.0.0.1:{','.join(ports)}")


def test_two_asynchronous_programs() -> None:
    async def both(server: SmallServer) -> list[AsyncClientMatch]:
        return list(await asyncio.gather(play(server, 0), play(server, 1)))

    with SmallServer() as server:
        first, second = asyncio.run(both(server))
        result = server.matches[server.token].result
    assert result is not None
    assert first.result == TeamMatchResult(
        TEAMS[0], TEAMS[1], result.games, result.points, result.winner == 0, end_heard=True
    )
    assert second.result.games == result.games[::-1]
    assert second.result.won is (result.winner == 1)
    assert len(first.view.games) == sum(result.games)


def test_two_synchronous_programs() -> None:
    results: list[TeamMatchResult] = []

    def run(seat: int) -> None:
        with connect(server.url, server.token, TEAMS[seat], PASSWORDS[seat]) as match:
            for turn in match.turns():
                assert turn.number >= 1
                turn.place(lowest(turn.placements()))
        results.append(match.result)

    with SmallServer() as server:
        threads = [threading.Thread(target=run, args=(seat,)) for seat in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(result.team for result in results) == sorted(TEAMS)
    assert {result.won for result in results} == {True, False}


def test_reconnected_client_counts_earlier_games() -> None:
    async def run() -> tuple[TeamMatchResult, match_results.MatchResult]:
        async with hosting() as hosted:
            place = hosted.place(placement(match=msgspec.structs.replace(MATCH, games=3)))
            other, listener = hosted.client(), hosted.listener(place)
            await other.connect(place, "B")
            address = address_of(hosted.server)
            async with connect_async(address, place.match_token, "A", PASSWORD):
                await lose(other, listener)
            async with connect_async(address, place.match_token, "A", PASSWORD) as match:
                losing = asyncio.create_task(lose(other, listener))
                async for _ in match.turns():
                    pass
                await losing
            assert len(match.view.games) < 2
            return match.result, await hosted.server.wait_for_result(place.match_token)

    result, true = asyncio.run(run())
    assert true.winner == 0
    assert (result.games, result.points, result.won) == (true.games, true.points, True)
    assert str(result) == "A won against B: 2:0 games, 0:0 points (majority of games)"


@pytest.mark.parametrize(("there", "how"), [(0, "won"), (1, "lost")])
def test_walkover_has_winner_and_reason(there: PlayerIndex, how: str) -> None:
    driver = MatchDriver(connect_seconds=30)
    driver.match.connect(there, driver.now)
    driver.wait(31)
    figures = driver.match.result_statistics()
    assert figures is not None
    view = MatchView()
    for message in (figures, *driver.messages):
        view.handle_message(message)
    one, other = driver.match.teams
    assert str(view.result_for(one)) == (
        f"{one} {how} against {other}: 0:0 games, 0:0 points "
        "(walkover, the other team did not come)"
    )


def test_single_moves() -> None:
    async def run(server: SmallServer) -> list[str]:
        async with enter(server, 0) as match, enter(server, 1):
            async for turn in match.turns():
                await turn.move("left")
                await turn.move("drop")
                if turn.number > 4:
                    break
        return server.moves

    with SmallServer() as server:
        moves = asyncio.run(run(server))
    assert moves[:4] == ["left", "drop", "left", "drop"]


def test_state_of_a_turn() -> None:
    async def run(server: SmallServer) -> None:
        async with enter(server, 0) as match, enter(server, 1):
            async for turn in match.turns():
                assert turn.board.is_empty
                assert turn.opponent.is_empty
                assert len(turn.queue) == 5
                assert len(turn.placements()) in {9, 17, 34}
                other = "T" if turn.piece.name != "T" else "S"
                with pytest.raises(PlacementError, match="invalid placement: expected one of"):
                    await turn.place(Placement(other, Rotation.NORTH, 4, 0))
                assert await turn.place(lowest(turn.placements()))
                break

    with SmallServer() as server:
        asyncio.run(run(server))


def refused(server: SmallServer, **changes: str) -> None:
    async def run() -> None:
        told = {"token": server.token, "team": TEAMS[0], "password": PASSWORDS[0]} | changes
        async with connect_async(server.address, **told, timeouts=HASTY):
            pass

    asyncio.run(run())


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"password": "no"}, "wrong password"),
        ({"team": "Gamma"}, "unknown team"),
        ({"token": "0" * 36}, "unknown match"),
    ],
)
def test_rejected_connections(changes: dict[str, str], error: str) -> None:
    with SmallServer() as server, pytest.raises(CommandRejectedError, match=error) as caught:
        refused(server, **changes)
    assert caught.value.error == error


def test_no_server() -> None:
    with SmallServer() as server:
        pass
    with pytest.raises(
        ServerUnreachableError, match=r"does not answer on its command channel.* 0.6 s"
    ):
        refused(server)


def test_no_such_host() -> None:
    async def run() -> None:
        async with connect_async("pason://no-such-host.invalid", "t", "a", "b"):
            pass

    with pytest.raises(ServerUnreachableError, match=r"cannot resolve host no-such-host\.invalid"):
        asyncio.run(run())


@pytest.mark.parametrize(
    "text",
    ["", "pason://", "http://x", "pason://x:1,2,3", "pason://x:0,5", "pason://x:99999", "x:5557"],
)
def test_invalid_addresses(text: str) -> None:
    with pytest.raises(InputError, match="invalid game server"):
        connect(text, "t", "a", "b").__enter__()


@pytest.mark.parametrize(
    ("text", "command", "state"),
    [
        ("pason://localhost", "tcp://localhost:5557", "tcp://localhost:5556"),
        ("PASON://10.0.0.1/", "tcp://10.0.0.1:5557", "tcp://10.0.0.1:5556"),
        ("pason://a.b:7001,7009", "tcp://a.b:7001", "tcp://a.b:7009"),
        ("pason://a.b:7001", "tcp://a.b:7001", "tcp://a.b:7000"),
        ("pason://[::1]:7001,7002", "tcp://[::1]:7001", "tcp://[::1]:7002"),
    ],
)
def test_an_address_has_two_channels(text: str, command: str, state: str) -> None:
    address = parse_server_address(text)
    assert (address.command_endpoint, address.state_endpoint) == (command, state)
    assert parse_server_address(str(address)) == address


def test_channels_may_be_on_different_hosts() -> None:
    address = ServerAddress("a", 1, 2, "b")
    assert (address.command_endpoint, address.state_endpoint) == ("tcp://a:1", "tcp://b:2")


SHORT = MatchRules(games=1, game_seconds=20, first_pause_seconds=0.3, pause_seconds=0.05)
GAME = GameRules(gravity_ms=(100,))


async def join(*bots: str, opponent: str = "") -> list[MatchReport]:
    """Play a match of bots as teams A and B, or of A against a built-in player."""
    async with hosting() as hosted:
        players = {"B": opponent} if opponent else {}
        place = hosted.place(placement("A", "B", match=SHORT, game=GAME, bots=players))
        address = address_of(hosted.server)
        options = [
            JoinOptions(team=team, password=PASSWORD, bot=bot)
            for team, bot in zip("AB", bots, strict=False)
        ]
        return await asyncio.gather(
            *(play_match(address, place.match_token, each, lambda _: None) for each in options)
        )


async def test_a_bot_plays_against_a_built_in_player() -> None:
    [played] = await join("beam:nodes=60", opponent="random")
    assert played.result.opponent == "B"
    assert played.result.end_heard
    assert sum(played.result.games) == 1
    assert not played.failure


async def test_bots_play_against_each_other() -> None:
    for played in await join("beam:nodes=150", "beam:nodes=150"):
        _, pieces = played.missed_pieces
        assert pieces > 0
        assert not played.failure
