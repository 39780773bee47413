"""Tables of a tournament, for the report and for ``sevenbag stats``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sevenbag.arena.statistics import Interval
from sevenbag.arena.tournament.tournament_files import GameRecord
from sevenbag.arena.tournament.tournament_summary import (
    EncounterSummary,
    EngineSummary,
    TournamentSummary,
)
from sevenbag.replay.player_statistics import CLEAR_KINDS, CLOCK_PPS_LABEL


class SummaryTable(NamedTuple):
    """Table of text cells.

    Attributes:
        columns: headings.
        rows: cells of each row.
        names: indices of the columns that contain names, which may be long and untrusted.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: frozenset[int]


def standings_table(summary: TournamentSummary) -> SummaryTable:
    """Return ratings, scores and faults, best first."""
    columns = ["#", "name", "Elo", "±", "LOS", "games", "score", "won", "drawn", "lost"]
    columns += ["resigned", "faults"]
    ranking = summary.ranking
    rows = [_standing_row(summary, place, ranking) for place in range(len(ranking))]
    return SummaryTable(columns, rows, frozenset({1}))


def playing_table(summary: TournamentSummary) -> SummaryTable:
    """Return the playing statistics."""
    columns = ["name", "pieces", "attack", "APP", CLOCK_PPS_LABEL, "lives", "deaths"]
    columns += ["ms p50", "p95", "p99"]
    return SummaryTable(columns, [_playing_row(each) for each in summary.ranking], frozenset({0}))


def encounters_table(summary: TournamentSummary, limit: int | None = None) -> SummaryTable:
    """Return the results of each two engines that have met."""
    columns = ["first", "second", "games", "won", "drawn", "lost", "pairs 0 ½ 1 1½ 2"]
    columns += ["Elo", "±", "nElo", "±", "LOS"]
    rows = [_encounter_row(summary, each) for each in summary.encounters[:limit]]
    return SummaryTable(columns, rows, frozenset({0, 1}))


def clears_table(summary: TournamentSummary) -> SummaryTable:
    """Return clears and attack by kind, with a column for each engine."""
    ranking = summary.ranking
    rows = [
        (kind, *(f"{each.clears.get(kind, 0)} ({each.attack_by.get(kind, 0)})" for each in ranking))
        for kind in CLEAR_KINDS
        if any(kind in each.clears or kind in each.attack_by for each in ranking)
    ]
    columns = ["clears (attack)", *(engine.name for engine in ranking)]
    return SummaryTable(columns, rows, frozenset({0}))


def games_table(games: Iterable[GameRecord]) -> SummaryTable:
    """Return the games."""
    columns = ["game", "first", "second", "result", "ending", "pieces", "attack", "seed"]
    return SummaryTable(columns, [_game_row(game) for game in games], frozenset({1, 2}))


def _standing_row(
    summary: TournamentSummary, place: int, ranking: Sequence[EngineSummary]
) -> list[str]:
    engine = ranking[place]
    elo = summary.elo(engine)
    los = summary.los(engine, ranking[place + 1]) if place + 1 < len(ranking) else None
    results = (engine.wins, engine.draws, engine.losses, engine.resignations)
    faults = ", ".join(f"{count} {reason}" for reason, count in engine.faults.items())
    return [
        str(place + 1),
        engine.name,
        *_format_interval(elo),
        _format_percent(los),
        str(engine.games),
        _format_percent(engine.score),
        *map(str, results),
        faults or "-",
    ]


def _encounter_row(summary: TournamentSummary, each: EncounterSummary) -> list[str]:
    lost, drawn, won = each.games.counts
    return [
        summary.engines[each.first].name,
        summary.engines[each.second].name,
        *map(str, (each.games.total, won, drawn, lost)),
        " ".join(map(str, each.pairs.counts)),
        *_format_interval(each.outcomes.elo()),
        *_format_interval(each.outcomes.nelo()),
        _format_percent(each.outcomes.los()),
    ]


def _playing_row(engine: EngineSummary) -> list[str]:
    return [
        engine.name,
        str(engine.pieces),
        str(engine.attack),
        _format_number(engine.app, ".3f"),
        _format_number(engine.pps, ".2f"),
        _format_number(engine.survival.median, "d"),
        str(engine.survival.deaths),
        *(_format_number(engine.thinking_ms(share), ".3g") for share in (0.5, 0.95, 0.99)),
    ]


_RESULTS: Final = {0: "1 - 0", 1: "0 - 1", None: "½ - ½"}


def _game_row(game: GameRecord) -> list[str]:
    reasons = [loss.reason for loss in game.losses if loss is not None]
    return [
        str(game.id),
        *game.names,
        _RESULTS[game.winner],
        " and ".join(reasons) or game.ending,
        str(max(done.pieces for done in game.stats)),
        " : ".join(str(done.attack) for done in game.stats),
        str(game.seed),
    ]


def _format_interval(interval: Interval | None) -> tuple[str, str]:
    if interval is None:
        return "-", "-"
    if math.isfinite(interval.value):
        value = f"{interval.value:+.0f}"
    else:
        value = "+∞" if interval.value > 0 else "-∞"
    return value, f"{interval.error:.0f}" if math.isfinite(interval.error) else "-"


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _format_number(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"
