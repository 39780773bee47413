"""``sevenbag contest register``: register a team without the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag.cli.contest.options import add_settings, say, settings_of
from sevenbag.contest.credentials import read_password
from sevenbag.contest.passwords import checked_password, hash_password
from sevenbag.contest.store import Store, expect_other_than

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = "Registers a team; what the site does at /register."
    add_settings(parser)
    parser.add_argument("--team", required=True, metavar="N", help="the team's name")
    parser.add_argument(
        "--password-file",
        type=Path,
        required=True,
        metavar="F",
        help="a file whose first line is the team's password",
    )


def run(args: argparse.Namespace) -> int:
    """Register."""
    settings = settings_of(args)
    password = checked_password(read_password(args.password_file))
    expect_other_than(args.team, settings.test_client.name)
    with Store(settings.site.store) as store:
        team = store.teams.add(args.team, hash_password(password))
    say(f"{team.name} is registered")
    return 0
