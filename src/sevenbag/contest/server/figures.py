"""What a game server counts, and how Prometheus is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prometheus_client import Metric

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Figures:
    """Plain numbers: commands are counted thousands of times a second, and read twice a minute.

    Attributes:
        moves: moves that met each fate, such as ``done`` or ``collides``.
        refused: commands that were answered with an error, by its kind.
        connects: times that a team was let in.
        games: finished games.
        matches: finished matches.
        faults: matches that broke by a fault of the server's.
    """

    moves: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    connects: int = 0
    games: int = 0
    matches: int = 0
    faults: int = 0

    @property
    def commands(self) -> int:
        """Commands that were answered."""
        return self.moves.total() + self.refused.total() + self.connects


@dataclass(frozen=True)
class Gauge:
    """Something that is read when it is asked for.

    Attributes:
        name: behind ``sevenbag_contest_``.
        meaning: in words.
        read: gives the value.
        counts: whether it only ever grows.
    """

    name: str
    meaning: str
    read: Callable[[], float]
    counts: bool = False


class Exposition:
    """The figures as Prometheus reads them.

    Args:
        figures: what is counted.
        gauges: what else there is to tell.
    """

    def __init__(self, figures: Figures, gauges: Iterable[Gauge]) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_Told(figures, tuple(gauges)))

    def text(self) -> bytes:
        """All of them, in Prometheus' text format."""
        return generate_latest(self._registry)


# --- helpers ------------------------------------------------------------------------------------

_PREFIX: Final = "sevenbag_contest_"


class _Told(Collector):
    def __init__(self, figures: Figures, gauges: tuple[Gauge, ...]) -> None:
        self._figures = figures
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        figures = self._figures
        yield _by("moves", "Moves by what became of them.", "fate", figures.moves)
        yield _by("refused", "Commands that were answered with an error.", "error", figures.refused)
        for name, meaning, value in (
            ("connects", "Times that a team was let in.", figures.connects),
            ("games", "Finished games.", figures.games),
            ("matches", "Finished matches.", figures.matches),
            ("faults", "Matches that broke by a fault of the server's.", figures.faults),
        ):
            yield CounterMetricFamily(_PREFIX + name, meaning, value=value)
        for gauge in self._gauges:
            family = CounterMetricFamily if gauge.counts else GaugeMetricFamily
            yield family(_PREFIX + gauge.name, gauge.meaning, value=gauge.read())


def _by(name: str, meaning: str, label: str, counts: Counter[str]) -> CounterMetricFamily:
    family = CounterMetricFamily(_PREFIX + name, meaning, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family
