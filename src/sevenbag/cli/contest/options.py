"""What the commands of a contest have in common: the settings, in a file and beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.contest.settings_loader import load
from sevenbag.errors import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from sevenbag.contest.settings import Settings

DEFAULT_FILE: Final = Path("contest.toml")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Options that name the settings."""
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help=f"settings in TOML (default: {DEFAULT_FILE}, if it is there)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="a setting on top of the file's and the environment's; may be repeated",
    )


def settings_of(args: argparse.Namespace, below: Iterable[str] = ()) -> Settings:
    """The settings that a command line asks for.

    Args:
        args: with what `add_settings` asks for.
        below: settings that those of the command line win over.
    """
    return load(settings_path(args), overrides=[*below, *args.set])


def settings_path(args: argparse.Namespace) -> Path | None:
    """The file of settings; None if there is none."""
    if args.file is not None:
        return Path(args.file)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def settings_words(args: argparse.Namespace, more: Iterable[str] = ()) -> list[str]:
    """The words by which another command of a contest gets the same settings, and more."""
    path = settings_path(args)
    words = [] if path is None else [str(path.resolve())]
    for each in (*args.set, *more):
        words += ["--set", each]
    return words


def say(line: str) -> None:
    """Tell a line at once; it may have come from outside."""
    print(printable(line), flush=True)
