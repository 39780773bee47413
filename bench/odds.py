"""Measure the count of all queues: the six rows of the odds table, and all solutions.

    python bench/odds.py [--kicks NAME] [--threads N] [--sample N] [--solve] [--json]

Compares the rows under SRS with the published ones, and a sample of solvable and unsolvable
sequences with the solver for single queues; estimates the time of that solver
for all queues. --solve also writes the file of all four-line solutions and checks each of them
(1.4 GB in a temporary folder).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sevenbag._kernel import PcSolver
from sevenbag.formats.pc_file import validate_file
from sevenbag.pc.sequences import count_sequences, sequence_at

PUBLISHED = [
    (0, 5_040),
    (5_148, 154_980),
    (15_132, 378_420),
    (4_233_600, 4_233_600),
    (57_576_960, 57_576_960),
    (196_794_376, 196_862_400),
]
PUBLISHED_IMPOSSIBLE = 62_834


def run(folder: str, *words: str) -> tuple[str, float, float, int]:
    """Run a command; return its output, seconds, processor seconds and peak memory in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    command = [sys.executable, "-m", "sevenbag", "pc", *words]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return done.stdout, seconds, used, after.ru_maxrss // unit


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise SystemExit(f"{what}: {found}, must be {wanted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kicks", default="srs")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--sample", type=int, default=500, metavar="N")
    parser.add_argument("--solve", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    options = ["--kicks", args.kicks, "--threads", str(args.threads)]
    with tempfile.TemporaryDirectory() as folder:
        out, seconds, used, memory = run(folder, "odds", *options, "--json", "--impossible", "list")
        impossible = set((Path(folder) / "list").read_text().split())
        rows = [(row["possible"], row["total"]) for row in json.loads(out)["rows"]]
        if args.kicks == "srs":
            expect("rows", rows, PUBLISHED)
            expect("impossible sequences", len(impossible), PUBLISHED_IMPOSSIBLE)
        figures: dict[str, object] = {
            "kicks": args.kicks,
            "threads": args.threads,
            "rows": rows,
            "impossible": len(impossible),
            "seconds": round(seconds, 1),
            "processor_seconds": round(used, 1),
            "peak_memory_mib": memory,
        }

        rng = random.Random(1)
        total = count_sequences(10)
        queues = [
            "".join(piece.name for piece in sequence_at(10, rng.randrange(total)))
            for _ in range(args.sample)
        ]
        solver = PcSolver(args.kicks)
        times = 0.0
        for queue, (microseconds, found) in zip(
            queues, solver.time_queues(queues, 4, 1), strict=True
        ):
            expect(queue, found, queue not in impossible)
            times += microseconds
        some = rng.sample(sorted(impossible), min(args.sample, len(impossible)))
        for queue, (_, found) in zip(some, solver.time_queues(some, 4, 1), strict=True):
            expect(queue, found, False)
        one_by_one = times / len(queues) / 1e6 * total
        figures["one_by_one_processor_seconds"] = round(one_by_one)
        figures["times_faster"] = round(one_by_one / used, 1)

        if args.solve:
            _, seconds, used, memory = run(folder, "solve", *options, "--no-backup")
            (path,) = (Path(folder) / "pc-data").glob("*.pc")
            verdict = validate_file(path, [args.kicks])
            expect("good solutions", verdict.solutions, total - len(impossible))
            figures |= {
                "solve_seconds": round(seconds, 1),
                "solve_processor_seconds": round(used, 1),
                "solve_peak_memory_mib": memory,
                "solutions": verdict.solutions,
            }
    if args.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):<30} {value}")


if __name__ == "__main__":
    main()
