"""A tournament on a cluster has the same results as in this process."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from sevenbag import jobs
from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament.tournament_config import TournamentSettings, create_header
from sevenbag.arena.tournament.tournament_files import GameRecord, read_result
from tests.arena.tournament.test_tournament_runner import BEAMS, RULES, engines, essence, play
from tests.cluster import dask_cluster, get_worker_pid

__all__ = ["dask_cluster"]


def test_a_cluster_plays_the_same_games(dask_cluster: Any, tmp_path: Path) -> None:
    header = create_header("swiss", engines(*BEAMS), TournamentSettings(games=2, pieces=30), RULES)
    here = play(tmp_path / "here", header)
    there = play(tmp_path / "there", header, jobs.DaskExecutor(dask_cluster.scheduler_address))
    assert essence(here) == essence(there)


@pytest.mark.faults
def test_a_test_on_a_cluster_that_loses_a_worker_decides_the_same(
    dask_cluster: Any, tmp_path: Path
) -> None:
    sprt = Sprt(elo0=0, elo1=100)
    header = create_header(
        "match", engines(*BEAMS[:2]), TournamentSettings(pieces=25), RULES, sprt=sprt
    )
    here = play(tmp_path / "here", header, jobs.ProcessExecutor(2))
    killed: list[int] = []

    def kill(_: GameRecord) -> None:
        if not killed:
            killed.append(get_worker_pid(dask_cluster, 0))
            os.kill(killed[0], signal.SIGKILL)

    there = play(
        tmp_path / "there", header, jobs.DaskExecutor(dask_cluster.scheduler_address), kill
    )
    assert killed
    assert essence(here) == essence(there)
    assert read_result(tmp_path / "here") == read_result(tmp_path / "there")
