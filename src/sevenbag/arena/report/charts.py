"""Draw the charts of a report as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from sevenbag.arena.statistics import Interval, Pentanomial
from sevenbag.arena.tournament.tournament_summary import (
    EngineSummary,
    TournamentSummary,
    iterate_pair_points,
)
from sevenbag.bots.bot import shorten_name
from sevenbag.errors import printable
from sevenbag.replay.player_statistics import BUCKETS_PER_DECADE, CLEAR_KINDS, bucket_start_ms


def escape_text(words: str) -> str:
    """Escape a text for HTML and its attributes, without unprintable characters."""
    return escape(printable(words))


_TICK_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Linear mapping of values to positions.

    Attributes:
        low: value at `start`.
        high: value at `end`, above `low`.
        start: first position.
        end: last position.
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value; values outside are moved to the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, about: int = 6) -> list[float]:
        """Return round values on the scale."""
        raw = (self.high - self.low) / max(about, 1)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(n * power for n in _TICK_STEPS if n * power >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [n * step for n in range(first, last + 1)]


def scale_for(
    values: Iterable[float], start: float, end: float, *, least: float = 1e-9
) -> AxisScale:
    """Return a scale that contains all finite values, with a margin.

    Args:
        values: values, some of which may be infinite.
        start: position of the low end.
        end: position of the high end.
        least: minimum range of the scale.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    margin = (high - low) * 0.04
    return AxisScale(low - margin, high + margin, start, end)


def format_tick(value: float) -> str:
    """Format the label of a tick."""
    return f"{value:,.10g}" if value else "0"


WIDTH: Final = 720
SERIES: Final = 8
"""Number of colours for kinds and engines."""

MAX_CHART_ENGINES: Final = 24
"""Maximum number of engines in a plot; the best ones are shown."""

_NAMES: Final = 170
_ROW: Final = 28
_RIDGE: Final = 46
_TOP: Final = 10
_AXIS: Final = 34
_LETTERS: Final = 22
_BINS: Final = 40
_BIN_STEPS: Final = 300


def draw_ratings_chart(summary: TournamentSummary) -> str | None:
    """Draw the Elo of each engine with its interval; None without ratings."""
    ranking = summary.ranking[:MAX_CHART_ENGINES]
    elos = [summary.elo(engine) for engine in ranking]
    bounds = [part for elo in elos if elo is not None for part in elo]
    if not any(math.isfinite(bound) for bound in bounds):
        return None
    height = _TOP + _ROW * len(ranking) + _AXIS
    across = scale_for(bounds, _NAMES, WIDTH - 14, least=20)
    parts = [*_grid(across, _TOP, height - _AXIS, "Elo")]
    for place, (engine, elo) in enumerate(zip(ranking, elos, strict=True)):
        y = _TOP + _ROW * (place + 0.5)
        parts.append(_name(engine.name, y))
        if elo is not None:
            parts += _interval(elo, across, y, engine.name)
    return _svg(height, "Ratings with 95 % intervals", parts)


def draw_elo_chart(summary: TournamentSummary) -> str | None:
    """Draw the Elo of the first of two engines with its interval over time; None without pairs."""
    points = list(iterate_pair_points(0, summary.games)) if len(summary.engines) == 2 else []
    if len(points) < 3:
        return None
    stride = max(1, len(points) // _BIN_STEPS)
    seen = Pentanomial()
    steps: list[tuple[int, Interval]] = []
    for number, each in enumerate(points, start=1):
        seen = seen.with_points(each)
        if number % stride == 0 or number == len(points):
            steps.append((number, seen.elo()))
    # The first pairs say little, and would flatten all that follows.
    settled = [elo for number, elo in steps if number >= len(points) / 10] or [steps[-1][1]]
    down = scale_for([*(part for elo in settled for part in elo), 0.0], 250, _TOP, least=20)
    across = AxisScale(0, len(points), 60, WIDTH - 14)
    known = [(number, elo) for number, elo in steps if math.isfinite(elo.error)]
    upper = [(across.at(number), down.at(elo.high)) for number, elo in known]
    lower = [(across.at(number), down.at(elo.low)) for number, elo in known]
    middle = [(across.at(n), down.at(elo.value)) for n, elo in steps if math.isfinite(elo.value)]
    name = summary.engines[0].name
    parts = [
        *_frame(across, down, "pairs", f"Elo of {shorten_name(name, _LETTERS)}"),
        f'<polygon class="band" points="{_points([*upper, *reversed(lower)])}"/>',
        f'<line class="zero" x1="60" x2="{WIDTH - 14}" y1="{down.at(0)}" y2="{down.at(0)}"/>',
        f'<polyline class="line s0" points="{_points(middle)}"/>',
    ]
    return _svg(250 + _AXIS, f"Elo of {name} over the pairs", parts)


def draw_llr_chart(summary: TournamentSummary) -> str | None:
    """Draw the log-likelihood ratio over the pairs; None unless there is exactly one test."""
    if len(summary.tests) != 1 or len(summary.tests[0].steps) < 2:
        return None
    (progress,) = summary.tests
    lower, upper = progress.test.bounds
    down = scale_for([lower, upper, *(llr for _, llr in progress.steps)], 210, _TOP)
    across = AxisScale(0, progress.steps[-1][0], 60, WIDTH - 14)
    line = [(across.at(number), down.at(llr)) for number, llr in progress.steps]
    parts = [*_frame(across, down, "pairs", "LLR")]
    for bound, hypothesis in ((upper, "H1"), (lower, "H0")):
        y = down.at(bound)
        parts.append(f'<line class="bound" x1="60" x2="{WIDTH - 14}" y1="{y}" y2="{y}"/>')
        text = f"accept {hypothesis} at {bound:.2f}"
        # Tests begin at 0, between the bounds: there is room on the left.
        parts.append(text_element(text, 68, y - 5))
    parts.append(f'<polyline class="line s0" points="{_points(line)}"/>')
    return _svg(210 + _AXIS, "Log-likelihood ratio over the pairs", parts)


def draw_histogram_chart(
    summary: TournamentSummary,
    title: str,
    unit: str,
    values: Callable[[EngineSummary], Sequence[float]],
) -> str | None:
    """Draw the distribution of a value per game, for each engine; None without values."""
    ranking = [engine for engine in summary.ranking if values(engine)][:MAX_CHART_ENGINES]
    everything = [value for engine in ranking for value in values(engine)]
    if not everything:
        return None
    across = scale_for(everything, _NAMES, WIDTH - 14, least=0.1 + max(everything) / 10)
    width = (across.high - across.low) / _BINS

    def bars(engine: EngineSummary) -> list[tuple[float, float, int]]:
        counts = [0] * _BINS
        for value in values(engine):
            counts[min(_BINS - 1, int((value - across.low) / width))] += 1
        return [
            (across.low + place * width, across.low + (place + 1) * width, count)
            for place, count in enumerate(counts)
            if count
        ]

    return _ridges(
        ranking,
        across,
        title=title,
        unit=unit,
        ticks=across.ticks(),
        bars=bars,
        written=format_tick,
    )


def draw_latency_chart(summary: TournamentSummary) -> str | None:
    """Draw the distribution of thinking times, for each engine; None without times."""
    ranking = [engine for engine in summary.ranking if engine.latency_histogram][:MAX_CHART_ENGINES]
    if not ranking:
        return None
    buckets = [bucket for engine in ranking for bucket in engine.latency_histogram]
    low, high = min(buckets), max(buckets) + 1
    across = AxisScale(low - 1, high + 1, _NAMES, WIDTH - 14)
    # A tick at every power of ten, and between them where there are few of these.
    within = (0, 6, 14) if high - low < 2 * BUCKETS_PER_DECADE else (0,)
    ticks = [n for n in range(low - 1, high + 2) if n % BUCKETS_PER_DECADE in within]

    def bars(engine: EngineSummary) -> list[tuple[float, float, int]]:
        return [
            (bucket, bucket + 1, count)
            for bucket, count in sorted(engine.latency_histogram.items())
        ]

    def written(bucket: float) -> str:
        return format_tick(float(f"{bucket_start_ms(round(bucket)):.2g}"))

    title = "Thinking time of a piece"
    return _ridges(ranking, across, title=title, unit="ms", ticks=ticks, bars=bars, written=written)


def draw_attack_chart(summary: TournamentSummary) -> tuple[str, list[tuple[int, str]]] | None:
    """Attack per piece by kind of clear; the picture, and its legend: colours and kinds.

    Kinds beyond the page's colours are put together as ``other``. None without attack.
    """
    ranking = [engine for engine in summary.ranking if engine.attack][:MAX_CHART_ENGINES]
    if not ranking:
        return None
    totals = {
        kind: sum(engine.attack_by.get(kind, 0) for engine in ranking) for kind in CLEAR_KINDS
    }
    made = [kind for kind in CLEAR_KINDS if totals[kind]]
    shown = sorted(
        sorted(made, key=lambda kind: -totals[kind])[: SERIES - 1], key=CLEAR_KINDS.index
    )
    other = [kind for kind in made if kind not in shown]
    groups = [(kind, [kind]) for kind in shown] + ([("other", other)] if other else [])
    height = _TOP + _ROW * len(ranking) + _AXIS
    across = AxisScale(0, max(engine.app or 0 for engine in ranking) * 1.04, _NAMES, WIDTH - 14)
    parts = [*_grid(across, _TOP, height - _AXIS, "attack per piece")]
    for place, engine in enumerate(ranking):
        y = _TOP + _ROW * place
        parts.append(_name(engine.name, y + _ROW / 2))
        below = 0
        for series, (name, kinds) in enumerate(groups):
            lines = sum(engine.attack_by.get(kind, 0) for kind in kinds)
            if lines:
                left, right = (across.at(n / engine.pieces) for n in (below, below + lines))
                text = f"{engine.name}: {lines} lines of attack by {name}"
                parts.append(
                    f'<rect class="s{series}" x="{left}" y="{y + 5}"'
                    f' width="{max(right - left - 1, 0.5):.2f}"'
                    f' height="{_ROW - 10}">{_title(text)}</rect>'
                )
            below += lines
    picture = _svg(height, "Attack per piece by kind of clear", parts)
    return picture, [(series, name) for series, (name, _) in enumerate(groups)]


def text_element(text: str, x: float, y: float, *, at: str = "start", kind: str = "label") -> str:
    """Return a line of text; `at` is the part at x: ``start``, ``middle`` or ``end``."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{at}">{escape_text(text)}</text>'


def _svg(height: float, title: str, parts: Iterable[str]) -> str:
    head = (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" role="img"'
        f' aria-label="{escape_text(title)}">'
    )
    return "".join([head, *parts, "</svg>"])


def _ridges(
    ranking: Sequence[EngineSummary],
    across: AxisScale,
    *,
    title: str,
    unit: str,
    ticks: Sequence[float],
    bars: Callable[[EngineSummary], list[tuple[float, float, int]]],
    written: Callable[[float], str],
) -> str:
    """Histograms below each other, on one axis; each as high as the row allows."""
    height = _TOP + _RIDGE * len(ranking) + _AXIS
    parts = [*_grid(across, _TOP, height - _AXIS, unit, ticks=ticks, written=written)]
    for place, engine in enumerate(ranking):
        floor = _TOP + _RIDGE * (place + 1)
        parts.append(_name(engine.name, floor - _RIDGE / 2))
        drawn = bars(engine)
        most = max(count for _, _, count in drawn)
        for start, end, count in drawn:
            left, right = across.at(start), across.at(end)
            tall = (_RIDGE - 8) * count / most
            text = f"{engine.name}: {count} from {written(start)} to {written(end)} {unit}"
            parts.append(
                f'<rect class="s0" x="{left}" y="{floor - tall:.2f}"'
                f' width="{max(right - left - 0.5, 0.5):.2f}" height="{tall:.2f}">'
                f"{_title(text)}</rect>"
            )
        parts.append(
            f'<line class="axis" x1="{across.start}" x2="{across.end}" y1="{floor}" y2="{floor}"/>'
        )
    return _svg(height, title, parts)


def _grid(
    across: AxisScale,
    top: float,
    bottom: float,
    unit: str,
    *,
    ticks: Sequence[float] | None = None,
    written: Callable[[float], str] = format_tick,
) -> Iterable[str]:
    for tick in across.ticks() if ticks is None else ticks:
        x = across.at(tick)
        kind = "zero" if tick == 0 and across.low < 0 else "grid"
        yield f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>'
        yield text_element(written(tick), x, bottom + 15, at="middle")
    yield text_element(unit, (across.start + across.end) / 2, bottom + 30, at="middle")


def _frame(across: AxisScale, down: AxisScale, under: str, beside: str) -> Iterable[str]:
    yield from _grid(across, down.end, down.start, under)
    for tick in down.ticks(5):
        y = down.at(tick)
        yield f'<line class="grid" x1="{across.start}" x2="{across.end}" y1="{y}" y2="{y}"/>'
        yield text_element(format_tick(tick), across.start - 6, y + 4, at="end")
    yield text_element(beside, across.end - 6, down.end + 12, at="end", kind="label strong")


def _interval(elo: Interval, across: AxisScale, y: float, name: str) -> Iterable[str]:
    text = f"{name}: {elo.value:+.0f}, 95 %: {elo.low:+.0f} to {elo.high:+.0f}"
    low, high = across.at(elo.low), across.at(elo.high)
    if math.isfinite(elo.low) and math.isfinite(elo.high):
        ends = f"M{low} {y - 5}v10M{high} {y - 5}v10"
        yield f'<path class="line s0" d="M{low} {y}H{high}{ends}">{_title(text)}</path>'
    if math.isfinite(elo.value):
        at = f'cx="{across.at(elo.value)}" cy="{y}"'
        yield f'<circle class="s0" {at} r="5">{_title(text)}</circle>'


def _name(name: str, y: float) -> str:
    text = text_element(
        shorten_name(name, _LETTERS), _NAMES - 10, y + 4, at="end", kind="label strong"
    )
    return f"<g>{_title(name)}{text}</g>"


def _title(text: str) -> str:
    return f"<title>{escape_text(text)}</title>"


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in places)
