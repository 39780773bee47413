"""The demo in the terminal: one board, what is known about it, and the keys as they are pressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from sevenbag.arena.blocks import (
    CELL,
    FAINT,
    LABEL,
    VALUE,
    WON,
    clipped,
    half_rows,
    heading,
    in_columns,
    overlaid,
    piece_lines,
    wide_row,
)
from sevenbag.arena.perfect_play import HARD_DROP, HOLD, SOFT_DROP, landed

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.arena.perfect_play import PerfectPlay

TITLE: Final = "PC Solver"
HINT: Final = "space pauses · + - speed · q quits"

_WIDTH: Final = 10
_ROWS: Final = 20
_LEAST_ROWS: Final = 8
# Lines around the rows of the board: title, frame, keys, caption.
_AROUND: Final = 6
_LEFT: Final = 14
_RIGHT: Final = 12
_NEXT: Final = 5

_CAPS: Final = (
    (HOLD, "hold"),
    ("LEFT", "←"),
    ("RIGHT", "→"),
    ("CCW", "↺"),
    ("CW", "↻"),
    ("FLIP", "180"),
    (SOFT_DROP, "↓"),
    (HARD_DROP, "⤓"),
)
_CAP_UP: Final = "grey50 on grey15"
_CAP_DOWN: Final = "bold #14161b on #e8c52e"
# Seconds for which a key is seen pressed, and a perfect clear is cheered.
_PRESSED: Final = 0.09
_CHEER: Final = 0.45


@dataclass(frozen=True, slots=True)
class DemoScene:
    """What is to be seen.

    Attributes:
        rows: of the board from the bottom; the falling piece in capitals, its shadow in small
            letters.
        hold: the held piece.
        queue: the next pieces.
        figures: label and value of each statistic.
        pressed: keys that are down.
        cheer: whether a perfect clear was made just now.
        caption: a line about the game.
    """

    rows: tuple[str, ...]
    hold: str | None
    queue: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    pressed: frozenset[str]
    cheer: bool
    caption: str


def scene_of(play: PerfectPlay, now: float, *, waiting: int, caption: str) -> DemoScene:
    """The scene of a game at one moment."""
    stats = play.game.stats
    falling = play.falling_at(now)
    pieces = stats.pieces
    return DemoScene(
        rows=_rows(play, falling),
        hold=play.game.hold.name if play.game.hold is not None else None,
        queue=tuple(piece.name for piece in play.game.queue[1 : _NEXT + 1]),
        figures=(
            ("PPS", f"{pieces / play.seconds:.2f}" if play.seconds > 0 else "0"),
            ("APP", f"{stats.attack / pieces:.2f}" if pieces else "0"),
            ("lines sent", f"{stats.attack:,}"),
            ("perfect clears", f"{play.perfect_clears:,}"),
            ("solved in", _time(play.plan_seconds)),
            ("ahead", str(waiting)),
        ),
        pressed=frozenset(key for key, at in play.pressed if now - at < _PRESSED),
        cheer=play.cleared_at is not None and now - play.cleared_at < _CHEER,
        caption=caption,
    )


def draw(scene: DemoScene, width: int, height: int) -> list[Text]:
    """The lines of a scene, for a terminal of this size."""
    rows = min(_ROWS, height - _AROUND)
    if rows >= _LEAST_ROWS and width >= _LEFT + _WIDTH * CELL + 2 + _RIGHT + 2:
        body = in_columns(
            _left(scene),
            _framed(scene, [wide_row(row) for row in reversed(scene.rows[:rows])], CELL),
            _right(scene, large=True),
        )[: rows + 2]
    elif height >= _ROWS // 2 + _AROUND and width >= _WIDTH + 2 + 16:
        body = in_columns(
            _framed(scene, list(half_rows(scene.rows[:_ROWS])), 1), _left(scene, small=True)
        )[: _ROWS // 2 + 2]
    else:
        figures = "  ".join(f"{label} {value}" for label, value in scene.figures)
        return [clipped(Text(figures, style=VALUE), width)]
    lines = [
        Text(TITLE, style=VALUE),
        *body,
        _caps(scene),
        Text(scene.caption, style=LABEL),
        Text(HINT, style=FAINT),
    ]
    top = max(0, (height - len(lines)) // 2)
    for line in lines:
        line.pad_left(max(0, (width - line.cell_len) // 2))
    return [Text()] * top + [clipped(line, width) for line in lines][: height - top]


# --- parts --------------------------------------------------------------------------------------


def _rows(play: PerfectPlay, falling: Placement | None) -> tuple[str, ...]:
    rows = [list(row) for row in play.game.colors[:_ROWS]]
    if falling is not None:
        letter = falling.piece.name
        for piece, drawn in ((landed(play.game.board, falling), letter.lower()), (falling, letter)):
            for x, y in piece.cells:
                if y < _ROWS:
                    rows[y][x] = drawn
    return tuple("".join(row) for row in rows)


def _left(scene: DemoScene, *, small: bool = False) -> list[Text]:
    width = _LEFT
    lines = [heading("hold", width)]
    if scene.hold is not None:
        lines += piece_lines(scene.hold, large=not small)
    else:
        lines += [Text()] if small else [Text(), Text()]
    lines.append(Text())
    for label, value in scene.figures:
        if small:
            lines.append(Text.assemble((f"{label} ", LABEL), (value, VALUE)))
        else:
            lines += [heading(label, width), Text(value, style=VALUE)]
    return lines


def _right(scene: DemoScene, *, large: bool) -> list[Text]:
    lines = [heading("next", _RIGHT)]
    for letter in scene.queue:
        lines += [*piece_lines(letter, large=large), Text()]
    return lines


def _framed(scene: DemoScene, rows: list[Text], cell: int) -> list[Text]:
    style = WON if scene.cheer else FAINT
    lines = [Text(f"┌{'─' * (_WIDTH * cell)}┐", style=style)]
    for row in rows:
        line = Text("│", style=style)
        line.append(row)
        line.append("│", style=style)
        lines.append(line)
    lines.append(Text(f"└{'─' * (_WIDTH * cell)}┘", style=style))
    if scene.cheer:
        text = " PERFECT CLEAR " if cell == CELL else " PERFECT "
        at = 1 + (_WIDTH * cell - len(text)) // 2
        middle = len(lines) // 2
        lines[middle] = overlaid(lines[middle], at, Text(text, style=f"reverse {WON}"))
    return lines


def _caps(scene: DemoScene) -> Text:
    line = Text()
    for key, cap in _CAPS:
        line.append(f" {cap} ", style=_CAP_DOWN if key in scene.pressed else _CAP_UP)
        line.append(" ")
    line.rstrip()
    return line


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
