"""Checks a contest's server, once it is known that the packages for it are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.cli.signals import run_until_signal
from sevenbag.contest.check import Side, Timing, check_server
from sevenbag.contest.client.connection import parse_server_address
from sevenbag.contest.client.contest_client import SiteClient
from sevenbag.contest.credentials import find_password, read_password
from sevenbag.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sevenbag.bots.check.finding import Report


def check(args: argparse.Namespace) -> Report:
    """Check the server, or that of the site, that the command line names."""
    if not args.team:
        raise InputError("no team; give its name by --team")
    timing = Timing(answer=args.answer_seconds)
    if not args.bot.lower().startswith("pason://"):
        if args.token or args.opponent or args.opponent_password_file:
            raise InputError("a site makes the match: --token and --opponent are for pason://")
        ours = Side(args.team, find_password(args.password_file, args.team))
        return run_until_signal(_check_site(args.bot, ours, timing))
    address = parse_server_address(args.bot)
    if not args.token or not args.opponent:
        raise InputError("a match is needed: give --token and --opponent (or check a site)")
    if args.team == args.opponent:
        raise InputError(f"--team and --opponent are both {args.team!r}")
    ours = Side(args.team, find_password(args.password_file, args.team))
    file = args.opponent_password_file
    theirs = Side(args.opponent, None if file is None else read_password(file))
    return run_until_signal(check_server(address, args.token, (ours, theirs), timing))


# --- helpers ------------------------------------------------------------------------------------


async def _check_site(url: str, ours: Side, timing: Timing) -> Report:
    site = SiteClient(url, ours.name, ours.password or "")
    task = await site.create_test_match()
    assert task.address is not None
    theirs = Side(task.opponent or _OPPONENT, None)
    return await check_server(task.address, task.token, (ours, theirs), timing)


_OPPONENT: Final = "Test Client"
"""Who plays against a team in its test matches."""
