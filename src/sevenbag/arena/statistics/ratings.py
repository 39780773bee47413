"""Compute Elo and likelihood of superiority of a match, and ratings of many engines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, Self

from sevenbag.errors import InputError, MissingExtraError, shown

Z_95: Final = 1.959963984540054
"""Half-width of the central 95 % of a normal distribution, in standard deviations."""

NELO_SCALE: Final = 800 / math.log(10)
"""Normalised Elo of a game whose mean lies one standard deviation above a half."""

MAX_COUNTED_GAMES: Final = 2**53


class Interval(NamedTuple):
    """Estimate with its 95 % confidence interval.

    Attributes:
        value: estimate; infinite if there are only wins, or only losses.
        low: lower bound; infinite if the games do not determine one.
        high: upper bound; likewise.
    """

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Return half the width, as printed after ±; infinite without a bound."""
        return (self.high - self.low) / 2 if math.isfinite(self.high - self.low) else math.inf

    def to_dict(self) -> dict[str, float | None]:
        """Return the fields; infinite values become None."""
        return {
            name: value if math.isfinite(value) else None for name, value in self._asdict().items()
        }

    def __str__(self) -> str:
        """Format the estimate and its error in the format of fastchess."""
        # Adding zero turns -0.0 into 0.0.
        return f"{round(self.value, 1) + 0.0:+.1f} +/- {self.error:.1f}"


def elo_to_score(elo: float) -> float:
    """Return the expected score at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def score_to_elo(score: float) -> float:
    """Return the Elo difference of an expected score; infinite at 0, 1 and beyond."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1) + 0.0  # no -0.0


def format_unpaired_note(games: int) -> str:
    """Say that games without a pair do not count; empty if there are none."""
    if games == 0:
        return ""
    if games == 1:
        return "1 game without its pair is not counted"
    return f"{games} games without their pairs are not counted"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Counts of each outcome, from the worst to the best for the first player.

    Attributes:
        counts: count of each outcome of the class.

    Raises:
        InputError: the number of counts or a count is invalid.
    """

    counts: tuple[int, ...]

    GAMES_PER_OUTCOME: ClassVar[int]
    """Number of games of an outcome."""

    def __post_init__(self) -> None:
        wanted = 2 * self.GAMES_PER_OUTCOME + 1
        if len(self.counts) != wanted:
            raise InputError(f"invalid counts: expected {wanted} counts, got {len(self.counts)}")
        for count in self.counts:
            if type(count) is not int or not 0 <= count <= MAX_COUNTED_GAMES:
                raise InputError(
                    f"invalid count: expected integer from 0 to 2^53, got {shown(count)}"
                )

    @classmethod
    def outcome_scores(cls) -> tuple[float, ...]:
        """Return the score of each outcome, from 0 to 1."""
        return tuple(
            index / (2 * cls.GAMES_PER_OUTCOME) for index in range(2 * cls.GAMES_PER_OUTCOME + 1)
        )

    def with_points(self, points: float) -> Self:
        """Return the counts with one more outcome.

        Args:
            points: points of the first player, a multiple of 0.5.

        Raises:
            InputError: the points are invalid.
        """
        index = round(2 * points) if math.isfinite(points) else -1
        if index != 2 * points or not 0 <= index <= 2 * self.GAMES_PER_OUTCOME:
            raise InputError(
                f"invalid points: expected 0 to {self.GAMES_PER_OUTCOME} in halves,"
                f" got {shown(points)}"
            )
        counts = list(self.counts)
        counts[index] += 1
        return type(self)(tuple(counts))

    @property
    def swapped(self) -> Self:
        """Return the outcomes of the other player."""
        return type(self)(self.counts[::-1])

    @property
    def total(self) -> int:
        """Return the number of outcomes."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.total * self.GAMES_PER_OUTCOME

    @property
    def score(self) -> float:
        """Return the mean score of the first player, 0 to 1; 0.5 without outcomes."""
        if self.total == 0:
            return 0.5
        return (
            math.fsum(map(float.__mul__, self.outcome_scores(), map(float, self.counts)))
            / self.total
        )

    @property
    def variance(self) -> float:
        """Return the variance of an outcome's score."""
        if self.total == 0:
            return 0.0
        mean = self.score
        squares = (
            count * (score - mean) ** 2
            for score, count in zip(self.outcome_scores(), self.counts, strict=True)
        )
        return math.fsum(squares) / self.total

    def elo(self) -> Interval:
        """Return the Elo difference in favour of the first player.

        If all outcomes are equal, the estimate has no bounds.
        """
        mean = self.score
        if self.variance == 0:
            return Interval(score_to_elo(mean), -math.inf, math.inf)
        error = Z_95 * math.sqrt(self.variance / self.total)
        return Interval(*(score_to_elo(mean + part * error) for part in (0, -1, 1)))

    def nelo(self) -> Interval:
        """Return the normalized Elo difference, in units of the standard deviation of a game."""
        unit = NELO_SCALE / math.sqrt(self.GAMES_PER_OUTCOME)
        deviation = self.score - 0.5
        if self.variance == 0:
            value = math.copysign(math.inf, deviation) if deviation else 0.0
            return Interval(value, -math.inf, math.inf)
        value = unit * deviation / math.sqrt(self.variance)
        error = Z_95 * unit / math.sqrt(self.total)
        return Interval(value, value - error, value + error)

    def los(self) -> float:
        """Return the likelihood that the first player is stronger, 0 to 1.

        If all outcomes are equal, their deviation from an equal score is the standard deviation.
        """
        deviation = self.score - 0.5
        if deviation == 0:
            return 0.5
        spread = self.variance or deviation**2
        return normal_cdf(deviation / math.sqrt(spread / self.total))


@dataclass(frozen=True, slots=True)
class Trinomial(Outcomes):
    """Single games: losses, draws and wins of the first player."""

    counts: tuple[int, ...] = (0, 0, 0)

    GAMES_PER_OUTCOME: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Pentanomial(Outcomes):
    """Pairs of games, by the first player's points: 0, a half, 1, one and a half, 2.

    Chess tools write them LL, LD, WL/DD, WD, WW.
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    GAMES_PER_OUTCOME: ClassVar[int] = 2

    @property
    def pairs(self) -> int:
        """Return the number of pairs."""
        return self.total

    @property
    def pairs_ratio(self) -> float:
        """Return pairs won per pair lost; infinite without losses, NaN without both."""
        lost, won = sum(self.counts[:2]), sum(self.counts[3:])
        if lost == 0:
            return math.inf if won else math.nan
        return won / lost


def normal_cdf(deviations: float) -> float:
    """Return the standard normal cumulative distribution at a value."""
    return math.erfc(-deviations / math.sqrt(2)) / 2


PRIOR_DRAWS: Final = 1.0
"""Draws with an average player that are added to the games of each bot."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of bots.

    Attributes:
        elo: rating of each bot relative to the mean, with its 95 % interval.
        covariance: covariance of the estimates, in squared Elo.
    """

    elo: tuple[Interval, ...]
    covariance: tuple[tuple[float, ...], ...]

    def difference(self, one: int, other: int) -> Interval:
        """Return the rating difference in favour of one bot over another."""
        value = self.elo[one].value - self.elo[other].value
        error = Z_95 * self._deviation(one, other)
        return Interval(value, value - error, value + error)

    def los(self, one: int, other: int) -> float:
        """Return the likelihood that one bot is stronger than another, 0 to 1."""
        deviation = self._deviation(one, other)
        value = self.elo[one].value - self.elo[other].value
        return normal_cdf(value / deviation) if deviation else 0.5

    def _deviation(self, one: int, other: int) -> float:
        cov = self.covariance
        return math.sqrt(max(0.0, cov[one][one] + cov[other][other] - 2 * cov[one][other]))


def rate_engines(
    bots: int,
    points: Mapping[tuple[int, int], float],
    pairs: Mapping[tuple[int, int], Pentanomial] | None = None,
    *,
    draws_with_average: float = PRIOR_DRAWS,
) -> Ratings:
    """Rate bots.

    Args:
        bots: number of bots.
        points: for (i, j) the points of bot i in its games with bot j.
        pairs: for (i, j) the results of bot i in pairs of these games, if any.
        draws_with_average: see the module; 0 for the plain maximum likelihood, which exists only if
            no group of bots has won every point against the others.

    Raises:
        InputError: the maximum does not exist, or the points are invalid.
        MissingExtraError: the extra ``ratings`` is not installed.
    """
    wins = [[0.0] * (bots + 1) for _ in range(bots + 1)]
    for (one, other), got in points.items():
        if not (0 <= one < bots and 0 <= other < bots and one != other and got >= 0):
            raise InputError(f"invalid points of bots {one} and {other} of {bots}: got {got}")
        wins[one][other] += got
    if draws_with_average:
        for bot in range(bots):
            wins[bot][bots] = wins[bots][bot] = draws_with_average / 2
    else:
        wins = [row[:bots] for row in wins[:bots]]
    return _fit_ratings(bots, wins, points, pairs or {})


# Elo of a difference of 1 in the natural logarithm of the strength.
_ELO_SCALE: Final = 400 / math.log(10)
_MAX_ITERATIONS: Final = 10_000


def _fit_ratings(
    bots: int,
    wins: Sequence[Sequence[float]],
    points: Mapping[tuple[int, int], float],
    pairs: Mapping[tuple[int, int], Pentanomial],
) -> Ratings:
    try:
        import choix  # noqa: PLC0415  # most commands compute no ratings
        import numpy as np  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "ratings of many bots need the extra 'ratings': pip install 'sevenbag[ratings]'"
        ) from error
    won = np.array(wins, dtype=float)
    try:
        strengths = choix.ilsr_pairwise_dense(won, max_iter=_MAX_ITERATIONS)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"these games have no most likely ratings: {error}") from error
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = (won + won.T) * chance * (1 - chance)
    information = np.diag(weights.sum(axis=1)) - weights
    # Only differences are determined, so the matrix is singular: use the pseudoinverse.
    covariance = np.linalg.pinv(information, hermitian=True)
    # Relative to the mean of the bots, without the average player.
    centre = np.eye(len(won))[:bots] - np.array([1 / bots] * bots + [0.0] * (len(won) - bots))
    elos = _ELO_SCALE * (centre @ strengths)
    wider = _dispersion(chance.tolist(), points, pairs)
    spread = _ELO_SCALE**2 * wider * (centre @ covariance @ centre.T)
    errors = Z_95 * np.sqrt(np.maximum(np.diag(spread), 0))
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
    """Return the variance of the points relative to that of independent games; at least 1."""
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
