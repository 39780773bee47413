"""Values that the store returns, and checks of names; times are in seconds since 1970."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.bracket import ContestPlan  # msgspec reads the annotations
from sevenbag.contest.game.match_results import (
    ContestGameResult,  # msgspec reads the annotations
    MatchResult,  # msgspec reads the annotations
)
from sevenbag.contest.settings import ContestRules  # msgspec reads the annotations
from sevenbag.errors import InputError, NameTakenError, printable, shown

Role: TypeAlias = Literal["team", "admin"]

Purpose: TypeAlias = Literal["admin", "team password"]

ContestState: TypeAlias = Literal["planned", "running", "paused", "finished", "called off"]

MatchKind: TypeAlias = Literal["contest", "test"]

MatchState: TypeAlias = Literal["waiting", "placed", "playing", "done", "called off"]

UNFINISHED: tuple[MatchState, ...] = ("waiting", "placed", "playing")
"""States of matches that have not ended."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Account of a team or an administrator.

    Attributes:
        password_hash: argon2 hash with its parameters.
    """

    id: int
    name: str
    password_hash: str
    created: float
    disabled: bool

    def __repr__(self) -> str:
        """Return a text without the hash, which must not appear in logs."""
        return f"{type(self).__name__}(id={self.id}, name={self.name!r})"


class Team(Account, frozen=True, kw_only=True):
    """Account of a team."""


class Admin(Account, frozen=True, kw_only=True):
    """Account of an administrator."""


class LoginSession(msgspec.Struct, frozen=True, kw_only=True):
    """Valid login."""

    role: Role
    team: Team | None
    admin: Admin | None
    created: float
    expires: float


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """Link that can be used once.

    Attributes:
        purpose: creation of an administrator, or a new password for a team.
        team_id: number of that team.
    """

    purpose: Purpose
    team_id: int | None
    expires: float


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Team of a contest."""

    team_id: int
    name: str


class ContestRow(msgspec.Struct, frozen=True, kw_only=True):
    """Contest.

    Attributes:
        entrants: teams in seeding order.
        revision: number of changes; a change based on an old revision is rejected.
        began: time of its first start.
    """

    id: int
    name: str
    state: ContestState
    rules: ContestRules
    plan: ContestPlan
    entrants: tuple[Entrant, ...]
    revision: int
    created: float
    began: float | None
    ended: float | None


class BuiltinEntrant(msgspec.Struct, frozen=True, kw_only=True):
    """Built-in player of a match.

    Attributes:
        name: name shown to clients.
        bot: specification of the bot, such as ``random``.
    """

    name: str
    bot: str


class MatchPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """Player of a match.

    Attributes:
        team: name shown to clients.
        team_id: number of the team; None for a built-in player.
        bot: specification of the built-in bot; empty for a team.
    """

    team: str
    team_id: int | None
    bot: str = ""


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """Match.

    Attributes:
        token: secret token, known to its teams only.
        name: display name, such as "Final".
        slot: position in the plan of the contest; empty for test matches.
        server: name of its game server; empty while it waits.
        revision: number of changes of state and server, without stored games; a change based on an
            old revision is rejected.
        placed: time of its last assignment to a server.
        began: time of its first game.
    """

    id: int
    token: str
    kind: MatchKind
    name: str
    contest_id: int | None
    slot: str
    players: tuple[MatchPlayer, MatchPlayer]
    rules: ContestRules
    state: MatchState
    server: str
    games: tuple[int, int]
    points: tuple[int, int]
    result: MatchResult | None
    revision: int
    created: float
    placed: float | None
    began: float | None
    ended: float | None

    @property
    def is_live(self) -> bool:
        """Return True if pages show it as live; a test match is live once its first game began."""
        if self.state == "placed":
            return self.kind == "contest" or self.began is not None
        return self.state == "playing"


class GameRow(msgspec.Struct, frozen=True, kw_only=True):
    """Finished game.

    Attributes:
        kept: time at which it was stored.
        replay_bytes: size of its replay, which is read separately.
    """

    number: int
    result: ContestGameResult
    kept: float
    replay_bytes: int


class AuditRow(msgspec.Struct, frozen=True, kw_only=True):
    """Entry of the audit log.

    Attributes:
        what: action, such as "contest started".
        about: target of the action.
    """

    id: int
    at: float
    who: str
    what: str
    about: str
    address: str


MAX_ID: Final = 2**31 - 1
"""Largest number that databases give to rows."""
MAX_NAME_LENGTH: Final = 80
"""Maximum length of the name of a team, administrator or contest."""
_MAX_HASH_LENGTH: Final = 400


def is_id(number: int) -> bool:
    """Return True if the number can be that of a row; databases reject others."""
    return 0 < number <= MAX_ID


def name_key(name: str) -> str:
    """Return the key by which names are compared; names that look alike have the same key.

    >>> name_key("Stack  ATTACK") == name_key("stack attack")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def reject_reserved_name(name: str, reserved: str) -> None:
    """Reject the name of the built-in player of test matches.

    Raises:
        NameTakenError: the name is reserved.
    """
    if name_key(name) == name_key(reserved):
        raise NameTakenError(f"{shown(reserved)} is the name of our own player in test matches")


def is_name(name: str) -> bool:
    """Return True if the name is printable, has no spaces at its ends and is not too long."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return 0 < len(name) <= MAX_NAME_LENGTH and name.isprintable() and name == name.strip()


def validate_name(name: str, owner: str) -> str:
    """Return the name.

    Raises:
        InputError: invalid name.
    """
    if not is_name(name):
        raise InputError(
            f"invalid name of {owner}: expected 1 to {MAX_NAME_LENGTH} printable characters "
            f"without spaces at the ends, got {shown(name)}"
        )
    return name


def validate_hash(password_hash: str) -> str:
    """Return the hash of a password.

    Raises:
        InputError: not an argon2 hash.
    """
    if not password_hash.startswith("$argon2") or len(password_hash) > _MAX_HASH_LENGTH:
        # The text is not shown, since it may be the password.
        raise InputError("invalid password hash: expected an argon2 hash")
    return password_hash


def clean_text(text: str, max_length: int = 400) -> str:
    """Return a text in one line of limited length, without characters that databases reject."""
    return printable(text[:max_length])
