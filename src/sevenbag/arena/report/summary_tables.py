"""Build the tables of a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from sevenbag.arena.report.charts import escape_text
from sevenbag.arena.tournament.tournament_summary import format_sprt, format_unpaired
from sevenbag.bots.bot import shorten_name

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from sevenbag.arena.statistics import Interval
    from sevenbag.arena.tournament.tournament_files import GameRecord
    from sevenbag.arena.tournament.tournament_summary import (
        EncounterSummary,
        EngineSummary,
        SprtProgress,
        TournamentSummary,
    )


MAX_ROWS: Final = 5000
"""Games in the table: the first ones."""

MAX_ENCOUNTERS: Final = 1000


def standings_table(summary: TournamentSummary) -> str:
    """Ratings, scores and faults, best first."""
    ranking = summary.ranking
    rows = [_standing_row(summary, engine, place, ranking) for place, engine in enumerate(ranking)]
    head = ["#", "name", "Elo", "±", "LOS", "games", "score", "won", "drawn", "lost"]
    head += ["resigned", "faults"]
    return _render_table(head, rows, names=(1,))


def summary_notes(summary: TournamentSummary) -> str:
    """Return notes that explain the standings."""
    parts = ["LOS: likelihood of being stronger than the next."]
    if summary.ratings is not None:
        parts.insert(0, "Elo relative to the mean of all.")
    elif len(summary.engines) == 2:
        parts.insert(0, "Elo relative to the other.")
    return f'<p class="note">{escape_text(" ".join(parts))}</p>'


def sprt_lines(summary: TournamentSummary) -> str:
    """Return a line for the state of each sequential test."""
    told = "".join(_sprt_line(summary, each) for each in summary.tests[:MAX_ENCOUNTERS])
    return told + _omitted_note(len(summary.tests), MAX_ENCOUNTERS)


def encounters_table(summary: TournamentSummary) -> str:
    """Every two that have met."""
    head = ["first", "second", "games", "won", "drawn", "lost", "pairs 0 ½ 1 1½ 2"]
    head += ["Elo", "±", "nElo", "±", "LOS"]
    rows = [_encounter_row(summary, each) for each in summary.encounters[:MAX_ENCOUNTERS]]
    table = _render_table(head, rows, names=(0, 1)) + _omitted_note(
        len(summary.encounters), MAX_ENCOUNTERS
    )
    note = format_unpaired(summary)
    return table + (f'<p class="note">{escape_text(note)}</p>' if note else "")


def playing_table(summary: TournamentSummary) -> str:
    """Return the table of playing statistics, which the plots show."""
    head = ["name", "pieces", "attack", "APP", "PPS (game clock)", "lives", "deaths"]
    head += ["ms p50", "p95", "p99"]
    rows = [_playing_row(engine) for engine in summary.ranking]
    note = "lives: pieces until half of its games would have ended in its death (Kaplan-Meier)."
    return _render_table(head, rows, names=(0,)) + f'<p class="note">{escape_text(note)}</p>'


def games_table(summary: TournamentSummary, with_player: Container[int]) -> str:
    """Every game, with a button for its player."""
    head = ["game", "first", "second", "result", "ending", "pieces", "attack", "seed", ""]
    listed = summary.games[:MAX_ROWS]
    rows = [_game_row(game, playable=game.id in with_player) for game in listed]
    search = (
        '<p><input id="filter" type="search" placeholder="filter" aria-label="filter games"'
        " hidden></p>"
    )
    table = _render_table(head, rows, names=(1, 2), element="games")
    return search + table + _omitted_note(len(summary.games), MAX_ROWS)


# --- rows -----------------------------------------------------------------------------------------


def _standing_row(
    summary: TournamentSummary, engine: EngineSummary, place: int, ranking: Sequence[EngineSummary]
) -> list[str]:
    elo = summary.elo(engine)
    los = summary.los(engine, ranking[place + 1]) if place + 1 < len(ranking) else None
    faults = ", ".join(f"{count} {reason}" for reason, count in engine.faults.items())
    return [
        str(place + 1),
        engine.name,
        _format_elo(elo),
        _format_error(elo),
        _format_percent(los),
        str(engine.games),
        _format_percent(engine.score),
        str(engine.wins),
        str(engine.draws),
        str(engine.losses),
        str(engine.resignations),
        faults or "-",
    ]


def _sprt_line(summary: TournamentSummary, progress: SprtProgress) -> str:
    return f"<p>{escape_text(format_sprt(summary, progress))}</p>"


def _encounter_row(summary: TournamentSummary, each: EncounterSummary) -> list[str]:
    lost, drawn, won = each.games.counts
    elo, nelo = each.outcomes.elo(), each.outcomes.nelo()
    return [
        summary.engines[each.first].name,
        summary.engines[each.second].name,
        str(each.games.total),
        str(won),
        str(drawn),
        str(lost),
        " ".join(map(str, each.pairs.counts)),
        _format_elo(elo),
        _format_error(elo),
        _format_elo(nelo),
        _format_error(nelo),
        _format_percent(each.outcomes.los()),
    ]


def _playing_row(engine: EngineSummary) -> list[str]:
    lives = engine.survival
    return [
        engine.name,
        str(engine.pieces),
        str(engine.attack),
        _format_number(engine.app, ".3f"),
        _format_number(engine.pps, ".2f"),
        "-" if lives.median is None else str(lives.median),
        str(lives.deaths),
        *(_format_number(engine.thinking_ms(share), ".3g") for share in (0.5, 0.95, 0.99)),
    ]


_RESULTS: Final = {0: "1 - 0", 1: "0 - 1", None: "½ - ½"}


def _game_row(game: GameRecord, *, playable: bool) -> list[str]:
    reasons = [loss.reason for loss in game.losses if loss is not None]
    button = f'<button type="button" data-game="{game.id}" hidden>play</button>'
    return [
        str(game.id),
        *game.names,
        _RESULTS[game.winner],
        " and ".join(reasons) or game.ending,
        str(max(done.pieces for done in game.stats)),
        " : ".join(str(done.attack) for done in game.stats),
        str(game.seed),
        _Markup(button if playable else ""),
    ]


# --- cells ----------------------------------------------------------------------------------------


class _Markup(str):
    """HTML of our own making; everything else in a cell is text."""

    __slots__ = ()


def _render_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    names: Container[int],
    element: str = "",
) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{_CLASS if place in names else ''}{_hover(cell, is_name=place in names)}>"
            f"{cell if isinstance(cell, _Markup) else _shorten(cell, is_name=place in names)}"
            f"</{tag}>"
            for place, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    marked = f' id="{element}"' if element else ""
    top = f"<thead><tr>{cells('th', head)}</tr></thead>"
    return f'<div class="scroll"><table{marked}>{top}<tbody>{body}</tbody></table></div>'


_CLASS: Final = ' class="name"'
_LONG: Final = 30


def _shorten(cell: str, *, is_name: bool) -> str:
    return escape_text(shorten_name(cell, _LONG) if is_name else cell)


def _hover(cell: str, *, is_name: bool) -> str:
    """Return a tooltip with the full name if it is shortened."""
    return f' title="{escape_text(cell)}"' if is_name and len(cell) > _LONG else ""


def _omitted_note(count: int, most: int) -> str:
    more = count - most
    return f'<p class="note">and {more} more</p>' if more > 0 else ""


def _format_elo(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    if not math.isfinite(interval.value):
        return "+∞" if interval.value > 0 else "-∞"
    return f"{interval.value:+.0f}"


def _format_error(interval: Interval | None) -> str:
    if interval is None or not math.isfinite(interval.error):
        return "-"
    return f"{interval.error:.0f}"


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _format_number(value: float | None, form: str) -> str:
    return "-" if value is None else f"{value:{form}}"
