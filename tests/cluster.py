"""A real dask cluster: a scheduler in this process, and two worker processes that are restarted."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from sevenbag import jobs
from sevenbag.jobs import Executor, dask_executor
from tests.cli.run import wait_until

dask: Any = importlib.import_module("dask")
distributed: Any = importlib.import_module("distributed")

WORKERS = 2
PATIENCE = 300
"""Seconds; a healthy cluster can be slow on a busy machine."""

# By default, idle Dask processes profile themselves many times a second.
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "10s",
    # Keep a worker that takes long to restart on a busy machine.
    "distributed.deploy.lost-worker-timeout": "1h",
}


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Any]:
    """Start a cluster for all tests of this process."""
    with (
        pytest.MonkeyPatch.context() as patch,
        dask.config.set(QUIET),
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
    ):
        patch.setattr(dask_executor, "_TIMEOUT", PATIENCE)
        # Recompute the results of a dead worker after this many seconds instead of 30.
        cluster.scheduler.rpc.timeout = 1
        yield cluster


@pytest.fixture(params=["in process", "local", "cluster"], scope="module")
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Open each kind of executor."""
    if request.param == "in process":
        made: Executor = jobs.InProcessExecutor()
    elif request.param == "local":
        made = jobs.ProcessExecutor(2)
    else:
        cluster: Any = request.getfixturevalue("dask_cluster")
        wait_for_workers(cluster)
        made = jobs.DaskExecutor(cluster.scheduler_address)
    with made as opened:
        assert opened.workers == (1 if request.param == "in process" else WORKERS)
        yield opened


def get_worker_pid(cluster: Any, number: int) -> int:
    """Return the process of a worker once its nanny has seen it start.

    A nanny gives up a worker that dies earlier, even after it has joined the scheduler.
    """
    nanny = cluster.workers[number]
    wait_until(
        lambda: (
            nanny.process.status == distributed.Status.running
            and nanny.worker_address in cluster.scheduler.workers
        )
    )
    return int(nanny.process.process.pid)


def wait_for_workers(cluster: Any) -> None:
    """Wait until every killed worker has been replaced."""

    def is_complete() -> bool:
        started = {nanny.worker_address for nanny in cluster.workers.values()}
        return len(started) == WORKERS and started == set(cluster.scheduler.workers)

    wait_until(is_complete)
