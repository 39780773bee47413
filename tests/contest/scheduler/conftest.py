"""A scheduler on a store in SQLite; where it matters, in PostgreSQL too."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.contest import postgres
from tests.contest.scheduler.scripted_server import House


@pytest.fixture
async def house(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[House]:
    """A scheduler that has begun."""
    url = f"sqlite:///{tmp_path}/contest.db"
    if getattr(request, "param", "") == "postgresql":
        running: postgres.Server = request.getfixturevalue("postgresql")
        url = running.new_database()
    house = House(url)
    await house.scheduler.start()
    yield house
    await house.end()
