"""Play whole matches with a bot, and get a team's matches from the site of a contest."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import math
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.contest.client.connection import MatchSession, ServerAddress, SessionTimeouts
from sevenbag.contest.client.match_view import TeamMatchResult
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, Port
from sevenbag.errors import (
    CommandRejectedError,
    ContestError,
    InputError,
    ProtocolError,
    ServerUnreachableError,
    shown,
)
from sevenbag.protocols.pason.messages import GameEnd

ReportLine: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """Options of a team that joins a match.

    Attributes:
        moves_per_second: maximum rate of moves; 0 for no limit.
        limits: limits of the bot for each piece; without any, its own.
        answer_seconds: seconds after which a bot without an answer has failed.
    """

    team: str
    password: str = field(repr=False)
    bot: str
    moves_per_second: float = 0.0
    limits: Limits = field(default_factory=Limits)
    answer_seconds: float = 10.0
    timeouts: SessionTimeouts = field(default_factory=SessionTimeouts)

    def create_controller(self) -> BotController:
        """Create the controller of the bot.

        Raises:
            SpecError: unknown bot.
        """
        return BotController(
            create_bot(self.bot),
            self.team,
            moves_per_second=self.moves_per_second,
            limits=self.limits,
            answer_seconds=self.answer_seconds,
        )


@dataclass(frozen=True, slots=True)
class MatchReport:
    """Report of a played match.

    Attributes:
        result: result as far as it was received.
        failure: error of the bot; empty without one.
        missed_pieces: number of pieces that did not go to the bot's target, and of all pieces.
    """

    result: TeamMatchResult
    failure: str
    missed_pieces: tuple[int, int]


async def play_match(
    address: ServerAddress, token: str, options: JoinOptions, report: ReportLine
) -> MatchReport:
    """Play one match to its end.

    The bot is ready before the team connects, and has ended when this returns.

    Raises:
        SpecError: unknown bot.
        BotStartError: the bot cannot be started or does not support the rules.
        CommandRejectedError: the server rejects the team or the match.
        ServerUnreachableError: no answer from the server.
    """
    controller = options.create_controller()
    try:
        await controller.prepare()
        session = MatchSession(address, token, options.team, options.password, options.timeouts)
        async with session:
            controller.wake = session.interrupt
            report(f"{options.team} has connected to {address}, played by {controller.bot.name}")
            await _play(session, controller, report)
    finally:
        await controller.quit()
    counts = controller.counts
    missed = counts.replanned + counts.misplaced + counts.lost
    failure = "" if controller.failure is None else str(controller.failure)
    result = controller.view.result_for(options.team)
    return MatchReport(result, failure, (missed, counts.pieces))


async def play_all_matches(
    site: SiteClient, options: JoinOptions, report: ReportLine, *, wait_seconds: float = 3_600.0
) -> list[MatchReport]:
    """Play every match that a site has for the team, until it has no more.

    If a game server fails, the match is continued on the server that the site names.

    Raises:
        SpecError: unknown bot.
        BotStartError: the bot cannot be started or does not support the rules.
        CommandRejectedError: the site or a server rejects the team.
        ServerUnreachableError: no answer from the site, or no match, for too long.
    """
    # Errors of the bot are raised before the first match.
    controller = options.create_controller()
    try:
        await controller.prepare()
    finally:
        await controller.quit()
    match_options = dataclasses.replace(options, timeouts=_short_timeouts(options.timeouts))
    max_silence = options.timeouts.silence
    poller = _SitePoller(site, min(max_silence, wait_seconds), report)
    reports: dict[str, MatchReport] = {}
    finished_at: dict[tuple[str, ServerAddress], float] = {}
    waiting_since = time.monotonic()
    failing_since: float | None = None
    pause = _FIRST_PAUSE
    wait_reported = False
    while True:
        now = time.monotonic()
        assignment = await poller.fetch_assignment()
        if assignment is not None and assignment.status == "finished" and reports:
            return list(reports.values())
        if (
            assignment is None
            or assignment.address is None
            # The site may not know the end yet; but a match may also be continued there.
            or now < finished_at.get((assignment.token, assignment.address), -math.inf) + _REPLAYED
        ):
            if now - waiting_since > wait_seconds:
                raise ServerUnreachableError(f"{site.url} has had no match for {wait_seconds:g} s")
            if not (wait_reported or poller.is_failing) and pause > _FIRST_PAUSE:
                wait_reported = True
                report(f"{options.team} waits for its next match")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _MAX_PAUSE)
            continue
        wait_reported = False
        try:
            match = await play_match(assignment.address, assignment.token, match_options, report)
        except ContestError as error:
            if isinstance(error, CommandRejectedError) and error.error not in _MOVED_ERRORS:
                raise
            now = time.monotonic()
            failing_since = now if failing_since is None else failing_since
            if now - failing_since > max_silence:
                raise
            report(f"{error}; asking {site.url} for the next server of the match")
            await asyncio.sleep(_RETRY_PAUSE)
            continue
        failing_since = None
        pause = _FIRST_PAUSE
        waiting_since = time.monotonic()
        finished_at[assignment.token, assignment.address] = waiting_since
        if match.result.end_heard or match.result.games != (0, 0):
            reports[assignment.token] = match
        if match.failure:
            # The bot would fail in the next match as well.
            return list(reports.values())


@dataclass(frozen=True, slots=True)
class TeamAssignment:
    """Match that a team is to play now.

    Attributes:
        status: "playing" with a match, "waiting" for the next match, "finished" after the last one.
        token: token of the match.
        address: address of its game server; None without a match.
        opponent: name of the opponent; empty if the site does not name it.
    """

    status: Literal["playing", "waiting", "finished"]
    token: str = ""
    address: ServerAddress | None = None
    opponent: str = ""


class SiteClient:
    """Client of the site of a contest, for one team.

    Its requests raise `CommandRejectedError` for a wrong team or password,
    `ServerUnreachableError` without an answer or after a temporary failure, and `ProtocolError`
    for an invalid reply.

    Attributes:
        url: URL of the site without a slash at its end.
    """

    def __init__(self, url: str, team: str, password: str, *, seconds: float = 10.0) -> None:
        """Create a client whose requests have a timeout; it sends nothing yet.

        Raises:
            InputError: invalid URL; expected one such as ``http://127.0.0.1:8080``.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(
                f"invalid site: expected URL such as http://127.0.0.1:8080, got {shown(url)}"
            )
        self.url = url.rstrip("/")
        self._login = {"team_name": team, "password": password}
        self._seconds = seconds

    async def fetch_assignment(self) -> TeamAssignment:
        """Fetch the match that the team is to play now."""
        reply = await self._request("/scheduler/current_match", msgspec.json.encode(self._login))
        if reply.status in {"waiting", "finished"}:
            return TeamAssignment("waiting" if reply.status == "waiting" else "finished")
        return self._assignment(reply, "playing")

    async def create_test_match(self) -> TeamAssignment:
        """Create a test match of the team; `CommandRejectedError` if there is no capacity."""
        query = urllib.parse.urlencode(self._login, quote_via=urllib.parse.quote)
        path = f"/scheduler/create_unauthenticated_test_match?{query}"
        return self._assignment(await self._request(path), "success")

    def _assignment(self, reply: _Reply, expected_status: str) -> TeamAssignment:
        if reply.status != expected_status:
            raise CommandRejectedError(reply.status, reply.reason or "no reason given")
        host = reply.server_ip or reply.internal_ip
        if not (host and reply.match_token):
            raise ProtocolError(f"invalid reply of {self.url}: no server or no token")
        address = ServerAddress(host, reply.command_port, reply.state_port, reply.state_ip)
        return TeamAssignment("playing", reply.match_token, address, reply.opponent)

    async def _request(self, path: str, body: bytes | None = None) -> _Reply:
        request = urllib.request.Request(
            self.url + path,
            data=body,
            headers={"Content-Type": "application/json"} if body is not None else {},
        )
        data = await _run_in_daemon_thread(lambda: self._fetch(request))
        try:
            return msgspec.json.decode(data, type=_Reply)
        except msgspec.MsgspecError as error:
            raise ProtocolError(f"invalid reply of {self.url}: {error}") from None

    def _fetch(self, request: urllib.request.Request) -> bytes:
        # Errors must not show the URL of the request, which may contain the password.
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as response:
                data: bytes = response.read(_MAX_REPLY_BYTES)
                return data
        except urllib.error.HTTPError as error:
            with error:
                data = error.read(_MAX_REPLY_BYTES)
            if error.code in _TEMPORARY_CODES:
                raise ServerUnreachableError(
                    f"{self.url} cannot answer now ({error.code})"
                ) from None
            try:
                # Some sites reject by an error code with the usual reply.
                msgspec.json.decode(data, type=_Reply)
            except msgspec.MsgspecError:
                raise CommandRejectedError(f"{error.code}", f"{self.url}: {error.reason}") from None
            return data
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise ServerUnreachableError(f"{self.url} does not answer: {reason}") from None


_FIRST_PAUSE: Final = 0.3
_MAX_PAUSE: Final = 2.0
_RETRY_PAUSE: Final = 1.0
_REPLAYED: Final = 5.0
"""Seconds after which a match that ended here, but that the site still has, is continued here."""
_POLL_INTERVAL: Final = 1.0
"""Maximum seconds between two looks at the state of a match."""
_SERVER_TIMEOUT: Final = 2.0
_MAX_REPLY_BYTES: Final = 64 << 10
_TEMPORARY_CODES: Final = frozenset((429, 500, 502, 503, 504))
_MOVED_ERRORS: Final = frozenset(
    ("unknown match", "unknown client token", "server is ending", "match ended")
)
"""Errors after which the site may name another server."""


class _SitePoller:
    """Fetches assignments; the first of several failures of the site is reported."""

    def __init__(self, site: SiteClient, max_silence: float, report: ReportLine) -> None:
        self.is_failing = False
        self._site = site
        self._max_silence = max_silence
        self._report = report
        self._answered_at = time.monotonic()

    async def fetch_assignment(self) -> TeamAssignment | None:
        now = time.monotonic()
        try:
            assignment = await self._site.fetch_assignment()
        except ServerUnreachableError as error:
            if now - self._answered_at > self._max_silence:
                raise
            if not self.is_failing:
                self.is_failing = True
                self._report(f"{error}; asking again")
            return None
        self._answered_at = now
        self.is_failing = False
        return assignment


def _short_timeouts(timeouts: SessionTimeouts) -> SessionTimeouts:
    """Give up a silent server soon, since the site knows where its match continues."""
    return dataclasses.replace(
        timeouts,
        answer=min(timeouts.answer, _SERVER_TIMEOUT / 2),
        server=min(timeouts.server, _SERVER_TIMEOUT),
        state=min(timeouts.state, _SERVER_TIMEOUT),
    )


async def _play(session: MatchSession, controller: BotController, report: ReportLine) -> None:
    failure_reported = False
    while not session.is_over:
        now = time.monotonic()
        order = controller.next_move(now)
        due: float | None = 0.0
        if order is None:
            due = controller.next_move_at
        else:
            confirmed = await session.move(order.move, order.number)
            controller.move_answered(time.monotonic(), confirmed=confirmed)
        for message in await session.receive_states(now + _POLL_INTERVAL if due is None else due):
            # A message with an invalid board is skipped; the next one comes soon.
            with contextlib.suppress(ProtocolError):
                controller.handle_message(message, time.monotonic())
            if isinstance(message, GameEnd):
                games = controller.view.result_for(controller.team).games
                report(f"{describe_game(message)}; games {games[0]}:{games[1]}")
        if controller.failure is not None and not failure_reported:
            failure_reported = True
            report(f"{controller.failure}; its pieces are left to gravity")


def describe_game(game: GameEnd) -> str:
    """Return a line about the end of a game."""
    scores = " : ".join(f"{team} {points}" for team, points in game.scores.items())
    return f"{game.game_name}: {game.winner} wins ({scores})"


class _Reply(msgspec.Struct):
    """Fields of all replies of a site."""

    status: str
    reason: str = ""
    match_token: Annotated[str, msgspec.Meta(max_length=200)] = ""
    server_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    internal_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    state_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    command_port: Port = COMMAND_PORT
    state_port: Port = STATE_PORT
    opponent: str = ""


async def _run_in_daemon_thread(work: Callable[[], bytes]) -> bytes:
    """Run a blocking function in a thread that does not delay the end of the process."""
    future: concurrent.futures.Future[bytes] = concurrent.futures.Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001  # raised by the waiting coroutine
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(future)
