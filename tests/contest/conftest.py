"""A PostgreSQL server for all tests of a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contest import postgres

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="session")
def postgresql() -> Generator[postgres.Server]:
    """Run a server; tests make databases of their own in it."""
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as running:
        yield running
