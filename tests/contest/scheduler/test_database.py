"""The database server dies while games are reported."""

from collections.abc import Iterator

import pytest

from sevenbag.contest.scheduler_protocol import GameStored
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
    one, token = await house.placed_match(instance="a")
    await one.store_game(token, 1)

    database.crash()
    await one.tell(game_done(token, 2))
    assert one.over is not None
    await one.over
    assert not one.has_heard(GameStored)
    refused = await house.server("one", instance="a", hosting=[token])
    assert refused.over is not None
    await refused.over
    assert not house.scheduler.is_healthy

    database.restart()
    await house.scheduler.run_pass()
    assert house.scheduler.is_healthy
    again = await house.server("one", instance="a", hosting=[token])
    await again.store_game(token, 2)
    assert house.results(token) == [(1, 0), (2, 0)]
    await house.end()
