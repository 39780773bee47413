"""Clients and a `SmallServer` in one event loop, without sockets and in simulated time.

The clock advances only when the loop is idle, straight to the next timer, so that a test does not
depend on the machine's speed.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Executor
from typing import Any, Final, TypeVar, TypeVarTuple
from unittest import mock

import zmq

from sevenbag.contest.client.connection import ClientSocket
from tests.contest.client.small_server import SmallServer

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

LATENCY: Final = 0.001
"""Seconds that a message is on its way."""
TICK: Final = 0.002
"""Seconds between two looks of a server at its matches."""


def simulate(main: Coroutine[Any, Any, T], *servers: SmallServer) -> T:
    """Run a coroutine whose clients reach these servers; the servers have not been started."""
    with contextlib.ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner(loop_factory=SimulatedLoop))
        loop = runner.get_loop()
        real, own_thread = time.monotonic, threading.get_ident()

        def monotonic() -> float:
            # Other threads of the process run in real time.
            return loop.time() if threading.get_ident() == own_thread else real()

        stack.enter_context(mock.patch("time.monotonic", monotonic))
        network = Network(servers, loop)
        for module in ("connection", "match_viewer"):
            name = f"sevenbag.contest.client.{module}.ClientSocket"
            stack.enter_context(mock.patch(name, network.connect))
        for server in servers:
            stack.callback(server.stop)
        return runner.run(main)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Event loop whose clock skips idle time."""

    def __init__(self) -> None:
        self.now = 1_000.0
        super().__init__(_SkippingSelector(self))

    def time(self) -> float:
        """Return the simulated time in seconds."""
        return self.now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run the function at once: it takes no simulated time."""
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  # raised where it is awaited
            done.set_exception(error)
        return done


class Network:
    """Servers, and the channels that clients have opened to them."""

    def __init__(self, servers: Iterable[SmallServer], loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.channels: list[SimulatedSocket] = []
        self._on_their_way: deque[tuple[Callable[[list[bytes]], None], list[bytes]]] = deque()
        self._servers = {
            endpoint: server
            for server in servers
            for endpoint in (server.address.command_endpoint, server.address.state_endpoint)
        }
        for server in servers:
            self._tick(server)

    def connect(
        self, context: object, kind: int, endpoint: str, topics: Iterable[bytes] = ()
    ) -> SimulatedSocket:
        """Open a channel; the arguments are those of `ClientSocket`."""
        del context
        channel = SimulatedSocket(self, self._servers[endpoint], kind, topics)
        self.channels.append(channel)
        return channel

    def send(self, deliver: Callable[[list[bytes]], None], frames: list[bytes]) -> None:
        """Deliver a message after the latency, in the order of sending."""
        # Timers of the same moment have no order.
        self._on_their_way.append((deliver, frames))
        self.loop.call_later(LATENCY, self._arrive)

    def publish(self, server: SmallServer) -> None:
        """Deliver the states that a server has to publish."""
        for frames in server.publications():
            for channel in self.channels:
                if channel.server is server and frames[0].startswith(channel.topics):
                    self.send(channel.deliver, frames)

    def _arrive(self) -> None:
        deliver, frames = self._on_their_way.popleft()
        deliver(frames)

    def _tick(self, server: SmallServer) -> None:
        if not server.is_stopped:
            server.advance()
            self.publish(server)
            self.loop.call_later(TICK, self._tick, server)


class SimulatedSocket(ClientSocket):
    """Channel to a server in the same event loop."""

    def __init__(
        self, network: Network, server: SmallServer, kind: int, topics: Iterable[bytes]
    ) -> None:
        self.received: deque[list[bytes]] = deque()
        self.server = server
        self.topics = tuple(topics)
        self._updated = asyncio.Event()
        self._network = network
        self._kind = kind

    def send(self, *frames: bytes) -> None:
        """Send a command; the replies come later."""
        self._network.send(self._serve, list(frames))

    def deliver(self, frames: list[bytes]) -> None:
        """Receive a message."""
        self.received.append(frames)
        self._updated.set()

    def close(self) -> None:
        """Receive nothing any more."""
        self._network.channels.remove(self)

    def _serve(self, frames: list[bytes]) -> None:
        if self.server.is_stopped:
            return
        *envelope, data = frames
        replies = self.server.answers_to(data)
        # A REQ socket drops all but the first reply.
        for reply in replies[: 1 if self._kind == zmq.REQ else None]:
            self._network.send(self.deliver, [*envelope, reply])
        self._network.publish(self.server)

    def _read(self) -> None:
        """Do nothing: messages are delivered."""


class _SkippingSelector(selectors.DefaultSelector):
    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout:
            self._loop.now += max(timeout, 0)
        return ready
