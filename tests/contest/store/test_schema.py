"""Migrations: old databases are upgraded, others are not changed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from sevenbag.contest.store import Store
from sevenbag.contest.store.database import VERSION_TABLE, list_revisions, migrate
from sevenbag.contest.store.tables import Base
from sevenbag.errors import StoreError, StoreVersionError
from tests.contest.store.entries import match, run_at_once

OLD = Path(__file__).parents[2] / "data" / "contest"
SLOT_INDEX = "uq_matches_slot"


def test_the_tables_are_those_of_the_migrations(store: Store, url: str) -> None:
    engine = create_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True}
        )
        assert compare_metadata(context, Base.metadata) == []
        # These are not compared.
        inspector = inspect(connection)
        for table in Base.metadata.tables.values():
            made = inspector.get_foreign_keys(table.name)
            assert len(made) == len(table.foreign_key_constraints)
        (slot,) = (one for one in inspector.get_indexes("matches") if one["name"] == SLOT_INDEX)
        assert slot["unique"]
        assert any("called off" in str(one) for one in slot.get("dialect_options", {}).values())
    engine.dispose()


@pytest.mark.parametrize("version", list_revisions())
def test_databases_of_every_version_become_of_this_one(url: str, version: str) -> None:
    engine = create_engine(url)
    migrate(engine, url, to=version)
    with engine.connect() as connection:
        found = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
        assert found == version
    with Store(url) as store:
        match(store)
    test_the_tables_are_those_of_the_migrations(store, url)
    engine.dispose()


@pytest.mark.parametrize("file", sorted(OLD.glob("*.sql")), ids=lambda file: file.stem)
def test_stores_of_old_versions(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(file.read_text(encoding="utf-8"))
    expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    with Store(f"sqlite:///{path}") as store:
        assert [team.name for team in store.teams.list()] == expected["teams"]
        (contest,) = store.contests.list()
        assert (contest.name, contest.state) == (expected["contest"], expected["state"])
        assert [one.name for one in contest.entrants] == expected["entrants"]
        rows = store.matches.list_of_contest(contest.id)
        assert [[row.slot, row.state, *row.games, *row.points] for row in rows] == expected[
            "matches"
        ]
        replay = store.matches.read_replay(rows[0].id, 1)
        assert replay is not None
        assert replay.hex() == expected["replay"]
        assert store.teams.count_moves(contest.entrants[0].team_id) == expected["verdicts"]
        assert store.contests.tournament(contest.id).champion == expected["champion"]


def test_many_may_open_a_new_store_at_once(url: str) -> None:
    def open_store(_: int) -> None:
        with Store(url) as store:
            store.ping()

    run_at_once(5, open_store)


def test_a_store_of_a_newer_version_is_left_alone(url: str) -> None:
    with Store(url) as store:
        match(store)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9876'"))
    with pytest.raises(StoreVersionError, match="expected version 0001 or older, got 9876"):
        Store(url).open()
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM matches")) == 1
    engine.dispose()


def test_a_database_of_another_program_is_left_alone(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE teams (players TEXT)"))
    with pytest.raises(StoreVersionError, match="has a table 'teams'"):
        Store(url).open()
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["teams"]
    engine.dispose()


def test_failed_migration_is_rolled_back(url: str) -> None:
    # The last table's name is taken.
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE VIEW audit AS SELECT 1 AS one"))
    with pytest.raises(StoreError, match="audit"):
        Store(url).open()
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == []
    engine.dispose()
