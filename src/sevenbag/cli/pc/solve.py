"""``sevenbag pc solve``: a perfect clear for every queue of a height, into a file."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag.cli.arguments import count, named_kicks, positive
from sevenbag.cli.main import Interrupted
from sevenbag.cli.pc.meter import Meter
from sevenbag.cli.workers import add_worker_options, given_executor
from sevenbag.pc.batch import Tally, solve_all
from sevenbag.pc.census import HEIGHTS, expect_memory

if TYPE_CHECKING:
    import argparse
    from types import FrameType

    from sevenbag.pc.census import Progress

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Finds a perfect clear of the empty field for every sequence of held, current and next"
        " pieces that 7-bags deal, and writes them to FOLDER/HEIGHT.pc (under another rotation"
        " system than srs FOLDER/HEIGHT-NAME.pc), with the number of sequences done beside it and"
        " copies of both. Started again, it goes on where it was, however it was ended. Four lines"
        " are 79,516,080 sequences: 1.4 GB, twice that with the copies, and three gigabytes of"
        " memory."
    )
    parser.add_argument(
        "--height", type=int, choices=(2, 4, 6), default=4, help="lines (default: %(default)s)"
    )
    parser.add_argument(
        "--limit",
        type=count,
        metavar="N",
        help="end after so many sequences, or a few more; six lines, of which there are"
        " 58,154,216,400, need it",
    )
    parser.add_argument(
        "--kicks",
        default="srs",
        metavar="NAME|FILE",
        help="rotation system, or a TOML file of your own (default: %(default)s)",
    )
    add_worker_options(parser, threads=True)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("pc-data"),
        metavar="FOLDER",
        help="where the files are (default: %(default)s)",
    )
    parser.add_argument("--no-backup", action="store_true", help="keep no copies")
    parser.add_argument(
        "--save-every",
        type=positive,
        default=5.0,
        metavar="S",
        help="seconds from one saving to the next (default: %(default)g)",
    )


def run(args: argparse.Namespace) -> int:
    """Solve what is not solved yet."""
    for number in _ENDING:
        # A signal that somebody chose to ignore, as nohup does, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    kicks = named_kicks(args.kicks)
    if args.workers is not None and args.height in HEIGHTS:
        expect_memory(args.height, args.workers)
    with Meter() as meter, given_executor(args) as executor:

        def prepare(now: Progress) -> None:
            meter.show(f"preparing: {now.stage}", now.fraction, now.seconds_left)

        def report(tally: Tally) -> None:
            meter.show(
                f"solved {tally.solved:,} of {tally.done:,}, {tally.total:,} in all",
                tally.done / tally.total,
                tally.seconds_left if args.limit is None else None,
            )

        tally = solve_all(
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


def _end(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does: what is done is saved first."""
    del frame
    raise Interrupted(number)
