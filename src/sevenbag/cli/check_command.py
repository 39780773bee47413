"""The command ``sevenbag check``: check a bot or a frontend against its protocol."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.check.finding import SEVERITIES
from sevenbag.cli.arguments import integer, positive_number
from sevenbag.cli.signals import run_until_signal
from sevenbag.errors import SpecError
from sevenbag.files import check_writable, write_atomically

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Coroutine, Sequence

    from sevenbag.bots.check import CheckSettings
    from sevenbag.bots.check.finding import Report

_DEFAULT_BOT: Final = "beam:nodes=100"


def configure_check(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag check``."""
    parser.description = (
        "Check a bot: start it some thirty times, send it messages of the protocol and of real"
        " frontends, and report each fault with the clause it breaks and the messages that show it."
        " With --frontend, run as a bot and check the frontend that started it. See docs/check.md."
    )
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
        metavar="FILE",
        help="output file [default: standard output; with --frontend standard error]",
    )
    parser.add_argument(
        "--fail-on",
        choices=[*SEVERITIES, "never"],
        default="error",
        help="exit with 1 on findings of this severity or a higher one",
    )
    test = parser.add_argument_group("test")
    test.add_argument(
        "--length", type=integer(1), default=40, metavar="N", help="pieces in the test game"
    )
    test.add_argument(
        "--only",
        type=lambda text: tuple(filter(None, text.split(","))),
        default=(),
        metavar="CHECKS",
        help="run only these checks besides the first three, such as game,hold",
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
    parser.set_defaults(run=run_check)


def run_check(args: argparse.Namespace) -> int:
    """Check and print the report; return 1 if it has findings that fail."""
    report = _check_frontend(args) if args.frontend else _check_bot(args)
    return int(args.fail_on != "never" and report.fails(args.fail_on))


# --- helpers ------------------------------------------------------------------------------------


def _check_bot(args: argparse.Namespace) -> Report:
    from sevenbag.bots.check import CheckSettings  # noqa: PLC0415

    if args.bot is None:
        raise SpecError("invalid bot: expected one such as tbp:./my-bot, or --frontend, got none")
    settings = CheckSettings(
        start_seconds=args.start_seconds,
        seconds=args.answer_seconds,
        quick_seconds=args.slow_ms / 1000,
        pieces=args.length,
        only=args.only,
    )
    check = _create_check(args.bot, settings)
    for name in args.only:
        if name not in check.choices:
            raise SpecError(
                f"invalid --only: expected some of {', '.join(check.choices)}, got {name!r}"
            )
    if args.output is not None:
        check_writable(args.output)
    report = run_until_signal(check.run())
    _write_report(args, report)
    return report


def _check_frontend(args: argparse.Namespace) -> Report:
    from sevenbag.bots.check.hosting import check_frontend  # noqa: PLC0415
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415

    bot = create_bot(args.bot or _DEFAULT_BOT)
    if args.output is not None:
        check_writable(args.output)
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    # The frontend may kill this process right after quit: write the file before that.
    kept: Callable[[Report], None] = (
        (lambda report: _write_report(args, report))
        if args.output is not None
        else (lambda _: None)
    )
    try:
        report = run_until_signal(check_frontend(bot, kept=kept, output_descriptor=output))
    finally:
        os.close(output)
    _write_report(args, report)
    return report


@dataclass(frozen=True, slots=True)
class _Check:
    """A check of a bot.

    Attributes:
        choices: checks that can be run alone.
        run: runs the check.
    """

    choices: Sequence[str]
    run: Callable[[], Coroutine[object, object, Report]]


def _create_check(spec: str, settings: CheckSettings) -> _Check:
    """Create the check of an external bot, or of a built-in bot as it is served."""
    from sevenbag.bots.check import CHOICES, check_bot, triangle  # noqa: PLC0415
    from sevenbag.bots.external.process import create_process_launcher  # noqa: PLC0415
    from sevenbag.bots.external.tbp_driver import TbpDriver  # noqa: PLC0415
    from sevenbag.bots.external.triangle_driver import TriangleDriver  # noqa: PLC0415
    from sevenbag.bots.registry import create_bot  # noqa: PLC0415

    bot = create_bot(spec)
    if isinstance(bot, TriangleDriver):
        launch = bot.create_launcher() or bot.launcher
        barren = bot.create_launcher({})
        return _Check(
            triangle.CHOICES, lambda: triangle.check_engine(launch, spec, settings, barren=barren)
        )
    launch = (
        bot.launcher
        if isinstance(bot, TbpDriver)
        else create_process_launcher(["sevenbag", "serve", spec])
    )
    return _Check(CHOICES, lambda: check_bot(launch, spec, settings))


def _write_report(args: argparse.Namespace, report: Report) -> None:
    from sevenbag.bots.check import rendering  # noqa: PLC0415

    render = {
        "text": rendering.as_text,
        "json": rendering.as_json,
        "junit": rendering.as_junit,
    }[args.format]
    text = render(report)
    if args.output is not None:
        write_atomically(args.output, text.encode(), replace=True)
        return
    stream = sys.stderr if args.frontend else sys.stdout
    stream.write(text)
    stream.flush()
