"""Show a running game on a terminal, as a picture or line by line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import zip_longest
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn
from sevenbag.arena.terminal.game_scene import GameScene, PlayerScene, build_scene, playback_scene
from sevenbag.arena.terminal.terminal_screen import (
    ALARM_STYLE,
    CELL_COLUMNS,
    KEY_LEFT,
    KEY_RIGHT,
    LABEL_STYLE,
    VALUE_STYLE,
    WINNER_STYLE,
    clip_to_width,
    frame_rows,
    join_columns,
    open_key_reader,
    overlay_text,
    pad_to_width,
    render_half_rows,
    render_heading,
    render_piece,
    render_row,
)
from sevenbag.bots.bot import Limits, shorten_name
from sevenbag.errors import printable
from sevenbag.formats.replay_file import format_placement
from sevenbag.game import LockResult
from sevenbag.game.game_result import GameResult

if TYPE_CHECKING:
    from sevenbag.replay.playback import Playback


# Faster updates are not visible, and drawing must not take time from bots that play faster.
_LIVE_FRAME_SECONDS: Final = 1 / 20


class LiveGameView(GameObserver):
    """View of a game on the alternate screen of a terminal; a context manager.

    Attributes:
        scene: last scene; None before the start of the game.

    Args:
        console: console of the terminal.
        before: text shown until the game starts.
    """

    def __init__(self, console: Console, before: str = "") -> None:
        self._before = before
        self.scene: GameScene | None = None
        self._console = console
        self._live = Live(console=console, screen=True, auto_refresh=False)
        self._start: GameStart | None = None
        self._drawn = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        self._live.update(Text(self._before), refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def game_started(self, start: GameStart) -> None:
        """Draw the empty boards."""
        self._start = start
        self._draw(None)

    def turn_played(self, turn: PlayedTurn) -> None:
        """Draw the boards after a turn, unless they have just been drawn."""
        del turn
        if time.monotonic() - self._drawn >= _LIVE_FRAME_SECONDS:
            self._draw(None)

    def game_ended(self, result: GameResult) -> None:
        """Draw the end."""
        self._draw(result)

    def _draw(self, result: GameResult | None) -> None:
        start = self._start
        if start is None:
            return
        self.scene = build_scene(
            start.game,
            start.names,
            result.stats if result else start.read_stats(),
            seed=start.config.seed,
            result=result,
        )
        self._live.update(GameSceneView(self.scene), refresh=True)
        self._drawn = time.monotonic()


class LineObserver(GameObserver):
    """Prints one line per turn, for pipes and files."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def game_started(self, start: GameStart) -> None:
        """Print the players and their limits."""
        config = start.config
        self._print(format_game_start(start.names, config.rules.name, config.seed))
        for each in zip(start.names, config.specs, start.limits, strict=True):
            self._print(format_player(*each))

    def turn_played(self, turn: PlayedTurn) -> None:
        """Print the turn."""
        self._print(format_turn(turn.number, turn.locks, turn.frame))

    def _print(self, line: str) -> None:
        self._out.write(printable(line) + "\n")
        self._out.flush()


def show_replay(playback: Playback, console: Console, turns_per_second: float) -> None:
    """Play back in a live view that keys control; leave the last scene in the terminal."""
    paused = False
    with open_key_reader() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            live.update(GameSceneView(playback_scene(playback, hint=REPLAY_KEYS)), refresh=True)
            # At the end, wait for a key if one can come.
            waiting = paused or (playback.at_end and keys.is_interactive)
            key = keys.read_key(_REDRAW_SECONDS if waiting else 1 / turns_per_second)
            if key is None and waiting:
                continue  # draw again: the terminal may have been resized
            if key in {"q", "Q"} or (key is None and playback.at_end):
                break
            if key == " ":
                paused = not paused
            elif key == KEY_LEFT:
                paused = True
                playback.rewind_to(playback.turn - 1)
            elif key == KEY_RIGHT:
                paused = True
                playback.play_to(playback.turn + 1)
            elif key is None:
                playback.step()
    print_scene(console, playback_scene(playback))


def print_replay(playback: Playback) -> None:
    """Print the players and one line per turn."""
    header = playback.replay.header
    lines = [format_game_start(playback.names, playback.rules.name, header.seed)]
    for player in header.players:
        limits = Limits(player.milliseconds, player.nodes)
        lines.append(format_player(player.name, player.spec, limits))
    while not playback.at_end:
        frame = playback.replay.turns[playback.turn].frame
        locks = playback.step()
        lines.append(format_turn(playback.turn, locks, frame))
        print("\n".join(map(printable, lines)), flush=True)
        lines.clear()


def print_scene(console: Console, scene: GameScene) -> None:
    """Print a scene in full height."""
    console.print(GameSceneView(scene), height=_SCENE_HEIGHT)


def format_game_start(names: tuple[str, str], rules: str, seed: int) -> str:
    """Format the players and rules of a game that begins."""
    return f"{names[0]} against {names[1]}, rules {rules}, seed {seed}"


def format_player(name: str, spec: str | None, limits: Limits) -> str:
    """Format a player: name, specification and limits of its bot."""
    plain = spec or "no specification"
    held = [f"{limits.nodes} nodes"] if limits.nodes is not None else []
    if limits.milliseconds is not None:
        held.append(f"{limits.milliseconds:g} ms")
    return f"  {name}: {plain}" + (f", {' and '.join(held)} a move" if held else "")


def format_turn(
    number: int, locks: tuple[LockResult | None, LockResult | None], frame: int | None = None
) -> str:
    """Format a turn; in real time, the locks of a frame."""
    when = f"{number:4}" if frame is None else f"{frame:6}"
    return f"{when}  {_format_placement(locks[0]):<36}  {_format_placement(locks[1])}".rstrip()


def _format_placement(lock: LockResult | None) -> str:
    if lock is None:
        return ""
    parts = [format_placement(lock.placement)]
    if lock.from_hold:
        parts.append("hold")
    if lock.lines:
        parts.append(f"clears {lock.lines}")
    if lock.attack:
        parts.append(f"attacks {lock.attack}")
    if lock.garbage:
        parts.append(f"takes {len(lock.garbage)}")
    return " ".join(parts)


REPLAY_KEYS: Final = "space pauses, left and right step, q quits"

_SCENE_HEIGHT: Final = 100
_REDRAW_SECONDS: Final = 0.25
_LEFT_COLUMNS: Final = 9
_NEXT_SMALL: Final = 5
_NEXT_LARGE: Final = 9
_FRAME: Final = 2
_GAP: Final = 2


class GameSceneView:
    """Renderable view of a scene for Rich."""

    def __init__(self, scene: GameScene) -> None:
        self._scene = scene

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw in the largest size that fits."""
        width, height = options.max_width, options.height or console.height
        yield from render_scene(self._scene, width, height)


def render_scene(scene: GameScene, width: int, height: int) -> list[Text]:
    """Return the lines of a scene for a terminal of this size."""
    lines = _render_large(scene, width, height) or _render_small(scene, width, height)
    if lines is None:
        return [clip_to_width(_statistics_line(player), width) for player in scene.players][:height]
    lines.append(Text(scene.caption, style=LABEL_STYLE, no_wrap=True))
    margin = max(0, (width - max(line.cell_len for line in lines[:-1])) // 2)
    for line in lines:
        line.pad_left(margin)
    return [clip_to_width(line, width) for line in lines][:height]


def _render_large(scene: GameScene, width: int, height: int) -> list[Text] | None:
    if height < max(len(player.rows) for player in scene.players) + _FRAME + 1:
        return None
    for next_width, large_pieces in ((_NEXT_LARGE, True), (_NEXT_SMALL, False)):
        needed = _GAP + sum(
            _LEFT_COLUMNS + 1 + _board_width(player, CELL_COLUMNS) + 1 + next_width
            for player in scene.players
        )
        if needed <= width:
            return _side_by_side(
                [
                    join_columns(
                        _left_column(player),
                        _frame_board(
                            player, [render_row(row) for row in reversed(player.rows)], CELL_COLUMNS
                        ),
                        _next_column(player, next_width, large=large_pieces),
                    )
                    for player in scene.players
                ]
            )
    return None


def _render_small(scene: GameScene, width: int, height: int) -> list[Text] | None:
    """Return the lines of a scene with two rows of a board per line."""
    tallest = max((len(player.rows) + 1) // 2 for player in scene.players)
    across = [_board_width(player, 1) + 1 + _NEXT_SMALL for player in scene.players]
    if height < tallest + _FRAME + 1 or width < sum(across) + _GAP:
        return None
    return _side_by_side(
        [
            join_columns(
                _frame_board(player, list(render_half_rows(player.rows)), 1),
                _next_column(player, _NEXT_SMALL, large=False),
            )
            for player in scene.players
        ]
    )


def _statistics_line(player: PlayerScene) -> Text:
    line = Text(f"{player.name}: ", style=VALUE_STYLE)
    line.append("  ".join(f"{label} {value}" for label, value in player.statistics), style="none")
    if player.loss:
        line.append(f"  {player.loss}", style=ALARM_STYLE)
    return line


def _left_column(player: PlayerScene) -> list[Text]:
    lines = [render_heading("hold", _LEFT_COLUMNS)]
    lines += render_piece(player.hold, large=True) if player.hold else [Text(), Text()]
    lines.append(Text())
    for label, value in player.statistics:
        style = ALARM_STYLE if label == "garbage" and player.pending else VALUE_STYLE
        lines += [render_heading(label, _LEFT_COLUMNS), Text(value, style=style, no_wrap=True)]
    return [pad_to_width(line, _LEFT_COLUMNS) for line in lines]


def _next_column(player: PlayerScene, width: int, *, large: bool) -> list[Text]:
    lines = [render_heading("next", width)]
    for letter in player.queue:
        lines += [*render_piece(letter, large=large), Text()]
    return [pad_to_width(line, width) for line in lines]


def _frame_board(player: PlayerScene, rows: Sequence[Text], cell: int) -> list[Text]:
    """Return a framed board; the left side of the frame shows pending garbage."""
    inner = _board_width(player, cell) - _FRAME
    verdict = ("winner", WINNER_STYLE) if player.won else None
    if player.loss and not player.won:
        verdict = (player.loss, ALARM_STYLE)
    lines = frame_rows(rows, inner, message=verdict)
    name = f" {shorten_name(player.name, inner - 2)} "
    lines[0] = overlay_text(lines[0], 1, Text(name, verdict[1] if verdict else VALUE_STYLE))
    rows_per_line = len(player.rows) / len(rows)
    for index in range(len(rows)):
        if (len(rows) - 1 - index) * rows_per_line < player.pending:
            lines[1 + index] = overlay_text(lines[1 + index], 0, Text("█", ALARM_STYLE))
    return lines


def _side_by_side(sides: Sequence[list[Text]]) -> list[Text]:
    # The boards determine the number of lines; longer side columns are cut.
    heights = [next(i for i, line in enumerate(side) if "└" in line.plain) + 1 for side in sides]
    first, second = (side[: max(heights)] for side in sides)
    widths = [max(line.cell_len for line in side) for side in (first, second)]
    lines: list[Text] = []
    for left, right in zip_longest(first, second):
        line = pad_to_width(left if left is not None else Text(), widths[0])
        line.append(" " * _GAP)
        line.append(pad_to_width(right if right is not None else Text(), widths[1]))
        lines.append(line)
    return lines


def _board_width(player: PlayerScene, cell: int) -> int:
    return len(player.rows[0]) * cell + _FRAME
