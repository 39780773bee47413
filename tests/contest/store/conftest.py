"""Stores in each kind of database."""

from collections.abc import Generator
from pathlib import Path

import pytest

from sevenbag.contest.store import Store
from tests.contest import postgres


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'contest.db'}"
    running: postgres.Server = request.getfixturevalue("postgresql")
    return running.new_database()


@pytest.fixture
def store(url: str) -> Generator[Store]:
    """Return an open, empty store."""
    with Store(url) as opened:
        yield opened
