"""Tests of a real dask.distributed cluster that loses workers or its scheduler."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from sevenbag import jobs
from sevenbag.errors import ClusterError, JobError, LostWorkersError, MissingExtraError
from sevenbag.jobs import dask_executor
from tests.cli.run import wait_until
from tests.cluster import PATIENCE, get_worker_pid
from tests.jobs import job_functions


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_TIMEOUT", PATIENCE)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_TIMEOUT", 0.5)


@pytest.mark.faults
def test_killed_workers_lose_no_result(dask_cluster: Any) -> None:
    found: list[tuple[int, int]] = []
    with jobs.DaskExecutor(dask_cluster.scheduler_address) as executor:
        for result in executor.run(job_functions.square_slowly, range(30)):
            found.append(result)
            if len(found) in (3, 10):
                os.kill(get_worker_pid(dask_cluster, 0), signal.SIGKILL)
    assert sorted(found) == [(number, number * number) for number in range(30)]


@pytest.mark.faults
def test_job_that_kills_its_workers_ends_the_run(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        address, _ = stack.enter_context(
            _scheduler(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1")
        )
        for _ in range(3):
            stack.enter_context(_worker(address, tmp_path))
        executor = stack.enter_context(jobs.DaskExecutor(address))
        with pytest.raises(LostWorkersError, match=r"job 0 has lost 2 workers of the cluster"):
            list(executor.run(job_functions.kill_process, [7]))
        assert list(executor.run(job_functions.square, [3])) == [(0, 9)], "another run"


def test_unpicklable_results_are_reported(dask_cluster: Any) -> None:
    with (
        jobs.DaskExecutor(dask_cluster.scheduler_address) as executor,
        pytest.raises(JobError, match=r"job 0 failed: TypeError: .*serialize"),
    ):
        list(executor.run(job_functions.return_unpicklable, [1]))


@pytest.mark.faults
def test_lost_scheduler_is_reported(tmp_path: Path) -> None:
    with _scheduler(tmp_path) as (address, process), _worker(address, tmp_path):
        with jobs.DaskExecutor(address) as executor:
            results = executor.run(job_functions.square_slowly, range(200))
            next(results)
            process.kill()
            with pytest.raises(ClusterError, match=f"{address}: the scheduler is gone"):
                list(results)
        assert process.wait() == -signal.SIGKILL


@pytest.mark.faults
def test_hanging_scheduler_does_not_block_the_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        _scheduler(tmp_path) as (address, process),
        _worker(address, tmp_path),
        jobs.DaskExecutor(address) as executor,
    ):
        assert list(executor.run(job_functions.square, [3])) == [(0, 9)]
        process.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(dask_executor, "_TIMEOUT", 1.0)


def test_no_scheduler_at_the_address(impatient: None) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"'{address}': no dask scheduler answers there"):
            jobs.DaskExecutor(address)


def test_silent_peer_at_the_address(impatient: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClusterError, match=r"no dask scheduler answers there within 0.5 s"):
            jobs.DaskExecutor(address)


@pytest.mark.parametrize("address", ["", "nonsense", "http://127.0.0.1:1", "tcp://[::1", "\0" * 99])
def test_invalid_address(address: str, impatient: None) -> None:
    with pytest.raises(ClusterError, match=r"no dask scheduler answers there"):
        jobs.DaskExecutor(address)


def test_nanny_is_not_a_scheduler(dask_cluster: Any) -> None:
    with pytest.raises(ClusterError, match=r"expected a scheduler, got a Nanny"):
        jobs.DaskExecutor(dask_cluster.workers[0].address)


def test_cluster_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reach = dask_executor.DaskExecutor._connect

    def reach_and_grow_impatient(cluster: dask_executor.DaskExecutor) -> object:
        client = reach(cluster)
        monkeypatch.setattr(dask_executor, "_TIMEOUT", 0.5)
        return client

    monkeypatch.setattr(dask_executor.DaskExecutor, "_connect", reach_and_grow_impatient)
    with (
        _scheduler(tmp_path) as (address, _),
        pytest.raises(ClusterError, match=r"has had no workers for 0.5 s; start some: dask worker"),
    ):
        jobs.DaskExecutor(address)


def test_worker_with_another_version(tmp_path: Path) -> None:
    info = tmp_path / "sevenbag-99.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sevenbag\nVersion: 99.1\n")
    with (
        _scheduler(tmp_path) as (address, _),
        _worker(address, tmp_path, PYTHONPATH=str(tmp_path)),
        pytest.raises(ClusterError, match=r"the worker tcp://.* has sevenbag 99.1, this process"),
    ):
        jobs.DaskExecutor(address)


@pytest.mark.slow
def test_worker_without_sevenbag(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.metadata as metadata\n"
        "found = metadata.Distribution.from_name.__func__\n"
        "def from_name(cls, name):\n"
        "    if name == 'sevenbag': raise metadata.PackageNotFoundError(name)\n"
        "    return found(cls, name)\n"
        "metadata.Distribution.from_name = classmethod(from_name)\n"
    )
    with (
        _scheduler(tmp_path) as (address, _),
        _worker(address, tmp_path, PYTHONPATH=str(tmp_path)),
        pytest.raises(ClusterError, match=r"the worker tcp://.* does not have sevenbag"),
    ):
        jobs.DaskExecutor(address)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sevenbag\[cluster\]'"):
        jobs.DaskExecutor("tcp://127.0.0.1:1")


@contextlib.contextmanager
def _program(module: str, *words: str, **variables: str) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words, "--host", "127.0.0.1", "--no-dashboard"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | variables,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _scheduler(folder: Path, **variables: str) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    file = folder / "scheduler.json"
    words = ("--port", "0", "--scheduler-file", str(file))
    with _program("distributed.cli.dask_scheduler", *words, **variables) as process:
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        yield json.loads(file.read_text())["address"], process


@contextlib.contextmanager
def _worker(address: str, folder: Path, **variables: str) -> Generator[None]:
    words = (address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    with _program("distributed.cli.dask_worker", *words, **variables):
        yield
