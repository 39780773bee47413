"""Bringing a database's tables up to date, by the migrations beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from sevenbag.contest.store.tables import Base
from sevenbag.errors import StoreVersionError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

VERSION_TABLE: Final = "sevenbag_version"
"""Not Alembic's usual name: another program may keep its tables in the same database."""
_LOCK: Final = 0x7BA6
"""What PostgreSQL knows the migrations' lock by."""


def bring_up(engine: Engine, name: str, *, to: str = "head") -> None:
    """Migrate upwards, in one transaction: all or nothing.

    Args:
        engine: whose transactions are allowed to write.
        name: of the database, for errors.
        to: which version.

    Raises:
        StoreVersionError: the database is of a newer sevenbag, or of another program.
    """
    with engine.execution_options(sevenbag_writes=False).connect() as connection:
        if _version(connection, name) == versions()[0]:
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


def versions() -> tuple[str, ...]:
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
    known = versions()
    if version not in known:
        raise StoreVersionError(
            f"the store {name} was written by a newer sevenbag: it is of version {version}, and "
            f"{known[0]} is the last that is known here"
        )
    return version
