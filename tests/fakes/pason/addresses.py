"""Loopback addresses of one's own: clients know the ports 5557 and 5556 and nothing else."""

from __future__ import annotations

import random
import socket

COMMAND_PORT, STATE_PORT = 5557, 5556


def free_address() -> str:
    """An address in 127.77.0.0/16 at which nobody has either port."""
    while True:
        address = f"127.77.{random.randrange(1, 255)}.{random.randrange(1, 255)}"
        if all(_is_free(address, port) for port in (COMMAND_PORT, STATE_PORT)):
            return address


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        # As ZeroMQ binds: what only lingers from another test is no hindrance.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
