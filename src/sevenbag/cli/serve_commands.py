"""The commands ``sevenbag serve`` and ``sevenbag web``."""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving.adapter import AdapterFactory
from sevenbag.bots.serving.stdio_server import reserve_stdout, serve_stdio
from sevenbag.cli.arguments import add_address_options, add_limit_options, integer, load_rules
from sevenbag.cli.command_table import import_extra
from sevenbag.cli.output import write_lines
from sevenbag.cli.signals import run_until_signal
from sevenbag.errors import InputError, SpecError

if TYPE_CHECKING:
    from sevenbag.web.play.app import PlayServer


def configure_serve(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag serve``."""
    parser.add_argument("bot", metavar="BOT", help="bot, such as beam or beam:nodes=2000")
    parser.add_argument(
        "--as", dest="protocol", choices=["tbp", "triangle"], default="tbp", help="protocol"
    )
    parser.add_argument(
        "--moves",
        type=integer(1),
        help="suggest at most N moves [default: 1, which all frontends support]",
    )
    parser.add_argument(
        "--inputs", action="store_true", help="send the inputs of each move (versus dialect)"
    )
    parser.add_argument(
        "--profile",
        metavar="NAME|FILE",
        help="adapt to the known deviations of a frontend, such as stadium, or of a TOML file",
    )
    parser.add_argument(
        "--rules",
        metavar="NAME|FILE",
        help="rules that the frontend does not send: preset or TOML file [default: guideline]",
    )
    parser.add_argument(
        "--websocket",
        type=integer(0, 65_535),
        help="serve through WebSocket on this port, 0 for any free port",
    )
    add_address_options(parser)
    add_limit_options(parser.add_mutually_exclusive_group())


def run_serve(args: argparse.Namespace) -> int:
    """Serve a bot over standard input and output to the frontend that starts this command.

    With --websocket, serve it on a port, with one bot for each connection; pages can load it as a
    worker from there. See docs/tbp.md and docs/triangle.md.
    """
    bot = create_bot(args.bot)
    serve = _SERVICES[args.protocol](args)
    if args.websocket is not None:
        run_until_signal(_serve_websocket(args, serve))
        return 0
    with reserve_stdout() as output:
        run_until_signal(serve_stdio(bot, serve, output_descriptor=output))
    return 0


def _create_tbp_service(args: argparse.Namespace) -> AdapterFactory:
    # Imported here, because frontends wait for the start of this command.
    from sevenbag.bots.external.tbp_profile import OFFICIAL_PROFILE, load_profile  # noqa: PLC0415
    from sevenbag.bots.serving.adapter import tbp_adapter  # noqa: PLC0415

    settings = (OFFICIAL_PROFILE if args.profile is None else load_profile(args.profile)).serve
    return tbp_adapter(
        Limits(args.ms, args.nodes),
        rules=None if args.rules is None else load_rules(args.rules),
        settings=msgspec.structs.replace(
            settings,
            max_moves=args.moves or settings.max_moves,
            inputs=args.inputs or settings.inputs,
        ),
    )


def _create_triangle_service(args: argparse.Namespace) -> AdapterFactory:
    from sevenbag.bots.serving.adapter import triangle_adapter  # noqa: PLC0415  # as above

    for option in ("moves", "inputs", "profile", "rules"):
        if getattr(args, option):
            raise SpecError(f"--{option} is for TBP; the Triangle.js protocol has no use for it")
    # Hosts end their bots by SIGINT, even where it is ignored at the start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return triangle_adapter(Limits(args.ms, args.nodes))


_SERVICES: Final = {"tbp": _create_tbp_service, "triangle": _create_triangle_service}


async def _serve_websocket(args: argparse.Namespace, serve: AdapterFactory) -> None:
    from sevenbag.bots.serving.websocket_server import WORKER_PATH, WebSocketBotServer  # noqa: PLC0415  # needs an extra

    server = WebSocketBotServer(lambda: create_bot(args.bot), serve)
    try:
        await server.open(args.host, args.websocket)
    except OSError as error:
        where = f"{args.host}:{args.websocket}"
        raise SpecError(f"cannot listen at {where}: {error.strerror or error}") from None
    place = f"{args.host}:{server.port}"
    # The worker speaks TBP.
    worker = f" and http://{place}{WORKER_PATH}" if args.protocol == "tbp" else ""
    print(f"sevenbag serve: ws://{place}/{worker}", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.close()


def configure_web(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag web``."""
    add_address_options(parser)
    parser.add_argument(
        "--port",
        type=integer(0, 65_535),
        default=8123,
        help="port to listen on, 0 for any free port",
    )
    parser.add_argument(
        "--bots",
        type=Path,
        metavar="FOLDER",
        help="serve the bots in this folder to the page, below /bots/",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def run_web(args: argparse.Namespace) -> int:
    """Serve a page on which a bot that runs in the browser plays against a built-in bot.

    The bot runs as a Web Worker, and all messages are shown. Ctrl-C ends it. See docs/web.md.
    """
    play_server: type[PlayServer] = import_extra("sevenbag.web.play.app", "web").PlayServer
    if args.bots is not None and not args.bots.is_dir():
        raise InputError(f"invalid --bots: expected a folder, got {args.bots}")
    server = play_server(args.host, args.port, write_lines, bots=args.bots)
    try:
        print(f"sevenbag web: {server.address}", flush=True)
        run_until_signal(_serve_page(server, open_page=args.open))
    finally:
        server.close()
    return 0


async def _serve_page(server: PlayServer, *, open_page: bool) -> None:
    if open_page:
        import threading  # noqa: PLC0415  # frontends wait for the start of `serve`
        import webbrowser  # noqa: PLC0415  # likewise

        # Some browsers return only when they are closed.
        threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
    await server.serve()
