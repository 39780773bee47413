"""Measure the perfect-clear solver: 200 published queues, random queues, proofs of no solution.

    python bench/pc.py [--queues N] [--json]

From the empty field, with one thread and without tables. The time of a queue is the minimum of
three.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from pathlib import Path

from sevenbag._kernel import PcSolver

DATA = Path(
    os.environ.get("SEVENBAG_TRUTH", Path(__file__).resolve().parents[2] / "shared" / "data")
)
REPEAT = 3


def queue(rng: random.Random, pieces: int, *, opener: bool) -> str:
    """Return the start of a stream of 7-bags; or a held piece and a window of the stream."""
    stream = "".join("".join(rng.sample("IOTLJSZ", 7)) for _ in range(4))
    if opener:
        return stream[:pieces]
    phase = rng.randrange(7)
    return rng.choice("IOTLJSZ") + stream[phase : phase + pieces - 1]


def named_queues(count: int) -> dict[tuple[str, int, str], list[str]]:
    """Return queues by description, height and rotation system."""
    rng = random.Random(1)
    found: dict[tuple[str, int, str], list[str]] = {}
    first = DATA / "pc" / "first_pc_200.txt"
    if first.exists():
        lines = [line.split("\t")[1] for line in first.read_text().splitlines() if line[0] != "#"]
        found["the field's 200 queues", 4, "srs+"] = [line[:11] for line in lines]
        found["the field's 200 queues", 6, "srs+"] = [line[:16] for line in lines]
    for height, kicks in ((4, "srs+"), (6, "srs+"), (4, "srs"), (6, "srs")):
        pieces = height * 10 // 4 + 1
        queues = [queue(rng, pieces, opener=True) for _ in range(count)]
        found["first bags", height, kicks] = queues
        queues = [queue(rng, pieces, opener=False) for _ in range(count)]
        found["any hold, any window", height, kicks] = queues
    none = DATA / "pc" / "no_pc_sample.txt"
    if none.exists():
        for kicks in ("srs", "srs+"):
            found["proofs of none", 4, kicks] = none.read_text().split()[:1000]
    queues = [queue(rng, 6, opener=False) for _ in range(10 * count)]
    found["two lines, any hold and window", 2, "srs"] = queues
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queues", type=int, default=2000, metavar="N", help="random queues")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for (name, height, kicks), queues in named_queues(args.queues).items():
        times = PcSolver(kicks).time_queues(queues, height, REPEAT)
        spent = sorted(microseconds for microseconds, _ in times)
        rows.append(
            {
                "queues": name,
                "lines": height,
                "kicks": kicks,
                "count": len(spent),
                "none": sum(not found for _, found in times),
                "mean_us": round(sum(spent) / len(spent), 1),
                "median_us": round(spent[len(spent) // 2], 1),
                "p99_us": round(spent[len(spent) * 99 // 100], 1),
                "max_us": round(spent[-1], 1),
            }
        )
    if args.json:
        print(json.dumps(rows))
        return
    print(
        f"{'queues':<31} {'lines':>5} {'kicks':<5} {'count':>6} {'none':>5} {'mean, us':>9}"
        f" {'median':>8} {'p99':>8} {'max':>9}"
    )
    for row in rows:
        print(
            f"{row['queues']:<31} {row['lines']:>5} {row['kicks']:<5} {row['count']:>6}"
            f" {row['none']:>5} {row['mean_us']:>9} {row['median_us']:>8} {row['p99_us']:>8}"
            f" {row['max_us']:>9}"
        )


if __name__ == "__main__":
    main()
