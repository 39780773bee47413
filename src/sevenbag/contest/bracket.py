"""Matches of a contest: a round robin for the ranking, then single elimination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Final

import msgspec

from sevenbag.arena.tournament.pairing import bracket_order
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.ranking import DueMatch, TeamStanding, rank_teams, schedule_round_robin
from sevenbag.errors import InputError

MAX_ENTRANTS: Final = 256
"""Maximum number of teams; their round robin has 32,640 matches."""


class ContestTournament:
    """State of a tournament, computed from its results.

    Attributes:
        entrants: names of the teams, in the order of the seeding without a ranking.
        plan: plan of the contest.
    """

    def __init__(
        self, entrants: Sequence[str], plan: ContestPlan, results: Mapping[str, MatchResult]
    ) -> None:
        """Create the state.

        Args:
            entrants: names of the teams.
            plan: plan of the contest.
            results: results of matches by slot. Matches that were called off are played again;
                unknown slots are ignored.

        Raises:
            InputError: too many entrants.
        """
        if len(entrants) > MAX_ENTRANTS:
            raise InputError(f"invalid teams: expected at most {MAX_ENTRANTS}, got {len(entrants)}")
        self.entrants = tuple(entrants)
        self.plan = plan
        self._results = {
            slot: result for slot, result in results.items() if result.winner is not None
        }

    @cached_property
    def due_matches(self) -> tuple[DueMatch, ...]:
        """Matches that can be played now, in the order of the plan."""
        if not self.ranking_finished:
            return tuple(
                match
                for number in self.ranking_rounds
                for match in number
                if match.slot not in self._results
            )
        ties = [tie for number in self.bracket_rounds for tie in number]
        # The match for third place comes before the final.
        if self.third_place_match is not None:
            ties.insert(-1, self.third_place_match)
        return tuple(match for tie in ties if (match := _due_match(tie)) is not None)

    @cached_property
    def ranking_rounds(self) -> tuple[tuple[DueMatch, ...], ...]:
        """Matches of the ranking by round; empty without a ranking."""
        return schedule_round_robin(len(self.entrants)) if self.plan.ranking else ()

    @cached_property
    def ranking(self) -> tuple[TeamStanding, ...]:
        """Current ranking, best team first; empty without a ranking."""
        if not self.plan.ranking:
            return ()
        matches = [match for number in self.ranking_rounds for match in number]
        return rank_teams(self.entrants, matches, self._results, self.plan.seed)

    @cached_property
    def ranking_finished(self) -> bool:
        """Return whether all matches of the ranking are played, so that the seeding is final."""
        return all(
            match.slot in self._results for number in self.ranking_rounds for match in number
        )

    @cached_property
    def bracket_rounds(self) -> tuple[tuple[BracketMatch, ...], ...]:
        """Bracket by round; empty without a bracket. Its teams are known after the ranking."""
        size = self._bracket_size
        if size < 2:
            return ()
        return build_bracket(
            self._seeded[:size] if self.ranking_finished else None, size, self._results
        )

    @cached_property
    def third_place_match(self) -> BracketMatch | None:
        """Match for third place; None without one."""
        if not self.plan.third_place:
            return None
        return create_third_place_match(self.bracket_rounds, self._results)

    @property
    def champion(self) -> int | None:
        """Index of the winner of the contest; None before the end."""
        if not self.entrants or not self.ranking_finished:
            return None
        if not self.bracket_rounds:
            return self._seeded[0]
        return self.bracket_rounds[-1][0].winner

    @property
    def is_finished(self) -> bool:
        """Return whether all matches are played."""
        return self.ranking_finished and self.champion is not None and not self.due_matches

    @cached_property
    def final_ranking(self) -> tuple[int, ...]:
        """Indices of all teams by final place, champion first; empty before the end.

        Teams eliminated in the same round are in the order of the seeding.
        """
        if not self.is_finished:
            return ()
        out: list[int] = []
        for number in self.bracket_rounds:
            losers = {tie.loser for tie in number} - {None}
            # In reverse order, worst team first.
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

    @property
    def _bracket_size(self) -> int:
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
    """Return the match to play for a place in the bracket; None if unknown or already played."""
    if None in tie.entrants or tie.winner is not None:
        return None
    return msgspec.convert(msgspec.structs.asdict(tie) | {"stage": "bracket"}, DueMatch)


class ContestPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Plan of a contest.

    Attributes:
        ranking: whether a round robin comes first and seeds the bracket; without it the order of
            the teams is the seeding.
        bracket: whether a single-elimination bracket follows, as in the text of the contest.
        qualifiers: number of teams that qualify for the bracket, at least 2; 0 for all.
        third_place: whether the losers of the semi-finals play for third place.
        seed: seed of the coin flips that break ties.
    """

    ranking: bool = True
    bracket: bool = True
    qualifiers: Annotated[int, msgspec.Meta(ge=0, le=1_024)] = 0
    third_place: bool = False
    seed: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)] = 0

    def __post_init__(self) -> None:
        """Raise ValueError, which msgspec reports, if values are inconsistent."""
        if not (self.ranking or self.bracket):
            raise ValueError("invalid plan: expected a ranking, a bracket or both")
        if self.qualifiers == 1:
            raise ValueError("invalid qualifiers: expected at least 2, or 0 for all, got 1")


THIRD_SLOT: Final = "bracket/third"


def build_bracket(
    seeded: Sequence[int] | None, size: int, results: Mapping[str, MatchResult]
) -> tuple[tuple[BracketMatch, ...], ...]:
    """Build the bracket by round.

    Args:
        seeded: indices of the teams, best first; None while the seeding is unknown.
        size: number of teams.
        results: results of matches by slot.
    """
    lines = bracket_order(size)
    seeds = [None if line is None else line + 1 for line in lines]
    # None stands for a bye or an unknown team; only the first round has byes.
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
    """Create the match for third place; None if there are no two losers of semi-finals."""
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
    """A match of the bracket, played or not.

    Attributes:
        slot: unique place in the plan.
        name: name of the match, such as "Quarter-final 2".
        round: number of the round, from 1; the match for third place is in the last round.
        tie: index in the round, from 0.
        entrants: indices of the teams; None for an unknown team or a bye.
        seeds: seeds of the teams, from 1; None for a bye, and after the first round.
        bye: whether the first team advances without a match.
        result: result with the players in the order of the entrants; None before the end.
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
        """Index of the losing team; None before the end, or after a bye."""
        if self.winner is None or self.bye:
            return None
        return self.entrants[1] if self.winner == self.entrants[0] else self.entrants[0]


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
