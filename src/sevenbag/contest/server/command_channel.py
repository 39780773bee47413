"""The command channel: a ZeroMQ ROUTER that every request leaves with one answer.

Clients are of the request/reply pattern, old ones of libzmq 2.1.11 among them. A ROUTER does what
their counterpart REP would, and may answer later, in any order: nobody waits while somebody's
password is checked. libzmq takes messages from its connections in turn, one of each, so that a
client that floods its own connection delays others by one message each.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeAlias

import zmq

from sevenbag.contest.server.endpoints import bound, survive_old_peers

if TYPE_CHECKING:
    from collections.abc import Callable

Sender: TypeAlias = tuple[bytes, ...]
"""Where an answer goes: all frames of the envelope, the empty one included."""

_ROUND: Final = 64
"""Commands in a row; then timers and other sockets have their turn. About a millisecond."""
_TOGETHER: Final = 8
"""Answers that leave together: to wake libzmq's thread for each costs more where processors are
scarce, and to keep back more of them leaves clients idle where they are not."""
_WAITING: Final = 32
"""Commands of one connection that libzmq takes in before they are read."""
_UNREAD: Final = 10_000
"""Answers that wait for one client to read them; further ones are dropped."""
_LARGEST_FRAME: Final = 2 << 20
"""What libzmq takes in at all. Beyond it a connection is closed, and its client never answered, so
that there is room above the largest command for an answer in words."""
_MOST_FRAMES: Final = 8
"""Of a message; what comes behind them is not looked at."""
_BACKLOG: Final = 1_024
_NO_FRAME: Final = zmq.Frame()
_DONTWAIT: Final = int(zmq.DONTWAIT)
_EVENTS: Final = int(zmq.EVENTS)
_READABLE: Final = int(zmq.POLLIN)
_MORE: Final = int(zmq.DONTWAIT | zmq.SNDMORE)


class CommandChannel:
    """Takes commands and sends their answers.

    Attributes:
        endpoint: where it listens, such as ``tcp://127.0.0.1:5557``.
        port: of it.
        largest_frame: bytes that libzmq takes in at once; whoever sends more is cut off.
        dropped: messages that were no requests: their envelope is none that REQ sends.
        unsent: answers whose client has gone, or reads none.

    Args:
        context: of libzmq.
        host: address to listen at.
        port: 0 takes a free one.
        largest_message: bytes of a command.
        answer: gives the answer to a command, or None when it will come by `reply`.

    Raises:
        InputError: there is no listening at that address.
    """

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        host: str,
        port: int,
        *,
        largest_message: int,
        answer: Callable[[Sender, bytes], bytes | None],
    ) -> None:
        socket = context.socket(zmq.ROUTER)
        survive_old_peers(socket)
        socket.set(zmq.BACKLOG, _BACKLOG)
        socket.set(zmq.RCVHWM, _WAITING)
        socket.set(zmq.SNDHWM, _UNREAD)
        # It then says that an answer has nobody to go to, where it would silently drop it.
        socket.set(zmq.ROUTER_MANDATORY, 1)
        self.largest_frame = max(_LARGEST_FRAME, 2 * largest_message)
        socket.set(zmq.MAXMSGSIZE, self.largest_frame)
        self.endpoint, self.port = bound(socket, host, port, "command")
        self.dropped = 0
        self.unsent = 0
        self._socket = socket
        self._answer = answer
        self._frame = _NO_FRAME
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> str:
        """Address of the client whose command is being answered.

        Empty for clients of libzmq 2 and 3.0, because libzmq does not report theirs.
        """
        try:
            return str(self._frame.get("Peer-Address"))
        except zmq.ZMQError:
            return ""

    def start(self) -> None:
        """Take commands, within the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.FD, self._read)
        # What came before has been signalled already.
        self._loop.call_soon(self._read)

    def reply(self, sender: Sender, body: bytes) -> None:
        """Answer a command, once."""
        if self._loop is not None and not self._socket.closed:
            self._send(sender, body)
            self._read_again_if_there_is_more()

    def close(self) -> None:
        """Take no more commands; answers that are under way still go out."""
        if self._loop is not None and not self._socket.closed:
            self._loop.remove_reader(self._socket.FD)
        self._loop = None
        self._socket.close()

    # --- helpers --------------------------------------------------------------------------------

    def _read(self) -> None:
        """Answer what has come, up to a bound.

        libzmq signals once that there is something: it is read until there is nothing.
        """
        for _ in range(_ROUND // _TOGETHER):
            if self._loop is None or not self._read_some():
                break
        self._read_again_if_there_is_more()

    def _read_some(self) -> bool:
        """Answer some messages; False if there are no more."""
        answers: list[tuple[Sender, bytes]] = []
        try:
            return all(self._read_one(answers) for _ in range(_TOGETHER))
        finally:
            for sender, answer in answers:
                self._send(sender, answer)

    def _read_again_if_there_is_more(self) -> None:
        """To be called after sending, which may take libzmq's signal that something has come."""
        if self._loop is not None and int(self._socket.get(_EVENTS)) & _READABLE:
            self._loop.call_soon(self._read)

    def _read_one(self, answers: list[tuple[Sender, bytes]]) -> bool:
        """Read a message, and put down its answer; False if there is none."""
        recv = self._socket.recv
        try:
            identity = recv(_DONTWAIT)
        except zmq.Again:
            return False
        # As frames they say whether more of them follow, which to ask for costs as much again.
        delimiter = recv(_DONTWAIT, copy=False)
        if len(delimiter) or not delimiter.more:
            frames = [identity, delimiter.bytes]
            more = delimiter.more
        else:
            body = recv(_DONTWAIT, copy=False)
            if not body.more:
                sender = (identity, b"")
                answer = self._answer_of(sender, body.bytes, body)
                if answer is not None:
                    answers.append((sender, answer))
                return True
            frames = [identity, b"", body.bytes]
            more = True
        self._read_unusual(frames, answers, more=more)
        return True

    def _read_unusual(
        self, frames: list[bytes], answers: list[tuple[Sender, bytes]], *, more: bool
    ) -> None:
        """What has another envelope than usual; only one that REP would take is answered.

        Requests may have come through devices, or have a number of their own: then there are
        frames before the empty one. What follows it is one command, in however many frames.
        """
        frame = _NO_FRAME
        while more:
            frame = self._socket.recv(_DONTWAIT, copy=False)
            more = frame.more
            if len(frames) <= _MOST_FRAMES:
                frames.append(frame.bytes)
        end = frames.index(b"") + 1 if b"" in frames else len(frames)
        if end == len(frames):
            self.dropped += 1
            return
        sender = tuple(frames[:end])
        answer = self._answer_of(sender, b"".join(frames[end:]), frame)
        if answer is not None:
            answers.append((sender, answer))

    def _answer_of(self, sender: Sender, body: bytes, frame: zmq.Frame) -> bytes | None:
        self._frame = frame
        try:
            return self._answer(sender, body)
        finally:
            # A frame holds a reference to libzmq's buffer.
            self._frame = _NO_FRAME

    def _send(self, sender: Sender, body: bytes) -> None:
        send = self._socket.send
        try:
            for frame in sender:
                send(frame, _MORE)
            send(body, _DONTWAIT)
        except zmq.ZMQError:
            self.unsent += 1
