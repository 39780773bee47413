"""The commands ``sevenbag contest serve``, ``game-server``, ``match`` and ``demo``."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import (
    add_set_option,
    add_settings_options,
    integer,
    load_settings,
    positive_number,
    settings_arguments,
)
from sevenbag.cli.output import write_lines
from sevenbag.cli.signals import run_until_signal
from sevenbag.contest.credentials import read_password
from sevenbag.contest.game.match_results import MatchResult, describe_ending
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import AssignedPlayer, MatchAssignment
from sevenbag.contest.server import GameServer
from sevenbag.contest.server.scheduler_client import SchedulerClient
from sevenbag.contest.settings import ContestRules, ContestSettings
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import InputError, SpecError

if TYPE_CHECKING:
    from sevenbag.web.contest.local_stack import LocalStack


def configure_contest_serve(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest serve``."""
    add_settings_options(parser)
    parser.add_argument(
        "--game-servers",
        type=int,
        default=1,
        choices=range(17),
        help="local game servers, 0 to 16, at server.bind and the loopback addresses after it",
    )


def run_contest_serve(args: argparse.Namespace) -> int:
    """Serve the site of a contest and schedule its matches on game servers.

    Everything is stored in one database, which is created if it does not exist. Ctrl-C waits for
    running games; a second Ctrl-C aborts them. See docs/contest.md.
    """
    # Game servers are started by this module as well, and do not need the web application.
    from sevenbag.web.contest.local_stack import LocalStack  # noqa: PLC0415

    settings = load_settings(args)
    stack = LocalStack(
        settings,
        arguments=settings_arguments(args),
        game_servers=args.game_servers,
        report=write_lines,
    )

    def abort() -> None:
        write_lines("running games are aborted")
        stack.abort_games()

    run_until_signal(_serve_site(stack, settings), on_repeat=abort)
    return 0


async def _serve_site(stack: LocalStack, settings: ContestSettings) -> None:
    async with stack:
        write_lines(f"site: {stack.site.address}")
        if not await asyncio.to_thread(stack.store.admins.any_enabled):
            write_lines(await _admin_message(stack, settings))
        await stack.wait_for_failure()


async def _admin_message(stack: LocalStack, settings: ContestSettings) -> str:
    from sevenbag.web.contest.account_routes import create_admin_link  # noqa: PLC0415  # as above

    # Output to anything but a terminal usually ends up in a log that others may read.
    if not sys.stdout.isatty():
        return (
            "no administrator yet; run `sevenbag contest admin` with the same settings for a link"
        )
    link = await asyncio.to_thread(create_admin_link, stack.store, settings, stack.site.address)
    return f"link to become the administrator (works once, within a day): {link}"


def configure_contest_game_server(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest game-server``."""
    add_settings_options(parser)


def run_contest_game_server(args: argparse.Namespace) -> int:
    """Run a game server that plays the matches assigned to it by a site.

    It registers with the site at server.scheduler. Clients of 2012 use the ports 5557 and 5556
    only, so each game server needs an address of its own.
    """
    settings = load_settings(args)
    if not settings.server.scheduler:
        raise InputError(
            "invalid server.scheduler: expected the site's address, such as "
            "--set server.scheduler=http://127.0.0.1:8080, got none "
            "(one match without a site: sevenbag contest match)"
        )
    server = GameServer(
        settings.server,
        test_client=settings.test_client,
        log=settings.log,
        result_sink=SchedulerClient(settings.server, logger=create_logger(settings.log)),
    )
    aborts: set[asyncio.Task[None]] = set()
    run_until_signal(
        _serve_games(server),
        on_repeat=lambda: aborts.add(asyncio.ensure_future(server.stop("abort"))),
    )
    return 0


async def _serve_games(server: GameServer) -> None:
    await server.start()
    write_lines(f"game server: commands {server.command_endpoint}, states {server.state_endpoint}")
    await server.run()


def configure_contest_match(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest match``."""
    parser.add_argument("first", metavar="A", help="team name, or NAME=BOT")
    parser.add_argument("second", metavar="B", help="the other side")
    parser.add_argument(
        "--password-file",
        action="append",
        default=[],
        metavar="[TEAM=]FILE",
        help="file with the password of TEAM, or of both teams, in its first line; repeatable",
    )
    add_settings_options(parser)


def run_contest_match(args: argparse.Namespace) -> int:
    """Play one match without a site and exit.

    A side is a team name, or NAME=BOT for a built-in bot, such as "Test Client=random". Passwords
    are read from --password-file A=a.txt --password-file B=b.txt, or generated and printed. The
    output has the match token and the addresses for clients of 2012 and sevenbag join. Nothing is
    stored on disk (server.spool has no effect): an interrupted match is lost.
    """
    settings = load_settings(args)
    if args.first.partition("=")[0] == args.second.partition("=")[0]:
        raise InputError(f"both sides are called {args.first.partition('=')[0]!r}")
    texts = (args.first, args.second)
    files = _parse_password_files(args.password_file, [text for text in texts if "=" not in text])
    sides = [_parse_side(text, files.get(text)) for text in texts]
    return run_until_signal(_play_single_match(settings, sides))


async def _play_single_match(
    settings: ContestSettings, sides: Sequence[tuple[AssignedPlayer, str]]
) -> int:
    # A match cannot continue elsewhere: do not wait for the end of a game at shutdown.
    at_once = msgspec.structs.replace(settings.server, shutdown_mode="abort")
    server = GameServer(
        at_once, test_client=settings.test_client, log=settings.log, result_sink=None
    )
    await server.start()
    running = asyncio.create_task(server.run())
    token = str(uuid.uuid4())
    (first, _), (second, _) = sides
    try:
        server.accept_match(
            MatchAssignment(
                match_token=token,
                match_name=f"{first.team} against {second.team}",
                players=(first, second),
                rules=ContestRules(game=settings.game, match=settings.match),
            )
        )
        write_lines(f"commands: {server.command_endpoint}")
        write_lines(f"states: {server.state_endpoint}")
        write_lines(f"match token: {token}")
        for seat, access in sides:
            write_lines(f"{seat.team}: {access}")
        result = await _wait_for_result(server, token, running)
        write_lines(_describe_result(result, first.team, second.team))
        if not (first.bot and second.bot) and settings.match.linger_seconds:
            # Clients that lag behind still send moves, and block until they get an answer.
            write_lines(f"commands are answered for {settings.match.linger_seconds:g} s more")
            await asyncio.sleep(settings.match.linger_seconds)
        return 0 if result.winner is not None else 1
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _wait_for_result(
    server: GameServer, token: str, running: asyncio.Task[None]
) -> MatchResult:
    """Return the result of the match, or raise the error that ended the server."""
    result = asyncio.create_task(server.wait_for_result(token))
    try:
        await asyncio.wait({result, running}, return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            running.result()
        return await result
    finally:
        result.cancel()


def _describe_result(result: MatchResult, first: str, second: str) -> str:
    if result.winner is None:
        return f"{result.ending}: no winner"
    return (
        f"{(first, second)[result.winner]} has won: {describe_ending(result.ending)}; "
        f"games {result.games[0]}:{result.games[1]}, points {result.points[0]}:{result.points[1]}"
    )


def _parse_password_files(values: Sequence[str], teams: Sequence[str]) -> dict[str, Path]:
    """Return the password files by team.

    Args:
        values: ``FILE`` for all teams without a file of their own, or ``TEAM=FILE``.
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
            expected = " or ".join(f"{each}=FILE" for each in teams) or "no file: bots need none"
            raise InputError(f"invalid --password-file: expected {expected}, got {value!r}")
        elif shared is not None:
            raise InputError(
                "invalid --password-file: expected TEAM=FILE for each team, got two files"
            )
        else:
            shared = Path(value)
    return own if shared is None else dict.fromkeys(teams, shared) | own


def _parse_side(text: str, file: Path | None) -> tuple[AssignedPlayer, str]:
    """Return a side of the match and a description of its access, for the output."""
    name, separator, bot = text.partition("=")
    if not name or (separator and not bot):
        raise InputError(f"invalid side: expected a team name or NAME=BOT, got {text!r}")
    if bot:
        create_bot(bot)
        if bot.partition(":")[0] in _EXTERNAL:
            raise SpecError(
                f"invalid bot: expected a built-in bot, got {bot!r}; let a team play it by"
                " sevenbag join"
            )
        return AssignedPlayer(team=name, bot=bot), f"built-in bot {bot}"
    if file is None:
        password = secrets.token_urlsafe(9)
        access = f"password {password}"
    else:
        password = read_password(file)
        access = f"the password in {file}"
    return AssignedPlayer(team=name, password_hash=hash_password(password)), access


_EXTERNAL: Final = frozenset({"tbp", "triangle", "ws", "wss", "worker"})


def configure_contest_demo(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest demo``."""
    parser.add_argument(
        "bots", nargs="*", metavar="BOT", help="two bots [default: beam and beam:nodes=100]"
    )
    parser.add_argument(
        "--port",
        type=integer(0, 65_535),
        help="port of the site, 0 for any free port [default: 8080, or a free one]",
    )
    parser.add_argument(
        "--moves-per-second",
        type=positive_number,
        default=12.0,
        help="maximum moves per second of each bot",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="store everything there [default: nowhere]"
    )
    parser.add_argument(
        "--once", action="store_true", help="exit after the match and print the winner"
    )
    add_set_option(parser)


def run_contest_demo(args: argparse.Namespace) -> int:
    """Run a complete contest on this machine.

    Start scheduler, site and game server, register two teams, join with two built-in bots as any
    client does, and play one match. Open the printed address to watch. Ctrl-C ends it and leaves
    nothing behind.
    """
    from sevenbag.web.contest.local_stack import ContestDemo  # noqa: PLC0415  # as in serve

    bots = args.bots or ["beam", "beam:nodes=100"]
    if len(bots) != 2:
        raise InputError(f"invalid bots: expected two, got {len(bots)}")
    for bot in bots:
        create_bot(bot)
    with tempfile.TemporaryDirectory(prefix="sevenbag-demo-") as temporary:
        demo = ContestDemo(
            args.folder or Path(temporary),
            bots=(bots[0], bots[1]),
            port=args.port,
            moves_per_second=args.moves_per_second,
            overrides=args.set,
            report=write_lines,
        )
        run_until_signal(demo.run(once=args.once))
    return 0
