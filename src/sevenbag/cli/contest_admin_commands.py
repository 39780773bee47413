"""The commands ``sevenbag contest register``, ``admin``, ``export`` and ``settings``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sevenbag.cli.arguments import add_settings_options, load_settings
from sevenbag.cli.output import write_lines
from sevenbag.config.loader import format_toml
from sevenbag.contest.credentials import read_password
from sevenbag.contest.passwords import hash_password, validate_password
from sevenbag.contest.store import Store, reject_reserved_name
from sevenbag.contest.store.export import export_csv, export_json
from sevenbag.errors import InputError


def configure_contest_register(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest register``."""
    add_settings_options(parser)
    parser.add_argument("--team", required=True, metavar="TEAM", help="team name")
    parser.add_argument(
        "--password-file",
        type=Path,
        required=True,
        help="file with the password of the team in its first line",
    )


def run_contest_register(args: argparse.Namespace) -> int:
    """Register a team, as the site does at /register."""
    settings = load_settings(args)
    password = validate_password(read_password(args.password_file))
    reject_reserved_name(args.team, settings.test_client.name)
    with Store(settings.site.store) as store:
        team = store.teams.add(args.team, hash_password(password))
    write_lines(f"{team.name} is registered")
    return 0


def configure_contest_admin(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest admin``."""
    add_settings_options(parser)


def run_contest_admin(args: argparse.Namespace) -> int:
    """Print a link to the site that makes its visitor an administrator.

    It works once, within a day.
    """
    # The other commands of this module do without the web application.
    from sevenbag.web.contest.account_routes import create_admin_link  # noqa: PLC0415

    settings = load_settings(args)
    with Store(settings.site.store) as store:
        write_lines(create_admin_link(store, settings))
    return 0


def configure_contest_export(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest export``."""
    add_settings_options(parser)
    parser.add_argument("--contest", type=int, help="number of the contest [default: the newest]")
    parser.add_argument("--format", choices=("csv", "json"), default="csv", help="output format")


def run_contest_export(args: argparse.Namespace) -> int:
    """Print the results of a contest: CSV with one line per game, or JSON."""
    settings = load_settings(args)
    with Store(settings.site.store, create=False) as store:
        number = args.contest
        if number is None:
            newest = store.contests.list(limit=1)
            if not newest:
                raise InputError(f"{store.url}: there is no contest in this store")
            number = newest[0].id
        text = (
            export_json(store, number).decode()
            if args.format == "json"
            else export_csv(store, number)
        )
    sys.stdout.write(text)
    return 0


def configure_contest_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest settings``."""
    add_settings_options(parser)


def run_contest_settings(args: argparse.Namespace) -> int:
    """Print all settings with their current values and explanations, as a file to start from."""
    print(format_toml(load_settings(args)), end="")
    return 0
