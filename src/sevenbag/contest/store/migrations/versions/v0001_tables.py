"""The first tables: accounts, contests, matches, games.

Names of constraints follow from the convention in `sevenbag.contest.store.tables`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _accounts()
    _contests()
    _matches()
    _games()
    op.create_table(
        "audit",
        _key("id"),
        _time("at"),
        _text("who"),
        _text("what"),
        _text("about"),
        _text("address"),
    )


def _accounts() -> None:
    for table in ("teams", "admins"):
        op.create_table(
            table,
            _key("id"),
            _text("name"),
            sa.Column("name_key", sa.Text, nullable=False, unique=True),
            _text("password_hash"),
            _time("created"),
            sa.Column("disabled", sa.Boolean, nullable=False),
        )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.LargeBinary, primary_key=True),
        sa.Column("team_id", sa.Integer, sa.ForeignKey("teams.id"), index=True),
        sa.Column("admin_id", sa.Integer, sa.ForeignKey("admins.id"), index=True),
        _time("created"),
        _time("expires"),
        sa.CheckConstraint("(team_id IS NULL) <> (admin_id IS NULL)", name="one"),
    )
    op.create_table(
        "invitations",
        sa.Column("token_hash", sa.LargeBinary, primary_key=True),
        _text("purpose"),
        sa.Column("team_id", sa.Integer, sa.ForeignKey("teams.id")),
        _time("expires"),
    )


def _contests() -> None:
    op.create_table(
        "contests",
        _key("id"),
        _text("name"),
        _text("state"),
        _text("rules"),
        _text("plan"),
        _count("revision"),
        _time("created"),
        sa.Column("began", sa.Double),
        sa.Column("ended", sa.Double),
    )
    op.create_table(
        "entrants",
        sa.Column("contest_id", sa.Integer, sa.ForeignKey("contests.id"), primary_key=True),
        _part_of_key("number"),
        sa.Column("team_id", sa.Integer, sa.ForeignKey("teams.id"), nullable=False),
    )
    op.create_index("uq_entrants_team", "entrants", ["contest_id", "team_id"], unique=True)


def _matches() -> None:
    op.create_table(
        "matches",
        _key("id"),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        _text("kind"),
        _text("name"),
        sa.Column("contest_id", sa.Integer, sa.ForeignKey("contests.id"), index=True),
        _text("slot"),
        sa.Column("team_0_id", sa.Integer, sa.ForeignKey("teams.id"), index=True),
        sa.Column("team_1_id", sa.Integer, sa.ForeignKey("teams.id"), index=True),
        _text("team_0"),
        _text("team_1"),
        _text("bot_0"),
        _text("bot_1"),
        _text("rules"),
        sa.Column("state", sa.Text, nullable=False, index=True),
        _text("server"),
        _count("revision"),
        _count("games_0"),
        _count("games_1"),
        sa.Column("points_0", sa.BigInteger, nullable=False),
        sa.Column("points_1", sa.BigInteger, nullable=False),
        sa.Column("result", sa.Text),
        _time("created"),
        sa.Column("placed", sa.Double),
        sa.Column("began", sa.Double),
        sa.Column("ended", sa.Double),
    )
    a_slot = sa.text("slot <> '' AND state <> 'called off'")
    op.create_index(
        "uq_matches_slot",
        "matches",
        ["contest_id", "slot"],
        unique=True,
        sqlite_where=a_slot,
        postgresql_where=a_slot,
    )


def _games() -> None:
    op.create_table(
        "games",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True),
        _part_of_key("number"),
        _text("result"),
        _time("kept"),
        _count("replay_bytes"),
    )
    op.create_table(
        "replays",
        _part_of_key("match_id"),
        _part_of_key("number"),
        sa.Column("data", sa.LargeBinary, nullable=False),
        _of_a_game(),
    )
    op.create_table(
        "verdicts",
        _part_of_key("match_id"),
        _part_of_key("number"),
        _part_of_key("seat"),
        sa.Column("fate", sa.Text, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        _of_a_game(),
    )


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True)


def _part_of_key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _time(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _of_a_game() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["match_id", "number"], ["games.match_id", "games.number"])
