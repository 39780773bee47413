"""Measure bulk-counted perft: leaves per second on one core, for queues of tests/data/perft.json.

    python bench/perft.py [--runs N] [--json]

Prints the median over the runs and checks each count. For comparisons between machines it also
measures 10^9 dependent additions. Then it compares one thread with two on one queue.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from sevenbag import SpinMode, perft
from sevenbag._kernel import instruction_set

PUBLISHED = Path(__file__).parent.parent / "tests" / "data" / "perft.json"
RULES = {"A": ("srs", SpinMode.NONE), "C": ("srs+", SpinMode.T_SPINS)}
# Smaller counts are too fast to measure.
LEAST_LEAVES = 30_000_000
THREADS_LEAVES = 67_002_200

ADDS = """
#include <cstdint>
int main() {
    std::uint64_t x = 1;
    for (int i = 0; i < 1000000000; ++i) asm volatile("" : "+r"(x += 3));
    return static_cast<int>(x & 1);
}
"""


def dependent_adds() -> float:
    """Return the seconds of 10^9 dependent additions."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "adds.cpp", Path(folder) / "adds"
        source.write_text(ADDS)
        subprocess.run([os.environ.get("CXX") or "c++", "-O2", source, "-o", program], check=True)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([program], check=False)
            times.append(time.perf_counter() - start)
    return min(times)


def two_threads(runs: int) -> dict[str, float]:
    """Compare one thread with two on IOLJSZ at depth 6, in alternating runs.

    The ratio of processor seconds shows the cost of sharing the work, also on a busy machine.
    """
    seconds: dict[int, list[float]] = {1: [], 2: []}
    processor: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(max(runs, 5)):
        for threads in (1, 2):
            start, used = time.perf_counter(), time.process_time()
            leaves = perft("IOLJSZ", threads=threads)
            seconds[threads].append(time.perf_counter() - start)
            processor[threads].append(time.process_time() - used)
            if leaves != THREADS_LEAVES:
                raise SystemExit(f"{threads} threads: {leaves}, must be {THREADS_LEAVES}")
    one, two = (statistics.median(times) for times in seconds.values())
    used_by_one, used_by_two = (statistics.median(times) for times in processor.values())
    return {
        "one_seconds": round(one, 4),
        "two_seconds": round(two, 4),
        "ratio": round(one / two, 2),
        "processor_ratio": round(used_by_two / used_by_one, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    adds = dependent_adds()
    rows = []
    for entry in json.loads(PUBLISHED.read_text())["counts"]:
        kicks, spins = RULES[entry["rules"]]
        spawn = (4, entry.get("spawn_row", 19))
        depth, expected = max((int(d), n) for d, n in entry["by_depth"].items())
        if expected < LEAST_LEAVES:
            continue
        seconds = []
        for _ in range(args.runs):
            start = time.perf_counter()
            leaves = perft(entry["queue"], depth, kicks, spins=spins, spawn=spawn)
            seconds.append(time.perf_counter() - start)
            if leaves != expected:
                raise SystemExit(f"{entry['queue']} depth {depth}: {leaves}, must be {expected}")
        rows.append(
            {
                "queue": entry["queue"],
                "rules": entry["rules"],
                "spawn_row": spawn[1],
                "depth": depth,
                "leaves": expected,
                "median_seconds": round(statistics.median(seconds), 4),
                "leaves_per_second": round(expected / statistics.median(seconds)),
            }
        )
    scaling = two_threads(args.runs)
    if args.json:
        data = {"dependent_adds_seconds": round(adds, 3), "queues": rows, "threads": scaling}
        print(json.dumps(data))
        return
    print(f"{instruction_set()}, one thread; 10^9 dependent adds take {adds:.2f} s")
    print(f"{'queue':<8} {'rules':<5} {'spawn':>5} {'depth':>5} {'leaves':>14} {'median M/s':>11}")
    for row in rows:
        print(
            f"{row['queue']:<8} {row['rules']:<5} {row['spawn_row']:>5} {row['depth']:>5}"
            f" {row['leaves']:>14,} {row['leaves_per_second'] / 1e6:>11,.0f}"
        )
    print(
        f"IOLJSZ: {scaling['one_seconds']} s with one thread, {scaling['two_seconds']} s with two:"
        f" speed-up {scaling['ratio']}, {scaling['processor_ratio']} times the processor"
        f" time; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
