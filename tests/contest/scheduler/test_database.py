"""The database server dies while games are reported."""

from collections.abc import Iterator

import pytest

from sevenbag.contest import scheduler_protocol
from tests.contest import postgres
from tests.contest.scheduler.scripted_server import House, game_done


@pytest.fixture
def database() -> Iterator[postgres.Server]:
    """A server of one test, which it may kill."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as running:
        yield running


@pytest.mark.postgres
@pytest.mark.faults
async def test_games_are_resent_until_the_database_returns(database: postgres.Server) -> None:
    house = House(database.new_database())
    await house.scheduler.start()
    one = await house.server("one", instance="a")
    await house.match()
    token = (await one.placed()).match_token
    await one.finish_game(token, 1)
    await one.told(scheduler_protocol.GameStored)

    database.crash()
    await one.tell(game_done(token, 2))
    assert one.over is not None
    await one.over
    assert not [
        message for message in one.heard if isinstance(message, scheduler_protocol.GameStored)
    ]
    refused = await house.server("one", instance="a", hosting=[token])
    assert refused.over is not None
    await refused.over
    assert not house.scheduler.is_healthy

    database.restart()
    await house.scheduler.run_pass()
    assert house.scheduler.is_healthy
    again = await house.server("one", instance="a", hosting=[token])
    await again.finish_game(token, 2)
    assert (await again.told(scheduler_protocol.GameStored)).number == 2
    assert house.results(token) == [(1, 0), (2, 0)]
    await house.end()
