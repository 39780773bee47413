"""Show the standings of a tournament as text and tables."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sevenbag.arena.statistics import Outcomes, format_unpaired_note
from sevenbag.arena.terminal.terminal_screen import can_draw
from sevenbag.arena.tournament.tournament_results import PAIR, EngineStanding
from sevenbag.bots.bot import shorten_name
from sevenbag.errors import printable
from sevenbag.jobs.progress import format_duration

if TYPE_CHECKING:
    from sevenbag.arena.tournament.tournament_config import TournamentHeader
    from sevenbag.arena.tournament.tournament_files import GameRecord
    from sevenbag.arena.tournament.tournament_runner import TournamentRunner


_LAST_GAMES: Final = 5


def format_game(game: GameRecord) -> str:
    """Format a game as one line: players, result and reason."""
    score = "1/2-1/2" if game.winner is None else "1-0" if game.winner == 0 else "0-1"
    return f"game {game.id}: {game.names[0]} - {game.names[1]} {score} ({_ending(game)})"


def format_standings(tournament: TournamentRunner) -> list[str]:
    """Format the standings as lines of text."""
    rows = [
        list(_HEADINGS),
        *(_standing_cells(standing) for standing in tournament.results.standings()),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in _LEFT else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return lines + format_results(tournament)


def format_results(tournament: TournamentRunner) -> list[str]:
    """Return Elo, the test and the champion in the format of fastchess."""
    results, header = tournament.results, tournament.header
    lines: list[str] = []
    if header.kind == "match" and results.outcomes is not None:
        lines += _result_lines(results.outcomes, len(results.counted_games), header)
    if header.kind == "match" and results.sprt is not None:
        decision = results.decision.decision if results.decision is not None else None
        lines.append(results.sprt.describe(results.llr, decision))
    for test in results.tests():
        assert results.sprt is not None
        first, second = (header.engines[engine].name for engine in test.players)
        lines.append(
            f"{first} vs {second}: Elo: {test.pairs.elo()},"
            f" {results.sprt.describe(test.llr, test.decision)}, {test.games} games"
        )
    if results.champion is not None:
        lines.append(f"{header.engines[results.champion].name} has won the tournament")
    return lines


class StandingsView:
    """Standings of a running tournament."""

    def __init__(self, tournament: TournamentRunner) -> None:
        self._tournament = tournament
        self._last: list[str] = []

    def add(self, game: GameRecord) -> None:
        """Add a finished game."""
        self._last = [*self._last, format_game(game)][-_LAST_GAMES:]

    def render(self, progress: str) -> RenderableType:
        """Return the table, a line of progress, the results and the last games."""
        tournament = self._tournament
        title = printable(tournament.header.name or tournament.header.kind)
        rows = [
            [printable(cell) for cell in _standing_cells(standing)]
            for standing in tournament.results.standings()
        ]
        lines = [progress, *format_results(tournament), *self._last]
        return Group(_StandingsTable(title, rows), *(Text(printable(line)) for line in lines))


@contextlib.contextmanager
def open_tournament_display(
    console: Console | None, tournament: TournamentRunner, *, plain: bool
) -> Generator[Callable[[GameRecord], None]]:
    """Open the display of a run, and return the function that receives each finished game.

    Args:
        console: console; None for no output.
        tournament: runner of the tournament.
        plain: print lines even if the console can show a live table.
    """
    progress = _Progress(tournament)
    if console is None:
        yield lambda _: None
    elif plain or not can_draw(console):
        yield lambda game: print(printable(f"{format_game(game)} [{progress}]"), flush=True)
    else:
        view = StandingsView(tournament)
        with Live(
            view.render(str(progress)), console=console, auto_refresh=False, transient=True
        ) as live:
            drawn = 0.0

            def draw(game: GameRecord) -> None:
                nonlocal drawn
                view.add(game)
                if time.monotonic() - drawn >= _REDRAW_SECONDS:
                    drawn = time.monotonic()
                    live.update(view.render(str(progress)), refresh=True)

            yield draw


_REDRAW_SECONDS: Final = 0.25


class _Progress:
    """Progress of a run as text: games, their rate and the remaining time."""

    def __init__(self, tournament: TournamentRunner) -> None:
        self._tournament = tournament
        self._before = len(tournament.results)
        self._began = time.monotonic()

    def __str__(self) -> str:
        results, header = self._tournament.results, self._tournament.header
        done, total = len(results), header.total_games
        most = f"at most {header.max_games}" if total is None else str(total)
        parts = [f"{done} of {most} games"]
        # Games of earlier runs do not count towards the rate.
        played = done - self._before
        if played:
            rate = played / max(time.monotonic() - self._began, 1e-9)
            parts.append(f"{rate:.1f} games/s" if rate >= 10 else f"{rate:.2g} games/s")
            if results.decision is None and done < header.max_games:
                left = format_duration((header.max_games - done) / rate)
                parts.append(f"{left} left" if total is not None else f"at most {left} left")
        return ", ".join(parts)


_HEADINGS: Final = (
    *("engine", "games", "points", "won", "drawn", "lost", "resigned", "%", "APP", "faults"),
)
_LEFT: Final = {0, 9}
_ENGINE: Final = _HEADINGS.index("engine")
_FAULTS: Final = _HEADINGS.index("faults")

_DROPPED: Final = ("resigned", "APP", "points", "faults", "drawn", "lost", "games")
"""Columns left out of a narrow terminal, the least important first."""
_MIN_NAME_WIDTH: Final = 16
_MAX_FAULTS_WIDTH: Final = 16
"""Faults wrap in a narrow terminal."""
_BORDER: Final = 3
"""Characters between two columns."""


@dataclass(frozen=True, slots=True)
class _StandingsTable:
    """Table that keeps names of engines distinguishable in narrow terminals."""

    title: str
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [max(map(cell_len, column)) for column in zip(_HEADINGS, *self.rows, strict=True)]
        longest = widths[_ENGINE]
        widths[_FAULTS] = min(widths[_FAULTS], _MAX_FAULTS_WIDTH)
        columns = list(range(len(_HEADINGS)))
        dropped = iter(_DROPPED)
        while True:
            others = sum(widths[column] + _BORDER for column in columns if column != _ENGINE)
            # A border follows the last column, too.
            left = options.max_width - others - _BORDER - 1
            if left >= min(longest, _MIN_NAME_WIDTH) or (least := next(dropped, None)) is None:
                break
            columns.remove(_HEADINGS.index(least))
        table = Table(title=Text(self.title))
        for column in columns:
            justify: JustifyMethod = "left" if column in _LEFT else "right"
            table.add_column(_HEADINGS[column], justify=justify, no_wrap=column != _FAULTS)
        for row in self.rows:
            cells = [
                shorten_name(row[column], max(left, 1)) if column == _ENGINE else row[column]
                for column in columns
            ]
            table.add_row(*map(Text, cells))
        yield table


def _standing_cells(standing: EngineStanding) -> list[str]:
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
    losses = [
        f"{name} lost by {loss.reason}" + (f" ({loss.detail})" if loss.detail else "")
        for name, loss in zip(game.names, game.losses, strict=True)
        if loss is not None
    ]
    if losses:
        return f"{'; '.join(losses)}, {pieces} pieces"
    first, second = (stats.attack for stats in game.stats)
    how = "a lead" if game.ending == "lead" else "the piece limit"
    return f"{how}: {first} to {second} lines of attack, {pieces} pieces"


def _result_lines(outcomes: Outcomes, games: int, header: TournamentHeader) -> list[str]:
    first, second = (engine.name for engine in header.engines)
    lines = [
        f"Results of {first} vs {second}:",
        f"Elo: {outcomes.elo()}, nElo: {outcomes.nelo()}",
        f"LOS: {100 * outcomes.los():.1f} %",
    ]
    if outcomes.GAMES_PER_OUTCOME == PAIR:
        note = format_unpaired_note(games - outcomes.games)
        lines.append(f"Ptnml(0-{PAIR}): {list(outcomes.counts)}" + (f"; {note}" if note else ""))
    return lines
