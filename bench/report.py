"""Measure a report of many games: time to read, simulate and write, and size.

    python bench/report.py [--games N] [--pieces N] [--runs N] [--json]

The games are copies of a few games of `beam:nodes=50` against itself, with different numbers.
Processor time, medians over the runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag.arena.report import write_report
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.arena.tournament.tournament_config import PlayerConfig, TournamentHeader
from sevenbag.arena.tournament.tournament_files import (
    REPLAY_FOLDER,
    GameRecord,
    GamesFileWriter,
    write_header,
)
from sevenbag.arena.tournament.tournament_summary import read_tournament_summary
from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.game import Rules
from sevenbag.replay.playback import Playback, count_statistics

if TYPE_CHECKING:
    from sevenbag.formats.replay_file import Replay

RULES = Rules.preset("guideline")
DIFFERENT = 10


async def played(seed: int, pieces: int) -> Replay:
    """Play a game with recorded times and search information."""
    recorder = ReplayRecorder(times=True, infos=True)
    limits = (Limits(nodes=50), Limits(nodes=50))
    conditions = GameConfig(RULES, seed, limits=limits, pieces=pieces)
    await play_game((BeamBot(), BeamBot()), conditions, (recorder,))
    assert recorder.replay is not None
    return recorder.replay


def fill(folder: Path, games: int, pieces: int) -> None:
    """Create a tournament folder."""
    (folder / REPLAY_FOLDER).mkdir()
    engines = (PlayerConfig(name="one"), PlayerConfig(name="other"))
    write_header(folder, TournamentHeader(engines=engines, rules=RULES.to_dict()))
    replays = [asyncio.run(played(seed, pieces)) for seed in range(DIFFERENT)]
    done = [count_statistics(Playback(replay)) for replay in replays]
    with GamesFileWriter(folder) as file:
        for number in range(games):
            replay = replays[number % DIFFERENT]
            (folder / REPLAY_FOLDER / f"{number}.replay").write_bytes(replay.encode())
            file.append(
                GameRecord(
                    id=number,
                    pair=number // 2,
                    seed=replay.header.seed,
                    players=(number % 2, 1 - number % 2),
                    names=("one", "other"),
                    winner=replay.outcome.winner,
                    ending=replay.outcome.ending,
                    stats=done[number % DIFFERENT],
                    replay=f"{REPLAY_FOLDER}/{number}.replay",
                )
            )


def measure(games: int, pieces: int, runs: int) -> dict[str, float]:
    """Return the seconds for the statistics and for the page, and its size in megabytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, games, pieces)
        page = folder / "report.html"
        figures_s, page_s = [], []
        for _ in range(runs):
            began = time.process_time()
            read_tournament_summary(folder)
            figures_s.append(time.process_time() - began)
            began = time.process_time()
            faults = write_report(folder, page)
            page_s.append(time.process_time() - began)
            assert not faults
        return {
            "games": games,
            "pieces": pieces,
            "figures_s": statistics.median(figures_s),
            "page_s": statistics.median(page_s),
            "megabytes": page.stat().st_size / 1e6,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--pieces", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    told = measure(args.games, args.pieces, args.runs)
    if args.json:
        json.dump(told, sys.stdout)
        print()
        return
    print(f"{told['games']:.0f} games of {told['pieces']:.0f} pieces per player")
    print(f"figures  {told['figures_s']:6.2f} s")
    print(f"page     {told['page_s']:6.2f} s, {told['megabytes']:.1f} MB")


if __name__ == "__main__":
    main()
