"""Convert replays to fumens, JSON and CSV. docs/replay.md describes the formats."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sevenbag.errors import FumenError
from sevenbag.formats.fumen import MAX_PAGES, Field, Fumen, Page
from sevenbag.formats.fumen_page import COLORS, ROWS, WIDTH, location_index
from sevenbag.replay.playback import PlacementStep, Playback, iterate_placements
from sevenbag.replay.player_statistics import PERFECT_CLEAR, clear_kind

if TYPE_CHECKING:
    from sevenbag._kernel import LockResult


JSON_FORMAT: Final = "sevenbag-game"

CSV_COLUMNS: Final = (
    "turn", "frame", "player", "piece", "rotation", "x", "y", "spin", "held", "lines", "clear",
    "perfect_clear", "attack", "sent", "cancelled", "garbage", "combo", "back_to_back",
    "milliseconds",
)  # fmt: skip
"""Columns of the table, and names in the JSON."""


def export_fumen(playback: Playback, player: int) -> Fumen:
    """Export the game of a player as a fumen with one commented page per placement.

    Garbage appears on the page after the placement at which it entered: a page can raise only one
    row, and not every reader of fumens supports that.

    Args:
        playback: playback; played to its end.
        player: 0 or 1.

    Raises:
        FumenError: the board is not ten columns wide, or there are more pages than a fumen has.
        FormatError: as `Playback.step`.
    """
    width = playback.rules.board.width
    if width != WIDTH:
        raise FumenError(
            "InvalidFieldLength", f"the board is {width} columns wide; a fumen has {WIDTH}"
        )
    name = playback.names[player]
    pages: list[Page] = []
    last: PlacementStep | None = None
    for step in iterate_placements(playback):
        if step.player == player:
            if len(pages) == MAX_PAGES - 1:
                raise FumenError("TooManyPages", f"more than {MAX_PAGES} pages")
            pages.append(_fumen_page(step, name if last is None else ""))
            last = step
    after = playback.game.players[player].colors if last is None else last.after
    top_out = playback.game.players[player].top_out
    pages.append(Page(_fumen_field(after), None, top_out.value if top_out else "end"))
    # The colour flag of the first page applies to all pages.
    pages[0] = replace(pages[0], color=True)
    return Fumen(tuple(pages))


def export_json(playback: Playback, *, boards: bool = False) -> bytes:
    """Export a game as one JSON object: header, placements with their effects, result.

    Args:
        playback: playback; played to its end.
        boards: include the player's board after each placement.

    Raises:
        FormatError: as `Playback.step`.
    """
    header = playback.replay.header
    rows: list[dict[str, Any]] = []
    for step in iterate_placements(playback):
        row = _csv_row(step)
        if step.info is not None:
            row["info"] = step.info
        if boards:
            row["board"] = _without_empty_rows(step.after)
        rows.append(row)
    return _JSON.encode(
        {
            "format": JSON_FORMAT,
            "version": 1,
            "header": header,
            "placements": rows,
            "result": playback.replay.outcome,
        }
    )


def export_csv(playback: Playback) -> str:
    """Export a game as CSV with a line of column names and one line per placement.

    Raises:
        FormatError: as `Playback.step`.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for step in iterate_placements(playback):
        row = _csv_row(step)
        row["garbage"] = len(row["garbage"])
        # Spreadsheets expect 0 and 1 instead of booleans.
        cells = (row[name] for name in CSV_COLUMNS)
        writer.writerow(int(cell) if isinstance(cell, bool) else cell for cell in cells)
    return out.getvalue()


_JSON: Final = msgspec.json.Encoder()


def _csv_row(step: PlacementStep) -> dict[str, Any]:
    placement, lock = step.placement, step.lock
    return {
        "turn": step.turn,
        "frame": step.frame,
        "player": step.player + 1,
        "piece": placement.piece.name,
        "rotation": placement.rotation.name.lower(),
        "x": placement.x,
        "y": placement.y,
        "spin": lock.spin.name.lower(),
        "held": lock.from_hold,
        "lines": lock.lines,
        "clear": clear_kind(lock) if lock.lines else None,
        "perfect_clear": lock.perfect_clear,
        "attack": lock.attack,
        "sent": sum(lock.sent),
        "cancelled": lock.cancelled,
        "garbage": list(lock.garbage),
        "combo": lock.combo,
        "back_to_back": lock.back_to_back,
        "milliseconds": step.milliseconds,
    }


def _fumen_page(step: PlacementStep, name: str) -> Page:
    words = "; ".join(part for part in (name, _describe_lock(step.lock)) if part)
    field = _fumen_field(step.before)
    if field.fits(step.placement) and location_index(step.placement) >= 0:
        return Page(field, step.placement, words)
    # The piece is above the top of a fumen and cannot be drawn; the next page is correct.
    return Page(field, None, f"{words or step.placement}", lock=False)


def _describe_lock(lock: LockResult) -> str:
    parts: list[str] = []
    if lock.lines:
        parts.append(clear_kind(lock))
    elif lock.spin:
        parts.append("spin" if lock.spin.name == "FULL" else "mini spin")
    if lock.perfect_clear:
        parts.append(PERFECT_CLEAR)
    if lock.attack:
        parts.append(f"attack {lock.attack}")
    if lock.garbage:
        parts.append(f"garbage {len(lock.garbage)}")
    return ", ".join(parts)


def _fumen_field(rows: tuple[str, ...]) -> Field:
    # Cells that a fumen cannot represent, such as bombs, become garbage.
    return Field.from_rows([re.sub(f"[^{COLORS}]", "G", row) for row in rows[:ROWS]])


def _without_empty_rows(rows: tuple[str, ...]) -> list[str]:
    height = max((y + 1 for y, row in enumerate(rows) if row.strip(".")), default=0)
    return list(rows[:height])
