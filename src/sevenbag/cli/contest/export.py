"""``sevenbag contest export``: the results of a contest, for other programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sevenbag.cli.contest.options import add_settings, settings_of
from sevenbag.contest.store import Store
from sevenbag.contest.store.export import results_csv, results_json
from sevenbag.errors import InputError

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = "Prints the results of a contest: one line a game, or all of it as JSON."
    add_settings(parser)
    parser.add_argument(
        "--contest", type=int, metavar="N", help="its number (default: the newest one)"
    )
    parser.add_argument(
        "--to", choices=("csv", "json"), default="csv", help="the format (default: %(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Print."""
    settings = settings_of(args)
    with Store(settings.site.store, may_be_new=False) as store:
        number = args.contest
        if number is None:
            newest = store.contests.list(limit=1)
            if not newest:
                raise InputError(f"{store.url}: there is no contest in this store")
            number = newest[0].id
        text = (
            results_json(store, number).decode()
            if args.to == "json"
            else results_csv(store, number)
        )
    sys.stdout.write(text)
    return 0
