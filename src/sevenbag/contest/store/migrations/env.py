"""Environment of Alembic; `sevenbag.contest.store.database` passes the connection."""

from __future__ import annotations

from alembic import context

from sevenbag.contest.store.database import VERSION_TABLE
from sevenbag.contest.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    # SQLite rolls back schema changes as well, because transactions begin explicitly.
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
