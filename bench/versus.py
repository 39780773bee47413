"""Measure versus games of random players in the kernel: placements per second of both players.

    python bench/versus.py [--runs N] [--games N] [--json]

Random players hardly ever clear rows. Therefore the same is measured with players that choose the
lowest of eight random placements, under rules that send four lines for every row, so that garbage
enters all the time. Medians over the runs, by wall time and by processor time; the latter
is the speed of one core on a shared machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

from sevenbag._kernel import instruction_set, play_random_versus
from sevenbag.game import Rules
from sevenbag.game.rules import compile_rules

HEAVY = {"attack": {"none": [0, 4, 8, 12, 16]}}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    guideline = Rules.preset("guideline")
    tasks = (
        ("guideline, random", guideline, 1),
        ("guideline, lowest of 8", guideline, 8),
        ("heavy, lowest of 8", guideline.replace(HEAVY), 8),
    )
    rows: list[dict[str, Any]] = []
    for name, rules, draws in tasks:
        for threads in (1, 2):
            seconds, busy = [], []
            played: dict[str, int] = {}
            for _ in range(args.runs):
                start, used = time.perf_counter(), time.process_time()
                played = play_random_versus(
                    compile_rules(rules), 1, args.games, samples=draws, threads=threads
                )
                seconds.append(time.perf_counter() - start)
                busy.append(time.process_time() - used)
            rows.append(
                {
                    "task": name,
                    "threads": threads,
                    "placements": played["placements"],
                    "lines": played["lines"],
                    "garbage": played["garbage"],
                    "per_second": round(played["placements"] / statistics.median(seconds)),
                    "per_core_second": round(played["placements"] / statistics.median(busy)),
                }
            )
    if args.json:
        print(json.dumps({"instruction_set": instruction_set(), "rows": rows}))
        return
    print(f"{instruction_set()}, median of {args.runs} runs of {args.games} games")
    titles = f"{'threads':>7} {'rows cleared':>12} {'garbage rows':>12} {'M/s':>6} {'M/core s':>8}"
    print(f"{'task':<24} {titles}")
    for row in rows:
        print(
            f"{row['task']:<24} {row['threads']:>7} {row['lines']:>12,} {row['garbage']:>12,}"
            f" {row['per_second'] / 1e6:>6.2f} {row['per_core_second'] / 1e6:>8.2f}"
        )


if __name__ == "__main__":
    main()
