"""From the state channels of the game servers to everybody who looks on.

However many look at a match, its game server tells it once to this hub. Onlookers get pictures, the
newest one each time that they are ready for another: who is slow sees fewer, and holds up nobody.
Ends of games and matches reach all.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import zmq

from sevenbag.contest.game.state_encoder import FIGURES_TOPIC
from sevenbag.contest.settings import LogSettings
from sevenbag.contest.telemetry import make_logger
from sevenbag.errors import SevenbagError
from sevenbag.web.contest.match_frames import Scene, in_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from structlog.typing import FilteringBoundLogger

    from sevenbag.contest.scheduler import Scheduler, Subscription
    from sevenbag.contest.store import MatchRow, Store


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

    @classmethod
    def of(cls, row: MatchRow) -> Subject:
        """A match of the store."""
        return cls(row.id, row.token, (row.seats[0].team, row.seats[1].team))


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="changed"):
    """What the site writes about some matches, and about the contest, may be another now.

    Attributes:
        matches: their public numbers; empty for whichever.
    """

    matches: tuple[int, ...]


class LiveHub:
    """Hears the state channels, as far as anybody looks on.

    Args:
        where: tells the endpoint of the state channel on which a match's token is played now, such
            as ``tcp://127.0.0.1:5556``; None while it is on no game server. Asked twice a second
            for every match that is looked at.
        changes: subscribes to what the scheduler does; None for nothing.
        playing: tokens of the matches that are played now, which are heard from the beginning: the
            colours of their cells are known to whoever comes later.
        find: what there is to look at for a token; called in a thread.
        logger: where to; by default standard error.
        most_onlookers: at once.
        pictures_per_second: of one match, for one onlooker, at most.
    """

    def __init__(
        self,
        where: Callable[[str], str | None],
        changes: Callable[[], Subscription] | None = None,
        playing: Callable[[], Iterable[str]] = tuple,
        find: Callable[[str], Subject | None] | None = None,
        logger: FilteringBoundLogger | None = None,
        *,
        most_onlookers: int = 500,
        pictures_per_second: float = 25.0,
    ) -> None:
        self._where = where
        self._changes = changes
        self._playing = playing
        self._find = find
        self._logger = logger or make_logger(LogSettings())
        self._most = most_onlookers
        self._pause = 1 / pictures_per_second
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._feeds: dict[str, _Feed] = {}
        self._stages: dict[str, _Stage] = {}
        self._onlookers: set[Onlooker] = set()
        self._changed: set[int] | None = None
        self._refused = 0
        self._faults = 0
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def of(cls, scheduler: Scheduler, store: Store, log: LogSettings) -> LiveHub:
        """The hub of a scheduler's matches."""

        def find(token: str) -> Subject | None:
            row = store.matches.find(token)
            return None if row is None else Subject.of(row)

        return cls(
            scheduler.state_endpoint,
            scheduler.subscribe,
            scheduler.playing,
            find,
            make_logger(log),
        )

    def metrics(self) -> dict[str, float]:
        """What is counted, by name."""
        return {
            "onlookers": len(self._onlookers),
            "onlookers_refused_total": self._refused,
            "matches_heard": len(self._stages),
            "states_not_understood_total": self._faults
            + sum(stage.scene.faults for stage in self._stages.values()),
        }

    def start(self) -> None:
        """Begin to hear; `join` does so, too."""
        if self._tasks:
            return
        work = [self._follow()]
        if self._changes is not None:
            work.append(self._relay(self._changes))
        for each in work:
            task = asyncio.create_task(each)
            task.add_done_callback(self._tell_fault)
            self._tasks.append(task)

    def join(self, subjects: Sequence[Subject]) -> Onlooker:
        """Look at some matches; to be followed by `leave`.

        Raises:
            TooManyOnlookersError: there is no room.
        """
        if len(self._onlookers) >= self._most:
            self._refused += 1
            raise TooManyOnlookersError("too many look on already")
        stages = [self._stage(subject) for subject in subjects]
        # Who looks at several sees them small, and needs fewer pictures.
        onlooker = Onlooker(self._pause * max(1, min(len(stages), 3)))
        self._onlookers.add(onlooker)
        for stage in stages:
            stage.onlookers[onlooker] = -1
            onlooker.stages.append(stage)
        onlooker.stirred.set()
        self.start()
        return onlooker

    def leave(self, onlooker: Onlooker) -> None:
        """Look no more. Harmless when it is repeated."""
        if onlooker not in self._onlookers:
            return
        self._onlookers.remove(onlooker)
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
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for feed in self._feeds.values():
            feed.close()
        self._feeds.clear()
        self._stages.clear()
        if self._context is not None:
            self._context.destroy(linger=0)
            self._context = None

    def _tell_fault(self, task: asyncio.Task[None]) -> None:
        """A fault of ours is told at once, not when everything ends."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._logger.error("onlookers are told no more", exc_info=error)

    # --- what the scheduler does ----------------------------------------------------------------

    async def _relay(self, subscribe: Callable[[], Subscription]) -> None:
        async with subscribe() as changes:
            async for change in changes:
                if change.kind in _ENDS and change.token is not None:
                    self.end(change.token)
                if change.kind != "server":
                    self._tell_soon(change.match_id)

    def _tell_soon(self, match: int | None) -> None:
        """Pages hear of changes once in a while, whatever happens meanwhile."""
        if self._changed is None:
            self._changed = set()
            asyncio.get_running_loop().call_later(_GATHER, self._tell_changes)
        self._changed.add(_WHICHEVER if match is None else match)

    def _tell_changes(self) -> None:
        matches, self._changed = self._changed or (), None
        known = () if _WHICHEVER in matches else tuple(sorted(matches))
        told = in_json(Changed(matches=known))
        for onlooker in self._onlookers:
            onlooker.hear(told)

    # --- where matches are ----------------------------------------------------------------------

    def _stage(self, subject: Subject) -> _Stage:
        stage = self._stages.get(subject.token)
        if stage is None:
            stage = self._stages[subject.token] = _Stage(subject)
            self._move(stage)
        return stage

    async def _follow(self) -> None:
        """Matches begin, and move from one game server to another; and nobody may look any more."""
        loop = asyncio.get_running_loop()
        while True:
            playing = set(self._playing())
            for token in playing - self._stages.keys():
                await self._hear_early(token)
            await asyncio.sleep(_LOOK)
            for token, stage in list(self._stages.items()):
                wanted = stage.onlookers or token in playing
                if not wanted and loop.time() > stage.left + _LINGER:
                    del self._stages[token]
                    self._faults += stage.scene.faults
                    self._detach(stage)
                else:
                    self._move(stage)

    async def _hear_early(self, token: str) -> None:
        """Hear a match before anybody looks."""
        if self._find is None or len(self._stages) >= _MOST_EARLY:
            return
        try:
            subject = await asyncio.to_thread(self._find, token)
        except SevenbagError as error:
            self._logger.warning("match not heard yet", reason=str(error))
            return
        if subject is not None:
            self._stage(subject)

    def _move(self, stage: _Stage) -> None:
        endpoint = self._where(stage.token)
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
                self._logger.warning(
                    "state channel cannot be heard", endpoint=endpoint, reason=str(error)
                )
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
        stages: what it looks at.
        stirred: that there is something to see.
    """

    def __init__(self, pause: float) -> None:
        self.stages: list[_Stage] = []
        self.stirred = asyncio.Event()
        self._pause = pause
        self._told: list[str] = []
        self._next = 0.0

    def hear(self, event: str) -> None:
        """What must not be missed."""
        # Beyond the bound it is dropped by `look`: nobody else may suffer.
        if len(self._told) <= _MOST_UNHEARD:
            self._told.append(event)
        self.stirred.set()

    async def look(self) -> list[str]:
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

    def tell(self, event: str | None) -> None:
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

    def fresh(self, onlooker: Onlooker) -> str | None:
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
        if name.startswith(FIGURES_TOPIC):
            stage = self.stages.get(name.removeprefix(FIGURES_TOPIC))
            if stage is not None:
                stage.hear_figures(data)
        elif name in self.stages:
            self.stages[name].hear(data)


# --- helpers ------------------------------------------------------------------------------------

"""Before a match's token, where game servers tell onlookers what clients are not told."""

_ENDS: Final = ("match done", "match called off")
_WHICHEVER: Final = 0
"""No match has this number."""
_GATHER: Final = 0.5
"""Seconds for which changes are gathered."""
_LOOK: Final = 0.5
_LINGER: Final = 30.0
"""Seconds for which a match is still heard that nobody looks at: who comes back sees the colours
of its cells, which messages do not tell."""

_MOST_EARLY: Final = 32
_MOST_UNHEARD: Final = 400
_MOST_AT_ONCE: Final = 200
_LARGEST: Final = 1 << 20
_HEARTBEAT: Final = 5_000
_LONGEST_RETRY: Final = 2_000
"""Milliseconds, both."""


def _topics(token: str) -> tuple[str, str]:
    return token, FIGURES_TOPIC + token
