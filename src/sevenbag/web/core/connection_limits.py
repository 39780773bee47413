"""Limits on the connections of a server: in total, for one address, and on idle time.

uvicorn limits the number of concurrent requests and the idle time after a response. It lets a
connection without a complete request stay open and occupy a place. The protocols of this module
close such connections.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING, Final, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from sevenbag.errors import InputError, shown
from sevenbag.web.core.origin_guard import split_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from websockets.http11 import Request

    from sevenbag.web.core.origin_guard import Scope

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(proxies: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks of proxies.

    Raises:
        InputError: one of them is neither.
    """
    found: list[Network] = []
    for each in proxies:
        try:
            found.append(ipaddress.ip_network(each, strict=False))
        except ValueError:
            raise InputError(
                f"site.trusted_proxies has {shown(each)}, must be addresses such as 127.0.0.1"
                " or networks such as 10.0.0.0/8"
            ) from None
    return tuple(found)


def address_of(scope: Scope, proxies: Sequence[Network]) -> str:
    """The address of a request's sender.

    A proxy adds whom it heard at the end of ``X-Forwarded-For``; everything before the first
    address that is not a proxy's own may be made up.
    """
    client = scope.get("client")
    # How a socket that listens for both calls whoever comes by IPv4.
    address = str(client[0]).removeprefix("::ffff:") if client else ""
    if not is_in(address, proxies):
        return address
    told = ",".join(
        value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"
    )
    for each in reversed(told.split(",")):
        hop = each.strip()
        try:
            ipaddress.ip_address(hop)
        except ValueError:
            return address
        address = hop
        if not is_in(hop, proxies):
            break
    return address


def household(address: str) -> str:
    """What is counted as one caller: in IPv6 a whole network of 64 bits is somebody's own."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return address


def is_in(address: str, proxies: Sequence[Network]) -> bool:
    """Return whether an address is in one of the networks."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in each for each in proxies)


REQUEST_SECONDS: Final = 10.0
"""Time limit for the head of a request, from the moment the client may send it."""

_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: 21\r\nConnection: close\r\n\r\nToo many connections\n"
)


class Connections:
    """Connections of one server.

    At a limit, a new connection replaces the one that has been idle longest. If none is idle, the
    new one is refused.

    Attributes:
        closed: number of idle connections that were closed.
        refused: number of connections that were refused with 503.

    Args:
        most: maximum number of connections; an address, or a /64 IPv6 network, may have half.
        proxies: networks whose addresses are limited only by `most`.
        request_seconds: time limit for the head of a request.
    """

    def __init__(
        self,
        most: int,
        proxies: Sequence[Network] = (),
        *,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self.closed = 0
        self.refused = 0
        self._most = most
        self._proxies = proxies
        self._request_seconds = request_seconds
        self._open: dict[asyncio.Transport, str] = {}
        # In order of idle time, longest first.
        self._idle: dict[asyncio.Transport, asyncio.TimerHandle] = {}

    def metrics(self) -> dict[str, float]:
        """Return the counts by name."""
        return {
            "site_connections": len(self._open),
            "site_connections_closed_total": self.closed,
            "site_connections_refused_total": self.refused,
        }

    def add(self, transport: asyncio.Transport) -> None:
        """Add a new connection, or refuse it at a limit."""
        peer = get_remote_addr(transport)
        address = peer[0].removeprefix("::ffff:") if peer else ""
        # Trusted proxies limit their own clients.
        owner = "" if is_in(address, self._proxies) else household(address)
        if not self._has_room(owner):
            self.refused += 1
            transport.write(_FULL)
            transport.close()
            return
        self._open[transport] = owner
        self.expect_request(transport)

    def expect_request(self, transport: asyncio.Transport) -> None:
        """Close a connection unless it sends the head of a request in time."""
        if transport in self._open:
            self.take_request(transport)
            self._idle[transport] = asyncio.get_running_loop().call_later(
                self._request_seconds, self._close, transport
            )

    def take_request(self, transport: asyncio.Transport) -> None:
        """Mark a connection as active after it has sent the head of a request."""
        timer = self._idle.pop(transport, None)
        if timer is not None:
            timer.cancel()

    def remove(self, transport: asyncio.Transport) -> None:
        """Forget a connection that was lost."""
        self.take_request(transport)
        self._open.pop(transport, None)

    # --- helpers --------------------------------------------------------------------------------

    def _has_room(self, owner: str) -> bool:
        if owner and sum(each == owner for each in self._open.values()) >= self._most // 2:
            return self._close_longest_idle(owner)
        return len(self._open) < self._most or self._close_longest_idle()

    def _close_longest_idle(self, owner: str | None = None) -> bool:
        for transport in self._idle:
            # A connection that is still receiving its last response is not idle.
            if owner in {None, self._open[transport]} and not transport.get_write_buffer_size():
                self._close(transport)
                return True
        return False

    def _close(self, transport: asyncio.Transport) -> None:
        self.closed += 1
        self.take_request(transport)
        transport.close()


def http_protocol(connections: Connections) -> type[H11Protocol]:
    """Return uvicorn's HTTP protocol with connection limits."""

    class _Http(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connections.add(transport)

        def handle_events(self) -> None:
            super().handle_events()
            if self.conn.our_state in {h11.SEND_RESPONSE, h11.SEND_BODY}:
                connections.take_request(self.transport)

        def on_response_complete(self) -> None:
            connections.expect_request(self.transport)
            # The next request may have arrived already.
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

    return _Http


def websocket_protocol(
    connections: Connections, longer_frames: Mapping[str, int]
) -> type[WebSocketsSansIOProtocol]:
    """Return uvicorn's WebSocket protocol with connection limits.

    Args:
        connections: connections of the server.
        longer_frames: maximum message size in bytes by path; other paths have uvicorn's limit.
    """

    class _WebSocket(WebSocketsSansIOProtocol):
        def handle_connect(self, event: Request) -> None:
            _, path = split_target(event.path.partition("?")[0])
            longest = longer_frames.get(path)
            if longest is not None:
                self.conn.max_message_size = longest
            super().handle_connect(event)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

    return _WebSocket
