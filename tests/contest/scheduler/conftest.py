"""A scheduler on a store in SQLite; where it matters, in PostgreSQL too."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.contest import postgres
from tests.contest.scheduler.scripted_server import SchedulerHarness


@pytest.fixture
async def harness(
    tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncGenerator[SchedulerHarness]:
    """A scheduler that has begun."""
    url = f"sqlite:///{tmp_path}/contest.db"
    if getattr(request, "param", "") == "postgresql":
        running: postgres.Server = request.getfixturevalue("postgresql")
        url = running.new_database()
    harness = SchedulerHarness(url)
    await harness.scheduler.start()
    yield harness
    await harness.end()
