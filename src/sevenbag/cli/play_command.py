"""The command ``sevenbag play``: play one game between two bots."""

from __future__ import annotations

import argparse
import contextlib
import json
import secrets
import sys
from collections.abc import Generator
from pathlib import Path

from rich.console import Console

from sevenbag.arena.runner.game_options import GameClock, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, ReplayRecorder
from sevenbag.arena.terminal.live_view import LineObserver, LiveGameView, print_scene
from sevenbag.arena.terminal.terminal_screen import can_draw
from sevenbag.arena.tournament.openings import parse_opening
from sevenbag.arena.tournament.tournament_config import DEFAULT_PPS
from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import (
    LIVE_SPEED,
    add_display_options,
    add_game_options,
    add_limit_options,
    add_time_options,
    integer,
    load_rules,
    positive_number,
    warn_ignored_limits,
)
from sevenbag.cli.output import warn, write_lines
from sevenbag.cli.signals import run_until_signal
from sevenbag.errors import FormatError, InputError
from sevenbag.formats.replay_file import ReplayDestination, ReplayHeader
from sevenbag.game.game_config import MAX_SEED, RealTime, with_attack_ramp
from sevenbag.game.game_result import GameResult


def configure_play(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag play``."""
    parser.add_argument("first", metavar="A", help="bot")
    parser.add_argument("second", metavar="B", help="other bot, or the same one")
    game = parser.add_argument_group("games")
    game.add_argument(
        "--seed", type=integer(0, MAX_SEED), help="seed of all pieces [default: random]"
    )
    add_game_options(game)
    game.add_argument(
        "--opening", metavar="FUMEN", help="first board of both players: first page of a fumen"
    )
    add_limit_options(parser.add_argument_group("limits").add_mutually_exclusive_group())
    add_time_options(parser)
    parser.add_argument(
        "--pps",
        type=positive_number,
        help=f"pieces per second in real time [default: {DEFAULT_PPS:g}]",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--replay",
        type=Path,
        help="replay file [default: replays/match-SEED.replay, or -2, -3 ... if that exists]",
    )
    output.add_argument("--no-replay", action="store_true", help="store no replays")
    output.add_argument("--times", action="store_true", help="store thinking times in the replay")
    output.add_argument(
        "--speed",
        type=positive_number,
        help=f"turns shown per second [default: {LIVE_SPEED:g} in a live view, else unlimited]",
    )
    add_display_options(output, plain="print one line per turn instead of a live view")


def run_play(args: argparse.Namespace) -> int:
    """Play one game between two bots.

    A player loses by topping out, by a fault of the bot, or by less attack at the piece limit. A
    bot is a name such as beam, with options such as beam:nodes=2000, or tbp:COMMAND for a program
    that speaks TBP, such as "tbp:sevenbag serve beam --as tbp".
    """
    seed = args.seed if args.seed is not None else 1 + secrets.randbelow(MAX_SEED)
    limits = Limits(args.ms, args.nodes)
    console = Console()
    live = can_draw(console) and not (args.plain or args.quiet or args.json)
    config = _create_config(args, seed, limits, live=live)
    destination = None if args.no_replay else ReplayDestination(args.replay, seed)
    if destination is not None:
        destination.check_writable()
    bots = (create_bot(args.first), create_bot(args.second))
    warn_ignored_limits((args.first, args.second), bots, limits)
    recorder = ReplayRecorder(times=args.times)
    try:
        with _open_display(args, console, live=live) as observers:
            result = run_until_signal(play_game(bots, config, (recorder, *observers)))
    except BaseException:
        # The unfinished game is stored, marked as such.
        if recorder.replay is not None and recorder.replay.turns:
            stored, problem = _store_replay(recorder, destination)
            if stored is not None:
                warn(f"interrupted; replay of the unfinished game: {stored}")
            elif problem:
                warn(problem)
        raise
    assert recorder.replay is not None
    stored, problem = _store_replay(recorder, destination)
    _print_result(args, result, recorder.replay.header, stored)
    if problem:
        sys.stdout.flush()
        warn(problem)
    return 1 if problem else 0


def _create_config(
    args: argparse.Namespace, seed: int, limits: Limits, *, live: bool
) -> GameConfig:
    rules = with_attack_ramp(load_rules(args.rules), args.ramp)
    opening = None if args.opening is None else parse_opening([args.opening], rules).fumen
    if not args.real_time and (args.wall or args.nps is not None):
        raise InputError("--wall and --nps need --real-time")
    if not args.real_time and args.pps is not None:
        raise InputError("--pps needs --real-time; --speed is for turns shown per second")
    if args.increment and args.bank is None:
        raise InputError("--increment needs --bank")
    clock = None if args.bank is None else GameClock(args.bank, args.increment)
    timing = None
    if args.real_time:
        pace = args.pps or DEFAULT_PPS
        timing = RealTime((pace, pace), args.nps, args.wall, args.frames)
    elif args.frames:
        raise InputError("--frames needs --real-time")
    return GameConfig(
        rules=rules,
        seed=seed,
        limits=(limits, limits),
        specs=(args.first, args.second),
        pieces=args.pieces,
        pps=args.speed or (LIVE_SPEED if live else None),
        clocks=(clock, clock),
        lead=args.lead,
        double=args.double,
        opening=opening,
        real_time=timing,
    )


@contextlib.contextmanager
def _open_display(
    args: argparse.Namespace, console: Console, *, live: bool
) -> Generator[tuple[GameObserver, ...]]:
    starting = f"starting {args.first}, {args.second}"
    if live:
        with LiveGameView(console, starting) as view:
            yield (view,)
        # The live view used the alternate screen: leave the last scene on the main one.
        if view.scene is not None:
            print_scene(console, view.scene)
    elif args.quiet or args.json:
        yield ()
    else:
        if sys.stderr.isatty():
            warn(starting)
        yield (LineObserver(sys.stdout),)


def _store_replay(
    recorder: ReplayRecorder, destination: ReplayDestination | None
) -> tuple[Path | None, str]:
    """Return the file of the replay, or None and the reason if it could not be written."""
    if recorder.replay is None or destination is None:
        return None, ""
    try:
        return destination.write(recorder.replay), ""
    except FormatError as error:
        return None, f"the replay is not stored: {error}"


def _print_result(
    args: argparse.Namespace, result: GameResult, header: ReplayHeader, stored: Path | None
) -> None:
    if args.json:
        print(json.dumps(_result_to_dict(result, header, stored)))
        return
    write_lines(str(result))
    for name, stats in zip(result.names, result.stats, strict=True):
        thinking = stats.thinking_ms_per_piece or 0
        speed = f"{stats.pps or 0:.1f} PPS (wall clock), {thinking:.1f} ms/piece"
        write_lines(
            f"  {name}: {stats.pieces} pieces, {stats.lines} lines, {stats.attack} attack,"
            f" {stats.app:.2f} APP, {speed}"
        )
    if stored is not None:
        write_lines(f"replay: {stored}  (sevenbag replay show {stored})")


def _result_to_dict(
    result: GameResult, header: ReplayHeader, stored: Path | None
) -> dict[str, object]:
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
                "thinking": stats.thinking_seconds,
                "pps": stats.pps,
            }
            for name, player, fall, stats in zip(
                result.names, header.players, result.losses, result.stats, strict=True
            )
        ],
        "replay": str(stored) if stored is not None else None,
    }
