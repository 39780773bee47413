"""Perft, bulk-counted: leaves a second on one core, for every deep queue of tests/data/perft.json.

    python bench/perft.py [--runs N] [--json]

Prints the median over the runs, checks each count, and says how fast this machine adds: the time
of 10^9 additions that depend on one another, by which figures of different machines compare. Then
counts one queue with one thread and with two, turn by turn, and says how much faster two are.
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
# Shallower counts are over before a clock can tell.
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
    """Seconds that 10^9 dependent additions take here."""
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
    """IOLJSZ at depth 6 with one thread and with two, in turn, so that both meet the same noise.

    Processor seconds tell what sharing the work costs, on a busy machine, too: as many with two
    threads as with one, and an idle machine is done in half the time.
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
    print(f"{instruction_set()}, one thread; 10^9 dependent adds take {adds:.2f} s here")
    print(f"{'queue':<8} {'rules':<5} {'spawn':>5} {'depth':>5} {'leaves':>14} {'median M/s':>11}")
    for row in rows:
        print(
            f"{row['queue']:<8} {row['rules']:<5} {row['spawn_row']:>5} {row['depth']:>5}"
            f" {row['leaves']:>14,} {row['leaves_per_second'] / 1e6:>11,.0f}"
        )
    print(
        f"IOLJSZ: {scaling['one_seconds']} s with one thread, {scaling['two_seconds']} s with two,"
        f" {scaling['ratio']} times as fast, for {scaling['processor_ratio']} times the processor"
        f" time; {os.cpu_count()} processors here, {os.getloadavg()[0]:.1f} programs at work"
    )


if __name__ == "__main__":
    main()
