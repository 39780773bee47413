"""Separate loopback addresses, because old clients use the ports 5557 and 5556 only."""

import random
import socket

COMMAND_PORT, STATE_PORT = 5557, 5556


def free_address() -> str:
    """Return an address in 127.77.0.0/16 with both ports free."""
    while True:
        address = f"127.77.{random.randrange(1, 255)}.{random.randrange(1, 255)}"
        if all(_is_free(address, port) for port in (COMMAND_PORT, STATE_PORT)):
            return address


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        # As ZeroMQ binds: lingering connections of other tests do not matter.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
