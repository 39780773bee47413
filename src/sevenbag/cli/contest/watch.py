"""``sevenbag contest watch``: a match in the terminal, as it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.cli.until_signal import run_until_signal
from sevenbag.contest.client.match_viewer import watch

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = "Shows a match as it is played; whoever knows its token may watch."
    parser.add_argument(
        "server", metavar="pason://HOST", help="the game server; pason://HOST:5557,5556 with ports"
    )
    parser.add_argument("--token", required=True, metavar="T", help="the match token")


def run(args: argparse.Namespace) -> int:
    """Show it until it ends."""
    run_until_signal(watch(args.server, args.token))
    return 0
