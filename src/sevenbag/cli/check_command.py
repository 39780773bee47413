"""The command ``sevenbag check``: check a bot or a frontend against its protocol."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.cli.arguments import integer, positive_number
from sevenbag.cli.signals import run_until_signal
from sevenbag.errors import SpecError
from sevenbag.files import check_writable, write_atomically

if TYPE_CHECKING:
    from sevenbag.checks import ConformanceReport

_DEFAULT_BOT: Final = "beam:nodes=100"


def configure_check(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag check``."""
    parser.add_argument(
        "bot",
        metavar="BOT",
        nargs="?",
        help="bot to check, such as tbp:./my-bot or triangle:./my-bot; with --frontend the bot"
        f" whose moves are played [default: {_DEFAULT_BOT}]",
    )
    parser.add_argument(
        "--frontend", action="store_true", help="run as a bot that checks its frontend"
    )
    parser.add_argument(
        "--format", choices=["text", "json", "junit"], default="text", help="output format"
    )
    parser.add_argument(
        *("-o", "--output"),
        type=Path,
        help="output file [default: standard output; with --frontend standard error]",
    )
    parser.add_argument(
        "--fail-on",
        choices=["error", "warning", "note", "never"],
        default="error",
        help="exit with 1 on findings of this severity or a higher one",
    )
    test = parser.add_argument_group("test")
    test.add_argument("--length", type=integer(1), default=40, help="pieces in the test game")
    test.add_argument(
        "--only",
        type=lambda text: tuple(filter(None, text.split(","))),
        default=(),
        metavar="CHECKS",
        help="run only these checks after the required ones, such as game,hold",
    )
    test.add_argument(
        "--answer-seconds",
        type=positive_number,
        default=10.0,
        metavar="S",
        help="seconds a bot may take to answer",
    )
    test.add_argument(
        "--start-seconds",
        type=positive_number,
        default=10.0,
        metavar="S",
        help="seconds until a bot is ready",
    )
    test.add_argument(
        "--slow-ms",
        type=positive_number,
        default=500.0,
        metavar="MS",
        help="report answers slower than MS milliseconds",
    )


def run_check(args: argparse.Namespace) -> int:
    """Check a bot against its protocol, and report each violation.

    Start it about thirty times and send it messages of the specification and of existing frontends.
    With --frontend, run as a bot and check the frontend that starts this command. See
    docs/check.md.
    """
    report = _check_frontend(args) if args.frontend else _check_bot(args)
    return int(args.fail_on != "never" and report.has_severity(args.fail_on))


def _check_bot(args: argparse.Namespace) -> ConformanceReport:
    from sevenbag.checks import CheckSettings, create_check  # noqa: PLC0415

    if args.bot is None:
        raise SpecError("invalid bot: expected one such as tbp:./my-bot, or --frontend, got none")
    settings = CheckSettings(
        start_seconds=args.start_seconds,
        answer_seconds=args.answer_seconds,
        slow_seconds=args.slow_ms / 1000,
        length=args.length,
        only=args.only,
    )
    check = create_check(args.bot, settings)
    if args.output is not None:
        check_writable(args.output)
    report = run_until_signal(check.run())
    _write_report(args, report)
    return report


def _check_frontend(args: argparse.Namespace) -> ConformanceReport:
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415
    from sevenbag.bots.serving.stdio_server import reserve_stdout  # noqa: PLC0415
    from sevenbag.checks import check_tbp_frontend  # noqa: PLC0415

    bot = create_bot(args.bot or _DEFAULT_BOT)
    if args.output is not None:
        check_writable(args.output)

    def on_report(report: ConformanceReport) -> None:
        # The frontend may kill this process right after quit.
        if args.output is not None:
            _write_report(args, report)

    with reserve_stdout() as output:
        check = check_tbp_frontend(bot, on_report=on_report, output_descriptor=output)
        report = run_until_signal(check)
    _write_report(args, report)
    return report


def _write_report(args: argparse.Namespace, report: ConformanceReport) -> None:
    from sevenbag.checks import report_formats  # noqa: PLC0415

    text = {
        "text": report_formats.format_text,
        "json": report_formats.format_json,
        "junit": report_formats.format_junit,
    }[args.format](report)
    if args.output is not None:
        write_atomically(args.output, text.encode(), replace=True)
        return
    stream = sys.stderr if args.frontend else sys.stdout
    stream.write(text)
    stream.flush()
