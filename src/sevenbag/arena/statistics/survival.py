"""How long players last, though most games end before they die.

A game that ends by a limit, by the other player's death or by a fault says that its player lasted
at least so long. Kaplan and Meier's estimate ("Nonparametric estimation from incomplete
observations", 1958) makes use of that; a mean over those who died would not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Survival:
    """What share of the players outlives each time.

    Attributes:
        steps: times at which somebody died, ascending, each with the share that is left after it.
        deaths: how many died.
        observed: how many were looked at.
    """

    steps: tuple[tuple[int, float], ...]
    deaths: int
    observed: int

    @property
    def median(self) -> int | None:
        """The first time after which no more than half are left; None if more than half last."""
        return next((time for time, share in self.steps if share <= _HALF), None)

    def share(self, time: int) -> float:
        """What share outlives a time."""
        left = 1.0
        for step, share in self.steps:
            if step > time:
                break
            left = share
        return left


def survival(lives: Iterable[tuple[int, bool]]) -> Survival:
    """The estimate.

    Args:
        lives: for each player how long it was seen, from 0, and whether it died then; one that was
            lost from sight at the same time as another died was there when that died.
    """
    seen: Counter[int] = Counter()
    died: Counter[int] = Counter()
    for time, dead in lives:
        seen[time] += 1
        died[time] += dead
    observed = left = sum(seen.values())
    share = 1.0
    steps: list[tuple[int, float]] = []
    for time in sorted(seen):
        if died[time]:
            share *= 1 - died[time] / left
            steps.append((time, share))
        left -= seen[time]
    return Survival(tuple(steps), sum(died.values()), observed)


# A product of fractions that should be a half may be a little more.
_HALF = 0.5 + 1e-12
