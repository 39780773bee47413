"""Play a replay again: step by step, back and forth, and compare it with the recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sevenbag.errors import FormatError, InputError, PlacementError
from sevenbag.game import Rules, Versus
from sevenbag.game.frame_versus import KeyedVersus
from sevenbag.game.game_config import opening_board
from sevenbag.game.game_result import (
    GameEnding,
    GameResult,
    Loss,
    LossReason,
    PlayerStats,
    decide_winner,
)
from sevenbag.replay.player_statistics import PlayerTally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag._kernel import Placement
    from sevenbag.formats.replay_file import Info, Replay, Turn
    from sevenbag.game import Lock
    from sevenbag.replay.player_statistics import PlayerStatistics


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """Something that came out otherwise than recorded.

    Attributes:
        field: what, by the name that the file has for it.
        played: what came out.
        recorded: what the file says.
        lock: at which piece of the game, from 1; None where that is not known.
        frame: when, in frames since the game began; None where that is not known.
    """

    field: str
    played: object
    recorded: object
    lock: int | None = None
    frame: int | None = None

    def __str__(self) -> str:
        where = "" if self.lock is None else f"lock {self.lock}, "
        where += "" if self.frame is None else f"frame {self.frame}, "
        played, recorded = _format_value(self.played), _format_value(self.recorded)
        return f"{where}{self.field}: {played}, recorded is {recorded}"


def _format_value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


class Playback:
    """A game played again, turn by turn.

    Attributes:
        replay: what is played.
        rules: its rules.
        game: the game as it stands.
        turn: how many turns were played.

    Args:
        replay: what to play.
        source: what error messages call it.

    Raises:
        FormatError: its rules or its seed cannot be played.
    """

    def __init__(self, replay: Replay, source: str = "replay") -> None:
        self.replay = replay
        self._source = source
        try:
            self.rules = Rules.from_dict(replay.header.rules)
            self.game = self._begun()
        except InputError as error:
            raise FormatError(f"{source}: line 1: {error}") from error
        self.turn = 0
        self._timed = any(turn.milliseconds is not None for turn in replay.turns)

    @property
    def names(self) -> tuple[str, str]:
        """The players."""
        first, second = self.replay.header.players
        return first.name, second.name

    @property
    def at_end(self) -> bool:
        """Return True if every recorded turn was played."""
        return self.turn == len(self.replay.turns)

    def step(self) -> tuple[Lock | None, Lock | None]:
        """Play the next turn; returns what came of it, None for who placed nothing.

        Raises:
            FormatError: a placement is not legal there, or the game was over before.
        """
        line = self.turn + 2
        turn = self.replay.turns[self.turn]
        where = ""
        try:
            if self.game.over:
                raise PlacementError("the game was over before this turn")
            for player, placement in enumerate(turn.placements):
                where = f"player {player + 1}: "
                if placement is None:
                    continue
                judged = self.game.players[player].judge(placement)
                if judged != placement:
                    raise PlacementError(f"its spin is {judged.spin.name.lower()}")
            where = ""
            locks = self._play(turn)
        except InputError as error:
            raise FormatError(f"{self._source}: line {line}: {where}{error}") from error
        self.turn += 1
        return locks

    def play_to(self, turn: int) -> None:
        """Play up to this turn, or to the end of the replay."""
        while self.turn < min(turn, len(self.replay.turns)):
            self.step()

    def rewind_to(self, turn: int) -> None:
        """Go back to the state after an earlier turn."""
        self.game = self._begun()
        self.turn = 0
        self.play_to(turn)

    def player_stats(self) -> tuple[PlayerStats, PlayerStats]:
        """Return the statistics of both players so far, with recorded thinking times."""
        played = self.replay.turns[: self.turn]
        times = [turn.milliseconds for turn in played if turn.milliseconds is not None]
        first, second = (
            PlayerStats(
                done.pieces,
                done.lines,
                done.attack,
                sum(pair[player] or 0.0 for pair in times) / 1000 if self._timed else None,
            )
            for player, done in enumerate(game.stats for game in self.game.players)
        )
        return first, second

    def differences(self) -> list[str]:
        """Return the differences from the recorded result; empty if there are none."""
        return [text for text, _, _ in self._compared()]

    def differences_of(self, player: int) -> tuple[ReplayDifference, ...]:
        """Return the differences of one player, 0 or 1, and those of the whole game."""
        return tuple(found for _, found, whose in self._compared() if whose in (None, player))

    def _compared(self) -> Iterator[tuple[str, ReplayDifference, int | None]]:
        """Yield each difference as text and as data, with its player; None for the whole game."""
        outcome = self.replay.outcome
        for player, game in enumerate(self.game.players):
            score = outcome.score[player]
            for what, here, there in (
                ("pieces", game.stats.pieces, score.pieces),
                ("lines", game.stats.lines, score.lines),
                ("attack", game.stats.attack, score.attack),
            ):
                if here != there:
                    text = f"player {player + 1}: {here} {what}, recorded are {there}"
                    yield text, ReplayDifference(what, here, there), player
            yield from self._difference_of_falls(player, game.top_out)
        yield from self._differences_of_limits()
        result, adjudication = self.recorded_result(), self.replay.header.adjudication
        double = adjudication.double if adjudication is not None else "draw"
        winner = decide_winner(result.ending, result.losses, result.stats, double)
        if winner != outcome.winner:
            played, recorded = _player_label(winner), _player_label(outcome.winner)
            text = f"the winner is {played}, recorded is {recorded}"
            yield text, ReplayDifference("winner", played, recorded), None

    def recorded_result(self) -> GameResult:
        """The recorded result.

        Raises:
            FormatError: a reason in it is none of those in docs/replay.md.
        """
        outcome, header = self.replay.outcome, self.replay.header
        falls = [self._fall(player) for player in (0, 1)]
        stats = [PlayerStats(score.pieces, score.lines, score.attack) for score in outcome.score]
        return GameResult(
            (header.players[0].name, header.players[1].name),
            outcome.winner,
            GameEnding(outcome.ending),
            (falls[0], falls[1]),
            (stats[0], stats[1]),
        )

    def _begun(self) -> Versus:
        header = self.replay.header
        opening = header.opening
        if header.time == "frames":
            return KeyedVersus(self.rules, header.seed)
        board = None if opening is None else opening_board(opening, self.rules)
        return Versus(
            self.rules,
            header.seed,
            frames_per_turn=header.frames_per_turn,
            boards=(board, board),
        )

    def _play(self, turn: Turn) -> tuple[Lock | None, Lock | None]:
        first, second = turn.placements
        if self.replay.header.in_real_time:
            if turn.frame is None:
                raise PlacementError("there is no frame")
            return self.game.lock_at(turn.frame, first, second)
        if first is None or second is None:
            raise PlacementError("one player places nothing, though they take turns")
        return self.game.play(first, second)

    def _fall(self, player: int) -> Loss | None:
        fall = self.replay.outcome.falls[player]
        if fall is None:
            return None
        try:
            return Loss(LossReason(fall.reason), fall.detail)
        except ValueError:
            known = ", ".join(LossReason)
            raise FormatError(
                f"{self._source}: line {len(self.replay.turns) + 2}: result.falls: player"
                f" {player + 1}: {fall.reason!r} is no reason to lose; those are {known}"
            ) from None

    def _differences_of_limits(self) -> Iterator[tuple[str, ReplayDifference, None]]:
        """Yield a difference if a game that ended by a limit has not reached it."""
        header, ending = self.replay.header, GameEnding(self.replay.outcome.ending)
        first, second = (game.stats for game in self.game.players)
        placed, led = max(first.pieces, second.pieces), abs(first.attack - second.attack)
        if ending is GameEnding.PIECES and header.pieces != placed:
            text = f"ended by the piece limit after {placed} pieces, the limit is {header.pieces}"
            yield text, ReplayDifference("pieces at the end", placed, header.pieces), None
        lead = header.adjudication.lead if header.adjudication is not None else None
        if ending is GameEnding.LEAD and (lead is None or led < lead):
            text = f"ended by a lead of {led} lines of attack, the lead that decides is {lead}"
            yield text, ReplayDifference("lead at the end", led, lead), None

    def _difference_of_falls(
        self, player: int, top_out: str | None
    ) -> Iterator[tuple[str, ReplayDifference, int]]:
        fall = self._fall(player)
        recorded = fall.reason.value if fall is not None and fall.reason.is_top_out else None
        if recorded == top_out:
            return
        here = f"lost by {top_out}" if top_out is not None else "did not top out"
        there = f"it lost by {recorded}" if recorded is not None else "it did not top out"
        text = f"player {player + 1} {here}, recorded is that {there}"
        yield text, ReplayDifference("top out", top_out or "none", recorded or "none"), player


def _player_label(winner: int | None) -> str:
    return "nobody" if winner is None else f"player {winner + 1}"


FRAMES_PER_SECOND = 60


@dataclass(frozen=True, slots=True)
class PlacementStep:
    """A placement, and what came of it.

    Attributes:
        turn: the line of the replay, from 1 for the first turn.
        frame: when it was, in frames since the game began.
        player: 0 or 1.
        placement: what was placed.
        lock: what came of it.
        before: the board before it, rows from the bottom, a letter a cell.
        boards: both boards after the turn: under some rules an attack changes the other's at once.
        milliseconds: how long its bot took; None where that was not recorded.
        info: what its bot said of its search; None where nothing was recorded.
    """

    turn: int
    frame: int
    player: int
    placement: Placement
    lock: Lock
    before: tuple[str, ...]
    boards: tuple[tuple[str, ...], tuple[str, ...]]
    milliseconds: float | None
    info: Info | None

    @property
    def after(self) -> tuple[str, ...]:
        """The player's board after the turn, with the garbage that entered."""
        return self.boards[self.player]


def iterate_placements(playback: Playback) -> Iterator[PlacementStep]:
    """Play on to the end, and tell every placement; of one turn the first player's first.

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
    """Play on to the end; what each player did from here on.

    Raises:
        FormatError: as `Playback.step`.
    """
    tallies = (PlayerTally(), PlayerTally())
    began = playback.game.frame
    for step in iterate_placements(playback):
        tallies[step.player].add(step.lock, step.milliseconds)
    seconds = (playback.game.frame - began) / FRAMES_PER_SECOND
    return tallies[0].summarize(game_s=seconds), tallies[1].summarize(game_s=seconds)
