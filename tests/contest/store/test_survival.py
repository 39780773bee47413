"""Stored games survive killed processes and crashed database servers."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from sevenbag.contest.store import Store
from sevenbag.errors import StoreUnreachableError
from tests.contest import postgres
from tests.contest.store.dying import replay
from tests.contest.store.entries import ending, game, match

ROOT = Path(__file__).parents[3]


def dying(how: str, url: str, token: str = "") -> list[str]:
    return [sys.executable, "-m", "tests.contest.store.dying", how, url, token]


def told_before_death(url: str, token: str, games: int, delay: float) -> int:
    """Return the number of games that a program reported as stored before it was killed."""
    with subprocess.Popen(
        dying("keep", url, token), stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        last = [child.stdout.readline() for _ in range(games)][-1]
        time.sleep(delay)
        child.kill()
        rest = child.stdout.read().splitlines(keepends=True)
    assert child.returncode == -signal.SIGKILL
    # The last line may be cut off, too.
    return int([line for line in (last, *rest) if line.endswith("\n")][-1])


def check_games(store: Store, token: str, told: int) -> int:
    """Check that every reported game is stored completely; return the number of games."""
    row = store.matches.get(token)
    games = store.matches.list_games(row.id)
    # A stored game may not have been reported.
    assert told <= len(games) <= told + 1
    for number, one in enumerate(games, start=1):
        assert one.result == game(number)
        assert store.matches.read_replay(row.id, number) == replay(number)
    assert row.games == (len(games), 0)
    assert row.points == (300 * len(games), 100 * len(games))
    first = row.players[0].team_id
    assert first is not None
    assert store.teams.count_moves(first) == {"done": 8 * len(games)}
    return len(games)


@pytest.mark.faults
def test_games_survive_killed_writers(url: str, tmp_path: Path) -> None:
    dice = random.Random(1)
    with Store(url) as store:
        token = match(store).token
        for _ in range(3):
            told = told_before_death(url, token, dice.randint(1, 5), dice.random() / 50)
            assert check_games(store, token, told) >= 1
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(tmp_path / "contest.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.faults
def test_games_are_stored_atomically(url: str) -> None:
    """Killed before each statement, and before each commit."""
    with Store(url) as store:
        row = match(store)
    done = subprocess.run(
        dying("each", url, row.token),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
        cwd=ROOT,
    )
    # The match; the game, its replay, its move counts, its sums; COMMIT; ...
    assert int(done.stdout) >= 7
    with Store(url) as store:
        assert check_games(store, row.token, 1) == 1
        assert store.matches.get(row.token).result == ending()


@pytest.mark.postgres
@pytest.mark.faults
def test_games_survive_a_crash_of_the_database_server() -> None:
    if why := postgres.missing():
        pytest.skip(why)
    with postgres.running_server() as server:
        url = server.new_database()
        with Store(url) as store:
            token = match(store).token
            for number in range(1, 4):
                assert store.matches.add_game(token, game(number), replay(number))
                server.crash()
                with pytest.raises(StoreUnreachableError):
                    store.matches.get(token)
                server.restart()
                # Replacing the connections is invisible to callers.
                assert check_games(store, token, number) == number


@pytest.mark.faults
def test_tables_are_created_atomically(url: str) -> None:
    killed = subprocess.run(dying("migrate", url), check=False, timeout=120, cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    engine = create_engine(url)
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == []
    engine.dispose()
    with Store(url) as store:
        assert store.teams.count() == 0


def test_commits_are_synced_to_disk(tmp_path: Path) -> None:
    """SQLite waits for the disk at each commit, for power failures."""
    file = tmp_path / "contest.db"
    asked: list[str] = []
    with Store(f"sqlite:///{file}") as store, closing(sqlite3.connect(file)) as other:
        store.ping()
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        with store.read_transaction() as session:
            connection = session.connection()
            asked += [
                str(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
                for name in ("synchronous", "foreign_keys")
            ]
    # 2 is FULL.
    assert asked == ["2", "1"]
