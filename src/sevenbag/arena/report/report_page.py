"""Render the report of a tournament as one HTML page."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec

from sevenbag._kernel import Piece, Placement, Rotation
from sevenbag.arena.report import charts, summary_tables
from sevenbag.arena.report.charts import escape_text
from sevenbag.arena.report.summary_tables import SummaryTable
from sevenbag.arena.tournament.tournament_files import REPLAY_FOLDER, GameRecord
from sevenbag.arena.tournament.tournament_summary import (
    TournamentSummary,
    format_sprt,
    format_unpaired,
    read_tournament_summary,
)
from sevenbag.bots.bot import shorten_name
from sevenbag.drawing import COLORS
from sevenbag.errors import FormatError
from sevenbag.files import write_atomically
from sevenbag.formats.replay_file import Replay, format_placement
from sevenbag.replay.playback import PlacementStep, Playback, iterate_placements

MAX_PLAYABLE_GAMES: Final = 1000
"""Default maximum number of games with a player."""

MAX_PLACEMENTS: Final = 2_000_000
"""Maximum number of placements of all games with a player: about 30 MB."""

MAX_TURNS: Final = 20_000
"""Maximum number of turns of a game with a player."""

_MAX_ROWS: Final = 5000
"""Maximum number of games in the table."""
_MAX_ENCOUNTERS: Final = 1000
_MAX_NAME: Final = 30
_LIVES_NOTE: Final = (
    "lives: pieces until half of its games would have ended in its death (Kaplan-Meier)."
)


def write_report(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    most_games: int = MAX_PLAYABLE_GAMES,
) -> list[str]:
    """Write the report of a tournament atomically.

    Args:
        folder: folder of the tournament.
        path: file of the page.
        most_games: maximum number of games with a player; the first ones have it.

    Returns:
        A message for each invalid replay; its game has no player.

    Raises:
        FormatError: the tournament is invalid, or the page cannot be written.
    """
    summary = read_tournament_summary(folder)
    games, faults = _encode_games(summary.games, Path(folder), most_games)
    write_atomically(Path(path), render_report(summary, games).encode(), replace=True)
    return faults


def render_report(
    summary: TournamentSummary, games: dict[int, dict[str, Any]] | None = None
) -> str:
    """Render the page of a tournament."""
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


def _build_sections(summary: TournamentSummary, playable: Container[int]) -> Iterable[str]:
    notes = ["LOS: likelihood of being stronger than the next."]
    if summary.ratings is not None:
        notes.insert(0, "Elo relative to the mean of all.")
    elif len(summary.engines) == 2:
        notes.insert(0, "Elo relative to the other.")
    standings = summary_tables.standings_table(summary)
    yield _section_element("Standings", _render_table(standings), _note(" ".join(notes)))
    if summary.tests:
        tests = summary.tests[:_MAX_ENCOUNTERS]
        yield _section_element(
            "Test" if len(summary.tests) == 1 else "Tests",
            *(f"<p>{escape_text(format_sprt(summary, each))}</p>" for each in tests),
            _omitted_note(len(summary.tests) - len(tests)),
            charts.draw_llr_chart(summary) or "",
        )
    plots = "".join(_draw_plots(summary))
    if plots:
        yield f'<section class="charts">{plots}</section>'
    if summary.encounters:
        encounters = summary_tables.encounters_table(summary, _MAX_ENCOUNTERS)
        yield _section_element(
            "Encounters",
            _render_table(encounters),
            _omitted_note(len(summary.encounters) - len(encounters.rows)),
            _note(format_unpaired(summary)),
        )
        yield _section_element(
            "Play", _render_table(summary_tables.playing_table(summary)), _note(_LIVES_NOTE)
        )
    yield _section_element("Games", *_build_games(summary, playable))


def _build_games(summary: TournamentSummary, playable: Container[int]) -> Iterable[str]:
    """Yield the table of games, with a button for the player of each game."""
    listed = summary.games[:_MAX_ROWS]
    buttons = [
        f'<button type="button" data-game="{game.id}" hidden>play</button>'
        if game.id in playable
        else ""
        for game in listed
    ]
    yield (
        '<p><input id="filter" type="search" placeholder="filter" aria-label="filter games"'
        " hidden></p>"
    )
    yield _render_table(summary_tables.games_table(listed), buttons, element="games")
    yield _omitted_note(len(summary.games) - len(listed))


def _draw_plots(summary: TournamentSummary) -> Iterable[str]:
    app = "Attack per piece"
    pps = "Pieces per second, game clock"
    for title, plot in (
        ("Ratings with 95 % intervals", charts.draw_ratings_chart(summary)),
        ("Elo with its 95 % interval over the pairs", charts.draw_elo_chart(summary)),
        (
            "Attack per piece, by games",
            charts.draw_histogram_chart(summary, app, "APP", lambda each: each.app_by_game),
        ),
        (
            "Pieces per second by the game clock, by games",
            charts.draw_histogram_chart(summary, pps, "PPS", lambda each: each.pps_by_game),
        ),
        ("Thinking times of all pieces", charts.draw_latency_chart(summary)),
    ):
        if plot is not None:
            yield _figure_element(title, plot)
    attack = charts.draw_attack_chart(summary)
    if attack is not None:
        plot, legend = attack
        keys = "".join(
            f'<li><span class="key s{series}"></span>{escape_text(kind)}</li>'
            for series, kind in legend
        )
        yield _figure_element("Attack by kind of clear", f'{plot}<ul class="legend">{keys}</ul>')


def _figure_element(title: str, content: str) -> str:
    return f"<figure><h2>{escape_text(title)}</h2>{content}</figure>"


def _note(text: str) -> str:
    return f'<p class="note">{escape_text(text)}</p>' if text else ""


def _omitted_note(count: int) -> str:
    return _note(f"and {count} more") if count > 0 else ""


def _render_table(table: SummaryTable, buttons: Sequence[str] = (), *, element: str = "") -> str:
    """Render a table as HTML, with a further column of buttons if there are any."""

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            _cell_element(tag, cell, is_name=column in table.names)
            for column, cell in enumerate(row)
        )

    more = [f"<td>{button}</td>" for button in buttons] or [""] * len(table.rows)
    head = cells("th", table.columns) + ("<th></th>" if buttons else "")
    body = "".join(
        f"<tr>{cells('td', row)}{button}</tr>" for row, button in zip(table.rows, more, strict=True)
    )
    marked = f' id="{element}"' if element else ""
    return (
        f'<div class="scroll"><table{marked}><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell_element(tag: str, cell: str, *, is_name: bool) -> str:
    if not is_name:
        return f"<{tag}>{escape_text(cell)}</{tag}>"
    # A shortened name is shown in full as a tooltip.
    title = f' title="{escape_text(cell)}"' if len(cell) > _MAX_NAME else ""
    return f'<{tag} class="name"{title}>{escape_text(shorten_name(cell, _MAX_NAME))}</{tag}>'


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


def _encode_games(
    games: Iterable[GameRecord], folder: Path, most: int
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    encoded: dict[int, dict[str, Any]] = {}
    faults: list[str] = []
    placements = 0
    for game in games:
        placements += sum(done.pieces for done in game.stats)
        if len(encoded) >= most or placements > MAX_PLACEMENTS:
            break
        if game.replay is None:
            continue
        path = folder / REPLAY_FOLDER / Path(game.replay).name
        try:
            replay = Replay.load(path)
            if len(replay.turns) <= MAX_TURNS:
                encoded[game.id] = encode_game(Playback(replay, str(path)))
        except FormatError as error:
            faults.append(str(error))
    return encoded, faults


def _read_asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _content_hash(code: str) -> str:
    """Return the hash of a style or script for the content security policy of the page."""
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def embed_json(element: str, data: Any) -> str:
    """Return an element with data for the script; the data cannot end the element."""
    json = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        json = json.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" id="{escape_text(element)}">{json}</script>'


BoardRows = list[str]


def encode_game(playback: Playback) -> dict[str, Any]:
    """Play a game to its end and encode it for the script.

    Raises:
        FormatError: as `Playback.step`.
    """
    header = playback.replay.header
    players = playback.game.players
    opening = _filled_rows(players[0].colors)
    queues = [[piece.name for piece in player.queue] for player in players]
    boards = [opening, opening]
    encoded: list[str] = []
    turn = 0
    for step in iterate_placements(playback):
        if step.turn != turn:
            turn = step.turn
            encoded.append("|" if encoded else "")
        else:
            encoded.append(";")
        after = _filled_rows(step.after)
        encoded.append(_encode_turn(step, in_real_time=header.is_real_time))
        lines, expected = _next_board(boards[step.player], step, playback.rules.board.width)
        if (lines, expected) != (step.lock.lines, after):
            encoded.append(f"l{step.lock.lines}k{'/'.join(after)}")
        boards[step.player] = after
        other = 1 - step.player
        theirs = _filled_rows(step.boards[other])
        if playback.replay.turns[turn - 1].placements[other] is None and boards[other] != theirs:
            encoded.append(f";{other}k{'/'.join(theirs)}")
            boards[other] = theirs
        queues[step.player] += [piece.name for piece in step.lock.new_pieces]
    first, second = ("".join(queue) for queue in queues)
    # Both get the same pieces; the player that placed more has seen more of them.
    longer, shorter = sorted((first, second), key=len, reverse=True)
    same = longer.startswith(shorter)
    return {
        "names": list(playback.names),
        "width": playback.rules.board.width,
        "pieces": [longer] if same else [first, second],
        "opening": opening,
        "frames": header.frames_per_turn,
        "steps": "".join(encoded),
        "result": str(playback.recorded_result()),
    }


def _encode_turn(step: PlacementStep, *, in_real_time: bool) -> str:
    lock = step.lock
    parts = [str(step.player), format_placement(step.placement)]
    if lock.from_hold:
        parts.append("h")
    if in_real_time:
        parts.append(f"@{step.frame}")
    if lock.attack:
        parts.append(f"a{lock.attack}")
    if lock.garbage:
        parts.append("g" + ",".join(map(str, lock.garbage)))
    info = step.info
    encoded = (
        ("t", step.milliseconds),
        ("n", info.nodes if info is not None else None),
        ("d", info.depth if info is not None else None),
    )
    parts += [f"{mark}{value:.3g}" for mark, value in encoded if value is not None]
    return "".join(parts)


def _next_board(before: BoardRows, step: PlacementStep, width: int) -> tuple[int, BoardRows]:
    """Return the cleared rows and the board after a step, as the script computes them."""
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
    """Return the rows up to the highest one that is not empty."""
    height = len(rows)
    while height and not rows[height - 1].strip("."):
        height -= 1
    return list(rows[:height])
