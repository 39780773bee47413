"""``sevenbag check tbp:COMMAND``: checks whether a program keeps to its protocol."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.check.finding import SEVERITIES
from sevenbag.cli import check_server
from sevenbag.cli.arguments import count, positive
from sevenbag.cli.until_signal import run_until_signal
from sevenbag.errors import SpecError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Coroutine, Sequence

    from sevenbag.bots.check import CheckSettings
    from sevenbag.bots.check.finding import Report
    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Checks a bot: starts it some thirty times, talks to it as the texts and the programs in the field
do, and tells what is not as it should be, where the text says so, and which lines show it. With
--frontend it is itself a bot, and checks the program that starts it. See docs/check.md. A contest's
server is checked by pason://HOST, see docs/pason-client.md.
"""
_OWN: Final = "beam:nodes=100"
"""Whose moves are played to check a frontend, unless told otherwise."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "check",
        help="check whether a bot, or a frontend, keeps to its protocol",
        description=_DESCRIPTION,
    )
    parser.add_argument(
        "bot",
        metavar="BOT",
        nargs="?",
        help="the bot to check, such as tbp:./my-bot or triangle:./my-bot; with --frontend the one "
        f"whose moves are played (default: {_OWN}); or a contest's server, pason://HOST",
    )
    parser.add_argument(
        "--frontend", action="store_true", help="be a bot that checks the program that starts it"
    )
    parser.add_argument(
        "--format", choices=["text", "json", "junit"], default="text", help="of the report"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where the report goes (default: standard output; with --frontend standard error)",
    )
    parser.add_argument(
        "--fail-on",
        choices=[*SEVERITIES, "never"],
        default="error",
        help="exit with 1 if there is a finding of this severity or a worse one (default: error)",
    )
    parser.add_argument(
        "--pieces", type=count, default=40, metavar="N", help="length of the game that is played"
    )
    parser.add_argument(
        "--only",
        type=lambda text: tuple(filter(None, text.split(","))),
        default=(),
        metavar="CHECKS",
        help="make only these checks besides the first three, such as game,hold",
    )
    parser.add_argument(
        "--seconds", type=positive, default=5.0, metavar="S", help="for an answer (default: 5)"
    )
    parser.add_argument(
        "--start-seconds",
        type=positive,
        default=10.0,
        metavar="S",
        help="for info and ready (default: 10)",
    )
    parser.add_argument(
        "--quick-ms",
        type=positive,
        default=500.0,
        metavar="MS",
        help="an answer that takes longer is called slow (default: 500)",
    )
    check_server.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Check, tell, and say by the exit code how it went."""
    if check_server.names_server(args.bot) and not args.frontend:
        report = _of_server(args)
    else:
        report = _of_frontend(args) if args.frontend else _of_bot(args)
    return int(args.fail_on != "never" and report.fails(args.fail_on))


# --- helpers ------------------------------------------------------------------------------------


def _of_bot(args: argparse.Namespace) -> Report:
    from sevenbag.bots.check import CheckSettings  # noqa: PLC0415

    if args.bot is None:
        raise SpecError("no bot to check; expected one such as tbp:./my-bot, or --frontend")
    settings = CheckSettings(
        start_seconds=args.start_seconds,
        seconds=args.seconds,
        quick_seconds=args.quick_ms / 1000,
        pieces=args.pieces,
        only=args.only,
    )
    checked = _checked(args.bot, settings)
    for name in args.only:
        if name not in checked.choices:
            raise SpecError(f"--only: no check {name!r}; there are {', '.join(checked.choices)}")
    _expect_writable(args.output)
    report = run_until_signal(checked.check())
    _keep(args, report)
    return report


def _of_server(args: argparse.Namespace) -> Report:
    if args.only:
        raise SpecError("--only is for bots; a server is checked in one match, as a whole")
    _expect_writable(args.output)
    report = check_server.check(args)
    _keep(args, report)
    return report


def _of_frontend(args: argparse.Namespace) -> Report:
    from sevenbag.bots.check.hosting import check_frontend  # noqa: PLC0415
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415

    bot = create_bot(args.bot or _OWN)
    _expect_writable(args.output)
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    # Whoever is checked may end us right after quit: a file has the report by then.
    kept: Callable[[Report], None] = (
        (lambda report: _keep(args, report)) if args.output is not None else (lambda _: None)
    )
    try:
        report = run_until_signal(check_frontend(bot, kept=kept, output_descriptor=output))
    finally:
        os.close(output)
    _keep(args, report)
    return report


@dataclass(frozen=True, slots=True)
class _Checked:
    """A bot, by the protocol that it speaks.

    Attributes:
        choices: the checks that can be made alone.
        check: makes them.
    """

    choices: Sequence[str]
    check: Callable[[], Coroutine[object, object, Report]]


def _checked(spec: str, settings: CheckSettings) -> _Checked:
    """How a bot is checked: a foreign one as it is, one of ours as it is served."""
    from sevenbag.bots.check import CHOICES, check_bot, triangle  # noqa: PLC0415
    from sevenbag.bots.external.process import launch_process  # noqa: PLC0415
    from sevenbag.bots.external.tbp_driver import TbpBot  # noqa: PLC0415
    from sevenbag.bots.external.triangle_driver import TriangleBot  # noqa: PLC0415
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415

    bot = create_bot(spec)
    if isinstance(bot, TriangleBot):
        launch = bot.launch_process() or bot.launch
        barren = bot.launch_process({})
        return _Checked(
            triangle.CHOICES, lambda: triangle.check_engine(launch, spec, settings, barren=barren)
        )
    launch = bot.launch if isinstance(bot, TbpBot) else launch_process(["sevenbag", "serve", spec])
    return _Checked(CHOICES, lambda: check_bot(launch, spec, settings))


def _keep(args: argparse.Namespace, report: Report) -> None:
    """Write the report where it is to be; a file never holds half of one."""
    from sevenbag.bots.check import rendering  # noqa: PLC0415

    render = {
        "text": rendering.as_text,
        "json": rendering.as_json,
        "junit": rendering.as_junit,
    }[args.format]
    text = render(report)
    if args.output is None:
        stream = sys.stderr if args.frontend else sys.stdout
        stream.write(text)
        stream.flush()
        return
    beside = args.output.with_name(f".{args.output.name}.{os.getpid()}")
    beside.write_text(text, "utf-8")
    beside.replace(args.output)


def _expect_writable(path: Path | None) -> None:
    """See that the report can be written before anything is checked."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise SpecError(f"--output {path}: there is no folder {folder}")
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise SpecError(f"--output {path}: cannot be written")
