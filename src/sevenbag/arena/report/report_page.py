"""Render the report of a tournament as one HTML page."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.arena.report import charts, summary_tables
from sevenbag.arena.report.charts import escape_text
from sevenbag.arena.tournament.tournament_files import REPLAY_FOLDER
from sevenbag.arena.tournament.tournament_summary import read_tournament_summary
from sevenbag.drawing import COLORS
from sevenbag.errors import FormatError
from sevenbag.files import write_atomically
from sevenbag.formats.replay_file import Replay, write_placement
from sevenbag.replay.playback import Playback, iterate_placements

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from sevenbag.arena.tournament.tournament_files import GameRecord
    from sevenbag.arena.tournament.tournament_summary import TournamentSummary
    from sevenbag.replay.playback import PlacementStep


MAX_PLAYABLE_GAMES: Final = 1000
"""Games with a player, unless another number is asked for."""

MAX_PLACEMENTS: Final = 2_000_000
"""Placements of all games with a player together: some thirty megabytes."""

MAX_TURNS: Final = 20_000
"""Turns of a game with a player."""


def write_report(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    most_games: int = MAX_PLAYABLE_GAMES,
) -> list[str]:
    """Write the report of a tournament, in one step.

    Args:
        folder: the tournament's.
        path: the page to write.
        most_games: how many games get a player, the first ones.

    Returns:
        What was wrong with replays, in a line each; their games have no player.

    Raises:
        FormatError: it is no tournament, or the page cannot be written.
    """
    summary = read_tournament_summary(folder)
    games, faults = _encode_games(summary.games, Path(folder), most_games)
    write_atomically(Path(path), render_report(summary, games).encode(), replace=True)
    return faults


def render_report(
    summary: TournamentSummary, games: dict[int, dict[str, Any]] | None = None
) -> str:
    """The page of a tournament.

    Args:
        summary: the tournament.
        games: those with a player, by number, as `told_game` tells them.
    """
    games = games or {}
    style, script = _read_asset("report.css"), _read_asset("report.js")
    data = [embed_json("config", _format_config())]
    data += [embed_json(f"game-{number}", game) for number, game in games.items()]
    header = summary.header
    state = "finished" if summary.result and summary.result.finished else "not finished"
    return Template(_read_asset("page.html")).substitute(
        title=escape_text(header.name or header.kind),
        subtitle=escape_text(f"{header.kind} · {len(summary.games)} games · {state}"),
        style=style,
        style_hash=_content_hash(style),
        script=script,
        script_hash=_content_hash(script),
        sections="\n".join(_build_sections(summary, games.keys())),
        data="\n".join(data),
    )


# --- parts of the page ----------------------------------------------------------------------------


def _build_sections(summary: TournamentSummary, with_player: Iterable[int]) -> Iterable[str]:
    yield _section_element(
        "Standings", summary_tables.standings_table(summary), summary_tables.summary_notes(summary)
    )
    if summary.tests:
        title = "Test" if len(summary.tests) == 1 else "Tests"
        yield _section_element(
            title, summary_tables.sprt_lines(summary), charts.draw_llr_chart(summary) or ""
        )
    plots = [_figure_element(plot) for plot in _draw_plots(summary) if plot]
    attack = charts.draw_attack_chart(summary)
    if attack is not None:
        picture, legend = attack
        keys = "".join(
            f'<li><span class="key s{series}"></span>{escape_text(kind)}</li>'
            for series, kind in legend
        )
        plots.append(
            _figure_element(("Attack by kind of clear", picture, f'<ul class="legend">{keys}</ul>'))
        )
    if plots:
        yield f'<section class="charts">{"".join(plots)}</section>'
    if summary.encounters:
        yield _section_element("Encounters", summary_tables.encounters_table(summary))
        yield _section_element("Play", summary_tables.playing_table(summary))
    yield _section_element("Games", summary_tables.games_table(summary, set(with_player)))


def _draw_plots(summary: TournamentSummary) -> Iterable[tuple[str, str, str] | None]:
    yield _draw_plot("Ratings with 95 % intervals", charts.draw_ratings_chart(summary))
    yield _draw_plot("Elo with its 95 % interval over the pairs", charts.draw_elo_chart(summary))
    yield _draw_plot(
        "Attack per piece, by games",
        charts.draw_histogram_chart(
            summary, "Attack per piece", "APP", lambda each: each.app_by_game
        ),
    )
    yield _draw_plot(
        "Pieces per second by the game clock, by games",
        charts.draw_histogram_chart(
            summary, "Pieces per second, game clock", "PPS", lambda each: each.pps_by_game
        ),
    )
    yield _draw_plot("Thinking times of all pieces", charts.draw_latency_chart(summary))


def _draw_plot(title: str, picture: str | None) -> tuple[str, str, str] | None:
    return None if picture is None else (title, picture, "")


def _figure_element(plot: tuple[str, str, str]) -> str:
    title, picture, below = plot
    return f"<figure><h2>{escape_text(title)}</h2>{picture}{below}</figure>"


def _section_element(title: str, *parts: str) -> str:
    return f"<section><h2>{escape_text(title)}</h2>{''.join(parts)}</section>"


def _format_config() -> dict[str, Any]:
    """Return the script's constants: shapes and colours of pieces, number of visible rows."""
    return {
        "colors": COLORS,
        "cells": {
            f"{piece.name}{rotation.name[0]}": [
                list(cell) for cell in Placement(piece, rotation, 0, 0).cells
            ]
            for piece in Piece
            for rotation in Rotation
        },
        "visible": 20,
    }


# --- games ----------------------------------------------------------------------------------------


def _encode_games(
    games: Iterable[GameRecord], folder: Path, most: int
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    told: dict[int, dict[str, Any]] = {}
    faults: list[str] = []
    placements = 0
    for game in games:
        placements += sum(done.pieces for done in game.stats)
        if len(told) >= most or placements > MAX_PLACEMENTS:
            break
        if game.replay is None:
            continue
        path = folder / REPLAY_FOLDER / Path(game.replay).name
        try:
            replay = Replay.load(path)
            if len(replay.turns) <= MAX_TURNS:
                told[game.id] = encode_game(Playback(replay, str(path)))
        except FormatError as error:
            faults.append(str(error))
    return told, faults


# --- files ----------------------------------------------------------------------------------------


def _read_asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _content_hash(code: str) -> str:
    """By which the page's policy knows its own style and script, and lets no other run."""
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def embed_json(element: str, data: Any) -> str:
    """Data for the page's script, in an element of that id, which nothing in it can end."""
    json = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        json = json.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" id="{escape_text(element)}">{json}</script>'


BoardRows = list[str]


def encode_game(playback: Playback) -> dict[str, Any]:
    """A game in short; plays it to its end.

    Raises:
        FormatError: as `Playback.step`.
    """
    header = playback.replay.header
    players = playback.game.players
    opening = _filled_rows(players[0].colors)
    queues = [[piece.name for piece in player.queue] for player in players]
    boards = [opening, opening]
    told: list[str] = []
    turn = 0
    for step in iterate_placements(playback):
        if step.turn != turn:
            turn = step.turn
            told.append("|" if told else "")
        else:
            told.append(";")
        after = _filled_rows(step.after)
        told.append(_encode_turn(step, in_real_time=header.in_real_time))
        lines, expected = _next_board(boards[step.player], step, playback.rules.board.width)
        if (lines, expected) != (step.lock.lines, after):
            told.append(f"l{step.lock.lines}k{'/'.join(after)}")
        boards[step.player] = after
        other = 1 - step.player
        theirs = _filled_rows(step.boards[other])
        if playback.replay.turns[turn - 1].placements[other] is None and boards[other] != theirs:
            told.append(f";{other}k{'/'.join(theirs)}")
            boards[other] = theirs
        queues[step.player] += [piece.name for piece in step.lock.new_pieces]
    first, second = ("".join(queue) for queue in queues)
    # Both get the same pieces; who placed more has seen more of them.
    longer, shorter = sorted((first, second), key=len, reverse=True)
    same = longer.startswith(shorter)
    return {
        "names": list(playback.names),
        "width": playback.rules.board.width,
        "pieces": [longer] if same else [first, second],
        "opening": opening,
        "frames": header.frames_per_turn,
        "steps": "".join(told),
        "result": str(playback.recorded_result()),
    }


def _encode_turn(step: PlacementStep, *, in_real_time: bool) -> str:
    lock = step.lock
    parts = [str(step.player), write_placement(step.placement)]
    if lock.held:
        parts.append("h")
    if in_real_time:
        parts.append(f"@{step.frame}")
    if lock.attack:
        parts.append(f"a{lock.attack}")
    if lock.garbage:
        parts.append("g" + ",".join(map(str, lock.garbage)))
    info = step.info
    told = (
        ("t", step.milliseconds),
        ("n", info.nodes if info is not None else None),
        ("d", info.depth if info is not None else None),
    )
    parts += [f"{mark}{value:.3g}" for mark, value in told if value is not None]
    return "".join(parts)


def _next_board(before: BoardRows, step: PlacementStep, width: int) -> tuple[int, BoardRows]:
    """Rows cleared and the board after a step, as the script will have them."""
    rows = list(before)
    empty = "." * width
    letter = step.placement.piece.name
    for x, y in step.placement.cells:
        rows += [empty] * (y + 1 - len(rows))
        rows[y] = f"{rows[y][:x]}{letter}{rows[y][x + 1 :]}"
    left = [row for row in rows if "." in row]
    garbage = [f"{'G' * hole}.{'G' * (width - 1 - hole)}" for hole in step.lock.garbage]
    return len(rows) - len(left), _filled_rows((*reversed(garbage), *left))


def _filled_rows(rows: tuple[str, ...]) -> BoardRows:
    """Rows up to the highest one that is not empty."""
    height = len(rows)
    while height and not rows[height - 1].strip("."):
        height -= 1
    return list(rows[:height])
