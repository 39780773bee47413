"""``sevenbag contest serve``: the site and the scheduler, with game servers beside them."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from sevenbag.cli.contest.options import add_settings, say, settings_of, settings_words
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.web.contest.account_routes import create_admin_link
from sevenbag.web.contest.local_stack import Venue

if TYPE_CHECKING:
    import argparse

    from sevenbag.contest.settings import Settings

_DESCRIPTION: Final = """\
Serves the contest's site, places matches on game servers, and keeps everything in one database,
which is made when it is not there. See docs/contest.md. Ctrl-C ends it when running games are
finished; pressed again, it breaks them off.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = _DESCRIPTION
    add_settings(parser)
    parser.add_argument(
        "--game-servers",
        type=int,
        default=1,
        choices=range(17),
        metavar="N",
        help="game servers beside the site, 0 to 16 (default: %(default)s); the second one and "
        "further ones are at the loopback addresses behind server.bind",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    venue = Venue(
        settings := settings_of(args),
        words=settings_words(args),
        game_servers=args.game_servers,
        say=say,
    )

    def hurry() -> None:
        say("running games are broken off")
        venue.hurry()

    run_until_signal(_serve(venue, settings), insist=hurry)
    return 0


async def _serve(venue: Venue, settings: Settings) -> None:
    async with venue:
        say(f"site: {venue.site.address}")
        if not await asyncio.to_thread(venue.store.admins.exist):
            say(await _invitation(venue, settings))
        await venue.watch_over()


async def _invitation(venue: Venue, settings: Settings) -> str:
    # Output to anything but a terminal usually ends up in a log that others may read.
    if not sys.stdout.isatty():
        return "no organiser yet; for a link run `sevenbag contest admin` with the same settings"
    link = await asyncio.to_thread(create_admin_link, venue.store, settings, venue.site.address)
    return f"link to become the administrator (works once, within a day): {link}"
