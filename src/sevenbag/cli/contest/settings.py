"""``sevenbag contest settings``: all settings as they are, as a file to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.cli.contest.options import add_settings, settings_of
from sevenbag.contest.settings_loader import as_toml

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = (
        "Prints every setting with the value that holds and what it means: a file to begin with."
    )
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Print."""
    print(as_toml(settings_of(args)), end="")
    return 0
