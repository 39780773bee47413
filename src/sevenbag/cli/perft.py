"""``sevenbag perft QUEUE``: count the ways to place a queue of pieces, and how fast that went."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

from sevenbag._kernel import (
    Board,
    Kicks,
    SpinMode,
    instruction_set,
    perft,
    spin_mode_name,
)
from sevenbag.cli.arguments import count, named_kicks
from sevenbag.errors import PlacementError, QueueError

if TYPE_CHECKING:
    from sevenbag.cli.main import Subparsers

_SPINS = {spin_mode_name(mode).lower(): mode for mode in SpinMode}
_LARGEST = 1_000_000


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "perft",
        help="count the ways to place a queue of pieces",
        description="Counts the ways to place a queue of pieces one after another, without hold:"
        " every resting place that shifts, single-row drops and rotations reach. Placements that"
        " fill the same cells are one. Full rows are removed; equal boards are not merged. The"
        " last piece's placements are counted, not listed.",
    )
    parser.add_argument("queue", metavar="QUEUE", help="piece letters, such as IOLJSZT")
    parser.add_argument(
        "--depth", type=count, metavar="N", help="place the first N pieces (default: all)"
    )
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help=f"rotation system: {', '.join(Kicks.names())}, any of them 'without 180', or a TOML"
        " file of your own (default: %(default)s)",
    )
    parser.add_argument(
        "--spins",
        type=str.lower,
        choices=_SPINS,
        default="none",
        help="placements that differ in spin (none, mini, full) count apart",
    )
    parser.add_argument(
        "--width", type=_small, default=10, metavar="N", help="columns (default: 10)"
    )
    parser.add_argument("--rows", type=_small, default=40, metavar="N", help="rows (default: 40)")
    parser.add_argument(
        "--spawn",
        type=_cell,
        default=(4, 19),
        metavar="X,Y",
        help="where a piece's origin, mostly its centre, appears (default: 4,19)",
    )
    parser.add_argument("--threads", type=_small, default=1, metavar="N", help="default: 1")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(args: argparse.Namespace) -> int:
    """Count every depth up to the one asked for."""
    kicks = named_kicks(args.kicks)
    board = Board(args.width, args.rows)
    depth = len(args.queue) if args.depth is None else args.depth
    if not args.queue:
        raise QueueError("the queue is empty; expected piece letters such as IOLJSZT")
    if not 1 <= depth <= len(args.queue):
        raise QueueError(
            f"depth {depth} needs {depth} pieces, {args.queue!r} has {len(args.queue)}"
        )
    # Names what is wrong before anything is printed.
    perft(args.queue, 0, spawn=args.spawn, threads=args.threads)
    _expect_room(args.queue, kicks, args.spawn, board)
    where = (
        f"{args.queue.upper()}, {kicks.name}, board {board.width}x{board.rows}, spawn"
        f" ({args.spawn[0]}, {args.spawn[1]}), spins {args.spins}, {instruction_set()},"
        f" {args.threads} thread{'s' if args.threads > 1 else ''}"
    )
    if not args.json:
        print(where)
        print(f"{'depth':>5} {'leaves':>20} {'seconds':>10} {'leaves/s':>12}", flush=True)
    leaves, seconds = 0, 0.0
    for ply in range(1, depth + 1):
        start = time.perf_counter()
        leaves = perft(
            args.queue,
            ply,
            kicks,
            board=board,
            spins=_SPINS[args.spins],
            spawn=args.spawn,
            threads=args.threads,
        )
        seconds = time.perf_counter() - start
        if not args.json:
            print(
                f"{ply:>5} {leaves:>20,} {seconds:>10.3f} {_rate(leaves, seconds):>12}", flush=True
            )
    if args.json:
        print(
            json.dumps(
                {
                    "queue": args.queue.upper(),
                    "depth": depth,
                    "leaves": leaves,
                    "seconds": round(seconds, 6),
                    "leaves_per_second": round(leaves / seconds),
                    "kicks": kicks.name,
                    "spins": args.spins,
                    "threads": args.threads,
                    "instruction_set": instruction_set(),
                }
            )
        )
    return 0


def _expect_room(queue: str, kicks: Kicks, spawn: tuple[int, int], board: Board) -> None:
    """A piece that cannot appear has no placements; on an empty board that is a mistake."""
    x, y = spawn
    for letter in dict.fromkeys(queue.upper()):
        if not board.fits(kicks.appear(letter, x, y)):
            raise PlacementError(
                f"spawn ({x}, {y}): {letter} does not fit there on a board of {board.width} columns"
                f" and {board.rows} rows"
            )


def _rate(leaves: int, seconds: float) -> str:
    return f"{leaves / seconds / 1e6:,.1f} M"


def _small(text: str) -> int:
    """A whole number from 1, of a size that the kernel can refuse by name."""
    number = count(text)
    if number > _LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {_LARGEST}")
    return number


def _cell(text: str) -> tuple[int, int]:
    try:
        x, y = (int(part) for part in text.split(","))
        if max(abs(x), abs(y)) > _LARGEST:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no cell such as 4,19") from None
    return x, y
