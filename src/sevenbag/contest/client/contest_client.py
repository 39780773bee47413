"""Play whole matches with a bot, and ask the site for them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.contest.client.connection import ServerAddress
from sevenbag.contest.client.match_client import TeamMatchResult, summarize_match
from sevenbag.contest.client.match_session import MatchSession, SessionTimeouts
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import State

    Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """How a team plays.

    Attributes:
        team: name as registered.
        password: the team's.
        bot: specification of the bot.
        moves_per_second: how often it moves, at most; 0 for no limit.
        limits: what the bot may spend on a piece; nothing said, what it grants itself.
        answer_seconds: after which a bot that does not answer has failed.
        patience: how long to wait for a server.
    """

    team: str
    password: str = field(repr=False)
    bot: str
    moves_per_second: float = 0.0
    limits: Limits = field(default_factory=Limits)
    answer_seconds: float = 10.0
    timeouts: SessionTimeouts = field(default_factory=SessionTimeouts)


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What became of a match.

    Attributes:
        result: as far as it was heard.
        failure: what went wrong with the bot; empty if nothing did.
        undone: pieces that did not go where the bot wanted them, of how many.
    """

    result: TeamMatchResult
    failure: str
    missed_pieces: tuple[int, int]


async def play_match(
    address: ServerAddress, token: str, options: JoinOptions, report: Say
) -> MatchReport:
    """Play one match to its end.

    The bot is made ready before anybody hears of us, and nothing of it is left afterwards.

    Args:
        address: of the game server.
        token: names the match.
        manner: who plays, and how.
        say: told in a line what happens.

    Raises:
        SpecError: there is no such bot.
        BotStartError: the bot cannot be started, or does not play these rules.
        CommandRejectedError: the server does not let the team into the match.
        ServerUnreachableError: the server does not answer, or has gone.
    """
    planner = _planner(options)
    try:
        await planner.prepare()
        return await _play(address, token, planner, options, report)
    finally:
        await planner.quit()


async def play_all_matches(
    site: SiteClient, options: JoinOptions, report: Say, *, wait_seconds: float = 3_600.0
) -> list[MatchReport]:
    """Play every match that a site has for the team, until it has none any more.

    A match whose server dies is gone on with wherever the site says that it is now.

    Args:
        site: of the contest.
        manner: who plays, and how.
        say: told in a line what happens.
        wait_seconds: for the next match, at most.

    Raises:
        SpecError: there is no such bot.
        BotStartError: the bot cannot be started, or does not play these rules.
        CommandRejectedError: the site or a server does not know the team, or refuses it.
        ServerUnreachableError: the site has not answered, or had no match, for too long.
    """
    # Whoever cannot play is to be told before, and not in the midst of the contest.
    await _try_out(options)
    nimble = dataclasses.replace(options, timeouts=_nimble(options.timeouts))
    played: dict[str, MatchReport] = {}
    over_at: dict[tuple[str, ServerAddress], float] = {}
    waited_since = time.monotonic()
    enquiry = _Enquiry(site, min(options.timeouts.silence, wait_seconds), report)
    failing_since: float | None = None
    pause = _FIRST_PAUSE
    told = False
    while True:
        now = time.monotonic()
        task = await enquiry.task()
        if task is not None and task.status == "finished" and played:
            return list(played.values())
        if (
            task is None
            or task.address is None
            # The site may not have heard yet; but a match may also be taken up again there.
            or now < over_at.get((task.token, task.address), -math.inf) + _TAKEN_UP
        ):
            if now - waited_since > wait_seconds:
                raise ServerUnreachableError(f"{site.url} has had no match for {wait_seconds:g} s")
            if not told and not enquiry.is_unanswered and pause > _FIRST_PAUSE:
                told = True
                report(f"{options.team} waits for its next match")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            continue
        told = False
        try:
            match = await play_match(task.address, task.token, nimble, report)
        except ContestError as error:
            if isinstance(error, CommandRejectedError) and error.error not in _ELSEWHERE:
                raise
            now = time.monotonic()
            failing_since = now if failing_since is None else failing_since
            if now - failing_since > options.timeouts.silence:
                raise
            report(f"{error}; asking {site.url} where the match goes on")
            await asyncio.sleep(_FAILING_PAUSE)
            continue
        failing_since = None
        pause = _FIRST_PAUSE
        waited_since = time.monotonic()
        over_at[task.token, task.address] = waited_since
        if match.result.end_heard or match.result.games != (0, 0):
            played[task.token] = match
        if match.failure:
            # It would fail in the next match, too, and nobody would be told.
            return list(played.values())


@dataclass(frozen=True, slots=True)
class TeamAssignment:
    """What a team is to do now.

    Attributes:
        status: whether there is a match to play, there will be one, or there is no more.
        token: of the match.
        address: where it is played.
        opponent: against whom; empty if that is not told.
    """

    status: Literal["playing", "waiting", "finished"]
    token: str = ""
    address: ServerAddress | None = None
    opponent: str = ""


class SiteClient:
    """A contest's site, for one team.

    Attributes:
        url: of the site, without a slash at its end.
    """

    def __init__(self, url: str, team: str, password: str, *, seconds: float = 10.0) -> None:
        """Nothing is asked yet.

        Args:
            url: such as ``http://127.0.0.1:8080``.
            team: name as registered.
            password: the team's.
            seconds: to wait for an answer.

        Raises:
            InputError: the URL is none.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(f"{shown(url)} is no site; expected one such as http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self._team = team
        self._password = password
        self._seconds = seconds

    async def fetch_assignment(self) -> TeamAssignment:
        """What the team is to do now.

        Raises:
            CommandRejectedError: wrong team or password.
            ServerUnreachableError: the site does not answer, or cannot now; it may be asked again.
            ProtocolError: it answers with something else.
        """
        said = {"team_name": self._team, "password": self._password}
        reply = await self._ask("/scheduler/current_match", msgspec.json.encode(said))
        if reply.status in {"waiting", "finished"}:
            return TeamAssignment("waiting" if reply.status == "waiting" else "finished")
        if reply.status != "playing":
            raise CommandRejectedError(reply.status, reply.reason or "no reason given")
        return TeamAssignment("playing", reply.match_token, _address(reply), reply.opponent)

    async def create_test_match(self) -> TeamAssignment:
        """A new test match, by the contest's own call.

        Raises:
            CommandRejectedError: wrong team or password, or it cannot be created.
            ServerUnreachableError: the site does not answer, or cannot now; it may be asked again.
            ProtocolError: it answers with something else.
        """
        query = urllib.parse.urlencode(
            {"team_name": self._team, "password": self._password}, quote_via=urllib.parse.quote
        )
        reply = await self._ask(f"/scheduler/create_unauthenticated_test_match?{query}", None)
        if reply.status != "success":
            raise CommandRejectedError(reply.status, reply.reason or "no reason given")
        return TeamAssignment("playing", reply.match_token, _address(reply), reply.opponent)

    # --- helpers --------------------------------------------------------------------------------

    async def _ask(self, path: str, body: bytes | None) -> _Reply:
        request = urllib.request.Request(  # the scheme was looked at
            self.url + path,
            data=body,
            headers={"Content-Type": "application/json"} if body is not None else {},
        )
        data = await _beside(lambda: self._fetch(request))
        try:
            return msgspec.json.decode(data, type=_Reply)
        except msgspec.MsgspecError as error:
            raise ProtocolError(
                f"{self.url} answers with something else than a contest's site does: {error}"
            ) from None

    def _fetch(self, request: urllib.request.Request) -> bytes:
        # Whatever the URL says must not end in an error's text: the password is in one of them.
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as answer:
                data: bytes = answer.read(_LONGEST)
                return data
        except urllib.error.HTTPError as error:
            with error:
                data = error.read(_LONGEST)
            if error.code in _LATER:
                raise ServerUnreachableError(
                    f"{self.url} cannot answer now ({error.code})"
                ) from None
            try:
                # Some refuse with a code and the same words.
                msgspec.json.decode(data, type=_Reply)
            except msgspec.MsgspecError:
                raise CommandRejectedError(f"{error.code}", f"{self.url}: {error.reason}") from None
            return data
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise ServerUnreachableError(f"{self.url} does not answer: {why}") from None


# --- helpers ------------------------------------------------------------------------------------

_FIRST_PAUSE: Final = 0.3

_LONGEST_PAUSE: Final = 2.0

_FAILING_PAUSE: Final = 1.0
"""Seconds between questions to the site."""

_TAKEN_UP: Final = 5.0
"""Seconds after which a match that has ended here, and that the site still has, goes on here."""

_NEVER: Final = 1.0
"""Seconds between looks at whether anything is to be done."""

_ELSEWHERE: Final = frozenset(
    ("unknown match", "unknown client token", "server is ending", "match ended")
)
"""Refusals that the site may know a way out of."""


class _Enquiry:
    """Asks a site again and again; one that does not answer is named, once."""

    def __init__(self, site: SiteClient, patience: float, say: Say) -> None:
        self._site = site
        self._patience = patience
        self._say = say
        self._answered_at = time.monotonic()
        self.is_unanswered = False

    async def task(self) -> TeamAssignment | None:
        """What the team is to do now; None if the site does not answer for the moment.

        Raises:
            ServerUnreachableError: it has not answered for too long.
        """
        now = time.monotonic()
        try:
            task = await self._site.fetch_assignment()
        except ServerUnreachableError as error:
            if now - self._answered_at > self._patience:
                raise
            if not self.is_unanswered:
                self.is_unanswered = True
                self._say(f"{error}; it is asked again")
            return None
        self._answered_at = now
        self.is_unanswered = False
        return task


def _nimble(patience: SessionTimeouts) -> SessionTimeouts:
    """Who can ask elsewhere does not wait long for a server that is silent."""
    return dataclasses.replace(
        patience,
        answer=min(patience.answer, _NIMBLE / 2),
        server=min(patience.server, _NIMBLE),
        state=min(patience.state, _NIMBLE),
    )


_NIMBLE: Final = 2.0
"""Seconds."""


def _planner(manner: JoinOptions) -> BotController:
    return BotController(
        create_bot(manner.bot),
        manner.team,
        moves_per_second=manner.moves_per_second,
        limits=manner.limits,
        answer_seconds=manner.answer_seconds,
    )


async def _try_out(manner: JoinOptions) -> None:
    planner = _planner(manner)
    try:
        await planner.prepare()
    finally:
        await planner.quit()


async def _play(
    address: ServerAddress, token: str, planner: BotController, manner: JoinOptions, say: Say
) -> MatchReport:
    session = MatchSession(address, token, manner.team, manner.password, manner.timeouts)
    async with session:
        planner.wake = session.interrupt
        say(f"{manner.team} has connected to {address}, played by {planner.bot.name}")
        bot_failed = False
        while not session.is_over:
            now = time.monotonic()
            order = planner.next_move(now)
            due: float | None = 0.0
            if order is None:
                due = planner.next_move_at
            elif await session.move(order.move, order.number):
                planner.move_answered(time.monotonic())
            else:
                planner.move_unanswered(time.monotonic())
            _hear(planner, await session.receive_states(now + _NEVER if due is None else due), say)
            if planner.failure is not None and not bot_failed:
                bot_failed = True
                say(f"{planner.failure}; from here on, gravity plays")
    tally = planner.counts
    missed = tally.replanned + tally.misplaced + tally.lost
    failure = "" if planner.failure is None else str(planner.failure)
    return MatchReport(summarize_match(planner.view, manner.team), failure, (missed, tally.pieces))


def _hear(planner: BotController, messages: list[State | StatisticsMessage], say: Say) -> None:
    for message in messages:
        # A board that is none: the next one comes soon.
        with contextlib.suppress(ProtocolError):
            planner.handle_message(message, time.monotonic())
        if isinstance(message, GameEnd):
            result = summarize_match(planner.view, planner.team)
            scores = " : ".join(f"{team} {points}" for team, points in message.scores.items())
            say(
                f"{message.game_name}: {message.winner} wins ({scores}); "
                f"games {result.games[0]}:{result.games[1]}"
            )


_LONGEST: Final = 64 << 10

_LATER: Final = frozenset((429, 500, 502, 503, 504))


class _Reply(msgspec.Struct):
    """All that a reply may have."""

    status: str
    reason: str = ""
    match_token: Annotated[str, msgspec.Meta(max_length=200)] = ""
    server_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    internal_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    state_ip: Annotated[str, msgspec.Meta(max_length=200)] = ""
    command_port: Port = COMMAND_PORT
    state_port: Port = STATE_PORT
    opponent: str = ""


def _address(reply: _Reply) -> ServerAddress:
    host = reply.server_ip or reply.internal_ip
    if not (host and reply.match_token):
        raise ProtocolError("the site names a match without a server or a token")
    return ServerAddress(host, reply.command_port, reply.state_port, reply.state_ip)


async def _beside(work: Callable[[], bytes]) -> bytes:
    """What a blocking call returns, from a thread that nobody waits for when all ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()

    def settle(data: bytes | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(data or b"")

    def run() -> None:
        data, failure = None, None
        try:
            data = work()
        except Exception as error:  # noqa: BLE001  # raised where it is waited for
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, data, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done
