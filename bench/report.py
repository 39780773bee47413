"""What a report of many games takes: time to read, to play again and to write, and its size.

    python bench/report.py [--games N] [--pieces N] [--runs N] [--json]

The games are a few of `beam:nodes=50` against itself, each many times over under another number,
as a tournament with the same settings would have them: a report does not know the difference.
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

from sevenbag.arena.match import Conditions, play_match
from sevenbag.arena.playback import Playback
from sevenbag.arena.record import Recorder
from sevenbag.arena.records import (
    REPLAYS,
    EngineRecord,
    GameRecord,
    GamesFile,
    TournamentHeader,
    write_header,
)
from sevenbag.arena.replay_steps import figures
from sevenbag.arena.report import write_report
from sevenbag.arena.summary import read_summary
from sevenbag.bots.bot import Limits
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.game import Rules

if TYPE_CHECKING:
    from sevenbag.formats.replay import Replay

RULES = Rules.preset("guideline")
DIFFERENT = 10


async def played(seed: int, pieces: int) -> Replay:
    """A game, with times and with what the bots said."""
    recorder = Recorder(times=True, infos=True)
    limits = (Limits(nodes=50), Limits(nodes=50))
    conditions = Conditions(RULES, seed, limits=limits, max_pieces=pieces)
    await play_match((BeamBot(), BeamBot()), conditions, (recorder,))
    assert recorder.replay is not None
    return recorder.replay


def fill(folder: Path, games: int, pieces: int) -> None:
    """Make a tournament."""
    (folder / REPLAYS).mkdir()
    engines = (EngineRecord(name="one"), EngineRecord(name="other"))
    write_header(folder, TournamentHeader(engines=engines, rules=RULES.to_dict()))
    replays = [asyncio.run(played(seed, pieces)) for seed in range(DIFFERENT)]
    done = [figures(Playback(replay)) for replay in replays]
    with GamesFile(folder) as file:
        for number in range(games):
            replay = replays[number % DIFFERENT]
            (folder / REPLAYS / f"{number}.replay").write_bytes(replay.encode())
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
                    replay=f"{REPLAYS}/{number}.replay",
                )
            )


def measure(games: int, pieces: int, runs: int) -> dict[str, float]:
    """Seconds for the figures and for the whole page, and its megabytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, games, pieces)
        page = folder / "report.html"
        figures_s, page_s = [], []
        for _ in range(runs):
            began = time.process_time()
            read_summary(folder)
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
    """Measure, and tell."""
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
    print(f"{told['games']:.0f} games of {told['pieces']:.0f} pieces a side")
    print(f"figures  {told['figures_s']:6.2f} s")
    print(f"page     {told['page_s']:6.2f} s, {told['megabytes']:.1f} MB")


if __name__ == "__main__":
    main()
