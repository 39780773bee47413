"""Teams, admins, sessions, invitations and the audit log."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError

from sevenbag.contest.store.rows import (
    MAX_ID,
    Account,
    Admin,
    AuditRow,
    Invitation,
    LoginSession,
    Purpose,
    Role,
    Team,
    clean_text,
    is_id,
    is_name,
    name_key,
    validate_hash,
    validate_name,
)
from sevenbag.contest.store.tables import (
    AdminTable,
    AuditTable,
    GameTable,
    InvitationTable,
    MatchTable,
    MoveCountTable,
    SessionTable,
    TeamTable,
)
from sevenbag.errors import InputError, NameTakenError, UnknownEntryError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import InstrumentedAttribute
    from sqlalchemy.orm import Session as Transaction

    from sevenbag.contest.store.database import Database

_Row = TypeVar("_Row", bound=Account)

_Table = TypeVar("_Table", TeamTable, AdminTable)

_TOKEN_BYTES = 32


class _Accounts(Generic[_Row, _Table]):
    """What teams and admins have in common."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        table: type[_Table],
        row: type[_Row],
        role: Role,
    ) -> None:
        self._database = database
        self._clock = clock
        self._table: type[_Table] = table
        self._row: type[_Row] = row
        self._role: Role = role
        self._whose = "a team" if role == "team" else "an admin"

    def add(self, name: str, password_hash: str) -> _Row:
        """Make an account.

        Args:
            name: 1 to 80 printable characters; those that differ in case or width are one.
            password_hash: argon2's.

        Raises:
            InputError: a name that can be none, or something else than a hash of argon2.
            NameTakenError: somebody has the name, or one that looks like it.
        """
        account = self._table(
            name=validate_name(name, self._whose),
            name_key=name_key(name),
            password_hash=validate_hash(password_hash),
            created=self._clock(),
            disabled=False,
        )
        try:
            with self._database.write_transaction() as session:
                session.add(account)
                session.flush()
                return _given(self._row, account)
        except IntegrityError:
            raise NameTakenError(f"the name {shown(name)} belongs to another already") from None

    def get(self, account_id: int) -> _Row:
        """The account of this number.

        Raises:
            UnknownEntryError: there is none.
        """
        with self._database.read_transaction() as session:
            account = session.get(self._table, account_id) if is_id(account_id) else None
            if account is None:
                raise self._unknown(account_id)
            return _given(self._row, account)

    def find(self, name: str) -> _Row | None:
        """The account of this name, however it is written; None if there is none."""
        if not is_name(name.strip()):
            return None
        with self._database.read_transaction() as session:
            account = session.scalars(
                select(self._table).where(self._table.name_key == name_key(name))
            ).one_or_none()
            return None if account is None else _given(self._row, account)

    def set_password(self, account_id: int, password_hash: str) -> None:
        """Give it another password; whoever is logged in with the old one is out.

        Raises:
            InputError: it is no hash of argon2.
            UnknownEntryError: there is no such account.
        """
        self._change(account_id, password_hash=validate_hash(password_hash))

    def set_disabled(self, account_id: int, disabled: bool) -> None:
        """Shut it, or open it again; whoever is logged in is out.

        Raises:
            UnknownEntryError: there is no such account.
        """
        self._change(account_id, disabled=disabled)

    # --- helpers ----------------------------------------------------------------------------

    def _change(self, account_id: int, **values: object) -> None:
        if not is_id(account_id):
            raise self._unknown(account_id)
        with self._database.write_transaction() as session:
            found = session.scalars(
                update(self._table)
                .where(self._table.id == account_id)
                .values(**values)
                .returning(self._table.id)
            ).all()
            if not found:
                raise self._unknown(account_id)
            session.execute(delete(SessionTable).where(_whose(self._role) == account_id))

    def _unknown(self, account_id: int) -> UnknownEntryError:
        return UnknownEntryError(f"the store does not know {self._whose} with number {account_id}")


class TeamStore(_Accounts[Team, TeamTable]):
    """The teams."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        super().__init__(database, clock, TeamTable, Team, "team")

    def list(self, *, limit: int = 100, after: str = "") -> tuple[Team, ...]:
        """Teams by name.

        Args:
            limit: so many, at most.
            after: only those that follow this name, the last one of the page before.
        """
        with self._database.read_transaction() as session:
            found = session.scalars(
                select(TeamTable)
                .where(TeamTable.name_key > name_key(after.replace("\0", "")))
                .order_by(TeamTable.name_key)
                .limit(limit)
            )
            return tuple(_given(Team, team) for team in found)

    def count(self) -> int:
        """How many there are."""
        with self._database.read_transaction() as session:
            return session.scalars(select(func.count()).select_from(TeamTable)).one()

    def count_moves(self, team_id: int) -> dict[str, int]:
        """What came of a team's moves in all finished games: how many met which fate."""
        with self._database.read_transaction() as session:
            found = session.execute(
                select(MoveCountTable.fate, func.sum(MoveCountTable.count))
                .join(MatchTable, MatchTable.id == MoveCountTable.match_id)
                .where(
                    ((MatchTable.team_0_id == team_id) & (MoveCountTable.seat == 0))
                    | ((MatchTable.team_1_id == team_id) & (MoveCountTable.seat == 1))
                )
                .group_by(MoveCountTable.fate)
                .order_by(MoveCountTable.fate)
            )
            return {fate: int(count) for fate, count in found}

    def count_games(self, team_id: int) -> int:
        """How many finished games a team has played."""
        with self._database.read_transaction() as session:
            return session.scalars(
                select(func.count())
                .select_from(GameTable)
                .join(MatchTable, MatchTable.id == GameTable.match_id)
                .where((MatchTable.team_0_id == team_id) | (MatchTable.team_1_id == team_id))
            ).one()


class AdminStore(_Accounts[Admin, AdminTable]):
    """Those who hold the contest."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        super().__init__(database, clock, AdminTable, Admin, "admin")

    def list(self) -> tuple[Admin, ...]:
        """All of them, by name."""
        with self._database.read_transaction() as session:
            found = session.scalars(select(AdminTable).order_by(AdminTable.name_key))
            return tuple(_given(Admin, admin) for admin in found)

    def any_enabled(self) -> bool:
        """Whether there is anybody who could hold a contest."""
        with self._database.read_transaction() as session:
            return session.scalars(select(exists().where(~AdminTable.disabled))).one()


class LoginStore:
    """Logins."""

    def __init__(
        self, database: Database, clock: Callable[[], float], teams: TeamStore, admins: AdminStore
    ) -> None:
        self._database = database
        self._clock = clock
        self._teams = teams
        self._admins = admins

    def open(self, role: Role, account_id: int, lifetime: float) -> str:
        """Log somebody in.

        Args:
            role: of the account.
            account_id: its number.
            lifetime: seconds for which the login is good.

        Returns:
            The token that a browser shows from now on.

        Raises:
            UnknownEntryError: there is no such account.
        """
        (self._teams if role == "team" else self._admins).get(account_id)
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        with self._database.write_transaction() as session:
            session.add(
                SessionTable(
                    token_hash=_hashed(token),
                    team_id=account_id if role == "team" else None,
                    admin_id=account_id if role == "admin" else None,
                    created=now,
                    expires=now + lifetime,
                )
            )
        return token

    def find(self, token: str) -> LoginSession | None:
        """The login of a token; None if there is none, its time is over or its account is shut."""
        with self._database.read_transaction() as session:
            found = session.get(SessionTable, _hashed(token))
            if found is None or found.expires <= self._clock():
                return None
            team = _account(session, TeamTable, found.team_id)
            admin = _account(session, AdminTable, found.admin_id)
            account = team or admin
            if account is None or account.disabled:
                return None
            return LoginSession(
                role="admin" if team is None else "team",
                team=None if team is None else _given(Team, team),
                admin=None if admin is None else _given(Admin, admin),
                created=found.created,
                expires=found.expires,
            )

    def close(self, token: str) -> None:
        """Log out."""
        with self._database.write_transaction() as session:
            session.execute(delete(SessionTable).where(SessionTable.token_hash == _hashed(token)))

    def prune(self) -> int:
        """Delete those whose time is over.

        Returns:
            How many there were.
        """
        now = self._clock()
        with self._database.write_transaction() as session:
            gone = session.scalars(
                delete(SessionTable)
                .where(SessionTable.expires <= now)
                .returning(SessionTable.created)
            ).all()
            session.execute(delete(InvitationTable).where(InvitationTable.expires <= now))
            return len(gone)


class InvitationStore:
    """Links that work once."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def add(
        self, purpose: Purpose, *, team_id: int | None = None, lifetime: float = 86_400.0
    ) -> str:
        """Make a link.

        Args:
            purpose: what it is good for.
            team_id: of the team that it gives a new password.
            lifetime: seconds for which it is good.

        Returns:
            The token that the link contains.

        Raises:
            InputError: a team where none belongs, or none where one does.
            UnknownEntryError: there is no such team.
        """
        if (team_id is not None) != (purpose == "team password"):
            raise InputError("an invitation names a team if it is for a team's password")
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        try:
            with self._database.write_transaction() as session:
                session.add(
                    InvitationTable(
                        token_hash=_hashed(token),
                        purpose=purpose,
                        team_id=team_id,
                        expires=self._clock() + lifetime,
                    )
                )
        except IntegrityError:
            raise UnknownEntryError(
                f"the store does not know a team with number {team_id}"
            ) from None
        return token

    def find(self, token: str) -> Invitation | None:
        """What a link is good for; it stays good."""
        with self._database.read_transaction() as session:
            return self._given(session.get(InvitationTable, _hashed(token)))

    def redeem(self, token: str) -> Invitation | None:
        """What a link is good for; of all who take it, one is told."""
        with self._database.write_transaction() as session:
            found = session.scalars(
                select(InvitationTable)
                .where(InvitationTable.token_hash == _hashed(token))
                .with_for_update()
            ).one_or_none()
            if found is not None:
                session.delete(found)
            return self._given(found)

    def _given(self, found: InvitationTable | None) -> Invitation | None:
        if found is None or found.expires <= self._clock():
            return None
        purpose: Purpose = "admin" if found.team_id is None else "team password"
        return Invitation(purpose=purpose, team_id=found.team_id, expires=found.expires)


class AuditLog:
    """What admins, teams and programs did to the contest."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def add(self, who: str, what: str, about: str = "", address: str = "") -> None:
        """Write down that somebody did something.

        Args:
            who: name of the admin or team, or which program.
            what: in words, such as "contest started".
            about: what it was done to.
            address: where it came from.
        """
        with self._database.write_transaction() as session:
            session.add(
                AuditTable(
                    at=self._clock(),
                    who=clean_text(who),
                    what=clean_text(what),
                    about=clean_text(about),
                    address=clean_text(address),
                )
            )

    def list(self, *, limit: int = 100, before: int | None = None) -> tuple[AuditRow, ...]:
        """What was done, the newest first.

        Args:
            limit: so many, at most.
            before: only what is older than the entry of this number.
        """
        last = MAX_ID if before is None else min(before - 1, MAX_ID)
        with self._database.read_transaction() as session:
            found = session.scalars(
                select(AuditTable)
                .where(AuditTable.id <= last)
                .order_by(AuditTable.id.desc())
                .limit(limit)
            )
            return tuple(
                AuditRow(
                    id=row.id,
                    at=row.at,
                    who=row.who,
                    what=row.what,
                    about=row.about,
                    address=row.address,
                )
                for row in found
            )


# --- helpers ------------------------------------------------------------------------------------


def _hashed(token: str) -> bytes:
    # Tokens are as random as a key: no salt and no slow hash would add to that.
    return hashlib.sha256(token.encode(errors="replace")).digest()


def _whose(role: Role) -> InstrumentedAttribute[int | None]:
    return SessionTable.team_id if role == "team" else SessionTable.admin_id


def _account(session: Transaction, table: type[_Table], account_id: int | None) -> _Table | None:
    return None if account_id is None else session.get(table, account_id)


def _given(row: type[_Row], account: TeamTable | AdminTable) -> _Row:
    return row(
        id=account.id,
        name=account.name,
        password_hash=account.password_hash,
        created=account.created,
        disabled=account.disabled,
    )
