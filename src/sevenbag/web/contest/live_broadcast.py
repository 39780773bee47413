"""Broadcast of live matches from the game servers' state channels to pages.

The broadcaster subscribes once to each match, however many viewers there are. A viewer gets the
newest frame whenever it is ready for one, so slow viewers get fewer frames and do not delay
others. Events such as the end of a game reach all viewers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, TypeAlias

import msgspec
import zmq
from structlog.typing import FilteringBoundLogger

from sevenbag.contest.game.state_messages import STATISTICS_TOPIC
from sevenbag.contest.scheduler import ContestChange, Scheduler
from sevenbag.contest.settings import LogSettings
from sevenbag.contest.store import MatchRow, Store
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import SevenbagError
from sevenbag.web.contest.match_frames import MatchTracker, encode_event

_Subscribe: TypeAlias = Callable[[], AbstractContextManager[AsyncIterator[ContestChange]]]


_END_KINDS: Final = ("match done", "match called off")
_ANY_MATCH: Final = 0
"""Public number that no match has."""
_CHANGE_INTERVAL: Final = 0.5
"""Time in seconds over which changes of the contest are collected."""
_POLL_INTERVAL: Final = 0.5
"""Time in seconds between two looks for matches that have started or moved."""
_LINGER_SECONDS: Final = 30.0
"""Time for which a match without viewers is kept. Messages have no colours of cells, so returning
viewers would see grey boards."""
_MAX_EARLY_MATCHES: Final = 32
"""Maximum number of matches at which new ones are followed without viewers."""
_MAX_QUEUED_EVENTS: Final = 400
_MAX_MESSAGES_AT_ONCE: Final = 200
_MAX_MESSAGE_BYTES: Final = 1 << 20
_HEARTBEAT_MS: Final = 5_000
_MAX_RECONNECT_MS: Final = 2_000


class ViewerLimitError(SevenbagError):
    """There are too many viewers."""


class SlowViewerError(SevenbagError):
    """A viewer does not read its events."""


class WatchedMatch(NamedTuple):
    """Match that a viewer watches.

    Attributes:
        token: secret token, the topic of the state channel.
        teams: names by seat.
    """

    match: int
    token: str
    teams: tuple[str, str]

    @classmethod
    def from_row(cls, row: MatchRow) -> WatchedMatch:
        """Return a match of the store."""
        return cls(row.id, row.token, (row.players[0].team, row.players[1].team))


class ContestChangedEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="contest_changed"
):
    """Pages about the contest, or about some matches, are out of date.

    Attributes:
        matches: public numbers; empty for all.
    """

    matches: tuple[int, ...]


class LiveBroadcaster:
    """Subscriber of the state channels that serves all viewers.

    Args:
        state_endpoint: returns the endpoint of the state channel of a match's token, such as
            ``tcp://127.0.0.1:5556``; None for a match that is on no game server. Called twice a
            second for every followed match.
        subscribe_changes: subscribes to the scheduler's changes; None for none.
        active_tokens: returns the tokens of the matches being played, which are followed from the
            start, since the colours of cells are known only then.
        find_match: returns the match of a token; called in a thread.
        max_viewers: maximum number of viewers.
        frames_per_second: maximum frame rate of one match for one viewer.
    """

    def __init__(
        self,
        state_endpoint: Callable[[str], str | None],
        subscribe_changes: _Subscribe | None = None,
        active_tokens: Callable[[], Iterable[str]] = tuple,
        find_match: Callable[[str], WatchedMatch | None] | None = None,
        logger: FilteringBoundLogger | None = None,
        *,
        max_viewers: int = 500,
        frames_per_second: float = 25.0,
    ) -> None:
        self._state_endpoint = state_endpoint
        self._subscribe_changes = subscribe_changes
        self._active_tokens = active_tokens
        self._find_match = find_match
        self._logger = logger or create_logger(LogSettings())
        self._max_viewers = max_viewers
        self._frame_interval = 1 / frames_per_second
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._subscriptions: dict[str, _StateSubscription] = {}
        self._matches: dict[str, _LiveMatch] = {}
        self._viewers: set[LiveViewer] = set()
        self._changed_matches: set[int] | None = None
        self._rejected_viewers = 0
        self._invalid_messages = 0
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def for_scheduler(cls, scheduler: Scheduler, store: Store, log: LogSettings) -> LiveBroadcaster:
        """Create the broadcaster of a scheduler's matches."""

        def find_match(token: str) -> WatchedMatch | None:
            row = store.matches.find(token)
            return None if row is None else WatchedMatch.from_row(row)

        return cls(
            scheduler.state_endpoint,
            scheduler.subscribe,
            scheduler.active_tokens,
            find_match,
            create_logger(log),
        )

    def metrics(self) -> dict[str, float]:
        """Return the counts by metric name."""
        return {
            "site_viewers": len(self._viewers),
            "site_viewers_rejected_total": self._rejected_viewers,
            "site_live_matches": len(self._matches),
            "site_invalid_states_total": self._invalid_messages
            + sum(match.tracker.invalid_messages for match in self._matches.values()),
        }

    def start(self) -> None:
        """Start to follow matches; `subscribe` does so as well."""
        if self._tasks:
            return
        work = [self._follow_matches()]
        if self._subscribe_changes is not None:
            work.append(self._relay_changes(self._subscribe_changes))
        for each in work:
            task = asyncio.create_task(each)
            task.add_done_callback(self._log_failure)
            self._tasks.append(task)

    def subscribe(self, watched: Sequence[WatchedMatch]) -> LiveViewer:
        """Add a viewer of some matches, to be removed by `unsubscribe`.

        Raises:
            ViewerLimitError: there are too many viewers.
        """
        if len(self._viewers) >= self._max_viewers:
            self._rejected_viewers += 1
            raise ViewerLimitError("too many viewers")
        matches = [self._follow(each) for each in watched]
        # A page with several matches shows them smaller, and needs fewer frames.
        viewer = LiveViewer(matches, self._frame_interval * max(1, min(len(matches), 3)))
        self._viewers.add(viewer)
        for match in matches:
            match.viewers[viewer] = -1
        viewer.updated.set()
        self.start()
        return viewer

    def unsubscribe(self, viewer: LiveViewer) -> None:
        """Remove a viewer, unless it is removed already."""
        if viewer not in self._viewers:
            return
        self._viewers.remove(viewer)
        now = asyncio.get_running_loop().time()
        for match in viewer.matches:
            del match.viewers[viewer]
            match.last_viewed = now

    def finish_match(self, token: str) -> None:
        """Mark a match as finished whose last message may have been missed."""
        match = self._matches.get(token)
        if match is not None:
            match.push_event(match.tracker.finish())

    async def close(self) -> None:
        """Stop to follow matches; viewers get no more events."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for subscription in self._subscriptions.values():
            subscription.close()
        self._subscriptions.clear()
        self._matches.clear()
        if self._context is not None:
            self._context.destroy(linger=0)
            self._context = None

    def _log_failure(self, task: asyncio.Task[None]) -> None:
        """Log a failure when it occurs, not when the task is awaited at the end."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._logger.error("live.task_failed", exc_info=error)

    async def _relay_changes(self, subscribe: _Subscribe) -> None:
        with subscribe() as changes:
            async for change in changes:
                if change.kind in _END_KINDS and change.token is not None:
                    self.finish_match(change.token)
                if change.kind != "server":
                    self._schedule_change(change.match_id)

    def _schedule_change(self, match: int | None) -> None:
        """Report a change to the pages, together with others in the same interval."""
        if self._changed_matches is None:
            self._changed_matches = set()
            asyncio.get_running_loop().call_later(_CHANGE_INTERVAL, self._push_changes)
        self._changed_matches.add(_ANY_MATCH if match is None else match)

    def _push_changes(self) -> None:
        matches, self._changed_matches = self._changed_matches or (), None
        known = () if _ANY_MATCH in matches else tuple(sorted(matches))
        event = encode_event(ContestChangedEvent(matches=known))
        for viewer in self._viewers:
            viewer.push_event(event)

    def _follow(self, watched: WatchedMatch) -> _LiveMatch:
        match = self._matches.get(watched.token)
        if match is None:
            match = self._matches[watched.token] = _LiveMatch(watched)
            self._update_endpoint(match)
        return match

    async def _follow_matches(self) -> None:
        """Follow matches that start or move, and drop those without viewers."""
        loop = asyncio.get_running_loop()
        while True:
            active = set(self._active_tokens())
            for token in active - self._matches.keys():
                await self._follow_early(token)
            await asyncio.sleep(_POLL_INTERVAL)
            for token, match in list(self._matches.items()):
                needed = match.viewers or token in active
                if not needed and loop.time() > match.last_viewed + _LINGER_SECONDS:
                    del self._matches[token]
                    self._invalid_messages += match.tracker.invalid_messages
                    self._detach(match)
                else:
                    self._update_endpoint(match)

    async def _follow_early(self, token: str) -> None:
        """Follow a match before it has viewers."""
        if self._find_match is None or len(self._matches) >= _MAX_EARLY_MATCHES:
            return
        try:
            watched = await asyncio.to_thread(self._find_match, token)
        except SevenbagError as error:
            self._logger.warning("live.match_lookup_failed", reason=str(error))
            return
        if watched is not None:
            self._follow(watched)

    def _update_endpoint(self, match: _LiveMatch) -> None:
        endpoint = self._state_endpoint(match.token)
        if endpoint == match.endpoint:
            return
        self._detach(match)
        attached = endpoint is not None and self._attach(match, endpoint)
        match.endpoint = endpoint
        match.tracker.set_assigned(attached)
        match.notify_viewers()

    def _attach(self, match: _LiveMatch, endpoint: str) -> bool:
        subscription = self._subscriptions.get(endpoint)
        if subscription is None:
            if self._context is None:
                self._context = zmq.Context()
            try:
                subscription = _StateSubscription(self._context, endpoint)
            except zmq.ZMQError as error:
                self._logger.warning("live.subscribe_failed", endpoint=endpoint, reason=str(error))
                return False
            self._subscriptions[endpoint] = subscription
        subscription.add(match)
        return True

    def _detach(self, match: _LiveMatch) -> None:
        subscription = self._subscriptions.get(match.endpoint or "")
        if subscription is None or match.token not in subscription.matches:
            return
        subscription.remove(match)
        if not subscription.matches:
            del self._subscriptions[subscription.endpoint]
            subscription.close()


class LiveViewer:
    """Viewer of some matches, created by `LiveBroadcaster.subscribe`.

    Attributes:
        matches: matches that it watches.
        updated: set when there are events or new frames.
    """

    def __init__(self, matches: list[_LiveMatch], interval: float) -> None:
        self.matches = matches
        self.updated = asyncio.Event()
        self._interval = interval
        self._events: list[str] = []
        self._next_time = 0.0

    def push_event(self, event: str) -> None:
        """Queue an event that the viewer must receive."""
        # `next_frames` drops viewers beyond the limit; other viewers must not be affected.
        if len(self._events) <= _MAX_QUEUED_EVENTS:
            self._events.append(event)
        self.updated.set()

    async def next_frames(self) -> list[str]:
        """Wait for events and new frames, at most at the frame rate; return them as JSON.

        Raises:
            SlowViewerError: too many events are queued.
        """
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._next_time - loop.time())
        await self.updated.wait()
        self.updated.clear()
        events, self._events = self._events, []
        if len(events) > _MAX_QUEUED_EVENTS:
            raise SlowViewerError("the page does not read its events")
        frames = [match.take_new_frame(self) for match in self.matches]
        self._next_time = loop.time() + self._interval
        return events + [frame for frame in frames if frame is not None]


class _LiveMatch:
    """Followed match and its viewers."""

    def __init__(self, watched: WatchedMatch) -> None:
        self.token = watched.token
        self.tracker = MatchTracker(watched.match, watched.teams)
        self.endpoint: str | None = None
        # Each viewer with the version of its last frame.
        self.viewers: dict[LiveViewer, int] = {}
        self.last_viewed = asyncio.get_running_loop().time()

    def handle_message(self, data: bytes) -> None:
        version = self.tracker.version
        self.push_event(self.tracker.handle_message(data))
        if self.tracker.version != version:
            self.notify_viewers()

    def handle_statistics(self, data: bytes) -> None:
        self.tracker.handle_statistics(data)
        self.notify_viewers()

    def push_event(self, event: str | None) -> None:
        """Send the current frame, then an event, to all viewers."""
        if event is None:
            return
        for viewer in self.viewers:
            frame = self.take_new_frame(viewer)
            if frame is not None:
                viewer.push_event(frame)
            viewer.push_event(event)

    def notify_viewers(self) -> None:
        for viewer in self.viewers:
            viewer.updated.set()

    def take_new_frame(self, viewer: LiveViewer) -> str | None:
        """Return the current frame, unless it has been sent to the viewer."""
        if self.viewers.get(viewer) == self.tracker.version:
            return None
        frame = self.tracker.frame_json
        self.viewers[viewer] = self.tracker.version
        return frame


class _StateSubscription:
    """Subscription to the state channel of one game server."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> None:
        self.endpoint = endpoint
        self.matches: dict[str, _LiveMatch] = {}
        self._socket = context.socket(zmq.SUB)
        try:
            self._socket.set(zmq.LINGER, 0)
            self._socket.set(zmq.MAXMSGSIZE, _MAX_MESSAGE_BYTES)
            self._socket.set(zmq.IPV6, 1)
            # Detects that a game server was killed, and reconnects to its successor.
            self._socket.set(zmq.HEARTBEAT_IVL, _HEARTBEAT_MS)
            self._socket.set(zmq.RECONNECT_IVL_MAX, _MAX_RECONNECT_MS)
            self._socket.connect(endpoint)
        except zmq.ZMQError:
            self._socket.close()
            raise
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.fileno(), self._drain)

    def add(self, match: _LiveMatch) -> None:
        self.matches[match.token] = match
        for topic in (match.token, STATISTICS_TOPIC + match.token):
            self._socket.subscribe(topic)
        # Any call on the socket may consume the signal for which the loop waits.
        self._loop.call_soon(self._drain)

    def remove(self, match: _LiveMatch) -> None:
        del self.matches[match.token]
        for topic in (match.token, STATISTICS_TOPIC + match.token):
            self._socket.unsubscribe(topic)
        self._loop.call_soon(self._drain)

    def close(self) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def _drain(self) -> None:
        """Handle received messages, a limited number in each cycle of the event loop."""
        for _ in range(_MAX_MESSAGES_AT_ONCE):
            if self._socket.closed:
                return
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._dispatch(frames)
        self._loop.call_soon(self._drain)

    def _dispatch(self, frames: Iterable[bytes]) -> None:
        topic, data = (*frames, b"", b"")[:2]
        name = topic.decode("latin-1")
        if name.startswith(STATISTICS_TOPIC):
            match = self.matches.get(name.removeprefix(STATISTICS_TOPIC))
            if match is not None:
                match.handle_statistics(data)
        elif name in self.matches:
            self.matches[name].handle_message(data)
