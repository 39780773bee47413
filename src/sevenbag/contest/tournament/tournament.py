"""Where a tournament stands and what is to be played next.

All follows from the entrants, the plan and the results of matches: nothing else has to be kept, and
whoever asks again after a crash is told the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from sevenbag.contest.tournament import elimination
from sevenbag.contest.tournament.fixtures import Fixture, Tie
from sevenbag.contest.tournament.ranking import Standing, round_robin, table
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.contest.link import MatchResult
    from sevenbag.contest.tournament.plan import Plan

MOST_ENTRANTS: Final = 256
"""So many meet each other in 32,640 matches."""


class Tournament:
    """A tournament at one moment.

    Attributes:
        entrants: names, in the order in which they are seeded without a ranking.
        plan: what is played.
    """

    def __init__(
        self, entrants: Sequence[str], plan: Plan, results: Mapping[str, MatchResult]
    ) -> None:
        """Take what is known.

        Args:
            entrants: names of the teams.
            plan: what is played.
            results: of matches, by slot. Those that were called off are to be played again; those
                of slots that do not follow from the rest are left alone.

        Raises:
            InputError: too many entrants.
        """
        if len(entrants) > MOST_ENTRANTS:
            raise InputError(f"{len(entrants)} teams are too many: {MOST_ENTRANTS} at most")
        self.entrants = tuple(entrants)
        self.plan = plan
        self._results = {
            slot: result for slot, result in results.items() if result.winner is not None
        }

    @cached_property
    def due(self) -> tuple[Fixture, ...]:
        """All that can be played now, in the order of the plan."""
        if not self.ranked:
            return tuple(
                fixture
                for number in self.ranking_rounds
                for fixture in number
                if fixture.slot not in self._results
            )
        ties = [tie for number in self.rounds for tie in number]
        # As at every contest, the third place is played for before the first.
        if self.third is not None:
            ties.insert(-1, self.third)
        return tuple(fixture for tie in ties if (fixture := _fixture(tie)) is not None)

    @cached_property
    def ranking_rounds(self) -> tuple[tuple[Fixture, ...], ...]:
        """The matches of the ranking; empty if there is none."""
        return round_robin(len(self.entrants)) if self.plan.ranking else ()

    @cached_property
    def table(self) -> tuple[Standing, ...]:
        """The ranking at this moment, the best first; empty if there is none."""
        if not self.plan.ranking:
            return ()
        fixtures = [fixture for number in self.ranking_rounds for fixture in number]
        return table(self.entrants, fixtures, self._results, self.plan.seed)

    @cached_property
    def ranked(self) -> bool:
        """Whether it is known who is seeded where."""
        return all(
            fixture.slot in self._results for number in self.ranking_rounds for fixture in number
        )

    @cached_property
    def rounds(self) -> tuple[tuple[Tie, ...], ...]:
        """The bracket, round by round; empty if there is none.

        It is known from the start; who plays in it when the ranking is over.
        """
        size = self._in_bracket
        if size < 2:
            return ()
        return elimination.rounds(self._seeded[:size] if self.ranked else None, size, self._results)

    @cached_property
    def third(self) -> Tie | None:
        """The match for the third place; None if there is none."""
        if not self.plan.third_place:
            return None
        return elimination.third(self.rounds, self._results)

    @property
    def champion(self) -> int | None:
        """Who has won, by number; None while that is not known."""
        if not self.entrants or not self.ranked:
            return None
        if not self.rounds:
            return self._seeded[0]
        return self.rounds[-1][0].winner

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be played."""
        return self.ranked and self.champion is not None and not self.due

    @cached_property
    def places(self) -> tuple[int, ...]:
        """All entrants by number as they came in, the champion first; empty before the end.

        Who went out in the same round is in the order of the seeding.
        """
        if not self.finished:
            return ()
        out: list[int] = []
        for number in self.rounds:
            losers = {tie.loser for tie in number} - {None}
            # The worst first, for now.
            out += [entrant for entrant in reversed(self._seeded) if entrant in losers]
        champion = self.champion
        bracket = [] if champion is None else [champion, *reversed(out)]
        if self.third is not None and self.third.winner is not None:
            bracket[2:4] = [
                entrant for entrant in (self.third.winner, self.third.loser) if entrant is not None
            ]
        return (*bracket, *(entrant for entrant in self._seeded if entrant not in bracket))

    # --- helpers ----------------------------------------------------------------------------

    @property
    def _in_bracket(self) -> int:
        entrants = len(self.entrants)
        if not self.plan.bracket:
            return 0
        if not (self.plan.ranking and self.plan.qualifiers):
            return entrants
        return min(self.plan.qualifiers, entrants)

    @cached_property
    def _seeded(self) -> tuple[int, ...]:
        if not self.plan.ranking:
            return tuple(range(len(self.entrants)))
        return tuple(standing.entrant for standing in self.table)


def _fixture(tie: Tie) -> Fixture | None:
    """The match of a place in the bracket; None if it cannot be played, or was."""
    first, second = tie.entrants
    if first is None or second is None or tie.winner is not None:
        return None
    return Fixture(
        slot=tie.slot,
        name=tie.name,
        stage="bracket",
        round=tie.round,
        tie=tie.tie,
        entrants=(first, second),
    )
