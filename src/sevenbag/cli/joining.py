"""What ``sevenbag join`` does, once it is known that the packages for it are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.contest.client.connection import parse_address
from sevenbag.contest.client.contest_client import Manner, Site, play_all, play_match
from sevenbag.contest.client.match_session import Patience
from sevenbag.contest.credentials import find_password
from sevenbag.errors import InputError, printable, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sevenbag.contest.client.contest_client import Played

WON: Final = 0
FAILED: Final = 1
LOST: Final = 3
UNDECIDED: Final = 4
_SCHEME: Final = "pason://"
_SITE_SCHEMES: Final = ("http://", "https://")


def join(args: argparse.Namespace) -> int:
    """Play what the command line asks for; returns the exit code."""
    # A bot that there is none of is told of before a password is asked for.
    create_bot(args.bot)
    seconds = args.server_seconds
    usual = Patience()
    patience = Patience(
        answer=min(usual.answer, seconds), server=seconds, state=min(usual.state, seconds)
    )
    if args.server.lower().startswith(_SCHEME):
        return _join_server(args, patience)
    return _join_site(args, patience)


# --- helpers ------------------------------------------------------------------------------------


def _join_server(args: argparse.Namespace, patience: Patience) -> int:
    address = parse_address(args.server)
    if args.test:
        raise InputError("--test is for a site, http://HOST:PORT; only that creates test matches")
    if not args.token:
        raise InputError("no match token; give it by --token")
    manner = _manner(args, patience)
    return _told(run_until_signal(play_match(address, args.token, manner, _say)))


def _join_site(args: argparse.Namespace, patience: Patience) -> int:
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
    task = await site.create_test_match()
    assert task.address is not None
    _say(f"test match {task.token} on {task.address}")
    return await play_match(task.address, task.token, manner, _say)


def _manner(args: argparse.Namespace, patience: Patience) -> Manner:
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
    print(printable(line), flush=True)
