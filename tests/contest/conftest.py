"""A PostgreSQL server for all tests of a worker."""

from collections.abc import Generator

import pytest

from tests.contest import postgres


@pytest.fixture(scope="session")
def postgresql() -> Generator[postgres.Server]:
    """Run a server; tests make databases of their own in it."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as running:
        yield running
