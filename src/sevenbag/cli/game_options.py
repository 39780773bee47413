"""Options of how games are played, which several commands take."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from sevenbag.arena.book import LAST_SEED
from sevenbag.cli.arguments import count, number_from_zero, positive
from sevenbag.cli.output import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag.bots.bot import Bot, Limits

MOST_PIECES: Final = 100_000
"""Pieces of a game."""


def add_rules_options(game: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]
    """By which rules a game is played, and when it is over."""
    from sevenbag.game import Rules  # noqa: PLC0415  # for the names alone

    game.add_argument(
        "--rules",
        default="guideline",
        metavar="NAME|FILE",
        help=f"rules preset ({', '.join(Rules.presets())}), or a TOML file of your own (default:"
        " %(default)s)",
    )
    game.add_argument(
        "--pieces",
        type=pieces,
        default=1000,
        metavar="N",
        help="end after N pieces each (default: %(default)s)",
    )
    game.add_argument(
        "--ramp",
        type=pieces,
        metavar="N",
        help="from piece N on attack grows, so that even equal bots come to an end",
    )
    game.add_argument(
        "--lead", type=count, metavar="N", help="who has made N more lines of attack has won"
    )
    game.add_argument(
        "--double",
        choices=("draw", "attack"),
        default="draw",
        help="what both topping out at once is: a draw, or won by more attack (default: draw)",
    )


def add_clock_options(parser: argparse.ArgumentParser) -> None:
    """What bots may spend, besides milliseconds and nodes for a move; real time."""
    limits = parser.add_argument_group("time")
    limits.add_argument(
        "--bank",
        type=positive,
        metavar="MS",
        help="a clock: milliseconds of each bot for the whole game",
    )
    limits.add_argument(
        "--increment",
        type=number_from_zero,
        default=0,
        metavar="MS",
        help="what the clock gains by a move (default: %(default)s)",
    )
    limits.add_argument(
        "--real-time",
        action="store_true",
        help="each player in a time of its own, at the pace of --pps (default there: 2)",
    )
    limits.add_argument(
        "--nps",
        type=positive,
        metavar="N",
        help="in real time: nodes a second that bots limited by nodes are taken to examine",
    )
    limits.add_argument(
        "--wall", action="store_true", help="real time is that on the wall, not simulated"
    )
    limits.add_argument(
        "--frames",
        action="store_true",
        help="in real time: pieces fall and lock by themselves, frame by frame as in TETR.IO",
    )


def pieces(text: str) -> int:
    """A number of pieces of a game."""
    number = count(text)
    if number > MOST_PIECES:
        raise argparse.ArgumentTypeError(f"{text} pieces are too many; the most are {MOST_PIECES}")
    return number


def seed_argument(text: str) -> int:
    """A seed; those beyond begin again."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= LAST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed; expected 0 to {LAST_SEED}")
    return number


def mention_unheeded(specs: Sequence[str], bots: Sequence[Bot], limits: Limits) -> None:
    """Warn about limits that a bot ignores."""
    for spec, bot in zip(specs, bots, strict=True):
        held = bot.effective(limits)
        if bot.protocol:
            why = f"{_PROTOCOLS[bot.protocol]} has no such limit; set it in the bot's command"
        else:
            why = "the bot has no limits"
        if limits.nodes is not None and held.nodes is None:
            warn(f"--nodes is ignored for {spec}: {why}")
        if limits.milliseconds is not None and held.milliseconds is None:
            warn(f"--ms is ignored for {spec}: {why}")
        elif limits.milliseconds is not None and bot.protocol:
            warn(
                f"--ms {limits.milliseconds:g} is the time after which {spec} is asked for its"
                " move; its answer may take longer"
            )


# --- helpers ------------------------------------------------------------------------------------

_PROTOCOLS: Final = {"tbp": "TBP", "triangle": "the Triangle.js protocol"}
