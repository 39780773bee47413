"""Play back a round of a TETR.IO match like a replay: show, convert and count it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from sevenbag.errors import FormatError
from sevenbag.formats.replay_file import (
    Fall,
    Header,
    Outcome,
    Player,
    Replay,
    Score,
    Turn,
    version_of,
)
from sevenbag.formats.tetrio_script import split_script
from sevenbag.game import Versus
from sevenbag.game.game_result import LossReason
from sevenbag.replay.playback import Playback
from sevenbag.replay.tetrio_rules import create_frame_game
from sevenbag.replay.tetrio_simulation import event_script, simulate_player, verify_round

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sevenbag._kernel import Lock, Placement
    from sevenbag.formats.tetrio_file import TetrioPlayerRound, TetrioRecording
    from sevenbag.game import Player as SidePlayer
    from sevenbag.game import Rules


NO_OPPONENT: Final = "nobody"
"""The other player of a game for one."""


class TetrioPlayback(Playback):
    """A round played again from its keys, placement by placement.

    It has the face of every playback; its `replay` holds the placements that the keys have led to.
    Garbage came over a network, so these placements alone would not play the same game.

    Args:
        recording: the file.
        number: which round of it, from 1.

    Raises:
        FormatError: there is no such round, it has more than two players, or it cannot be played.
    """

    turn: int

    def __init__(self, recording: TetrioRecording, number: int = 1) -> None:
        count = len(recording.rounds)
        if not 1 <= number <= count:
            raise FormatError(f"{recording.source}: has rounds 1 to {count}, not {number}")
        self._recording, self._number = recording, number
        members = recording.rounds[number - 1]
        where = f"{recording.source}: round {number}"
        if len(members) > _MAX_PLAYERS:
            raise FormatError(f"{where}: has {len(members)} players; two can be shown")
        self._sides = [_RecordedPlayer(player, recording.date, where) for player in members]
        if len(self._sides) == 1:
            self._sides.append(_RecordedPlayer(None, recording.date, where, like=members[0]))
        super().__init__(self._as_replay(), recording.source)

    def step(self) -> tuple[Lock | None, Lock | None]:
        """Play on to the next lock of either player; returns what came of it."""
        first, second = (side.lock(self.turn) for side in self._sides)
        self.turn += 1
        for side in self._sides:
            side.play_to(self.turn, self.replay.turns[self.turn - 1].frame or 0)
        return first, second

    def differences(self) -> list[str]:
        """Return the differences from the recorded game; empty if there are none."""
        return [
            f"{verdict.name}: {verdict.error or difference}"
            for verdict in verify_round(self._recording, self._number)
            for difference in verdict.differences or (() if verdict.error is None else ("",))
        ]

    def _begun(self) -> Versus:
        for side in self._sides:
            side.begin()
        return _CombinedGame(self, self._sides)

    def _as_replay(self) -> Replay:
        first, second = self._sides
        moments = sorted({moment for side in self._sides for moment in side.moments})
        first.align(moments)
        second.align(moments)
        turns = tuple(
            Turn((first.placement(number), second.placement(number)), frame=frame)
            for number, (frame, _) in enumerate(moments)
        )
        falls = (first.fall, second.fall)
        winner = None if all(falls) or not any(falls) else int(falls[0] is not None)
        header = Header(
            format="sevenbag-replay",
            version=version_of("real time"),
            seed=first.game.seed % _SEEDS,
            players=(Player(name=first.name), Player(name=second.name)),
            frames_per_turn=0,
            rules=first.game.rules.to_dict(),
            time="real time",
        )
        outcome = Outcome(
            finished=any(falls),
            winner=winner,
            ending="fall" if any(falls) else "interrupted",
            falls=falls,
            score=(first.score, second.score),
        )
        return Replay(header, turns, outcome)


# --- helpers ------------------------------------------------------------------------------------

_MAX_PLAYERS: Final = 2
_SEEDS: Final = 2**63


class _RecordedPlayer:
    """One player: the locks known beforehand, and the game as far as it has been shown."""

    def __init__(
        self,
        player: TetrioPlayerRound | None,
        date: datetime | None,
        where: str,
        like: TetrioPlayerRound | None = None,
    ) -> None:
        self._player, self._date = player or like, date
        self.name = player.name if player is not None else NO_OPPONENT
        self.fall: Fall | None = None
        self._locks: list[Lock] = []
        self._events: list[tuple[int, list[float]]] = []
        self._by_turn: list[int | None] = []
        self._passed = 0
        if player is None:
            self.fall = Fall(LossReason.NO_START.value, "a game for one player")
            self.begin()
            self.score = Score(0, 0, 0)
            return
        try:
            whole = simulate_player(player, date, locks=True)
            self._events = _by_frame(event_script(player))
        except FormatError as error:
            raise FormatError(f"{where}: {player.name}: {error}") from None
        self._locks = [lock for lock, *_ in whole.locks]
        stats = whole.game.stats
        self.score = Score(stats.pieces, stats.lines, stats.attack)
        top_out = whole.game.top_out
        if top_out is not None:
            self.fall = Fall(top_out.value, whole.game.out or "")
        self.begin()

    @property
    def moments(self) -> list[tuple[int, int]]:
        """Moments of locks: the frame, and the index among the locks at that frame."""
        frames = [lock.frame for lock in self._locks]
        return [(frame, number - frames.index(frame)) for number, frame in enumerate(frames)]

    def begin(self) -> None:
        """Before the first frame."""
        assert self._player is not None
        self.game = create_frame_game(self._player.options, self._date)
        self._passed = 0

    def align(self, moments: Sequence[tuple[int, int]]) -> None:
        """Assign the locks to turns."""
        at = {moment: number for number, moment in enumerate(self.moments)}
        self._by_turn = [at.get(moment) for moment in moments]

    def lock(self, turn: int) -> Lock | None:
        number = self._by_turn[turn]
        return None if number is None else self._locks[number]

    def placement(self, turn: int) -> Placement | None:
        lock = self.lock(turn)
        return None if lock is None else lock.placement

    def play_to(self, turn: int, frame: int) -> None:
        """Let time pass up to a turn's frame, and as far as the pieces that lock there need."""
        if not self._locks:
            return
        wanted = sum(number is not None for number in self._by_turn[:turn])
        self._pass(frame)
        while self.game.stats.pieces < wanted and not self.game.over:
            self._pass(self.game.frame + 1)

    def _pass(self, frame: int) -> None:
        """Play whole frames up to this number."""
        end = bisect_left(self._events, frame, key=lambda event: event[0])
        script = [number for _, event in self._events[self._passed : end] for number in event]
        self._passed = max(self._passed, end)
        self.game.play(script, frame)


class _CombinedGame(Versus):
    """Both sides as they stand, to look at; what happens to them the playback knows."""

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


def _by_frame(script: Sequence[float]) -> list[tuple[int, list[float]]]:
    """A script cut into frames: each with the numbers of its events."""
    found: list[tuple[int, list[float]]] = []
    for event in split_script(script):
        frame = int(event[0])
        if not found or found[-1][0] != frame:
            found.append((frame, []))
        found[-1][1].extend(event)
    return found
