"""A contest's results for other programs: JSON with everything, CSV with a line a game."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.contest.bracket import BracketMatch, ContestPlan  # noqa: TC001  # msgspec reads the annotations

# msgspec reads the annotations.
from sevenbag.contest.game.match_results import ContestGameResult, MatchResult, describe_ending
from sevenbag.contest.ranking import TeamStanding  # noqa: TC001  # msgspec reads the annotations
from sevenbag.contest.settings import ContestRules  # noqa: TC001  # msgspec reads the annotations
from sevenbag.contest.store.rows import ContestState, MatchState  # noqa: TC001  # msgspec reads the annotations

if TYPE_CHECKING:
    from sevenbag.contest.store.rows import MatchRow
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
"""Columns of the CSV.

A match without games has one line with empty columns for the game. An unfinished match has neither
winner nor ending.
"""


class MatchExport(msgspec.Struct, frozen=True, kw_only=True):
    """A match, without its token.

    Attributes:
        id: number in the store.
        slot: its place in the contest's plan.
        name: for people.
        teams: of both seats.
        state: where it is.
        result: how it ended.
        games: the finished ones, in order.
    """

    id: int
    slot: str
    name: str
    teams: tuple[str, str]
    state: MatchState
    result: MatchResult | None
    games: tuple[ContestGameResult, ...]


class ContestExport(msgspec.Struct, frozen=True, kw_only=True):
    """A contest with all that came of it.

    Attributes:
        name: of the contest.
        state: where it is.
        rules: of its matches.
        plan: of their order.
        entrants: teams, in the order in which they were seeded.
        table: of the ranking, the best first.
        bracket: round by round; teams by number within `entrants`.
        places: teams as they came in, the champion first; empty before the end.
        matches: all of them, the oldest first.
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
    """All that came of a contest.

    Raises:
        UnknownEntryError: no such contest.
    """
    contest = store.contests.get(contest_id)
    standing = store.contests.tournament(contest_id)
    return ContestExport(
        name=contest.name,
        state=contest.state,
        rules=contest.rules,
        plan=contest.plan,
        entrants=standing.entrants,
        table=standing.ranking,
        bracket=standing.bracket_rounds,
        places=tuple(standing.entrants[entrant] for entrant in standing.final_ranking),
        matches=tuple(_match(store, match) for match in store.matches.list_of_contest(contest_id)),
    )


def export_json(store: Store, contest_id: int) -> bytes:
    """All that came of a contest, as a JSON object of the shape of `ContestExport`.

    Raises:
        UnknownEntryError: no such contest.
    """
    return (
        msgspec.json.format(msgspec.json.encode(load_results(store, contest_id)), indent=2) + b"\n"
    )


def export_csv(store: Store, contest_id: int) -> str:
    """The games of a contest, a line each, under `CSV_COLUMNS`.

    Raises:
        UnknownEntryError: no such contest.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for match in load_results(store, contest_id).matches:
        about = (match.slot, _plain(match.name), match.state, *map(_plain, match.teams))
        end = _end(match)
        for game in match.games:
            writer.writerow(
                (
                    *about,
                    game.number,
                    _plain(match.teams[game.winner]),
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


# --- helpers ------------------------------------------------------------------------------------


def _match(store: Store, match: MatchRow) -> MatchExport:
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


def _end(match: MatchExport) -> tuple[str, str]:
    """Return the winner and the ending of a match."""
    result = match.result
    if result is None:
        return "", ""
    winner = "" if result.winner is None else _plain(match.teams[result.winner])
    return winner, describe_ending(result.ending)


def _plain(name: str) -> str:
    """A name that spreadsheets do not take for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name
