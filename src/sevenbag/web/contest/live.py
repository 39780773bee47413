"""From the state channels of the game servers to everybody who looks on.

However many look at a match, its game server tells it once to this hub. Onlookers get pictures, the
newest one each time that they are ready for another: who is slow sees fewer, and holds up nobody.
Ends of games and matches reach all.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import zmq

from sevenbag.errors import SevenbagError
from sevenbag.web.contest.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LOG: Final = logging.getLogger(__name__)


class TooManyOnlookersError(SevenbagError):
    """There is room for no more."""


class TooSlowError(SevenbagError):
    """An onlooker takes nothing any more."""


class Subject(NamedTuple):
    """A match to look at.

    Attributes:
        match: its public number.
        token: its secret one, by which the state channel has it.
        teams: names by seat.
    """

    match: int
    token: str
    teams: tuple[str, str]


class LiveHub:
    """Hears the state channels, as far as anybody looks on.

    Args:
        where: tells the endpoint of the state channel on which a match's token is played now, such
            as ``tcp://127.0.0.1:5556``; None while it is on no game server. Asked twice a second
            for every match that is looked at.
        most_onlookers: at once.
        pictures_per_second: of one match, for one onlooker, at most.
    """

    def __init__(
        self,
        where: Callable[[str], str | None],
        *,
        most_onlookers: int = 500,
        pictures_per_second: float = 25.0,
    ) -> None:
        self._where = where
        self._most = most_onlookers
        self._pause = 1 / pictures_per_second
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._feeds: dict[str, _Feed] = {}
        self._stages: dict[str, _Stage] = {}
        self._onlookers = 0
        self._following: asyncio.Task[None] | None = None

    @property
    def onlookers(self) -> int:
        """How many look on."""
        return self._onlookers

    @property
    def watched(self) -> int:
        """How many matches are heard."""
        return len(self._stages)

    def join(self, subjects: Sequence[Subject]) -> Onlooker:
        """Look at some matches; to be followed by `leave`.

        Raises:
            TooManyOnlookersError: there is no room.
        """
        if self._onlookers >= self._most:
            raise TooManyOnlookersError("too many look on already; try again in a while")
        self._onlookers += 1
        stages = [self._stage(subject) for subject in subjects]
        # Who looks at several sees them small, and needs fewer pictures.
        onlooker = Onlooker(self._pause * min(len(stages), 3))
        for stage in stages:
            stage.onlookers[onlooker] = -1
            onlooker.stages.append(stage)
        onlooker.stirred.set()
        if self._following is None:
            self._following = asyncio.create_task(self._follow())
        return onlooker

    def leave(self, onlooker: Onlooker) -> None:
        """Look no more. Harmless when it is repeated."""
        if onlooker.gone:
            return
        onlooker.gone = True
        self._onlookers -= 1
        now = asyncio.get_running_loop().time()
        for stage in onlooker.stages:
            del stage.onlookers[onlooker]
            stage.left = now

    def end(self, token: str) -> None:
        """A match is over, as somebody knows who has not heard it on the state channel."""
        stage = self._stages.get(token)
        if stage is not None:
            stage.tell(stage.scene.end())

    async def close(self) -> None:
        """Hear no more; who still looks on is told nothing any more."""
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
            self._following = None
        for feed in self._feeds.values():
            feed.close()
        self._feeds.clear()
        self._stages.clear()
        if self._context is not None:
            self._context.destroy(linger=0)
            self._context = None

    # --- where matches are ----------------------------------------------------------------------

    def _stage(self, subject: Subject) -> _Stage:
        stage = self._stages.get(subject.token)
        if stage is None:
            stage = self._stages[subject.token] = _Stage(subject)
            self._move(stage)
        return stage

    async def _follow(self) -> None:
        """Matches move from one game server to another; and nobody may look any more."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_LOOK)
            for token, stage in list(self._stages.items()):
                if not stage.onlookers and loop.time() > stage.left + _LINGER:
                    del self._stages[token]
                    self._detach(stage)
                else:
                    self._move(stage)

    def _move(self, stage: _Stage) -> None:
        endpoint = None if stage.scene.over else self._where(stage.token)
        if endpoint == stage.endpoint:
            return
        self._detach(stage)
        attached = endpoint is not None and self._attach(stage, endpoint)
        stage.endpoint = endpoint
        stage.scene.place(attached)
        stage.stir()

    def _attach(self, stage: _Stage, endpoint: str) -> bool:
        feed = self._feeds.get(endpoint)
        if feed is None:
            if self._context is None:
                self._context = zmq.Context()
            try:
                feed = self._feeds[endpoint] = _Feed(self._context, endpoint)
            except zmq.ZMQError as error:
                _LOG.warning("the state channel at %s cannot be heard: %s", endpoint, error)
                return False
        feed.add(stage)
        return True

    def _detach(self, stage: _Stage) -> None:
        feed = self._feeds.get(stage.endpoint or "")
        if feed is None or stage.token not in feed.stages:
            return
        feed.remove(stage)
        if not feed.stages:
            del self._feeds[feed.endpoint]
            feed.close()


class Onlooker:
    """Somebody who looks at some matches; made by `LiveHub.join`.

    Attributes:
        gone: whether it has left.
        stages: what it looks at.
        stirred: that there is something to see.
    """

    def __init__(self, pause: float) -> None:
        self.gone = False
        self.stages: list[_Stage] = []
        self.stirred = asyncio.Event()
        self._pause = pause
        self._told: list[bytes] = []
        self._next = 0.0

    def hear(self, event: bytes) -> None:
        """What must not be missed."""
        # Beyond the bound it is dropped by `look`: nobody else may suffer.
        if len(self._told) <= _MOST_UNHEARD:
            self._told.append(event)
        self.stirred.set()

    async def look(self) -> list[bytes]:
        """What there is to see, once there is something and some time has passed: JSON texts.

        Raises:
            TooSlowError: more has gathered than one who takes it in would ever leave.
        """
        await asyncio.sleep(self._next - asyncio.get_running_loop().time())
        await self.stirred.wait()
        self.stirred.clear()
        told, self._told = self._told, []
        if len(told) > _MOST_UNHEARD:
            raise TooSlowError("has not listened for too long")
        told += [frame for stage in self.stages if (frame := stage.fresh(self)) is not None]
        self._next = asyncio.get_running_loop().time() + self._pause
        return told


class _Stage:
    """A match, and who looks at it."""

    def __init__(self, subject: Subject) -> None:
        self.token = subject.token
        self.scene = Scene(subject.match, subject.teams)
        self.endpoint: str | None = None
        self.onlookers: dict[Onlooker, int] = {}
        """With the version of the picture that each saw last."""
        self.left = asyncio.get_running_loop().time()

    def hear(self, data: bytes) -> None:
        version = self.scene.version
        self.tell(self.scene.take(data))
        if self.scene.version != version:
            self.stir()

    def hear_figures(self, data: bytes) -> None:
        self.scene.take_figures(data)
        self.stir()

    def tell(self, event: bytes | None) -> None:
        """All onlookers see the picture as it is now, and then hear this."""
        if event is None:
            return
        for onlooker in self.onlookers:
            frame = self.fresh(onlooker)
            if frame is not None:
                onlooker.hear(frame)
            onlooker.hear(event)

    def stir(self) -> None:
        for onlooker in self.onlookers:
            onlooker.stirred.set()

    def fresh(self, onlooker: Onlooker) -> bytes | None:
        """The picture, if this onlooker has not seen it."""
        if self.onlookers.get(onlooker) == self.scene.version:
            return None
        frame = self.scene.frame
        self.onlookers[onlooker] = self.scene.version
        return frame


class _Feed:
    """One game server's state channel."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> None:
        self.endpoint = endpoint
        self.stages: dict[str, _Stage] = {}
        self._socket = context.socket(zmq.SUB)
        try:
            self._socket.set(zmq.LINGER, 0)
            self._socket.set(zmq.MAXMSGSIZE, _LARGEST)
            self._socket.set(zmq.IPV6, 1)
            # A game server that was killed is noticed, and its successor found.
            self._socket.set(zmq.HEARTBEAT_IVL, _HEARTBEAT)
            self._socket.set(zmq.RECONNECT_IVL_MAX, _LONGEST_RETRY)
            self._socket.connect(endpoint)
        except zmq.ZMQError:
            self._socket.close()
            raise
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.fileno(), self._drain)

    def add(self, stage: _Stage) -> None:
        self.stages[stage.token] = stage
        for topic in _topics(stage.token):
            self._socket.subscribe(topic)
        # Any call may take the signal that the loop waits for.
        self._loop.call_soon(self._drain)

    def remove(self, stage: _Stage) -> None:
        del self.stages[stage.token]
        for topic in _topics(stage.token):
            self._socket.unsubscribe(topic)
        self._loop.call_soon(self._drain)

    def close(self) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def _drain(self) -> None:
        """Take what has come, and leave the rest of a flood for the next round of the loop."""
        for _ in range(_MOST_AT_ONCE):
            if self._socket.closed:
                return
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._hear(frames)
        self._loop.call_soon(self._drain)

    def _hear(self, frames: Iterable[bytes]) -> None:
        topic, data = (*frames, b"", b"")[:2]
        name = topic.decode("latin-1")
        if name.startswith(FIGURES):
            stage = self.stages.get(name.removeprefix(FIGURES))
            if stage is not None:
                stage.hear_figures(data)
        elif name in self.stages:
            self.stages[name].hear(data)


# --- helpers ------------------------------------------------------------------------------------

FIGURES: Final = "figures/"
"""Before a match's token, where game servers tell onlookers what clients are not told."""

_LOOK: Final = 0.5
_LINGER: Final = 30.0
"""Seconds for which a match is still heard that nobody looks at: who comes back sees the colours
of its cells, which messages do not tell."""

_MOST_UNHEARD: Final = 400
_MOST_AT_ONCE: Final = 200
_LARGEST: Final = 1 << 20
_HEARTBEAT: Final = 5_000
_LONGEST_RETRY: Final = 2_000
"""Milliseconds, both."""


def _topics(token: str) -> tuple[str, str]:
    return token, FIGURES + token
