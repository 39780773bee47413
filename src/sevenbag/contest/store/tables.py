"""SQL schema of the store as SQLAlchemy tables.

Every change needs a migration; a test compares the two. Times are in seconds since 1970.
"""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.store.rows import Entrant, MatchPlayer

_SLOT_CONDITION: Final = "slot <> '' AND state <> 'called off'"


class JsonText(TypeDecorator[msgspec.Struct]):
    """Text column that holds a struct as JSON."""

    impl = Text
    cache_ok = True

    def __init__(self, struct: type[msgspec.Struct]) -> None:
        super().__init__()
        self.struct = struct
        self._decode = msgspec.json.Decoder(struct).decode

    def process_bind_param(
        self,
        value: msgspec.Struct | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> str | None:
        """Encode a value."""
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> msgspec.Struct | None:
        """Decode a value."""
        return None if value is None else self._decode(value)


class Base(DeclarativeBase):
    """Base of all tables; constraints have stable names for migrations."""

    metadata: ClassVar[MetaData] = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[type, object]] = {
        str: Text,
        float: Double,
        **{
            struct: JsonText(struct)
            for struct in (ContestGameResult, ContestPlan, ContestRules, MatchResult)
        },
    }


class AccountTable:
    """Columns of accounts."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str]
    created: Mapped[float]
    disabled: Mapped[bool]


class TeamTable(AccountTable, Base):
    """Teams."""

    __tablename__ = "teams"


class AdminTable(AccountTable, Base):
    """Administrators."""

    __tablename__ = "admins"


class SessionTable(Base):
    """Logins; only the browser has the token itself."""

    __tablename__ = "sessions"
    __table_args__ = (CheckConstraint("(team_id IS NULL) <> (admin_id IS NULL)", name="one"),)

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"), index=True)
    admin_id: Mapped[int | None] = mapped_column(ForeignKey("admins.id"), index=True)
    created: Mapped[float]
    expires: Mapped[float]


class InvitationTable(Base):
    """Links that can be used once."""

    __tablename__ = "invitations"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    purpose: Mapped[str]
    team_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"))
    expires: Mapped[float]


class ContestTable(Base):
    """Contests."""

    __tablename__ = "contests"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    state: Mapped[str]
    rules: Mapped[ContestRules]
    plan: Mapped[ContestPlan]
    revision: Mapped[int]
    created: Mapped[float]
    began: Mapped[float | None]
    ended: Mapped[float | None]
    teams: Mapped[list[TeamTable]] = relationship(
        secondary="entrants", order_by="EntrantTable.number", viewonly=True
    )

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Teams in seeding order."""
        return tuple(Entrant(team_id=team.id, name=team.name) for team in self.teams)


class EntrantTable(Base):
    """Teams of a contest in seeding order."""

    __tablename__ = "entrants"
    __table_args__ = (Index("uq_entrants_team", "contest_id", "team_id", unique=True),)

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id"))


class MatchTable(Base):
    """Matches of teams or built-in players; games and points are those of stored games."""

    __tablename__ = "matches"

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Index, ...]:
        return (
            # A contest has one match for each slot, even if two schedulers add it.
            Index(
                "uq_matches_slot",
                "contest_id",
                "slot",
                unique=True,
                sqlite_where=text(_SLOT_CONDITION),
                postgresql_where=text(_SLOT_CONDITION),
            ),
        )

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    name: Mapped[str]
    contest_id: Mapped[int | None] = mapped_column(ForeignKey("contests.id"), index=True)
    slot: Mapped[str]
    team_0_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"), index=True)
    team_1_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"), index=True)
    team_0: Mapped[str]
    team_1: Mapped[str]
    bot_0: Mapped[str]
    bot_1: Mapped[str]
    rules: Mapped[ContestRules]
    state: Mapped[str] = mapped_column(index=True)
    server: Mapped[str]
    revision: Mapped[int]
    games_0: Mapped[int]
    games_1: Mapped[int]
    points_0: Mapped[int] = mapped_column(BigInteger)
    points_1: Mapped[int] = mapped_column(BigInteger)
    result: Mapped[MatchResult | None]
    created: Mapped[float]
    placed: Mapped[float | None]
    began: Mapped[float | None]
    ended: Mapped[float | None]

    @property
    def players(self) -> tuple[MatchPlayer, MatchPlayer]:
        """Both players."""
        return (
            MatchPlayer(team=self.team_0, team_id=self.team_0_id, bot=self.bot_0),
            MatchPlayer(team=self.team_1, team_id=self.team_1_id, bot=self.bot_1),
        )

    @property
    def games(self) -> tuple[int, int]:
        """Games won by each player."""
        return self.games_0, self.games_1

    @property
    def points(self) -> tuple[int, int]:
        """Points of each player."""
        return self.points_0, self.points_1


class GameTable(Base):
    """Finished games."""

    __tablename__ = "games"

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    result: Mapped[ContestGameResult]
    kept: Mapped[float]
    replay_bytes: Mapped[int]


class ReplayTable(Base):
    """Replays, separate from games, because lists of games are read without them."""

    __tablename__ = "replays"
    __table_args__ = (
        ForeignKeyConstraint(["match_id", "number"], ["games.match_id", "games.number"]),
    )

    match_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    data: Mapped[bytes]


class MoveCountTable(Base):
    """Numbers of moves of a player in a game, by outcome."""

    __tablename__ = "verdicts"
    __table_args__ = (
        ForeignKeyConstraint(["match_id", "number"], ["games.match_id", "games.number"]),
    )

    match_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    fate: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)


class AuditTable(Base):
    """Entries of the audit log."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    who: Mapped[str]
    what: Mapped[str]
    about: Mapped[str]
    address: Mapped[str]
