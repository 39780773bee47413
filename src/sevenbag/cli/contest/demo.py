"""``sevenbag contest demo``: a whole contest on this machine, with two of our bots."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import port, positive
from sevenbag.cli.contest.options import say
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import InputError
from sevenbag.web.contest.local_stack import Demo

if TYPE_CHECKING:
    import argparse

_DESCRIPTION: Final = """\
Starts scheduler, site and game server on this machine, registers two teams, lets our bots join for
them as any client does, and plays one match. Open the address that it prints, and watch. Ctrl-C
ends it and leaves nothing behind.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = _DESCRIPTION
    parser.add_argument(
        "bots",
        nargs="*",
        metavar="BOT",
        help="two bots (default: beam and beam:nodes=100)",
    )
    parser.add_argument(
        "--port",
        type=port,
        metavar="N",
        help="of the site (default: 8080, or a free one where that is taken)",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=3,
        choices=range(1, 100),
        metavar="N",
        help="games (default: 3)",
    )
    parser.add_argument(
        "--pace",
        type=positive,
        default=12.0,
        metavar="N",
        help="moves a second of either bot, at most (default: %(default)g)",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="keep everything there (default: nowhere)"
    )
    parser.add_argument(
        "--once", action="store_true", help="end when the match is over, and tell who has won"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="a setting, such as game.gravity_ms=200; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Play the match; then, unless told otherwise, show it until a signal comes."""
    bots = args.bots or ["beam", "beam:nodes=100"]
    if len(bots) != 2:
        raise InputError(f"a demo has two bots; {len(bots)} are named")
    for bot in bots:
        create_bot(bot)
    with tempfile.TemporaryDirectory(prefix="sevenbag-demo-") as made:
        demo = Demo(
            args.folder or Path(made),
            bots=(bots[0], bots[1]),
            port=args.port,
            games=args.games,
            pace=args.pace,
            overrides=args.set,
            say=say,
        )
        run_until_signal(demo.run(once=args.once))
    return 0
