"""``sevenbag play A B``: two bots play against each other."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from sevenbag.arena.live import Lines, LiveView
from sevenbag.arena.match import FRAMES_PER_TURN, Conditions, play_match
from sevenbag.arena.record import Recorder
from sevenbag.arena.screen import SceneView
from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import count, positive
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import BotStartError, FormatError
from sevenbag.game import Rules

if TYPE_CHECKING:
    from collections.abc import Generator

    from sevenbag.arena.result import Result
    from sevenbag.arena.watch import Watcher
    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Two bots play against each other; who tops out, fails, or at the piece limit has made less attack,
loses. A bot is a name such as beam, with options such as beam:nodes=2000, or tbp:COMMAND for a
program that speaks TBP, such as "tbp:sevenbag serve beam --as tbp".
"""

# What is left on the screen may scroll out of it: it is drawn in full, if it is wide enough.
_TALL: Final = 100
# Where replays go that were given no name; made when there is something to put into it.
_FOLDER: Final = Path("replays")
_LIVE_PPS: Final = 6.0
_LAST_SEED: Final = 2**31 - 2
_MOST_PIECES: Final = 100_000
# The factor on attack, per second of the game: doubled 40 pieces after the ramp's begin.
_RAMP_GROWTH: Final = 0.05


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "play", help="two bots play against each other", description=_DESCRIPTION
    )
    parser.add_argument("first", metavar="A", help="a bot")
    parser.add_argument("second", metavar="B", help="another, or the same once more")
    game = parser.add_argument_group("the game")
    game.add_argument("--seed", type=_seed, metavar="N", help="which pieces come (default: any)")
    game.add_argument(
        "--rules", default="guideline", metavar="NAME", help="rules preset (default: %(default)s)"
    )
    game.add_argument(
        "--pieces",
        type=_pieces,
        default=1000,
        metavar="N",
        help="end after N pieces each (default: %(default)s)",
    )
    game.add_argument(
        "--ramp",
        type=_pieces,
        metavar="N",
        help="from piece N on attack grows, so that even equal bots come to an end",
    )
    limits = game.add_mutually_exclusive_group()
    limits.add_argument("--ms", type=positive, metavar="N", help="milliseconds for each move")
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes for each move")
    game.add_argument(
        "--pps",
        type=positive,
        metavar="N",
        help=f"turns a second, at most (default: {_LIVE_PPS:g} where it is watched, else no limit)",
    )
    output = parser.add_argument_group("what is shown and kept")
    output.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="replay file (default: replays/match-SEED.replay)",
    )
    output.add_argument("--no-replay", action="store_true", help="keep no replay")
    output.add_argument(
        "--times", action="store_true", help="keep thinking times in the replay, too"
    )
    output.add_argument("--plain", action="store_true", help="a line for each turn")
    output.add_argument("--quiet", action="store_true", help="the result only")
    output.add_argument("--json", action="store_true", help="the result only, as JSON")


def run(args: argparse.Namespace) -> int:
    """Play, tell the result, keep the replay."""
    seed = args.seed if args.seed is not None else 1 + secrets.randbelow(_LAST_SEED)
    limits = Limits(args.ms, args.nodes)
    console = Console()
    drawable = console.is_terminal and not console.is_dumb_terminal
    watched = drawable and not (args.plain or args.quiet or args.json)
    conditions = Conditions(
        rules=_rules(args.rules, args.ramp),
        seed=seed,
        limits=(limits, limits),
        max_pieces=args.pieces,
        pps=args.pps or (_LIVE_PPS if watched else None),
    )
    target = None if args.no_replay else args.replay or _FOLDER / f"match-{seed}.replay"
    if target is not None:
        _expect_writable(target)
    bots = (create_bot(args.first), create_bot(args.second))
    recorder = Recorder(times=args.times)
    try:
        with _display(args, console, watched=watched) as watchers:
            result = run_until_signal(play_match(bots, conditions, (recorder, *watchers)))
    except BaseException:
        # Broken off: what was played is kept, marked as unfinished.
        kept = _keep(recorder, target)
        if kept is not None:
            print(f"sevenbag: interrupted; replay of the unfinished game: {kept}", file=sys.stderr)
        raise
    kept = _keep(recorder, target)
    if recorder.replay is None:
        _refuse_unplayed(result)
    _tell(args, result, seed, kept)
    return 0


# --- helpers ------------------------------------------------------------------------------------


@contextlib.contextmanager
def _display(
    args: argparse.Namespace, console: Console, *, watched: bool
) -> Generator[tuple[Watcher, ...]]:
    if watched:
        with LiveView(console) as view:
            yield (view,)
        # The drawing was on the other screen: leave the last one on this.
        if view.scene is not None:
            console.print(SceneView(view.scene), height=_TALL)
    elif args.quiet or args.json:
        yield ()
    else:
        yield (Lines(sys.stdout),)


def _rules(preset: str, ramp: int | None) -> Rules:
    rules = Rules.preset(preset)
    if ramp is None:
        return rules
    growth = {"multiplier_growth": _RAMP_GROWTH, "multiplier_margin": ramp * FRAMES_PER_TURN}
    return rules.replace({"attack": growth}, name=f"{rules.name}, ramp at {ramp}")


def _expect_writable(target: Path) -> None:
    """Before the game: it would be a pity to play it and then have nowhere to put it."""
    folder = target.parent
    if folder == _FOLDER and not folder.exists():
        folder = folder.parent
    if target.is_dir() or not os.access(folder, os.W_OK):
        raise FormatError(f"{target}: cannot be written; --replay FILE chooses another place")


def _refuse_unplayed(result: Result) -> None:
    """A bot that did not even start is a mistake in the command rather than a lost game."""
    for name, fall in zip(result.names, result.falls, strict=True):
        if fall is not None:
            raise BotStartError(name, fall.detail)


def _keep(recorder: Recorder, target: Path | None) -> Path | None:
    if recorder.replay is None or target is None:
        return None
    if target.parent == _FOLDER:
        _FOLDER.mkdir(exist_ok=True)
    recorder.replay.write(target)
    return target


def _tell(args: argparse.Namespace, result: Result, seed: int, kept: Path | None) -> None:
    if args.json:
        print(json.dumps(_plain_data(result, seed, kept)))
        return
    print(result)
    for name, stats in zip(result.names, result.stats, strict=True):
        speed = f"{stats.pps or 0:.1f} PPS, {stats.milliseconds or 0:.1f} ms/piece"
        print(
            f"  {name}: {stats.pieces} pieces, {stats.lines} lines, {stats.attack} attack,"
            f" {stats.app:.2f} APP, {speed}"
        )
    if kept is not None:
        print(f"replay: {kept}  (sevenbag replay show {kept})")


def _plain_data(result: Result, seed: int, kept: Path | None) -> dict[str, object]:
    return {
        "seed": seed,
        "winner": result.winner,
        "ending": result.ending.value,
        "players": [
            {
                "name": name,
                "fall": {"reason": fall.reason.value, "detail": fall.detail} if fall else None,
                "pieces": stats.pieces,
                "lines": stats.lines,
                "attack": stats.attack,
                "app": stats.app,
                "thinking": stats.thinking,
                "pps": stats.pps,
            }
            for name, fall, stats in zip(result.names, result.falls, result.stats, strict=True)
        ],
        "replay": str(kept) if kept is not None else None,
    }


def _pieces(text: str) -> int:
    number = count(text)
    if number > _MOST_PIECES:
        raise argparse.ArgumentTypeError(f"{text} pieces are too many; the most are {_MOST_PIECES}")
    return number


def _seed(text: str) -> int:
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if not 0 <= seed <= _LAST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; expected 0 to {_LAST_SEED}")
    return seed
