"""The commands ``sevenbag stats`` and ``sevenbag report``, about the folder of a tournament."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.arena.report import MAX_PLAYABLE_GAMES, write_report
from sevenbag.arena.tournament.tournament_summary import (
    format_sprt,
    format_unpaired,
    read_tournament_summary,
    summary_to_dict,
)
from sevenbag.cli.arguments import add_json_option, integer
from sevenbag.cli.output import (
    CLOCK_PPS_LABEL,
    create_table,
    escape_cell,
    print_table,
    warn,
    write_json,
)
from sevenbag.errors import FormatError, printable
from sevenbag.replay.player_statistics import CLEAR_KINDS

if TYPE_CHECKING:
    import argparse

    from rich.table import Table

    from sevenbag.arena.statistics import Interval
    from sevenbag.arena.tournament.tournament_summary import EngineSummary, TournamentSummary

_MAX_WARNINGS: Final = 5


def configure_stats(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag stats``."""
    parser.description = (
        "Print ratings, scores, faults, attack, survival, thinking times and the state of the"
        " sequential test of a tournament, finished or running."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the tournament")
    add_json_option(parser)
    parser.set_defaults(run=run_stats)


def run_stats(args: argparse.Namespace) -> int:
    """Print the tables, or one JSON object."""
    summary = read_tournament_summary(args.folder)
    if args.json:
        write_json(msgspec.json.encode(summary_to_dict(summary)).decode())
        return 0
    print(_format_headline(summary))
    print()
    print_table(_create_standings_table(summary))
    print()
    print_table(_create_play_table(summary))
    if summary.encounters:
        print()
        print_table(_create_encounters_table(summary))
        if note := format_unpaired(summary):
            print(note)
    clears = _create_clears_table(summary)
    if clears is not None:
        print()
        print_table(clears)
    if summary.tests:
        print()
        for progress in summary.tests:
            print(printable(format_sprt(summary, progress)))
    if len(summary.engines) > 2 and summary.ratings is None:
        print("sevenbag: ratings need the extra: pip install 'sevenbag[ratings]'", file=sys.stderr)
    return 0


def configure_report(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag report``."""
    parser.description = (
        "Write a tournament, finished or running, as one HTML page with tables, plots and a player"
        " for each game. The page needs neither a server nor other files."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the tournament")
    parser.add_argument(
        *("-o", "--output"),
        type=Path,
        metavar="FILE",
        help="output file [default: report.html in the folder]",
    )
    parser.add_argument(
        "--playable-games",
        type=integer(0),
        default=MAX_PLAYABLE_GAMES,
        metavar="N",
        help="games embedded with a player",
    )
    parser.set_defaults(run=run_report)


def run_report(args: argparse.Namespace) -> int:
    """Write the page; return 1 if games of the tournament cannot be played back."""
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


# --- tables of stats ----------------------------------------------------------------------------


def _format_headline(summary: TournamentSummary) -> str:
    header, result = summary.header, summary.result
    state = "finished" if result is not None and result.finished else "not finished"
    parts = [printable(header.name) or header.kind, f"{len(summary.games)} games", state]
    return " · ".join(parts)


def _create_standings_table(summary: TournamentSummary) -> Table:
    results = ("games", "score", "won", "drawn", "lost", "resigned", "faults")
    table = create_table("", "Elo", "±", "LOS", *results)
    ranking = summary.ranking
    for place, engine in enumerate(ranking):
        elo = summary.elo(engine)
        los = summary.los(engine, ranking[place + 1]) if place + 1 < len(ranking) else None
        table.add_row(
            escape_cell(engine.name),
            _format_number(elo.value if elo else None, 0, signed=True),
            _format_error(elo),
            _format_percent(los),
            str(engine.games),
            _format_percent(engine.score),
            str(engine.wins),
            str(engine.draws),
            str(engine.losses),
            str(engine.resignations),
            ", ".join(f"{count} {reason}" for reason, count in engine.faults.items()) or "-",
        )
    return table


def _create_play_table(summary: TournamentSummary) -> Table:
    table = create_table("", "APP", CLOCK_PPS_LABEL, "lives", "deaths", "ms p50", "p95", "p99")
    for engine in summary.ranking:
        lives = engine.survival
        table.add_row(
            escape_cell(engine.name),
            _format_number(engine.app, 3),
            _format_number(engine.pps, 2),
            "-" if lives.median is None else str(lives.median),
            str(lives.deaths),
            *(_format_milliseconds(engine, share) for share in (0.5, 0.95, 0.99)),
        )
    return table


def _create_encounters_table(summary: TournamentSummary) -> Table:
    table = create_table(
        "", "games", "won", "drawn", "lost", "pairs", "Elo", "±", "nElo", "±", "LOS"
    )
    for each in summary.encounters:
        first, second = (summary.engines[number].name for number in (each.first, each.second))
        lost, drawn, won = each.games.counts
        elo, nelo = each.outcomes.elo(), each.outcomes.nelo()
        table.add_row(
            f"{escape_cell(first)} - {escape_cell(second)}",
            str(each.games.total),
            str(won),
            str(drawn),
            str(lost),
            " ".join(map(str, each.pairs.counts)),
            _format_number(elo.value, 1, signed=True),
            _format_error(elo),
            _format_number(nelo.value, 1, signed=True),
            _format_error(nelo),
            _format_percent(each.outcomes.los()),
        )
    return table


def _create_clears_table(summary: TournamentSummary) -> Table | None:
    """Create the table of clears and attack by kind, with a column for each engine."""
    ranking = summary.ranking
    kinds = [
        k for k in CLEAR_KINDS if any(k in each.clears or k in each.attack_by for each in ranking)
    ]
    if not kinds:
        return None
    table = create_table("clears (attack)", *(escape_cell(engine.name) for engine in ranking))
    for kind in kinds:
        cells = [
            f"{engine.clears.get(kind, 0)} ({engine.attack_by.get(kind, 0)})" for engine in ranking
        ]
        table.add_row(kind, *cells)
    return table


def _format_number(value: float | None, digits: int, *, signed: bool = False) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return "+inf" if value > 0 else "-inf"
    return f"{value:{'+' if signed else ''}.{digits}f}"


def _format_error(interval: Interval | None) -> str:
    if interval is None or not math.isfinite(interval.error):
        return "-"
    return f"{interval.error:.0f}"


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _format_milliseconds(engine: EngineSummary, share: float) -> str:
    value = engine.thinking_ms(share)
    return "-" if value is None else f"{value:.3g}"
