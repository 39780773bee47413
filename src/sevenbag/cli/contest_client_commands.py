"""The commands ``sevenbag join`` and ``sevenbag contest watch``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import add_limit_options, positive_number
from sevenbag.cli.output import write_lines
from sevenbag.cli.signals import run_until_signal
from sevenbag.contest.client.connection import SessionTimeouts, parse_server_address
from sevenbag.contest.client.contest_client import (
    JoinOptions,
    MatchReport,
    SiteClient,
    play_all_matches,
    play_match,
)
from sevenbag.contest.client.match_viewer import watch_match
from sevenbag.contest.credentials import find_password
from sevenbag.errors import InputError, shown

EXIT_WON: Final = 0
EXIT_FAILED: Final = 1
EXIT_LOST: Final = 3
EXIT_UNDECIDED: Final = 4


def configure_join(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag join``."""
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="game server, pason://HOST or pason://HOST:COMMANDPORT,STATEPORT; or site,"
        " http://HOST:PORT",
    )
    parser.add_argument("--token", metavar="TOKEN", help="match token, with pason://")
    parser.add_argument("--team", required=True, metavar="TEAM", help="team name")
    parser.add_argument(
        "--password-file", type=Path, help="file with the password of the team in its first line"
    )
    parser.add_argument(
        "--bot", required=True, metavar="BOT", help="bot, such as beam or tbp:./my-bot"
    )
    parser.add_argument(
        "--moves-per-second",
        type=positive_number,
        default=0.0,
        help="maximum moves per second [default: unlimited]",
    )
    add_limit_options(parser.add_mutually_exclusive_group())
    parser.add_argument(
        "--answer-seconds",
        type=positive_number,
        default=10.0,
        metavar="S",
        help="seconds a bot may take to answer",
    )
    parser.add_argument(
        "--server-seconds",
        type=positive_number,
        default=30.0,
        metavar="S",
        help="seconds without an answer of the server before giving up",
    )
    parser.add_argument(
        "--test", action="store_true", help="create a test match on the site and play it"
    )
    parser.add_argument(
        "--wait-seconds",
        type=positive_number,
        default=3_600.0,
        metavar="S",
        help="seconds to wait for the next match of the site",
    )


def run_join(args: argparse.Namespace) -> int:
    """Play for a team in a contest.

    Play one match by its token on pason://HOST, or all matches of the team on the site of a
    contest, one after another. The password comes from --password-file, the variable
    SEVENBAG_PASSWORD or a prompt. Exit codes: 0 won, 3 lost, 4 undecided (several matches: 0 if all
    were played), 1 failure, 2 invalid input. See docs/pason-client.md.
    """
    # Errors of the bot are reported before a password is asked for.
    create_bot(args.bot)
    seconds = args.server_seconds
    default = SessionTimeouts()
    timeouts = SessionTimeouts(
        answer=min(default.answer, seconds), server=seconds, state=min(default.state, seconds)
    )
    if args.server.lower().startswith("pason://"):
        return _join_server(args, timeouts)
    return _join_site(args, timeouts)


def _join_server(args: argparse.Namespace, timeouts: SessionTimeouts) -> int:
    address = parse_server_address(args.server)
    if args.test:
        raise InputError("--test is for a site, http://HOST:PORT; only that creates test matches")
    if not args.token:
        raise InputError("no match token; give it by --token")
    options = _read_options(args, timeouts)
    return _report_match(run_until_signal(play_match(address, args.token, options, write_lines)))


def _join_site(args: argparse.Namespace, timeouts: SessionTimeouts) -> int:
    if not args.server.lower().startswith(("http://", "https://")):
        raise InputError(
            "invalid server: expected a game server, pason://HOST, or a site, http://HOST:PORT,"
            f" got {shown(args.server)}"
        )
    if args.token:
        raise InputError("--token is for a game server, pason://HOST; a site knows it")
    options = _read_options(args, timeouts)
    site = SiteClient(args.server, args.team, options.password)
    if args.test:
        return _report_match(run_until_signal(_play_test(site, options)))
    matches = run_until_signal(
        play_all_matches(site, options, write_lines, wait_seconds=args.wait_seconds)
    )
    return _report_matches(matches)


async def _play_test(site: SiteClient, options: JoinOptions) -> MatchReport:
    task = await site.create_test_match()
    assert task.address is not None
    write_lines(f"test match {task.token} on {task.address}")
    return await play_match(task.address, task.token, options, write_lines)


def _read_options(args: argparse.Namespace, timeouts: SessionTimeouts) -> JoinOptions:
    return JoinOptions(
        team=args.team,
        password=find_password(args.password_file, args.team),
        bot=args.bot,
        moves_per_second=args.moves_per_second,
        limits=Limits(args.ms, args.nodes),
        answer_seconds=args.answer_seconds,
        timeouts=timeouts,
    )


def _report_match(played: MatchReport) -> int:
    missed, pieces = played.missed_pieces
    write_lines(f"{pieces} pieces, {missed} of them not as planned")
    if not played.result.end_heard:
        write_lines("no message about the end of the match; the server reports that it is over")
    write_lines(str(played.result))
    if played.failure:
        write_lines(f"the bot has failed: {played.failure}")
        return EXIT_FAILED
    return {True: EXIT_WON, False: EXIT_LOST, None: EXIT_UNDECIDED}[played.result.won]


def _report_matches(matches: Sequence[MatchReport]) -> int:
    for played in matches:
        write_lines(str(played.result))
    failures = [played.failure for played in matches if played.failure]
    won = sum(played.result.won is True for played in matches)
    write_lines(f"{len(matches)} matches, {won} of them won")
    if failures:
        write_lines(f"the bot has failed: {failures[-1]}")
        return EXIT_FAILED
    return EXIT_WON


def configure_contest_watch(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag contest watch``."""
    parser.add_argument(
        "server", metavar="pason://HOST", help="game server; pason://HOST:5557,5556 with ports"
    )
    parser.add_argument("--token", required=True, metavar="TOKEN", help="match token")


def run_contest_watch(args: argparse.Namespace) -> int:
    """Show a match in the terminal while it is played; needs only its token."""
    run_until_signal(watch_match(args.server, args.token))
    return 0
