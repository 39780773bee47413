"""What many games say, as pure functions of counts. docs/statistics.md has the formulas' sources.

::

    Pentanomial, Trinomial   outcomes of pairs of games, or of games: Elo, normalised Elo, LOS
    Sprt                     the sequential test: LLR, bounds, decision
    survival                 pieces until death, with games that ended before it
    latency                  thinking times: percentiles, and histograms that can be added up
"""

from sevenbag.arena.statistics.outcomes import (
    Interval,
    Outcomes,
    Pentanomial,
    Trinomial,
    unpaired_note,
)
from sevenbag.arena.statistics.sprt import Sprt
from sevenbag.arena.statistics.survival import Survival, survival

__all__ = [
    "Interval",
    "Outcomes",
    "Pentanomial",
    "Sprt",
    "Survival",
    "Trinomial",
    "survival",
    "unpaired_note",
]
