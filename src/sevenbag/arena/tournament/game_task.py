"""Play one game of a tournament as a task of an executor.

A task may run in any process of any machine, and more than once if a worker is lost. It has no side
effects besides its result.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Final

import msgspec

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn, ReplayRecorder
from sevenbag.arena.tournament.schedule import ScheduledGame
from sevenbag.arena.tournament.tournament_config import PlayerConfig, TournamentSettings
from sevenbag.arena.tournament.tournament_files import REPLAY_FOLDER, GameRecord, LossRecord
from sevenbag.bots.bot import Bot, display_name
from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.bots.registry import create_bot
from sevenbag.errors import BotStartError, SpecError
from sevenbag.game import Rules
from sevenbag.game.game_config import FRAMES_PER_SECOND, RealTime
from sevenbag.game.game_result import GameResult
from sevenbag.replay.player_statistics import PlayerStatistics, PlayerTally


class GameTask(msgspec.Struct, frozen=True, kw_only=True):
    """Game to be played.

    Attributes:
        engines: engines in the order of the players.
        rules: rules as JSON.
    """

    game: ScheduledGame
    engines: tuple[PlayerConfig, PlayerConfig]
    rules: bytes
    settings: TournamentSettings


class GameTaskResult(msgspec.Struct, frozen=True):
    """Finished game.

    Attributes:
        replay: content of the replay file; None without replays.
        bots_started: whether each bot became ready for the game.
        announced_names: names that the bots announced; None for a bot that announced none.
    """

    record: GameRecord
    replay: bytes | None
    bots_started: tuple[bool, bool]
    announced_names: tuple[str | None, str | None]


def play_task(task: GameTask) -> GameTaskResult:
    """Play a game from beginning to end."""
    return _THREAD.bots.play(task)


def stop_idle_bots() -> None:
    """End the programs of this thread that are kept from game to game."""
    _THREAD.bots.dismiss()


_IDLE_SECONDS: Final = 30.0
"""Seconds without a game after which kept programs are ended."""


class _BotPool:
    """Event loop and kept bots of one thread.

    Workers of a cluster outlive a tournament without being notified of its end. A timer ends the
    kept programs.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[str, bytes, int], Bot] = {}
        self._runner = asyncio.Runner()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def play(self, task: GameTask) -> GameTaskResult:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                return self._runner.run(_play(task))
            finally:
                if self.kept:
                    self._timer = threading.Timer(_IDLE_SECONDS, self._dismiss_idle)
                    self._timer.daemon = True
                    self._timer.start()

    def dismiss(self) -> None:
        with self._lock:
            self._end()

    def _dismiss_idle(self) -> None:
        with self._lock:
            # Unless a game has just begun.
            if self._timer is threading.current_thread():
                self._end()

    def _end(self) -> None:
        kept, self.kept = self.kept, {}
        for bot in kept.values():
            self._runner.run(bot.quit())


class _Thread(threading.local):
    def __init__(self) -> None:
        self.bots = _BotPool()


_THREAD: Final = _Thread()


async def _play(task: GameTask) -> GameTaskResult:
    settings, (first, second) = task.settings, task.engines
    real_time = None
    if settings.real_time:
        pps = (first.limits.pps, second.limits.pps)
        real_time = RealTime(pps, settings.nps, settings.wall, settings.frames)
    config = GameConfig(
        rules=_decode_rules(task.rules),
        seed=task.game.seed,
        limits=(first.limits.search, second.limits.search),
        specs=(first.spec, second.spec),
        pieces=settings.pieces,
        clocks=(first.limits.clock, second.limits.clock),
        lead=settings.lead,
        double=settings.double,
        opening=task.game.fumen,
        real_time=real_time,
    )
    statistics = _StatisticsObserver()
    recorder = ReplayRecorder(times=True, infos=True)
    observers = (statistics, recorder) if settings.replays else (statistics,)
    (bot, is_prepared), (other, is_other_prepared) = _take_bot(task, 0), _take_bot(task, 1)
    bots = (bot, other)
    specs = [bot.name for bot in bots]
    keep = (_is_kept_running(first, bots[0]), _is_kept_running(second, bots[1]))
    result = await play_game(
        bots,
        config,
        observers,
        names=(first.name, second.name),
        prepared=(is_prepared, is_other_prepared),
        keep_running=keep,
    )
    for player, (bot, loss) in enumerate(zip(bots, result.losses, strict=True)):
        if keep[player] and (loss is None or not loss.reason.is_fault):
            _THREAD.bots.kept[_pool_key(task, player)] = bot
    replay = recorder.replay.encode() if recorder.replay is not None else None
    announced = [
        display_name(bot) if started or bot.name != spec else None
        for bot, started, spec in zip(bots, result.started, specs, strict=True)
    ]
    return GameTaskResult(
        _create_record(task, result, statistics.summarize(result), has_replay=replay is not None),
        replay,
        result.started,
        (announced[0], announced[1]),
    )


def _create_record(
    task: GameTask,
    result: GameResult,
    stats: tuple[PlayerStatistics, PlayerStatistics],
    *,
    has_replay: bool,
) -> GameRecord:
    losses = [
        None if loss is None else LossRecord(reason=loss.reason.value, detail=loss.detail)
        for loss in result.losses
    ]
    return GameRecord(
        **task.game.record_fields(),
        names=(task.engines[0].name, task.engines[1].name),
        winner=result.winner,
        ending=result.ending.value,
        losses=(losses[0], losses[1]),
        stats=stats,
        replay=f"{REPLAY_FOLDER}/{task.game.id}.replay" if has_replay else None,
    )


class _StatisticsObserver(GameObserver):
    """Counts the statistics of both players."""

    def __init__(self) -> None:
        self._tallies = (PlayerTally(), PlayerTally())
        self._start: GameStart | None = None

    def game_started(self, start: GameStart) -> None:
        self._start = start

    def turn_played(self, turn: PlayedTurn) -> None:
        for tally, lock, seconds in zip(
            self._tallies, turn.locks, turn.answer_seconds, strict=True
        ):
            if lock is not None:
                tally.add(lock, seconds * 1000)

    def summarize(self, result: GameResult) -> tuple[PlayerStatistics, PlayerStatistics]:
        frame = self._start.game.frame if self._start is not None else 0
        first, second = (
            msgspec.structs.replace(
                tally.summarize(stats.elapsed_seconds, frame / FRAMES_PER_SECOND),
                time_left_ms=_milliseconds(stats.clock_seconds),
            )
            for tally, stats in zip(self._tallies, result.stats, strict=True)
        )
        return first, second


def _milliseconds(left: float | None) -> float | None:
    return None if left is None else round(max(0.0, left) * 1000, 3)


class _FailedBot(RandomBot):
    """Bot that cannot be created on this machine; it fails to start."""

    def __init__(self, spec: str, reason: str) -> None:
        super().__init__()
        self.name = spec
        self._reason = reason

    async def prepare(self, rules: Rules) -> None:
        del rules
        raise BotStartError(self.name, self._reason)


def _take_bot(task: GameTask, player: int) -> tuple[Bot, bool]:
    """Return a bot, and whether it is prepared for these rules."""
    spec = task.engines[player].spec
    kept = _THREAD.bots.kept.pop(_pool_key(task, player), None)
    if kept is not None and getattr(kept, "pid", None) is not None:
        return kept, True
    try:
        return create_bot(spec), False
    except SpecError as error:
        return _FailedBot(spec, str(error)), False


def _is_kept_running(engine: PlayerConfig, bot: Bot) -> bool:
    # Bots in this process start at once, and have to be the same in every game.
    return engine.limits.restart == "never" and bot.protocol is not None


def _pool_key(task: GameTask, player: int) -> tuple[str, bytes, int]:
    # Two engines of a game may have the same specification.
    return task.engines[player].spec, task.rules, task.game.players[player]


@functools.lru_cache(maxsize=64)
def _decode_rules(data: bytes) -> Rules:
    return Rules.from_dict(msgspec.json.decode(data))
