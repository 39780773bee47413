"""Play one game of a tournament as a task of an executor.

A task may run in any process of any machine, and more than once if a worker is lost. It has no side
effects besides its result.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.arena.runner.game_loop import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, ReplayRecorder
from sevenbag.arena.tournament.tournament_config import (
    PlayerConfig,
    TournamentSettings,
    create_real_time,
)
from sevenbag.arena.tournament.tournament_files import REPLAY_FOLDER, GameRecord, LossRecord
from sevenbag.bots.bot import Bot, display_name
from sevenbag.bots.registry import create_bot
from sevenbag.errors import BotStartError, SpecError
from sevenbag.game import Rules
from sevenbag.replay.player_statistics import PlayerTally

if TYPE_CHECKING:
    from sevenbag.arena.runner.observers import GameStart, PlayedTurn
    from sevenbag.bots.bot import Limits, Position, Suggestion
    from sevenbag.game.game_result import GameResult
    from sevenbag.replay.player_statistics import PlayerStatistics


class GameTask(msgspec.Struct, frozen=True, kw_only=True):
    """A game to be played.

    Attributes:
        id: its number; so `pair`, `round`, `encounter`, `players` as in the record.
        seed: what pieces and garbage follow from.
        fumen: the board it begins on; None for an empty one.
        engines: who plays, in the order of the seats.
        rules: the rules as data, in JSON.
        settings: how it is played.
    """

    id: int
    pair: int
    round: int
    encounter: int
    players: tuple[int, int]
    seed: int
    fumen: str | None
    engines: tuple[PlayerConfig, PlayerConfig]
    rules: bytes
    settings: TournamentSettings


class FinishedGame(msgspec.Struct, frozen=True):
    """A game that is over.

    Attributes:
        record: its line.
        replay: content of its replay file; None without replays.
        bots_started: whether each bot became ready for the game.
        announced_names: names that the bots announced; None for a bot that announced none.
    """

    record: GameRecord
    replay: bytes | None
    bots_started: tuple[bool, bool]
    announced_names: tuple[str | None, str | None]


def play_task(task: GameTask) -> FinishedGame:
    """Play a game, from beginning to end."""
    return _BOT_POOL.here.play(task)


def stop_idle_bots() -> None:
    """End the programs that are kept from game to game in this thread, if there are any."""
    _BOT_POOL.here.dismiss()


# --- helpers ------------------------------------------------------------------------------------


_IDLE_SECONDS: Final = 30.0
"""Seconds after which programs are ended that are kept for a game which does not come."""


class _BotPool:
    """Event loop and idle bots of one thread, reused from game to game.

    Where workers stay when the tournament is over, nobody tells them so: what is kept is ended
    when nothing was played for a while.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[str, bytes, int], Bot] = {}
        self._runner = asyncio.Runner()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def play(self, task: GameTask) -> FinishedGame:
        """Play a game."""
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
        """End what is kept."""
        with self._lock:
            self._end()

    def _dismiss_idle(self) -> None:
        with self._lock:
            # Unless a game has begun just now.
            if self._timer is threading.current_thread():
                self._end()

    def _end(self) -> None:
        kept, self.kept = self.kept, {}
        for bot in kept.values():
            self._runner.run(bot.quit())


class _ThreadBotPool(threading.local):
    def __init__(self) -> None:
        self.here = _BotPool()


_BOT_POOL: Final = _ThreadBotPool()


async def _play(task: GameTask) -> FinishedGame:
    settings = task.settings
    first, second = task.engines
    bots, ready = _prepare_bots(task)
    conditions = GameConfig(
        rules=_decode_rules(task.rules),
        seed=task.seed,
        limits=(first.limits, second.limits),
        specs=(first.spec, second.spec),
        pieces=settings.pieces,
        clocks=(first.clock, second.clock),
        lead=settings.lead,
        double=settings.double,
        opening=task.fumen,
        real_time=create_real_time(settings, (first.pps, second.pps)),
    )
    figures = _StatisticsObserver()
    recorder = ReplayRecorder(times=True, infos=True) if settings.replays else None
    watchers: list[GameObserver] = [figures] if recorder is None else [figures, recorder]
    before = [bot.name for bot in bots]
    keep = (_is_kept_running(first, bots[0]), _is_kept_running(second, bots[1]))
    result = await play_game(
        bots,
        conditions,
        watchers,
        names=(first.name, second.name),
        prepared=ready,
        keep_running=keep,
    )
    _return_bots(task, bots, keep, result)
    replay = recorder.replay.encode() if recorder is not None and recorder.replay else None
    name = None if replay is None else f"{REPLAY_FOLDER}/{task.id}.replay"
    record = _create_record(task, result, figures.records(result), name)
    announced = [
        display_name(bot) if started or bot.name != name else None
        for bot, started, name in zip(bots, result.started, before, strict=True)
    ]
    return FinishedGame(record, replay, result.started, (announced[0], announced[1]))


def _create_record(
    task: GameTask,
    result: GameResult,
    stats: tuple[PlayerStatistics, PlayerStatistics],
    replay: str | None,
) -> GameRecord:
    losses = [
        None if loss is None else LossRecord(reason=loss.reason.value, detail=loss.detail)
        for loss in result.losses
    ]
    return GameRecord(
        id=task.id,
        pair=task.pair,
        round=task.round,
        encounter=task.encounter,
        seed=task.seed,
        opening=task.fumen,
        players=task.players,
        names=(task.engines[0].name, task.engines[1].name),
        winner=result.winner,
        ending=result.ending.value,
        losses=(losses[0], losses[1]),
        stats=stats,
        replay=replay,
    )


class _StatisticsObserver(GameObserver):
    """Counts what both do."""

    def __init__(self) -> None:
        self._tallies = (PlayerTally(), PlayerTally())
        self._opening: GameStart | None = None

    def game_started(self, opening: GameStart) -> None:
        self._opening = opening

    def turn_played(self, turn: PlayedTurn) -> None:
        for tally, lock, seconds in zip(
            self._tallies, turn.locks, turn.answer_seconds, strict=True
        ):
            if lock is not None:
                tally.add(lock, seconds * 1000)

    def records(self, result: GameResult) -> tuple[PlayerStatistics, PlayerStatistics]:
        frame = self._opening.game.frame if self._opening is not None else 0
        first, second = (
            msgspec.structs.replace(
                tally.summarize(stats.elapsed_seconds, frame / 60),
                time_left_ms=_milliseconds(stats.clock_seconds),
            )
            for tally, stats in zip(self._tallies, result.stats, strict=True)
        )
        return first, second


def _milliseconds(left: float | None) -> float | None:
    return None if left is None else round(max(0.0, left) * 1000, 3)


# --- bots ---------------------------------------------------------------------------------------


class _FailedBot(Bot):
    """A bot that cannot be made where the game is played."""

    def __init__(self, spec: str, why: str) -> None:
        self.name = spec
        self._why = why

    async def prepare(self, rules: Rules) -> None:
        del rules
        raise BotStartError(self.name, self._why)

    async def start(self, position: Position) -> None:
        raise NotImplementedError

    async def suggest(self, limits: Limits) -> Suggestion:
        raise NotImplementedError

    async def play(self, placement: object) -> None:
        raise NotImplementedError

    async def new_piece(self, piece: object) -> None:
        raise NotImplementedError

    async def stop(self) -> None:
        """It never began."""

    async def quit(self) -> None:
        """There is nothing to end."""


def _prepare_bots(task: GameTask) -> tuple[tuple[Bot, Bot], tuple[bool, bool]]:
    """The bots of a game, and which of them are ready for its rules from another one."""
    seated = [_take_bot(task, seat) for seat in (0, 1)]
    return (seated[0][0], seated[1][0]), (seated[0][1], seated[1][1])


def _take_bot(task: GameTask, seat: int) -> tuple[Bot, bool]:
    spec = task.engines[seat].spec
    kept = _BOT_POOL.here.kept.pop(_pool_key(task, seat), None)
    if kept is not None and getattr(kept, "pid", None) is not None:
        return kept, True
    try:
        return create_bot(spec), False
    except SpecError as error:
        return _FailedBot(spec, str(error)), False


def _is_kept_running(engine: PlayerConfig, bot: Bot) -> bool:
    # Bots within this process begin in no time, and are to be the same in every game.
    return engine.restart == "never" and bot.protocol is not None


def _return_bots(
    task: GameTask, bots: tuple[Bot, Bot], keep: tuple[bool, bool], result: GameResult
) -> None:
    for seat, bot in enumerate(bots):
        loss = result.losses[seat]
        if keep[seat] and (loss is None or not loss.reason.is_fault):
            _BOT_POOL.here.kept[_pool_key(task, seat)] = bot


def _pool_key(task: GameTask, seat: int) -> tuple[str, bytes, int]:
    # By the rules it is ready for; and two of the same kind may sit at one table.
    return task.engines[seat].spec, task.rules, task.players[seat]


@functools.lru_cache(maxsize=64)
def _decode_rules(data: bytes) -> Rules:
    return Rules.from_dict(msgspec.json.decode(data))
