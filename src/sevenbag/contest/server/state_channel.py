"""The state channel: a ZeroMQ XPUB on which every match tells how it stands.

A subscriber that is slow loses nothing as long as it is not `state_backlog` messages behind: the
players of 2012 that sleep between two messages come through a match whole. One that is further
behind, or reads no more at all, would fill the server's memory: it loses messages until it has read
half of what waits for it, and others lose none. How far behind each of them is libzmq does not
tell; that some message was lost to somebody it does, and whose match that was is remembered, so
that the end of that match is told again.

Peers of libzmq 2.x send no subscriptions, and pick theirs out of everything that is published.
They, and all others who subscribe to everything, are told of matches only: what is published
besides goes to those who ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.contest.server.endpoints import bound, survive_old_peers
from sevenbag.contest.telling import FIGURES_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterable

_DONTWAIT: Final = int(zmq.DONTWAIT)
_MORE: Final = int(zmq.DONTWAIT | zmq.SNDMORE)
_BACKLOG: Final = 1_024
_LONGEST_SUBSCRIPTION: Final = 4_096
_ROUND: Final = 256
_READABLE: Final = int(zmq.POLLIN)
_OPTIONS: Final = {b"\1": zmq.SUBSCRIBE, b"\0": zmq.UNSUBSCRIBE}
_ALL_TOKENS: Final = tuple(bytes([first]) for first in range(256) if first != ord(FIGURES_TOPIC[0]))
"""What everything is, for those who subscribe to that."""


class StateChannel:
    """Publishes messages of matches.

    Attributes:
        endpoint: where it listens, such as ``tcp://127.0.0.1:5556``.
        port: of it.
        told: messages that were published.
        incomplete: those that not every subscriber was sent, because one was too far behind.

    Args:
        context: of libzmq.
        host: address to listen at.
        port: 0 takes a free one.
        backlog: messages that may wait for one subscriber; 0 for no bound.

    Raises:
        InputError: there is no listening at that address.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], host: str, port: int, *, backlog: int
    ) -> None:
        socket = context.socket(zmq.XPUB)
        survive_old_peers(socket)
        socket.set(zmq.BACKLOG, _BACKLOG)
        socket.set(zmq.SNDHWM, backlog)
        socket.set(zmq.MAXMSGSIZE, _LONGEST_SUBSCRIPTION)
        # It then says that a subscriber has no room, where it would silently drop.
        socket.set(zmq.XPUB_NODROP, 1)
        # Subscriptions are what we make of them: see `heed`.
        socket.set(zmq.XPUB_MANUAL, 1)
        self.endpoint, self.port = bound(socket, host, port, "state")
        self.told = 0
        self.incomplete = 0
        self._socket = socket

    def publish(self, token: bytes, messages: Iterable[bytes]) -> bool:
        """Tell how a match stands.

        Args:
            token: of the match; the first of two frames.
            messages: in order; each is a second frame.

        Returns: whether all of them went to all subscribers.
        """
        self.heed()
        send = self._socket.send
        complete = True
        for message in messages:
            self.told += 1
            try:
                send(token, _MORE)
                send(message, _DONTWAIT)
            except zmq.Again:
                complete = False
                self._publish_to_those_with_room(token, message)
        return complete

    def heed(self) -> None:
        """Take note of new subscribers, of so many at a time."""
        socket = self._socket
        for _ in range(_ROUND):
            if not int(socket.get(zmq.EVENTS)) & _READABLE:
                return
            request = socket.recv(_DONTWAIT)
            option = _OPTIONS.get(request[:1])
            if option is not None:
                for topic in (request[1:],) if len(request) > 1 else _ALL_TOKENS:
                    socket.set(option, topic)

    def close(self) -> None:
        """Tell nothing more; what is under way still goes out."""
        self._socket.close()

    # --- helpers --------------------------------------------------------------------------------

    def _publish_to_those_with_room(self, token: bytes, message: bytes) -> None:
        self.incomplete += 1
        self._socket.set(zmq.XPUB_NODROP, 0)
        self._socket.send(token, _MORE)
        self._socket.send(message, _DONTWAIT)
        self._socket.set(zmq.XPUB_NODROP, 1)
