"""A match of two teams: games, pauses, time limits and the winner, without clock and socket.

Methods that depend on the time take ``now``, seconds of a monotonic clock of the caller.
`ContestMatch.next_event_at` is the time of the next event. A late call handles all events that are
due, and its work is bounded however late it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.game.match_results import WALKOVER, ContestGameResult, MatchResult, sum_score
from sevenbag.contest.game.pason_game import MoveOutcome, PasonGame, PlayerIndex, seeded_random
from sevenbag.contest.game.pason_replay import PasonReplay, PasonReplayHeader, PasonReplayRecorder
from sevenbag.contest.game.state_messages import (
    GameStatistics,
    MatchStatistics,
    StateBuilder,
    get_first_numbers,
)
from sevenbag.contest.settings import ContestRules
from sevenbag.errors import InputError
from sevenbag.protocols.pason.messages import State
from sevenbag.protocols.pason.pason_conversion import MoveName

MAX_LATE_STEPS: Final = 10
"""Late time steps that are caught up; if more are late, one is done and the others are skipped."""

_MAX_NAME_LENGTH: Final = 200

Phase: TypeAlias = Literal["gathering", "pause", "game", "held", "over"]


class FinishedGame(NamedTuple):
    """A finished game to be stored."""

    result: ContestGameResult
    replay: PasonReplay


class ContestMatch:
    """A match of two teams.

    Attributes:
        phase: waiting for both teams; before a game; in a game; waiting until a finished game is
            stored; over. A resumed match publishes a position while it waits for its teams,
            because a client may move only in response to a state message.
        next_event_at: time of the next event, if any.
        game: current or last game; None before the first.
        game_number: number of that game, from 1; 0 before the first.
        cancel_reason: reason for which it was called off; empty if it was not.

    Args:
        seed: seed of all games and coin flips.
        wall_clock: returns seconds since 1970, for timestamps.
        finished_games: games that were played before a restart.
        attempt: number of the start of the match, from 1; higher than at all earlier starts.

    Raises:
        InputError: both teams have the same name, or the finished games are not 1, 2, 3 and so on.
    """

    def __init__(  # noqa: PLR0917  # one call site
        self,
        token: str,
        name: str,
        players: tuple[scheduler_protocol.AssignedPlayer, scheduler_protocol.AssignedPlayer],
        rules: ContestRules,
        seed: int,
        wall_clock: Callable[[], float],
        finished_games: tuple[ContestGameResult, ...] = (),
        *,
        attempt: int = 1,
    ) -> None:
        first, second = players
        if first.team == second.team:
            raise InputError(f"invalid teams: expected two names, got {first.team!r} twice")
        if [game.number for game in finished_games] != list(range(1, len(finished_games) + 1)):
            raise InputError("invalid finished games: expected the numbers 1, 2, 3 and so on")
        self._name = name
        self.teams = (first.team, second.team)
        self.rules = rules
        self.phase: Phase = "gathering"
        self.next_event_at: float | None = 0.0
        self.game: PasonGame | None = None
        self.game_number = len(finished_games)
        self.game_name = finished_games[-1].game_name if finished_games else ""
        self.connected = [False, False]
        self.paused = False
        self.result: MatchResult | None = None
        self.cancel_reason = ""

        start = get_first_numbers(finished_games, rules.match, attempt)
        self._next_piece = start.piece
        self._text_numbers = rules.match.text_numbers
        self._seed = seed
        self._wall = wall_clock
        self._messages = StateBuilder(token, name, self.teams, wall_clock, start.sequence - 1)
        self._stored_games = list(finished_games)
        self._score = sum_score(finished_games)
        match = rules.match
        self._played_before = sum(game.seconds + match.pause_seconds for game in finished_games)
        self._resumed = bool(finished_games) or attempt > 1
        self._waiting_game: PasonGame | None = None
        self._waiting_at = math.inf

        self._now = 0.0
        self._stopped_at: float | None = None
        self._connect_by: float | None = None
        self._match_limit = math.inf
        self._game_began = self._game_limit = self._game_wall = 0.0
        self._first_piece = self._next_piece
        self._begin_at = self._step_at = self._repeat_at = self._quiet_until = 0.0
        self._late_at = math.inf
        per_second = match.states_per_second
        self._min_interval = 1 / per_second if per_second else 0.0
        self._published_numbers: list[int | None] = []
        self._recorder = PasonReplayRecorder()
        self._finished: list[FinishedGame] = []
        self._held: ContestGameResult | None = None
        self._held_since = 0.0
        self._move_counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._statistics_changed = False

    @property
    def games(self) -> tuple[int, int]:
        """Number of stored games won by each team."""
        return self._score.games

    @property
    def points(self) -> tuple[int, int]:
        """Points of each team in stored games."""
        return self._score.points

    def connect(self, player: PlayerIndex, now: float) -> None:
        """Mark a team as connected; repeated calls have no effect."""
        self.advance(now)
        if self.connected[player]:
            return
        self.connected[player] = True
        if self.phase == "gathering" and all(self.connected):
            self._pause(self.rules.match.first_pause_seconds)
            if self._played_before:
                # Games before the restart count for the time limit.
                left = self.rules.match.match_seconds - self._played_before
                self._match_limit = self._now + max(left, 0.0)
            self._plan()

    def move(
        self, player: PlayerIndex, move: MoveName, number: int | str | None, now: float
    ) -> MoveOutcome:
        """Do a move.

        Args:
            player: index of the player.
            move: name of the move.
            number: number of the piece that the move is meant for, as the client sent it; None for
                the current piece.
            now: current time.

        Returns:
            The outcome: ``NO_PIECE`` before the first game, ``GAME_OVER`` between games.
        """
        self._now = max(self._now, now)
        due = self.next_event_at
        if due is not None and due <= now:
            self.advance(now)
        game = self.game
        if game is None:
            outcome = MoveOutcome.NO_PIECE
        elif self.phase != "game":
            outcome = MoveOutcome.GAME_OVER
        else:
            if (
                isinstance(number, str)
                and self._text_numbers
                and number.isascii()
                and number.isdecimal()
            ):
                number = int(number)
            outcome = game.move(player, move, number)
            if outcome is MoveOutcome.DONE:
                self._recorder.add_move(self._milliseconds(), player, move)
                self._publish(game)
        self._move_counts[player][outcome] += 1
        return outcome

    def count_move(self, player: PlayerIndex, outcome: str) -> None:
        """Count a move that was rejected before the game, such as ``too many moves``."""
        self._move_counts[player][outcome] += 1

    def advance(self, now: float) -> None:
        """Handle all events that are due."""
        self._now = now = max(now, self._now)
        while (due := self.next_event_at) is not None and due <= now:
            self._handle_event()
            self._plan()

    def confirm_stored(self, number: int, now: float) -> None:
        """Continue after a finished game was stored; clients now receive its end.

        Repeated calls have no effect.
        """
        game = self._held
        if self.phase != "held" or game is None or game.number != number:
            return
        self._now = max(now, self._now)
        self._held = None
        # A full disk or an unavailable store does not shorten the match.
        self._match_limit += self._now - self._held_since
        self._stored_games.append(game)
        self._score = sum_score(self._stored_games)
        self._messages.add_game_end(game.scores, game.winner, game.last_sequence)
        self._statistics_changed = True
        self._pause(self.rules.match.pause_seconds)
        if self._is_decided():
            self._end_by_games()
        self._plan()

    def set_paused(self, paused: bool, now: float) -> None:
        """Start no further game, or continue. Time limits stand still between games meanwhile."""
        self.advance(now)
        if self.phase == "over":
            return
        self.paused = paused
        if paused:
            if self._stopped_at is None and self.phase in {"gathering", "pause"}:
                self._stopped_at = self._now
        elif self._stopped_at is not None:
            duration = self._now - self._stopped_at
            self._stopped_at = None
            self._begin_at += duration
            if self._connect_by is not None:
                self._connect_by += duration
            self._match_limit += duration
        self._plan()

    def cancel(self, reason: str, now: float) -> None:
        """End the match without a winner; a running game does not count."""
        self._now = max(now, self._now)
        if self.phase != "over":
            self.cancel_reason = reason
            self._end_without_winner()
            self._plan()

    def take_messages(self) -> list[State]:
        """Return and remove the messages to publish, in order."""
        return self._messages.take()

    def take_finished_games(self) -> list[FinishedGame]:
        """Return and remove the games that have ended.

        Clients receive an end, and the match continues, after `confirm_stored`.
        """
        finished, self._finished = self._finished, []
        return finished

    def take_statistics(self) -> GameStatistics | None:
        """Return the newest `GameStatistics`, or None if they were published before."""
        if not self._statistics_changed or self.game is None:
            return None
        self._statistics_changed = False
        return self._messages.game_statistics(self.game, self.games, self.points)

    def result_statistics(self) -> MatchStatistics | None:
        """Encode the result as `MatchStatistics`; return None before the end."""
        return None if self.result is None else self._messages.match_statistics(self.result)

    def _plan(self) -> None:
        """Set the time of the next event."""
        match self.phase:
            case "gathering" | "pause":
                due = min(self._waits_until(), self._waiting_at)
                self.next_event_at = None if due == math.inf else due
            case "game":
                self.next_event_at = min(
                    self._step_at, self._repeat_at, self._game_limit, self._late_at
                )
            case "held" | "over":
                self.next_event_at = None

    def _waits_until(self) -> float:
        """Return the time at which the wait for teams or the next game ends; infinite if paused."""
        if self.phase == "gathering" and self._connect_by is None:
            return 0.0
        if self.paused:
            return math.inf
        if self.phase == "gathering":
            assert self._connect_by is not None
            return self._connect_by
        return min(self._begin_at, self._match_limit)

    def _handle_event(self) -> None:
        """Handle the first event that is due."""
        if self.phase in {"gathering", "pause"} and self._waits_until() > self._now:
            self._publish_waiting_position()
        elif self.phase == "gathering":
            if self._connect_by is None:
                self._gather()
            else:
                self._end_by_absence()
        elif self.phase == "pause":
            if self._match_limit <= self._now:
                self._end_by_games()
            else:
                self._begin_game()
        elif self.phase == "game":
            game = self.game
            assert game is not None
            if self.next_event_at == self._game_limit:
                self._recorder.add_time_limit(self._milliseconds())
                game.end_by_time()
                self._publish(game)
            elif self.next_event_at == self._step_at:
                self._step(game)
            elif self.next_event_at == self._late_at:
                self._publish(game)
            else:
                self._repeat(game)

    def _gather(self) -> None:
        self._connect_by = self._now + self.rules.match.connect_seconds
        if self._is_decided():
            self._end_by_games()
        elif self._resumed:
            self._publish_waiting_position()

    def _publish_waiting_position(self) -> None:
        """Publish a position outside any game; a move in response shows that a team is present.

        Its piece numbers differ from those of the game, so that clients that plan once per number
        plan again when the game begins.
        """
        self._waiting_at = self._now + self.rules.match.repeat_seconds
        game = self._waiting_game
        if game is None:
            seed = seeded_random(self._seed, "waiting").getrandbits(62)
            game = PasonGame(self.rules.game, seed, first_piece_number=self._next_piece)
            self._waiting_game = game
            self._next_piece = game.next_number
            self._messages.start_game(self._name_of_game(self.game_number + 1))
        self._messages.add_boards(game, game.take_changes())
        self._messages.add_pieces(game)

    def _pause(self, seconds: float) -> None:
        self.phase = "pause"
        self._begin_at = self._now + seconds
        if self.paused:
            self._stopped_at = self._now

    def _begin_game(self) -> None:
        now = self._now
        if self._match_limit == math.inf:
            self._match_limit = now + self.rules.match.match_seconds
        self.game_number += 1
        self.game_name = self._name_of_game(self.game_number)
        self._first_piece = self._next_piece
        self._waiting_at = math.inf
        game = self.game = PasonGame(
            self.rules.game, self._game_seed(), first_piece_number=self._first_piece
        )
        self._recorder = PasonReplayRecorder()
        self.phase = "game"
        self._game_began = now
        self._game_wall = self._wall()
        self._game_limit = min(now + self.rules.match.game_seconds, self._match_limit)
        self._step_at = now + game.step_ms / 1000
        self._repeat_at = now + self.rules.match.repeat_seconds
        self._messages.start_game(self.game_name)
        self._publish(game)

    def _step(self, game: PasonGame) -> None:
        game.step()
        self._recorder.add_step(self._milliseconds())
        period = game.step_ms / 1000
        self._step_at += period
        if self._step_at + MAX_LATE_STEPS * period <= self._now:
            self._step_at = self._now + period
        self._publish(game)

    def _repeat(self, game: PasonGame) -> None:
        """Publish the full state again, for clients that connected late."""
        self._repeat_at = self._now + self.rules.match.repeat_seconds
        self._messages.add_boards(game, game.take_changes())
        self._messages.add_pieces(game)
        self._statistics_changed = True

    def _publish(self, game: PasonGame) -> None:
        """Publish changes; a board before the piece that falls on it."""
        if self._min_interval and self._is_too_early(game):
            return
        if game.boards_changed:
            self._messages.add_boards(game, game.take_changes())
            self._statistics_changed = True
        if game.outcome is None:
            self._messages.add_pieces(game)
        else:
            self._finish_game(game)

    def _is_too_early(self, game: PasonGame) -> bool:
        """Return whether to publish this state later, merged with the states that follow."""
        numbers = [None if piece is None else piece.number for piece in game.pieces]
        is_new = (
            game.boards_changed or numbers != self._published_numbers or game.outcome is not None
        )
        if is_new or self._now >= self._quiet_until:
            self._published_numbers = numbers
            self._quiet_until = self._now + self._min_interval
            self._late_at = math.inf
            return False
        if self._late_at == math.inf:
            self._late_at = self._quiet_until
            self._plan()
        return True

    def _finish_game(self, game: PasonGame) -> None:
        outcome = game.outcome
        assert outcome is not None
        self._next_piece = game.next_number
        first, second = self._move_counts
        result = self._held = ContestGameResult(
            number=self.game_number,
            game_name=self.game_name,
            winner=outcome.winner,
            ending=outcome.ending,
            scores=(game.scores[0], game.scores[1]),
            lines=(game.lines[0], game.lines[1]),
            pieces=(game.locked_pieces[0], game.locked_pieces[1]),
            level=game.level,
            seconds=self._milliseconds() / 1000,
            move_counts=(_plain_counts(first), _plain_counts(second)),
            last_sequence=self._messages.reserve_sequence(),
            last_piece_number=game.next_number - 1,
        )
        first.clear()
        second.clear()
        header = PasonReplayHeader(
            rules=self.rules.game,
            seed=self._game_seed(),
            first_number=self._first_piece,
            teams=self.teams,
            match_name=self._name,
            game_name=self.game_name,
            number=self.game_number,
            began=self._game_wall,
        )
        record = self._recorder.finish(header, game, self._milliseconds())
        self._finished.append(FinishedGame(result, record))
        self.phase = "held"
        self._held_since = self._now
        self._plan()

    def _milliseconds(self) -> int:
        """Return the milliseconds since the start of the game, at most up to its time limit."""
        return int((min(self._now, self._game_limit) - self._game_began) * 1000)

    def _name_of_game(self, number: int) -> str:
        name = self.rules.match.game_name
        name = name.replace("{number}", str(number)).replace("{match}", self._name)
        return name[:_MAX_NAME_LENGTH]

    def _game_seed(self) -> int:
        return seeded_random(self._seed, f"game {self.game_number}").getrandbits(62)

    def _is_decided(self) -> bool:
        games = self.rules.match.games
        return self._score.has_majority(games) or len(self._stored_games) >= games

    def _end_by_games(self) -> None:
        coin = seeded_random(self._seed, "match").getrandbits(1)
        self._end(self._score.decide(self.rules.match.games, coin))

    def _end_by_absence(self) -> None:
        first, second = self.connected
        winner: PlayerIndex = 0 if first else 1
        if first == second:
            self._end_without_winner()
        elif self.games[1 - winner] > self.games[winner]:
            # Games won before a restart of the server count.
            self._end_by_games()
        else:
            self._end(
                MatchResult(winner=winner, ending=WALKOVER, games=self.games, points=self.points)
            )

    def _end_without_winner(self) -> None:
        self._end(
            MatchResult(winner=None, ending="called off", games=self.games, points=self.points)
        )

    def _end(self, result: MatchResult) -> None:
        self.phase = "over"
        self.result = result
        self._messages.add_match_end()


def _plain_counts(counts: Counter[str]) -> dict[str, int]:
    """Return a copy with plain strings as keys."""
    return {str(outcome): count for outcome, count in counts.items()}
