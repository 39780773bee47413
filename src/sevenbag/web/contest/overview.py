"""What the public pages show of the store, brought into the shape in which they show it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from sevenbag.contest.game.match_results import WALKOVER
from sevenbag.contest.store.rows import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sevenbag.contest.bracket import Tie, Tournament
    from sevenbag.contest.ranking import Standing
    from sevenbag.contest.store import ContestRow, GameRow, MatchRow, MatchState, Store

MOST_LIVE: Final = 12
"""Matches that are shown live at once."""
MOST_RECENT: Final = 8
PAGE_OF_MATCHES: Final = 50


class TieSide(NamedTuple):
    """A team's line in a tie.

    Attributes:
        team: name, or where the team will come from.
        known: whether it is a name.
        games: won by it; None before there are any.
        won: whether it goes on.
    """

    team: str
    known: bool
    games: int | None
    won: bool


class TieView(NamedTuple):
    """A tie of the bracket.

    Attributes:
        name: such as "Quarter-final 2".
        state: "bye", "open" (not to be played yet), "waiting", "live" or "done".
        match: public number of its match, if there is one.
        sides: both; one of a bye.
        ending: reason of the win if the games do not show it; else empty.
    """

    name: str
    state: str
    match: int | None
    sides: tuple[TieSide, ...]
    ending: str = ""


class RoundView(NamedTuple):
    """A round of the bracket."""

    name: str
    ties: tuple[TieView, ...]


class ContestView(NamedTuple):
    """A contest.

    Attributes:
        row: as the store has it.
        rounds: of the bracket.
        third: the match for the third place.
        table: of the ranking, best first; empty without one.
        champion: name of the winner.
        left: matches of the ranking that are not over.
    """

    row: ContestRow
    rounds: tuple[RoundView, ...]
    third: TieView | None
    table: tuple[Standing, ...]
    champion: str | None
    left: int


class HomeView(NamedTuple):
    """The first page.

    Attributes:
        contest: the one that matters now; None before there is any.
        live: matches that are played, those of contests first.
        waiting: how many wait for a game server or their turn.
        recent: matches that are over, the last one first.
    """

    contest: ContestView | None
    live: tuple[MatchRow, ...]
    waiting: int
    recent: tuple[MatchRow, ...]


class MatchView(NamedTuple):
    """A match and its finished games."""

    row: MatchRow
    games: tuple[GameRow, ...]


T = TypeVar("T")


class Overview:
    """Reads the store for pages, each thing once a second at most, however many look.

    Args:
        store: what is read.
        lasts: seconds for which what was read is shown.
    """

    def __init__(self, store: Store, lasts: float = 1.0) -> None:
        self._store = store
        self._lasts = lasts
        self._read: dict[tuple[object, ...], tuple[float, asyncio.Task[Any]]] = {}

    async def home(self) -> HomeView:
        """The first page."""
        return await self._lately(("home",), self._home)

    async def contest(self, contest_id: int | None) -> ContestView | None:
        """A contest, or the one that matters now; None where there is none.

        Raises:
            UnknownEntryError: there is no such contest.
        """
        return await self._lately(("contest", contest_id), lambda: self._contest(contest_id))

    async def contests(self) -> tuple[ContestRow, ...]:
        """All contests, the newest first."""
        return await self._lately(("contests",), self._store.contests.list)

    async def matches(self, before: int | None) -> tuple[MatchRow, ...]:
        """A page of matches: what is played, what is over, what is to come.

        Args:
            before: the number of a match; the page has older ones.
        """
        return await self._lately(("matches", before), lambda: self._matches(before))

    async def match(self, match_id: int) -> MatchView | None:
        """A match; None where there is none."""
        return await self._lately(("match", match_id), lambda: self._match(match_id))

    # --- reading --------------------------------------------------------------------------------

    async def _lately(self, key: tuple[object, ...], read: Callable[[], T]) -> T:
        """What is read, or was read just now, or is being read."""
        now = time.monotonic()
        for old in [each for each, (until, _) in self._read.items() if until < now]:
            del self._read[old]
        if key not in self._read:
            task = asyncio.create_task(asyncio.to_thread(read))
            # A failure is everybody's who waits, and nobody's if nobody does.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._read[key] = now + self._lasts, task
        # Who goes away takes the answer from nobody else.
        answer: T = await asyncio.shield(self._read[key][1])
        return answer

    def _home(self) -> HomeView:
        matches = self._store.matches
        return HomeView(
            contest=self._contest(None),
            live=matches.live(MOST_LIVE),
            waiting=matches.counts().get("waiting", 0),
            recent=matches.list(states=_OVER, limit=MOST_RECENT),
        )

    def _matches(self, before: int | None) -> tuple[MatchRow, ...]:
        rows = self._store.matches.list(limit=PAGE_OF_MATCHES, before=before)
        live = [row for row in rows if row.is_live]
        over = [row for row in rows if row.state not in UNFINISHED]
        coming = [row for row in rows if row.state in UNFINISHED and not row.is_live]
        return (*live, *over, *reversed(coming))

    def _contest(self, contest_id: int | None) -> ContestView | None:
        if contest_id is None:
            row = _present(self._store.contests.list())
        else:
            row = self._store.contests.get(contest_id)
        if row is None:
            return None
        if len(row.entrants) < _FEWEST_ENTRANTS:
            return ContestView(row, (), None, (), None, 0)
        tournament = self._store.contests.tournament(row.id)
        rows = self._store.matches.of_contest(row.id)
        # The last one of a slot counts: others before it were called off.
        by_slot = {each.slot: each for each in rows if each.state != "called off"}
        return _contest_view(row, tournament, by_slot)

    def _match(self, match_id: int) -> MatchView | None:
        row = self._store.matches.by_id(match_id)
        return None if row is None else MatchView(row, self._store.matches.games(match_id))


# --- helpers ------------------------------------------------------------------------------------

_FEWEST_ENTRANTS: Final = 2
_OVER: Final[tuple[MatchState, ...]] = ("done",)
_ENDINGS: Final[dict[str, str]] = {
    WALKOVER: "walkover",
    "points": "by points",
    "coin flip": "by coin flip",
}
_STATES: Final = ("running", "paused", "finished", "planned")
"""Of contests, the one to be shown first."""


def _present(rows: Sequence[ContestRow]) -> ContestRow | None:
    shown = [row for row in rows if row.state in _STATES]
    return min(shown, key=lambda row: _STATES.index(row.state), default=None)


def _contest_view(
    row: ContestRow, tournament: Tournament, by_slot: Mapping[str, MatchRow]
) -> ContestView:
    names = [entrant.name for entrant in row.entrants]
    rounds = tournament.rounds
    champion = tournament.champion
    third = tournament.third
    fixtures = [each for ranked in tournament.ranking_rounds for each in ranked]
    return ContestView(
        row=row,
        rounds=tuple(
            RoundView(
                _round_name(len(ties)),
                tuple(_tie(tie, names, by_slot, rounds[i - 1] if i else ()) for tie in ties),
            )
            for i, ties in enumerate(rounds)
        ),
        third=None if third is None else _tie(third, names, by_slot, rounds[-2], "Loser"),
        table=tournament.table if row.plan.ranking else (),
        champion=None if champion is None else names[champion],
        left=sum(
            each.slot not in by_slot or by_slot[each.slot].state != "done" for each in fixtures
        ),
    )


def _round_name(ties: int) -> str:
    return {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}.get(ties, f"Round of {2 * ties}")


def _tie(
    tie: Tie,
    names: Sequence[str],
    by_slot: Mapping[str, MatchRow],
    before: Sequence[Tie],
    who: str = "Winner",
) -> TieView:
    """A tie; `who` of those before it meet in it."""
    match = by_slot.get(tie.slot)
    sides = tuple(
        TieSide(
            team=_origin(tie, seat, before, who) if entrant is None else names[entrant],
            known=entrant is not None,
            games=None if match is None or match.state == "waiting" else match.games[seat],
            won=tie.winner is not None and tie.winner == entrant,
        )
        for seat, entrant in enumerate(tie.entrants)
    )
    if tie.bye:
        return TieView(tie.name, "bye", None, sides[:1])
    if match is None:
        return TieView(tie.name, "open" if tie.winner is None else "done", None, sides)
    state = {"waiting": "waiting", "done": "done"}.get(match.state, "live")
    ending = "" if match.result is None else _ENDINGS.get(match.result.ending, "")
    return TieView(tie.name, state, match.id, sides, ending)


def _origin(tie: Tie, seat: int, before: Sequence[Tie], who: str) -> str:
    """Where a team that is not known yet will come from."""
    seed = tie.seeds[seat]
    if seed is not None:
        return f"Place {seed} of the ranking"
    # The match for the third place lies beside the final, and has the same two before it.
    source = seat if who == "Loser" else 2 * tie.tie + seat
    if source < len(before):
        return f"{who} of {before[source].name}"
    return "To be decided"
