"""Connection to the database: URL, transactions, migrations and translation of errors.

SQLite uses a write-ahead log that is synced at each commit, so that commits survive a crash of the
process or the machine. It has one writer at a time; others wait.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import msgspec
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Select,
    create_engine,
    event,
    exc,
    inspect,
    make_url,
    text,
)
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.pool import ConnectionPoolEntry

from sevenbag.contest.store.rows import MAX_ID, is_id
from sevenbag.contest.store.tables import Base
from sevenbag.errors import (
    InputError,
    MissingExtraError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreUrlError,
    StoreVersionError,
    UnknownEntryError,
)

_Table = TypeVar("_Table", bound=Base)

_WRITES: Final = "sevenbag_writes"
_POSTGRESQL: Final = "postgresql+psycopg"
_URLS: Final = "sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE"

_POOL_SIZE: Final = 8
"""Connections that stay open, for as many threads at once."""


class Database:
    """Connections to one database, and transactions on them, from any thread."""

    def __init__(self, url: str, *, timeout: float, create: bool) -> None:
        self._url = _parse_url(url)
        self._timeout = timeout
        self._create = create
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        # Driver options are not shown, since they may include a password.
        self.url = self._url.set(query={}).render_as_string(hide_password=True)

    def open(self) -> Self:
        """Connect and migrate the tables; several programs may do so at the same time.

        Raises:
            StoreUnreachableError: missing folder or server, or rejected login.
            StoreLockedError: locked by another program.
            StoreVersionError: written by a newer sevenbag or by another program.
            StoreCorruptError: damaged, or not a database.
        """
        if self._engine is not None:
            return self
        if self._is_sqlite:
            self._prepare_file()
        engine = self._create_sqlite() if self._is_sqlite else self._create_postgresql()
        self._engine = engine
        try:
            with self._translated_errors():
                if self._is_sqlite:
                    self._enable_write_ahead_log(engine)
                migrate(engine.execution_options(**{_WRITES: True}), self.url)
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Close all connections; the database can be opened again."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def read_transaction(self) -> Generator[Session]:
        """Open a transaction that reads one snapshot of the database."""
        engine = self._open_engine()
        if not self._is_sqlite:
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with self._translated_errors(), Session(engine) as session:
            yield session

    @contextmanager
    def write_transaction(self) -> Generator[Session]:
        """Open a transaction that is durable when the block ends, or rolled back on an error.

        Raises:
            sqlalchemy.exc.IntegrityError: a unique value is already stored.
        """
        engine = self._open_engine().execution_options(**{_WRITES: True})
        with (
            self._translated_errors(),
            self._write_lock(),
            Session(engine) as session,
            session.begin(),
        ):
            yield session

    def ping(self) -> None:
        """Raise a StoreError if the database does not answer; its class gives the reason."""
        with self.read_transaction() as session:
            session.execute(text("SELECT 1"))

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    def _open_engine(self) -> Engine:
        if self._engine is None:
            raise StoreError(f"the store {self.url} is not open")
        return self._engine

    @contextmanager
    def _write_lock(self) -> Generator[None]:
        """Let threads write to SQLite in turn, since its own lock is polled and not fair."""
        if not self._is_sqlite:
            yield
            return
        if not self._lock.acquire(timeout=self._timeout):
            raise StoreLockedError(f"the store {self.url} is busy for {self._timeout:g} s")
        try:
            yield
        finally:
            self._lock.release()

    def _prepare_file(self) -> None:
        name = self._url.database or ""
        if name.startswith("file:"):
            return
        file = Path(name)
        problem = ""
        if not file.parent.is_dir():
            problem = f"no folder {file.parent}"
        elif not self._create and not file.exists():
            problem = f"no file {file}"
        if problem:
            raise StoreUnreachableError(f"the store {self.url} cannot be opened: {problem}")
        try:
            # Readable by the owner only, because of the password hashes.
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        except PermissionError:
            # The file may still be readable.
            return
        except OSError as error:
            raise StoreUnreachableError(
                f"the store {self.url} cannot be opened: {error.strerror}"
            ) from None

    def _create_engine(self, **options: object) -> Engine:
        return create_engine(
            self._url, pool_size=_POOL_SIZE, max_overflow=-1, hide_parameters=True, **options
        )

    def _create_sqlite(self) -> Engine:
        # Transactions begin in `begin` below.
        engine = self._create_engine(
            connect_args={"timeout": self._timeout, "isolation_level": None}
        )

        def configure(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")

        def begin(connection: Connection) -> None:
            # If another program writes between a read and a write of one transaction, SQLite
            # reports a lock at once, so writers take the lock at the start.
            writes = connection.get_execution_options().get(_WRITES, False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        event.listen(engine, "connect", configure)
        event.listen(engine, "begin", begin)
        return engine

    def _create_postgresql(self) -> Engine:
        engine = self._create_engine(
            pool_pre_ping=True, connect_args={"connect_timeout": max(2, round(self._timeout))}
        )
        timeout_ms = max(1, round(1_000 * self._timeout))

        def configure(connection: Any, _: ConnectionPoolEntry) -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = {timeout_ms}")
                cursor.execute(f"SET statement_timeout = {6 * timeout_ms}")
            connection.commit()

        event.listen(engine, "connect", configure)
        return engine

    def _enable_write_ahead_log(self, engine: Engine) -> None:
        """Switch to the write-ahead log; the setting is permanent."""
        until = time.monotonic() + self._timeout
        raw = engine.raw_connection()
        try:
            cursor = raw.cursor()
            while True:
                try:
                    if cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                        cursor.execute("PRAGMA journal_mode = WAL")
                    return
                except sqlite3.OperationalError as error:
                    # SQLite does not wait for this lock itself.
                    if _sqlite_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                        raise
                    time.sleep(0.02)
        finally:
            raw.close()

    @contextmanager
    def _translated_errors(self) -> Generator[None]:
        """Translate errors of SQLAlchemy and drivers, without the SQL statements."""
        try:
            yield
        except exc.IntegrityError:
            raise
        except exc.TimeoutError:
            raise StoreLockedError(f"the store {self.url} has no connection free") from None
        except exc.DBAPIError as error:
            raise self._translate(error.orig) from None
        except sqlite3.Error as error:
            raise self._translate(error) from None
        except OverflowError:
            raise InputError("number too large for the store") from None
        except msgspec.DecodeError as error:
            raise StoreCorruptError(
                f"the store {self.url} contains invalid data: {error}"
            ) from None

    def _translate(self, error: BaseException | None) -> StoreError:
        kind, problem = _classify(error)
        reason = str(error).strip().partition("\n")[0]
        return kind(f"the store {self.url} {problem}: {reason}")


class StorePart:
    """Base of the parts of a store; the clock returns seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):
        # The URL is not shown, since it may contain a password.
        raise StoreUrlError(f"invalid store URL: expected {_URLS}") from None
    if parsed.drivername in {"postgres", "postgresql"}:
        parsed = parsed.set(drivername=_POSTGRESQL)
    if parsed.drivername in {"sqlite", "sqlite+pysqlite"}:
        if parsed.host or parsed.database in {None, "", ":memory:"}:
            raise StoreUrlError(
                "invalid store URL: expected sqlite:///FILE or sqlite:////FOLDER/FILE"
            )
        return parsed
    if parsed.drivername != _POSTGRESQL:
        raise StoreUrlError(f"invalid store URL: expected {_URLS}, got {parsed.drivername!r}")
    try:
        importlib.import_module("psycopg")
    except ImportError as error:
        raise MissingExtraError(
            "a store in PostgreSQL needs the package psycopg: pip install 'sevenbag[postgres]'"
        ) from error
    return parsed


_LOCKED: Final = (StoreLockedError, "is locked by another program")
_UNREACHABLE: Final = (StoreUnreachableError, "cannot be reached")
_READ_ONLY: Final = (StoreUnreachableError, "is read-only")
_FULL: Final = (StoreUnreachableError, "has no space left")
_CORRUPT: Final = (StoreCorruptError, "is damaged")
_OTHER: Final = (StoreError, "cannot do this")
_SQLITE_ERRORS: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _UNREACHABLE,
    sqlite3.SQLITE_IOERR: _UNREACHABLE,
    sqlite3.SQLITE_CANTOPEN: _UNREACHABLE,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CORRUPT: _CORRUPT,
    sqlite3.SQLITE_NOTADB: (StoreCorruptError, "is not a database"),
}

# By SQLSTATE, or its class, the first two characters.
_POSTGRESQL_ERRORS: Final[dict[str, tuple[type[StoreError], str]]] = {
    "55P03": _LOCKED,
    "57014": _LOCKED,
    "40P01": _LOCKED,
    "25006": _READ_ONLY,
    "42501": (StoreUnreachableError, "denies permission"),
    "53": _FULL,
    "08": _UNREACHABLE,
    "28": (StoreUnreachableError, "rejects the login"),
    "3D": (StoreUnreachableError, "does not exist"),
    "57": _UNREACHABLE,
    "XX": _CORRUPT,
    "22003": (StoreError, "rejects a number out of range"),
}


def _classify(error: BaseException | None) -> tuple[type[StoreError], str]:
    if isinstance(error, sqlite3.Error):
        return _SQLITE_ERRORS.get(_sqlite_code(error), _OTHER)
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRESQL_ERRORS.get(state) or _POSTGRESQL_ERRORS.get(state[:2]) or _OTHER
    # Without a SQLSTATE the server did not answer.
    return _UNREACHABLE


def _sqlite_code(error: sqlite3.Error) -> int:
    # The lowest byte of an extended code is the primary code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


VERSION_TABLE: Final = "sevenbag_version"
"""Differs from Alembic's default, since another program may use the same database."""
_MIGRATION_LOCK: Final = 0x7BA6
"""Number of PostgreSQL's advisory lock for migrations."""


def migrate(engine: Engine, name: str, *, to: str = "head") -> None:
    """Upgrade the tables to a revision in one transaction; `name` is for errors.

    Raises:
        StoreVersionError: written by a newer sevenbag or by another program.
    """
    with engine.execution_options(sevenbag_writes=False).connect() as connection:
        if _read_version(connection, name) == list_revisions()[0]:
            # Nothing to do, so a read-only database can be opened.
            return
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Of several programs that start at once, only the first one migrates.
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
        _read_version(connection, name)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def list_revisions() -> tuple[str, ...]:
    """Return all known revisions, the newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(script.revision for script in scripts.walk_revisions())


def get_row(session: Session, table: type[_Table], number: int, kind: str) -> _Table:
    """Return the row with a number, which may be invalid; `kind` is for the error.

    Raises:
        UnknownEntryError: no such row.
    """
    row = session.get(table, number) if is_id(number) else None
    if row is None:
        raise unknown_entry(kind, number)
    return row


def unknown_entry(kind: str, number: int) -> UnknownEntryError:
    """Return the error about a missing row."""
    return UnknownEntryError(f"unknown {kind} with number {number}")


def newest_first(
    query: Select[_Table], number: InstrumentedAttribute[int], limit: int | None, before: int | None
) -> Select[_Table]:
    """Return a query for the next page of rows after `before`, the newest first."""
    last = MAX_ID if before is None else min(before - 1, MAX_ID)
    return query.where(number <= last).order_by(number.desc()).limit(limit)


def _config() -> Config:
    config = Config()
    folder = Path(__file__).parent / "migrations"
    # Alembic interpolates % in its settings.
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    return config


def _read_version(connection: Connection, name: str) -> str | None:
    """Return the revision of a database; None for an empty one."""
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    version = context.get_current_revision()
    if version is None:
        foreign = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
        if foreign:
            raise StoreVersionError(
                f"the database {name} is not a contest's store, but has a table {min(foreign)!r}; "
                "use an empty database"
            )
        return None
    known = list_revisions()
    if version not in known:
        raise StoreVersionError(
            f"the store {name} was written by a newer sevenbag: expected version {known[0]} or "
            f"older, got {version}"
        )
    return version
