"""Store the teams, contests, matches and games of a contest in SQLite or PostgreSQL.

`Store` is the entry point; its parts are in `accounts`, `contest_store` and `match_store`, and
`rows` has the values that they return. `database` has transactions and migrations, `tables` the
SQL schema, and `export` writes results for other programs.
"""

from __future__ import annotations

from sevenbag.errors import MissingExtraError

try:
    from sevenbag.contest.store.store import Store
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in {"alembic", "sqlalchemy"}:
        raise
    raise MissingExtraError(
        f"a contest's store needs the package {_error.name}: pip install 'sevenbag[contest]'"
    ) from _error
from sevenbag.contest.store.rows import (
    UNFINISHED,
    Account,
    Admin,
    BuiltinEntrant,
    ContestRow,
    ContestState,
    GameRow,
    Invitation,
    LoginSession,
    MatchRow,
    MatchState,
    Role,
    Team,
    name_key,
    reject_reserved_name,
)

__all__ = [
    "UNFINISHED",
    "Account",
    "Admin",
    "BuiltinEntrant",
    "ContestRow",
    "ContestState",
    "GameRow",
    "Invitation",
    "LoginSession",
    "MatchRow",
    "MatchState",
    "Role",
    "Store",
    "Team",
    "name_key",
    "reject_reserved_name",
]
