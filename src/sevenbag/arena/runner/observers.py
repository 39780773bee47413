"""Observers of a game: the interface, and the recorder of replays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.bots.bot import Limits, SearchInfo
from sevenbag.formats import replay_file
from sevenbag.game import LockResult, Versus
from sevenbag.game.game_result import GameResult, Loss, PlayerStats

if TYPE_CHECKING:
    from sevenbag._kernel import Placement


@dataclass(frozen=True, slots=True)
class GameStart:
    """Start of a game.

    Attributes:
        names: unique names of the players.
        limits: limits of each bot per move, as far as the bot supports them.
        game: game, live.
        read_stats: function that returns the statistics of both players so far.
    """

    names: tuple[str, str]
    config: GameConfig
    limits: tuple[Limits, Limits]
    game: Versus
    read_stats: Callable[[], tuple[PlayerStats, PlayerStats]]


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn; in real time, the locks of one frame.

    Attributes:
        number: number of the turn, from 1.
        placements: placement of each player; in real time None for a player without a lock.
        locks: effects of the placements.
        answer_seconds: duration of each bot's last answer.
        move_infos: search statistics of each bot's last answer, if any.
        frame: frame of the locks in real time; None in turns.
    """

    number: int
    placements: tuple[Placement | None, Placement | None]
    locks: tuple[LockResult | None, LockResult | None]
    answer_seconds: tuple[float, float]
    move_infos: tuple[SearchInfo | None, SearchInfo | None]
    frame: int | None = None


class GameObserver:
    """Observer of a game that does nothing; override its methods.

    An exception ends the game.
    """

    def game_started(self, start: GameStart) -> None:
        """Receive the start of the game, or of its end if a bot has not become ready."""

    def turn_played(self, turn: PlayedTurn) -> None:
        """Receive a turn."""

    def game_ended(self, result: GameResult) -> None:
        """Receive the result of a finished or aborted game."""


class ReplayRecorder(GameObserver):
    """Observer that creates a replay.

    Attributes:
        replay: replay of the finished or aborted game; None before.

    Args:
        times: store thinking times; replays are not reproducible then.
        infos: store search statistics of the bots; likewise, if these contain times.
    """

    def __init__(self, *, times: bool = False, infos: bool = False) -> None:
        self.replay: replay_file.Replay | None = None
        self._times = times
        self._infos = infos
        self._header: replay_file.ReplayHeader | None = None
        self._turns: list[replay_file.ReplayTurn] = []

    def game_started(self, start: GameStart) -> None:
        """Create the header."""
        config = start.config
        time: replay_file.Time | None = None
        if config.real_time is not None:
            time = "frames" if config.real_time.frames else "real time"
        adjudication = None
        if config.lead is not None or config.double != "draw":
            adjudication = replay_file.Adjudication(config.lead, config.double)
        self._header = replay_file.ReplayHeader(
            format=replay_file.FORMAT,
            version=replay_file.required_version(time, config.opening, adjudication),
            seed=config.seed,
            players=(_encode_player(start, 0), _encode_player(start, 1)),
            frames_per_turn=config.frames_per_turn,
            pieces=config.pieces,
            rules=config.rules.to_dict(),
            time=time,
            opening=config.opening,
            adjudication=adjudication,
        )
        self._turns = []
        self.replay = None

    def turn_played(self, turn: PlayedTurn) -> None:
        """Append the turn."""
        times = infos = None
        if self._times:
            times = (_encode_timing(turn, 0), _encode_timing(turn, 1))
        if self._infos:
            infos = (_encode_info(turn, 0), _encode_info(turn, 1))
            infos = None if infos == (None, None) else infos
        self._turns.append(replay_file.ReplayTurn(turn.placements, times, turn.frame, infos))

    def game_ended(self, result: GameResult) -> None:
        """Create the replay."""
        if self._header is not None:
            self.replay = replay_file.Replay(
                self._header, tuple(self._turns), encode_result(result)
            )


def encode_result(result: GameResult) -> replay_file.ReplayResult:
    """Encode a result for replays, without times."""
    return replay_file.ReplayResult(
        finished=result.ending != "interrupted",
        winner=result.winner,
        ending=result.ending.value,
        losses=(_encode_loss(result.losses[0]), _encode_loss(result.losses[1])),
        score=(_encode_score(result.stats[0]), _encode_score(result.stats[1])),
    )


_MAX_NUMBER: Final = 1e18
"""Maximum absolute value of search statistics; others are omitted."""


def _encode_player(start: GameStart, player: int) -> replay_file.ReplayPlayer:
    config, limits = start.config, start.limits[player]
    clock, timing = config.clocks[player], config.real_time
    return replay_file.ReplayPlayer(
        name=_replace_surrogates(start.names[player])[:200],
        spec=_replace_surrogates(config.specs[player])[:1000] or None,
        nodes=limits.nodes,
        milliseconds=limits.milliseconds,
        clock=None if clock is None else replay_file.ReplayClock(clock.bank, clock.increment),
        pps=None if timing is None else timing.pps[player],
    )


def _encode_timing(turn: PlayedTurn, player: int) -> float | None:
    return None if turn.placements[player] is None else _milliseconds(turn.answer_seconds[player])


def _encode_info(turn: PlayedTurn, player: int) -> replay_file.ReplaySearchInfo | None:
    info = turn.move_infos[player]
    if info is None or turn.placements[player] is None:
        return None
    extra: object = info.extra
    said = _replace_surrogates(extra)[:1000] if isinstance(extra, str) else None
    return replay_file.ReplaySearchInfo(
        _bounded(info.nodes), _bounded(info.nps), _bounded(info.depth), said
    )


def _bounded(value: object) -> float | None:
    """Return a number within the bounds of the file format; bots may send any."""
    if not isinstance(value, int | float) or not -_MAX_NUMBER <= value <= _MAX_NUMBER:
        return None
    return value


def _replace_surrogates(text: str) -> str:
    """Replace surrogates, which UTF-8 cannot encode; command lines may contain them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _encode_loss(loss: Loss | None) -> replay_file.ReplayLoss | None:
    return None if loss is None else replay_file.ReplayLoss(loss.reason.value, loss.detail)


def _encode_score(stats: PlayerStats) -> replay_file.ReplayScore:
    return replay_file.ReplayScore(stats.pieces, stats.lines, stats.attack)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
