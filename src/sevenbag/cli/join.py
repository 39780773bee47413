"""``sevenbag join SERVER --team N --bot SPEC``: play matches of a contest with any bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import count, positive
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import InputError, MissingExtraError, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.cli.main import Subparsers
    from sevenbag.contest.client.join import Manner, Played
    from sevenbag.contest.client.session import Patience
    from sevenbag.contest.client.site import Site

_DESCRIPTION: Final = """\
Plays for a team: one match, by its token, on pason://HOST; or every match that a contest's site has
for the team, one after another. The password comes from --password-file, the variable
SEVENBAG_PASSWORD, or from whoever sits here. The exit code says how it went: 0 won, 3 lost, 4
undecided as far as was heard (of several matches: 0 all were played); 1 something failed; 2
something given cannot be used. See docs/pason-client.md.
"""
WON: Final = 0
FAILED: Final = 1
LOST: Final = 3
UNDECIDED: Final = 4
_SCHEME: Final = "pason://"
_SITE_SCHEMES: Final = ("http://", "https://")


def register(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "join", help="play a match of a contest with any bot", description=_DESCRIPTION
    )
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="a game server, pason://HOST or pason://HOST:COMMANDPORT,STATEPORT; or a site, "
        "http://HOST:PORT",
    )
    parser.add_argument("--token", metavar="T", help="match token, with pason://")
    parser.add_argument("--team", required=True, metavar="N", help="the team's name")
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="F",
        help="a file whose first line is the team's password",
    )
    parser.add_argument(
        "--bot", required=True, metavar="BOT", help="a bot, such as beam or tbp:./my-bot"
    )
    parser.add_argument(
        "--moves-per-second", type=positive, default=0.0, metavar="N", help="move no faster"
    )
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--ms", type=positive, metavar="N", help="milliseconds for each piece")
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes for each piece")
    parser.add_argument(
        "--answer-seconds",
        type=positive,
        default=10.0,
        metavar="S",
        help="a bot that takes longer has failed (default: %(default)g)",
    )
    parser.add_argument(
        "--server-seconds",
        type=positive,
        default=30.0,
        metavar="S",
        help="a server that is silent for so long is given up (default: %(default)g)",
    )
    parser.add_argument(
        "--test", action="store_true", help="with a site: create a test match, and play that"
    )
    parser.add_argument(
        "--wait",
        type=positive,
        default=3_600.0,
        metavar="S",
        help="with a site: wait so long for the next match (default: %(default)g)",
    )


def run(args: argparse.Namespace) -> int:
    """Play, and tell by the last line and the exit code how it went."""
    try:
        from sevenbag.contest.client import session  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"contests need the package {error.name}: pip install 'sevenbag[pason]'"
        ) from error
    # A bot that there is none of is told of before a password is asked for.
    create_bot(args.bot)
    seconds = args.server_seconds
    usual = session.Patience()
    patience = session.Patience(
        answer=min(usual.answer, seconds), server=seconds, state=min(usual.state, seconds)
    )
    if args.server.lower().startswith(_SCHEME):
        return _join_server(args, patience)
    return _join_site(args, patience)


# --- helpers ------------------------------------------------------------------------------------


def _join_server(args: argparse.Namespace, patience: Patience) -> int:
    from sevenbag.contest.client.address import parse_address  # noqa: PLC0415
    from sevenbag.contest.client.join import play_match  # noqa: PLC0415

    address = parse_address(args.server)
    if args.test:
        raise InputError("--test is for a site, http://HOST:PORT; only that creates test matches")
    if not args.token:
        raise InputError("no match token; give it by --token")
    manner = _manner(args, patience)
    return _told(run_until_signal(play_match(address, args.token, manner, _say)))


def _join_site(args: argparse.Namespace, patience: Patience) -> int:
    from sevenbag.contest.client.join import play_all  # noqa: PLC0415
    from sevenbag.contest.client.site import Site  # noqa: PLC0415

    if not args.server.lower().startswith(_SITE_SCHEMES):
        raise InputError(
            f"{shown(args.server)} is neither a game server, pason://HOST, nor a site, "
            "http://HOST:PORT"
        )
    if args.token:
        raise InputError("--token is for a game server, pason://HOST; a site knows it")
    manner = _manner(args, patience)
    site = Site(args.server, args.team, manner.password)
    if args.test:
        return _told(run_until_signal(_play_test(site, manner)))
    return _all_told(run_until_signal(play_all(site, manner, _say, wait_seconds=args.wait)))


async def _play_test(site: Site, manner: Manner) -> Played:
    from sevenbag.contest.client.join import play_match  # noqa: PLC0415

    task = await site.create_test_match()
    assert task.address is not None
    _say(f"test match {task.token} on {task.address}")
    return await play_match(task.address, task.token, manner, _say)


def _manner(args: argparse.Namespace, patience: Patience) -> Manner:
    from sevenbag.contest.client.join import Manner  # noqa: PLC0415
    from sevenbag.contest.client.password import find_password  # noqa: PLC0415

    return Manner(
        team=args.team,
        password=find_password(args.password_file, args.team),
        bot=args.bot,
        moves_per_second=args.moves_per_second,
        limits=Limits(args.ms, args.nodes),
        answer_seconds=args.answer_seconds,
        patience=patience,
    )


def _told(played: Played) -> int:
    missed, pieces = played.undone
    _say(f"{pieces} pieces, {missed} of them not as planned")
    if not played.result.end_heard:
        _say("the match's end was not heard, only that it is over")
    _say(str(played.result))
    if played.failure:
        _say(f"the bot has failed: {played.failure}")
        return FAILED
    return {True: WON, False: LOST, None: UNDECIDED}[played.result.won]


def _all_told(matches: Sequence[Played]) -> int:
    for played in matches:
        _say(str(played.result))
    failures = [played.failure for played in matches if played.failure]
    won = sum(played.result.won is True for played in matches)
    _say(f"{len(matches)} matches, {won} of them won")
    if failures:
        _say(f"the bot has failed: {failures[-1]}")
        return FAILED
    return WON


def _say(line: str) -> None:
    print("".join(c if c.isprintable() else "?" for c in line), flush=True)
