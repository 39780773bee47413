"""Logs of the processes of a contest."""

from __future__ import annotations

import atexit
import contextlib
import logging
import logging.handlers
import queue
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, TextIO

import structlog
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from sevenbag.contest.settings import LogSettings

MAX_WAITING_LINES: Final = 20_000
"""Maximum number of queued texts; further ones are dropped and counted."""

_EXIT_SECONDS: Final = 1.0
"""Time in seconds to write queued texts at the exit of the process."""


class BackgroundHandler(logging.handlers.QueueHandler):
    """Log handler that writes lines to a stream in a thread.

    Args:
        target: returns the stream; called for each line, because standard error may be replaced.
    """

    def __init__(self, target: Callable[[], TextIO]) -> None:
        self._waiting: queue.Queue[logging.LogRecord] = queue.Queue(MAX_WAITING_LINES)
        super().__init__(self._waiting)
        self._writer = _LineWriter(target)
        self._listener: logging.handlers.QueueListener | None = None

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a line, or count it as dropped if the queue is full."""
        if self._listener is None:
            self._listener = logging.handlers.QueueListener(self._waiting, self._writer)
            self._listener.start()
            atexit.register(self.wait, _EXIT_SECONDS)
        try:
            self._waiting.put_nowait(record)
        except queue.Full:
            self._writer.dropped += 1

    def wait(self, seconds: float) -> bool:
        """Wait until all is written, at most some seconds; return whether it is."""
        with self._waiting.all_tasks_done:
            return self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, seconds
            )


class _LineWriter(logging.Handler):
    def __init__(self, target: Callable[[], TextIO]) -> None:
        super().__init__()
        self.dropped = 0
        self._target = target

    def emit(self, record: logging.LogRecord) -> None:
        dropped, self.dropped = self.dropped, 0
        # A closed stream must not stop the process.
        with contextlib.suppress(OSError, ValueError):
            target = self._target()
            if dropped:
                target.write(f"{dropped} log lines were dropped\n")
            target.write(f"{record.getMessage()}\n")
            target.flush()


_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

_STANDARD_ERROR: Final = BackgroundHandler(lambda: sys.stderr)
"""Handler of all loggers of the process."""

_LOGGER: Final = logging.Logger("sevenbag.contest")
_LOGGER.addHandler(_STANDARD_ERROR)

# Without local variables, which may be passwords.
_TRACEBACKS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


def create_logger(
    settings: LogSettings, stream: TextIO | None = None
) -> structlog.typing.FilteringBoundLogger:
    """Create a logger.

    Args:
        settings: settings of the log.
        stream: destination; by default standard error, written by a thread.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    )
    as_json = [_TRACEBACKS] if settings.format == "json" else []
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        _LOGGER if stream is None else structlog.WriteLogger(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *as_json,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
    )
    return logger


def flush_logs(seconds: float = 5.0) -> bool:
    """Wait until standard error has all log lines, at most some seconds; return whether it does."""
    return _STANDARD_ERROR.wait(seconds)


MAX_MOVE_LINES: Final = 10
"""Maximum lines for the moves of a team with the same reason, to leave room for other reasons."""

REJECTION_PERIOD: Final = 60.0
"""Seconds between lines for refused commands of a team with the same reason."""


class RateLimitedLog:
    """Log of events that may occur thousands of times a second.

    Events that differ in name, reason, match or team have separate limits. Events beyond the limit
    are counted and logged as one line with ``count``.

    Args:
        logger: destination.
        clock: monotonic seconds.
        lines: maximum lines of the same kind in each period.
        seconds: length of a period.
    """

    def __init__(
        self,
        logger: structlog.typing.FilteringBoundLogger,
        clock: Callable[[], float],
        *,
        lines: int,
        seconds: float,
    ) -> None:
        self._logger = logger
        self._clock = clock
        self._max_lines = lines
        self._seconds = seconds
        self._until = 0.0
        self._seen: dict[tuple[str, str, str | None, str | None], int] = {}

    def log(
        self,
        event: str,
        reason: str,
        *,
        match: str | None = None,
        team: str | None = None,
        **more: object,
    ) -> None:
        """Log an event, or count it beyond the limit.

        The start of the match token and the team name are given if they are known and not bound to
        the logger.
        """
        now = self._clock()
        if now >= self._until:
            self.log_suppressed()
            self._until = now + self._seconds
        kind = (event, reason, match, team)
        seen = self._seen[kind] = self._seen.get(kind, 0) + 1
        if seen <= self._max_lines:
            self._write(*kind, more)

    def log_suppressed(self) -> None:
        """Log the number of omitted events of each kind and start a new period."""
        seen, self._seen = self._seen, {}
        for kind, count in seen.items():
            if count > self._max_lines:
                self._write(*kind, {"count": count - self._max_lines})

    def _write(
        self,
        event: str,
        reason: str,
        match: str | None,
        team: str | None,
        more: Mapping[str, object],
    ) -> None:
        source = {"match": match, "team": team}
        known = {name: value for name, value in source.items() if value is not None}
        self._logger.info(event, reason=reason, **known, **more)


class MetricCollector(Collector):
    """Metrics that are read when Prometheus asks for them.

    Args:
        read: returns all metrics.
    """

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Return all metrics."""
        return self._read()


def create_metric(name: str, description: str, value: float) -> Metric:
    """Create a metric: a counter if its name ends with ``_total``, else a gauge."""
    family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
    return family(name, description, value=value)
