"""The command ``sevenbag perft``: count the placement sequences of a queue, and time it."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from sevenbag._kernel import Board, Kicks, SpinMode, instruction_set, perft, spin_mode_name
from sevenbag.cli.arguments import KICKS_HELP, add_json_option, integer, load_kicks
from sevenbag.errors import PlacementError, QueueError

_SPINS: Final = {spin_mode_name(mode).lower(): mode for mode in SpinMode}
_LARGEST: Final = 1_000_000
"""Sizes up to this one reach the kernel, which refuses those that it cannot use."""


def configure_perft(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag perft``."""
    parser.add_argument("queue", metavar="QUEUE", help="piece letters, such as IOLJSZT")
    parser.add_argument("--depth", type=integer(1), help="place the first N pieces [default: all]")
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help=f"{KICKS_HELP}; names: {', '.join(Kicks.names())}, each also 'without 180'",
    )
    parser.add_argument(
        "--spins",
        type=str.lower,
        choices=_SPINS,
        default="none",
        help="count placements with different spins (none, mini, full) separately",
    )
    size = integer(1, _LARGEST)
    parser.add_argument("--width", type=size, default=10, help="columns")
    parser.add_argument("--rows", type=size, default=40, help="rows")
    parser.add_argument(
        "--spawn",
        type=_cell,
        default=(4, 19),
        metavar="X,Y",
        help="cell of a new piece's origin, mostly its centre [default: 4,19]",
    )
    parser.add_argument("--threads", type=size, default=1, help="threads")
    add_json_option(parser)


def run_perft(args: argparse.Namespace) -> int:
    """Count the ways to place a queue of pieces one after another, without hold.

    These are all locks that shifts, single-row drops and rotations reach. Placements that fill the
    same cells count once. Full rows are removed; equal boards are not merged. The placements of the
    last piece are counted, not listed.
    """
    kicks = load_kicks(args.kicks)
    board = Board(args.width, args.rows)
    depth = len(args.queue) if args.depth is None else args.depth
    if not args.queue:
        raise QueueError("invalid queue: expected piece letters such as IOLJSZT, got none")
    if not 1 <= depth <= len(args.queue):
        raise QueueError(
            f"depth {depth} needs {depth} pieces, {args.queue!r} has {len(args.queue)}"
        )
    # Raises errors of the arguments before anything is printed.
    perft(args.queue, 0, spawn=args.spawn, threads=args.threads)
    _check_spawn(args.queue, kicks, args.spawn, board)
    if not args.json:
        print(
            f"{args.queue.upper()}, {kicks.name}, board {board.width}x{board.rows}, spawn"
            f" ({args.spawn[0]}, {args.spawn[1]}), spins {args.spins}, {instruction_set()},"
            f" {args.threads} thread{'s' if args.threads > 1 else ''}"
        )
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
            rate = f"{leaves / seconds / 1e6:,.1f} M"
            print(f"{ply:>5} {leaves:>20,} {seconds:>10.3f} {rate:>12}", flush=True)
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


def _check_spawn(queue: str, kicks: Kicks, spawn: tuple[int, int], board: Board) -> None:
    """Check that every piece fits at its spawn on the empty board."""
    x, y = spawn
    for letter in dict.fromkeys(queue.upper()):
        if not board.fits(kicks.spawn_at(letter, x, y)):
            raise PlacementError(
                f"spawn ({x}, {y}): {letter} does not fit there on a board of {board.width} columns"
                f" and {board.rows} rows"
            )


def _cell(text: str) -> tuple[int, int]:
    try:
        x, y = (int(part) for part in text.split(","))
        if max(abs(x), abs(y)) > _LARGEST:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a cell such as 4,19, got {text!r}") from None
    return x, y
