"""Play back a round of a TETR.IO match like a replay: show, convert and count it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FormatError
from sevenbag.formats.replay_file import (
    Replay,
    ReplayHeader,
    ReplayLoss,
    ReplayPlayer,
    ReplayResult,
    ReplayScore,
    ReplayTurn,
    required_version,
)
from sevenbag.formats.tetrio_file import TetrioPlayerRound, TetrioRecording
from sevenbag.formats.tetrio_script import split_script
from sevenbag.game import Player as SidePlayer
from sevenbag.game import Rules, Versus
from sevenbag.game.game_result import LossReason
from sevenbag.replay.playback import Playback, ReplayVerification
from sevenbag.replay.tetrio_rules import create_frame_game
from sevenbag.replay.tetrio_simulation import event_script, simulate_player, verify_round

if TYPE_CHECKING:
    from sevenbag._kernel import LockResult, Placement


NO_OPPONENT: Final = "nobody"
"""Name of the opponent in a round with one player."""


class TetrioPlayback(Playback):
    """Round of a TETR.IO match, simulated from its keys and shown lock by lock.

    `replay` contains the placements to which the keys led. Garbage travelled over a network, so
    these placements alone would not reproduce the game. Rounds are numbered from 1.

    Raises:
        FormatError: the round does not exist, has more than two players, or cannot be simulated.
    """

    turn: int

    def __init__(self, recording: TetrioRecording, number: int = 1) -> None:
        count = len(recording.rounds)
        if not 1 <= number <= count:
            raise FormatError(
                f"{recording.source}: invalid round: expected 1 to {count}, got {number}"
            )
        self._recording, self._number = recording, number
        members = recording.rounds[number - 1]
        where = f"{recording.source}: round {number}"
        if len(members) > _MAX_PLAYERS:
            raise FormatError(
                f"{where}: invalid round: expected 1 or 2 players, got {len(members)}"
            )
        self._sides = [_RecordedPlayer(player, recording.date, where) for player in members]
        if len(self._sides) == 1:
            self._sides.append(_RecordedPlayer(members[0], recording.date, where, plays=False))
        # Moments of locks, in turns: the frame, and the index among a player's locks at it.
        moments = sorted({moment for side in self._sides for moment in side.locks})
        self._moments = moments
        super().__init__(self._create_replay(), recording.source)

    def step(self) -> tuple[LockResult | None, LockResult | None]:
        """Simulate up to the next lock of either player and return the locks."""
        moment = self._moments[self.turn]
        self.turn += 1
        for side in self._sides:
            side.simulate_to(moment)
        first, second = self._sides
        return first.locks.get(moment), second.locks.get(moment)

    def verify(self) -> list[ReplayVerification]:
        """Compare the simulated round with the recording."""
        return list(verify_round(self._recording, self._number))

    def differences(self) -> list[str]:
        """Return the differences from the recorded round; empty if there are none."""
        return [
            f"{each.name}: {problem}"
            for each in self.verify()
            for problem in (each.differences if each.error is None else (each.error,))
        ]

    def _new_game(self) -> Versus:
        for side in self._sides:
            side.restart()
        return _CombinedGame(self, self._sides)

    def _create_replay(self) -> Replay:
        first, second = self._sides
        turns = tuple(
            ReplayTurn((first.placement_at(moment), second.placement_at(moment)), frame=moment[0])
            for moment in self._moments
        )
        falls = (first.fall, second.fall)
        winner = None if all(falls) or not any(falls) else int(falls[0] is not None)
        header = ReplayHeader(
            format="sevenbag-replay",
            version=required_version("real time"),
            seed=first.game.seed % _SEEDS,
            players=(ReplayPlayer(name=first.name), ReplayPlayer(name=second.name)),
            frames_per_turn=0,
            rules=first.game.rules.to_dict(),
            time="real time",
        )
        outcome = ReplayResult(
            finished=any(falls),
            winner=winner,
            ending="fall" if any(falls) else "interrupted",
            losses=falls,
            score=(first.score, second.score),
        )
        return Replay(header, turns, outcome)


_MAX_PLAYERS: Final = 2
_SEEDS: Final = 2**63


class _RecordedPlayer:
    """Player of a round: all its locks, and its game as far as it has been shown.

    Attributes:
        locks: locks by moment: the frame, and the index among the locks at that frame.
    """

    def __init__(
        self, player: TetrioPlayerRound, date: datetime | None, where: str, *, plays: bool = True
    ) -> None:
        self._player, self._date = player, date
        self._events: list[tuple[int, list[float]]] = []
        self.locks: dict[tuple[int, int], LockResult] = {}
        if not plays:
            # A round with one player has an opponent that does nothing.
            self.name, self.score = NO_OPPONENT, ReplayScore(0, 0, 0)
            detail = "a game for one player"
            self.fall: ReplayLoss | None = ReplayLoss(LossReason.NO_START.value, detail)
            self.restart()
            return
        try:
            simulated = simulate_player(player, date, locks=True)
            events = split_script(event_script(player))
            self._events = [
                (frame, list(chain.from_iterable(numbers)))
                for frame, numbers in groupby(events, key=lambda event: int(event[0]))
            ]
        except FormatError as error:
            raise FormatError(f"{where}: {player.name}: {error}") from None
        at_frame: Counter[int] = Counter()
        for lock, *_ in simulated.locks:
            self.locks[lock.frame, at_frame[lock.frame]] = lock
            at_frame[lock.frame] += 1
        stats, top_out = simulated.game.stats, simulated.game.top_out
        self.name = player.name
        self.score = ReplayScore(stats.pieces, stats.lines, stats.attack)
        reason = simulated.game.game_over_reason or ""
        self.fall = None if top_out is None else ReplayLoss(top_out.value, reason)
        self.restart()

    def placement_at(self, moment: tuple[int, int]) -> Placement | None:
        """Return the placement of a lock, if any."""
        lock = self.locks.get(moment)
        return None if lock is None else lock.placement

    def restart(self) -> None:
        """Return to the state before the first frame."""
        self.game = create_frame_game(self._player.options, self._date)
        self._passed = 0

    def simulate_to(self, moment: tuple[int, int]) -> None:
        """Simulate up to a frame, and as far as the locks of this moment need."""
        if not self.locks:
            return
        self._simulate(moment[0])
        wanted = sum(each <= moment for each in self.locks)
        while self.game.stats.pieces < wanted and not self.game.over:
            self._simulate(self.game.frame + 1)

    def _simulate(self, frame: int) -> None:
        end = bisect_left(self._events, frame, key=lambda event: event[0])
        script = [number for _, event in self._events[self._passed : end] for number in event]
        self._passed = max(self._passed, end)
        self.game.run_script(script, frame)


class _CombinedGame(Versus):
    """View of both games; the playback advances them."""

    def __init__(self, playback: TetrioPlayback, sides: Sequence[_RecordedPlayer]) -> None:
        self._playback = playback
        first, second = sides
        self._games = first.game, second.game

    @property
    def rules(self) -> Rules:
        return self._games[0].rules

    @property
    def seed(self) -> int:
        return self._games[0].seed

    @property
    def players(self) -> tuple[SidePlayer, SidePlayer]:
        return self._games

    @property
    def turn(self) -> int:
        return self._playback.turn

    @property
    def frame(self) -> int:
        turn = self._playback.turn
        return self._playback.replay.turns[turn - 1].frame or 0 if turn else 0

    @property
    def over(self) -> bool:
        return any(game.over for game in self._games)

    @property
    def winner(self) -> int | None:
        first, second = (game.over for game in self._games)
        return None if first == second else int(first)
