"""The commands ``sevenbag stats`` and ``sevenbag report``, about the folder of a tournament."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import msgspec

from sevenbag.arena.report import MAX_PLAYABLE_GAMES, summary_tables, write_report
from sevenbag.arena.report.summary_tables import SummaryTable
from sevenbag.arena.tournament.tournament_summary import (
    TournamentSummary,
    format_sprt,
    format_unpaired,
    read_tournament_summary,
    summary_to_dict,
)
from sevenbag.cli.arguments import add_json_option, integer
from sevenbag.cli.output import create_table, escape_cell, print_table, warn, write_json
from sevenbag.errors import FormatError, printable

_MAX_WARNINGS: Final = 5


def configure_stats(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag stats``."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the tournament")
    add_json_option(parser)


def run_stats(args: argparse.Namespace) -> int:
    """Print ratings and statistics of a tournament, finished or running.

    The statistics are scores, faults, attack, survival, thinking times and the state of the
    sequential test.
    """
    summary = read_tournament_summary(args.folder)
    if args.json:
        write_json(msgspec.json.encode(summary_to_dict(summary)).decode())
        return 0
    print(_format_headline(summary))
    _print_table(summary_tables.standings_table(summary))
    _print_table(summary_tables.playing_table(summary))
    _print_table(summary_tables.encounters_table(summary))
    if note := format_unpaired(summary):
        print(note)
    _print_table(summary_tables.clears_table(summary))
    if summary.tests:
        print()
        for progress in summary.tests:
            print(printable(format_sprt(summary, progress)))
    if len(summary.engines) > 2 and summary.ratings is None:
        print("sevenbag: ratings need the extra: pip install 'sevenbag[ratings]'", file=sys.stderr)
    return 0


def configure_report(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag report``."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the tournament")
    parser.add_argument(
        *("-o", "--output"), type=Path, help="output file [default: report.html in the folder]"
    )
    parser.add_argument(
        "--playable-games",
        type=integer(0),
        default=MAX_PLAYABLE_GAMES,
        help="games embedded with a player",
    )


def run_report(args: argparse.Namespace) -> int:
    """Write a tournament, finished or running, as one HTML page.

    It has tables, plots and a player for each game, and needs neither a server nor other files.
    """
    output = args.output or args.folder / "report.html"
    if output.is_dir():
        raise FormatError(f"invalid --output: expected a file, got the folder {output}")
    faults = write_report(args.folder, output, most_games=args.playable_games)
    print(f"report: {output}  ({output.stat().st_size / 1e6:.1f} MB)")
    for fault in faults[:_MAX_WARNINGS]:
        warn(f"no player for a game: {fault}")
    if len(faults) > _MAX_WARNINGS:
        warn(f"and {len(faults) - _MAX_WARNINGS} more")
    return 1 if faults else 0


def _format_headline(summary: TournamentSummary) -> str:
    header, result = summary.header, summary.result
    state = "finished" if result is not None and result.finished else "not finished"
    parts = [printable(header.name) or header.kind, f"{len(summary.games)} games", state]
    return " · ".join(parts)


def _print_table(table: SummaryTable) -> None:
    if not table.rows:
        return
    # The first column is left-aligned: put the first name there instead of the place.
    start = 1 if table.columns[0] == "#" else 0
    drawn = create_table(*map(escape_cell, table.columns[start:]))
    for row in table.rows:
        drawn.add_row(*map(escape_cell, row[start:]))
    print()
    print_table(drawn)
