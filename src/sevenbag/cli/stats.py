"""``sevenbag stats FOLDER``: what a tournament says about its engines."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sevenbag.arena.summary import encounters_note, read_summary, sprt_line
from sevenbag.arena.summary_json import summary_dict
from sevenbag.arena.tally import KINDS
from sevenbag.cli.output import write_json
from sevenbag.cli.tables import GAME_PPS, named, print_table, table
from sevenbag.errors import printable

if TYPE_CHECKING:
    import argparse

    from rich.table import Table

    from sevenbag.arena.statistics import Interval
    from sevenbag.arena.summary import EngineSummary, Summary
    from sevenbag.cli.main import Subparsers


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "stats",
        help="what a tournament says about its engines",
        description="Reads a tournament's folder, also while it is being played: ratings, scores,"
        " faults, attack, survival, thinking times, and how a sequential test stands.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a tournament's folder")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print tables, or one object."""
    summary = read_summary(args.folder)
    if args.json:
        write_json(msgspec.json.encode(summary_dict(summary)).decode())
        return 0
    print(_headline(summary))
    print()
    print_table(_standings(summary))
    print()
    print_table(_play(summary))
    if summary.encounters:
        print()
        print_table(_encounters(summary))
        if note := encounters_note(summary):
            print(note)
    kinds = _kinds(summary)
    if kinds is not None:
        print()
        print_table(kinds)
    if summary.tests:
        print()
        for progress in summary.tests:
            print(printable(sprt_line(summary, progress)))
    if len(summary.engines) > 2 and summary.ratings is None:
        print("sevenbag: ratings need the extra: pip install 'sevenbag[ratings]'", file=sys.stderr)
    return 0


# --- tables ---------------------------------------------------------------------------------------


def _headline(summary: Summary) -> str:
    header, result = summary.header, summary.result
    state = "finished" if result is not None and result.finished else "not finished"
    parts = [printable(header.name) or header.kind, f"{len(summary.games)} games", state]
    return " · ".join(parts)


def _standings(summary: Summary) -> Table:
    results = ("games", "score", "won", "drawn", "lost", "resigned", "faults")
    made = table("", "Elo", "±", "LOS", *results)
    ranking = summary.ranking
    for place, engine in enumerate(ranking):
        elo = summary.elo(engine)
        los = summary.los(engine, ranking[place + 1]) if place + 1 < len(ranking) else None
        made.add_row(
            named(engine.name),
            _number(elo.value if elo else None, 0, signed=True),
            _error(elo),
            _percent(los),
            str(engine.games),
            _percent(engine.score),
            str(engine.wins),
            str(engine.draws),
            str(engine.losses),
            str(engine.resignations),
            ", ".join(f"{count} {reason}" for reason, count in engine.faults.items()) or "-",
        )
    return made


def _play(summary: Summary) -> Table:
    made = table("", "APP", GAME_PPS, "lives", "deaths", "ms p50", "p95", "p99")
    for engine in summary.ranking:
        lives = engine.lives
        made.add_row(
            named(engine.name),
            _number(engine.app, 3),
            _number(engine.pps, 2),
            "-" if lives.median is None else str(lives.median),
            str(lives.deaths),
            *(_milliseconds(engine, share) for share in (0.5, 0.95, 0.99)),
        )
    return made


def _encounters(summary: Summary) -> Table:
    made = table("", "games", "won", "drawn", "lost", "pairs", "Elo", "±", "nElo", "±", "LOS")
    for each in summary.encounters:
        first, second = (summary.engines[number].name for number in (each.first, each.second))
        lost, drawn, won = each.games.counts
        elo, nelo = each.outcomes.elo(), each.outcomes.nelo()
        made.add_row(
            f"{named(first)} - {named(second)}",
            str(each.games.total),
            str(won),
            str(drawn),
            str(lost),
            " ".join(map(str, each.pairs.counts)),
            _number(elo.value, 1, signed=True),
            _error(elo),
            _number(nelo.value, 1, signed=True),
            _error(nelo),
            _percent(each.outcomes.los()),
        )
    return made


def _kinds(summary: Summary) -> Table | None:
    """Clears and attack by kind; a column for each engine."""
    ranking = summary.ranking
    kinds = [k for k in KINDS if any(k in each.clears or k in each.attack_by for each in ranking)]
    if not kinds:
        return None
    made = table("clears (attack)", *(named(engine.name) for engine in ranking))
    for kind in kinds:
        cells = [
            f"{engine.clears.get(kind, 0)} ({engine.attack_by.get(kind, 0)})" for engine in ranking
        ]
        made.add_row(kind, *cells)
    return made


# --- cells ----------------------------------------------------------------------------------------


def _number(value: float | None, digits: int, *, signed: bool = False) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return "+inf" if value > 0 else "-inf"
    return f"{value:{'+' if signed else ''}.{digits}f}"


def _error(interval: Interval | None) -> str:
    if interval is None or not math.isfinite(interval.error):
        return "-"
    return f"{interval.error:.0f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _milliseconds(engine: EngineSummary, share: float) -> str:
    value = engine.thinking_ms(share)
    return "-" if value is None else f"{value:.3g}"
