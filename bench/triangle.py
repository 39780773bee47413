"""Measure built-in bots on a Triangle.js host: start, and overhead of a move.

    python bench/triangle.py [--runs N] [--pieces N] [--json]

"start" is the time from the launch, with an empty environment, to `info`; "python" the same
for an interpreter that does nothing else. "move" is the time of an answer of a bot that
searches very little; "keys" is the part of it that finds the keys. Medians in milliseconds of
wall time, to be compared with each other on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sevenbag.game import Game, Rules
from sevenbag.protocols.triangle.triangle_keys import find_keys
from tests.fakes.triangle_host import Host, Room

SERVED = [sys.executable, "-P", "-m", "sevenbag", "serve", "random:seed=1", "--as", "triangle"]
BARE = [sys.executable, "-I", "-c", "print(flush=True)"]


def started(command: list[str], runs: int) -> float:
    """Return the milliseconds to the first output."""
    times: list[float] = []
    for _ in range(runs):
        begun = time.perf_counter()
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={}
        ) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def moved(pieces: int) -> float:
    """Return the milliseconds from a request to its answer."""
    times: list[float] = []
    while len(times) < pieces:
        with Host(SERVED, Room(), seed=len(times)) as host:
            host.play(10, 60)
            # The first answer is `info`.
            times += [seconds * 1000 for seconds in host.waited[1:]]
    return statistics.median(times)


def found(pieces: int) -> float:
    """Return the milliseconds to find the keys of a move."""
    rules = Rules.preset("tetrio-league")
    times: list[float] = []
    game = Game(rules, 1)
    for seed in range(pieces):
        game = Game(rules, seed) if game.over else game
        move = min(game.placements(hold=False), key=lambda place: place.y)
        begun = time.perf_counter()
        find_keys(game.board, move, rules, hold=False)
        times.append((time.perf_counter() - begun) * 1000)
        game.play(move)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--pieces", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = {
        "python": started(BARE, args.runs),
        "start": started(SERVED, args.runs),
        "move": moved(args.pieces),
        "keys": found(args.pieces),
    }
    if args.json:
        print(json.dumps(figures))
        return
    for name, milliseconds in figures.items():
        print(f"{name:8}{milliseconds:8.2f} ms")


if __name__ == "__main__":
    main()
