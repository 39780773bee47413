"""``sevenbag pc bench FILE``: solve a file of queues and say how long that takes."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import signal
import sys
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import PC_MAX_HEIGHT, PcSolver, instruction_set
from sevenbag.cli.arguments import count, named_kicks
from sevenbag.cli.pc.network import HELP, network_at
from sevenbag.cli.pc.question import open_text
from sevenbag.errors import FormatError, QueueError
from sevenbag.pc.table import use_table, use_tables_found

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUEUE: Final = re.compile("[IOTSZLJ]{6,}")
_LONGEST_LINE: Final = 10_000
_PART: Final = 64
"""Queues that the kernel solves before it comes back to Python."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Solves every queue of a file from the empty field, one at a time in one thread, and times"
        " it. A line's queue is its first run of six or more piece letters, so that tables work as"
        " they are; lines that begin with # and lines without such a run are left out. The first"
        " two letters are the two pieces to choose from: held and current, or current and next"
        " with an empty hold. The last line of the output is a JSON object."
    )
    parser.add_argument("file", metavar="FILE", help="queues; - reads standard input")
    parser.add_argument(
        "--height",
        type=_height,
        default=4,
        metavar="N",
        help="rows of the perfect clears, an even number; the first N*10/4+1 letters of a queue"
        " count (default: %(default)s)",
    )
    parser.add_argument(
        "--kicks",
        default="srs+",
        metavar="NAME|FILE",
        help="rotation system, or a TOML file of your own (default: %(default)s)",
    )
    parser.add_argument(
        "--repeat",
        type=count,
        default=1,
        metavar="R",
        help="solve each queue R times; the shortest time counts (default: %(default)s)",
    )
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument(
        "--table",
        type=Path,
        metavar="FILE",
        help="use this table (default: those that sevenbag pc table build has made)",
    )
    tables.add_argument("--no-table", action="store_true", help="use no table")
    parser.add_argument("--nn", metavar="PATH", help=HELP)
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")


def run(args: argparse.Namespace) -> int:
    """Solve the queues and print the figures."""
    # The kernel solves some queues at a time: let Ctrl-C end the program itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    solver = PcSolver(named_kicks(args.kicks))
    network = network_at(args.nn)
    if network is not None:
        solver.order_by(network.kernel)
    tables: list[Path] = []
    if args.table is not None:
        use_table(solver, args.table)
        tables = [args.table]
    elif not args.no_table:
        tables = use_tables_found(solver)
    times = array("d")
    solved = 0
    # A file of any length: only its times are kept.
    queues = _queues(args.file, args.height * 10 // 4 + 1)
    while part := list(itertools.islice(queues, _PART)):
        for microseconds, found in solver.time(part, args.height, args.repeat):
            times.append(microseconds)
            solved += found
    if not times:
        raise FormatError(f"{args.file}: no line has six or more piece letters in a row")
    ordered = sorted(times)
    figures = {
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
            f"{figures['queues']} queues, {args.height} lines, {figures['kicks']}:"
            f" {solved} solved, {figures['none']} without a perfect clear"
        )
        print(
            f"microseconds: mean {figures['mean_us']}, median {figures['median_us']}, p99"
            f" {figures['p99_us']}, max {figures['max_us']}; memory {figures['peak_rss_kib']} KiB"
        )
    print(json.dumps(figures))
    return 0


def _height(text: str) -> int:
    """An even number of rows: only these are filled by whole pieces from the empty field."""
    number = count(text)
    if number % 2 or number > PC_MAX_HEIGHT:
        raise argparse.ArgumentTypeError(f"{text!r} is no even number from 2 to {PC_MAX_HEIGHT}")
    return number


def _queues(file: str, length: int) -> Iterator[str]:
    """The first `length` letters of each line's queue."""
    try:
        # Only the letters matter: what is not UTF-8 is no queue.
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
    """The smallest value that is not smaller than this share of all."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _peak_memory() -> int:
    """The most memory this process has had, in KiB; 0 where that is not known."""
    try:
        import resource  # noqa: PLC0415  # not on every system
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak
