"""``sevenbag tournament FILE``: many bots, many games, in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.arena.entry import read_entry
from sevenbag.arena.records import HEADER_FILE
from sevenbag.cli.playing import add_playing_options, play_in
from sevenbag.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Plays the tournament that a TOML file describes: a match, round robin, gauntlet, knockout or Swiss
tournament. It is kept in a folder; broken off at any moment, it goes on from there with --resume.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "tournament", help="many bots play against each other", description=_DESCRIPTION
    )
    parser.set_defaults(command="tournament")
    parser.add_argument(
        "file", metavar="FILE", type=Path, nargs="?", help="a TOML file; not needed to --resume"
    )
    parser.add_argument(
        "--folder", type=Path, metavar="F", help="where it is kept (default: the file's name)"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the tournament in the folder"
    )
    add_playing_options(parser)


def run(args: argparse.Namespace) -> int:
    """Play the tournament, or go on with it."""
    folder, header = _folder(args), None
    if args.file is not None:
        header = read_entry(args.file)
        there = (folder / HEADER_FILE).exists()
        if there and not args.resume:
            raise InputError(
                f"{folder}: there is a tournament in this folder; --resume goes on with it,"
                " --folder chooses another one"
            )
    return play_in(folder, args, header)


# --- helpers ------------------------------------------------------------------------------------


def _folder(args: argparse.Namespace) -> Path:
    if args.folder is not None:
        return Path(args.folder)
    if args.file is None:
        raise InputError("a FILE is needed, or --resume and the --folder of a tournament")
    return Path(args.file.stem)
