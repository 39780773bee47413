"""The command ``sevenbag pc bench``: time the perfect clear solver on a file of queues."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import resource
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sevenbag._kernel import PC_MAX_HEIGHT, PcSolver, instruction_set
from sevenbag.cli.arguments import NETWORK_HELP, add_kicks_option, integer, load_kicks, open_text
from sevenbag.cli.signals import restore_default_interrupt
from sevenbag.errors import FormatError, QueueError
from sevenbag.pc.network import find_network
from sevenbag.pc.unsolvable_table import load_available_tables, load_table

_QUEUE: Final = re.compile("[IOTSZLJ]{6,}")
_LONGEST_LINE: Final = 10_000
_BATCH: Final = 64
"""Queues per call of the kernel."""


def configure_bench(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc bench``."""
    parser.add_argument("file", metavar="FILE", help="queues; - reads standard input")
    parser.add_argument(
        "--height",
        type=integer(2, PC_MAX_HEIGHT, even=True),
        default=4,
        help="even number of rows of the perfect clear; uses the first N*10/4+1 letters of a queue",
    )
    add_kicks_option(parser)
    parser.add_argument(
        "--repeat",
        type=integer(1),
        default=1,
        help="solve each queue N times and use the shortest time",
    )
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument(
        "--table", type=Path, help="table to use [default: those of sevenbag pc table build]"
    )
    tables.add_argument("--no-table", action="store_true", help="use no table")
    parser.add_argument("--nn", metavar="FILE", help=NETWORK_HELP)
    parser.add_argument("--json", action="store_true", help="print the JSON object only")


def run_bench(args: argparse.Namespace) -> int:
    """Solve every queue of a file from the empty field, one at a time in one thread, and time it.

    The queue of a line is its first run of six or more piece letters; lines that begin with # and
    lines without such a run are ignored. The first two letters are the two pieces to choose from:
    held and current, or current and next with an empty hold. The last line of the output is a JSON
    object.
    """
    restore_default_interrupt()
    solver = PcSolver(load_kicks(args.kicks))
    network = find_network(args.nn)
    if network is not None:
        solver.set_network(network.kernel)
    tables: list[Path] = []
    if args.table is not None:
        load_table(solver, args.table)
        tables = [args.table]
    elif not args.no_table:
        tables = load_available_tables(solver)
    times = array("d")
    solved = 0
    # The file may be of any length: only the times are stored.
    queues = _read_queues(args.file, args.height * 10 // 4 + 1)
    while batch := list(itertools.islice(queues, _BATCH)):
        for microseconds, found in solver.time_queues(batch, args.height, args.repeat):
            times.append(microseconds)
            solved += found
    if not times:
        raise FormatError(f"{args.file}: no line has six or more piece letters in a row")
    ordered = sorted(times)
    result = {
        "queues": len(times),
        "solved": solved,
        "none": len(times) - solved,
        "mean_us": round(sum(ordered) / len(ordered), 3),
        "median_us": round(_quantile(ordered, 0.5), 3),
        "p99_us": round(_quantile(ordered, 0.99), 3),
        "max_us": round(ordered[-1], 3),
        "peak_rss_kib": _peak_memory(),
        "height": args.height,
        "kicks": solver.kicks.name,
        "repeat": args.repeat,
        "instruction_set": instruction_set(),
        "tables": [str(path) for path in tables],
        "network": args.nn,
    }
    if not args.json:
        print(
            f"{result['queues']} queues, {args.height} lines, {result['kicks']}:"
            f" {solved} solved, {result['none']} without a perfect clear"
        )
        print(
            f"microseconds: mean {result['mean_us']}, median {result['median_us']}, p99"
            f" {result['p99_us']}, max {result['max_us']}; memory {result['peak_rss_kib']} KiB"
        )
    print(json.dumps(result))
    return 0


def _read_queues(file: str, length: int) -> Iterator[str]:
    """Yield the first `length` letters of the queue of each line."""
    try:
        # Invalid UTF-8 is replaced; only piece letters matter.
        with open_text(file) as lines:
            number = 0
            while line := lines.readline(_LONGEST_LINE):
                number += 1
                if line.startswith("#") or (found := _QUEUE.search(line)) is None:
                    continue
                if len(found[0]) < length:
                    raise QueueError(
                        f"{file}, line {number}: {found[0]} has {len(found[0])} pieces, this height"
                        f" needs {length}"
                    )
                yield found[0][:length]
    except OSError as error:
        raise FormatError(f"{file}: {error.strerror or error}") from None


def _quantile(ordered: list[float], share: float) -> float:
    """Return the smallest value that is not smaller than this share of all."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _peak_memory() -> int:
    """Return the peak memory of this process in KiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak
