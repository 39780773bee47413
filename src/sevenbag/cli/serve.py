"""``sevenbag serve BOT --as tbp|triangle``: offers a bot to programs that speak a bot protocol."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving.stdio_server import output_to_itself, serve_bot
from sevenbag.cli.arguments import count, named_rules, port, positive
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import SpecError

if TYPE_CHECKING:
    import argparse

    from sevenbag.bots.serving.service import Serve
    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Offers a bot over standard input and output. Whoever starts this command is the frontend: it tells
the position and asks for moves. With --websocket it is offered at a port instead, a bot for each
connection, and pages can load it as a worker from there. See docs/tbp.md and docs/triangle.md.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "serve",
        help="offer a bot to others through a bot protocol",
        description=_DESCRIPTION,
    )
    parser.add_argument("bot", metavar="BOT", help="a bot, such as beam or beam:nodes=2000")
    parser.add_argument(
        "--as",
        dest="protocol",
        choices=["tbp", "triangle"],
        default="tbp",
        help="protocol (default: tbp)",
    )
    parser.add_argument(
        "--moves",
        type=count,
        metavar="N",
        help="suggest at most N moves (default: 1, which all frontends understand alike)",
    )
    parser.add_argument(
        "--inputs", action="store_true", help="tell the way to the move, as the versus dialect does"
    )
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="heed what is known of this frontend, such as stadium; a name or a TOML file",
    )
    parser.add_argument(
        "--rules",
        metavar="RULES",
        help="rules by which the bot plays, as far as the frontend does not tell them: a preset or "
        "a file (default: guideline)",
    )
    parser.add_argument(
        "--websocket",
        type=port,
        metavar="PORT",
        help="serve at this port, one JSON object a text frame; 0 takes a free one",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at, with --websocket (default: 127.0.0.1, this machine alone)",
    )
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--ms", type=positive, metavar="N", help="milliseconds for each move")
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes for each move")


def run(args: argparse.Namespace) -> int:
    """Serve until the frontend is done."""
    bot = create_bot(args.bot)
    serve = _SERVICES[args.protocol](args)
    if args.websocket is not None:
        run_until_signal(_serve_at(args, serve))
        return 0
    with output_to_itself() as output:
        run_until_signal(serve_bot(bot, serve, output_descriptor=output))
    return 0


# --- helpers ------------------------------------------------------------------------------------


def _as_tbp(args: argparse.Namespace) -> Serve:
    from sevenbag.bots.external.tbp_profile import OFFICIAL, profile  # noqa: PLC0415  # hosts wait for no one
    from sevenbag.bots.serving.adapter import Manner, tbp_service  # noqa: PLC0415  # likewise

    heed = (OFFICIAL if args.profile is None else profile(args.profile)).serve
    return tbp_service(
        Manner(
            limits=Limits(args.ms, args.nodes),
            rules=None if args.rules is None else named_rules(args.rules),
            moves=args.moves or heed.moves,
            longest_line=heed.longest_line,
            features=heed.features,
            inputs=args.inputs or heed.inputs,
        )
    )


def _as_triangle(args: argparse.Namespace) -> Serve:
    from sevenbag.bots.serving.serve_triangle import triangle_service  # noqa: PLC0415  # likewise

    for option in ("moves", "inputs", "profile", "rules"):
        if getattr(args, option):
            raise SpecError(f"--{option} is for TBP; a Triangle host has no use for it")
    # It is by this that hosts end their bots, wherever these were started.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return triangle_service(Limits(args.ms, args.nodes))


_SERVICES: Final = {"tbp": _as_tbp, "triangle": _as_triangle}


async def _serve_at(args: argparse.Namespace, serve: Serve) -> None:
    """Serve at a port until a signal comes."""
    from sevenbag.bots.serving.websocket_server import WORKER, BotServer  # noqa: PLC0415  # needs an extra

    server = BotServer(lambda: create_bot(args.bot), serve)
    try:
        await server.open(args.host, args.websocket)
    except OSError as error:
        where = f"{args.host}:{args.websocket}"
        raise SpecError(f"cannot listen at {where}: {error.strerror or error}") from None
    place = f"{args.host}:{server.port}"
    # The worker speaks TBP.
    worker = f" and http://{place}{WORKER}" if args.protocol == "tbp" else ""
    print(f"sevenbag serve: ws://{place}/{worker}", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.close()
