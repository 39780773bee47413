"""Play a replay again: step by step, back and forth, and compare it with the recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag.errors import FormatError, InputError, PlacementError
from sevenbag.formats.replay_file import Replay, ReplaySearchInfo, ReplayTurn
from sevenbag.game import LockResult, Rules, Versus
from sevenbag.game.frame_versus import GravityVersus
from sevenbag.game.game_config import FRAMES_PER_SECOND, opening_board
from sevenbag.game.game_result import (
    GameEnding,
    GameResult,
    Loss,
    LossReason,
    PlayerStats,
    decide_winner,
)
from sevenbag.replay.player_statistics import PlayerStatistics, PlayerTally

if TYPE_CHECKING:
    from sevenbag._kernel import Placement


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """Difference between the played and the recorded game.

    Attributes:
        field: name of the value in the file.
        lock: number of the lock, from 1; None if unknown.
        frame: frame of the difference; None if unknown.
        player: 0 or 1; None for the whole game.
    """

    field: str
    played: object
    recorded: object
    lock: int | None = None
    frame: int | None = None
    player: int | None = None

    def __str__(self) -> str:
        where = "" if self.lock is None else f"lock {self.lock}, "
        where += "" if self.frame is None else f"frame {self.frame}, "
        played, recorded = _format_value(self.played), _format_value(self.recorded)
        return f"{where}{self.field}: {played}, recorded is {recorded}"


@dataclass(frozen=True, slots=True)
class ReplayVerification:
    """Comparison of one player's game with its recording.

    Attributes:
        round: number of the round, from 1.
        pieces: number of pieces placed in the played game.
        differences: differences, the earliest first.
        error: reason why the game cannot be played; None if it was played.
    """

    round: int
    name: str
    pieces: int
    differences: tuple[ReplayDifference, ...] = ()
    error: str | None = None

    @property
    def matches(self) -> bool:
        """Return True if the game was played and matches the recording."""
        return not self.differences and self.error is None


class Playback:
    """Recorded game played turn by turn.

    Attributes:
        turn: number of turns played.

    Args:
        replay: replay.
        source: name of the replay in errors.

    Raises:
        FormatError: the rules or the seed are invalid.
    """

    def __init__(self, replay: Replay, source: str = "replay") -> None:
        self.replay = replay
        self._source = source
        try:
            self.rules = Rules.from_dict(replay.header.rules)
            self.game = self._new_game()
        except InputError as error:
            raise FormatError(f"{source}: line 1: {error}") from error
        self.turn = 0

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the players."""
        first, second = self.replay.header.players
        return first.name, second.name

    @property
    def at_end(self) -> bool:
        """Return True if every recorded turn was played."""
        return self.turn == len(self.replay.turns)

    def step(self) -> tuple[LockResult | None, LockResult | None]:
        """Play the next turn and return its locks; None for a player that placed nothing.

        Raises:
            FormatError: a placement is illegal, or the game was over before.
        """
        turn = self.replay.turns[self.turn]
        where = f"{self._source}: line {self.turn + 2}: "
        try:
            if self.game.over:
                raise PlacementError("the game was over before this turn")
            for player, placement in enumerate(turn.placements):
                if placement is not None:
                    self._check_placement(player, placement)
            locks = self._play(turn)
        except InputError as error:
            raise FormatError(f"{where}{error}") from error
        self.turn += 1
        return locks

    def play_to(self, turn: int) -> None:
        """Play up to a turn, or to the end of the replay."""
        while self.turn < min(turn, len(self.replay.turns)):
            self.step()

    def rewind_to(self, turn: int) -> None:
        """Go back to the state after an earlier turn."""
        self.game = self._new_game()
        self.turn = 0
        self.play_to(turn)

    def player_stats(self) -> tuple[PlayerStats, PlayerStats]:
        """Return the statistics of both players so far, with recorded thinking times."""
        times = [turn.milliseconds for turn in self.replay.turns[: self.turn] if turn.milliseconds]
        is_timed = any(turn.milliseconds is not None for turn in self.replay.turns)
        first, second = (
            PlayerStats(
                done.pieces,
                done.lines,
                done.attack,
                sum(pair[player] or 0.0 for pair in times) / 1000 if is_timed else None,
            )
            for player, done in enumerate(game.stats for game in self.game.players)
        )
        return first, second

    def verify(self) -> list[ReplayVerification]:
        """Play to the end and compare each player's game with the recording.

        Raises:
            FormatError: as `step`.
        """
        self.play_to(len(self.replay.turns))
        differences = self._compare()
        return [
            ReplayVerification(
                1,
                name,
                game.stats.pieces,
                tuple(each for each in differences if each.player in (None, player)),
            )
            for player, (name, game) in enumerate(zip(self.names, self.game.players, strict=True))
        ]

    def differences(self) -> list[str]:
        """Return the differences from the recorded game so far; empty if there are none."""
        return [
            str(each) if each.player is None else f"player {each.player + 1}: {each}"
            for each in self._compare()
        ]

    def recorded_result(self) -> GameResult:
        """Return the recorded result.

        Raises:
            FormatError: it contains an unknown reason of a loss.
        """
        outcome, header = self.replay.outcome, self.replay.header
        first, second = (
            PlayerStats(score.pieces, score.lines, score.attack) for score in outcome.score
        )
        return GameResult(
            (header.players[0].name, header.players[1].name),
            outcome.winner,
            GameEnding(outcome.ending),
            (self._recorded_loss(0), self._recorded_loss(1)),
            (first, second),
        )

    def _new_game(self) -> Versus:
        header = self.replay.header
        if header.time == "frames":
            return GravityVersus(self.rules, header.seed)
        board = None if header.opening is None else opening_board(header.opening, self.rules)
        frames = header.frames_per_turn
        return Versus(self.rules, header.seed, frames_per_turn=frames, boards=(board, board))

    def _check_placement(self, player: int, placement: Placement) -> None:
        try:
            judged = self.game.players[player].find_move(placement)
            if judged != placement:
                raise PlacementError(f"its spin is {judged.spin.name.lower()}")
        except InputError as error:
            raise PlacementError(f"player {player + 1}: {error}") from error

    def _play(self, turn: ReplayTurn) -> tuple[LockResult | None, LockResult | None]:
        first, second = turn.placements
        if self.replay.header.is_real_time:
            if turn.frame is None:
                raise PlacementError("missing frame")
            return self.game.lock_at(turn.frame, first, second)
        if first is None or second is None:
            raise PlacementError("invalid turn: expected a placement of both players")
        return self.game.play(first, second)

    def _recorded_loss(self, player: int) -> Loss | None:
        loss = self.replay.outcome.losses[player]
        if loss is None:
            return None
        try:
            return Loss(LossReason(loss.reason), loss.detail)
        except ValueError:
            raise FormatError(
                f"{self._source}: line {len(self.replay.turns) + 2}: result.falls: player"
                f" {player + 1}: invalid reason: expected one of {', '.join(LossReason)}, got"
                f" {loss.reason!r}"
            ) from None

    def _compare(self) -> list[ReplayDifference]:
        """Return the differences between the game and the recorded result."""
        outcome, header, result = self.replay.outcome, self.replay.header, self.recorded_result()
        values: list[tuple[int | None, str, object, object]] = []
        for player, game in enumerate(self.game.players):
            score, loss = outcome.score[player], result.losses[player]
            top_out = loss.reason.value if loss is not None and loss.reason.is_top_out else "none"
            values += [
                (player, "pieces", game.stats.pieces, score.pieces),
                (player, "lines", game.stats.lines, score.lines),
                (player, "attack", game.stats.attack, score.attack),
                (player, "top out", game.top_out or "none", top_out),
            ]
        first, second = (game.stats for game in self.game.players)
        adjudication = header.adjudication
        if result.ending is GameEnding.PIECES:
            values.append(
                (None, "pieces at the end", max(first.pieces, second.pieces), header.pieces)
            )
        if result.ending is GameEnding.LEAD:
            lead = abs(first.attack - second.attack)
            needed = adjudication.lead if adjudication is not None else None
            reached = needed if needed is not None and lead >= needed else lead
            values.append((None, "lead at the end", reached, needed))
        double = adjudication.double if adjudication is not None else "draw"
        winner = decide_winner(result.ending, result.losses, result.stats, double)
        values.append((None, "winner", _player_label(winner), _player_label(outcome.winner)))
        return [
            ReplayDifference(field, played, recorded, player=player)
            for player, field, played, recorded in values
            if played != recorded
        ]


def _player_label(winner: int | None) -> str:
    return "none" if winner is None else f"player {winner + 1}"


def _format_value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class PlacementStep:
    """Placement and its effects.

    Attributes:
        turn: number of the turn, from 1.
        frame: frame of the lock.
        player: 0 or 1.
        lock: effects of the placement.
        before: board before it: rows from the bottom, one letter per cell.
        boards: both boards after the turn; under some rules an attack changes the opponent's at
            once.
        milliseconds: duration of the bot's answer; None if not recorded.
        info: search statistics of the bot; None if not recorded.
    """

    turn: int
    frame: int
    player: int
    placement: Placement
    lock: LockResult
    before: tuple[str, ...]
    boards: tuple[tuple[str, ...], tuple[str, ...]]
    milliseconds: float | None
    info: ReplaySearchInfo | None

    @property
    def after(self) -> tuple[str, ...]:
        """Return the player's board after the turn, with the garbage that entered."""
        return self.boards[self.player]


def iterate_placements(playback: Playback) -> Iterator[PlacementStep]:
    """Play to the end and yield every placement; in a turn, that of the first player first.

    Raises:
        FormatError: as `Playback.step`.
    """
    first, second = playback.game.players
    before = first.colors, second.colors
    while not playback.at_end:
        turn = playback.replay.turns[playback.turn]
        locks = playback.step()
        first, second = playback.game.players
        boards = first.colors, second.colors
        for player, lock in enumerate(locks):
            if lock is not None:
                yield PlacementStep(
                    playback.turn,
                    playback.game.frame,
                    player,
                    lock.placement,
                    lock,
                    before[player],
                    boards,
                    turn.milliseconds[player] if turn.milliseconds else None,
                    turn.infos[player] if turn.infos else None,
                )
        before = boards


def count_statistics(playback: Playback) -> tuple[PlayerStatistics, PlayerStatistics]:
    """Play to the end and return the statistics of each player from here on.

    Raises:
        FormatError: as `Playback.step`.
    """
    tallies = (PlayerTally(), PlayerTally())
    began = playback.game.frame
    for step in iterate_placements(playback):
        tallies[step.player].add(step.lock, step.milliseconds)
    seconds = (playback.game.frame - began) / FRAMES_PER_SECOND
    return tallies[0].summarize(game_s=seconds), tallies[1].summarize(game_s=seconds)
