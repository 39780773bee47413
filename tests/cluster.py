"""A real cluster: a scheduler here, two worker processes that are started again when they die."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

distributed: Any = importlib.import_module("distributed")


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        yield cluster
