"""What the store gives out: frozen, complete, and of no use for writing back."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

# msgspec reads the annotations.
from sevenbag.contest.link import GameResult, MatchResult  # noqa: TC001
from sevenbag.contest.rules import ContestRules  # noqa: TC001
from sevenbag.contest.tournament.plan import Plan  # noqa: TC001

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


class Session(msgspec.Struct, frozen=True, kw_only=True):
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
    plan: Plan
    entrants: tuple[Entrant, ...]
    revision: int
    created: float
    began: float | None
    ended: float | None


class BotSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that a bot of ours takes.

    Attributes:
        name: as clients are told.
        bot: which bot, such as ``random``.
    """

    name: str
    bot: str


class MatchSeat(msgspec.Struct, frozen=True, kw_only=True):
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
    seats: tuple[MatchSeat, MatchSeat]
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
    result: GameResult
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
