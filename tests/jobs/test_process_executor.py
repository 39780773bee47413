"""Tests of worker processes: lost ones are replaced, and none is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from sevenbag import jobs
from sevenbag.errors import JobError, LostWorkersError
from tests.cli.run import alive, descendants, wait_until
from tests.jobs import job_functions

ROOT = Path(__file__).parents[2]


def expect_nobody_left(before: set[int]) -> None:
    wait_until(lambda: descendants(os.getpid()) <= before)


def test_killed_workers_lose_no_result() -> None:
    killed: set[int] = set()
    found: list[tuple[int, int]] = []
    before = descendants(os.getpid())
    with jobs.ProcessExecutor(2) as executor:
        for number, (square, process) in executor.run(job_functions.square_and_process, range(20)):
            found.append((number, square))
            if len(killed) < 4 and process not in killed:
                # It works on the next number; three killed at their start would end the run.
                os.kill(process, signal.SIGKILL)
                killed.add(process)
    assert len(killed) == 4
    assert sorted(found) == [(number, number * number) for number in range(20)]
    expect_nobody_left(before)


@pytest.mark.faults
def test_job_may_kill_two_workers(tmp_path: Path) -> None:
    # Three of twelve jobs kill two workers each.
    items = [(str(tmp_path), number, number % 4 == 1) for number in range(12)]
    with jobs.ProcessExecutor(2) as executor:
        found = sorted(executor.run(job_functions.crash_twice, items))
    assert found == [(number, number * number) for number in range(12)]
    tries = Counter(path.name.split("-")[0] for path in tmp_path.iterdir())
    assert tries == {"1": 3, "5": 3, "9": 3}


@pytest.mark.faults
def test_job_that_kills_three_workers_ends_the_run() -> None:
    with jobs.ProcessExecutor(2) as executor:
        with pytest.raises(
            LostWorkersError,
            match=r"^job 0 has lost 3 worker processes: the last one was killed by SIGKILL$",
        ):
            list(executor.run(job_functions.kill_process, [7]))
        assert sorted(executor.run(job_functions.square, [3])) == [(0, 9)], "another run"


@pytest.mark.parametrize(
    ("program", "told"),
    [("/bin/false", "one ended with exit code 1"), ("/nowhere/python", "No such file")],
)
def test_failed_starts_of_workers_are_reported(
    program: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with jobs.ProcessExecutor(2) as executor, pytest.raises(LostWorkersError, match=told):
        list(executor.run(job_functions.square, range(4)))


def test_unpicklable_items_are_reported() -> None:
    with jobs.ProcessExecutor(1) as executor:
        with pytest.raises(JobError, match=r"^the function cannot be sent"):
            list(executor.run(lambda number: number, [1]))
        with pytest.raises(JobError, match=r"^job 1 cannot be sent"):
            list(executor.run(str, [1, lambda: 2]))
        with pytest.raises(JobError, match=r"^job 0 failed: TypeError: .*pickle"):
            list(executor.run(job_functions.return_unpicklable, [1]))
        with pytest.raises(JobError, match=r"^job 0 failed: SystemExit: 5"):
            list(executor.run(job_functions.exit_process, [1]))
        assert list(executor.run(job_functions.square, [3])) == [(0, 9)]


def test_one_run_at_a_time() -> None:
    with jobs.ProcessExecutor(1) as executor:
        first = executor.run(job_functions.square, range(3))
        next(first)
        with pytest.raises(JobError, match=r"runs one run at a time"):
            next(executor.run(job_functions.square, range(3)))
        assert sorted(first) == [(1, 1), (2, 4)]


@pytest.mark.parametrize("workers", [0, -1, 1025])
def test_invalid_number_of_workers(workers: int) -> None:
    with pytest.raises(JobError, match=f"invalid workers: expected 1 to 1024, got {workers}"):
        jobs.ProcessExecutor(workers)


def test_workers_stay_between_runs_and_end_with_the_executor(tmp_path: Path) -> None:
    before = descendants(os.getpid())
    folders = [tmp_path / "first", tmp_path / "second"]
    with jobs.ProcessExecutor(2) as executor:
        for folder in folders:
            folder.mkdir()
        first, second = (
            {pid for _, pid in executor.run(job_functions.wait_for_all, [str(folder)] * 2)}
            for folder in folders
        )
        assert first == second == descendants(os.getpid()) - before
        assert len(first) == 2
    assert descendants(os.getpid()) == before


def test_workers_are_started_on_demand() -> None:
    before = descendants(os.getpid())
    with jobs.ProcessExecutor(8) as executor:
        assert descendants(os.getpid()) == before
        list(executor.run(job_functions.square, [1, 2]))
        assert len(descendants(os.getpid()) - before) <= 2


def test_closing_a_run_stops_its_jobs(tmp_path: Path) -> None:
    with jobs.ProcessExecutor(2) as executor:
        results = executor.run(_hang_unless_empty, [str(tmp_path), ""])
        assert next(results) == (1, None)
        wait_until(lambda: any(tmp_path.iterdir()))
        (path,) = tmp_path.iterdir()
        results.close()
        assert not alive(int(path.name))


PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from sevenbag import jobs
from tests.jobs import job_functions
with jobs.ProcessExecutor(2) as executor:
    list(executor.run(job_functions.hang, [sys.argv[1]] * 4))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        workers = {int(path.name) for path in tmp_path.iterdir()}
        assert workers <= descendants(parent.pid)
        parent.send_signal(number)
        _, told = parent.communicate(timeout=120)
        wait_until(lambda: not any(map(alive, workers)))
        assert told.count("Traceback") <= 1, "of our own program, none of its workers"
    finally:
        parent.kill()
        parent.wait()


def test_ctrl_c_for_the_whole_process_group(tmp_path: Path) -> None:
    """Workers ignore the signal, which the parent handles."""
    with jobs.ProcessExecutor(1) as executor:
        results = executor.run(job_functions.square_and_process, range(4))
        _, (_, worker) = next(results)
        os.kill(worker, signal.SIGINT)
        assert {pid for _, (_, pid) in results} == {worker}


@pytest.mark.faults
def test_open_pipe_does_not_hide_a_lost_worker(tmp_path: Path) -> None:
    """Forked copies of a worker keep its pipe open."""
    with jobs.ProcessExecutor(1) as executor:
        found = list(executor.run(_die_with_a_copy_left, [str(tmp_path)]))
    assert found == [(0, "done")]
    copy = int((tmp_path / "copy").read_text())
    assert alive(copy)
    os.kill(copy, signal.SIGKILL)


def _hang_unless_empty(folder: str) -> None:
    if folder:
        job_functions.hang(folder)


def _die_with_a_copy_left(folder: str) -> str:
    path = Path(folder) / "copy"
    if path.exists():
        return "done"
    copy = os.fork()
    if copy == 0:
        time.sleep(1000)
        os._exit(0)
    path.write_text(str(copy))
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"
