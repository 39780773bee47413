"""Rows of the store as its users see them, and checks of names."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.bracket import ContestPlan  # noqa: TC001  # msgspec reads the annotations
from sevenbag.contest.game.match_results import (
    ContestGameResult,  # noqa: TC001  # msgspec reads the annotations
    MatchResult,  # noqa: TC001  # msgspec reads the annotations
)
from sevenbag.contest.settings import ContestRules  # noqa: TC001  # msgspec reads the annotations
from sevenbag.errors import InputError, NameTakenError, printable, shown

Role: TypeAlias = Literal["team", "admin"]

Purpose: TypeAlias = Literal["admin", "team password"]

ContestState: TypeAlias = Literal["planned", "running", "paused", "finished", "called off"]

MatchKind: TypeAlias = Literal["contest", "test"]

MatchState: TypeAlias = Literal["waiting", "placed", "playing", "done", "called off"]

UNFINISHED: tuple[MatchState, ...] = ("waiting", "placed", "playing")
"""States of matches that are still to be played."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who can log in.

    Attributes:
        id: number in the store.
        name: as registered.
        password_hash: argon2's, with its parameters.
        created: when, in seconds since 1970.
        disabled: whether the account is shut.
    """

    id: int
    name: str
    password_hash: str
    created: float
    disabled: bool

    def __repr__(self) -> str:
        """Without the hash, which has no business in logs and reports of errors."""
        return f"{type(self).__name__}(id={self.id}, name={self.name!r})"


class Team(Account, frozen=True, kw_only=True):
    """A team."""


class Admin(Account, frozen=True, kw_only=True):
    """Somebody who holds the contest."""


class LoginSession(msgspec.Struct, frozen=True, kw_only=True):
    """A login that is good at the moment.

    Attributes:
        role: of whom.
        team: the team; None for an admin.
        admin: the admin; None for a team.
        created: when, in seconds since 1970.
        expires: when it ends.
    """

    role: Role
    team: Team | None
    admin: Admin | None
    created: float
    expires: float


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """What a link that works once is good for.

    Attributes:
        purpose: making an admin, or giving a team a new password.
        team_id: of that team.
        expires: when it ends, in seconds since 1970.
    """

    purpose: Purpose
    team_id: int | None
    expires: float


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A team of a contest."""

    team_id: int
    name: str


class ContestRow(msgspec.Struct, frozen=True, kw_only=True):
    """A contest.

    Attributes:
        id: number in the store.
        name: for people.
        state: where it is.
        rules: of its matches.
        plan: of its matches' order.
        entrants: in the order in which they are seeded.
        revision: counts its changes; what is changed by an old one is not changed.
        created: when, in seconds since 1970.
        began: when it first ran.
        ended: when it was over.
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
    """A seat that a bot of ours takes.

    Attributes:
        name: as clients are told.
        bot: which bot, such as ``random``.
    """

    name: str
    bot: str


class MatchPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a match.

    Attributes:
        team: name, as clients are told.
        team_id: None for a bot.
        bot: which bot of ours; empty for a team.
    """

    team: str
    team_id: int | None
    bot: str = ""


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A match.

    Attributes:
        id: number in the store, which everybody may know.
        token: what clients call it; for its teams alone.
        kind: of a contest, or a test.
        name: for people, such as "Final".
        contest_id: its contest.
        slot: its place in the contest's plan; empty for tests.
        seats: both sides.
        rules: of its games and of itself.
        state: where it is.
        server: that plays it; empty while it waits.
        games: won by both so far.
        points: of both so far.
        result: how it ended.
        revision: counts the changes of state and server; what is changed by an old one is not
            changed. Kept games do not count.
        created: when, in seconds since 1970.
        placed: when it was placed on its server.
        began: when it was first played.
        ended: when it was over.
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
    """A finished game.

    Attributes:
        number: within its match, from 1.
        result: of the game.
        kept: when, in seconds since 1970.
        replay_bytes: size of its replay, which is fetched apart.
    """

    number: int
    result: ContestGameResult
    kept: float
    replay_bytes: int


class AuditRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something that somebody did.

    Attributes:
        id: number in the store.
        at: when, in seconds since 1970.
        who: name of the admin or team, or which program.
        what: in words, such as "contest started".
        about: what it was done to.
        address: where it came from.
    """

    id: int
    at: float
    who: str
    what: str
    about: str
    address: str


MAX_NAME_LENGTH: Final = 80
"""Characters of a name of a team, admin or contest."""

_LONGEST_HASH: Final = 400


def name_key(name: str) -> str:
    """What names are compared by: two teams that people cannot tell apart are one.

    >>> name_key("Stack  ATTACK") == name_key("stack attack")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def reject_reserved_name(name: str, ours: str) -> None:
    """See that a team does not take the name of our own player.

    Raises:
        NameTakenError: it does; that player would be its opponent in test matches.
    """
    if name_key(name) == name_key(ours):
        raise NameTakenError(f"{shown(ours)} is the name of our own player in test matches")


def is_name(name: str) -> bool:
    """Whether it can be a name at all: printable, with nothing around it, and not too long."""
    return (
        0 < len(name) <= MAX_NAME_LENGTH
        and name.isprintable()
        and name == name.strip()
        and _can_be_written(name)
    )


def validate_name(name: str, whose: str) -> str:
    """The name.

    Raises:
        InputError: it cannot be one.
    """
    if not is_name(name):
        raise InputError(
            f"{shown(name)} cannot be the name of {whose}: it is 1 to {MAX_NAME_LENGTH} printable "
            "characters without spaces at its ends"
        )
    return name


def validate_hash(password_hash: str) -> str:
    """The hash of a password; a password itself would not get by.

    Raises:
        InputError: it is no hash of argon2.
    """
    if not password_hash.startswith("$argon2") or len(password_hash) > _LONGEST_HASH:
        # Not shown: it may be the password.
        raise InputError("passwords are kept as argon2's hashes only")
    return password_hash


def clean_text(text: str, longest: int = 400) -> str:
    """Words of others that both databases take: in one line, and not longer than that."""
    return printable(text[:longest])


def is_id(number: int) -> bool:
    """Whether a row can have this number: databases refuse others."""
    return 0 < number <= MAX_ID


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


MAX_ID: Final = 2**31 - 1
"""Of the numbers that databases give to rows."""
