"""Errors about databases, which do not contain passwords."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from sevenbag.contest.store import Store
from sevenbag.errors import (
    InputError,
    MissingExtraError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreUrlError,
)
from tests.contest import postgres
from tests.contest.store.entries import game, match, run_at_once, teams


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "invalid store URL"),
        ("contest.db", "invalid store URL"),
        ("/var/lib/contest.db", "invalid store URL"),
        ("sqlite://", "expected sqlite:///FILE"),
        ("sqlite:///", "expected sqlite:///FILE"),
        ("sqlite:///:memory:", "expected sqlite:///FILE"),
        ("sqlite://contest.db", "expected sqlite:///FILE"),
        ("mysql://u:hunter2@h/d", "got 'mysql'"),
        ("postgresql+asyncpg://u:hunter2@h/d", "got 'postgresql.asyncpg'"),
        ("postgresql://u:hunter2@h:port/d", "invalid store URL"),
    ],
)
def test_invalid_urls(url: str, words: str) -> None:
    with pytest.raises(StoreUrlError, match=words) as refused:
        Store(url)
    assert "sqlite:///FILE" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_missing_postgresql_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"sevenbag\[postgres\]"):
        Store("postgresql://u@h/d")


@pytest.mark.parametrize("package", ["sqlalchemy", "alembic"])
def test_missing_packages(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import sevenbag.contest.store"
    done = subprocess.run(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    assert done.stderr.splitlines()[-1] == (
        f"sevenbag.errors.MissingExtraError: a contest's store needs the package {package}: "
        "pip install 'sevenbag[contest]'"
    )


def test_passwords_in_urls_are_not_shown() -> None:
    pytest.importorskip("psycopg")
    for url in (
        "postgresql://u:hunter2@127.0.0.1:1/d",
        "postgres://u@127.0.0.1:1/d?password=hunter2",
    ):
        store = Store(url, timeout=2)
        with pytest.raises(StoreUnreachableError, match=r"127\.0\.0\.1") as refused:
            store.open()
        assert "hunter2" not in f"{store.url} {refused.value!r} {refused.value.__cause__!r}"


def test_missing_folder(tmp_path: Path) -> None:
    folder = tmp_path / "no" / "such"
    with pytest.raises(StoreUnreachableError, match=f"no folder {folder}"):
        Store(f"sqlite:///{folder}/contest.db").open()
    with pytest.raises(StoreUnreachableError, match="cannot be opened"):
        Store(f"sqlite:///{tmp_path}").open()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"no database at all, but some text of more than 100 bytes" * 9])
def test_file_of_another_kind_is_not_changed(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "contest.db"
    file.write_bytes(data)
    with pytest.raises(StoreCorruptError, match="is not a database"):
        Store(f"sqlite:///{file}").open()
    assert file.read_bytes() == data


def test_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    with Store(f"sqlite:///{file}") as store:
        match(store)
    with file.open("r+b") as raw:
        # All but the first page, which identifies the file as a database.
        raw.seek(4096)
        raw.write(os.urandom(file.stat().st_size - 4096))
    with pytest.raises(StoreError) as told, Store(f"sqlite:///{file}") as store:
        store.teams.list()
    assert str(file) in str(told.value)


def test_read_only_store(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    with Store(f"sqlite:///{file}") as store:
        match(store)
    with Store(f"sqlite:///file:{file}?mode=ro&uri=true") as store:
        assert store.teams.count() == 2
        with pytest.raises(StoreUnreachableError, match="is read-only"):
            teams(store, "three")


def test_store_locked_by_another_program(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    url = f"sqlite:///{file}"
    with Store(url) as store:
        row = match(store)
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as other,
        Store(url, timeout=0.1) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError, match="locked"):
            store.matches.add_game(row.token, game(1), b"")
        # Readers are not affected.
        assert store.matches.get(row.token) == row
        other.execute("ROLLBACK")
        assert store.matches.add_game(row.token, game(1), b"")


@pytest.mark.postgres
def test_server_locked_by_another_program(postgresql: postgres.Server) -> None:
    import psycopg  # noqa: PLC0415

    url = postgresql.new_database()
    database = url.partition("?")[0].rpartition("/")[2]
    with Store(url, timeout=0.2) as store:
        row = match(store)
        with psycopg.connect(f"host={postgresql.folder} user=owner dbname={database}") as other:
            other.execute("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreLockedError, match="locked"):
                store.matches.add_game(row.token, game(1), b"")
        assert store.matches.add_game(row.token, game(1), b"")


@pytest.mark.postgres
def test_missing_database(postgresql: postgres.Server) -> None:
    with pytest.raises(StoreUnreachableError, match="does not exist"):
        Store(postgresql.url("nowhere")).open()
    with pytest.raises(StoreUnreachableError, match="no_such_role"):
        Store(postgresql.url().replace("owner@", "no_such_role@")).open()


def test_closed_store(url: str) -> None:
    store = Store(url)
    with pytest.raises(StoreError, match="not open"):
        store.ping()
    store.open()
    store.ping()
    store.open()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="not open"):
        store.teams.count()
    with store:
        assert store.teams.count() == 0


def test_files_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    with Store(f"sqlite:///{file}") as store:
        teams(store, "one")
        for each in tmp_path.iterdir():
            assert stat.S_IMODE(each.stat().st_mode) == 0o600, each


def test_many_threads_write_and_read_at_once(store: Store) -> None:
    rows = [match(store, f"a{number}", f"b{number}") for number in range(8)]

    def play(number: int) -> None:
        token = rows[number].token
        for game_number in range(1, 9):
            assert store.matches.add_game(token, game(game_number), bytes(1_000))
            assert len(store.matches.list_game_results(token)) == game_number
            store.matches.list()

    run_at_once(8, play)
    assert [row.games for row in store.matches.list_unfinished()] == [(8, 0)] * 8


def test_invalid_data_in_a_row(store: Store, url: str) -> None:
    row = match(store)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text('UPDATE matches SET rules = \'{"game": {"colour": 1}}\''))
    engine.dispose()
    with pytest.raises(StoreCorruptError, match="colour"):
        store.matches.get(row.token)


def test_numbers_out_of_range(store: Store) -> None:
    row = match(store)
    with pytest.raises((InputError, StoreError), match="number"):
        store.matches.add_game(row.token, game(1, scores=(2**63, 0)), b"")
    assert store.matches.list_game_results(row.token) == ()


def test_full_disk_rolls_back(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path / 'contest.db'}") as store:
        row = match(store)
        # The one connection that there is can write some pages more.
        with store.read_transaction() as session:
            pages = session.scalar(text("PRAGMA page_count"))
            session.execute(text(f"PRAGMA max_page_count = {pages + 2}"))
        with pytest.raises(StoreUnreachableError, match="no space left"):
            store.matches.add_game(row.token, game(1), bytes(100_000))
        assert store.matches.list_game_results(row.token) == ()
        assert store.matches.get(row.token).games == (0, 0)


def test_new_store_locked_by_another_program(tmp_path: Path) -> None:
    file = tmp_path / "contest.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreLockedError, match="locked"):
            Store(f"sqlite:///{file}", timeout=0.1).open()
