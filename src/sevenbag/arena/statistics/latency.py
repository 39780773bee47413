"""Thinking times: percentiles, and histograms that can be added up.

The percentiles of many games together do not follow from those of each. So each game keeps a
histogram: bucket n counts the times from 10^(n/20) to 10^((n+1)/20) microseconds, the first one
also what is shorter. What is read from it is right within 6 %.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

BUCKETS_PER_DECADE: Final = 20
LAST_BUCKET: Final = 250
"""Hours; what is longer is counted there."""

Histogram = dict[int, int]


def percentile(ascending: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, between two of them in proportion.

    Args:
        ascending: at least one.
        share: 0 to 1.
    """
    place = share * (len(ascending) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])


def bucket_of(milliseconds: float) -> int:
    """In which bucket a time is counted."""
    microseconds = milliseconds * 1000
    if microseconds <= 1:
        return 0
    return min(LAST_BUCKET, math.floor(math.log10(microseconds) * BUCKETS_PER_DECADE + _ROUNDING))


def start_of(bucket: int) -> float:
    """The shortest time of a bucket, in milliseconds."""
    return 10 ** (bucket / BUCKETS_PER_DECADE) / 1000


def histogram(times: Iterable[float]) -> Histogram:
    """How many of these times, in milliseconds, fall into each bucket."""
    return Counter(map(bucket_of, times))


def added(histograms: Iterable[Mapping[int, int] | Iterable[tuple[int, int]]]) -> Histogram:
    """Histograms, or their items, as one."""
    total: Counter[int] = Counter()
    for each in histograms:
        for bucket, count in dict(each).items():
            total[bucket] += count
    return total


def percentile_of(counts: Mapping[int, int], share: float) -> float | None:
    """What `percentile` would say, about; in milliseconds. None where nothing is counted."""
    total = sum(counts.values())
    if total == 0:
        return None
    wanted = share * total
    below = 0
    for bucket in sorted(counts):
        below += counts[bucket]
        if below >= wanted and counts[bucket]:
            return math.sqrt(start_of(bucket) * start_of(bucket + 1))
    raise AssertionError("all are below the last bucket's end")


# --- helpers ------------------------------------------------------------------------------------

# A time at a bucket's very start must not fall before it.
_ROUNDING = 1e-9
