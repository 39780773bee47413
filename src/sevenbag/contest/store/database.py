"""The database below the store: its URL, its transactions, and its errors in our words.

SQLite is set up so that what is committed survives the death of any process and of the machine:
a log that is written ahead, and synced at each commit. It knows one writer at a time; the others
wait in line.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, create_engine, event, exc, inspect, make_url, text
from sqlalchemy.orm import Session

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
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from sqlalchemy import Connection, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

_WRITES: Final = "sevenbag_writes"

_POSTGRESQL: Final = "postgresql+psycopg"

_URLS: Final = "sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE"

_POOL: Final = 8
"""Connections that stay open; as many threads ask at once, usually."""


class Database:
    """Connections to one database, and transactions on them, from any thread.

    Attributes:
        url: as it may be shown: without password.
    """

    def __init__(self, url: str, *, timeout: float, create: bool = True) -> None:
        """Look at the URL; nothing is opened yet.

        Args:
            url: SQLAlchemy's: ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
            patience: seconds to wait for others that write, and for a server to answer.
            may_be_new: whether SQLite's file is made when it is not there.

        Raises:
            StoreUrlError: it is none of these.
            MissingExtraError: the driver for PostgreSQL is not installed.
        """
        self._url = _checked(url)
        self._patience = timeout
        self._may_be_new = create
        self._engine: Engine | None = None
        self._turn = threading.Lock()
        # What drivers take besides, a password among it, is not shown.
        self.url = self._url.set(query={}).render_as_string(hide_password=True)

    def open(self) -> None:
        """Connect, and bring the tables up to date.

        Raises:
            StoreError: it cannot be opened; the kind says why.
        """
        if self._engine is not None:
            return
        if self._is_sqlite:
            self._prepare_file()
        engine = self._sqlite() if self._is_sqlite else self._postgresql()
        self._engine = engine
        try:
            with self._in_our_words():
                if self._is_sqlite:
                    self._write_ahead(engine)
                migrate(engine.execution_options(**{_WRITES: True}), self.url)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    @contextmanager
    def read_transaction(self) -> Generator[Session]:
        """A transaction that sees the database as it is at one moment."""
        engine = self._opened()
        if not self._is_sqlite:
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with self._in_our_words(), Session(engine) as session:
            yield session

    @contextmanager
    def write_transaction(self) -> Generator[Session]:
        """A transaction that is on disk as a whole when the block ends, or leaves nothing.

        Raises:
            sqlalchemy.exc.IntegrityError: somebody else wrote what may be there only once.
        """
        engine = self._opened().execution_options(**{_WRITES: True})
        with self._in_our_words(), self._in_turn(), Session(engine) as session, session.begin():
            yield session

    # --- helpers ----------------------------------------------------------------------------

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    def _opened(self) -> Engine:
        if self._engine is None:
            raise StoreError(f"the store {self.url} is not open")
        return self._engine

    @contextmanager
    def _in_turn(self) -> Generator[None]:
        """Threads of ours write to SQLite in turn; its own lock is polled, and not fair."""
        if not self._is_sqlite:
            yield
            return
        if not self._turn.acquire(timeout=self._patience):
            raise StoreLockedError(f"the store {self.url} is busy for {self._patience:g} s")
        try:
            yield
        finally:
            self._turn.release()

    def _prepare_file(self) -> None:
        name = self._url.database or ""
        if name.startswith("file:"):
            return
        file = Path(name)
        if not file.parent.is_dir():
            raise StoreUnreachableError(
                f"the store {self.url} cannot be opened: there is no folder {file.parent}"
            )
        if not self._may_be_new and not file.exists():
            raise StoreUnreachableError(
                f"the store {self.url} cannot be opened: there is no file {file}"
            )
        try:
            # Hashes of passwords are nobody else's business.
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        except PermissionError:
            # It may still be readable.
            return
        except OSError as error:
            raise StoreUnreachableError(
                f"the store {self.url} cannot be opened: {error.strerror}"
            ) from None

    def _sqlite(self) -> Engine:
        engine = create_engine(
            self._url,
            pool_size=_POOL,
            max_overflow=-1,
            hide_parameters=True,
            # Transactions begin where we say so, below.
            connect_args={"timeout": self._patience, "isolation_level": None},
        )

        def set_up(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")

        def begin(connection: Connection) -> None:
            # Who reads first and writes then may find that another has written in between, and
            # is told that the database is locked, at once; who will write says so at the start.
            writes = connection.get_execution_options().get(_WRITES, False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        event.listen(engine, "connect", set_up)
        event.listen(engine, "begin", begin)
        return engine

    def _postgresql(self) -> Engine:
        engine = create_engine(
            self._url,
            pool_size=_POOL,
            max_overflow=-1,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"connect_timeout": max(2, round(self._patience))},
        )
        patience_ms = max(1, round(1_000 * self._patience))

        def set_up(connection: Any, _: ConnectionPoolEntry) -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = {patience_ms}")
                cursor.execute(f"SET statement_timeout = {6 * patience_ms}")
            connection.commit()

        event.listen(engine, "connect", set_up)
        return engine

    def _write_ahead(self, engine: Engine) -> None:
        """Switch to the log that is written ahead, which stays on for good."""
        until = time.monotonic() + self._patience
        raw = engine.raw_connection()
        try:
            cursor = raw.cursor()
            while True:
                try:
                    if cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                        cursor.execute("PRAGMA journal_mode = WAL")
                    return
                except sqlite3.OperationalError as error:
                    # SQLite does not wait for this lock by itself.
                    if _sqlite_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                        raise
                    time.sleep(0.02)
        finally:
            raw.close()

    @contextmanager
    def _in_our_words(self) -> Generator[None]:
        """Errors of SQLAlchemy and drivers as ours; without the statements, which nobody needs."""
        try:
            yield
        except exc.IntegrityError:
            raise
        except exc.TimeoutError:
            raise StoreLockedError(f"the store {self.url} has no connection free") from None
        except exc.DBAPIError as error:
            raise self._translated(error.orig) from None
        except sqlite3.Error as error:
            raise self._translated(error) from None
        except OverflowError:
            raise InputError("a number is too large for the store") from None
        except msgspec.DecodeError as error:
            raise StoreCorruptError(
                f"the store {self.url} holds something that is not understood: {error}"
            ) from None

    def _translated(self, error: BaseException | None) -> StoreError:
        kind, why = _meaning(error)
        said = str(error).strip().partition("\n")[0]
        return kind(f"the store {self.url} {why}: {said}")


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):
        # The text itself is not shown: it may hold a password.
        raise StoreUrlError(f"the store's URL cannot be read; it is {_URLS}") from None
    if parsed.drivername in {"postgres", "postgresql"}:
        parsed = parsed.set(drivername=_POSTGRESQL)
    if parsed.drivername in {"sqlite", "sqlite+pysqlite"}:
        if parsed.host or parsed.database in {None, "", ":memory:"}:
            raise StoreUrlError(
                "the store's URL names no file; it is sqlite:///FILE, or sqlite:////FOLDER/FILE"
            )
        return parsed
    if parsed.drivername != _POSTGRESQL:
        raise StoreUrlError(f"the store cannot be in {parsed.drivername!r}; its URL is {_URLS}")
    try:
        importlib.import_module("psycopg")
    except ImportError as error:
        raise MissingExtraError(
            "a store in PostgreSQL needs the package psycopg: pip install 'sevenbag[postgres]'"
        ) from error
    return parsed


_LOCKED: Final = (StoreLockedError, "is locked by another")

_UNREACHABLE: Final = (StoreUnreachableError, "cannot be reached")

_READ_ONLY: Final = (StoreUnreachableError, "can be read only")

_FULL: Final = (StoreUnreachableError, "has no room left")

_CORRUPT: Final = (StoreCorruptError, "is damaged")

_OTHER: Final = (StoreError, "cannot do this")

_OF_SQLITE: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _UNREACHABLE,
    sqlite3.SQLITE_IOERR: _UNREACHABLE,
    sqlite3.SQLITE_CANTOPEN: _UNREACHABLE,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CORRUPT: _CORRUPT,
    sqlite3.SQLITE_NOTADB: (StoreCorruptError, "is no database"),
}

# By SQLSTATE, or its first two signs, which name the class.
_OF_POSTGRESQL: Final[dict[str, tuple[type[StoreError], str]]] = {
    "55P03": _LOCKED,
    "57014": _LOCKED,
    "40P01": _LOCKED,
    "25006": _READ_ONLY,
    "42501": (StoreUnreachableError, "denies this"),
    "53": _FULL,
    "08": _UNREACHABLE,
    "28": (StoreUnreachableError, "turns us away"),
    "3D": (StoreUnreachableError, "is not there"),
    "57": _UNREACHABLE,
    "XX": _CORRUPT,
    "22003": (StoreError, "takes no such number"),
}


def _meaning(error: BaseException | None) -> tuple[type[StoreError], str]:
    if isinstance(error, sqlite3.Error):
        return _OF_SQLITE.get(_sqlite_code(error), _OTHER)
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return _OF_POSTGRESQL.get(state) or _OF_POSTGRESQL.get(state[:2]) or _OTHER
    # Without a state there was no server to give one.
    return _UNREACHABLE


def _sqlite_code(error: sqlite3.Error) -> int:
    # Extended codes have the plain one in their lowest byte.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def ping(database: Database) -> None:
    """Ask something that every database can answer.

    Raises:
        StoreError: it does not answer.
    """
    with database.read_transaction() as session:
        session.execute(text("SELECT 1"))


VERSION_TABLE: Final = "sevenbag_version"
"""Not Alembic's usual name: another program may keep its tables in the same database."""

_LOCK: Final = 0x7BA6
"""What PostgreSQL knows the migrations' lock by."""


def migrate(engine: Engine, name: str, *, to: str = "head") -> None:
    """Migrate upwards, in one transaction: all or nothing.

    Args:
        engine: whose transactions are allowed to write.
        name: of the database, for errors.
        to: which version.

    Raises:
        StoreVersionError: the database is of a newer sevenbag, or of another program.
    """
    with engine.execution_options(sevenbag_writes=False).connect() as connection:
        if _version(connection, name) == list_revisions()[0]:
            # Nothing to do, which also a database that can be read only allows.
            return
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Several programs may start at once; those that waited find nothing left to do.
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        _version(connection, name)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def list_revisions() -> tuple[str, ...]:
    """All that are known, the newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(script.revision for script in scripts.walk_revisions())


# --- helpers ------------------------------------------------------------------------------------


def _config() -> Config:
    config = Config()
    folder = Path(__file__).parent / "migrations"
    # Its reader takes % for the start of a name.
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    return config


def _version(connection: Connection, name: str) -> str | None:
    """The version that a database is of; None for an empty one."""
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    version = context.get_current_revision()
    if version is None:
        foreign = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
        if foreign:
            raise StoreVersionError(
                f"the database {name} is no contest's store, but has a table {min(foreign)!r}: "
                "give an empty one"
            )
        return None
    known = list_revisions()
    if version not in known:
        raise StoreVersionError(
            f"the store {name} was written by a newer sevenbag: it is of version {version}, and "
            f"{known[0]} is the last that is known here"
        )
    return version
