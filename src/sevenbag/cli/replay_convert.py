"""``sevenbag replay convert FILE --to FORMAT``: a replay for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.arena.replay_export import csv_of, fumen_of, json_of
from sevenbag.cli.output import escape_json
from sevenbag.cli.replay_source import add_source, playback_of
from sevenbag.cli.replay_verdict import verdict
from sevenbag.formats.whole_file import write_whole

if TYPE_CHECKING:
    import argparse

FORMATS: Final = ("fumen", "json", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.description = (
        "Plays a replay again and writes every placement: as fumens, a line for each player; as"
        " one JSON object with what came of each placement; or as a table."
    )
    add_source(parser)
    parser.add_argument("--to", choices=FORMATS, required=True, help="what to write")
    parser.add_argument(
        "--player", type=int, choices=(1, 2), help="fumen: this player alone (default: both)"
    )
    parser.add_argument(
        "--boards", action="store_true", help="json: every board after every placement as well"
    )
    parser.add_argument(
        *("-o", "--output"),
        type=Path,
        metavar="OUT",
        help="a file to write (default: standard output)",
    )


def run(args: argparse.Namespace) -> int:
    """Convert, then say whether the game played again is the recorded one."""
    playback = playback_of(args)
    if args.to == "json":
        text = escape_json(json_of(playback, boards=args.boards).decode()) + "\n"
    elif args.to == "csv":
        text = csv_of(playback)
    else:
        players = (0, 1) if args.player is None else (args.player - 1,)
        fumens = [fumen_of(playback_of(args), player) for player in players]
        text = "".join(f"{fumen}\n" for fumen in fumens)
    if args.output is None:
        sys.stdout.write(text)
    else:
        write_whole(args.output, text.encode(), over=True)
    return verdict(playback, quiet=True)
