"""``sevenbag check pason://HOST``: checks a contest's server against the contest's text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.late import late_module

if TYPE_CHECKING:
    import argparse

    from sevenbag.bots.check.finding import Report

_SCHEMES: Final = ("pason://", "http://", "https://")


def names_server(target: str | None) -> bool:
    """Whether it is a contest's server, or site, that is to be checked."""
    return target is not None and target.lower().startswith(_SCHEMES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what servers need."""
    group = parser.add_argument_group(
        "a contest's server",
        "pason://HOST with a match that nobody has connected to yet, and both teams; or a site, "
        "http://HOST:PORT, which makes a test match for one team",
    )
    group.add_argument("--token", metavar="T", help="the match token, with pason://")
    group.add_argument("--team", metavar="N", help="one team's name")
    group.add_argument(
        "--password-file", type=Path, metavar="F", help="a file with its password in the first line"
    )
    group.add_argument("--opponent", metavar="N", help="the other team's name, with pason://")
    group.add_argument(
        "--opponent-password-file",
        type=Path,
        metavar="F",
        help="its password; left out where somebody else plays it",
    )


def check(args: argparse.Namespace) -> Report:
    """Check the server."""
    report: Report = late_module("sevenbag.cli.checking_server", "pason").check(args)
    return report
