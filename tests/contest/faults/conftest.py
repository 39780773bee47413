"""One server for all faults of a file, and two teams that play beside them."""

from collections.abc import Iterator

import pytest

from tests.fakes.pason.bystanders import Bystanders
from tests.fakes.pason.hosting import Hosted, hosted


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosted(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def bystanders(server: Hosted) -> Iterator[Bystanders]:
    """They play during all tests."""
    with Bystanders(server) as bystanders:
        yield bystanders


@pytest.fixture(autouse=True)
def undisturbed(bystanders: Bystanders) -> Iterator[None]:
    """Each test fails if they noticed anything of it."""
    yield
    bystanders.are_served()
