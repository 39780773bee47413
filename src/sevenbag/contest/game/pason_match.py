"""A match of two teams: games, pauses, time limits and the winner, without clock and socket.

Methods that depend on the time take ``now``, seconds of a monotonic clock of the caller.
`ContestMatch.next_event_at` is the time of the next event. A late call handles all events that are
due, and its work is bounded however late it is.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sevenbag.contest.game import pason_replay as records
from sevenbag.contest.game.match_results import ContestGameResult, MatchResult, MatchScore
from sevenbag.contest.game.pason_game import MoveOutcome, PasonGame, seeded_random
from sevenbag.contest.game.state_encoder import StateEncoder, first_numbers
from sevenbag.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest import scheduler_protocol
    from sevenbag.contest.game.pason_game import PlayerIndex
    from sevenbag.contest.settings import ContestRules
    from sevenbag.protocols.pason.pason_conversion import MoveName

MAX_LATE_STEPS: Final = 10
"""Time steps that are made up for; of more, one is done, and the others never were."""

_LONGEST_NAME: Final = 200

Phase: TypeAlias = Literal["gathering", "pause", "game", "held", "over"]


class FinishedGame:
    """A game that is to be kept.

    Attributes:
        result: how it ended.
        record: the whole game.
    """

    def __init__(self, result: ContestGameResult, record: records.PasonReplay) -> None:
        self.result = result
        self.record = record

    @functools.cached_property
    def replay(self) -> bytes:
        """The record as a file; made when it is first asked for, which may take a second."""
        return records.encode_replay(self.record)


class ContestMatch:
    """A match of two seats.

    Attributes:
        token: names it for clients.
        name: for people.
        teams: names of both seats.
        rules: of its games and of itself.
        phase: waiting for both teams; before a game; in one; a game is over and not kept yet; all
            is over. A resumed match publishes a position while it waits for its teams, because a
            client may move only in response to a state message.
        due: when something happens next; None if nothing does by itself.
        duel: the present game, or the last one; None before the first.
        game_number: of that game, from 1; 0 before the first.
        game_name: as clients are told.
        games: won by both, in games that are kept.
        points: of both in those games.
        result: how it ended; None before.
        reason: why it was called off; empty if it was not.

    Args:
        token: see there; a UUID's text.
        name: see there.
        seats: the two sides.
        rules: see there.
        seed: what everything random follows from.
        wall: seconds since 1970, for timestamps alone.
        finished: games that were played before, elsewhere; the match goes on after them.
        attempt: higher than at every earlier beginning of the match, 1 at the first.

    Raises:
        InputError: both teams are called alike, or finished games are not 1, 2, 3 and so on.
    """

    def __init__(  # noqa: PLR0917  # what names it first, then how it is played
        self,
        token: str,
        name: str,
        seats: tuple[scheduler_protocol.AssignedPlayer, scheduler_protocol.AssignedPlayer],
        rules: ContestRules,
        seed: int,
        wall_clock: Callable[[], float],
        finished_games: tuple[ContestGameResult, ...] = (),
        *,
        attempt: int = 1,
    ) -> None:
        first, second = seats
        if first.team == second.team:
            raise InputError(f"both seats are {first.team!r}; teams are told apart by their names")
        if [game.number for game in finished_games] != list(range(1, len(finished_games) + 1)):
            raise InputError("finished games must be numbered 1, 2, 3 and so on")
        self.token = token
        self.name = name
        self.teams = (first.team, second.team)
        self.rules = rules
        self.phase: Phase = "gathering"
        self.next_event_at: float | None = 0.0
        self.game: PasonGame | None = None
        self.game_number = len(finished_games)
        self.game_name = finished_games[-1].game_name if finished_games else ""
        self.result: MatchResult | None = None
        self.cancel_reason = ""

        start = first_numbers(finished_games, rules.match, attempt)
        self._next_piece = start.piece
        self._text_numbers = rules.match.text_numbers
        self._seed = seed
        self._wall = wall_clock
        self._teller = StateEncoder(token, name, self.teams, wall_clock, start.sequence - 1)
        self._present = [False, False]
        self._tally = MatchScore(rules.match.games, seed)
        for game in finished_games:
            self._tally.add(game)
        match = rules.match
        self._played_before = sum(game.seconds + match.pause_seconds for game in finished_games)
        self._resumed = bool(finished_games) or attempt > 1
        self._waiting_duel: PasonGame | None = None
        self._waiting_at = math.inf

        self._now = 0.0
        self._halted = False
        self._stopped_at: float | None = None
        self._connect_by: float | None = None
        self._match_limit: float | None = None
        self._game_began = self._game_limit = self._game_wall = 0.0
        self._first_piece = self._next_piece
        self._begin_at = self._step_at = self._repeat_at = self._quiet_until = 0.0
        self._late_at = math.inf
        per_second = match.states_per_second
        self._apart = 1 / per_second if per_second else 0.0
        self._told_numbers: list[int | None] = []
        self._recorder = records.PasonReplayRecorder()
        self._finished: list[FinishedGame] = []
        self._held: ContestGameResult | None = None
        self._held_since = 0.0
        self._verdicts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._figures_changed = False

    @property
    def games(self) -> tuple[int, int]:
        """Games won by both, in games that are kept."""
        return self._tally.games

    @property
    def points(self) -> tuple[int, int]:
        """Points of both in those games."""
        return self._tally.points

    @property
    def connected(self) -> tuple[bool, bool]:
        """Who has connected."""
        return self._present[0], self._present[1]

    @property
    def paused(self) -> bool:
        """Whether it begins no further game."""
        return self._halted

    def connect(self, seat: PlayerIndex, now: float) -> None:
        """Let a team take its seat; to come again is harmless."""
        self.advance(now)
        if self._present[seat]:
            return
        self._present[seat] = True
        if self.phase == "gathering" and all(self._present):
            self._pause(self.rules.match.first_pause_seconds)
            if self._played_before:
                # The match's clock has run before.
                left = self.rules.match.match_seconds - self._played_before
                self._match_limit = self._now + max(left, 0.0)
            self._plan()

    def move(
        self, seat: PlayerIndex, move: MoveName, number: int | str | None, now: float
    ) -> MoveOutcome:
        """Do a move at once.

        Args:
            seat: whose.
            move: which.
            number: of the piece that it is meant for, as it came; None for whatever is there.
            now: the time.

        Returns: what became of it. Before the first game there is no piece; after a game, until the
            next one begins, that game is over.
        """
        self._now = max(self._now, now)
        due = self.next_event_at
        if due is not None and due <= now:
            self.advance(now)
        duel = self.game
        if duel is None:
            verdict = MoveOutcome.NO_PIECE
        elif self.phase != "game":
            verdict = MoveOutcome.GAME_OVER
        else:
            if (
                isinstance(number, str)
                and self._text_numbers
                and number.isascii()
                and number.isdecimal()
            ):
                number = int(number)
            verdict = duel.move(seat, move, number)
            if verdict is MoveOutcome.DONE:
                self._recorder.add_move(self._milliseconds(), seat, move)
                self._tell(duel)
        self._verdicts[seat][verdict] += 1
        return verdict

    def count_move(self, seat: PlayerIndex, fate: str) -> None:
        """Count a move that never came to the game, such as one of ``too many moves``."""
        self._verdicts[seat][fate] += 1

    def advance(self, now: float) -> None:
        """Do all that is due."""
        self._now = now = max(now, self._now)
        while (due := self.next_event_at) is not None and due <= now:
            self._go_on()
            self._plan()

    def confirm_stored(self, number: int, now: float) -> None:
        """A finished game is in the store: clients may hear of its end.

        To say so again is harmless.
        """
        game = self._held
        if self.phase != "held" or game is None or game.number != number:
            return
        self._now = max(now, self._now)
        self._held = None
        if self._match_limit is not None:
            # A full disk or an unavailable store does not shorten the match.
            self._match_limit += self._now - self._held_since
        self._tally.add(game)
        self._teller.add_game_end(game.scores, game.winner, game.last_sequence)
        self._figures_changed = True
        self._pause(self.rules.match.pause_seconds)
        if self._tally.is_decided:
            self._end_by_games()
        self._plan()

    def set_paused(self, halted: bool, now: float) -> None:  # the word of the link
        """Begin no further game, or go on. While no game is played, no limit draws nearer."""
        self.advance(now)
        if self.phase == "over":
            return
        self._halted = halted
        if halted:
            self._stop_clock()
        elif self._stopped_at is not None:
            stood = self._now - self._stopped_at
            self._stopped_at = None
            self._begin_at += stood
            if self._connect_by is not None:
                self._connect_by += stood
            if self._match_limit is not None:
                self._match_limit += stood
        self._plan()

    def cancel(self, reason: str, now: float) -> None:
        """End it without a winner. A game that runs is not counted; clients are told of the end."""
        self._now = max(now, self._now)
        if self.phase != "over":
            self.cancel_reason = reason
            self._end_without_winner()
            self._plan()

    def take_messages(self) -> list[bytes]:
        """What is to be published, in order, since this was last asked for."""
        return self._teller.take()

    def take_finished_games(self) -> list[FinishedGame]:
        """Games that have ended since this was last asked for.

        Clients hear of an end, and the match goes on, after `confirm_stored`.
        """
        finished, self._finished = self._finished, []
        return finished

    def take_statistics(self) -> bytes | None:
        """Return the newest `GameStatistics`, or None if they were published before."""
        if not self._figures_changed or self.game is None:
            return None
        self._figures_changed = False
        return self._teller.game_statistics(self.game, self.games, self.points)

    def result_statistics(self) -> bytes | None:
        """Encode the result as `MatchStatistics`; return None before the end."""
        return None if self.result is None else self._teller.match_statistics(self.result)

    # --- helpers: what is due -------------------------------------------------------------------

    def _plan(self) -> None:
        """Say when something happens next."""
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
        """Return the time at which the wait for teams or the next game ends; infinite if halted."""
        if self.phase == "gathering" and self._connect_by is None:
            return 0.0
        if self._halted:
            return math.inf
        if self.phase == "gathering":
            assert self._connect_by is not None
            return self._connect_by
        return min(self._begin_at, self._limit())

    def _limit(self) -> float:
        return math.inf if self._match_limit is None else self._match_limit

    def _go_on(self) -> None:
        """Do the one thing that is due first."""
        if self.phase in {"gathering", "pause"} and self._waits_until() > self._now:
            self._publish_waiting_position()
        elif self.phase == "gathering":
            if self._connect_by is None:
                self._gather()
            else:
                self._end_by_absence()
        elif self.phase == "pause":
            if self._limit() <= self._now:
                self._end_by_games()
            else:
                self._begin_game()
        elif self.phase == "game":
            duel = self.game
            assert duel is not None
            if self.next_event_at == self._game_limit:
                self._recorder.add_time_limit(self._milliseconds())
                duel.end_by_time()
                self._tell(duel)
            elif self.next_event_at == self._step_at:
                self._step(duel)
            elif self.next_event_at == self._late_at:
                self._tell(duel)
            else:
                self._repeat(duel)

    def _gather(self) -> None:
        self._connect_by = self._now + self.rules.match.connect_seconds
        if self._tally.is_decided:
            self._end_by_games()
        elif self._resumed:
            self._publish_waiting_position()

    def _publish_waiting_position(self) -> None:
        """Publish a position outside any game; a move in response shows that a team is present.

        Its pieces have their own numbers, so that clients that plan once per number plan again when
        the game begins.
        """
        self._waiting_at = self._now + self.rules.match.repeat_seconds
        duel = self._waiting_duel
        if duel is None:
            seed = seeded_random(self._seed, "waiting").getrandbits(62)
            duel = PasonGame(self.rules.game, seed, first_piece_number=self._next_piece)
            self._waiting_duel = duel
            self._next_piece = duel.next_number
            self._teller.start_game(self._name_of_game(self.game_number + 1))
        self._teller.add_boards(duel, duel.take_changes())
        self._teller.add_pieces(duel)

    def _pause(self, seconds: float) -> None:
        self.phase = "pause"
        self._begin_at = self._now + seconds
        if self._halted:
            # What began to wait now has not stood still before.
            self._stopped_at = self._now

    def _stop_clock(self) -> None:
        if self.phase in {"gathering", "pause"} and self._stopped_at is None:
            self._stopped_at = self._now

    # --- helpers: a game ------------------------------------------------------------------------

    def _begin_game(self) -> None:
        now = self._now
        if self._match_limit is None:
            self._match_limit = now + self.rules.match.match_seconds
        self.game_number += 1
        self.game_name = self._name_of_game(self.game_number)
        self._first_piece = self._next_piece
        self._waiting_at = math.inf
        duel = self.game = PasonGame(
            self.rules.game, self._game_seed(), first_piece_number=self._first_piece
        )
        self._recorder = records.PasonReplayRecorder()
        self.phase = "game"
        self._game_began = now
        self._game_wall = self._wall()
        self._game_limit = min(now + self.rules.match.game_seconds, self._match_limit)
        self._step_at = now + duel.step_ms / 1000
        self._repeat_at = now + self.rules.match.repeat_seconds
        self._teller.start_game(self.game_name)
        self._tell(duel)

    def _step(self, duel: PasonGame) -> None:
        duel.step()
        self._recorder.add_step(self._milliseconds())
        period = duel.step_ms / 1000
        self._step_at += period
        if self._step_at + MAX_LATE_STEPS * period <= self._now:
            self._step_at = self._now + period
        self._tell(duel)

    def _repeat(self, duel: PasonGame) -> None:
        """Tell everything again, for who has come late."""
        self._repeat_at = self._now + self.rules.match.repeat_seconds
        self._teller.add_boards(duel, duel.take_changes())
        self._teller.add_pieces(duel)
        self._figures_changed = True

    def _tell(self, duel: PasonGame) -> None:
        """Tell what has changed; a board before the piece that is placed on it."""
        if self._apart and self._is_too_early(duel):
            return
        if duel.boards_changed:
            self._teller.add_boards(duel, duel.take_changes())
            self._figures_changed = True
        if duel.outcome is None:
            self._teller.add_pieces(duel)
        else:
            self._finish_game(duel)

    def _is_too_early(self, duel: PasonGame) -> bool:
        """Whether this state is to be told later, with those that follow it by then."""
        numbers = [None if piece is None else piece.number for piece in duel.pieces]
        is_new = duel.boards_changed or numbers != self._told_numbers or duel.outcome is not None
        if is_new or self._now >= self._quiet_until:
            self._told_numbers = numbers
            self._quiet_until = self._now + self._apart
            self._late_at = math.inf
            return False
        if self._late_at == math.inf:
            self._late_at = self._quiet_until
            self._plan()
        return True

    def _finish_game(self, duel: PasonGame) -> None:
        outcome = duel.outcome
        assert outcome is not None
        self._next_piece = duel.next_number
        first, second = self._verdicts
        result = self._held = ContestGameResult(
            number=self.game_number,
            game_name=self.game_name,
            winner=outcome.winner,
            ending=outcome.ending,
            scores=(duel.scores[0], duel.scores[1]),
            lines=(duel.lines[0], duel.lines[1]),
            pieces=(duel.locked_pieces[0], duel.locked_pieces[1]),
            level=duel.level,
            seconds=self._milliseconds() / 1000,
            move_counts=(_plain(first), _plain(second)),
            last_sequence=self._teller.reserve_sequence(),
            last_piece_number=duel.next_number - 1,
        )
        first.clear()
        second.clear()
        header = records.PasonReplayHeader(
            rules=self.rules.game,
            seed=self._game_seed(),
            first_number=self._first_piece,
            teams=self.teams,
            match_name=self.name,
            game_name=self.game_name,
            number=self.game_number,
            began=self._game_wall,
        )
        record = self._recorder.finish(header, duel, self._milliseconds())
        self._finished.append(FinishedGame(result, record))
        self.phase = "held"
        self._held_since = self._now
        self._plan()

    def _milliseconds(self) -> int:
        """Since the game began; not past its limit, however late that was seen."""
        return int((min(self._now, self._game_limit) - self._game_began) * 1000)

    def _name_of_game(self, number: int) -> str:
        name = self.rules.match.game_name
        name = name.replace("{number}", str(number)).replace("{match}", self.name)
        return name[:_LONGEST_NAME]

    def _game_seed(self) -> int:
        return seeded_random(self._seed, f"game {self.game_number}").getrandbits(62)

    # --- helpers: the end -----------------------------------------------------------------------

    def _end_by_games(self) -> None:
        self._end(self._tally.result())

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
                MatchResult(
                    winner=winner,
                    ending="the other team did not come",
                    games=self.games,
                    points=self.points,
                )
            )

    def _end_without_winner(self) -> None:
        self._end(
            MatchResult(winner=None, ending="called off", games=self.games, points=self.points)
        )

    def _end(self, result: MatchResult) -> None:
        self.phase = "over"
        self.result = result
        self._teller.add_match_end()


def _plain(verdicts: Counter[str]) -> dict[str, int]:
    """With texts for keys, not words of an enumeration."""
    return {str(fate): count for fate, count in verdicts.items()}
