"""The commands ``sevenbag replay show``, ``convert``, ``verify`` and ``stats``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from rich.console import Console

from sevenbag.arena.terminal.game_scene import playback_scene, scene_svg
from sevenbag.arena.terminal.live_view import REPLAY_KEYS, print_replay, print_scene, show_replay
from sevenbag.arena.terminal.terminal_screen import can_draw
from sevenbag.cli.arguments import (
    LIVE_SPEED,
    REPLAY_FILE_HELP,
    add_json_option,
    add_replay_argument,
    integer,
    positive_number,
)
from sevenbag.cli.output import (
    create_table,
    escape_cell,
    escape_json,
    print_table,
    warn,
    write_json,
    write_lines,
)
from sevenbag.errors import FormatError
from sevenbag.files import write_atomically
from sevenbag.formats.tetrio_file import load_tetrio_file
from sevenbag.replay import TETRIO_SUFFIXES, open_playback
from sevenbag.replay.playback import Playback, ReplayVerification, count_statistics
from sevenbag.replay.player_statistics import CLEAR_KINDS, CLOCK_PPS_LABEL, PlayerStatistics
from sevenbag.replay.replay_export import export_csv, export_fumen, export_json
from sevenbag.replay.tetrio_simulation import (
    ExpectedLock,
    group_by_player,
    read_expected_locks,
    verify_recording,
)

if TYPE_CHECKING:
    from rich.table import Table


def configure_replay_show(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag replay show``."""
    parser.epilog = f"Keys in a terminal: {REPLAY_KEYS}."
    add_replay_argument(parser)
    parser.add_argument(
        "--speed", type=positive_number, default=LIVE_SPEED, help="turns shown per second"
    )
    parser.add_argument("--turn", type=integer(0), help="show the state after turn N only")
    parser.add_argument(
        "--plain", action="store_true", help="print one line per turn instead of a live view"
    )
    parser.add_argument("--svg", type=Path, help="write an SVG picture (- for standard output)")


def run_replay_show(args: argparse.Namespace) -> int:
    """Show a replay, and compare its result with the recorded one."""
    playback = open_playback(args.file, args.round)
    turns = len(playback.replay.turns)
    if args.turn is not None and args.turn > turns:
        raise FormatError(f"{args.file}: has {turns} turns, not {args.turn}")
    console = Console()
    if args.svg is not None:
        playback.play_to(turns if args.turn is None else args.turn)
        picture = scene_svg(playback_scene(playback))
        if str(args.svg) == "-":
            sys.stdout.write(picture)
        else:
            write_atomically(args.svg, picture.encode(), replace=True)
    elif args.turn is not None:
        playback.play_to(args.turn)
        print_scene(console, playback_scene(playback))
    elif args.plain or not can_draw(console):
        print_replay(playback)
    else:
        show_replay(playback, console, args.speed)
    return _report_differences(playback, quiet=args.svg is not None)


def configure_replay_convert(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag replay convert``."""
    add_replay_argument(parser)
    parser.add_argument(
        "--format", choices=("fumen", "json", "csv"), required=True, help="output format"
    )
    parser.add_argument(
        "--player", type=int, choices=(1, 2), help="fumen: this player only [default: both]"
    )
    parser.add_argument(
        "--boards", action="store_true", help="json: include both boards after each placement"
    )
    parser.add_argument(
        *("-o", "--output"), type=Path, help="output file [default: standard output]"
    )


def run_replay_convert(args: argparse.Namespace) -> int:
    """Convert all placements of a replay to fumens, JSON or CSV.

    There is a fumen per player; JSON includes the effects of each placement.
    """
    playback = open_playback(args.file, args.round)
    if args.format == "json":
        text = escape_json(export_json(playback, boards=args.boards).decode()) + "\n"
    elif args.format == "csv":
        text = export_csv(playback)
    else:
        players = (0, 1) if args.player is None else (args.player - 1,)
        fumens = [export_fumen(open_playback(args.file, args.round), player) for player in players]
        text = "".join(f"{fumen}\n" for fumen in fumens)
    if args.output is None:
        sys.stdout.write(text)
    else:
        write_atomically(args.output, text.encode(), replace=True)
    return _report_differences(playback, quiet=True)


_MAX_DIFFERENCES: Final = 5
"""Differences printed per player and round: the first causes the others."""


def configure_replay_verify(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag replay verify``."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help=REPLAY_FILE_HELP)
    parser.add_argument(
        "--locks",
        type=Path,
        action="append",
        default=[],
        help="expected locks of .ttrm and .ttr files, one JSON object per line; repeatable",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per player and round"
    )


def run_replay_verify(args: argparse.Namespace) -> int:
    """Play replays again and compare the results with the recorded ones.

    Rounds of TETR.IO files are simulated frame by frame from the key presses of each player, and
    compared with the recorded statistics and the garbage that the opponent received. Exit code 1: a
    difference; 2: a file or a round that cannot be played again.
    """
    expected_locks = [lock for path in args.locks for lock in read_expected_locks(path)]
    verifications: list[ReplayVerification] = []
    failed = False
    start = time.perf_counter()
    for path in args.files:
        try:
            found = _verify_file(path, expected_locks)
        except FormatError as error:
            warn(str(error))
            failed = True
            continue
        (_print_verifications_json if args.json else _print_verifications)(path, found)
        verifications += found
    if not args.json and len(args.files) > 1:
        seconds = time.perf_counter() - start
        pieces = sum(verification.pieces for verification in verifications)
        print(f"{_summarize(verifications)}: {pieces:,} pieces in {seconds:.2f} s")
    if failed or any(verification.error is not None for verification in verifications):
        return 2
    return 0 if all(verification.matches for verification in verifications) else 1


def _verify_file(path: Path, expected_locks: Sequence[ExpectedLock]) -> list[ReplayVerification]:
    if path.suffix.lower() in TETRIO_SUFFIXES:
        locks = group_by_player(expected_locks, path.name)
        return list(verify_recording(load_tetrio_file(path), locks))
    return open_playback(path).verify()


def _print_verifications(path: Path, verifications: Sequence[ReplayVerification]) -> None:
    for verification in verifications:
        where = f"{path}: round {verification.round}, {verification.name}: "
        if verification.error is not None:
            warn(f"{where}cannot be played again: {verification.error}")
        for difference in verification.differences[:_MAX_DIFFERENCES]:
            write_lines(f"{where}{difference}")
        further = len(verification.differences) - _MAX_DIFFERENCES
        if further > 0:
            write_lines(f"{where}and {further} more")
    write_lines(f"{path}: {_summarize(verifications)}")


def _summarize(verifications: Sequence[ReplayVerification]) -> str:
    equal = sum(verification.matches for verification in verifications)
    return f"{equal} of {len(verifications)} player-rounds equal"


def _print_verifications_json(path: Path, verifications: Sequence[ReplayVerification]) -> None:
    for verification in verifications:
        data = {
            "file": str(path),
            "round": verification.round,
            "player": verification.name,
            "equal": verification.matches,
            "pieces": verification.pieces,
            "refused": verification.error,
            "differences": [
                {
                    "lock": one.lock,
                    "frame": one.frame,
                    "field": one.field,
                    "played": one.played,
                    "recorded": one.recorded,
                }
                for one in verification.differences
            ],
        }
        write_json(msgspec.json.encode(data).decode())


def configure_replay_stats(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag replay stats``."""
    add_replay_argument(parser)
    add_json_option(parser)


def run_replay_stats(args: argparse.Namespace) -> int:
    """Print the statistics of each player of a replay.

    These are pieces, lines, attack by kind of clear, combos, and thinking times if they were
    recorded.
    """
    playback = open_playback(args.file, args.round)
    players = count_statistics(playback)
    if args.json:
        data = {
            "players": [
                {
                    "name": name,
                    "app": _app(player),
                    "pps": _pps(player),
                    **msgspec.to_builtins(player),
                }
                for name, player in zip(playback.names, players, strict=True)
            ],
            "differences": playback.differences(),
        }
        write_json(msgspec.json.encode(data).decode())
    else:
        print_table(_create_stats_table(playback.names, players))
    return _report_differences(playback, quiet=args.json)


def _app(player: PlayerStatistics) -> float:
    return player.attack / player.pieces if player.pieces else 0.0


def _pps(player: PlayerStatistics) -> float | None:
    return player.pieces / player.game_s if player.game_s else None


def _create_stats_table(
    names: tuple[str, str], players: tuple[PlayerStatistics, PlayerStatistics]
) -> Table:
    table = create_table("", *map(escape_cell, names))

    def add(label: str, value: Callable[[PlayerStatistics], object]) -> None:
        table.add_row(label, *(_format_value(value(player)) for player in players))

    add("pieces", lambda player: player.pieces)
    add("lines", lambda player: player.lines)
    add("attack", lambda player: player.attack)
    add("APP", _app)
    add(CLOCK_PPS_LABEL, _pps)
    add("longest combo", lambda player: player.combo)
    add("longest B2B", lambda player: player.b2b)
    for kind in CLEAR_KINDS:
        if any(kind in player.clears or kind in player.attack_by for player in players):
            add(kind, partial(_format_clears, kind))
    if any(player.thinking_ms is not None for player in players):
        for name in ("mean", "p50", "p95", "p99", "max"):
            add(f"thinking {name}, ms", partial(_thinking, name))
    return table


def _thinking(name: str, player: PlayerStatistics) -> object:
    return getattr(player.thinking_ms, name, None)


def _format_clears(kind: str, player: PlayerStatistics) -> str:
    count, attack = player.clears.get(kind, 0), player.attack_by.get(kind, 0)
    return f"{count} ({attack} attack)" if attack else str(count)


def _format_value(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _report_differences(playback: Playback, *, quiet: bool) -> int:
    """Play to the end and report differences from the recording; return 1 if there are any."""
    playback.play_to(len(playback.replay.turns))
    differences = playback.differences()
    if not quiet:
        write_lines(str(playback.recorded_result()))
    for difference in differences:
        warn(f"the replay does not play back as recorded: {difference}")
    if not differences and not quiet:
        print("Played again, the game is the recorded one.")
    return 1 if differences else 0
