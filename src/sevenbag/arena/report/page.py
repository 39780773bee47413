"""Puts the page of a report together."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.arena.playback import Playback
from sevenbag.arena.records import REPLAYS
from sevenbag.arena.report import charts, tables
from sevenbag.arena.report.games import told_game
from sevenbag.arena.report.text import script_data, text
from sevenbag.arena.summary import read_summary
from sevenbag.drawing import COLORS
from sevenbag.errors import FormatError
from sevenbag.formats.replay import Replay
from sevenbag.formats.whole_file import write_whole

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from sevenbag.arena.records import GameRecord
    from sevenbag.arena.summary import Summary

MOST_GAMES: Final = 1000
"""Games with a player, unless another number is asked for."""

MOST_PLACEMENTS: Final = 2_000_000
"""Placements of all games with a player together: some thirty megabytes."""

MOST_TURNS: Final = 20_000
"""Turns of a game with a player."""


def write_report(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    most_games: int = MOST_GAMES,
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
    summary = read_summary(folder)
    games, faults = _games(summary.games, Path(folder), most_games)
    write_whole(Path(path), report_page(summary, games).encode(), over=True)
    return faults


def report_page(summary: Summary, games: dict[int, dict[str, Any]] | None = None) -> str:
    """The page of a tournament.

    Args:
        summary: the tournament.
        games: those with a player, by number, as `told_game` tells them.
    """
    games = games or {}
    style, script = _file("report.css"), _file("report.js")
    data = [script_data("config", _config())]
    data += [script_data(f"game-{number}", game) for number, game in games.items()]
    header = summary.header
    state = "finished" if summary.result and summary.result.finished else "not finished"
    return Template(_file("page.html")).substitute(
        title=text(header.name or header.kind),
        subtitle=text(f"{header.kind} · {len(summary.games)} games · {state}"),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        sections="\n".join(_sections(summary, games.keys())),
        data="\n".join(data),
    )


# --- parts of the page ----------------------------------------------------------------------------


def _sections(summary: Summary, with_player: Iterable[int]) -> Iterable[str]:
    yield _section("Standings", tables.standings(summary), tables.notes(summary))
    if summary.tests:
        title = "Test" if len(summary.tests) == 1 else "Tests"
        yield _section(title, tables.tests(summary), charts.llr_chart(summary) or "")
    plots = [_figure(plot) for plot in _plots(summary) if plot]
    attack = charts.attack_chart(summary)
    if attack is not None:
        picture, legend = attack
        keys = "".join(
            f'<li><span class="key s{series}"></span>{text(kind)}</li>' for series, kind in legend
        )
        plots.append(
            _figure(("Attack by kind of clear", picture, f'<ul class="legend">{keys}</ul>'))
        )
    if plots:
        yield f'<section class="charts">{"".join(plots)}</section>'
    if summary.encounters:
        yield _section("Encounters", tables.encounters(summary))
        yield _section("Play", tables.play(summary))
    yield _section("Games", tables.games(summary, set(with_player)))


def _plots(summary: Summary) -> Iterable[tuple[str, str, str] | None]:
    yield _plot("Ratings with 95 % intervals", charts.ratings_chart(summary))
    yield _plot("Elo with its 95 % interval over the pairs", charts.elo_chart(summary))
    yield _plot(
        "Attack per piece, by games",
        charts.histogram_chart(summary, "Attack per piece", "APP", lambda each: each.apps),
    )
    yield _plot(
        "Pieces per second by the game clock, by games",
        charts.histogram_chart(
            summary, "Pieces per second, game clock", "PPS", lambda each: each.ppses
        ),
    )
    yield _plot("Thinking times of all pieces", charts.latency_chart(summary))


def _plot(title: str, picture: str | None) -> tuple[str, str, str] | None:
    return None if picture is None else (title, picture, "")


def _figure(plot: tuple[str, str, str]) -> str:
    title, picture, below = plot
    return f"<figure><h2>{text(title)}</h2>{picture}{below}</figure>"


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{text(title)}</h2>{''.join(parts)}</section>"


def _config() -> dict[str, Any]:
    """What the script must know to draw: shapes and colours of pieces, rows that are seen."""
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


def _games(
    games: Iterable[GameRecord], folder: Path, most: int
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    told: dict[int, dict[str, Any]] = {}
    faults: list[str] = []
    placements = 0
    for game in games:
        placements += sum(done.pieces for done in game.stats)
        if len(told) >= most or placements > MOST_PLACEMENTS:
            break
        if game.replay is None:
            continue
        path = folder / REPLAYS / Path(game.replay).name
        try:
            replay = Replay.load(path)
            if len(replay.turns) <= MOST_TURNS:
                told[game.id] = told_game(Playback(replay, str(path)))
        except FormatError as error:
            faults.append(str(error))
    return told, faults


# --- files ----------------------------------------------------------------------------------------


def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _hash(code: str) -> str:
    """By which the page's policy knows its own style and script, and lets no other run."""
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
