"""Export of a contest's results: JSON with everything, CSV with one line for each game."""

from __future__ import annotations

import csv
import io
from typing import Final

import msgspec

from sevenbag.contest.bracket import BracketMatch, ContestPlan  # msgspec reads the annotations
from sevenbag.contest.game.match_results import ContestGameResult, MatchResult, describe_ending
from sevenbag.contest.ranking import TeamStanding  # msgspec reads the annotations
from sevenbag.contest.settings import ContestRules  # msgspec reads the annotations
from sevenbag.contest.store.rows import (  # msgspec reads the annotations
    ContestState,
    MatchRow,
    MatchState,
)
from sevenbag.contest.store.store import Store

CSV_COLUMNS: Final = (
    "slot",
    "match",
    "state",
    "team 1",
    "team 2",
    "game",
    "winner",
    "ending",
    "points 1",
    "points 2",
    "rows 1",
    "rows 2",
    "pieces 1",
    "pieces 2",
    "level",
    "seconds",
    "match winner",
    "match ending",
)
"""Columns of the CSV; those of the game or of the result are empty if the match has none."""


class MatchExport(msgspec.Struct, frozen=True, kw_only=True):
    """Match without its token."""

    id: int
    slot: str
    name: str
    teams: tuple[str, str]
    state: MatchState
    result: MatchResult | None
    games: tuple[ContestGameResult, ...]


class ContestExport(msgspec.Struct, frozen=True, kw_only=True):
    """Contest with all its results.

    Attributes:
        table: table of the ranking, the best team first.
        bracket: matches of each round; teams are indices of `entrants`.
        places: final order of the teams, the champion first; empty before the end.
    """

    name: str
    state: ContestState
    rules: ContestRules
    plan: ContestPlan
    entrants: tuple[str, ...]
    table: tuple[TeamStanding, ...]
    bracket: tuple[tuple[BracketMatch, ...], ...]
    places: tuple[str, ...]
    matches: tuple[MatchExport, ...]


def load_results(store: Store, contest_id: int) -> ContestExport:
    """Return all results of a contest."""
    contest = store.contests.get(contest_id)
    tournament = store.contests.tournament(contest_id)
    return ContestExport(
        name=contest.name,
        state=contest.state,
        rules=contest.rules,
        plan=contest.plan,
        entrants=tournament.entrants,
        table=tournament.ranking,
        bracket=tournament.bracket_rounds,
        places=tuple(tournament.entrants[entrant] for entrant in tournament.final_ranking),
        matches=tuple(
            _export_match(store, match) for match in store.matches.list_of_contest(contest_id)
        ),
    )


def export_json(store: Store, contest_id: int) -> bytes:
    """Return the results of a contest as a JSON object, a `ContestExport`."""
    return (
        msgspec.json.format(msgspec.json.encode(load_results(store, contest_id)), indent=2) + b"\n"
    )


def export_csv(store: Store, contest_id: int) -> str:
    """Return the games of a contest as CSV with the columns `CSV_COLUMNS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for match in load_results(store, contest_id).matches:
        about = (
            match.slot,
            _escape_formula(match.name),
            match.state,
            *map(_escape_formula, match.teams),
        )
        end = _result_columns(match)
        for game in match.games:
            writer.writerow(
                (
                    *about,
                    game.number,
                    _escape_formula(match.teams[game.winner]),
                    game.ending,
                    *game.scores,
                    *game.lines,
                    *game.pieces,
                    game.level,
                    game.seconds,
                    *end,
                )
            )
        if not match.games:
            writer.writerow((*about, *[""] * (len(CSV_COLUMNS) - len(about) - len(end)), *end))
    return text.getvalue()


def _export_match(store: Store, match: MatchRow) -> MatchExport:
    first, second = match.players
    return MatchExport(
        id=match.id,
        slot=match.slot,
        name=match.name,
        teams=(first.team, second.team),
        state=match.state,
        result=match.result,
        games=tuple(game.result for game in store.matches.list_games(match.id)),
    )


def _result_columns(match: MatchExport) -> tuple[str, str]:
    """Return the winner and the ending of a match."""
    result = match.result
    if result is None:
        return "", ""
    winner = "" if result.winner is None else _escape_formula(match.teams[result.winner])
    return winner, describe_ending(result.ending)


def _escape_formula(name: str) -> str:
    """Return a name that spreadsheets do not read as a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name
