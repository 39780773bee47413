"""Compute ratings and tests as pure functions of counts. docs/statistics.md lists the sources.

::

    Pentanomial, Trinomial   outcomes of pairs of games, or of games: Elo, normalised Elo, LOS
    Sprt                     sequential probability ratio test: LLR, bounds, decision
    rate_engines             ratings of many engines
"""

from sevenbag.arena.statistics.ratings import (
    Interval,
    Outcomes,
    Pentanomial,
    Trinomial,
    format_unpaired_note,
)
from sevenbag.arena.statistics.sprt import Sprt

__all__ = ["Interval", "Outcomes", "Pentanomial", "Sprt", "Trinomial", "format_unpaired_note"]
