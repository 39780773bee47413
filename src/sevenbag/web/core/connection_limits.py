"""Limits on the connections of a server: in total, for one address, and on idle time.

uvicorn limits the number of concurrent requests and the idle time after a response. It lets a
connection without a complete request stay open and occupy a place. The protocols of this module
close such connections.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from sevenbag.errors import InputError, shown
from sevenbag.web.core.origin_guard import split_request_target

IpNetwork: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

REQUEST_TIMEOUT: Final = 10.0
"""Time limit in seconds for the head of a request, from the moment the client may send it."""

_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: 21\r\nConnection: close\r\n\r\nToo many connections\n"
)


class ConnectionLimiter:
    """Connections of one server.

    At a limit, a new connection replaces the one that has been idle longest. If all are active, the
    new one is rejected.

    Attributes:
        closed: number of idle connections that were closed.
        rejected: number of connections that were rejected with status 503.

    Args:
        max_connections: maximum number of connections; an address, or a /64 IPv6 network, may have
            half.
        exempt_networks: networks whose addresses are limited only by `max_connections`.
        request_timeout: time limit in seconds for the head of a request.
    """

    def __init__(
        self,
        max_connections: int,
        exempt_networks: Sequence[IpNetwork] = (),
        *,
        request_timeout: float = REQUEST_TIMEOUT,
    ) -> None:
        self.closed = 0
        self.rejected = 0
        self._max_connections = max_connections
        self._exempt_networks = exempt_networks
        self._request_timeout = request_timeout
        # Client key of each connection.
        self._open: dict[asyncio.Transport, str] = {}
        # In order of idle time, longest first.
        self._idle: dict[asyncio.Transport, asyncio.TimerHandle] = {}

    def metrics(self) -> dict[str, float]:
        """Return the counts by metric name."""
        return {
            "site_connections": len(self._open),
            "site_connections_closed_total": self.closed,
            "site_connections_refused_total": self.rejected,
        }

    def track(self, transport: asyncio.Transport) -> None:
        """Add a new connection, or reject it at a limit."""
        peer = get_remote_addr(transport)
        address = peer[0] if peer else ""
        # Trusted proxies limit their own clients.
        key = "" if is_in_networks(address, self._exempt_networks) else client_key(address)
        if not self._has_room(key):
            self.rejected += 1
            transport.write(_FULL)
            transport.close()
            return
        self._open[transport] = key
        self.start_idle_timer(transport)

    def start_idle_timer(self, transport: asyncio.Transport) -> None:
        """Close a connection unless it sends the head of a request in time."""
        if transport in self._open:
            self.mark_active(transport)
            self._idle[transport] = asyncio.get_running_loop().call_later(
                self._request_timeout, self._close, transport
            )

    def mark_active(self, transport: asyncio.Transport) -> None:
        """Stop the idle timer of a connection that has sent the head of a request."""
        timer = self._idle.pop(transport, None)
        if timer is not None:
            timer.cancel()

    def discard(self, transport: asyncio.Transport) -> None:
        """Forget a connection that was lost."""
        self.mark_active(transport)
        self._open.pop(transport, None)

    def _has_room(self, key: str) -> bool:
        if key and sum(each == key for each in self._open.values()) >= self._max_connections // 2:
            return self._close_longest_idle(key)
        return len(self._open) < self._max_connections or self._close_longest_idle()

    def _close_longest_idle(self, key: str | None = None) -> bool:
        for transport in self._idle:
            # A connection that is still receiving its last response is not idle.
            if key in {None, self._open[transport]} and not transport.get_write_buffer_size():
                self._close(transport)
                return True
        return False

    def _close(self, transport: asyncio.Transport) -> None:
        self.closed += 1
        self.mark_active(transport)
        transport.close()


def make_http_protocol(limiter: ConnectionLimiter) -> type[H11Protocol]:
    """Return uvicorn's HTTP protocol with connection limits."""

    class _Http(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            limiter.track(transport)

        def handle_events(self) -> None:
            super().handle_events()
            if self.conn.our_state in {h11.SEND_RESPONSE, h11.SEND_BODY}:
                limiter.mark_active(self.transport)

        def on_response_complete(self) -> None:
            limiter.start_idle_timer(self.transport)
            # The next request may have arrived already.
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            limiter.discard(self.transport)
            super().connection_lost(exc)

    return _Http


def make_websocket_protocol(
    limiter: ConnectionLimiter, message_limits: Mapping[str, int]
) -> type[WebSocketsSansIOProtocol]:
    """Return uvicorn's WebSocket protocol with connection limits.

    Args:
        limiter: connections of the server.
        message_limits: maximum message size in bytes by path; other paths have uvicorn's limit.
    """

    class _WebSocket(WebSocketsSansIOProtocol):
        def handle_connect(self, event: Request) -> None:
            _, path = split_request_target(event.path.partition("?")[0])
            max_bytes = message_limits.get(path)
            if max_bytes is not None:
                self.conn.max_message_size = max_bytes
            super().handle_connect(event)

        def connection_lost(self, exc: Exception | None) -> None:
            limiter.discard(self.transport)
            super().connection_lost(exc)

    return _WebSocket


def parse_networks(texts: Iterable[str]) -> tuple[IpNetwork, ...]:
    """Parse the addresses and networks of trusted proxies.

    Raises:
        InputError: a text is neither an address nor a network.
    """
    networks: list[IpNetwork] = []
    for text in texts:
        try:
            networks.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            raise InputError(
                "invalid site.trusted_proxies: expected addresses such as 127.0.0.1 or networks"
                f" such as 10.0.0.0/8, got {shown(text)}"
            ) from None
    return tuple(networks)


def is_in_networks(address: str, networks: Sequence[IpNetwork]) -> bool:
    """Return whether an address is in one of the networks."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(ip in network for network in networks)


def client_address(scope: Mapping[str, Any]) -> str:
    """Return the IP address of a request's client, or an empty string.

    A proxy may report anything as the client; text that is not an address is not returned.
    """
    client = scope.get("client")
    try:
        return str(ipaddress.ip_address(client[0])) if client else ""
    except ValueError:
        return ""


def client_key(address: str) -> str:
    """Return the key under which an address is limited: a /64 network for IPv6.

    Providers assign IPv6 networks of at least this size to one customer.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return address
