"""Measure the simulation of TETR.IO replays: pieces per second on one core.

    python bench/frames.py [FILE ...] [--runs N] [--json]

Without files, the two rounds in tests/data are repeated. "game" is the kernel only,
from packed events; "play" includes packing; "all" includes reading the file and comparing
every number. Processor time, medians over the runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from sevenbag.formats.tetrio_file import read_tetrio_file
from sevenbag.formats.tetrio_script import build_script
from sevenbag.replay.tetrio_rules import create_frame_game
from sevenbag.replay.tetrio_simulation import simulate_player, verify_recording
from tests.formats.tetrio_files import match, written

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_PIECES = 20_000
"""Pieces of a run."""


def measure(files: list[bytes], runs: int) -> dict[str, float]:
    """Return pieces per second for each part."""
    recordings = [read_tetrio_file(data) for data in files]
    players = [
        (player, recording.date)
        for recording in recordings
        for members in recording.rounds
        for player in members
    ]
    scripts = [build_script(player.events, version=player.options.version) for player, _ in players]
    games = [
        (player, date, script) for (player, date), script in zip(players, scripts, strict=True)
    ]
    pieces = sum(simulate_player(player, date).game.stats.pieces for player, date in players)
    times = LEAST_PIECES // pieces + 1

    def rate(work: Callable[[], object]) -> float:
        taken: list[float] = []
        for _ in range(runs):
            begun = time.process_time()
            for _ in range(times):
                work()
            taken.append(time.process_time() - begun)
        return pieces * times / statistics.median(taken)

    def game() -> None:
        for player, date, script in games:
            create_frame_game(player.options, date).run_script(script, player.frames)

    def play() -> None:
        for player, date in players:
            simulate_player(player, date)

    def everything() -> None:
        for data in files:
            if not all(verdict.matches for verdict in verify_recording(read_tetrio_file(data))):
                raise SystemExit("a round came out otherwise than recorded")

    return {"game": rate(game), "play": rate(play), "all": rate(everything)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate TETR.IO replays.")
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    files = [path.read_bytes() for path in args.files] or [written(match("lost", "won"))]
    rates = measure(files, args.runs)
    if args.json:
        print(json.dumps(rates))
        return
    for what, rate in rates.items():
        print(f"{what:5} {rate:10,.0f} pieces/s")


if __name__ == "__main__":
    main()
