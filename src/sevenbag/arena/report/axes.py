"""Scales of plots: from values to places, and where to put ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from values to places.

    Attributes:
        low: the value at `start`.
        high: the value at `end`, above `low`.
        start: a place.
        end: another.
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value; what lies outside is put at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, about: int = 6) -> list[float]:
        """Round values on the scale."""
        raw = (self.high - self.low) / max(about, 1)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(n * power for n in _STEPS if n * power >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [n * step for n in range(first, last + 1)]


def spanning(values: Iterable[float], start: float, end: float, *, least: float = 1e-9) -> Scale:
    """A scale on which all finite values lie, and a little more on both sides.

    Args:
        values: some of them may be infinite.
        start: place of the low end.
        end: place of the high end.
        least: how much the scale spans at least.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    margin = (high - low) * 0.04
    return Scale(low - margin, high + margin, start, end)


def label(value: float) -> str:
    """A tick's text."""
    return f"{value:,.10g}" if value else "0"
