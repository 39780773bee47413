"""What many games between two say: Elo with its interval, normalised Elo, who is stronger.

Games are counted by what the first player got: singly (`Trinomial`), or in pairs of the same
opening with the sides swapped (`Pentanomial`). Where an opening favours a side, the two games of a
pair are not independent of each other; the pairs are, and their spread is the one that counts.

The formulas are those of fishtest and fastchess, from Michel Van den Bergh, "A practical
introduction to the GSPRT" and "Normalized Elo" (2020/21), and Elo's logistic curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, Self

from sevenbag.errors import InputError, shown

NORMAL_95: Final = 1.959963984540054
"""Within so many standard deviations of its mean lie 95 % of a normal distribution."""

NELO: Final = 800 / math.log(10)
"""Normalised Elo of a game whose mean lies one standard deviation above a half."""

MOST_GAMES: Final = 2**53


class Interval(NamedTuple):
    """An estimate, and between which bounds the truth lies with 95 % confidence.

    Attributes:
        value: the estimate; infinite where nothing but wins, or losses, was seen.
        low: infinite where the games cannot bound it.
        high: likewise.
    """

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width, what tools print after ±; infinite where there is no bound."""
        return (self.high - self.low) / 2 if math.isfinite(self.high - self.low) else math.inf

    def __str__(self) -> str:
        """Format the estimate and its error in the format of fastchess."""
        # Adding zero turns -0.0 into 0.0.
        return f"{round(self.value, 1) + 0.0:+.1f} +/- {self.error:.1f}"


def score_of_elo(elo: float) -> float:
    """The expected score of a player who is so many Elo stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """So many Elo stronger is a player who scores this; infinite at 0 and 1, and beyond."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1) + 0.0  # no -0.0


def unpaired_note(games: int) -> str:
    """Say that games without a pair do not count; empty if there are none."""
    if games == 0:
        return ""
    if games == 1:
        return "1 game without its pair is not counted"
    return f"{games} games without their pairs are not counted"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How often each outcome was seen, from the worst for the first player to the best.

    Attributes:
        counts: as many as the class has outcomes.

    Raises:
        InputError: another number of counts, or one that is no whole number from 0.
    """

    counts: tuple[int, ...]

    GAMES: ClassVar[int]
    """Games in each outcome."""

    def __post_init__(self) -> None:
        wanted = 2 * self.GAMES + 1
        if len(self.counts) != wanted:
            raise InputError(f"{len(self.counts)} counts of outcomes, must be {wanted}")
        for count in self.counts:
            if type(count) is not int or not 0 <= count <= MOST_GAMES:
                raise InputError(f"counts: {shown(count)} is no whole number from 0 to 2^53")

    @classmethod
    def scores(cls) -> tuple[float, ...]:
        """What each outcome is worth, from 0 to 1."""
        return tuple(index / (2 * cls.GAMES) for index in range(2 * cls.GAMES + 1))

    def add(self, points: float) -> Self:
        """With one more outcome.

        Args:
            points: of the first player, in halves, from 0 to the number of games.

        Raises:
            InputError: there is no such outcome.
        """
        index = round(2 * points) if math.isfinite(points) else -1
        if index != 2 * points or not 0 <= index <= 2 * self.GAMES:
            raise InputError(f"{shown(points)} points, must be 0 to {self.GAMES} in halves")
        counts = list(self.counts)
        counts[index] += 1
        return type(self)(tuple(counts))

    @property
    def swapped(self) -> Self:
        """As the other player sees it."""
        return type(self)(self.counts[::-1])

    @property
    def total(self) -> int:
        """Outcomes seen."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """Games in them."""
        return self.total * self.GAMES

    @property
    def score(self) -> float:
        """Mean score of the first player, 0 to 1; a half where nothing was seen."""
        if self.total == 0:
            return 0.5
        return math.fsum(map(float.__mul__, self.scores(), map(float, self.counts))) / self.total

    @property
    def variance(self) -> float:
        """Of an outcome's score."""
        if self.total == 0:
            return 0.0
        mean = self.score
        squares = (
            count * (score - mean) ** 2
            for score, count in zip(self.scores(), self.counts, strict=True)
        )
        return math.fsum(squares) / self.total

    def elo(self) -> Interval:
        """How much stronger the first player is.

        Outcomes that are all the same have no spread: then nothing bounds the estimate.
        """
        mean = self.score
        if self.variance == 0:
            return Interval(elo_of_score(mean), -math.inf, math.inf)
        error = NORMAL_95 * math.sqrt(self.variance / self.total)
        return Interval(*(elo_of_score(mean + part * error) for part in (0, -1, 1)))

    def nelo(self) -> Interval:
        """The same in units of a game's spread, so that it says how many games will show it."""
        unit = NELO / math.sqrt(self.GAMES)
        deviation = self.score - 0.5
        if self.variance == 0:
            value = math.copysign(math.inf, deviation) if deviation else 0.0
            return Interval(value, -math.inf, math.inf)
        value = unit * deviation / math.sqrt(self.variance)
        error = NORMAL_95 * unit / math.sqrt(self.total)
        return Interval(value, value - error, value + error)

    def los(self) -> float:
        """Likelihood that the first player is the stronger one, 0 to 1.

        Outcomes that are all the same have no spread of their own; then the spread around an equal
        score is taken, as when wins are held against losses.
        """
        deviation = self.score - 0.5
        if deviation == 0:
            return 0.5
        spread = self.variance or deviation**2
        return normal_below(deviation / math.sqrt(spread / self.total))


@dataclass(frozen=True, slots=True)
class Trinomial(Outcomes):
    """Single games: losses, draws and wins of the first player."""

    counts: tuple[int, ...] = (0, 0, 0)

    GAMES: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Pentanomial(Outcomes):
    """Pairs of games, by the first player's points: 0, a half, 1, one and a half, 2.

    Chess tools write them LL, LD, WL/DD, WD, WW.
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    GAMES: ClassVar[int] = 2

    @property
    def pairs(self) -> int:
        """Pairs seen."""
        return self.total

    @property
    def pairs_ratio(self) -> float:
        """Pairs won by pairs lost; infinite where none was lost, NaN where none was won either."""
        lost, won = sum(self.counts[:2]), sum(self.counts[3:])
        if lost == 0:
            return math.inf if won else math.nan
        return won / lost


def normal_below(deviations: float) -> float:
    """What part of a normal distribution lies below so many standard deviations."""
    return math.erfc(-deviations / math.sqrt(2)) / 2
