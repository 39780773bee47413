"""Round robin before the bracket, and its ranking."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from sevenbag.contest.game.match_results import MatchResult

_SLOT_PREFIX: Final = "ranking/"
"""Prefix of the slots of the ranking."""


class TeamStanding(msgspec.Struct, frozen=True, kw_only=True):
    """Standing of a team in the ranking.

    Attributes:
        entrant: index of the team.
        points_against: points of the opponents.
    """

    place: int
    entrant: int
    team: str
    played: int = 0
    wins: int = 0
    losses: int = 0
    games_won: int = 0
    games_lost: int = 0
    points: int = 0
    points_against: int = 0


def is_ranking_slot(slot: str) -> bool:
    """Return whether a slot belongs to the ranking."""
    return slot.startswith(_SLOT_PREFIX)


def schedule_round_robin(entrants: int) -> tuple[tuple[DueMatch, ...], ...]:
    """Schedule each pair of teams once, in rounds in which each team plays at most once.

    Uses the circle method: the first team is fixed, and the others rotate. With an odd number of
    teams, one team rests in each round.
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
                    slot=f"{_SLOT_PREFIX}{number}/{tie}",
                    name=f"Ranking round {number}, match {tie + 1}",
                    stage="ranking",
                    round=number,
                    tie=tie,
                    entrants=_order_players(a, b),
                )
                for tie, (a, b) in enumerate(pairs)
            )
        )
        wheel[1:] = [wheel[-1], *wheel[1:-1]]
    return tuple(rounds)


def rank_teams(
    teams: Sequence[str], matches: Sequence[DueMatch], results: Mapping[str, MatchResult], seed: int
) -> tuple[TeamStanding, ...]:
    """Rank the teams, best first.

    The criteria are matches won, games won, points, and a coin flip that depends on the seed only.
    """
    standings = [
        TeamStanding(place=0, entrant=entrant, team=team) for entrant, team in enumerate(teams)
    ]
    for match in matches:
        result = results.get(match.slot)
        if result is None or result.winner is None:
            continue
        for player, entrant in enumerate(match.entrants):
            standings[entrant] = _add_match(standings[entrant], result, player)

    def rank(mine: TeamStanding) -> tuple[int, int, int, bytes]:
        coin = hashlib.blake2b(f"{seed}/{mine.entrant}".encode(), digest_size=8).digest()
        return -mine.wins, -mine.games_won, -mine.points, coin

    return tuple(
        msgspec.structs.replace(standing, place=place)
        for place, standing in enumerate(sorted(standings, key=rank), start=1)
    )


Stage: TypeAlias = Literal["ranking", "bracket"]


class DueMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match to be played.

    Attributes:
        slot: unique place in the plan.
        name: name of the match, such as "Quarter-final 2".
        round: number of the round in the stage, from 1.
        tie: index in the round, from 0.
        entrants: indices of the first and the second player.
    """

    slot: str
    name: str
    stage: Stage
    round: int
    tie: int
    entrants: tuple[int, int]


def _add_match(standing: TeamStanding, result: MatchResult, player: int) -> TeamStanding:
    won = result.winner == player
    return msgspec.structs.replace(
        standing,
        played=standing.played + 1,
        wins=standing.wins + won,
        losses=standing.losses + (not won),
        games_won=standing.games_won + result.games[player],
        games_lost=standing.games_lost + result.games[1 - player],
        points=standing.points + result.points[player],
        points_against=standing.points_against + result.points[1 - player],
    )


def _order_players(a: int, b: int) -> tuple[int, int]:
    """Return both teams in an order that balances first and second places."""
    return (min(a, b), max(a, b)) if (a + b) % 2 else (max(a, b), min(a, b))
