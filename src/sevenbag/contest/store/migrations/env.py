"""What Alembic runs for each migration; `sevenbag.contest.store.database` gives the connection."""

from __future__ import annotations

from alembic import context

from sevenbag.contest.store.database import VERSION_TABLE
from sevenbag.contest.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    # SQLite undoes changes of tables, too, when it is told when transactions begin.
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
