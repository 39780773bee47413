"""The limit of connections of one address; other open files are not affected."""

import asyncio
import contextlib
import fcntl
import socket
import subprocess
import sys
from pathlib import Path

import structlog

from sevenbag.contest.server.zmq_channels import AddressLimiter

_TAKE = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(3)
"""


def make_limiter(*, port: int = 1, max_connections: int = 1_000) -> AddressLimiter:
    logger = structlog.wrap_logger(structlog.ReturnLogger(), processors=[])
    return AddressLimiter((port, 2), max_connections=max_connections, logger=logger)


async def test_locks_of_files_stay(tmp_path: Path) -> None:
    """SQLite locks its database, which may be open in the same process."""
    path = tmp_path / "database"
    with path.open("w+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        await make_limiter().run_pass()
        taken = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", _TAKE, str(path)], check=False, timeout=120
        )
    assert taken.returncode == 3


async def test_connections_of_one_address_are_limited() -> None:
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        limiter = make_limiter(port=door.getsockname()[1], max_connections=5)

        def connected(address: str) -> socket.socket:
            client = socket.create_connection(door.getsockname(), 60, (address, 0))
            stack.enter_context(client)
            stack.enter_context(door.accept()[0])
            return client

        first = [connected("127.0.0.1") for _ in range(4)]
        await limiter.run_pass()
        other = connected("127.0.0.2")
        crowd = [connected("127.0.0.1") for _ in range(10)]
        await limiter.run_pass()
        assert limiter.closed == 9
        # Earlier connections and the other address are not affected.
        assert not any(map(is_closed, (*first, other, crowd[0])))
        assert sum(map(is_closed, crowd)) == 9


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
