"""Argument types and options that several commands share."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from sevenbag import jobs
from sevenbag._kernel import Kicks
from sevenbag.bots.bot import Bot, Limits
from sevenbag.cli.output import warn
from sevenbag.contest.settings import ContestSettings
from sevenbag.errors import FormatError, KicksError, RulesError
from sevenbag.files import looks_like_file, open_input
from sevenbag.game import Rules

Container: TypeAlias = argparse._ActionsContainer  # pyright: ignore[reportPrivateUsage]


# What add_argument_group returns is a container of options as well.

T = TypeVar("T")

DEFAULT_SETTINGS_FILE: Final = Path("contest.toml")
REPLAY_FILE_HELP: Final = "replay, or .ttrm or .ttr file of TETR.IO"
NETWORK_HELP: Final = "network that orders the search [default: none, which is faster]"
LIVE_SPEED: Final = 6.0
"""Turns per second of live views."""
KICKS_HELP: Final = "rotation system or TOML file"


def integer(minimum: int, maximum: int = 2**53, *, even: bool = False) -> Callable[[str], int]:
    """Return an argparse type for integers in a range."""
    expected = "even integer" if even else "integer"
    expected += f" from {minimum}" + ("" if maximum == 2**53 else f" to {maximum}")

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum or (even and number % 2):
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")
        return number

    return read


def positive_number(text: str) -> float:
    """Read a finite number above 0; an argparse type."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"expected number above 0, got {text!r}")
    return number


def load_rules(name: str) -> Rules:
    """Load rules from a preset, or from a file if the name ends with ``.toml`` or is no preset.

    Raises:
        RulesError: no such rules, or an invalid file.
    """
    from sevenbag.game import Rules  # noqa: PLC0415  # few commands need them

    return _load_named(name, Rules.preset, Rules.from_file, RulesError)


def load_kicks(name: str) -> Kicks:
    """Load a rotation system by name or from a file, as `load_rules` does.

    Raises:
        KicksError: no such rotation system, or an invalid file.
    """
    from sevenbag._kernel import Kicks  # noqa: PLC0415  # few commands need them

    # The kernel takes text only; an argument may contain any bytes.
    return _load_named(
        name,
        lambda text: Kicks(text.encode("utf-8", "replace").decode()),
        Kicks.from_file,
        KicksError,
    )


def read_text_argument(argument: str) -> str:
    """Return an argument, or the text of the file that it names after an ``@``.

    Raises:
        FormatError: the file cannot be read, or is too large.
    """
    if not argument.startswith("@"):
        return argument
    name = argument[1:]
    try:
        with open_text(name) as file:
            text = file.read(_MAX_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{name}: {reason}") from None
    if len(text) > _MAX_TEXT:
        raise FormatError(f"{name}: more than {_MAX_TEXT} characters")
    return text


def open_text(name: str) -> io.TextIOWrapper:
    """Open a text file, or standard input for ``-``; invalid UTF-8 is replaced.

    Raises:
        OSError: the file cannot be opened or is not a regular file.
    """
    if name == "-":
        return open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False)
    return io.TextIOWrapper(open_input(name), encoding="utf-8", errors="replace")


def add_game_options(parser: Container) -> None:
    """Add the rules of a game and its limits."""
    from sevenbag.game import Rules  # noqa: PLC0415  # for the names alone

    parser.add_argument(
        "--rules",
        default="guideline",
        metavar="NAME|FILE",
        help=f"rules preset ({', '.join(Rules.preset_names())}) or TOML file",
    )
    parser.add_argument(
        "--pieces",
        type=integer(1, _MAX_PIECES),
        default=1000,
        help="pieces per player before the game ends",
    )
    parser.add_argument(
        "--ramp",
        type=integer(1, _MAX_PIECES),
        help="increase attack from piece N on, so that games between equal bots end",
    )
    parser.add_argument("--lead", type=integer(1), help="win with a lead of N lines of attack")
    parser.add_argument(
        "--double",
        choices=("draw", "attack"),
        default="draw",
        help="result when both players top out in the same turn: draw, or win by more attack",
    )


def add_limit_options(parser: Container) -> None:
    """Add the limits of a search."""
    parser.add_argument("--ms", type=positive_number, help="search N milliseconds per move")
    parser.add_argument("--nodes", type=integer(1), help="search N nodes per move")


def add_time_options(parser: argparse.ArgumentParser) -> None:
    """Add the game clock and real time."""
    time = parser.add_argument_group("time")
    time.add_argument(
        "--bank", type=positive_number, metavar="MS", help="thinking time per player and game"
    )
    time.add_argument(
        "--increment",
        type=integer(0),
        default=0,
        metavar="MS",
        help="thinking time added per move, with --bank",
    )
    time.add_argument(
        "--real-time", action="store_true", help="run each player in real time, at --pps"
    )
    time.add_argument(
        "--nps",
        type=positive_number,
        help="nodes per second of bots limited by --nodes, in real time",
    )
    time.add_argument(
        "--wall", action="store_true", help="run real time by the wall clock, not simulated"
    )
    time.add_argument(
        "--frames",
        action="store_true",
        help="real time with gravity and lock delay, frame by frame as in TETR.IO",
    )


def warn_ignored_limits(specs: Sequence[str], bots: Sequence[Bot], limits: Limits) -> None:
    """Warn about limits that a bot ignores."""
    for spec, bot in zip(specs, bots, strict=True):
        effective = bot.effective_limits(limits)
        if bot.protocol:
            why = f"{_PROTOCOLS[bot.protocol]} has no such limit; set it in the bot's command"
        else:
            why = "the bot has no limits"
        if limits.nodes is not None and effective.nodes is None:
            warn(f"--nodes is ignored for {spec}: {why}")
        if limits.milliseconds is not None and effective.milliseconds is None:
            warn(f"--ms is ignored for {spec}: {why}")
        elif limits.milliseconds is not None and bot.protocol:
            warn(
                f"--ms {limits.milliseconds:g} is the time after which {spec} is asked for its"
                " move; its answer may take longer"
            )


def add_replay_argument(parser: argparse.ArgumentParser) -> None:
    """Add a replay file and its round."""
    parser.add_argument("file", type=Path, metavar="FILE", help=REPLAY_FILE_HELP)
    parser.add_argument("--round", type=integer(1), help="round of a TETR.IO match [default: 1]")


def add_display_options(parser: Container, *, plain: str) -> None:
    """Add the choice between a live view, lines, the result only, and JSON."""
    parser.add_argument("--plain", action="store_true", help=plain)
    parser.add_argument("--quiet", action="store_true", help="print the result only")
    parser.add_argument("--json", action="store_true", help="print the result only, as JSON")


def add_json_option(parser: Container) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_threads_option(parser: Container) -> None:
    """Add ``--threads``."""
    parser.add_argument(
        "--threads", type=integer(1), help="threads [default: number of processors]"
    )


def add_worker_options(
    parser: Container, *, default: int | None = None, threads: bool = False
) -> None:
    """Add the mutually exclusive ``--workers``, ``--cluster`` and, if wanted, ``--threads``."""
    group = parser.add_mutually_exclusive_group()
    if threads:
        add_threads_option(group)
    group.add_argument(
        "--workers", type=integer(1, _MAX_WORKERS), default=default, help="worker processes"
    )
    group.add_argument(
        "--cluster", metavar="ADDRESS", help="dask scheduler, such as tcp://192.0.2.7:8786"
    )


def add_save_option(parser: Container) -> None:
    """Add ``--save-every``."""
    parser.add_argument(
        "--save-every",
        type=positive_number,
        default=10.0,
        metavar="S",
        help="seconds between saves",
    )


def create_executor(args: argparse.Namespace) -> jobs.Executor:
    """Create the executor that the options ask for; this process, if neither was given.

    Raises:
        JobError: the workers cannot be started, or the cluster is not available.
        MissingExtraError: clusters need an extra.
    """
    from sevenbag import jobs  # noqa: PLC0415  # few commands need them

    if args.cluster is not None:
        return jobs.DaskExecutor(args.cluster)
    return jobs.InProcessExecutor() if args.workers is None else jobs.ProcessExecutor(args.workers)


@contextlib.contextmanager
def open_executor(args: argparse.Namespace) -> Generator[jobs.Executor | None]:
    """Open an executor as `create_executor`, or None if neither option was given."""
    if args.workers is None and args.cluster is None:
        yield None
    else:
        with create_executor(args) as executor:
            yield executor


def add_settings_options(parser: argparse.ArgumentParser) -> None:
    """Add the settings of a contest."""
    parser.add_argument(
        "--settings",
        type=Path,
        help=f"settings in TOML [default: {DEFAULT_SETTINGS_FILE} if it exists]",
    )
    add_set_option(parser)


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--set``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="override a setting, such as match.games=3; repeatable",
    )


def load_settings(args: argparse.Namespace) -> ContestSettings:
    """Load the settings that the options ask for."""
    from sevenbag.contest import settings  # noqa: PLC0415  # few commands need them

    return settings.load_settings(find_settings_file(args), overrides=args.set)


def find_settings_file(args: argparse.Namespace) -> Path | None:
    """Return the settings file, or None."""
    if args.settings is not None:
        return Path(args.settings)
    return DEFAULT_SETTINGS_FILE if DEFAULT_SETTINGS_FILE.exists() else None


def settings_arguments(args: argparse.Namespace, more: Iterable[str] = ()) -> list[str]:
    """Return arguments that give another contest command the same settings, and more."""
    path = find_settings_file(args)
    words = [] if path is None else ["--settings", str(path.resolve())]
    for each in (*args.set, *more):
        words += ["--set", each]
    return words


def add_address_options(parser: argparse.ArgumentParser) -> None:
    """Add the address to listen on."""
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on"
    )


def add_kicks_option(parser: Container) -> None:
    """Add the rotation system."""
    parser.add_argument("--kicks", default="srs", metavar="NAME|FILE", help=KICKS_HELP)


def warn_unused_pieces(unused: int, usable: int) -> None:
    """Warn about pieces that no queue can use."""
    if unused:
        warn(
            f"only the first {usable} pieces of each queue can be used, {unused} more"
            f" {'is' if unused == 1 else 'are'} left out"
        )


_MAX_PIECES: Final = 100_000
_MAX_WORKERS: Final = 1024
_MAX_TEXT: Final = 4_000_000
_PROTOCOLS: Final = {"tbp": "TBP", "triangle": "the Triangle.js protocol"}


def _load_named(
    name: str, from_name: Callable[[str], T], from_file: Callable[[str], T], error: type[Exception]
) -> T:
    if name.lower().endswith(".toml"):
        return from_file(name)
    try:
        return from_name(name)
    except error:
        if looks_like_file(name):
            return from_file(name)
        raise
