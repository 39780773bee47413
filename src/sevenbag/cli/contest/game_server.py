"""``sevenbag contest game-server``: plays the matches that a site places on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sevenbag.cli.contest.options import add_settings, say, settings_of
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.contest.server import GameServer
from sevenbag.contest.server.scheduler_client import Uplink
from sevenbag.contest.telemetry import make_logger
from sevenbag.errors import InputError

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = (
        "A game server: it registers with the site at server.scheduler and plays what it is given. "
        "Clients of 2012 know the ports 5557 and 5556 only, so each needs an address of its own."
    )
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    settings = settings_of(args)
    if not settings.server.scheduler:
        raise InputError(
            "server.scheduler is empty; tell the site's address, such as "
            "--set server.scheduler=http://127.0.0.1:8080 "
            "(one match without a site: sevenbag contest match)"
        )
    server = GameServer(
        settings.server,
        test_client=settings.test_client,
        log=settings.log,
        keeper=Uplink(settings.server, logger=make_logger(settings.log)),
    )
    hurried: set[asyncio.Task[None]] = set()
    run_until_signal(
        _serve(server),
        insist=lambda: hurried.add(asyncio.ensure_future(server.stop("break off"))),
    )
    return 0


async def _serve(server: GameServer) -> None:
    await server.start()
    say(f"game server: commands {server.command_endpoint}, states {server.state_endpoint}")
    await server.run()
