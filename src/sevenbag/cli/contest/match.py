"""``sevenbag contest match A B``: one match on a game server of its own, without a site."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.registry import create_bot
from sevenbag.cli.contest.options import say
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.contest.client.password import read_password
from sevenbag.contest.link import MatchResult, Place, Seat
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.rules import ContestRules
from sevenbag.contest.server import GameServer
from sevenbag.contest.settings_file import load
from sevenbag.errors import InputError, SpecError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.contest.settings import Settings

_DESCRIPTION: Final = """\
Plays one match and ends. A side is a team's name, or NAME=BOT for a seat that a bot of ours takes,
such as "Test Client=random". Passwords are made up unless a file has one; they are printed with the
match token and the addresses, and clients of 2012, or sevenbag join, play by them.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = _DESCRIPTION
    parser.add_argument("first", metavar="A", help="a team's name, or NAME=BOT")
    parser.add_argument("second", metavar="B", help="the other side")
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="F",
        help="a file whose first line is the password of both teams",
    )
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help="settings in TOML (docs/contest.md)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="a setting on top of the file's, such as match.games=3; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Play the match."""
    settings = load(args.settings, overrides=args.set)
    if args.first.partition("=")[0] == args.second.partition("=")[0]:
        raise InputError(f"both sides are called {args.first.partition('=')[0]!r}")
    given = None if args.password_file is None else read_password(args.password_file)
    sides = [_side(text, given) for text in (args.first, args.second)]
    result = run_until_signal(_play(settings, sides))
    names = [seat.team for seat, _ in sides]
    if result.winner is None:
        say(f"{result.ending}: nobody has won")
        return 1
    say(
        f"{names[result.winner]} has won: {result.ending}; "
        f"games {result.games[0]}:{result.games[1]}, points {result.points[0]}:{result.points[1]}"
    )
    return 0


# --- helpers ------------------------------------------------------------------------------------


async def _play(settings: Settings, sides: Sequence[tuple[Seat, str]]) -> MatchResult:
    server = GameServer(
        settings.server, test_client=settings.test_client, log=settings.log, keeper=None
    )
    await server.start()
    running = asyncio.create_task(server.run())
    token = str(uuid.uuid4())
    (first, first_password), (second, second_password) = sides
    try:
        server.place(
            Place(
                match_token=token,
                match_name=f"{first.team} against {second.team}",
                seats=(first, second),
                rules=ContestRules(game=settings.game, match=settings.match),
            )
        )
        say(f"commands: {server.command_endpoint}")
        say(f"states: {server.state_endpoint}")
        say(f"match token: {token}")
        for seat, password in ((first, first_password), (second, second_password)):
            say(f"{seat.team}: " + (f"password {password}" if password else f"our bot {seat.bot}"))
        result = await server.result(token)
        # Clients still want to hear of the end, and are answered meanwhile.
        await asyncio.sleep(min(settings.match.linger_seconds, 2.0))
        return result
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _side(text: str, given: str | None) -> tuple[Seat, str]:
    name, separator, bot = text.partition("=")
    if not name or (separator and not bot):
        raise InputError(f"{text!r} is no side; it is a team's name, or NAME=BOT")
    if bot:
        create_bot(bot)
        if bot.partition(":")[0] in _FOREIGN:
            raise SpecError(
                f"{bot!r} is a program; give the seat to a team, and let it come by sevenbag join"
            )
        return Seat(team=name, bot=bot), ""
    password = given or secrets.token_urlsafe(9)
    return Seat(team=name, password_hash=hash_password(password)), password


_FOREIGN: Final = frozenset({"tbp", "triangle", "ws", "wss", "worker"})
