"""Health, readiness and metrics of a game server."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prometheus_client import Metric

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class ServerMetrics:
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
    rejected: Counter[str] = field(default_factory=Counter)
    connects: int = 0
    games: int = 0
    matches: int = 0
    failures: int = 0

    @property
    def commands(self) -> int:
        """Commands that were answered."""
        return self.moves.total() + self.rejected.total() + self.connects


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


class MetricsText:
    """The figures as Prometheus reads them.

    Args:
        figures: what is counted.
        gauges: what else there is to tell.
    """

    def __init__(self, figures: ServerMetrics, gauges: Iterable[Gauge]) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_MetricsCollector(figures, tuple(gauges)))

    def text(self) -> bytes:
        """All of them, in Prometheus' text format."""
        return generate_latest(self._registry)


_MAX_LINE_BYTES: Final = 8 << 10

_MAX_LINES: Final = 100

_TIMEOUT: Final = 5.0

_MAX_CONNECTIONS: Final = 32

_PLAIN: Final = "text/plain; charset=utf-8"


class HealthServer:
    """Answers three questions, one a connection.

    Args:
        host: address to listen at.
        port: 0 takes a free one.
        ready: why the server takes no matches; empty when it does.
        metrics: in Prometheus' text format.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        readiness_problem: Callable[[], str],
        metrics: Callable[[], bytes],
    ) -> None:
        self._host = host
        self._wanted = port
        self._ready = readiness_problem
        self._metrics = metrics
        self._server: asyncio.Server | None = None
        self._connections = 0

    @property
    def port(self) -> int:
        """Where it listens, once it does."""
        return int(self._server.sockets[0].getsockname()[1]) if self._server else 0

    async def start(self) -> None:
        """Listen.

        Raises:
            InputError: the port is taken, or not ours to take; or there is no such address.
        """
        try:
            self._server = await asyncio.start_server(
                self._serve, self._host, self._wanted, limit=_MAX_LINE_BYTES
            )
        except OSError as error:
            raise InputError(
                f"cannot listen at {self._host}:{self._wanted} for HTTP: {error.strerror}"
            ) from None

    async def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    # --- helpers --------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            if self._connections <= _MAX_CONNECTIONS:
                async with asyncio.timeout(_TIMEOUT):
                    writer.write(self._answer(await _request_line(reader)))
                    await writer.drain()
        except (TimeoutError, OSError, ValueError, asyncio.IncompleteReadError):
            # Whoever asks like that has no claim to an answer.
            pass
        finally:
            self._connections -= 1
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _answer(self, line: bytes) -> bytes:
        words = line.split()
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _response(HTTPStatus.BAD_REQUEST, "this is HTTP/1.1\n")
        # A proxy may send an absolute URL as the target.
        method, path = words[0], urlsplit(words[1]).path
        if method not in {b"GET", b"HEAD"}:
            return _response(HTTPStatus.METHOD_NOT_ALLOWED, "GET only\n")
        response = self._page(path)
        return response.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == b"HEAD" else response

    def _page(self, path: bytes) -> bytes:
        if path == b"/health":
            return _response(HTTPStatus.OK, "ok\n")
        if path == b"/ready":
            reason = self._ready()
            status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
            return _response(status, f"{reason or 'ready'}\n")
        if path == b"/metrics":
            return _response(HTTPStatus.OK, self._metrics(), CONTENT_TYPE)
        return _response(HTTPStatus.NOT_FOUND, "there are /health, /ready and /metrics\n")


async def _request_line(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readline()
    for _ in range(_MAX_LINES):
        if (await reader.readline()).strip() == b"":
            return line
    raise ValueError("a header without end")


def _response(status: HTTPStatus, body: str | bytes, kind: str = _PLAIN) -> bytes:
    content = body.encode() if isinstance(body, str) else body
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + content


# --- helpers ------------------------------------------------------------------------------------

_PREFIX: Final = "sevenbag_contest_"


class _MetricsCollector(Collector):
    def __init__(self, figures: ServerMetrics, gauges: tuple[Gauge, ...]) -> None:
        self._figures = figures
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        figures = self._figures
        yield _labelled_counter("moves", "Moves by what became of them.", "outcome", figures.moves)
        yield _labelled_counter(
            "commands_rejected",
            "Commands that were answered with an error.",
            "error",
            figures.rejected,
        )
        for name, meaning, value in (
            ("logins", "Times that a team was let in.", figures.connects),
            ("games", "Finished games.", figures.games),
            ("matches", "Finished matches.", figures.matches),
            ("matches_failed", "Matches that broke by a fault of the server's.", figures.failures),
        ):
            yield CounterMetricFamily(_PREFIX + name, meaning, value=value)
        for gauge in self._gauges:
            family = CounterMetricFamily if gauge.counts else GaugeMetricFamily
            yield family(_PREFIX + gauge.name, gauge.meaning, value=gauge.read())


def _labelled_counter(
    name: str, meaning: str, label: str, counts: Counter[str]
) -> CounterMetricFamily:
    family = CounterMetricFamily(_PREFIX + name, meaning, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family
