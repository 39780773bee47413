"""``sevenbag contest match A B``: one match on a game server of its own, without a site."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.bots.registry import create_bot
from sevenbag.cli.contest.options import say
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.contest.credentials import read_password
from sevenbag.contest.game.match_results import MatchResult, describe_ending
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import Place, Seat
from sevenbag.contest.server import GameServer
from sevenbag.contest.settings import ContestRules
from sevenbag.contest.settings_loader import load
from sevenbag.errors import InputError, SpecError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.contest.settings import Settings

_DESCRIPTION: Final = """\
Plays one match and exits. A side is a team's name, or NAME=BOT for a built-in bot, such as
"Test Client=random". Passwords are read from --password-file A=a.txt --password-file B=b.txt, or
generated and printed. The output has the match token and the addresses for clients of 2012 and
sevenbag join. Nothing is stored on disk (server.spool has no effect): a match that is interrupted
is lost.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = _DESCRIPTION
    parser.add_argument("first", metavar="A", help="a team's name, or NAME=BOT")
    parser.add_argument("second", metavar="B", help="the other side")
    parser.add_argument(
        "--password-file",
        action="append",
        default=[],
        metavar="[TEAM=]F",
        help="file whose first line is the password of TEAM, or of both teams; may be repeated",
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
    texts = (args.first, args.second)
    files = _password_files(args.password_file, [text for text in texts if "=" not in text])
    sides = [_side(text, files.get(text)) for text in texts]
    return run_until_signal(_play(settings, sides))


# --- helpers ------------------------------------------------------------------------------------


async def _play(settings: Settings, sides: Sequence[tuple[Seat, str]]) -> int:
    # There is nowhere else for the match to go on: nobody waits for the rest of a game.
    at_once = msgspec.structs.replace(settings.server, farewell="break off")
    server = GameServer(at_once, test_client=settings.test_client, log=settings.log, keeper=None)
    await server.start()
    running = asyncio.create_task(server.run())
    token = str(uuid.uuid4())
    (first, _), (second, _) = sides
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
        for seat, words in sides:
            say(f"{seat.team}: {words}")
        result = await _result(server, token, running)
        say(_told(result, first.team, second.team))
        if not (first.bot and second.bot) and settings.match.linger_seconds:
            # Clients that are behind still send moves, and block for ever without an answer.
            say(f"commands are answered for {settings.match.linger_seconds:g} s more")
            await asyncio.sleep(settings.match.linger_seconds)
        return 0 if result.winner is not None else 1
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _result(server: GameServer, token: str, running: asyncio.Task[None]) -> MatchResult:
    """How the match ends; or the error that ended the server."""
    result = asyncio.create_task(server.result(token))
    try:
        await asyncio.wait({result, running}, return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            running.result()
        return await result
    finally:
        result.cancel()


def _told(result: MatchResult, first: str, second: str) -> str:
    if result.winner is None:
        return f"{result.ending}: nobody has won"
    return (
        f"{(first, second)[result.winner]} has won: {describe_ending(result.ending)}; "
        f"games {result.games[0]}:{result.games[1]}, points {result.points[0]}:{result.points[1]}"
    )


def _password_files(values: Sequence[str], teams: Sequence[str]) -> dict[str, Path]:
    """Return the password files by team.

    Args:
        values: ``F`` for all teams without a file of their own, or ``TEAM=F``.
        teams: teams that connect.

    Raises:
        InputError: two files for the same team, or a file for any other team.
    """
    own: dict[str, Path] = {}
    shared: Path | None = None
    for value in values:
        team, separator, file = value.partition("=")
        if separator and team in teams:
            if team in own:
                raise InputError(
                    f"invalid --password-file: expected one file for {team!r}, got two"
                )
            own[team] = Path(file)
        elif separator and not Path(value).exists():
            expected = " or ".join(f"{each}=F" for each in teams) or "no file: bots need none"
            raise InputError(f"invalid --password-file: expected {expected}, got {value!r}")
        elif shared is not None:
            raise InputError("invalid --password-file: expected TEAM=F for each team, got two F")
        else:
            shared = Path(value)
    return own if shared is None else dict.fromkeys(teams, shared) | own


def _side(text: str, file: Path | None) -> tuple[Seat, str]:
    """A side's seat, and how it is taken, in words."""
    name, separator, bot = text.partition("=")
    if not name or (separator and not bot):
        raise InputError(f"{text!r} is no side; it is a team's name, or NAME=BOT")
    if bot:
        create_bot(bot)
        if bot.partition(":")[0] in _FOREIGN:
            raise SpecError(
                f"{bot!r} is a program; give the seat to a team, and let it come by sevenbag join"
            )
        return Seat(team=name, bot=bot), f"our bot {bot}"
    if file is not None:
        return _seat(name, read_password(file)), f"the password in {file}"
    password = secrets.token_urlsafe(9)
    return _seat(name, password), f"password {password}"


def _seat(team: str, password: str) -> Seat:
    return Seat(team=team, password_hash=hash_password(password))


_FOREIGN: Final = frozenset({"tbp", "triangle", "ws", "wss", "worker"})
