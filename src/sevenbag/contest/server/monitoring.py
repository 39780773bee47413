"""Health, readiness and metrics of a game server."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import uvicorn
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import CollectorRegistry
from uvicorn.protocols.http.h11_impl import H11Protocol

from sevenbag.contest.telemetry import MetricCollector, create_metric
from sevenbag.errors import InputError

Scope: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Any, Send], Awaitable[None]]


METRIC_PREFIX: Final = "sevenbag_contest_"


@dataclass
class ServerMetrics:
    """Counts of a game server since its start.

    Attributes:
        moves: moves by outcome, such as ``done`` or ``collides``.
        rejected: commands answered with an error, by kind.
        connects: successful connects of teams.
        failures: matches aborted by an internal error.
    """

    moves: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    connects: int = 0
    games: int = 0
    matches: int = 0
    failures: int = 0

    @property
    def commands(self) -> int:
        """Number of answered commands."""
        return self.moves.total() + self.rejected.total() + self.connects

    def collect(self) -> Iterator[Metric]:
        """Yield the counts for Prometheus."""
        for name, description, label, counts in (
            ("moves_total", "Moves by outcome.", "outcome", self.moves),
            ("commands_rejected_total", "Commands answered with an error.", "error", self.rejected),
        ):
            family = CounterMetricFamily(METRIC_PREFIX + name, description, labels=[label])
            for key, count in sorted(counts.items()):
                family.add_metric([key], count)
            yield family
        for name, description, value in (
            ("logins_total", "Successful connects of teams.", self.connects),
            ("games_total", "Finished games.", self.games),
            ("matches_total", "Finished matches.", self.matches),
            ("matches_failed_total", "Matches aborted by an internal error.", self.failures),
        ):
            yield create_metric(METRIC_PREFIX + name, description, value)


def create_health_app(
    readiness_problem: Callable[[], str], metrics: Callable[[], Iterable[Metric]]
) -> Application:
    """Create the ASGI application of ``/health``, ``/ready`` and ``/metrics``."""
    registry = CollectorRegistry()
    registry.register(MetricCollector(metrics))

    async def app(scope: Scope, receive: object, send: Send) -> None:
        del receive
        # A proxy may send an absolute URL as the target.
        path = urlsplit(str(scope["path"])).path
        status, body, kind = 200, b"ok\n", _PLAIN
        if scope["method"] not in {"GET", "HEAD"}:
            status, body = 405, b"GET only\n"
        elif path == "/ready":
            problem = readiness_problem()
            status, body = 503 if problem else 200, f"{problem or 'ready'}\n".encode()
        elif path == "/metrics":
            body, kind = generate_latest(registry), _METRICS
        elif path != "/health":
            status, body = 404, b"there are /health, /ready and /metrics\n"
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


class HealthServer:
    """Serve an application of short answers: 32 connections of five seconds each.

    Args:
        app: ASGI application.
        host: address to listen at.
        port: port to listen at; 0 for a free one.
    """

    def __init__(self, app: Application, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._socket: socket.socket | None = None
        config = uvicorn.Config(
            app,
            http=_LimitedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            date_header=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
            timeout_graceful_shutdown=1,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    @property
    def port(self) -> int:
        """Port of the running server; 0 before its start."""
        return int(self._socket.getsockname()[1]) if self._socket else 0

    async def start(self) -> None:
        """Listen.

        Raises:
            InputError: the port is in use or not permitted, or the address is not of this machine.
        """
        try:
            family, _, _, _, address = socket.getaddrinfo(
                self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._socket = socket.create_server(address, family=family)
        except OSError as error:
            raise InputError(
                f"cannot listen at {self._host}:{self._port} for HTTP: {error.strerror}"
            ) from None
        # Not `serve`: it would handle the signals of the process.
        await self._server.startup(sockets=[self._socket])

    async def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            await self._server.shutdown(sockets=[self._socket])


_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"

_PLAIN: Final = "text/plain; charset=utf-8"

_MAX_HEAD_BYTES: Final = 8 << 10

_MAX_CONNECTIONS: Final = 32

_CONNECTION_SECONDS: Final = 5.0


class _LimitedProtocol(H11Protocol):
    """HTTP/1.1 with a limited number and lifetime of connections."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > _MAX_CONNECTIONS:
            transport.abort()
        self._deadline = self.loop.call_later(_CONNECTION_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)
