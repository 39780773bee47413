"""Measure the check of .pc files: records per second on one core.

    python bench/pc_file.py [FILE] [--runs N] [--json]

FILE is a file of perfect clears; the default is 500,000 copies of a solution of ten pieces, one of
which needs a kick. Prints the best of the runs: with reachability under SRS, under one of the
two default systems of `sevenbag pc validate`, and without reachability.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from sevenbag.formats.pc_file import ANY_KICKS, validate_file

# LSTIZJOSJIO, as perfect-tetris 1.3.2 solves it.
SOLUTION = bytes.fromhex("9d406746feff1b002048946a1400340c3400")
COPIES = 500_000

WAYS = {"srs": ("srs",), "any": ANY_KICKS, "no reachability": ()}


def measured(path: Path, runs: int) -> dict[str, float]:
    """Return millions of records per second for each kind of check."""
    rates = {}
    for name, kicks in WAYS.items():
        best = 0.0
        for _ in range(runs):
            began = time.perf_counter()
            verdict = validate_file(path, kicks)
            best = max(best, verdict.solutions / (time.perf_counter() - began) / 1e6)
            assert not verdict.describe_fault(), verdict.describe_fault()
        rates[name] = round(best, 2)
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = args.file
        if path is None:
            path = Path(folder) / "copies.pc"
            path.write_bytes(SOLUTION * COPIES)
        rates = measured(path, args.runs)
    if args.json:
        print(json.dumps({"millions_of_records_a_second": rates}))
        return
    for name, rate in rates.items():
        print(f"{name:16} {rate:6.2f} million records per second")


if __name__ == "__main__":
    main()
