"""What a game server runs on: its sockets, its clock and its timers; no word of matches."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from typing import TYPE_CHECKING, Final

import zmq

from sevenbag.contest.server.command_channel import CommandChannel
from sevenbag.contest.server.desk import Desk
from sevenbag.contest.server.figures import Exposition, Figures, Gauge
from sevenbag.contest.server.hoarders import Hoarders
from sevenbag.contest.server.operations import OperationsServer
from sevenbag.contest.server.state_channel import StateChannel
from sevenbag.contest.server.timetable import Timetable

if TYPE_CHECKING:
    from collections.abc import Callable

    import structlog

    from sevenbag.contest.server.command_channel import Sender
    from sevenbag.contest.server.sessions import Sessions
    from sevenbag.contest.settings import ServerSettings

_BEAT: Final = 0.25
"""Seconds between looks for new subscribers, when nothing is told; also how the delay is taken."""
_FRAMES_UNANSWERED: Final = 2
"""Frames of the largest size that a client may send while nothing that it is sent arrives."""
_FILES_OF_A_MATCH: Final = 8
_FILES: Final = 256
"""Of the process itself, and for onlookers."""


class Machinery:
    """Sockets that are bound when this is made, and hear and tell from `start` on.

    Attributes:
        commands: the command channel.
        states: the state channel.
        operations: HTTP, where it is wanted.
        desk: answers commands.
        timetable: wakes matches.
        delay: seconds that the last beat came late: how long everything waits.

    Args:
        settings: of the server.
        sessions: whose tokens are whose.
        figures: counts.
        logger: of the server.

    Raises:
        InputError: a port is taken, or not ours to take; or there is no such address.
    """

    def __init__(
        self,
        settings: ServerSettings,
        sessions: Sessions,
        figures: Figures,
        logger: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        self.delay = 0.0
        self.timetable = Timetable(self.clock)
        self.desk = Desk(
            sessions,
            figures,
            logger,
            self.clock,
            self._reply,
            address=lambda: self.commands.address,
            largest_message=settings.largest_message,
        )
        self.operations: OperationsServer | None = None
        self._settings = settings
        self._sessions = sessions
        self._figures = figures
        self._began = time.time()
        self._beating: asyncio.TimerHandle | None = None
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        with contextlib.ExitStack() as undo:
            undo.callback(self._context.destroy, 0)
            self.commands = CommandChannel(
                self._context,
                settings.bind,
                settings.command_port,
                largest_message=settings.largest_message,
                answer=self.desk.answer,
            )
            self.states = StateChannel(
                self._context,
                settings.state_bind or settings.bind,
                settings.state_port,
                backlog=settings.state_backlog,
            )
            undo.pop_all()
        files = raise_file_limit(settings.capacity * _FILES_OF_A_MATCH + _FILES)
        self._hoarders = Hoarders(
            self.commands.port,
            self.states.port,
            most_unanswered=_FRAMES_UNANSWERED * self.commands.largest_frame,
            most_of_address=files // 2,
            logger=logger,
        )
        self._watching: asyncio.Task[None] | None = None

    async def start(self, *, ready: Callable[[], str]) -> None:
        """Hear commands, and HTTP where that is wanted.

        Args:
            ready: why the server takes no matches; empty when it does.

        Raises:
            InputError: there is no listening for HTTP.
        """
        if self._settings.http_port:
            exposition = Exposition(self._figures, self._gauges())
            operations = OperationsServer(
                self._settings.bind,
                self._settings.http_port,
                ready=ready,
                metrics=exposition.text,
            )
            try:
                await operations.start()
            except BaseException:
                self._context.destroy(0)
                raise
            self.operations = operations
        self.commands.start()
        self._watching = self._loop.create_task(self._hoarders.watch())
        self._beat()

    async def end(self) -> None:
        """Hear and tell nothing more; what is under way still goes out."""
        if self._beating is not None:
            self._beating.cancel()
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self.operations is not None:
            await self.operations.close()
        await self.desk.close()
        self.timetable.close()
        self.commands.close()
        self.states.close()
        # It waits for the last messages.
        await asyncio.to_thread(self._context.term)

    # --- helpers --------------------------------------------------------------------------------

    def _reply(self, sender: Sender, body: bytes) -> None:
        self.commands.reply(sender, body)

    def _beat(self, due: float | None = None) -> None:
        now = self.clock()
        if due is not None:
            self.delay = max(0.0, now - due)
        self.states.heed()
        self._beating = self._loop.call_at(now + _BEAT, self._beat, now + _BEAT)

    def _gauges(self) -> tuple[Gauge, ...]:
        commands, states, hoarders = self.commands, self.states, self._hoarders
        return (
            Gauge("matches_hosted", "Matches that are played or linger.", self._count_tables),
            Gauge("start_time_seconds", "When the server began.", lambda: self._began),
            Gauge("loop_delay_seconds", "How late the last timer was.", lambda: self.delay),
            Gauge("states", "State messages told.", lambda: states.told, counts=True),
            Gauge(
                "states_incomplete",
                "State messages that a subscriber was too far behind for.",
                lambda: states.incomplete,
                counts=True,
            ),
            Gauge(
                "envelopes_dropped",
                "Messages on the command channel that were no requests.",
                lambda: commands.dropped,
                counts=True,
            ),
            Gauge(
                "connections_closed",
                "Connections closed because of their traffic or the limit of their address.",
                lambda: hoarders.closed,
                counts=True,
            ),
            Gauge(
                "answers_unsent",
                "Answers whose client has gone, or reads none.",
                lambda: commands.unsent,
                counts=True,
            ),
        )

    def _count_tables(self) -> float:
        return len(self._sessions.tables)


def raise_file_limit(wanted: int) -> int:
    """Raise the open file limit of this process, if possible.

    Each connection is a file, and the usual limit is about a thousand.

    Returns: the number of files that may be open, at most `wanted`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
