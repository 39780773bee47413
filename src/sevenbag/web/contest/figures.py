"""What the site counts, for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from prometheus_client.metrics_core import Metric


class Figures:
    """Counters of the site, and what the scheduler says of itself.

    Attributes:
        requests: answered, by method, part of the site and status.
        logins: tried, by role and outcome.

    Args:
        scheduler: its figures, by name.
    """

    def __init__(self, scheduler: Callable[[], Mapping[str, float]]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "sevenbag_site_requests",
            "Requests answered.",
            ("method", "part", "status"),
            registry=self._registry,
        )
        self.logins = Counter(
            "sevenbag_site_logins",
            "Passwords given by teams and organisers.",
            ("role", "outcome"),
            registry=self._registry,
        )
        self.show(scheduler, "Of the scheduler.")

    def show(self, figures: Callable[[], Mapping[str, float]], words: str) -> None:
        """Show what somebody else counts, by name; what ends in ``_total`` only rises."""
        self._registry.register(_Told(figures, words))

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)


# --- helpers ------------------------------------------------------------------------------------


class _Told(Collector):
    def __init__(self, figures: Callable[[], Mapping[str, float]], words: str) -> None:
        self._figures = figures
        self._words = words

    def collect(self) -> Iterable[Metric]:
        for name, value in self._figures().items():
            counted = name.endswith("_total")
            family = CounterMetricFamily if counted else GaugeMetricFamily
            yield family(f"sevenbag_{name}", self._words, value)
