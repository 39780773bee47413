"""``sevenbag report FOLDER -o report.html``: a tournament as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag.arena.report import MOST_GAMES, write_report
from sevenbag.cli.arguments import number_from_zero
from sevenbag.cli.output import warn
from sevenbag.errors import FormatError

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers

_TOLD = 5


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "report",
        help="a tournament as an HTML page with plots and its games",
        description="Writes a tournament, finished or not, as one HTML page that needs neither a"
        " server nor any other file: tables, plots, and a player for each game.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a tournament's folder")
    parser.add_argument(
        *("-o", "--output"),
        type=Path,
        metavar="OUT",
        help="the page to write (default: report.html in the folder)",
    )
    parser.add_argument(
        "--games",
        type=number_from_zero,
        default=MOST_GAMES,
        metavar="N",
        help="how many games get a player (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the page; 1 if games of the tournament cannot be played back."""
    out = args.output or args.folder / "report.html"
    if out.is_dir():
        raise FormatError(f"{out}: is a folder; -o names the page to write")
    faults = write_report(args.folder, out, most_games=args.games)
    print(f"report: {out}  ({out.stat().st_size / 1e6:.1f} MB)")
    for fault in faults[:_TOLD]:
        warn(f"no player for a game: {fault}")
    if len(faults) > _TOLD:
        warn(f"and {len(faults) - _TOLD} more")
    return 1 if faults else 0
