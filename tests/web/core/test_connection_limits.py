"""Tests of connection limits, over real sockets from several addresses of this machine."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sevenbag.web.core.connection_limits import ConnectionLimiter, client_address, parse_networks
from sevenbag.web.core.http_server import HttpServer
from tests.web.play.conftest import Server

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
REQUEST = HEAD + b"\r\n"
SLOW = REQUEST.replace(b"/", b"/slow", 1)
UPGRADE = HEAD + (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
HANG = 60
"""Timeout in seconds, only so that a failing test does not hang."""
NEVER = 3_600.0


class Peer:
    """Client that sends given bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def status(self) -> int:
        """Read the next response and return its status."""
        async with asyncio.timeout(HANG):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await self.reader.readexactly(int(length))
            return int(head.split()[1])

    async def closed(self) -> None:
        """Wait until the server closes the connection."""
        async with asyncio.timeout(HANG):
            with contextlib.suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass


class Site:
    """Server whose application answers every request, but delays those for /slow."""

    def __init__(self, limiter: ConnectionLimiter) -> None:
        self.slow = asyncio.Event()
        self.peers: list[Peer] = []
        self.serving = HttpServer(
            self._answer, "127.0.0.1", 0, max_message_bytes=100, limiter=limiter
        )
        self.port = urlsplit(self.serving.address).port

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/slow":
            await self.slow.wait()
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            while (await receive())["type"] != "websocket.disconnect":
                pass
            return
        headers = [(b"content-length", b"3")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok\n"})

    async def connect(self, address: str = "127.0.0.1") -> Peer:
        peer = Peer(*await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0)))
        self.peers.append(peer)
        return peer


@contextlib.asynccontextmanager
async def served(limiter: ConnectionLimiter) -> AsyncIterator[Site]:
    site = Site(limiter)
    task = asyncio.create_task(site.serving.serve(lambda: None))
    try:
        yield site
    finally:
        site.slow.set()
        for peer in site.peers:
            peer.writer.close()
            with contextlib.suppress(ConnectionError):
                await peer.writer.wait_closed()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def busy(limiter: ConnectionLimiter, number: int) -> None:
    """Wait until `number` connections are open and none is idle."""
    async with asyncio.timeout(HANG):
        while limiter._idle or limiter.metrics()["site_connections"] != number:  # noqa: ASYNC110
            await asyncio.sleep(0)


@pytest.mark.parametrize("sent", [b"", b"GE", HEAD, HEAD + b"A: "])
async def test_connection_without_request_is_closed(sent: bytes) -> None:
    limiter = ConnectionLimiter(10, request_timeout=0.1)
    async with served(limiter) as site:
        peers = [await site.connect() for _ in range(3)]
        for peer in peers:
            peer.send(sent)
        for peer in peers:
            await peer.closed()
    assert limiter.closed == 3


async def test_connection_with_partial_second_request_is_closed() -> None:
    limiter = ConnectionLimiter(10, request_timeout=NEVER)
    async with served(limiter) as site:
        peer = await site.connect()
        peer.send(REQUEST)
        assert await peer.status() == 200
        limiter._request_timeout = 0.1
        # The first half of a third request arrives with the second one.
        peer.send(REQUEST + HEAD)
        assert await peer.status() == 200
        await peer.closed()
    assert limiter.closed == 1


async def test_pending_responses_and_websockets_are_not_idle() -> None:
    limiter = ConnectionLimiter(10, request_timeout=NEVER)
    async with served(limiter) as site:
        waiting, upgraded = [await site.connect() for _ in range(2)]
        waiting.send(SLOW)
        upgraded.send(UPGRADE)
        async with asyncio.timeout(HANG):
            assert b" 101 " in await upgraded.reader.readuntil(b"\r\n\r\n")
        await busy(limiter, 2)
        site.slow.set()
        assert await waiting.status() == 200
        # Every connection is counted until it is lost.
        for peer in (waiting, upgraded):
            peer.writer.close()
        await busy(limiter, 0)


@pytest.mark.parametrize("target", [b"//[", b"http://[/live", b"http://"])
async def test_websocket_accepts_any_target(target: bytes) -> None:
    errors: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with served(ConnectionLimiter(10)) as site:
        peer = await site.connect()
        peer.send(UPGRADE.replace(b"/", target, 1))
        async with asyncio.timeout(HANG):
            assert b" 101 " in await peer.reader.readuntil(b"\r\n\r\n")
    assert not errors


async def test_new_connection_replaces_longest_idle_one() -> None:
    """Every request is answered, because a new connection replaces the longest idle one."""
    limiter = ConnectionLimiter(8, request_timeout=NEVER)
    async with served(limiter) as site:
        hoard = [await site.connect() for _ in range(20)]
        for address in ("127.0.0.1", "127.0.0.2"):
            peer = await site.connect(address)
            peer.send(REQUEST)
            assert await peer.status() == 200
            peer.writer.close()
        for peer in hoard[:16]:
            await peer.closed()
        assert limiter.rejected == 0
        assert limiter.closed >= 16


async def test_address_is_limited_to_half_of_all_connections() -> None:
    limiter = ConnectionLimiter(4, request_timeout=NEVER)
    async with served(limiter) as site:
        slow = [await site.connect() for _ in range(2)]
        for peer in slow:
            peer.send(SLOW)
        await busy(limiter, 2)
        refused = await site.connect()
        assert await refused.status() == 503
        await refused.closed()
        other = await site.connect("127.0.0.2")
        other.send(REQUEST)
        assert await other.status() == 200
        site.slow.set()
        for peer in slow:
            assert await peer.status() == 200
        assert limiter.rejected == 1


async def test_proxy_may_use_all_connections() -> None:
    limiter = ConnectionLimiter(4, parse_networks(["127.0.0.1"]), request_timeout=NEVER)
    async with served(limiter) as site:
        slow = [await site.connect() for _ in range(4)]
        for peer in slow:
            peer.send(SLOW)
        await busy(limiter, 4)
        assert await (await site.connect()).status() == 503
        site.slow.set()
        for peer in slow:
            assert await peer.status() == 200


@pytest.mark.slow
def test_page_is_served_despite_idle_connections(tmp_path: Path) -> None:
    server = Server(tmp_path)
    address = urlsplit(server.address)
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(socket.create_connection((address.hostname, address.port)))
            page = stack.enter_context(
                socket.create_connection((address.hostname, address.port), timeout=HANG)
            )
            page.sendall(REQUEST)
            assert page.recv(65_536).startswith(b"HTTP/1.1 200 ")
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        (None, "127.0.0.1"),
        ("192.0.2.1", "192.0.2.1"),
        ("made-up, 198.51.100.1, 192.0.2.1", "192.0.2.1"),
        ("192.0.2.1, 10.1.2.3", "192.0.2.1"),  # by way of another trusted proxy
        ("2001:db8::7", "2001:db8::7"),
        ("192.0.2.1, nonsense", ""),
    ],
)
@pytest.mark.parametrize("trusted", [("127.0.0.1", "10.0.0.0/8"), ()])
async def test_forwarded_address(
    trusted: tuple[str, ...], forwarded: str | None, address: str
) -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(client_address(scope))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    server = HttpServer(
        app,
        "127.0.0.1",
        0,
        max_message_bytes=100,
        limiter=ConnectionLimiter(10),
        trusted_proxies=parse_networks(trusted),
    )
    serving = asyncio.create_task(server.serve(lambda: None))
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server.address).port)
    header = b"" if forwarded is None else f"X-Forwarded-For: {forwarded}\r\n".encode()
    writer.write(HEAD + header + b"\r\n")
    async with asyncio.timeout(HANG):
        await reader.readuntil(b"\r\n\r\n")
    writer.close()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert seen == [address if trusted else "127.0.0.1"]
