"""Decide between two hypotheses by a sequential probability ratio test (SPRT).

The hypotheses are that the first player is `elo0` stronger (H0), or `elo1` (H1). The test ends when
the logarithm of the likelihood ratio (LLR) leaves its bounds (Wald 1945), with the error
probabilities `alpha` and `beta`.

The outcome probabilities are unknown under both hypotheses, so each hypothesis gets its maximum
likelihood estimate (generalised SPRT). Sources: Michel Van den Bergh, "Comments on normalized Elo"
and "A practical introduction to the GSPRT". fishtest and fastchess use the same test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, get_args

import msgspec

from sevenbag.arena.statistics.ratings import NELO_SCALE, Outcomes, elo_to_score
from sevenbag.errors import InputError, shown

SprtModel = Literal["normalized", "logistic"]
SprtDecision = Literal["H0", "H1"]

MAX_ELO: Final = 1000
"""Maximum absolute value of a hypothesis."""


class Sprt(msgspec.Struct, frozen=True):
    """Test of two hypotheses.

    Attributes:
        elo0: H0: the Elo by which the first player is stronger.
        elo1: H1: likewise, above `elo0`.
        alpha: probability of accepting H1 although H0 is true.
        beta: probability of accepting H0 although H1 is true.
        model: Elo model of the hypotheses: ``normalized``, or the usual ``logistic``.

    Raises:
        InputError: a value is out of range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = "normalized"

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            elo = getattr(self, name)
            if not _is_number(elo) or abs(elo) > MAX_ELO:
                raise InputError(
                    f"invalid {name}: expected number from -{MAX_ELO} to {MAX_ELO},"
                    f" got {shown(elo)}"
                )
        if self.elo0 >= self.elo1:
            raise InputError(f"invalid elo0: expected less than elo1, got {self.elo0:g}")
        for name in ("alpha", "beta"):
            chance = getattr(self, name)
            if not _is_number(chance) or not _MIN_PROBABILITY <= chance < 1:
                raise InputError(
                    f"invalid {name}: expected number from {_MIN_PROBABILITY:g} to 1,"
                    f" got {shown(chance)}"
                )
        if self.alpha + self.beta >= 1:
            raise InputError("invalid alpha: expected alpha + beta below 1")
        if self.model not in get_args(SprtModel):
            raise InputError(
                f"invalid model: expected 'normalized' or 'logistic', got {shown(self.model)}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the LLR bounds at which H0 and H1 are accepted."""
        return (math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha))

    def llr(self, outcomes: Outcomes) -> float:
        """Return the log-likelihood ratio after these games, in favour of H1; 0 without games."""
        if outcomes.total == 0:
            return 0.0
        # An outcome that has not occurred is not impossible.
        seen = [count or _UNSEEN_COUNT for count in outcomes.counts]
        total = math.fsum(seen)
        shares = [count / total for count in seen]
        scores = outcomes.outcome_scores()
        if self.model == "logistic":
            under = [_with_mean(shares, scores, elo_to_score(elo)) for elo in self._elos]
        else:
            per_outcome = math.sqrt(outcomes.GAMES_PER_OUTCOME) / NELO_SCALE
            under = [_with_t_value(shares, scores, elo * per_outcome) for elo in self._elos]
        ratios = (
            share * math.log(one / zero)
            for share, zero, one in zip(shares, under[0], under[1], strict=True)
        )
        return total * math.fsum(ratios)

    def decision(self, outcomes: Outcomes) -> SprtDecision | None:
        """Return the accepted hypothesis, ``H0`` or ``H1``; None if more games are needed."""
        lower, upper = self.bounds
        llr = self.llr(outcomes)
        if llr <= lower:
            return "H0"
        return "H1" if llr >= upper else None

    def describe(self, llr: float, decision: SprtDecision | None) -> str:
        """Format the state of the test in the format of fastchess."""
        lower, upper = self.bounds
        return (
            f"LLR: {llr:.2f} ({lower:.2f}, {upper:.2f}) [{self.elo0:.2f}, {self.elo1:.2f}]"
            f" ({self.model}), {f'{decision} accepted' if decision else 'undecided'}"
        )

    @property
    def _elos(self) -> tuple[float, float]:
        return self.elo0, self.elo1


_UNSEEN_COUNT: Final = 1e-3
_MIN_PROBABILITY: Final = 1e-9
_MAX_ITERATIONS: Final = 200
_TOLERANCE: Final = 1e-10
_MAX_TILT: Final = 1e6


def _with_mean(shares: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """Return the maximum likelihood distribution with this mean."""
    return _balanced(shares, [score - mean for score in scores])


def _with_t_value(shares: Sequence[float], scores: Sequence[float], t: float) -> list[float]:
    """Return the maximum likelihood distribution with this t-value.

    The t-value is the distance of the mean from a half in standard deviations. The condition is not
    linear in the probabilities: iterate with its tangent at a distribution that fulfils it.
    """
    chances = _tilted(shares, scores, t)
    for _ in range(_MAX_ITERATIONS):
        mean, deviation = _moments(chances, scores)
        tangent = [
            score - 0.5 - t * deviation * (1 + ((score - mean) / deviation) ** 2) / 2
            for score in scores
        ]
        if min(tangent) < 0 < max(tangent):
            better = _balanced(shares, tangent)
        else:
            better = _tilted(chances, scores, t)
        step = max(abs(new - old) for new, old in zip(better, chances, strict=True))
        chances = better
        if step < _TOLERANCE:
            break
    return chances


def _balanced(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the maximum likelihood distribution under which the values have the mean 0.

    With the Lagrange multiplier x its probabilities are share / (1 + x * value); the mean falls
    with x, which lies between the poles.
    """
    low, high = -1 / max(values), -1 / min(values)
    for _ in range(_MAX_ITERATIONS):
        x = (low + high) / 2
        if not low < x < high:
            break
        mean = math.fsum(
            share * value / (1 + x * value) for share, value in zip(shares, values, strict=True)
        )
        if mean > 0:
            low = x
        else:
            high = x
    x = (low + high) / 2
    chances = [share / (1 + x * value) for share, value in zip(shares, values, strict=True)]
    total = math.fsum(chances)
    return [chance / total for chance in chances]


def _tilted(shares: Sequence[float], scores: Sequence[float], t: float) -> list[float]:
    """Return a distribution with this t-value: each share times e^(x * score)."""

    def at(x: float) -> list[float]:
        top = max(x * score for score in scores)
        weights = [
            share * math.exp(x * score - top) for share, score in zip(shares, scores, strict=True)
        ]
        # For large x all but one vanish, and the variance, a divisor, would be 0.
        floor = 1e-300
        total = math.fsum(weights)
        return [max(weight / total, floor) for weight in weights]

    low, high = -1.0, 1.0
    while high < _MAX_TILT and _t_value(at(high), scores) < t:
        high *= 2
    while low > -_MAX_TILT and _t_value(at(low), scores) > t:
        low *= 2
    for _ in range(_MAX_ITERATIONS):
        x = (low + high) / 2
        if not low < x < high:
            break
        if _t_value(at(x), scores) < t:
            low = x
        else:
            high = x
    return at((low + high) / 2)


def _t_value(chances: Sequence[float], scores: Sequence[float]) -> float:
    mean, deviation = _moments(chances, scores)
    return (mean - 0.5) / deviation if deviation else math.copysign(math.inf, mean - 0.5)


def _moments(chances: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(chance * score for chance, score in zip(chances, scores, strict=True))
    variance = math.fsum(
        chance * (score - mean) ** 2 for chance, score in zip(chances, scores, strict=True)
    )
    return mean, math.sqrt(variance)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
