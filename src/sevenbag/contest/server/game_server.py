"""The game server: matches of two teams, over ZeroMQ."""

from __future__ import annotations

import asyncio
import secrets
import socket
import time
from typing import TYPE_CHECKING, Final, Literal

import sevenbag
from sevenbag.contest.link import Hello, Pulse
from sevenbag.contest.logs import make_logger
from sevenbag.contest.match import Match
from sevenbag.contest.passwords import PasswordChecks
from sevenbag.contest.server.figures import Figures
from sevenbag.contest.server.machinery import Machinery
from sevenbag.contest.server.sessions import Sessions
from sevenbag.contest.server.table import Surroundings, Table
from sevenbag.errors import DismissedError, InputError, PlacementRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    import structlog

    from sevenbag.contest.link import MatchResult, Place
    from sevenbag.contest.server.keeper import Keeper
    from sevenbag.contest.settings import LogSettings, ServerSettings, TestClientSettings

Farewell = Literal["finish", "break off"]

_FAREWELL_LOOKS: Final = 0.02
"""Seconds between two looks whether the games are over."""
_LAST_KEEPING: Final = 5.0
"""Seconds that finished games have to be kept, whatever the farewell."""
_EVERYWHERE: Final = frozenset({"", "*", "0.0.0.0", "::"})  # noqa: S104  # only compared with


class GameServer:
    """Hosts matches until it is stopped.

    Nothing is heard or told before `start`; everything runs in the event loop that it is called in.

    Attributes:
        figures: what has happened so far.

    Args:
        settings: of the server.
        test_client: how bots of ours play.
        log: what is logged.
        keeper: keeps finished games, and is told of everything; None for a server of its own.
        logger: where to; by default standard error.
    """

    def __init__(
        self,
        settings: ServerSettings,
        *,
        test_client: TestClientSettings,
        log: LogSettings,
        keeper: Keeper | None = None,
        logger: structlog.typing.FilteringBoundLogger | None = None,
    ) -> None:
        self.figures = Figures()
        self._settings = settings
        self._test_client = test_client
        self._log = log
        self._keeper = keeper
        self._logger = logger or make_logger(log)
        self._sessions = Sessions()
        self._machinery: Machinery | None = None
        self._around: Surroundings | None = None
        self._draining = False
        self._dismissal = ""
        self._over = asyncio.Event()
        self._stopping: asyncio.Task[None] | None = None
        self._farewell: Farewell = settings.farewell
        self._closing: set[asyncio.Task[None]] = set()

    # --- its life -------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen.

        Raises:
            InputError: a port is taken, or not ours to take; or there is no such address.
        """
        live = Machinery(
            self._settings,
            self._sessions,
            self.figures,
            self._logger,
        )
        self._around = Surroundings(
            clock=live.clock,
            states=live.states,
            timetable=live.timetable,
            keeper=self._keeper,
            figures=self.figures,
            logger=self._logger,
            log=self._log,
            checks=PasswordChecks(most_waiting=4 * self._settings.capacity + 200),
            house_moves_per_second=self._test_client.moves_per_second,
            gone=self._forget,
        )
        await live.start(ready=self._trouble)
        self._machinery = live
        self._logger.info(
            "game server listens",
            commands=self.command_endpoint,
            states=self.state_endpoint,
            http=self.http_port,
        )
        if self._keeper is not None:
            await self._keeper.start(self)

    async def run(self) -> None:
        """Serve until it is stopped; when cancelled, say farewell as the settings want it.

        Raises:
            DismissedError: the scheduler wants this server no more.
        """
        try:
            await self._over.wait()
        finally:
            await self.stop()
        if self._dismissal:
            raise DismissedError(self._dismissal)

    async def stop(self, farewell: Farewell | None = None) -> None:
        """End: running games are finished, or broken off.

        Args:
            farewell: which of the two; None for what the settings say. To say "break off" while
                games are still waited for ends the waiting.
        """
        await asyncio.shield(self._begin_to_stop(farewell or self._settings.farewell))

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End at once."""
        await self.stop("break off")

    # --- where it is ----------------------------------------------------------------------------

    @property
    def command_endpoint(self) -> str:
        """Of the command channel, such as ``tcp://127.0.0.1:5557``."""
        return self._live.commands.endpoint

    @property
    def state_endpoint(self) -> str:
        """Of the state channel."""
        return self._live.states.endpoint

    @property
    def http_port(self) -> int:
        """Of ``/health``, ``/ready`` and ``/metrics``; 0 for none."""
        operations = self._live.operations
        return 0 if operations is None else operations.port

    def hello(self) -> Hello:
        """Who the server is, where it is reached, and which matches it plays."""
        settings = self._settings
        live = self._live
        address = settings.address or _reachable(settings.bind)
        state_address = settings.state_address or settings.address
        return Hello(
            name=settings.name or f"{_place(settings.bind)}:{live.commands.port}",
            version=sevenbag.__version__,
            command_address=address,
            state_address=state_address or _reachable(settings.state_bind or settings.bind),
            internal_address=settings.internal_address or address,
            command_port=live.commands.port,
            state_port=live.states.port,
            capacity=settings.capacity,
            hosting=tuple(token for token, table in self.matches.items() if not table.ended),
        )

    @property
    def dropped_envelopes(self) -> int:
        """Messages on the command channel that were no requests."""
        return self._live.commands.dropped

    # --- its matches ----------------------------------------------------------------------------

    @property
    def matches(self) -> Mapping[str, Table]:
        """All that are here, by match token; those that linger too."""
        return self._sessions.tables

    def pulse(self) -> Pulse:
        """How much it does."""
        return Pulse(
            matches=self._hosted(), commands=self.figures.commands, draining=self._draining
        )

    def place(self, place: Place) -> None:
        """Take a match; clients may connect to it at once.

        A match that is here already is left alone.

        Raises:
            PlacementRefusedError: it does not; the words say why.
        """
        old = self.matches.get(place.match_token)
        if old is not None and not old.ended:
            if len(place.finished) > sum(old.match.games):
                raise PlacementRefusedError("this match is played here, and not as far as that")
            return
        self._expect_room()
        around = self._around
        assert around is not None
        try:
            match = Match(
                place.match_token,
                place.match_name,
                place.seats,
                place.rules,
                secrets.randbits(64),
                time.time,
                place.finished,
                attempt=place.attempt,
            )
            table = Table(place, match, around)
        except InputError as error:
            raise PlacementRefusedError(str(error)) from None
        if old is not None:
            self._forget(old)
        self._sessions.add(table)
        self._logger.info(
            "match placed",
            match=table.token[:8],
            name=place.match_name,
            teams=[seat.team for seat in place.seats],
            finished=len(place.finished),
        )
        table.open()

    def call_off(self, token: str, reason: str) -> None:
        """End a match without a winner; nothing where there is no such match."""
        table = self.matches.get(token)
        if table is not None:
            table.call_off(reason)

    def release(self, token: str, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""
        table = self.matches.get(token)
        if table is not None:
            table.release(reason)

    def halt(self, token: str, halted: bool) -> None:  # as on the link
        """Begin no further game of a match, or go on beginning games."""
        table = self.matches.get(token)
        if table is not None and not table.ended:
            table.halt(halted)

    async def result(self, token: str) -> MatchResult:
        """How a match ends, once it does.

        Raises:
            PlacementRefusedError: there is no such match here, or it goes on elsewhere.
        """
        table = self.matches.get(token)
        if table is None:
            raise PlacementRefusedError(f"no match {token[:8]}... is played here")
        await asyncio.wait({table.result})
        if table.result.cancelled():
            raise PlacementRefusedError(f"match {token[:8]}... is not finished here")
        return table.result.result()

    def dismissed(self, reason: str) -> None:
        """End at once: the scheduler wants this server no more."""
        self._logger.error("dismissed by the scheduler", reason=reason)
        self._dismissal = reason
        for token in list(self.matches):
            self.release(token, reason)
        self._begin_to_stop("break off")

    # --- helpers --------------------------------------------------------------------------------

    @property
    def _live(self) -> Machinery:
        assert self._machinery is not None, "the server has not been started"
        return self._machinery

    def _hosted(self) -> int:
        return sum(not table.ended for table in self.matches.values())

    def _expect_room(self) -> None:
        if self._draining or self._machinery is None:
            raise PlacementRefusedError("the server takes no matches; it is about to end")
        if self._hosted() >= self._settings.capacity:
            raise PlacementRefusedError(
                f"the server plays {self._settings.capacity} matches already"
            )

    def _forget(self, table: Table) -> None:
        self._sessions.remove(table)
        closing = asyncio.create_task(table.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _trouble(self) -> str:
        """Why the server takes no matches; empty when it does."""
        if self._draining:
            return "the server is about to end"
        return "" if self._keeper is None else self._keeper.trouble

    def _begin_to_stop(self, farewell: Farewell) -> asyncio.Task[None]:
        self._draining = True
        if self._machinery is not None:
            self._machinery.desk.ending = True
        if self._stopping is None:
            self._farewell = farewell
            self._stopping = asyncio.create_task(self._stop())
        elif farewell == "break off":
            self._farewell = farewell
        return self._stopping

    async def _stop(self) -> None:
        if self._machinery is not None:
            live = self._machinery
            self._logger.info("game server ends", farewell=self._farewell, matches=self._hosted())
            await self._say_farewell()
            if self._keeper is not None:
                await self._keeper.stop()
            for table in tuple(self.matches.values()):
                self._forget(table)
            await asyncio.gather(*self._closing)
            await live.end()
        self._logger.info("game server has ended", commands=self.figures.commands)
        self._over.set()

    async def _say_farewell(self) -> None:
        tables = [table for table in self.matches.values() if not table.ended]
        began = time.monotonic()
        if self._farewell == "finish":
            for table in tables:
                table.halt(halted=True)
        # Games end in many ways, and nobody waits for this but who ends the server.
        while self._waits_for(tables, time.monotonic() - began):  # noqa: ASYNC110
            await asyncio.sleep(_FAREWELL_LOOKS)
        if self._keeper is None:
            # They go on nowhere, and clients may go home.
            for table in tables:
                table.call_off("the server ends")

    def _waits_for(self, tables: list[Table], seconds: float) -> bool:
        """Whether there still is something that is worth waiting for, after so many seconds."""
        if any(table.is_keeping for table in tables) and seconds < _LAST_KEEPING:
            return True
        patience = self._settings.farewell_seconds if self._farewell == "finish" else 0.0
        return seconds < patience and any(table.is_busy for table in tables)


def _place(bind: str) -> str:
    """One of a machine, and of the servers on it: all of them have the same ports."""
    machine = socket.gethostname()
    return machine if bind in _EVERYWHERE else f"{machine} {bind}"


def _reachable(bind: str) -> str:
    """Where clients find a server that listens at this address."""
    return socket.gethostname() if bind in _EVERYWHERE else bind
