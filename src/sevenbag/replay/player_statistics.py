"""Count the statistics of a player: pieces, clears, attack and thinking times."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import Meta

from sevenbag._kernel import Spin

if TYPE_CHECKING:
    from sevenbag._kernel import LockResult


BUCKETS_PER_DECADE: Final = 20
MAX_BUCKET: Final = 250
"""Last bucket, of hours; longer times are counted there."""

CLOCK_PPS_LABEL: Final = "PPS (game clock)"
"""Label of pieces per second; replays have only the game clock."""

Histogram = dict[int, int]


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the percentile `share`, 0 to 1, of sorted values with linear interpolation."""
    place = share * (len(ascending) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])


def bucket_index(milliseconds: float) -> int:
    """Return the bucket of a time."""
    microseconds = milliseconds * 1000
    if microseconds <= 1:
        return 0
    return min(MAX_BUCKET, math.floor(math.log10(microseconds) * BUCKETS_PER_DECADE + _ROUNDING))


def bucket_start_ms(bucket: int) -> float:
    """Return the shortest time of a bucket in milliseconds."""
    return 10 ** (bucket / BUCKETS_PER_DECADE) / 1000


def build_histogram(times: Iterable[float]) -> Histogram:
    """Count the times, in milliseconds, in each bucket."""
    return Counter(map(bucket_index, times))


def merge_histograms(
    histograms: Iterable[Mapping[int, int] | Iterable[tuple[int, int]]],
) -> Histogram:
    """Add up histograms, given as mappings or as items."""
    total: Counter[int] = Counter()
    for each in histograms:
        for bucket, count in dict(each).items():
            total[bucket] += count
    return total


def histogram_percentile(counts: Mapping[int, int], share: float) -> float | None:
    """Estimate a percentile in milliseconds; None for an empty histogram."""
    total = sum(counts.values())
    if total == 0:
        return None
    wanted = share * total
    below = 0
    for bucket in sorted(counts):
        below += counts[bucket]
        if below >= wanted and counts[bucket]:
            return math.sqrt(bucket_start_ms(bucket) * bucket_start_ms(bucket + 1))
    raise AssertionError("all are below the last bucket's end")


# A time at the start of a bucket must not be rounded to the previous one.
_ROUNDING = 1e-9
Count = Annotated[int, Meta(ge=0, le=2**32)]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Millis = Annotated[float, Meta(ge=0, le=1e12)]
ClearKind = Annotated[str, Meta(min_length=1, max_length=40)]
ClearCounts = dict[ClearKind, Count]


class LatencySummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Thinking times of a bot, in milliseconds.

    Attributes:
        histogram: pairs of bucket and count, from which percentiles of many games are computed.
    """

    mean: Millis
    p50: Millis
    p95: Millis
    p99: Millis
    max: Millis
    histogram: Annotated[
        tuple[tuple[Annotated[int, Meta(ge=0, le=1000)], Count], ...], Meta(max_length=1001)
    ] = ()


class PlayerStatistics(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Statistics of a player in a game.

    Attributes:
        attack: lines of attack made, before cancelling.
        clears: how often each kind of clear was made: ``single``, ``mini double``, ``spin triple``,
            ``quad``, ``five or more``; ``perfect clear`` counts those that are one as well.
        attack_by: lines of attack by the same kinds; that of a perfect clear is counted only there,
            so they add up to `attack`.
        b2b: the longest chain of difficult clears.
        combo: the longest run of clearing placements.
        thinking_ms: duration of its answers; None if not measured.
        elapsed_s: duration of the game by the wall clock, in seconds; None if not measured.
        game_s: duration of the game by the game clock, in seconds; None without one.
        time_left_ms: what was left on its clock; None where there was none.
    """

    pieces: Count
    lines: Count
    attack: Count
    clears: ClearCounts = {}
    attack_by: ClearCounts = {}
    b2b: Count = 0
    combo: Count = 0
    thinking_ms: LatencySummary | None = None
    elapsed_s: Seconds | None = None
    game_s: Seconds | None = None
    time_left_ms: Millis | None = None


PERFECT_CLEAR: Final = "perfect clear"
NO_CLEAR: Final = "no clear"
"""Attack without a clear, as of a broken charge."""

CLEAR_KINDS: Final = (
    *(
        f"{spin}{lines}"
        for spin in ("", "mini ", "spin ")
        for lines in ("single", "double", "triple", "quad", "five or more")
    ),
    PERFECT_CLEAR,
    NO_CLEAR,
)
"""Every kind of clear, in the order of tables."""


class PlayerTally:
    """Counter of the locks of one player."""

    def __init__(self) -> None:
        self._pieces = self._lines = self._attack = 0
        self._combo = self._back_to_back = 0
        self._clears: Counter[str] = Counter()
        self._attack_by: Counter[str] = Counter()
        self._times = array("d")

    def add(self, lock: LockResult, milliseconds: float | None = None) -> None:
        """Count a lock, and the duration of the bot's answer if it was measured."""
        self._pieces += 1
        if milliseconds is not None:
            self._times.append(milliseconds)
        lines, attack = lock.lines, lock.attack
        if not lines and not attack:
            return
        self._lines += lines
        self._attack += attack
        self._combo = max(self._combo, lock.combo)
        self._back_to_back = max(self._back_to_back, lock.back_to_back)
        kind = NO_CLEAR
        if lines:
            kind = clear_kind(lock)
            self._clears[kind] += 1
            if lock.perfect_clear:
                kind = PERFECT_CLEAR
                self._clears[kind] += 1
        if attack:
            self._attack_by[kind] += attack

    def summarize(
        self, elapsed_s: float | None = None, game_s: float | None = None
    ) -> PlayerStatistics:
        """Return the statistics so far; the durations are those of `PlayerStatistics`."""
        return PlayerStatistics(
            pieces=self._pieces,
            lines=self._lines,
            attack=self._attack,
            clears=_in_order(self._clears),
            attack_by=_in_order(self._attack_by),
            b2b=self._back_to_back,
            combo=self._combo,
            thinking_ms=summarize_latency(self._times) if self._times else None,
            elapsed_s=None if elapsed_s is None else round(elapsed_s, 6),
            game_s=None if game_s is None else round(game_s, 6),
        )


def clear_kind(lock: LockResult) -> str:
    """Return the kind of clear of a lock, by the names of the kernel's statistics."""
    lines = _LINES[min(lock.lines, len(_LINES) - 1)]
    return _SPINS[lock.spin] + lines


def summarize_latency(times: Sequence[float]) -> LatencySummary:
    """Summarize one or more thinking times, in milliseconds."""
    ascending = sorted(times)
    return LatencySummary(
        mean=round(sum(ascending) / len(ascending), 4),
        p50=round(percentile(ascending, 0.5), 4),
        p95=round(percentile(ascending, 0.95), 4),
        p99=round(percentile(ascending, 0.99), 4),
        max=round(ascending[-1], 4),
        histogram=tuple(sorted(build_histogram(ascending).items())),
    )


_SPINS: Final = {Spin.NONE: "", Spin.MINI: "mini ", Spin.FULL: "spin "}
_LINES: Final = ("", "single", "double", "triple", "quad", "five or more")
_ORDER: Final = {kind: place for place, kind in enumerate(CLEAR_KINDS)}


def _in_order(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: _ORDER[item[0]]))
