"""Match on a game server, its timers, and the interface to the scheduler client."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.game.pason_game import PLAYERS, MoveOutcome, PlayerIndex
from sevenbag.contest.game.pason_match import ContestMatch, FinishedGame
from sevenbag.contest.game.pason_replay import encode_replay
from sevenbag.contest.game.state_messages import STATISTICS_TOPIC, StatisticsMessage
from sevenbag.contest.passwords import PasswordVerifier
from sevenbag.contest.scheduler_protocol import Heartbeat, MatchAssignment, ServerHello
from sevenbag.contest.server.authentication import (
    LOGGED_TOKEN_LENGTH,
    PlayerAuthenticator,
    derive_client_token,
)
from sevenbag.contest.server.builtin_players import BuiltinContestPlayer, create_builtin_player
from sevenbag.contest.server.monitoring import ServerMetrics
from sevenbag.contest.server.zmq_channels import StateChannel
from sevenbag.contest.settings import LogSettings
from sevenbag.contest.telemetry import MAX_MOVE_LINES, REJECTION_PERIOD, RateLimitedLog
from sevenbag.protocols.pason.messages import ErrorResp, GameMoveResp, MatchEnd, State, encode
from sevenbag.protocols.pason.pason_conversion import MoveName

_REPEAT_END: Final = 5.0
"""Seconds between repetitions of the end of a match that a slow subscriber may have missed."""


@dataclass(frozen=True)
class ServerContext:
    """Objects that all matches of a server share.

    Attributes:
        clock: monotonic seconds of the event loop.
        result_sink: receiver of results and events; None for a server without a scheduler.
        builtin_moves_per_second: maximum rate of moves of built-in players.
        on_removed: callback that removes a match.
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
    """Match on a game server, from its assignment until the end of its linger time.

    Attributes:
        client_tokens: client tokens of both players; empty for a built-in player.
        authenticators: password checks of both players.
        ended: True once the match has ended.
        scheduled: time of its timer, maintained by `MatchTimers`.
        rejections: log of rejected commands.

    Raises:
        SpecError: the specification of a built-in player is invalid.
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
        self._storing: asyncio.Task[None] | None = None
        self._cancelled = False
        self._incomplete = False
        self._leaves_at = math.inf
        self._end_messages: list[State] = []
        self._players = [
            self._create_builtin_player(player) for player in PLAYERS if place.players[player].bot
        ]

    def start(self) -> None:
        """Start the match: built-in players connect."""
        for player in PLAYERS:
            if self.assignment.players[player].bot:
                self.join(player)
        self.publish_changes(self._context.clock())

    @property
    def is_storing(self) -> bool:
        """Return whether a finished game or match is not stored."""
        return self._storing is not None

    @property
    def is_busy(self) -> bool:
        """Return whether a game is played or not stored."""
        return self.is_storing or self.match.phase == "game"

    def find_player(self, team: str) -> PlayerIndex | None:
        """Return the player of a team that may connect; None for other teams."""
        for player in PLAYERS:
            settings = self.assignment.players[player]
            if settings.team == team and not settings.bot:
                return player
        return None

    def join(self, seat: PlayerIndex) -> None:
        """Connect a player; ignore repeated connections."""
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
        """Execute a move.

        Returns:
            Encoded answer, which is the same for executed and rejected moves.
        """
        context = self._context
        now = context.clock()
        if not self._joined[seat]:
            # The client has a token from before the match moved here.
            self.join(seat)
        allowance = self._allowances[seat]
        if allowance is not None and not allowance.take(now):
            return self._reject_move(seat)
        try:
            outcome = self.match.move(seat, move, number, now)
            context.metrics.moves[outcome] += 1
            if outcome not in self._quiet:
                self._log_move(seat, move, number, outcome)
            self.publish_changes(now)
        except Exception as error:  # noqa: BLE001  # other matches continue
            self._abort(error)
        return self._done

    def advance(self, now: float) -> None:
        """Process events that are due."""
        if self.ended:
            self._continue_lingering(now)
            return
        try:
            self.match.advance(now)
            self.publish_changes(now)
            self._publish_statistics(self.match.take_statistics())
        except Exception as error:  # noqa: BLE001  # other matches continue
            self._abort(error)

    def set_paused(self, paused: bool) -> None:
        """Pause the match before its next game, or resume it."""
        self._logger.info("match.paused" if paused else "match.resumed")
        now = self._context.clock()
        self.match.set_paused(paused, now)
        self.publish_changes(now)

    def cancel(self, reason: str) -> None:
        """End the match without a winner."""
        if not self.ended:
            self._cancelled = True
            now = self._context.clock()
            self.match.cancel(reason, now)
            self.publish_changes(now)

    def release(self, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""
        if not self.ended:
            self._cancelled = self.ended = True
            now = self._context.clock()
            self.match.cancel(reason, now)
            self.match.take_messages()
            self._incomplete = False
            self._logger.info("match.released", reason=reason)
            self.result.cancel()
            self._linger(now)

    def publish_changes(self, now: float) -> None:
        """Publish changes and schedule the next event; required after each change."""
        match = self.match
        messages = match.take_messages()
        if match.result is not None and not self._end_messages:
            # The end of the match is published after its result is stored.
            self._end_messages = messages[-1:]
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
            if self._storing is None:
                self._storing = asyncio.create_task(self._store_results())
        if match.result is None:
            self._context.timers.schedule(self, match.next_event_at)
        elif not self.ended:
            if self._context.result_sink is None or self._cancelled:
                self._end(match.result, now)
            elif self._storing is None:
                # A match may end without a last game, if a team does not appear.
                self._storing = asyncio.create_task(self._store_results())

    async def close(self) -> None:
        """Release all resources; the match is not continued here."""
        self.ended = True
        self._context.timers.forget(self)
        if self._storing is not None:
            self._storing.cancel()
            await asyncio.gather(self._storing, return_exceptions=True)
        self._moves.log_suppressed()
        self.rejections.log_suppressed()
        if not self.result.done():
            self.result.cancel()
        players, self._players = self._players, []
        for player in players:
            await player.close()

    def _publish(self, messages: list[State]) -> None:
        if messages:
            is_complete = self._context.states.publish(self._envelope, map(encode, messages))
            if not (is_complete or self._incomplete):
                self._incomplete = True
                self._logger.warning("subscriber.messages_lost")
            # Positions before the first game are only for clients, not for built-in players.
            if self.match.game is not None:
                for player in self._players:
                    player.handle_states(messages)

    def _create_builtin_player(self, seat: PlayerIndex) -> BuiltinContestPlayer:
        settings = self.assignment.players[seat]
        return create_builtin_player(
            settings.bot,
            settings.team,
            lambda move, number: None if self.ended else self.move(seat, move, number),
            moves_per_second=self._context.builtin_moves_per_second,
            report=lambda reason: self._logger.warning(
                "builtin_player.failed", team=settings.team, reason=reason
            ),
        )

    def _log_move(
        self, seat: PlayerIndex, move: MoveName, number: int | str | None, outcome: MoveOutcome
    ) -> None:
        game = self.match.game
        piece = None if game is None else game.pieces[seat]
        self._moves.log(
            "move.received",
            outcome.value,
            team=self.assignment.players[seat].team,
            move=move,
            piece_number=number,
            current_piece=None if piece is None else piece.number,
        )

    def _reject_move(self, seat: PlayerIndex) -> bytes:
        limit = self.assignment.rules.match.moves_per_second
        self._context.metrics.rejected["too many moves"] += 1
        self.match.count_move(seat, "too many moves")
        team = self.assignment.players[seat].team
        self.rejections.log("command.rejected", "too many moves", team=team, limit=limit)
        return encode(
            ErrorResp(error="too many moves", message=f"this match allows {limit} moves per second")
        )

    def _publish_statistics(self, statistics: StatisticsMessage | None) -> None:
        if statistics is not None:
            topic = STATISTICS_TOPIC.encode() + self._envelope
            self._context.states.publish(topic, [encode(statistics)])

    async def _store_results(self) -> None:
        """Store finished games and the result of the match, and publish each afterwards."""
        context = self._context
        try:
            while self._finished:
                game = self._finished[0]
                if context.result_sink is not None:
                    replay = await asyncio.to_thread(encode_replay, game.replay)
                    await context.result_sink.store_game(self.token, game.result, replay)
                context.metrics.games += 1
                self._log_game(game)
                self._finished.popleft()
                now = context.clock()
                self.match.confirm_stored(game.result.number, now)
                self.publish_changes(now)
                self._publish_statistics(self.match.take_statistics())
            result = self.match.result
            if result is not None and context.result_sink is not None and not self.ended:
                await context.result_sink.store_match(self.token, result)
                if not self.ended:
                    self._end(result, context.clock())
        except Exception as error:  # noqa: BLE001  # other matches continue
            self._abort(error)
        finally:
            self._storing = None

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
        """End the match and let it linger."""
        # Published before MatchEnd, because clients leave at MatchEnd.
        self._publish_statistics(self.match.result_statistics())
        self._publish(self._end_messages)
        self.ended = True
        context = self._context
        context.metrics.matches += 1
        winner = None if result.winner is None else self.assignment.players[result.winner].team
        self._logger.info(
            "match.finished", winner=winner, ending=result.ending, games=list(result.games)
        )
        if not self.result.done():
            self.result.set_result(result)
        self._linger(now)

    def _linger(self, now: float) -> None:
        self._leaves_at = now + self.assignment.rules.match.linger_seconds
        self._schedule_lingering(now)

    def _continue_lingering(self, now: float) -> None:
        if now >= self._leaves_at:
            self._context.on_removed(self)
            return
        if self._incomplete:
            # For slow clients that lost the first one.
            self._publish_statistics(self.match.result_statistics())
            self._context.states.publish(self._envelope, map(encode, self._end_messages))
        self._schedule_lingering(now)

    def _schedule_lingering(self, now: float) -> None:
        due = min(self._leaves_at, now + _REPEAT_END) if self._incomplete else self._leaves_at
        self._context.timers.schedule(self, due)

    def _abort(self, error: Exception) -> None:
        """Abort this match after an internal error; other matches continue."""
        if self.ended:
            return
        self.ended = True
        context = self._context
        context.metrics.failures += 1
        self._logger.error("match.failed", exc_info=error)
        reason = f"internal error: {type(error).__name__}"
        if context.result_sink is not None:
            context.result_sink.report_lost(self.token, reason)
        else:
            # Without a scheduler the match continues nowhere.
            end = MatchEnd(match_name=self.assignment.match_name, match_token=self.token)
            context.states.publish(self._envelope, [encode(end)])
            self.result.set_result(
                MatchResult(winner=None, ending="called off", games=(0, 0), points=(0, 0))
            )
        self._leaves_at = context.clock()
        self._context.timers.schedule(self, self._leaves_at)


_NOT_LOGGED: Final[dict[str, frozenset[MoveOutcome]]] = {
    "all": frozenset(),
    "rejected": frozenset({MoveOutcome.DONE}),
    "none": frozenset(MoveOutcome),
}


class _Allowance:
    """Token bucket that allows a rate per second."""

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
    """Receiver of results that must survive the server, and of events."""

    @property
    def problem(self) -> str:
        """Reason why results cannot be stored or matches assigned; empty if there is none."""
        ...

    async def start(self, host: SchedulerCommands) -> None:
        """Start once the server is listening."""

    async def stop(self) -> None:
        """Stop; unfinished matches continue on other servers."""

    async def store_game(self, token: str, result: ContestGameResult, replay: bytes) -> None:
        """Store a finished game; when this returns, it is safe and may be published."""

    async def store_match(self, token: str, result: MatchResult) -> None:
        """Store the result of a match; when this returns, it is safe and may be published.

        All its games are stored already. Not called for cancelled matches.
        """

    def report_joined(self, token: str, seat: PlayerIndex) -> None:
        """Report the first connection of a team."""

    def report_game_started(self, token: str, number: int, game_name: str) -> None:
        """Report the first state message of a game."""

    def report_lost(self, token: str, reason: str) -> None:
        """Report a match that was aborted by an internal error."""


class SchedulerCommands(Protocol):
    """Commands of a scheduler to its game server."""

    def create_hello(self) -> ServerHello:
        """Return the name, the addresses and the matches of the server."""
        ...

    def create_heartbeat(self) -> Heartbeat:
        """Return the current load."""
        ...

    def accept_match(self, place: MatchAssignment) -> None:
        """Host a match.

        Raises:
            MatchRejectedError: the server does not accept the match.
        """

    def cancel_match(self, token: str, reason: str) -> None:
        """End a match without a winner; ignore unknown matches."""

    def release_match(self, token: str, reason: str) -> None:
        """Stop a match that continues elsewhere, without publishing an end."""

    def pause_match(self, token: str, paused: bool) -> None:
        """Pause a match before its next game, or resume it."""

    def dismiss(self, reason: str) -> None:
        """Stop: the scheduler rejects this server."""


_ROUND: Final = 16
"""Timers processed before commands run."""


class Scheduled(Protocol):
    """Object with a timer.

    Attributes:
        scheduled: time of the timer; infinite for none. Maintained by `MatchTimers`.
    """

    scheduled: float

    def advance(self, now: float) -> None:
        """Process events that are due and call `MatchTimers.schedule` for the next one."""


class MatchTimers:
    """Timers of all matches, run in groups so that commands run in between.

    Args:
        clock: monotonic seconds of the event loop.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Scheduled]] = []
        self._order = itertools.count()
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._armed_for = math.inf

    def schedule(self, what: Scheduled, due: float | None) -> None:
        """Call `advance` at `due` at the latest.

        An earlier time that was scheduled before still applies: an early call costs less
        than a cancellation after every move.
        """
        if due is None or due >= what.scheduled:
            return
        what.scheduled = due
        heapq.heappush(self._heap, (due, next(self._order), what))
        if due < self._armed_for:
            self._arm(due)

    def forget(self, what: Scheduled) -> None:
        """Remove the timer of an object."""
        # In place, because `advance` may call this.
        self._heap[:] = [entry for entry in self._heap if entry[2] is not what]
        heapq.heapify(self._heap)
        what.scheduled = math.inf

    def close(self) -> None:
        """Cancel all timers."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = due
        loop = asyncio.get_running_loop()
        late = due <= self._clock()
        self._timer = loop.call_soon(self._run_due) if late else loop.call_at(due, self._run_due)

    def _run_due(self) -> None:
        self._timer = None
        # `schedule` must not arm the timer meanwhile; that follows below.
        self._armed_for = -math.inf
        heap = self._heap
        now = self._clock()
        count = 0
        while heap and heap[0][0] <= now and count < _ROUND:
            due, _, what = heapq.heappop(heap)
            if due == what.scheduled:
                what.scheduled = math.inf
                what.advance(now)
                count += 1
        self._armed_for = math.inf
        if heap:
            self._arm(heap[0][0])
