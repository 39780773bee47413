"""What a contest keeps, in SQLite or PostgreSQL.

`Store` is the way in, its parts are `accounts`, `contests`, `matches` and `audit`; `rows` are what
they give out. Below it are the `database` with its transactions, the `tables`, and the `schema`,
which is brought up to date by `migrations`. `export` writes results for other programs.
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
from sevenbag.contest.store.names import expect_other_than, name_key
from sevenbag.contest.store.rows import (
    UNFINISHED,
    Account,
    Admin,
    AuditRow,
    BotSeat,
    ContestRow,
    ContestState,
    Entrant,
    GameRow,
    Invitation,
    MatchKind,
    MatchRow,
    MatchSeat,
    MatchState,
    Purpose,
    Role,
    Session,
    Team,
)

__all__ = [
    "UNFINISHED",
    "Account",
    "Admin",
    "AuditRow",
    "BotSeat",
    "ContestRow",
    "ContestState",
    "Entrant",
    "GameRow",
    "Invitation",
    "MatchKind",
    "MatchRow",
    "MatchSeat",
    "MatchState",
    "Purpose",
    "Role",
    "Session",
    "Store",
    "Team",
    "expect_other_than",
    "name_key",
]
