"""``sevenbag pc table build`` and ``sevenbag pc table show``: what is known of every queue, in a
file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag._kernel import PcSolver
from sevenbag.cli.arguments import count, named_kicks
from sevenbag.cli.main import Parser
from sevenbag.cli.pc.meter import Meter
from sevenbag.pc.census import HEIGHTS, expect_memory
from sevenbag.pc.table import build_table, table_path, use_table

if TYPE_CHECKING:
    import argparse

_DESCRIPTION = (
    "A table holds every queue from the empty field that has no perfect clear of a height under a"
    " rotation system. Where there is one, solvers use it: what it holds is answered in a"
    " microsecond. It is checked before it is believed, and never needed. Tables lie in the folder"
    " that SEVENBAG_TABLES names, or in the user's cache folder."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = _DESCRIPTION
    actions = parser.add_subparsers(
        metavar="ACTION", required=True, dest="action", parser_class=Parser
    )
    build = actions.add_parser(
        "build",
        help="make a table",
        description="Counts every queue, as sevenbag pc odds does, and writes those without a"
        " perfect clear. Four lines take some minutes on two processors, and three gigabytes of"
        " memory.",
    )
    show = actions.add_parser(
        "show", help="check a table and say what it holds", description=_DESCRIPTION
    )
    for action in (build, show):
        action.add_argument(
            "file", nargs="?", type=Path, metavar="FILE", help="default: where solvers look for it"
        )
        action.add_argument(
            "--height", type=int, choices=HEIGHTS, default=4, help="lines (default: %(default)s)"
        )
        action.add_argument(
            "--kicks",
            default="srs",
            metavar="NAME|FILE",
            help="rotation system, or a TOML file of your own (default: %(default)s)",
        )
    build.add_argument(
        "--threads", type=count, metavar="N", help="default: as many as there are processors"
    )


def run(args: argparse.Namespace) -> int:
    """Make or check the table."""
    kicks = named_kicks(args.kicks)
    path: Path = args.file or table_path(args.height, kicks)
    if args.action == "build":
        expect_memory(args.height)
        with Meter() as meter:
            build_table(
                args.height,
                kicks,
                path,
                threads=args.threads,
                report=lambda now: meter.show(now.stage, now.fraction, now.seconds_left),
            )
    solver = PcSolver(kicks)
    height, queues = use_table(solver, path)
    print(
        f"{path}: {queues:,} queues without a perfect clear of {height} lines under {kicks.name},"
        f" {path.stat().st_size:,} bytes"
    )
    return 0
