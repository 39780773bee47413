"""``sevenbag check pason://HOST``: checks a contest's server against the contest's text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import argparse

    from sevenbag.bots.check.finding import Report
    from sevenbag.contest.check import Side, Timing

_SCHEMES: Final = ("pason://", "http://", "https://")


def names_server(target: str | None) -> bool:
    """Whether it is a contest's server, or site, that is to be checked."""
    return target is not None and target.lower().startswith(_SCHEMES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what servers need."""
    group = parser.add_argument_group(
        "a contest's server",
        "pason://HOST with a match that nobody has connected to yet, and both teams; or a site, "
        "http://HOST:PORT, which makes a test match for one team",
    )
    group.add_argument("--token", metavar="T", help="the match token, with pason://")
    group.add_argument("--team", metavar="N", help="one team's name")
    group.add_argument(
        "--password-file", type=Path, metavar="F", help="a file with its password in the first line"
    )
    group.add_argument("--opponent", metavar="N", help="the other team's name, with pason://")
    group.add_argument(
        "--opponent-password-file",
        type=Path,
        metavar="F",
        help="its password; left out where somebody else plays it",
    )


def check(args: argparse.Namespace) -> Report:
    """Check the server."""
    try:
        from sevenbag.contest import check as checks  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"contests need the package {error.name}: pip install 'sevenbag[pason]'"
        ) from error
    from sevenbag.contest.client.address import parse_address  # noqa: PLC0415
    from sevenbag.contest.client.password import find_password, read_password  # noqa: PLC0415

    if not args.team:
        raise InputError("no team; give its name by --team")
    timing = checks.Timing(answer=args.seconds)
    if not args.bot.lower().startswith("pason://"):
        if args.token or args.opponent or args.opponent_password_file:
            raise InputError("a site makes the match: --token and --opponent are for pason://")
        ours = checks.Side(args.team, find_password(args.password_file, args.team))
        return run_until_signal(_check_site(args.bot, ours, timing))
    address = parse_address(args.bot)
    if not args.token or not args.opponent:
        raise InputError("a match is needed: give --token and --opponent (or check a site)")
    if args.team == args.opponent:
        raise InputError(f"--team and --opponent are both {args.team!r}")
    ours = checks.Side(args.team, find_password(args.password_file, args.team))
    file = args.opponent_password_file
    theirs = checks.Side(args.opponent, None if file is None else read_password(file))
    return run_until_signal(checks.check_server(address, args.token, (ours, theirs), timing))


# --- helpers ------------------------------------------------------------------------------------


async def _check_site(url: str, ours: Side, timing: Timing) -> Report:
    from sevenbag.contest.check import Side, check_server  # noqa: PLC0415
    from sevenbag.contest.client.site import Site  # noqa: PLC0415

    site = Site(url, ours.name, ours.password or "")
    task = await site.create_test_match()
    assert task.address is not None
    theirs = Side(task.opponent or _OPPONENT, None)
    return await check_server(task.address, task.token, (ours, theirs), timing)


_OPPONENT: Final = "Test Client"
"""Who plays against a team in its test matches."""
