"""Who meets whom in a contest: a round robin for the ranking, then single elimination.

`plan` is what is asked for, `ranking` and `elimination` are the two stages, made of `fixtures`;
`tournament` has both. No clock, no store, no chance: the same results lead to the same matches.
"""

from sevenbag.contest.tournament.fixtures import Fixture, Stage, Tie
from sevenbag.contest.tournament.plan import Plan
from sevenbag.contest.tournament.ranking import Standing, of_ranking
from sevenbag.contest.tournament.tournament import MOST_ENTRANTS, Tournament

__all__ = [
    "MOST_ENTRANTS",
    "Fixture",
    "Plan",
    "Stage",
    "Standing",
    "Tie",
    "Tournament",
    "of_ranking",
]
