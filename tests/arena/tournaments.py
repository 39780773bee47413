"""Small tournaments for tests: real games of simple bots, in a folder as the arena writes it."""

import asyncio
import itertools
from pathlib import Path

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.arena.statistics import Sprt
from sevenbag.arena.tournament.tournament_config import PlayerConfig, TournamentHeader
from sevenbag.arena.tournament.tournament_files import (
    GameRecord,
    GamesFileWriter,
    LossRecord,
    write_header,
)
from sevenbag.formats.replay_file import Replay
from sevenbag.game import Rules
from sevenbag.replay.playback import Playback, count_statistics
from tests.arena.bots import HoldBot, LowBot, QuadBot, TowerBot

RULES = Rules.preset("guideline").replace({"garbage": {"travel": 0}})
KINDS = (QuadBot, LowBot, HoldBot, TowerBot)


def make_tournament(
    folder: Path,
    names: tuple[str, ...] = ("quad", "low"),
    pairs: int = 2,
    *,
    pieces: int = 40,
    sprt: Sprt | None = None,
    rules: Rules = RULES,
) -> TournamentHeader:
    """Create a round robin with a number of pairs per encounter."""
    header = TournamentHeader(
        name="small",
        kind="match" if len(names) == 2 else "round robin",
        engines=tuple(PlayerConfig(name=name, spec=f"test:{name}") for name in names),
        rules=rules.to_dict(),
        sprt=sprt,
    )
    folder.mkdir(exist_ok=True)
    (folder / "replays").mkdir(exist_ok=True)
    write_header(folder, header)
    meetings = itertools.product(itertools.combinations(range(len(names)), 2), range(pairs))
    number = 0
    with GamesFileWriter(folder) as file:
        for pair, ((one, other), seed) in enumerate(meetings):
            for players in ((one, other), (other, one)):
                replay = played(names, players, GameConfig(rules, seed, pieces=pieces))
                replay.write(folder / "replays" / f"{number}.replay")
                file.append(recorded(replay, number, pair, players, names))
                number += 1
    return header


def played(names: tuple[str, ...], players: tuple[int, int], config: GameConfig) -> Replay:
    first, second = (KINDS[player % len(KINDS)](names[player]) for player in players)
    recorder = ReplayRecorder(times=True)
    asyncio.run(play_game((first, second), config, (recorder,)))
    assert recorder.replay is not None
    return recorder.replay


def recorded(
    replay: Replay, number: int, pair: int, players: tuple[int, int], names: tuple[str, ...]
) -> GameRecord:
    outcome = replay.outcome
    falls = [
        None if fall is None else LossRecord(fall.reason, fall.detail) for fall in outcome.losses
    ]
    return GameRecord(
        id=number,
        pair=pair,
        seed=replay.header.seed,
        players=players,
        names=(names[players[0]], names[players[1]]),
        winner=outcome.winner,
        ending=outcome.ending,
        losses=(falls[0], falls[1]),
        stats=count_statistics(Playback(replay)),
        replay=f"replays/{number}.replay",
    )
