"""``sevenbag join SERVER --team N --bot SPEC``: play matches of a contest with any bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.arguments import count, positive
from sevenbag.cli.late import late_module

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Plays for a team: one match, by its token, on pason://HOST; or every match that a contest's site has
for the team, one after another. The password comes from --password-file, the variable
SEVENBAG_PASSWORD, or from whoever sits here. The exit code says how it went: 0 won, 3 lost, 4
undecided as far as was heard (of several matches: 0 all were played); 1 something failed; 2
something given cannot be used. See docs/pason-client.md.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "join", help="play a match of a contest with any bot", description=_DESCRIPTION
    )
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="a game server, pason://HOST or pason://HOST:COMMANDPORT,STATEPORT; or a site, "
        "http://HOST:PORT",
    )
    parser.add_argument("--token", metavar="T", help="match token, with pason://")
    parser.add_argument("--team", required=True, metavar="N", help="the team's name")
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="F",
        help="a file whose first line is the team's password",
    )
    parser.add_argument(
        "--bot", required=True, metavar="BOT", help="a bot, such as beam or tbp:./my-bot"
    )
    parser.add_argument(
        "--moves-per-second", type=positive, default=0.0, metavar="N", help="move no faster"
    )
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--ms", type=positive, metavar="N", help="milliseconds for each piece")
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes for each piece")
    parser.add_argument(
        "--answer-seconds",
        type=positive,
        default=10.0,
        metavar="S",
        help="a bot that takes longer has failed (default: %(default)g)",
    )
    parser.add_argument(
        "--server-seconds",
        type=positive,
        default=30.0,
        metavar="S",
        help="a server that is silent for so long is given up (default: %(default)g)",
    )
    parser.add_argument(
        "--test", action="store_true", help="with a site: create a test match, and play that"
    )
    parser.add_argument(
        "--wait",
        type=positive,
        default=3_600.0,
        metavar="S",
        help="with a site: wait so long for the next match (default: %(default)g)",
    )


def run(args: argparse.Namespace) -> int:
    """Play, and tell by the last line and the exit code how it went."""
    code: int = late_module("sevenbag.cli.joining", "pason").join(args)
    return code
