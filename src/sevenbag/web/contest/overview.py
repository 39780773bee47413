"""Contents of the public pages, read from the store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from sevenbag.contest.bracket import BracketMatch, ContestTournament
from sevenbag.contest.game.match_results import WALKOVER
from sevenbag.contest.ranking import TeamStanding
from sevenbag.contest.store import ContestRow, GameRow, MatchRow, MatchState, Store
from sevenbag.contest.store.rows import UNFINISHED

MAX_LIVE: Final = 12
"""Maximum number of live matches on the home page."""
MAX_RECENT: Final = 8
MATCHES_PER_PAGE: Final = 50


class BracketSide(NamedTuple):
    """Team in a tie of the bracket.

    Attributes:
        team: name of the team, or its origin if it is not known yet.
        is_known: whether `team` is a name.
        is_winner: whether the team has won the tie.
    """

    team: str
    is_known: bool
    games: int | None
    is_winner: bool


class BracketTie(NamedTuple):
    """Tie of the bracket.

    Attributes:
        name: name, such as "Quarter-final 2".
        state: "bye", "open" (without a match yet), "waiting", "live" or "done".
        ending: reason of the win, unless it was won by games.
    """

    name: str
    state: str
    match: int | None
    sides: tuple[BracketSide, ...]
    ending: str = ""


class BracketRound(NamedTuple):
    """Round of the bracket."""

    name: str
    ties: tuple[BracketTie, ...]


class ContestOverview(NamedTuple):
    """Contest with bracket and ranking.

    Attributes:
        ranking: ranking, best first; empty without one.
        champion: name of the winner.
        matches_left: number of unfinished matches of the ranking.
    """

    row: ContestRow
    rounds: tuple[BracketRound, ...]
    third_place: BracketTie | None
    ranking: tuple[TeamStanding, ...]
    champion: str | None
    matches_left: int


class HomeOverview(NamedTuple):
    """Contents of the home page.

    Attributes:
        contest: current contest; None before the first one.
        live: live matches, those of contests first.
        waiting: number of matches that wait for a game server or their turn.
    """

    contest: ContestOverview | None
    live: tuple[MatchRow, ...]
    waiting: int
    recent: tuple[MatchRow, ...]


class MatchOverview(NamedTuple):
    """Match and its finished games."""

    row: MatchRow
    games: tuple[GameRow, ...]


T = TypeVar("T")


class SiteOverview:
    """Cached access to the contents of public pages.

    Args:
        ttl: time in seconds for which contents are cached.
    """

    def __init__(self, store: Store, ttl: float = 1.0) -> None:
        self._store = store
        self._ttl = ttl
        self._cache: dict[tuple[object, ...], tuple[float, asyncio.Task[Any]]] = {}

    async def load_home(self) -> HomeOverview:
        """Return the contents of the home page."""
        return await self._load_cached(("home",), self._read_home)

    async def load_contest(self, contest_id: int | None) -> ContestOverview | None:
        """Return a contest, by default the current one; None without a current one.

        Raises:
            UnknownEntryError: there is no such contest.
        """
        return await self._load_cached(
            ("contest", contest_id), lambda: self._read_contest(contest_id)
        )

    async def list_contests(self) -> tuple[ContestRow, ...]:
        """Return all contests, newest first."""
        return await self._load_cached(("contests",), self._store.contests.list)

    async def list_matches(self, before: int | None) -> tuple[MatchRow, ...]:
        """Return a page of matches: live, then finished, then upcoming ones.

        Args:
            before: number of a match; the page has older ones.
        """
        return await self._load_cached(("matches", before), lambda: self._read_matches(before))

    async def load_match(self, match_id: int) -> MatchOverview | None:
        """Return a match; None if it is unknown."""
        return await self._load_cached(("match", match_id), lambda: self._read_match(match_id))

    async def _load_cached(self, key: tuple[object, ...], read: Callable[[], T]) -> T:
        """Return cached contents, or read them in a thread, once for all callers."""
        now = time.monotonic()
        for old in [each for each, (until, _) in self._cache.items() if until < now]:
            del self._cache[old]
        if key not in self._cache:
            task = asyncio.create_task(asyncio.to_thread(read))
            # All callers get an error. Without callers, it is not reported as unhandled.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._cache[key] = now + self._ttl, task
        # Cancelling one caller must not affect the others.
        answer: T = await asyncio.shield(self._cache[key][1])
        return answer

    def _read_home(self) -> HomeOverview:
        matches = self._store.matches
        return HomeOverview(
            contest=self._read_contest(None),
            live=matches.list_live(MAX_LIVE),
            waiting=matches.counts().get("waiting", 0),
            recent=matches.list(states=_FINISHED, limit=MAX_RECENT),
        )

    def _read_matches(self, before: int | None) -> tuple[MatchRow, ...]:
        rows = self._store.matches.list(limit=MATCHES_PER_PAGE, before=before)
        live = [row for row in rows if row.is_live]
        over = [row for row in rows if row.state not in UNFINISHED]
        coming = [row for row in rows if row.state in UNFINISHED and not row.is_live]
        return (*live, *over, *reversed(coming))

    def _read_contest(self, contest_id: int | None) -> ContestOverview | None:
        if contest_id is None:
            row = _find_current(self._store.contests.list())
        else:
            row = self._store.contests.get(contest_id)
        if row is None:
            return None
        if len(row.entrants) < _MIN_ENTRANTS:
            return ContestOverview(row, (), None, (), None, 0)
        tournament = self._store.contests.tournament(row.id)
        rows = self._store.matches.list_of_contest(row.id)
        # A slot may have earlier matches that were called off.
        by_slot = {each.slot: each for each in rows if each.state != "called off"}
        return _build_contest(row, tournament, by_slot)

    def _read_match(self, match_id: int) -> MatchOverview | None:
        row = self._store.matches.find_by_id(match_id)
        return None if row is None else MatchOverview(row, self._store.matches.list_games(match_id))


_MIN_ENTRANTS: Final = 2
_FINISHED: Final[tuple[MatchState, ...]] = ("done",)
_ENDINGS: Final[dict[str, str]] = {
    WALKOVER: "walkover",
    "points": "by points",
    "coin flip": "by coin flip",
}
_STATES: Final = ("running", "paused", "finished", "planned")
"""States of contests in the order of their preference for the home page."""


def _find_current(rows: Sequence[ContestRow]) -> ContestRow | None:
    shown = [row for row in rows if row.state in _STATES]
    return min(shown, key=lambda row: _STATES.index(row.state), default=None)


def _build_contest(
    row: ContestRow, tournament: ContestTournament, by_slot: Mapping[str, MatchRow]
) -> ContestOverview:
    names = [entrant.name for entrant in row.entrants]
    rounds = tournament.bracket_rounds
    champion = tournament.champion
    third = tournament.third_place_match
    fixtures = [each for ranked in tournament.ranking_rounds for each in ranked]
    return ContestOverview(
        row=row,
        rounds=tuple(
            BracketRound(
                _round_name(len(ties)),
                tuple(_build_tie(tie, names, by_slot, rounds[i - 1] if i else ()) for tie in ties),
            )
            for i, ties in enumerate(rounds)
        ),
        third_place=None
        if third is None
        else _build_tie(third, names, by_slot, rounds[-2], "Loser"),
        ranking=tournament.ranking if row.plan.ranking else (),
        champion=None if champion is None else names[champion],
        matches_left=sum(
            each.slot not in by_slot or by_slot[each.slot].state != "done" for each in fixtures
        ),
    )


def _round_name(ties: int) -> str:
    return {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}.get(ties, f"Round of {2 * ties}")


def _build_tie(
    tie: BracketMatch,
    names: Sequence[str],
    by_slot: Mapping[str, MatchRow],
    earlier: Sequence[BracketMatch],
    outcome: str = "Winner",
) -> BracketTie:
    """Build a tie between the winners, or losers, of earlier ties."""
    match = by_slot.get(tie.slot)
    sides = tuple(
        BracketSide(
            team=_describe_origin(tie, seat, earlier, outcome)
            if entrant is None
            else names[entrant],
            is_known=entrant is not None,
            games=None if match is None or match.state == "waiting" else match.games[seat],
            is_winner=tie.winner is not None and tie.winner == entrant,
        )
        for seat, entrant in enumerate(tie.entrants)
    )
    if tie.bye:
        return BracketTie(tie.name, "bye", None, sides[:1])
    if match is None:
        return BracketTie(tie.name, "open" if tie.winner is None else "done", None, sides)
    state = {"waiting": "waiting", "done": "done"}.get(match.state, "live")
    ending = "" if match.result is None else _ENDINGS.get(match.result.ending, "")
    return BracketTie(tie.name, state, match.id, sides, ending)


def _describe_origin(
    tie: BracketMatch, seat: int, earlier: Sequence[BracketMatch], outcome: str
) -> str:
    """Describe the origin of a team that is not known yet."""
    seed = tie.seeds[seat]
    if seed is not None:
        return f"Place {seed} of the ranking"
    # The tie for the third place has the same two earlier ties as the final.
    source = seat if outcome == "Loser" else 2 * tie.tie + seat
    if source < len(earlier):
        return f"{outcome} of {earlier[source].name}"
    return "To be decided"
