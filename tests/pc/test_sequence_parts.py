"""Work on many queues in processes and on a cluster: the same files and figures, bit for bit."""

import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sevenbag import Kicks, jobs
from sevenbag._kernel import PcProgress, PcTablebase, StopFlag, compute_pc_odds
from sevenbag.errors import QueueError, SearchStoppedError
from sevenbag.jobs import Executor
from sevenbag.pc import PcProblem, compute_chance
from sevenbag.pc.batch_solver import BatchProgress, solve_all_sequences
from sevenbag.pc.odds import compute_odds
from sevenbag.pc.tablebase import TablebaseProgress
from tests.cli.run import (
    alive,
    assert_no_trace,
    descendants,
    read_folder,
    sevenbag,
    start,
    wait_until,
)
from tests.cluster import get_worker_pid

PCO = "XXXXX.....\nXXXXXX....\nXXXXXXX...\nXXXXXX...."


@pytest.mark.parametrize("kicks", ["srs", "none"])
def test_odds(executor: Executor, kicks: str) -> None:
    told: list[TablebaseProgress] = []
    assert compute_odds(2, kicks, executor=executor, report=told.append) == compute_odds(2, kicks)
    fractions = [now.fraction for now in told]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)


def test_all_solutions(executor: Executor, tmp_path: Path) -> None:
    told: list[BatchProgress] = []
    solve_all_sequences(tmp_path / "threads", 2, "srs+")
    tally = solve_all_sequences(tmp_path / "jobs", 2, "srs+", executor=executor, report=told.append)
    assert read_folder(tmp_path / "jobs") == read_folder(tmp_path / "threads")
    assert tally.done == tally.total == told[-1].done
    assert [now.done for now in told] == sorted(now.done for now in told)


def test_some_solutions_of_six_lines_and_then_more(executor: Executor, tmp_path: Path) -> None:
    done = [
        solve_all_sequences(tmp_path / "jobs", 6, limit=220, executor=executor).done
        for _ in range(2)
    ]
    assert done[1] > done[0] >= 220
    solve_all_sequences(tmp_path / "threads", 6, limit=done[1])
    assert read_folder(tmp_path / "jobs") == read_folder(tmp_path / "threads")


@pytest.mark.parametrize(
    ("field", "lines", "hold", "pattern"),
    [
        (PCO, 4, True, "I,*p4"),
        (PCO, 4, False, "*p4"),
        ("", 2, True, "*p3,*p3"),
        ("XXXXXXXXXX\nXX........\nXX........", 3, True, "*p5;IIIII;[SZ]!,O,L,J"),
        ("XXXXXXXXXX", 1, True, "*p3"),
    ],
)
def test_chances(executor: Executor, field: str, lines: int, hold: bool, pattern: str) -> None:
    problem = PcProblem(field, height=lines, hold=hold, kicks="srs+", drop="t-soft")
    alone = compute_chance(problem, pattern)
    together = compute_chance(problem, pattern, executor=executor)
    assert (together.solved, together.total) == (alone.solved, alone.total)
    assert list(together.failed_queues()) == list(alone.failed_queues())


def test_custom_systems_reach_the_workers(executor: Executor, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "none"\n')
    kicks = Kicks.from_file(tmp_path / "mine.toml")
    assert compute_odds(2, kicks, executor=executor).rows[2].possible == 14_720


def expect_kills_to_cost_nothing(
    executor: Executor, victim: Callable[[], int], folder: Path
) -> None:
    """Solve, and kill a worker twice in the middle."""
    kills = 0

    def report(tally: BatchProgress) -> None:
        nonlocal kills
        if kills < 2 and tally.done > tally.total * (kills + 1) / 4:
            os.kill(victim(), signal.SIGKILL)
            kills += 1

    solve_all_sequences(folder / "jobs", 2, executor=executor, report=report)
    solve_all_sequences(folder / "threads", 2)
    assert kills == 2
    assert read_folder(folder / "jobs") == read_folder(folder / "threads")


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    before = descendants(os.getpid())
    with jobs.ProcessExecutor(2) as executor:
        expect_kills_to_cost_nothing(
            executor, lambda: max(descendants(os.getpid()) - before), tmp_path
        )


@pytest.mark.faults
def test_killed_workers_of_a_cluster_lose_nothing(tmp_path: Path, dask_cluster: Any) -> None:
    with jobs.DaskExecutor(dask_cluster.scheduler_address) as executor:
        expect_kills_to_cost_nothing(executor, lambda: get_worker_pid(dask_cluster, 1), tmp_path)


def test_interrupted_batch_resumes(tmp_path: Path) -> None:
    def report(tally: BatchProgress) -> None:
        if tally.done > tally.total / 2:
            raise KeyboardInterrupt

    with jobs.ProcessExecutor(2) as executor:
        with pytest.raises(KeyboardInterrupt):
            solve_all_sequences(tmp_path / "jobs", 2, executor=executor, report=report)
        half = int((tmp_path / "jobs" / "2.count").read_text())
        assert 0 < half < 57_750
        told: list[BatchProgress] = []
        solve_all_sequences(tmp_path / "jobs", 2, executor=executor, report=told.append)
    assert told[0].done_before >= half / 2
    solve_all_sequences(tmp_path / "threads", 2)
    assert read_folder(tmp_path / "jobs") == read_folder(tmp_path / "threads")


def test_chances_can_be_stopped() -> None:
    problem = PcProblem("", height=4)
    with jobs.ProcessExecutor(2) as executor:
        with pytest.raises(SearchStoppedError, match="before all of 4233600 queues"):
            compute_chance(problem, "*p7,*p4", seconds=0.3, executor=executor)
        stop = StopFlag()
        assert not stop.is_set
        stop.set()
        assert stop.is_set
        with pytest.raises(SearchStoppedError, match="before all of 5040 queues"):
            compute_chance(PcProblem("", height=2), "*p6", stop=stop, executor=executor)


def test_odds_are_those_of_the_impossible_in_any_order() -> None:
    tablebase = PcTablebase.build("srs", 2, 1, PcProgress())
    assert tablebase is not None
    blocks = list(filter(None, map(tablebase.find_unsolvable, range(300))))
    random.Random(3).shuffle(blocks)
    codes = b"".join(blocks)
    whole = compute_pc_odds(codes, 6)
    assert whole[3].count(b"\n") == len(codes) // 8
    assert whole[3].split() == sorted(whole[3].split())
    assert compute_pc_odds(b"", 6)[2] == (378_420, 378_420)


@pytest.mark.parametrize(
    ("codes", "letters"),
    [
        (b"\xff" * 8, 6),  # a letter that is none
        (b"\0" * 8, 6),  # a piece that comes again and again
        (b"\0" * 7, 6),
        (b"", 3),
        (b"", 25),
        ((1 << 60).to_bytes(8, "little"), 6),  # more letters
    ],
)
def test_invalid_sequence_is_rejected(codes: bytes, letters: int) -> None:
    with pytest.raises(QueueError, match="letters"):
        compute_pc_odds(codes, letters)


def test_a_sequence_twice_is_refused() -> None:
    tablebase = PcTablebase.build("srs", 2, 1, PcProgress())
    assert tablebase is not None
    code = next(filter(None, map(tablebase.find_unsolvable, range(300))))[:8]
    assert compute_pc_odds(code, 6)[3].count(b"\n") == 1
    with pytest.raises(QueueError, match="different"):
        compute_pc_odds(code * 2, 6)
    with pytest.raises(QueueError, match="invalid block"):
        tablebase.find_unsolvable(-1)


@pytest.mark.parametrize("option", ["--workers", "--cluster"])
def test_commands_take_workers(option: str, tmp_path: Path, dask_cluster: Any) -> None:
    place = (option, "2" if option == "--workers" else dask_cluster.scheduler_address)
    data = json.loads(sevenbag("pc", "odds", "--height", "2", "--json", *place).stdout)
    assert (data["workers"], data["rows"][2]["possible"]) == (2, 15_132)
    assert "threads" not in data
    solve = sevenbag("pc", "solve", "--height", "2", *place, folder=tmp_path)
    assert solve.stdout == "Solved 3,522 out of 57,750\n"
    chance = sevenbag("pc", "chance", PCO.replace("\n", "/"), "I,*p4", *place)
    assert chance.stdout.startswith("success: 84.64% [711/840]\n")


MEMORY = "1000 processes: expected 3200000 MiB, got"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["odds", "--workers", "2", "--threads", "2"], 2, "not allowed with argument"),
        (["solve", "--workers", "2", "--cluster", "x"], 2, "not allowed with argument"),
        (["chance", "", "*p6", "--workers", "0"], 2, "expected integer from 1 to 1024"),
        (["chance", "", "*p6", "--workers", "4000"], 2, "expected integer from 1 to 1024"),
        (["odds", "--cluster", "nonsense"], 1, "'nonsense': no dask scheduler answers there"),
        (["odds", "--workers", "1000", "--height", "4"], 1, MEMORY),
        (["solve", "--workers", "1000"], 1, MEMORY),
    ],
)
def test_the_commands_refuse(words: list[str], code: int, told: str, tmp_path: Path) -> None:
    done = sevenbag("pc", *words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.faults
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_that_is_ended_leaves_no_worker_and_can_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    words = ["pc", "solve", "--height", "6", "--limit", "100000000", "--workers", "2"]
    process = start(*words, "--save-every", "0.001", folder=tmp_path)
    folder = tmp_path / "pc-data"
    wait_until(lambda: (folder / "6.count").exists() and (folder / "6.pc").stat().st_size > 0)
    workers = descendants(process.pid)
    assert len(workers) == 2
    process.send_signal(number)
    _, error = process.communicate(timeout=120)
    assert process.returncode in (128 + number, -number)
    assert_no_trace(error)
    wait_until(lambda: not any(map(alive, workers)))
    with jobs.ProcessExecutor(2) as executor:
        solve_all_sequences(folder, 6, limit=1000, executor=executor)
    solve_all_sequences(tmp_path / "threads", 6, limit=int((folder / "6.count").read_text()))
    assert read_folder(folder) == read_folder(tmp_path / "threads")
