"""How a tournament stands, in words and tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from sevenbag.arena.ledger import PAIR

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sevenbag.arena.ledger import Ledger, Standing
    from sevenbag.arena.records import GameRecord, TournamentHeader
    from sevenbag.arena.statistics import Interval
    from sevenbag.arena.tournament import Tournament

_LAST_GAMES: Final = 5


def game_line(game: GameRecord) -> str:
    """A game in a line: who played, how it ended, and why."""
    score = "1/2-1/2" if game.winner is None else "1-0" if game.winner == 0 else "0-1"
    return f"game {game.id + 1}: {game.names[0]} - {game.names[1]} {score} ({_ending(game)})"


def standings_lines(tournament: Tournament) -> list[str]:
    """The standings as lines of text."""
    rows = [list(_HEADINGS), *(_row(standing) for standing in tournament.ledger.standings())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in _LEFT else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return lines + summary_lines(tournament)


def summary_lines(tournament: Tournament) -> list[str]:
    """What is to be said of a match besides its standings: Elo, the test, who has won."""
    ledger, header = tournament.ledger, tournament.header
    lines: list[str] = []
    if header.kind == "match":
        elo = ledger.elo()
        if elo is not None:
            lines.append(f"Elo of {header.engines[0].name}: {elo_text(elo)}{_pairs_text(ledger)}")
        lines += _test_lines(ledger, header)
    for test in ledger.tests():
        first, second = (header.engines[engine].name for engine in test.players)
        lines.append(
            f"{first} - {second}: {test.decision or 'undecided'} after {test.games} games,"
            f" LLR {test.llr:.2f}"
        )
    if ledger.champion is not None:
        lines.append(f"{header.engines[ledger.champion].name} has won the tournament")
    return lines


def elo_text(elo: Interval) -> str:
    """A difference in strength with its interval of 95 %."""
    return f"{_number(elo.value)} [{_number(elo.low)}, {_number(elo.high)}]"


class Board:
    """The standings as they are drawn while games go on."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._last: list[str] = []

    def add(self, game: GameRecord) -> None:
        """A game is over."""
        self._last = [*self._last, game_line(game)][-_LAST_GAMES:]

    def render(self) -> RenderableType:
        """What is to be seen now."""
        tournament = self._tournament
        table = Table(title=tournament.header.name or tournament.header.kind)
        for column, heading in enumerate(_HEADINGS):
            table.add_column(heading, justify="left" if column in _LEFT else "right")
        for standing in tournament.ledger.standings():
            table.add_row(*map(Text, _row(standing)))
        total = tournament.plan.total
        progress = f"{len(tournament.ledger)} games" + (f" of {total}" if total else "")
        lines = [progress, *summary_lines(tournament), *self._last]
        return Group(table, *map(Text, lines))


# --- helpers ------------------------------------------------------------------------------------

_HEADINGS: Final = (
    *("engine", "games", "points", "won", "drawn", "lost", "resigned", "%", "APP", "faults"),
)
_LEFT: Final = {0, 9}


def _row(standing: Standing) -> list[str]:
    games = standing.games
    percent = 100 * (standing.wins + standing.draws / 2) / games if games else 0.0
    app = standing.attack / standing.pieces if standing.pieces else 0.0
    faults = ", ".join(f"{count} {word}" for word, count in standing.faults.items())
    return [
        standing.name,
        str(games),
        f"{standing.points:g}",
        str(standing.wins),
        str(standing.draws),
        str(standing.losses),
        str(standing.resignations),
        f"{percent:.1f}",
        f"{app:.2f}",
        faults or "none",
    ]


def _ending(game: GameRecord) -> str:
    pieces = max(stats.pieces for stats in game.stats)
    falls = [
        f"{name} lost by {fall.reason}" + (f" ({fall.detail})" if fall.detail else "")
        for name, fall in zip(game.names, game.falls, strict=True)
        if fall is not None
    ]
    if falls:
        return f"{'; '.join(falls)}, {pieces} pieces"
    first, second = (stats.attack for stats in game.stats)
    how = "a lead" if game.ending == "lead" else "the piece limit"
    return f"{how}: {first} to {second} lines of attack, {pieces} pieces"


def _pairs_text(ledger: Ledger) -> str:
    counts = ledger.pairs.counts
    if not sum(counts):
        return ""
    return f", pairs {' '.join(map(str, counts))} (0 to {PAIR} points)"


def _test_lines(ledger: Ledger, header: TournamentHeader) -> list[str]:
    test = ledger.sprt
    if test is None:
        return []
    lower, upper = test.bounds
    hypotheses = f"SPRT {test.elo0:g}, {test.elo1:g} ({test.model} Elo)"
    lines = [f"{hypotheses}: LLR {ledger.llr:.2f} [{lower:.2f}, {upper:.2f}]"]
    verdict = ledger.verdict
    if verdict is not None and verdict.decision is not None:
        elos = (test.elo0, test.elo1)
        rather, than = elos[::-1] if verdict.decision == "H1" else elos
        lines.append(
            f"{verdict.decision} accepted after {verdict.games} games:"
            f" {header.engines[0].name} is stronger by {rather:g} rather than by {than:g} Elo"
        )
    return lines


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    # Never -0.0.
    return f"{round(value, 1) + 0.0:+.1f}"
