"""Looking after connections leaves everything else that the process has open alone."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import structlog

from sevenbag.contest.server.zmq_channels import MAX_SUBSCRIPTIONS, AddressLimiter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TAKE = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(3)
"""


@pytest.fixture
def connected() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection: the server's end, and the client's."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        client = socket.create_connection(door.getsockname())
        served, _ = door.accept()
        with client, served:
            yield served, client


def _hoarders(
    *, commands: int = 1, states: int = 1, most: int = 1_000, of_address: int = 1_000
) -> AddressLimiter:
    logger = structlog.wrap_logger(structlog.ReturnLogger(), processors=[])
    return AddressLimiter(
        commands, states, most_unanswered=most, most_of_address=of_address, logger=logger
    )


async def test_locks_of_files_stay(tmp_path: Path) -> None:
    """As SQLite has them, whose database may be open in the same process."""
    path = tmp_path / "database"
    with path.open("w+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        await _hoarders().run_pass()
        taken = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", _TAKE, str(path)], check=False, timeout=120
        )
    assert taken.returncode == 3


async def test_who_is_answered_may_send_on(connected: tuple[socket.socket, socket.socket]) -> None:
    served, client = connected
    hoarders = _hoarders(commands=served.getsockname()[1])
    for _ in range(5):
        await hoarders.run_pass()
        client.sendall(b"?" * 800)
        assert served.recv(800, socket.MSG_WAITALL) == b"?" * 800
        served.sendall(b"!")
        assert client.recv(1) == b"!"
    await hoarders.run_pass()
    assert hoarders.closed == 0


async def test_who_sends_without_end_is_cut_off(
    connected: tuple[socket.socket, socket.socket],
) -> None:
    served, client = connected
    hoarders = _hoarders(commands=served.getsockname()[1])
    await hoarders.run_pass()
    client.sendall(b"?" * 2_000)
    assert served.recv(2_000, socket.MSG_WAITALL) == b"?" * 2_000
    await hoarders.run_pass()
    assert hoarders.closed == 1
    client.settimeout(120)
    assert client.recv(1) == b""
    # It is still the owner's to close.
    assert served.fileno() >= 0
    assert served.recv(1) == b""


async def test_a_subscriber_may_send_much(connected: tuple[socket.socket, socket.socket]) -> None:
    served, client = connected
    hoarders = _hoarders(states=served.getsockname()[1])
    client.sendall(b"?" * 50_000)
    await hoarders.run_pass()
    assert hoarders.closed == 0
    assert MAX_SUBSCRIPTIONS > 50_000


@pytest.mark.parametrize("channel", ["commands", "states"])
async def test_connections_of_one_address_are_limited(channel: str) -> None:
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        hoarders = _hoarders(**{channel: door.getsockname()[1]}, of_address=5)

        def connected(address: str) -> socket.socket:
            client = socket.create_connection(door.getsockname(), 60, (address, 0))
            stack.enter_context(client)
            stack.enter_context(door.accept()[0])
            return client

        first = [connected("127.0.0.1") for _ in range(4)]
        await hoarders.run_pass()
        other = connected("127.0.0.2")
        crowd = [connected("127.0.0.1") for _ in range(10)]
        crowd[-1].send(b"?")
        await hoarders.run_pass()
        assert hoarders.closed == 9
        # Earlier connections and the other address are not affected.
        assert not any(map(is_closed, (*first, other, crowd[-1])))
        assert sum(map(is_closed, crowd)) == 9


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
