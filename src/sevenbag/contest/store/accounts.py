"""Teams, administrators, logins, invitations and the audit log."""

from __future__ import annotations

import hashlib
import secrets
from typing import Generic, TypeVar

import msgspec
from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError

from sevenbag.contest.store.database import StorePart, get_row, newest_first, unknown_entry
from sevenbag.contest.store.rows import (
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
    InvitationTable,
    MatchTable,
    MoveCountTable,
    SessionTable,
    TeamTable,
)
from sevenbag.errors import InputError, NameTakenError, UnknownEntryError, shown

_Row = TypeVar("_Row", bound=Account)
_Table = TypeVar("_Table", TeamTable, AdminTable)
_TOKEN_BYTES = 32


class _AccountStore(StorePart, Generic[_Row, _Table]):
    """Common part of teams and administrators."""

    _table: type[_Table]
    _row: type[_Row]
    _role: Role

    def add(self, name: str, password_hash: str) -> _Row:
        """Create an account.

        Args:
            name: 1 to 80 printable characters; names that differ only in case or width are equal.
            password_hash: argon2 hash.

        Raises:
            InputError: invalid name, or not an argon2 hash.
            NameTakenError: another account has the name or one that looks like it.
        """
        account = self._table(
            name=validate_name(name, "a team" if self._role == "team" else "an admin"),
            name_key=name_key(name),
            password_hash=validate_hash(password_hash),
            created=self._clock(),
            disabled=False,
        )
        try:
            with self._database.write_transaction() as session:
                session.add(account)
                session.flush()
                return _account_row(self._row, account)
        except IntegrityError:
            raise NameTakenError(f"the name {shown(name)} is already taken") from None

    def get(self, account_id: int) -> _Row:
        """Return the account with a number."""
        with self._database.read_transaction() as session:
            return _account_row(self._row, get_row(session, self._table, account_id, self._role))

    def find(self, name: str) -> _Row | None:
        """Return the account with a name or one that looks like it; None if it is unknown."""
        if not is_name(name.strip()):
            return None
        with self._database.read_transaction() as session:
            account = session.scalars(
                select(self._table).where(self._table.name_key == name_key(name))
            ).one_or_none()
            return None if account is None else _account_row(self._row, account)

    def set_password(self, account_id: int, password_hash: str) -> None:
        """Change the password and end all logins of the account.

        Raises:
            InputError: not an argon2 hash.
        """
        self._change(account_id, password_hash=validate_hash(password_hash))

    def set_disabled(self, account_id: int, disabled: bool) -> None:
        """Disable or enable an account and end all its logins."""
        self._change(account_id, disabled=disabled)

    def _change(self, account_id: int, **values: object) -> None:
        if not is_id(account_id):
            raise unknown_entry(self._role, account_id)
        column = SessionTable.team_id if self._role == "team" else SessionTable.admin_id
        with self._database.write_transaction() as session:
            changed = session.scalars(
                update(self._table)
                .where(self._table.id == account_id)
                .values(**values)
                .returning(self._table.id)
            ).all()
            if not changed:
                raise unknown_entry(self._role, account_id)
            session.execute(delete(SessionTable).where(column == account_id))


class TeamStore(_AccountStore[Team, TeamTable]):
    """Teams."""

    _table = TeamTable
    _row = Team
    _role = "team"

    def list(self, *, limit: int = 100, after: str = "") -> tuple[Team, ...]:
        """Return teams by name; `after` is the last name of the previous page."""
        with self._database.read_transaction() as session:
            teams = session.scalars(
                select(TeamTable)
                .where(TeamTable.name_key > name_key(after.replace("\0", "")))
                .order_by(TeamTable.name_key)
                .limit(limit)
            )
            return tuple(_account_row(Team, team) for team in teams)

    def count(self) -> int:
        """Return the number of teams."""
        with self._database.read_transaction() as session:
            return session.scalars(select(func.count()).select_from(TeamTable)).one()

    def count_moves(self, team_id: int) -> dict[str, int]:
        """Return the number of moves of a team in all finished games, by outcome."""
        with self._database.read_transaction() as session:
            counts = session.execute(
                select(MoveCountTable.fate, func.sum(MoveCountTable.count))
                .join(MatchTable, MatchTable.id == MoveCountTable.match_id)
                .where(
                    ((MatchTable.team_0_id == team_id) & (MoveCountTable.seat == 0))
                    | ((MatchTable.team_1_id == team_id) & (MoveCountTable.seat == 1))
                )
                .group_by(MoveCountTable.fate)
                .order_by(MoveCountTable.fate)
            )
            return {outcome: int(count) for outcome, count in counts}


class AdminStore(_AccountStore[Admin, AdminTable]):
    """Administrators."""

    _table = AdminTable
    _row = Admin
    _role = "admin"

    def list(self) -> tuple[Admin, ...]:
        """Return all administrators by name."""
        with self._database.read_transaction() as session:
            admins = session.scalars(select(AdminTable).order_by(AdminTable.name_key))
            return tuple(_account_row(Admin, admin) for admin in admins)

    def any_enabled(self) -> bool:
        """Return True if an administrator can log in."""
        with self._database.read_transaction() as session:
            return session.scalars(select(exists().where(~AdminTable.disabled))).one()


class LoginStore(StorePart):
    """Logins."""

    def open(self, role: Role, account_id: int, lifetime: float) -> str:
        """Create a login that expires after `lifetime` seconds; return the browser's token."""
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        with self._database.write_transaction() as session:
            get_row(session, TeamTable if role == "team" else AdminTable, account_id, role)
            session.add(
                SessionTable(
                    token_hash=_hash_token(token),
                    team_id=account_id if role == "team" else None,
                    admin_id=account_id if role == "admin" else None,
                    created=now,
                    expires=now + lifetime,
                )
            )
        return token

    def find(self, token: str) -> LoginSession | None:
        """Return the login of a token; None if it is unknown, expired, or its account disabled."""
        with self._database.read_transaction() as session:
            login = session.get(SessionTable, _hash_token(token))
            if login is None or login.expires <= self._clock():
                return None
            team = None if login.team_id is None else session.get(TeamTable, login.team_id)
            admin = None if login.admin_id is None else session.get(AdminTable, login.admin_id)
            account = team or admin
            if account is None or account.disabled:
                return None
            return LoginSession(
                role="admin" if team is None else "team",
                team=None if team is None else _account_row(Team, team),
                admin=None if admin is None else _account_row(Admin, admin),
                created=login.created,
                expires=login.expires,
            )

    def close(self, token: str) -> None:
        """Delete a login."""
        with self._database.write_transaction() as session:
            session.execute(
                delete(SessionTable).where(SessionTable.token_hash == _hash_token(token))
            )

    def prune(self) -> int:
        """Delete expired logins and invitations; return the number of logins."""
        now = self._clock()
        with self._database.write_transaction() as session:
            expired = session.scalars(
                delete(SessionTable)
                .where(SessionTable.expires <= now)
                .returning(SessionTable.created)
            ).all()
            session.execute(delete(InvitationTable).where(InvitationTable.expires <= now))
            return len(expired)


class InvitationStore(StorePart):
    """Links that can be used once."""

    def add(
        self, purpose: Purpose, *, team_id: int | None = None, lifetime: float = 86_400.0
    ) -> str:
        """Create a link that expires after `lifetime` seconds; return its token.

        Raises:
            InputError: a team is missing, or given for another purpose.
        """
        if (team_id is not None) != (purpose == "team password"):
            raise InputError("an invitation names a team if it is for a team's password")
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        try:
            with self._database.write_transaction() as session:
                session.add(
                    InvitationTable(
                        token_hash=_hash_token(token),
                        purpose=purpose,
                        team_id=team_id,
                        expires=self._clock() + lifetime,
                    )
                )
        except IntegrityError:
            raise UnknownEntryError(f"unknown team with number {team_id}") from None
        return token

    def find(self, token: str) -> Invitation | None:
        """Return a link, which stays valid; None if it is unknown or expired."""
        with self._database.read_transaction() as session:
            return self._invitation(session.get(InvitationTable, _hash_token(token)))

    def redeem(self, token: str) -> Invitation | None:
        """Return a link and delete it; of several callers only one gets it."""
        with self._database.write_transaction() as session:
            found = session.scalars(
                select(InvitationTable)
                .where(InvitationTable.token_hash == _hash_token(token))
                .with_for_update()
            ).one_or_none()
            if found is not None:
                session.delete(found)
            return self._invitation(found)

    def _invitation(self, found: InvitationTable | None) -> Invitation | None:
        if found is None or found.expires <= self._clock():
            return None
        return msgspec.convert(found, Invitation, from_attributes=True)


class AuditLog(StorePart):
    """Log of the actions of administrators, teams and programs."""

    def add(self, who: str, what: str, about: str = "", address: str = "") -> None:
        """Add an entry.

        Args:
            who: name of the administrator, team or program.
            what: action, such as "contest started".
            about: target of the action.
            address: IP address of the client.
        """
        texts = {"who": who, "what": what, "about": about, "address": address}
        cleaned = {name: clean_text(text) for name, text in texts.items()}
        with self._database.write_transaction() as session:
            session.add(AuditTable(at=self._clock(), **cleaned))

    def list(self, *, limit: int = 100, before: int | None = None) -> tuple[AuditRow, ...]:
        """Return entries, the newest first.

        `before` is the number of the last entry of the previous page.
        """
        query = newest_first(select(AuditTable), AuditTable.id, limit, before)
        with self._database.read_transaction() as session:
            return tuple(
                msgspec.convert(row, AuditRow, from_attributes=True)
                for row in session.scalars(query)
            )


def _hash_token(token: str) -> bytes:
    # Tokens are random, so neither a salt nor a slow hash would add to their security.
    return hashlib.sha256(token.encode(errors="replace")).digest()


def _account_row(row: type[_Row], account: TeamTable | AdminTable) -> _Row:
    return msgspec.convert(account, row, from_attributes=True)
