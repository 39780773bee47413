"""Measure ``pc fumen`` for one field, as a whole process.

    python bench/pc_fumen.py [--runs N] [--json]

Prints the median and the maximum of the runs, and for comparison those of an interpreter that
does nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

# The empty field, LSTIZJOSJIO.
FUMEN = "v115@vhAAgWeAFLDmClcJSAVDEHBEooRBMoAVBzeNFDK3jPCJHBAA"
PC = Path(sys.executable).with_name("pc")
PROGRAMS = {"pc fumen": [str(PC), "fumen", FUMEN], "python": [sys.executable, "-c", "pass"]}


def measured(words: list[str], runs: int) -> dict[str, float]:
    """Return the milliseconds of each run."""
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - began) * 1000)
    # The first run reads files that are not cached.
    del times[0]
    return {"median_ms": round(statistics.median(times), 1), "max_ms": round(max(times), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = {name: measured(words, args.runs) for name, words in PROGRAMS.items()}
    if args.json:
        print(json.dumps(results))
        return
    for name, result in results.items():
        print(f"{name:10} median {result['median_ms']:6} ms   longest {result['max_ms']:6} ms")


if __name__ == "__main__":
    main()
