"""One match on a game server, its timers, and the interface to the scheduler."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.game.state_encoder import STATISTICS_TOPIC
from sevenbag.contest.server.authentication import PlayerAuthenticator
from sevenbag.contest.server.builtin_players import create_builtin_player
from sevenbag.contest.server.command_handler import LOGGED_TOKEN_LENGTH, derive_client_token
from sevenbag.contest.telemetry import MAX_MOVE_LINES, REJECTION_PERIOD, RateLimitedLog
from sevenbag.protocols.pason.messages import ErrorResp, GameMoveResp, MatchEnd, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    import structlog

    from sevenbag.contest.game.match_results import ContestGameResult
    from sevenbag.contest.game.pason_game import PlayerIndex
    from sevenbag.contest.game.pason_match import ContestMatch, FinishedGame
    from sevenbag.contest.passwords import PasswordVerifier
    from sevenbag.contest.scheduler_protocol import Heartbeat, MatchAssignment, ServerHello
    from sevenbag.contest.server.builtin_players import BuiltinContestPlayer
    from sevenbag.contest.server.monitoring import ServerMetrics
    from sevenbag.contest.server.zmq_channels import StateChannel
    from sevenbag.contest.settings import LogSettings
    from sevenbag.protocols.pason.pason_conversion import MoveName

_REPEAT_END: Final = 5.0
"""Seconds between repetitions of the end of a match that somebody may have missed."""


@dataclass(frozen=True)
class ServerContext:
    """What all matches of a server share.

    Attributes:
        clock: monotonic seconds.
        states: where matches tell how they stand.
        timetable: wakes them.
        keeper: keeps what must survive; None for nobody.
        figures: counts.
        logger: of the server.
        log: what of the moves is logged.
        checks: of passwords.
        house_moves_per_second: how fast bots of ours move, at most.
        gone: is told when a match is to be forgotten.
    """

    clock: Callable[[], float]
    states: StateChannel
    timers: MatchTimers
    result_sink: ResultSink | None
    metrics: ServerMetrics
    logger: structlog.typing.FilteringBoundLogger
    log: LogSettings
    checks: PasswordVerifier
    builtin_moves_per_second: float
    on_removed: Callable[[HostedMatch], None]


class HostedMatch:
    """A match from its placement until it has lingered long enough.

    Attributes:
        token: of the match.
        place: what was asked for.
        match: itself.
        client_tokens: of both seats; empty for one that a bot of ours takes.
        doors: to both seats.
        result: how the match ends, once it has.
        ended: whether it has.
        scheduled: the timetable's own.
        refusals: log of commands that were refused.

    Args:
        place: what is asked for.
        match: made for it.
        context: of the server.

    Raises:
        SpecError: no such bot for a seat.
    """

    def __init__(self, place: MatchAssignment, match: ContestMatch, context: ServerContext) -> None:
        self.token = place.match_token
        self.assignment = place
        self.match = match
        self.client_tokens = tuple(
            "" if seat.bot else derive_client_token(self.token, number, seat.password_hash)
            for number, seat in enumerate(place.players)
        )
        self.authenticators = tuple(
            PlayerAuthenticator(seat.password_hash, context.checks) for seat in place.players
        )
        self.result: asyncio.Future[MatchResult] = asyncio.get_running_loop().create_future()
        self.ended = False
        self.scheduled = math.inf
        logger = context.logger.bind(match=self.token[:LOGGED_TOKEN_LENGTH])
        self.rejections = RateLimitedLog(logger, context.clock, lines=1, seconds=REJECTION_PERIOD)
        self._context = context
        self._logger = logger
        self._moves = RateLimitedLog(logger, context.clock, lines=MAX_MOVE_LINES, seconds=1.0)
        self._quiet = _NOT_LOGGED[context.log.moves]
        self._envelope = self.token.encode("ascii")
        rules = place.rules.match
        self._done = encode(GameMoveResp(resp=rules.move_reply))
        self._allowances = tuple(
            _Allowance(rules.moves_per_second) if rules.moves_per_second else None
            for _ in place.players
        )
        self._joined = [False, False]
        self._game = match.game_number
        self._finished: deque[FinishedGame] = deque()
        self._keeping: asyncio.Task[None] | None = None
        self._called_off = False
        self._incomplete = False
        self._leaves_at = math.inf
        self._last_words: list[bytes] = []
        self._players: list[BuiltinContestPlayer] = []
        for number, seat in enumerate(place.players):
            if seat.bot:
                self._players.append(self._house_player(1 if number else 0))

    def start(self) -> None:
        """Begin: bots of ours take their seats."""
        for number, seat in enumerate(self.assignment.players):
            if seat.bot:
                self.join(1 if number else 0)
        self.publish_changes(self._context.clock())

    @property
    def is_storing(self) -> bool:
        """Whether something that is finished is not kept yet."""
        return self._keeping is not None

    @property
    def is_busy(self) -> bool:
        """Whether a game is played, or something that is finished is not kept yet."""
        return self.is_storing or self.match.phase == "game"

    def find_player(self, team: str) -> PlayerIndex | None:
        """The seat of a team that connects; None for everybody else."""
        for number, seat in enumerate(self.assignment.players):
            if seat.team == team and not seat.bot:
                return 1 if number else 0
        return None

    def join(self, seat: PlayerIndex) -> None:
        """Somebody has come to a seat, again or for the first time."""
        if self._joined[seat] or self.ended:
            return
        self._joined[seat] = True
        now = self._context.clock()
        self._logger.info("team.connected", team=self.assignment.players[seat].team)
        self.match.connect(seat, now)
        if self._context.result_sink is not None and not self.assignment.players[seat].bot:
            self._context.result_sink.report_joined(self.token, seat)
        self.publish_changes(now)

    def move(self, seat: PlayerIndex, move: MoveName, number: int | str | None) -> bytes:
        """Carry out a move.

        Returns: the answer to it. Moves that are not done are answered as those that are.
        """
        context = self._context
        now = context.clock()
        if not self._joined[seat]:
            # It came with a token that it was given before the match came here.
            self.join(seat)
        allowance = self._allowances[seat]
        if allowance is not None and not allowance.take(now):
            return self._too_many_moves(seat)
        try:
            verdict = self.match.move(seat, move, number, now)
            context.metrics.moves[verdict] += 1
            if verdict not in self._quiet:
                self._tell_move(seat, move, number, verdict)
            self.publish_changes(now)
        except Exception as error:  # noqa: BLE001  # other matches must not notice
            self._break(error)
        return self._done

    def advance(self, now: float) -> None:
        """Do what is due."""
        if self.ended:
            self._linger(now)
            return
        try:
            self.match.advance(now)
            self.publish_changes(now)
            self._tell_figures()
        except Exception as error:  # noqa: BLE001  # other matches must not notice
            self._break(error)

    def set_paused(self, halted: bool) -> None:  # as on the link
        """Begin no further game, or go on beginning games."""
        self._logger.info("match.paused" if halted else "match.resumed")
        now = self._context.clock()
        self.match.set_paused(halted, now)
        self.publish_changes(now)

    def cancel(self, reason: str) -> None:
        """End it without a winner."""
        if not self.ended:
            self._called_off = True
            now = self._context.clock()
            self.match.cancel(reason, now)
            self.publish_changes(now)

    def release(self, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""
        if not self.ended:
            self._called_off = self.ended = True
            now = self._context.clock()
            self.match.cancel(reason, now)
            self.match.take_messages()
            self._incomplete = False
            self._logger.info("match.released", reason=reason)
            self.result.cancel()
            self._leave_later(now)

    def publish_changes(self, now: float) -> None:
        """Tell what has happened, and see what is next; to be called after everything."""
        match = self.match
        messages = match.take_messages()
        if match.result is not None and not self._last_words:
            # The end of the match is published after its result is stored.
            self._last_words = messages[-1:]
            del messages[-1:]
        self._publish(messages)
        if match.game_number != self._game:
            self._game = match.game_number
            self._logger.info("game.started", game=self._game)
            if self._context.result_sink is not None:
                self._context.result_sink.report_game_started(
                    self.token, self._game, match.game_name
                )
        finished = match.take_finished_games()
        if finished:
            self._finished += finished
            if self._keeping is None:
                self._keeping = asyncio.create_task(self._keep())
        if match.result is None:
            self._context.timers.schedule(self, match.next_event_at)
        elif not self.ended:
            if self._context.result_sink is None or self._called_off:
                self._end(match.result, now)
            elif self._keeping is None:
                # A match may end without a last game, if a team does not appear.
                self._keeping = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Let go of everything; the match is not played on here."""
        self.ended = True
        self._context.timers.forget(self)
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        self._moves.log_suppressed()
        self.rejections.log_suppressed()
        if not self.result.done():
            self.result.cancel()
        await self._close_players()

    # --- helpers --------------------------------------------------------------------------------

    def _publish(self, messages: list[bytes]) -> None:
        if messages:
            if not self._context.states.publish(self._envelope, messages):
                self._missed()
            # Positions before the first game are only for clients, not for built-in bots.
            if self.match.game is not None:
                for player in self._players:
                    player.handle_states(messages)

    def _house_player(self, seat: PlayerIndex) -> BuiltinContestPlayer:
        settings = self.assignment.players[seat]
        return create_builtin_player(
            settings.bot,
            settings.team,
            lambda move, number: self._house_move(seat, move, number),
            moves_per_second=self._context.builtin_moves_per_second,
            report=lambda reason: self._logger.warning(
                "builtin_player.failed", team=settings.team, reason=reason
            ),
        )

    def _house_move(self, seat: PlayerIndex, move: MoveName, number: int | None) -> None:
        if not self.ended:
            self.move(seat, move, number)

    def _tell_move(
        self, seat: PlayerIndex, move: MoveName, number: int | str | None, verdict: MoveOutcome
    ) -> None:
        duel = self.match.game
        piece = None if duel is None else duel.pieces[seat]
        self._moves.log(
            "move.received",
            verdict.value,
            team=self.assignment.players[seat].team,
            move=move,
            piece_number=number,
            current_piece=None if piece is None else piece.number,
        )

    def _too_many_moves(self, seat: PlayerIndex) -> bytes:
        limit = self.assignment.rules.match.moves_per_second
        self._context.metrics.rejected["too many moves"] += 1
        self.match.count_move(seat, "too many moves")
        team = self.assignment.players[seat].team
        self.rejections.log("command.rejected", "too many moves", team=team, limit=limit)
        return encode(
            ErrorResp(error="too many moves", message=f"this match allows {limit} moves a second")
        )

    def _tell_figures(self) -> None:
        """What the contest's messages leave out, for onlookers of ours; not after every move."""
        figures = self.match.take_statistics()
        if figures is not None:
            self._publish_figures(figures)

    def _publish_result(self) -> None:
        figures = self.match.result_statistics()
        if figures is not None:
            self._publish_figures(figures)

    def _publish_figures(self, figures: bytes) -> None:
        self._context.states.publish(_FIGURES + self._envelope, [figures])

    def _missed(self) -> None:
        if not self._incomplete:
            self._incomplete = True
            self._logger.warning("subscriber.messages_lost")

    async def _keep(self) -> None:
        """Store finished games and the result of the match, and publish each afterwards."""
        context = self._context
        try:
            while self._finished:
                game = self._finished[0]
                if context.result_sink is not None:
                    replay = await asyncio.to_thread(_replay, game)
                    await context.result_sink.store_game(self.token, game.result, replay)
                context.metrics.games += 1
                self._log_game(game)
                self._finished.popleft()
                now = context.clock()
                self.match.confirm_stored(game.result.number, now)
                self.publish_changes(now)
                self._tell_figures()
            result = self.match.result
            if result is not None and context.result_sink is not None and not self.ended:
                await context.result_sink.store_match(self.token, result)
                if not self.ended:
                    self._end(result, context.clock())
        except Exception as error:  # noqa: BLE001  # other matches must not notice
            self._break(error)
        finally:
            self._keeping = None

    def _log_game(self, game: FinishedGame) -> None:
        result = game.result
        self._logger.info(
            "game.finished",
            game=result.number,
            winner=self.assignment.players[result.winner].team,
            ending=result.ending,
            scores=list(result.scores),
            seconds=round(result.seconds, 1),
            moves={
                seat.team: fates
                for seat, fates in zip(self.assignment.players, result.move_counts, strict=True)
            },
        )

    def _end(self, result: MatchResult, now: float) -> None:
        """The match is over; it is answered for some time more."""
        # Published before MatchEnd, because clients leave at MatchEnd.
        self._publish_result()
        self._publish(self._last_words)
        self.ended = True
        context = self._context
        context.metrics.matches += 1
        winner = None if result.winner is None else self.assignment.players[result.winner].team
        self._logger.info(
            "match.finished", winner=winner, ending=result.ending, games=list(result.games)
        )
        if not self.result.done():
            self.result.set_result(result)
        self._leave_later(now)

    def _leave_later(self, now: float) -> None:
        self._leaves_at = now + self.assignment.rules.match.linger_seconds
        self._schedule_lingering(now)

    def _linger(self, now: float) -> None:
        if now >= self._leaves_at:
            self._context.on_removed(self)
            return
        if self._incomplete:
            # For clients that were too far behind to receive it; all others have left.
            self._publish_result()
            self._context.states.publish(self._envelope, self._last_words)
        self._schedule_lingering(now)

    def _schedule_lingering(self, now: float) -> None:
        due = min(self._leaves_at, now + _REPEAT_END) if self._incomplete else self._leaves_at
        self._context.timers.schedule(self, due)

    def _break(self, error: Exception) -> None:
        """A fault of ours: this match is given up, others do not notice."""
        if self.ended:
            return
        self.ended = True
        context = self._context
        context.metrics.failures += 1
        self._logger.error("match.failed", exc_info=error)
        reason = f"a fault of the server's: {type(error).__name__}"
        if context.result_sink is not None:
            context.result_sink.report_lost(self.token, reason)
        else:
            # It goes on nowhere.
            end = MatchEnd(match_name=self.assignment.match_name, match_token=self.token)
            context.states.publish(self._envelope, [encode(end)])
            self.result.set_result(
                MatchResult(winner=None, ending="called off", games=(0, 0), points=(0, 0))
            )
        self._leaves_at = context.clock()
        context.timers.schedule(self, self._leaves_at)

    async def _close_players(self) -> None:
        players, self._players = self._players, []
        for player in players:
            await player.close()


_FIGURES: Final = STATISTICS_TOPIC.encode()

_NOT_LOGGED: Final[dict[str, frozenset[MoveOutcome]]] = {
    "all": frozenset(),
    "rejected": frozenset({MoveOutcome.DONE}),
    "none": frozenset(MoveOutcome),
}


def _replay(game: FinishedGame) -> bytes:
    return game.replay


class _Allowance:
    """So many a second, and no more at once."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._left = float(rate)
        self._at = 0.0

    def take(self, now: float) -> bool:
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class ResultSink(Protocol):
    """Keeps what must survive the server, and tells others what happens on it."""

    @property
    def problem(self) -> str:
        """Why nothing can be kept or placed right now; empty when all is well."""
        ...

    async def start(self, host: SchedulerCommands) -> None:
        """Begin, once the server can be reached."""

    async def stop(self) -> None:
        """End, when nothing more is to come: what is unfinished goes on elsewhere."""

    async def store_game(self, token: str, result: ContestGameResult, replay: bytes) -> None:
        """Keep a finished game; it is safe when this returns, and clients may hear of it."""

    async def store_match(self, token: str, result: MatchResult) -> None:
        """Store the result of a match; when this returns, it is safe and may be published.

        All its games are stored already. Not called for matches that were called off.
        """

    def report_joined(self, token: str, seat: int) -> None:
        """A team has connected for the first time."""

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        """The first state message of a game is out."""

    def report_lost(self, token: str, reason: str) -> None:
        """A match broke by a fault of the server's: it is to go on elsewhere."""


class SchedulerCommands(Protocol):
    """What a keeper may ask of its game server."""

    def create_hello(self) -> ServerHello:
        """Who the server is, where it is reached, and which matches it plays."""
        ...

    def create_heartbeat(self) -> Heartbeat:
        """How much it does."""
        ...

    def accept_match(self, place: MatchAssignment) -> None:
        """Take a match.

        Raises:
            MatchRejectedError: it does not; the words say why.
        """

    def cancel_match(self, token: str, reason: str) -> None:
        """End a match without a winner; nothing where there is no such match."""

    def release_match(self, token: str, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""

    def pause_match(self, token: str, halted: bool) -> None:  # as on the wire
        """Begin no further game of a match, or go on beginning games."""

    def dismiss(self, reason: str) -> None:
        """End: the scheduler wants this server no more."""


_ROUND: Final = 16
"""Those that are due, in a row; then commands have their turn."""


class Scheduled(Protocol):
    """Something with a next time.

    Attributes:
        scheduled: for when it is in the timetable; infinite for not at all. The timetable's own.
    """

    scheduled: float

    def advance(self, now: float) -> None:
        """Its time has come; it says when the next one is by `MatchTimers.schedule`."""


class MatchTimers:
    """Wakes what is scheduled, as soon as its time has come and others had their turn.

    Args:
        clock: monotonic seconds, those of the event loop.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Scheduled]] = []
        self._order = itertools.count()
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._armed_for = math.inf

    def schedule(self, what: Scheduled, due: float | None) -> None:
        """Wake it at this time at the latest.

        It may be woken earlier, by a time that was told before: that costs less than to take times
        back, as every move would.
        """
        if due is None or due >= what.scheduled:
            return
        what.scheduled = due
        heapq.heappush(self._heap, (due, next(self._order), what))
        if due < self._armed_for:
            self._arm(due)

    def forget(self, what: Scheduled) -> None:
        """Wake it no more, and hold it no longer."""
        # In place: this may be called by what is being woken.
        self._heap[:] = [entry for entry in self._heap if entry[2] is not what]
        heapq.heapify(self._heap)
        what.scheduled = math.inf

    def close(self) -> None:
        """Wake nothing any more."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- helpers --------------------------------------------------------------------------------

    def _arm(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = due
        loop = asyncio.get_running_loop()
        late = due <= self._clock()
        self._timer = loop.call_soon(self._wake_due) if late else loop.call_at(due, self._wake_due)

    def _wake_due(self) -> None:
        self._timer = None
        # Nothing is armed while things are woken: it is seen afterwards what is first.
        self._armed_for = -math.inf
        heap = self._heap
        now = self._clock()
        woken = 0
        while heap and heap[0][0] <= now and woken < _ROUND:
            due, _, what = heapq.heappop(heap)
            if due == what.scheduled:
                what.scheduled = math.inf
                what.advance(now)
                woken += 1
        self._armed_for = math.inf
        if heap:
            self._arm(heap[0][0])
