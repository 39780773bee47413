"""``sevenbag web``: a page on which bots play, some of them in the page itself."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.arguments import port
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import InputError, MissingExtraError, printable

if TYPE_CHECKING:
    import argparse

    from sevenbag.cli.main import Subparsers
    from sevenbag.web.play.app import PageServer

_DESCRIPTION: Final = """\
Serves a page on which a bot that is a Web Worker, in your browser, plays one of ours, live, with
every message shown. See docs/web.md. Ctrl-C ends it.
"""
_PORT: Final = 8123


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "web", help="a page on which bots play, yours in the page itself", description=_DESCRIPTION
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, this machine alone)",
    )
    parser.add_argument(
        "--port",
        type=port,
        default=_PORT,
        metavar="N",
        help="port to listen at; 0 takes a free one (default: %(default)s)",
    )
    parser.add_argument(
        "--bots",
        type=Path,
        metavar="FOLDER",
        help="let the page load bots from this folder, as /bots/...",
    )
    parser.add_argument("--open", action="store_true", help="open the page in your browser")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    try:
        from sevenbag.web.play.app import PageServer  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(
            f"the page needs the package {package}: pip install 'sevenbag[web]'"
        ) from error
    if args.bots is not None and not args.bots.is_dir():
        raise InputError(f"--bots {args.bots}: there is no such folder")
    server = PageServer(args.host, args.port, _say, bots=args.bots)
    try:
        print(f"sevenbag web: {server.address}", flush=True)
        run_until_signal(_serve(server, open_page=args.open))
    finally:
        server.close()
    return 0


# --- helpers ------------------------------------------------------------------------------------


async def _serve(server: PageServer, *, open_page: bool) -> None:
    if open_page:
        # Some browsers return only when they are closed: nobody waits for them.
        threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
    await server.serve()


def _say(line: str) -> None:
    print(printable(line), flush=True)
