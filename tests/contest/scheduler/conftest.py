"""A scheduler on a store in SQLite; where it matters, in PostgreSQL too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contest import postgres
from tests.contest.scheduler.scripted import House

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator
    from pathlib import Path


@pytest.fixture(scope="session")
def postgresql() -> Generator[postgres.Server]:
    """A server of it."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as running:
        yield running


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
