"""``sevenbag play A B``: two bots play against each other."""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from sevenbag.arena.book import LAST_SEED, read_start
from sevenbag.arena.entry import ramped
from sevenbag.arena.live import Lines, LiveView
from sevenbag.arena.match import Conditions, RealTime, play_match
from sevenbag.arena.record import Recorder
from sevenbag.arena.screen import SceneView
from sevenbag.arena.seat import Clock
from sevenbag.arena.settings import DEFAULT_PPS
from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import count, named_rules, positive
from sevenbag.cli.game_options import (
    add_clock_options,
    add_rules_options,
    mention_unheeded,
    seed_argument,
)
from sevenbag.cli.keeping import ReplayPlace
from sevenbag.cli.output import warn, write_lines
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import FormatError, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator

    from sevenbag.arena.result import Result
    from sevenbag.arena.watch import Watcher
    from sevenbag.cli.main import Subparsers
    from sevenbag.formats.replay import Header

_DESCRIPTION: Final = """\
Two bots play against each other; who tops out, fails, or at the piece limit has made less attack,
loses. A bot is a name such as beam, with options such as beam:nodes=2000, or tbp:COMMAND for a
program that speaks TBP, such as "tbp:sevenbag serve beam --as tbp".
"""

# What is left on the screen may scroll out of it: it is drawn in full, if it is wide enough.
_TALL: Final = 100
_LIVE_PPS: Final = 6.0


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "play", help="two bots play against each other", description=_DESCRIPTION
    )
    parser.add_argument("first", metavar="A", help="a bot")
    parser.add_argument("second", metavar="B", help="another, or the same once more")
    game = parser.add_argument_group("the game")
    game.add_argument(
        "--seed", type=seed_argument, metavar="N", help="which pieces come (default: any)"
    )
    add_rules_options(game)
    game.add_argument(
        "--opening", metavar="FUMEN", help="a board that both begin on: the fumen's first page"
    )
    limits = game.add_mutually_exclusive_group()
    limits.add_argument(
        "--ms", type=positive, metavar="N", help="milliseconds for each move of both bots"
    )
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes for each move of both bots")
    game.add_argument(
        "--pps",
        type=positive,
        metavar="N",
        help=f"turns a second, at most (default: {_LIVE_PPS:g} where it is watched, else no limit);"
        " in real time pieces a second",
    )
    add_clock_options(parser)
    output = parser.add_argument_group("what is shown and kept")
    output.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="replay file (default: replays/match-SEED.replay, or -2, -3 and so on where that is"
        " taken)",
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
    seed = args.seed if args.seed is not None else 1 + secrets.randbelow(LAST_SEED)
    limits = Limits(args.ms, args.nodes)
    console = Console()
    drawable = console.is_terminal and not console.is_dumb_terminal
    watched = drawable and not (args.plain or args.quiet or args.json)
    conditions = _conditions(args, seed, limits, watched=watched)
    place = None if args.no_replay else ReplayPlace(args.replay, seed)
    if place is not None:
        place.expect_writable()
    bots = (create_bot(args.first), create_bot(args.second))
    mention_unheeded((args.first, args.second), bots, limits)
    recorder = Recorder(times=args.times)
    try:
        with _display(args, console, watched=watched) as watchers:
            result = run_until_signal(play_match(bots, conditions, (recorder, *watchers)))
    except BaseException:
        # Broken off: what was played is kept, marked as unfinished.
        if recorder.replay is not None and recorder.replay.turns:
            kept, why_not = _keep(recorder, place)
            if kept is not None:
                warn(f"interrupted; replay of the unfinished game: {kept}")
            elif why_not:
                warn(why_not)
        raise
    assert recorder.replay is not None
    kept, why_not = _keep(recorder, place)
    _tell(args, result, recorder.replay.header, kept)
    if why_not:
        sys.stdout.flush()
        warn(why_not)
    return 1 if why_not else 0


# --- helpers ------------------------------------------------------------------------------------


def _conditions(
    args: argparse.Namespace, seed: int, limits: Limits, *, watched: bool
) -> Conditions:
    rules = ramped(named_rules(args.rules), args.ramp)
    opening = None if args.opening is None else read_start([args.opening], rules).fumen
    if not args.real_time and (args.wall or args.nps is not None):
        raise InputError("--wall and --nps are for games in real time: --real-time is missing")
    if args.increment and args.bank is None:
        raise InputError("--increment is that of a clock: --bank is missing")
    clock = None if args.bank is None else Clock(args.bank, args.increment)
    timing = None
    if args.real_time:
        pace = args.pps or DEFAULT_PPS
        timing = RealTime((pace, pace), args.nps, args.wall, args.frames)
    elif args.frames:
        raise InputError("--frames is a kind of --real-time, which is not given")
    return Conditions(
        rules=rules,
        seed=seed,
        limits=(limits, limits),
        specs=(args.first, args.second),
        max_pieces=args.pieces,
        pps=args.pps or (_LIVE_PPS if watched else None),
        clocks=(clock, clock),
        lead=args.lead,
        double=args.double,
        opening=opening,
        real_time=timing,
    )


@contextlib.contextmanager
def _display(
    args: argparse.Namespace, console: Console, *, watched: bool
) -> Generator[tuple[Watcher, ...]]:
    starting = f"starting {args.first}, {args.second}"
    if watched:
        with LiveView(console, starting) as view:
            yield (view,)
        # The drawing was on the other screen: leave the last one on this.
        if view.scene is not None:
            console.print(SceneView(view.scene), height=_TALL)
    elif args.quiet or args.json:
        yield ()
    else:
        if sys.stderr.isatty():
            warn(starting)
        yield (Lines(sys.stdout),)


def _keep(recorder: Recorder, place: ReplayPlace | None) -> tuple[Path | None, str]:
    """The file that the replay is in now, or why it is in none."""
    if recorder.replay is None or place is None:
        return None, ""
    try:
        return place.keep(recorder.replay), ""
    except FormatError as error:
        return None, f"the replay is lost: {error}"


def _tell(args: argparse.Namespace, result: Result, header: Header, kept: Path | None) -> None:
    if args.json:
        print(json.dumps(_plain_data(result, header, kept)))
        return
    write_lines(str(result))
    for name, stats in zip(result.names, result.stats, strict=True):
        speed = f"{stats.pps or 0:.1f} PPS (wall clock), {stats.milliseconds or 0:.1f} ms/piece"
        write_lines(
            f"  {name}: {stats.pieces} pieces, {stats.lines} lines, {stats.attack} attack,"
            f" {stats.app:.2f} APP, {speed}"
        )
    if kept is not None:
        write_lines(f"replay: {kept}  (sevenbag replay show {kept})")


def _plain_data(result: Result, header: Header, kept: Path | None) -> dict[str, object]:
    return {
        "seed": header.seed,
        "rules": header.rules["name"],
        "winner": result.winner,
        "ending": result.ending.value,
        "players": [
            {
                "name": name,
                "spec": player.spec,
                "nodes": player.nodes,
                "milliseconds": player.milliseconds,
                "fall": {"reason": fall.reason.value, "detail": fall.detail} if fall else None,
                "pieces": stats.pieces,
                "lines": stats.lines,
                "attack": stats.attack,
                "app": stats.app,
                "thinking": stats.thinking,
                "pps": stats.pps,
            }
            for name, player, fall, stats in zip(
                result.names, header.players, result.falls, result.stats, strict=True
            )
        ],
        "replay": str(kept) if kept is not None else None,
    }
