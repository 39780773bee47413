"""Commands about all queues: ``sevenbag pc odds``, ``count-seq``, ``solve`` and ``table``."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import PcSolver
from sevenbag.cli.arguments import (
    add_json_option,
    add_kicks_option,
    add_save_option,
    add_threads_option,
    add_worker_options,
    integer,
    load_kicks,
    open_executor,
)
from sevenbag.cli.signals import raise_on_signals
from sevenbag.files import check_writable, write_atomically
from sevenbag.jobs.progress import ProgressLine
from sevenbag.pc.batch_solver import BatchProgress, solve_all_sequences
from sevenbag.pc.odds import PcOdds, PcOddsRow, compute_odds
from sevenbag.pc.sequences import MAX_LENGTH, count_published_sequences, count_sequences
from sevenbag.pc.tablebase import HEIGHTS, TablebaseProgress, check_memory, resolve_threads
from sevenbag.pc.unsolvable_table import build_table, find_table_path, load_table

if TYPE_CHECKING:
    from sevenbag._kernel import Kicks


_PERCENT_DIGITS: Final = 4


def configure_odds(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc odds``."""
    parser.add_argument(
        "--height", type=int, choices=HEIGHTS, help="rows of the perfect clear [default: all]"
    )
    add_kicks_option(parser)
    add_worker_options(parser, threads=True)
    parser.add_argument(
        "--impossible",
        type=Path,
        help="write the sequences without a perfect clear of the greatest height, sorted, one per"
        " line: held, current and next pieces; sequences that differ only in which of the first two"
        " is held are listed once",
    )
    add_json_option(parser)


def run_odds(args: argparse.Namespace) -> int:
    """Count all queues that have a perfect clear on the empty field, exactly.

    With nothing held, these are windows of n + 1 pieces for a perfect clear of n; with any held
    piece, windows of n pieces beside each. A window counts once for every way to cut 7-bags at it;
    openers begin with a bag. Four lines take some minutes on two processors and three gigabytes of
    memory.
    """
    kicks = load_kicks(args.kicks)
    heights = HEIGHTS if args.height is None else (args.height,)
    # Before minutes of work, not after them; on a cluster, the workers check their memory.
    if args.cluster is None:
        for height in heights:
            check_memory(height, args.workers or 1)
    if args.impossible is not None:
        check_writable(args.impossible)
    start = time.monotonic()
    found: dict[int, PcOdds] = {}
    with ProgressLine() as progress, open_executor(args) as executor:
        workers = None if executor is None else executor.workers
        for height in heights:
            found[height] = compute_odds(
                height,
                kicks,
                threads=args.threads,
                executor=executor,
                report=lambda now: progress.update(now.stage, now.fraction, now.seconds_left),
            )
    if args.impossible is not None:
        write_atomically(args.impossible, found[heights[-1]].unsolvable, replace=True)
    seconds = time.monotonic() - start
    if args.json:
        hands = (
            {"threads": resolve_threads(args.threads)} if workers is None else {"workers": workers}
        )
        print(json.dumps(_odds_to_dict(found, kicks, seconds) | hands))
    else:
        _print_odds(found, kicks)
    return 0


def _print_odds(found: dict[int, PcOdds], kicks: Kicks) -> None:
    print(f"{'type':<16} {'held':<5} {'kicks':<10} {'chance':>9}  count")
    for odds in found.values():
        for row in odds.rows:
            kind = f"{row.height}-line, opener" if row.opener else f"{row.height}-line"
            print(
                f"{kind:<16} {row.held:<5} {kicks.name:<10} {_format_percent(row):>9}"
                f"  {row.possible:,} of {row.total:,}"
            )


def _odds_to_dict(found: dict[int, PcOdds], kicks: Kicks, seconds: float) -> dict[str, object]:
    return {
        "kicks": kicks.name,
        "rows": [
            {
                "height": row.height,
                "opener": row.opener,
                "held": row.held,
                "possible": row.possible,
                "total": row.total,
                "chance": row.fraction,
            }
            for odds in found.values()
            for row in odds.rows
        ],
        "impossible_sequences": {
            str(height): odds.unsolvable.count(b"\n") for height, odds in found.items()
        },
        "seconds": round(seconds, 3),
    }


def _format_percent(row: PcOddsRow) -> str:
    """Round a chance, but never to 0 or 100 % unless it is exactly that."""
    text = f"{100 * row.fraction:.{_PERCENT_DIGITS}f}"
    if float(text) in (0, 100) and 0 < row.possible < row.total:
        return f"<{text}%" if float(text) == 100 else f">{text}%"
    return f"{text.rstrip('0').rstrip('.')}%"


def configure_count_seq(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc count-seq``."""
    parser.add_argument(
        "--max-length", type=integer(0, MAX_LENGTH), default=20, help="longest queue"
    )
    add_json_option(parser)


def run_count_seq(args: argparse.Namespace) -> int:
    """Count the sequences of each length.

    A sequence is a held piece and that many pieces of a stream of 7-bags, from any point on.
    Sequences that differ only in which of held and current piece is held count once.
    """
    rows: list[dict[str, float]] = []
    if not args.json:
        print(f"{'Length':>6} {'Non-equivalent':>22} {'Duration':>10}", flush=True)
    for length in range(args.max_length + 1):
        start = time.perf_counter()
        published = count_published_sequences(length)
        seconds = time.perf_counter() - start
        every = count_sequences(length)
        rows.append(
            {"length": length, "non_equivalent": published, "all": every, "seconds": seconds}
        )
        if not args.json:
            mark = "*" if every != published else ""
            duration = f"{seconds * 1000:.2f} ms"
            print(f"{length:>6} {published:>22,} {duration:>10}{mark}", flush=True)
    if args.json:
        print(json.dumps({"sequences": rows}))
        return 0
    for row in rows:
        if row["all"] != row["non_equivalent"]:
            print(
                f"* as perfect-tetris counts, which at length {row['length']} omits the windows of"
                " one piece and then whole bags that nothing else deals:"
                f" {row['all']:,} with them"
            )
    return 0


def configure_solve(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc solve``."""
    parser.add_argument(
        "--height", type=int, choices=(2, 4, 6), default=4, help="rows of the perfect clear"
    )
    parser.add_argument(
        "--limit",
        type=integer(1),
        help="end after N sequences, or a few more; required for six rows, which have"
        " 58,154,216,400",
    )
    add_kicks_option(parser)
    add_worker_options(parser, threads=True)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("pc-data"),
        metavar="FOLDER",
        help="folder of the results",
    )
    parser.add_argument("--no-backup", action="store_true", help="store no copies")
    add_save_option(parser)


def run_solve(args: argparse.Namespace) -> int:
    """Find a perfect clear of the empty field for every sequence that 7-bags deal.

    A sequence is held, current and next pieces. The solutions are written to FOLDER/HEIGHT.pc
    (FOLDER/HEIGHT-NAME.pc under another rotation system than srs), with the number of finished
    sequences beside it and copies of both. A run continues after any interruption. Four lines are
    79,516,080 sequences: 1.4 GB, twice that with the copies, and three gigabytes of memory.
    """
    # Results are saved before the program ends.
    raise_on_signals()
    kicks = load_kicks(args.kicks)
    if args.workers is not None and args.height in HEIGHTS:
        check_memory(args.height, args.workers)
    with ProgressLine() as progress, open_executor(args) as executor:

        def prepare(now: TablebaseProgress) -> None:
            progress.update(f"preparing: {now.stage}", now.fraction, now.seconds_left)

        def report(tally: BatchProgress) -> None:
            progress.update(
                f"solved {tally.solved:,} of {tally.done:,}, {tally.total:,} in all",
                tally.done / tally.total,
                tally.seconds_left if args.limit is None else None,
            )

        tally = solve_all_sequences(
            args.folder,
            args.height,
            kicks,
            limit=args.limit,
            threads=args.threads,
            executor=executor,
            backup=not args.no_backup,
            save_every=args.save_every,
            preparing=prepare,
            report=report,
        )
    print(f"Solved {tally.solved:,} out of {tally.done:,}")
    return 0


def configure_table_build(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc table build``."""
    _add_table_options(parser)
    add_threads_option(parser)


def run_table_build(args: argparse.Namespace) -> int:
    """Count all queues, as sevenbag pc odds does, and write those without a perfect clear.

    Four lines take some minutes on two processors and three gigabytes of memory.
    """
    kicks = load_kicks(args.kicks)
    path: Path = args.file or find_table_path(args.height, kicks)
    check_memory(args.height)
    with ProgressLine() as progress:
        build_table(
            args.height,
            kicks,
            path,
            threads=args.threads,
            report=lambda now: progress.update(now.stage, now.fraction, now.seconds_left),
        )
    return run_table_show(args)


def configure_table_show(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc table show``."""
    _add_table_options(parser)


def run_table_show(args: argparse.Namespace) -> int:
    """Verify a table and print its size."""
    kicks = load_kicks(args.kicks)
    path: Path = args.file or find_table_path(args.height, kicks)
    height, queues = load_table(PcSolver(kicks), path)
    print(
        f"{path}: {queues:,} queues without a perfect clear of {height} lines under {kicks.name},"
        f" {path.stat().st_size:,} bytes"
    )
    return 0


def _add_table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="table [default: that of the solvers]"
    )
    parser.add_argument(
        "--height", type=int, choices=HEIGHTS, default=4, help="rows of the perfect clear"
    )
    add_kicks_option(parser)
