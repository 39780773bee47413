"""``sevenbag contest COMMAND``: hold a contest. Each command is a module of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.cli.late import add_late_commands, late_command

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers

COMMANDS: Final = {
    "demo": "all of it on this machine: two of our bots play a match, and you watch",
    "serve": "the site and the scheduler, with a game server beside it",
    "game-server": "one more game server for a site",
    "match": "one match, without a site",
    "watch": "a match in the terminal, as it is played",
    "register": "register a team",
    "admin": "a link by which one becomes the administrator",
    "export": "the results of a contest",
    "settings": "all settings as they are, as a file to begin with",
}
"""Every command, with what it does; the module of the same name lies beside this one."""

_EXTRA: Final = "contest"


def add_parser(subparsers: Subparsers) -> None:
    """Add the group."""
    parser = subparsers.add_parser(
        "contest",
        help="hold a contest: servers, site, bracket, monitor",
        description="The contest of 2012, whole: see docs/contest.md.",
    )
    add_late_commands(parser, __name__, COMMANDS, _EXTRA)


def run(args: argparse.Namespace) -> int:
    """Run the command that was called."""
    return late_command(__name__, args.late_command, _EXTRA).run(args)
