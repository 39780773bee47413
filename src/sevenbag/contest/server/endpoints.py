"""Listening at an address, for peers of every age."""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

import zmq

from sevenbag.errors import InputError

_LINGER: Final = 2_000
"""Milliseconds that the last messages have to go out when a socket is closed."""
# All peers, including those of 2012, send their greeting right after connecting.
_HANDSHAKE: Final = 10_000
"""Milliseconds for a peer's greeting; libzmq's default is 30 seconds."""
# Half-open connections: the peer's machine has gone without a word. ZMTP has heartbeats for that,
# which old peers take for nonsense; TCP's are answered by the peer's kernel.
_QUIET_SECONDS: Final = 60
_PROBE_SECONDS: Final = 10
_PROBES: Final = 6


def survive_old_peers(zmq_socket: zmq.Socket[bytes]) -> None:
    """Set what both channels want of libzmq: nothing that a peer of 2012 would not understand."""
    zmq_socket.set(zmq.LINGER, _LINGER)
    zmq_socket.set(zmq.HANDSHAKE_IVL, _HANDSHAKE)
    zmq_socket.set(zmq.TCP_KEEPALIVE, 1)
    zmq_socket.set(zmq.TCP_KEEPALIVE_IDLE, _QUIET_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_INTVL, _PROBE_SECONDS)
    zmq_socket.set(zmq.TCP_KEEPALIVE_CNT, _PROBES)


def bound(zmq_socket: zmq.Socket[bytes], host: str, port: int, channel: str) -> tuple[str, int]:
    """Let a socket listen; it is closed where that fails.

    Args:
        zmq_socket: which.
        host: a name or an address of this machine.
        port: 0 takes a free one.
        channel: what it is for, in errors.

    Returns: its endpoint, and its port.

    Raises:
        InputError: the port is taken, or not ours to take; or there is no such address.
    """
    try:
        address = _numeric(host, port)
        if ":" in address:
            zmq_socket.set(zmq.IPV6, 1)
            address = f"[{address}]"
        zmq_socket.bind(f"tcp://{address}:{port or '*'}")
    except socket.gaierror as error:
        reason = error.strerror or str(error)
    except zmq.ZMQError as error:
        # libzmq says "no such device" of an address that is not this machine's.
        strange = error.errno in {errno.ENODEV, errno.EADDRNOTAVAIL}
        reason = "no address of this machine" if strange else os.strerror(error.errno or 0)
    else:
        endpoint = zmq_socket.get_string(zmq.LAST_ENDPOINT)
        return endpoint, int(endpoint.rpartition(":")[2])
    zmq_socket.close(0)
    raise InputError(f"the {channel} channel cannot listen at {host}:{port}: {reason}")


# --- helpers ------------------------------------------------------------------------------------


def _numeric(host: str, port: int) -> str:
    """The address of a name: libzmq takes interfaces and addresses only."""
    return str(
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][4][0]
    )
