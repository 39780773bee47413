"""``sevenbag pc count-seq``: how many different queues there are of each length."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from sevenbag.pc.sequences import LONGEST, count, count_published

_SHORTEST: Final = 0
_TO: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Counts the sequences of each length: a held piece, and as many pieces as the length says"
        " out of a stream of 7-bags, begun anywhere; sequences that differ only in which of held"
        " and current piece is held count once."
    )
    parser.add_argument(
        "--to",
        type=_length,
        default=_TO,
        metavar="N",
        help=f"the last length, at most {LONGEST} (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(args: argparse.Namespace) -> int:
    """Count and print."""
    rows: list[dict[str, float]] = []
    if not args.json:
        print(f"{'Length':>6} {'Non-equivalent':>22} {'Duration':>10}", flush=True)
    for length in range(_SHORTEST, args.to + 1):
        begun = time.perf_counter()
        published = count_published(length)
        seconds = time.perf_counter() - begun
        every = count(length)
        rows.append(
            {"length": length, "non_equivalent": published, "all": every, "seconds": seconds}
        )
        if not args.json:
            mark = "*" if every != published else ""
            print(f"{length:>6} {published:>22,} {_duration(seconds):>10}{mark}", flush=True)
    if args.json:
        print(json.dumps({"sequences": rows}))
    else:
        for row in rows:
            if row["all"] != row["non_equivalent"]:
                print(
                    f"* as perfect-tetris counts, which at length {row['length']} leaves out the"
                    " windows of one piece and then whole bags that nothing else deals:"
                    f" {row['all']:,} with them"
                )
    return 0


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _length(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not _SHORTEST <= number <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {LONGEST}")
    return number
