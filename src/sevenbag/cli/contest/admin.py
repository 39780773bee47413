"""``sevenbag contest admin``: a link by which one becomes the administrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.cli.contest.options import add_settings, say, settings_of
from sevenbag.contest.store import Store
from sevenbag.web.contest.account_routes import create_admin_link

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = (
        "Prints a link to the site, good once and for a day, by which one becomes an administrator."
    )
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Make the link."""
    settings = settings_of(args)
    with Store(settings.site.store) as store:
        say(create_admin_link(store, settings))
    return 0
