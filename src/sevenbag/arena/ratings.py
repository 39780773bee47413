"""How strong many bots are, from games of two at a time: the Bradley-Terry model.

Each has a strength; of two, the one with the greater strength wins more often, by Elo's curve. The
strengths are those under which the games that were played are most likely (Bradley and Terry 1952;
Zermelo 1929); a draw counts as half a win and half a loss, as Elo has it. `choix` finds them; how
sure they are follows from the curvature of the likelihood there (Fisher's information).

Two games of a pair (the same pieces, the sides swapped) are often the same game twice, and then say
no more than one. So intervals are widened by how much more the pairs vary than games that have
nothing to do with each other would (the dispersion of McCullagh and Nelder's quasi-likelihood).

Who won all its games would be infinitely strong. So each bot is taken to have drawn a game or so
with an average player: with few games that keeps ratings near zero, with many it does nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.arena.statistics.outcomes import NORMAL_95, Interval, normal_below
from sevenbag.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.arena.statistics import Pentanomial

DRAWS_WITH_AVERAGE: Final = 1.0
"""Draws with an average player that each bot is taken to have played."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The strengths of bots.

    Attributes:
        elo: of each bot, relative to the mean of all, with its 95 % interval.
        covariance: of the estimates, in squared Elo.
    """

    elo: tuple[Interval, ...]
    covariance: tuple[tuple[float, ...], ...]

    def difference(self, one: int, other: int) -> Interval:
        """How much stronger one bot is than another."""
        value = self.elo[one].value - self.elo[other].value
        error = NORMAL_95 * self._deviation(one, other)
        return Interval(value, value - error, value + error)

    def los(self, one: int, other: int) -> float:
        """Likelihood that one bot is stronger than another, 0 to 1."""
        deviation = self._deviation(one, other)
        value = self.elo[one].value - self.elo[other].value
        return normal_below(value / deviation) if deviation else 0.5

    def _deviation(self, one: int, other: int) -> float:
        cov = self.covariance
        return math.sqrt(max(0.0, cov[one][one] + cov[other][other] - 2 * cov[one][other]))


def ratings(
    bots: int,
    points: Mapping[tuple[int, int], float],
    pairs: Mapping[tuple[int, int], Pentanomial] | None = None,
    *,
    draws_with_average: float = DRAWS_WITH_AVERAGE,
) -> Ratings:
    """Rate bots.

    Args:
        bots: how many there are.
        points: for (i, j) the points that bot i got in its games with bot j.
        pairs: for (i, j) how the pairs among these games went for bot i, where any were pairs.
        draws_with_average: see the module; 0 for the plain maximum of the likelihood, which there
            is only if the bots cannot be parted into two groups of which one never lost a point.

    Raises:
        InputError: no such maximum, or points of no bot.
        MissingExtraError: the extra ``ratings`` is not installed.
    """
    wins = [[0.0] * (bots + 1) for _ in range(bots + 1)]
    for (one, other), got in points.items():
        if not (0 <= one < bots and 0 <= other < bots and one != other and got >= 0):
            raise InputError(f"{got} points of bot {one} with bot {other} of {bots}")
        wins[one][other] += got
    if draws_with_average:
        for bot in range(bots):
            wins[bot][bots] = wins[bots][bot] = draws_with_average / 2
    else:
        wins = [row[:bots] for row in wins[:bots]]
    return _rated(bots, wins, points, pairs or {})


# --- helpers ------------------------------------------------------------------------------------

# Elo of a difference of 1 in the natural logarithm of the strength.
_ELO: Final = 400 / math.log(10)
_ROUNDS: Final = 10_000


def _rated(
    bots: int,
    wins: Sequence[Sequence[float]],
    points: Mapping[tuple[int, int], float],
    pairs: Mapping[tuple[int, int], Pentanomial],
) -> Ratings:
    try:
        import choix  # noqa: PLC0415  # most commands rate nobody
        import numpy as np  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "ratings of many bots need the extra 'ratings': pip install 'sevenbag[ratings]'"
        ) from error
    won = np.array(wins, dtype=float)
    try:
        strengths = choix.ilsr_pairwise_dense(won, max_iter=_ROUNDS)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"these games have no most likely ratings: {error}") from error
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = (won + won.T) * chance * (1 - chance)
    information = np.diag(weights.sum(axis=1)) - weights
    # Only differences are known: the inverse is taken where the information is not zero.
    covariance = np.linalg.pinv(information, hermitian=True)
    # Relative to the mean of the bots, of which the average player is none.
    centre = np.eye(len(won))[:bots] - np.array([1 / bots] * bots + [0.0] * (len(won) - bots))
    elos = _ELO * (centre @ strengths)
    wider = _dispersion(chance.tolist(), points, pairs)
    spread = _ELO**2 * wider * (centre @ covariance @ centre.T)
    errors = NORMAL_95 * np.sqrt(np.maximum(np.diag(spread), 0))
    return Ratings(
        tuple(
            Interval(float(elo), float(elo - error), float(elo + error))
            for elo, error in zip(elos, errors, strict=True)
        ),
        tuple(tuple(map(float, row)) for row in spread),
    )


def _dispersion(
    chance: Sequence[Sequence[float]],
    points: Mapping[tuple[int, int], float],
    pairs: Mapping[tuple[int, int], Pentanomial],
) -> float:
    """How many times as much the points vary as those of independent games would; at least once."""
    seen = expected = 0.0
    for (one, other), outcomes in pairs.items():
        mean = chance[one][other]
        seen += sum(
            count * (score - 2 * mean) ** 2
            for count, score in zip(outcomes.counts, (0, 0.5, 1, 1.5, 2), strict=True)
        )
        expected += outcomes.games * mean * (1 - mean)
    for (one, other), got in points.items():
        if one < other:
            games = got + points.get((other, one), 0.0)
            paired = pairs[one, other].games if (one, other) in pairs else 0
            alone = (games - paired) * chance[one][other] * chance[other][one]
            seen, expected = seen + alone, expected + alone
    return max(1.0, seen / expected) if expected else 1.0
