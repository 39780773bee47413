"""The matches of a contest: a round robin for the ranking, then single elimination."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from sevenbag.arena.tournament.pairing import bracket_order
from sevenbag.contest.ranking import DueMatch, TeamStanding, rank_teams, schedule_round_robin
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.contest.game.match_results import MatchResult

MAX_ENTRANTS: Final = 256
"""So many meet each other in 32,640 matches."""


class ContestTournament:
    """A tournament at one moment.

    Attributes:
        entrants: names, in the order in which they are seeded without a ranking.
        plan: what is played.
    """

    def __init__(
        self, entrants: Sequence[str], plan: ContestPlan, results: Mapping[str, MatchResult]
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
        if len(entrants) > MAX_ENTRANTS:
            raise InputError(f"{len(entrants)} teams are too many: {MAX_ENTRANTS} at most")
        self.entrants = tuple(entrants)
        self.plan = plan
        self._results = {
            slot: result for slot, result in results.items() if result.winner is not None
        }

    @cached_property
    def due_matches(self) -> tuple[DueMatch, ...]:
        """All that can be played now, in the order of the plan."""
        if not self.ranking_finished:
            return tuple(
                fixture
                for number in self.ranking_rounds
                for fixture in number
                if fixture.slot not in self._results
            )
        ties = [tie for number in self.bracket_rounds for tie in number]
        # As at every contest, the third place is played for before the first.
        if self.third_place_match is not None:
            ties.insert(-1, self.third_place_match)
        return tuple(fixture for tie in ties if (fixture := _due_match(tie)) is not None)

    @cached_property
    def ranking_rounds(self) -> tuple[tuple[DueMatch, ...], ...]:
        """The matches of the ranking; empty if there is none."""
        return schedule_round_robin(len(self.entrants)) if self.plan.ranking else ()

    @cached_property
    def ranking(self) -> tuple[TeamStanding, ...]:
        """The ranking at this moment, the best first; empty if there is none."""
        if not self.plan.ranking:
            return ()
        fixtures = [fixture for number in self.ranking_rounds for fixture in number]
        return rank_teams(self.entrants, fixtures, self._results, self.plan.seed)

    @cached_property
    def ranking_finished(self) -> bool:
        """Whether it is known who is seeded where."""
        return all(
            fixture.slot in self._results for number in self.ranking_rounds for fixture in number
        )

    @cached_property
    def bracket_rounds(self) -> tuple[tuple[BracketMatch, ...], ...]:
        """The bracket, round by round; empty if there is none.

        It is known from the start; who plays in it when the ranking is over.
        """
        size = self._in_bracket
        if size < 2:
            return ()
        return build_bracket(
            self._seeded[:size] if self.ranking_finished else None, size, self._results
        )

    @cached_property
    def third_place_match(self) -> BracketMatch | None:
        """The match for the third place; None if there is none."""
        if not self.plan.third_place:
            return None
        return create_third_place_match(self.bracket_rounds, self._results)

    @property
    def champion(self) -> int | None:
        """Who has won, by number; None while that is not known."""
        if not self.entrants or not self.ranking_finished:
            return None
        if not self.bracket_rounds:
            return self._seeded[0]
        return self.bracket_rounds[-1][0].winner

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to be played."""
        return self.ranking_finished and self.champion is not None and not self.due_matches

    @cached_property
    def final_ranking(self) -> tuple[int, ...]:
        """All entrants by number as they came in, the champion first; empty before the end.

        Who went out in the same round is in the order of the seeding.
        """
        if not self.is_finished:
            return ()
        out: list[int] = []
        for number in self.bracket_rounds:
            losers = {tie.loser for tie in number} - {None}
            # The worst first, for now.
            out += [entrant for entrant in reversed(self._seeded) if entrant in losers]
        champion = self.champion
        bracket = [] if champion is None else [champion, *reversed(out)]
        if self.third_place_match is not None and self.third_place_match.winner is not None:
            bracket[2:4] = [
                entrant
                for entrant in (self.third_place_match.winner, self.third_place_match.loser)
                if entrant is not None
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
        return tuple(standing.entrant for standing in self.ranking)


def _due_match(tie: BracketMatch) -> DueMatch | None:
    """The match of a place in the bracket; None if it cannot be played, or was."""
    first, second = tie.entrants
    if first is None or second is None or tie.winner is not None:
        return None
    return DueMatch(
        slot=tie.slot,
        name=tie.name,
        stage="bracket",
        round=tie.round,
        tie=tie.tie,
        entrants=(first, second),
    )


class ContestPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a contest goes.

    Attributes:
        ranking: whether everybody meets everybody first, which seeds the bracket; without it the
            entrants are seeded in the order in which they are given.
        bracket: whether a bracket follows, as the contest's text has it: single elimination.
        qualifiers: how many of the ranking go on to the bracket, 2 at least; 0 for all.
        third_place: whether the losers of the semi-finals meet.
        seed: what coins follow from where nothing else tells two teams apart.
    """

    ranking: bool = True
    bracket: bool = True
    qualifiers: Annotated[int, msgspec.Meta(ge=0, le=1_024)] = 0
    third_place: bool = False
    seed: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)] = 0

    def __post_init__(self) -> None:
        """Refuse what does not go together; a ValueError is what msgspec tells on."""
        if not (self.ranking or self.bracket):
            raise ValueError("a contest has a ranking, a bracket or both")
        if self.qualifiers == 1:
            raise ValueError("a bracket has 2 qualifiers at least, or 0 for all")


THIRD_SLOT: Final = "bracket/third"


def build_bracket(
    seeded: Sequence[int] | None, size: int, results: Mapping[str, MatchResult]
) -> tuple[tuple[BracketMatch, ...], ...]:
    """The whole bracket as far as it is known.

    Args:
        seeded: entrants by number, the best first; None while that is not known.
        size: how many there are.
        results: of matches by slot.
    """
    lines = bracket_order(size)
    seeds = [None if line is None else line + 1 for line in lines]
    # A bye is nobody, and so is who is not known yet: only the first round has byes.
    entrants = [None if seeded is None or line is None else seeded[line] for line in lines]
    found: list[tuple[BracketMatch, ...]] = []
    while len(entrants) > 1:
        number, ties = len(found) + 1, len(entrants) // 2
        played = [
            _bracket_match(
                f"bracket/{number}/{tie}",
                _name(ties, tie),
                (number, tie),
                (entrants[2 * tie], entrants[2 * tie + 1]),
                results,
                seeds=(seeds[2 * tie], seeds[2 * tie + 1]) if number == 1 else None,
            )
            for tie in range(ties)
        ]
        found.append(tuple(played))
        entrants = [tie.winner for tie in played]
    return tuple(found)


def create_third_place_match(
    all_rounds: Sequence[Sequence[BracketMatch]], results: Mapping[str, MatchResult]
) -> BracketMatch | None:
    """The match for the third place; None where fewer than two lose in semi-finals."""
    if len(all_rounds) < 2 or any(tie.bye for tie in all_rounds[-2]):
        return None
    first, second = all_rounds[-2]
    return _bracket_match(
        THIRD_SLOT,
        "Match for third place",
        (len(all_rounds), 1),
        (first.loser, second.loser),
        results,
    )


class BracketMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A place of the bracket, played or not.

    Attributes:
        slot: its place in the plan, which nothing else has.
        name: for people, such as "Quarter-final 2".
        round: from 1; the match for the third place is in the last one.
        tie: within the round, from 0.
        entrants: who meets, by number; None while it is not known, or for a bye.
        seeds: places of the ranking that meet here, from 1; None for a bye, and after the first
            round.
        bye: whether the first one goes on without a match.
        winner: who goes on; None while it is not known.
        result: of the match, its seats in the order of the entrants; None before it ends.
    """

    slot: str
    name: str
    round: int
    tie: int
    entrants: tuple[int | None, int | None]
    seeds: tuple[int | None, int | None] = (None, None)
    bye: bool = False
    winner: int | None = None
    result: MatchResult | None = None

    @property
    def loser(self) -> int | None:
        """Who does not go on; None while it is not known, or after a bye."""
        if self.winner is None or self.bye:
            return None
        return self.entrants[1] if self.winner == self.entrants[0] else self.entrants[0]


# --- helpers ------------------------------------------------------------------------------------


def _bracket_match(
    slot: str,
    name: str,
    place: tuple[int, int],
    entrants: tuple[int | None, int | None],
    results: Mapping[str, MatchResult],
    *,
    seeds: tuple[int | None, int | None] | None = None,
) -> BracketMatch:
    bye = seeds is not None and seeds[1] is None
    known = None not in entrants
    result = results.get(slot) if known else None
    winner = entrants[0] if bye else None
    if result is not None and result.winner is not None:
        winner = entrants[result.winner]
    return BracketMatch(
        slot=slot,
        name=name,
        round=place[0],
        tie=place[1],
        entrants=entrants,
        seeds=(None, None) if seeds is None else seeds,
        bye=bye,
        winner=winner,
        result=result if winner is not None else None,
    )


def _name(ties: int, tie: int) -> str:
    if ties == 1:
        return "Final"
    if ties == 2:
        return f"Semi-final {tie + 1}"
    if ties == 4:
        return f"Quarter-final {tie + 1}"
    return f"Round of {2 * ties}, match {tie + 1}"
