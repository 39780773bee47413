"""ZeroMQ's wire protocol: ZMTP/1.0 as in libzmq 2.x of 2012, and ZMTP/3.0.

No library stands between these peers and the server, so that what is on the wire is known, and what
no library would send can be sent as well.
"""

import socket
import struct
from typing import Self

_MORE = 1


class Peer:
    """A connection after the greeting.

    Attributes:
        socket: as it is, for what peers should not do.
    """

    def __init__(self, host: str, port: int, *, kind: str, window: int = 0) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(120)
        if window:
            # Receive buffer; it must be set before the connection.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.kind = kind
        try:
            self.socket.connect((host, port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._greet()
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.socket.close()

    def send(self, *frames: bytes) -> None:
        """Send one message."""
        self.socket.sendall(self.packed(*frames))

    def receive(self) -> list[bytes]:
        """Receive one message.

        Raises:
            EOFError: the server has hung up.
        """
        frames = []
        more = True
        while more:
            more, frame = self._frame()
            frames.append(frame)
        return frames

    def ask(self, body: bytes) -> bytes:
        """Send a request and return its reply, as REQ does: after an empty frame each."""
        self.send(b"", body)
        empty, reply = self.receive()
        assert empty == b""
        return reply

    def vanish(self) -> None:
        """Reset the connection, as a process that crashes with unread bytes does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def packed(self, *frames: bytes) -> bytes:
        """Return the bytes of a message on the wire."""
        last = len(frames) - 1
        return b"".join(self._packed(frame, index < last) for index, frame in enumerate(frames))

    def _greet(self) -> None:
        raise NotImplementedError

    def _packed(self, frame: bytes, more: bool) -> bytes:
        raise NotImplementedError

    def _frame(self) -> tuple[bool, bytes]:
        raise NotImplementedError

    def _bytes(self, count: int) -> bytes:
        read = b""
        while len(read) < count:
            some = self.socket.recv(count - len(read))
            if not some:
                raise EOFError(f"the server hung up after {read[:100]!r}")
            read += some
        return read


class OldPeer(Peer):
    """ZMTP/1.0: no version, no type, no subscriptions; an identity, then frames.

    A SUB of this age is sent everything and picks its own.
    """

    def _greet(self) -> None:
        # An empty identity, the default.
        self.socket.sendall(self._packed(b"", False))
        more, identity = self._frame()
        assert (more, identity) == (False, b""), "not what a peer of 2.x takes for an identity"

    def _packed(self, frame: bytes, more: bool) -> bytes:
        size = len(frame) + 1
        length = struct.pack(">B", size) if size < 255 else b"\xff" + struct.pack(">Q", size)
        return length + bytes([_MORE if more else 0]) + frame

    def _frame(self) -> tuple[bool, bytes]:
        size = self._bytes(1)[0]
        if size == 255:
            size = struct.unpack(">Q", self._bytes(8))[0]
        flags = self._bytes(1)[0]
        # A newer server's signature looks like an empty identity with other flags.
        return flags == _MORE, self._bytes(size - 1)


class NewPeer(Peer):
    """ZMTP/3.0 with the NULL mechanism."""

    def subscribe(self, prefix: str) -> None:
        """Subscribe to messages with a prefix."""
        self.send(b"\1" + prefix.encode())

    def _greet(self) -> None:
        signature = b"\xff" + bytes(8) + b"\x7f"
        self.socket.sendall(signature + b"\3\0" + b"NULL".ljust(20, b"\0") + bytes(32))
        greeting = self._bytes(64)
        assert greeting[0] == 0xFF
        assert greeting[9] == 0x7F
        assert greeting[10] >= 3
        ready = b"\5READY"
        for name, value in (("Socket-Type", self.kind), ("Identity", "")):
            ready += bytes([len(name)]) + name.encode()
            ready += struct.pack(">I", len(value)) + value.encode()
        self.socket.sendall(bytes([4, len(ready)]) + ready)
        flags = self._bytes(1)[0]
        assert flags == 4
        assert self._bytes(self._bytes(1)[0]).startswith(b"\5READY")

    def _packed(self, frame: bytes, more: bool) -> bytes:
        if len(frame) < 256:
            return bytes([_MORE if more else 0, len(frame)]) + frame
        return bytes([2 | (_MORE if more else 0)]) + struct.pack(">Q", len(frame)) + frame

    def _frame(self) -> tuple[bool, bytes]:
        flags = self._bytes(1)[0]
        size = struct.unpack(">Q", self._bytes(8))[0] if flags & 2 else self._bytes(1)[0]
        return bool(flags & _MORE), self._bytes(size)
