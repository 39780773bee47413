"""The round robin before the bracket, and its table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.contest.game.match_results import MatchResult

_SLOTS: Final = "ranking/"
"""How the names of all its places begin."""


class TeamStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table.

    Attributes:
        place: from 1.
        entrant: by number.
        team: name.
        played: matches.
        wins: matches won.
        losses: matches lost.
        games_won: in all matches.
        games_lost: in all matches.
        points: in all games.
        points_against: of the opponents in them.
    """

    place: int
    entrant: int
    team: str
    played: int
    wins: int
    losses: int
    games_won: int
    games_lost: int
    points: int
    points_against: int


def is_ranking_slot(slot: str) -> bool:
    """Whether a place in the plan is one of the ranking's."""
    return slot.startswith(_SLOTS)


def schedule_round_robin(entrants: int) -> tuple[tuple[DueMatch, ...], ...]:
    """Everybody against everybody once, in rounds in which nobody plays twice.

    The first one stays where it is and the others go round it, so with an odd number of entrants
    somebody rests in each round.
    """
    wheel: list[int | None] = list(range(entrants))
    if entrants % 2:
        wheel.append(None)
    half = len(wheel) // 2
    rounds: list[tuple[DueMatch, ...]] = []
    for number in range(1, len(wheel)):
        met = zip(wheel[:half], reversed(wheel[half:]), strict=True)
        pairs = [(a, b) for a, b in met if a is not None and b is not None]
        rounds.append(
            tuple(
                DueMatch(
                    slot=f"{_SLOTS}{number}/{tie}",
                    name=f"Ranking round {number}, match {tie + 1}",
                    stage="ranking",
                    round=number,
                    tie=tie,
                    entrants=_seated(a, b),
                )
                for tie, (a, b) in enumerate(pairs)
            )
        )
        wheel[1:] = [wheel[-1], *wheel[1:-1]]
    return tuple(rounds)


def rank_teams(
    teams: Sequence[str],
    fixtures: Sequence[DueMatch],
    results: Mapping[str, MatchResult],
    seed: int,
) -> tuple[TeamStanding, ...]:
    """Who is where, the best first.

    More matches won, then more games won, then more points, as within a match; then a coin, which
    follows from the seed alone and so falls the same way for ever.
    """
    sums = [_Sums() for _ in teams]
    for fixture in fixtures:
        result = results.get(fixture.slot)
        if result is None or result.winner is None:
            continue
        for seat, entrant in enumerate(fixture.entrants):
            sums[entrant].add(result, seat)

    def rank(entrant: int) -> tuple[int, int, int, bytes]:
        mine = sums[entrant]
        return -mine.wins, -mine.games_won, -mine.points, _coin(seed, entrant)

    return tuple(
        TeamStanding(
            place=place,
            entrant=entrant,
            team=teams[entrant],
            played=sums[entrant].wins + sums[entrant].losses,
            wins=sums[entrant].wins,
            losses=sums[entrant].losses,
            games_won=sums[entrant].games_won,
            games_lost=sums[entrant].games_lost,
            points=sums[entrant].points,
            points_against=sums[entrant].points_against,
        )
        for place, entrant in enumerate(sorted(range(len(teams)), key=rank), start=1)
    )


Stage: TypeAlias = Literal["ranking", "bracket"]


class DueMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match to be played.

    Attributes:
        slot: its place in the plan, which nothing else has.
        name: for people, such as "Quarter-final 2".
        stage: which half of the contest.
        round: within the stage, from 1.
        tie: within the round, from 0.
        entrants: who plays, by number: the first and the second seat.
    """

    slot: str
    name: str
    stage: Stage
    round: int
    tie: int
    entrants: tuple[int, int]


# --- helpers ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Sums:
    wins: int = 0
    losses: int = 0
    games_won: int = 0
    games_lost: int = 0
    points: int = 0
    points_against: int = 0

    def add(self, result: MatchResult, seat: int) -> None:
        won = result.winner == seat
        self.wins += won
        self.losses += not won
        self.games_won += result.games[seat]
        self.games_lost += result.games[1 - seat]
        self.points += result.points[seat]
        self.points_against += result.points[1 - seat]


def _seated(a: int, b: int) -> tuple[int, int]:
    """Both seats, so that everybody has each of them about as often."""
    return (min(a, b), max(a, b)) if (a + b) % 2 else (max(a, b), min(a, b))


def _coin(seed: int, entrant: int) -> bytes:
    return hashlib.blake2b(f"{seed}/{entrant}".encode(), digest_size=8).digest()
