"""``sevenbag replay show FILE``: plays back a replay file, or draws a picture of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live

from sevenbag.arena.live import opening_line, player_line, turn_line
from sevenbag.arena.picture import svg
from sevenbag.arena.scene import scene_of
from sevenbag.arena.screen import SceneView
from sevenbag.bots.bot import Limits
from sevenbag.cli.arguments import positive
from sevenbag.cli.keys import LEFT, RIGHT, pressed_keys
from sevenbag.cli.output import write_lines
from sevenbag.cli.replay_source import add_source, playback_of
from sevenbag.cli.replay_verdict import verdict
from sevenbag.errors import FormatError

if TYPE_CHECKING:
    from sevenbag.arena.playback import Playback
    from sevenbag.arena.scene import Scene

_SPEED: Final = 8.0
# What is left on the screen may scroll out of it: it is drawn in full, if it is wide enough.
_TALL: Final = 100
_BLINK: Final = 0.25
_KEYS: Final = "space pauses, left and right step, q quits"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.description = (
        "Plays a replay back, and checks that it comes to the recorded result. In a terminal:"
        f" {_KEYS}."
    )
    add_source(parser)
    parser.add_argument(
        "--speed",
        type=positive,
        default=_SPEED,
        metavar="N",
        help="turns a second (default: %(default)g)",
    )
    parser.add_argument("--turn", type=_turn, metavar="N", help="show the game after turn N only")
    parser.add_argument("--plain", action="store_true", help="a line for each turn")
    parser.add_argument(
        "--svg", type=Path, metavar="OUT", help="write a picture instead (- for standard output)"
    )


def run(args: argparse.Namespace) -> int:
    """Show, then say whether the game played again is the recorded one."""
    playback = playback_of(args)
    if args.turn is not None and args.turn > len(playback.replay.turns):
        raise FormatError(f"{args.file}: has {len(playback.replay.turns)} turns, not {args.turn}")
    console = Console()
    if args.svg is not None:
        playback.play_to(_last_turn(args, playback))
        _write_picture(args.svg, svg(_scene(playback)))
    elif args.turn is not None:
        playback.play_to(args.turn)
        console.print(SceneView(_scene(playback)), height=_TALL)
    elif args.plain or not console.is_terminal or console.is_dumb_terminal:
        _tell(playback)
    else:
        _show(playback, console, args.speed)
    return verdict(playback, quiet=args.svg is not None)


# --- helpers ------------------------------------------------------------------------------------


def _show(playback: Playback, console: Console, speed: float) -> None:
    """Play back in the terminal; leaves the last picture on the screen."""
    paused = False
    with (
        pressed_keys() as keys,
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):
        while True:
            live.update(SceneView(_scene(playback, hint=_KEYS)), refresh=True)
            # At the end it waits for a key, where there can be one.
            waiting = paused or (playback.at_end and keys.can_come)
            key = keys.wait(_BLINK if waiting else 1 / speed)
            if key is None and waiting:
                continue  # drawn anew nevertheless: the terminal may have been resized
            if key in {"q", "Q"} or (key is None and playback.at_end):
                break
            if key == " ":
                paused = not paused
            elif key == LEFT:
                paused = True
                playback.rewind(playback.turn - 1)
            elif key == RIGHT:
                paused = True
                playback.play_to(playback.turn + 1)
            elif key is None:
                playback.step()
    console.print(SceneView(_scene(playback)), height=_TALL)


def _tell(playback: Playback) -> None:
    header = playback.replay.header
    write_lines(opening_line(playback.names, playback.rules.name, header.seed))
    for player in header.players:
        write_lines(
            player_line(player.name, player.spec, Limits(player.milliseconds, player.nodes))
        )
    while not playback.at_end:
        frame = playback.replay.turns[playback.turn].frame
        locks = playback.step()
        write_lines(turn_line(playback.turn, locks, frame))


def _scene(playback: Playback, hint: str = "") -> Scene:
    return scene_of(
        playback.versus,
        playback.names,
        playback.stats(),
        seed=playback.replay.header.seed,
        result=playback.result() if playback.at_end else None,
        hint=hint,
    )


def _last_turn(args: argparse.Namespace, playback: Playback) -> int:
    return len(playback.replay.turns) if args.turn is None else int(args.turn)


def _write_picture(path: Path, text: str) -> None:
    if str(path) == "-":
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {error.strerror}") from error


def _turn(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no turn; expected a whole number from 0")
    return number
