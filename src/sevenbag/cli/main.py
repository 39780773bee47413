"""The command ``sevenbag``: finds the command, runs it, and turns what goes wrong into words.

A command's module is imported only when it is called, so that the help is there at once.

Exit codes: 0 all well; 1 something failed; 2 something given cannot be used; 128 + n ended by
signal n, so 130 for Ctrl-C. docs/commands.md says more.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, cast

from sevenbag.errors import InputError, SevenbagError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _typeshed import SupportsWrite

    # What add_subparsers returns; argparse has no public name for it.
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # pyright: ignore[reportPrivateUsage]

COMMANDS: Final = {
    "play": "two bots play against each other, live in the terminal",
    "match": "two bots play many games, until it is clear who is better",
    "tournament": "many bots play against each other",
    "replay": "play back a replay file, draw it, convert it, count what was done",
    "stats": "what a tournament says about its engines",
    "report": "a tournament as an HTML page with plots and its games",
    "serve": "offer a bot to others through a bot protocol",
    "web": "a page on which bots play, yours in the page itself",
    "contest": "hold a contest: servers, site, bracket, monitor",
    "join": "play a match of a contest with any bot",
    "check": "check whether a bot, a frontend or a contest's server keeps to its protocol",
    "perft": "count the ways to place a queue of pieces",
    "pc": "perfect clears: find them, prove that there is none",
}
"""Every command, with what it does; the module of the same name lies beside this one."""


class Interrupted(KeyboardInterrupt):
    """The program was told to end by a signal."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.signal_number = signal_number


class Parser(argparse.ArgumentParser):
    """Argument parser with one-line errors; a command group without a command prints its help."""

    def parse_known_args(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # has overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """Parse arguments; an empty list for a command group means ``--help``.

        Unknown arguments are an error of the parser that found them, so that it names its command;
        argparse would leave them to the outermost one.
        """
        # Private, because argparse has no public way to ask whether a parser has subcommands.
        if args is not None and not args and self._subparsers is not None:
            args = ["--help"]
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """End the program with exit code 2."""
        self.exit(2, f"sevenbag: {message}\nTry: {self.prog} --help\n")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; argparse would not tell if that fails."""
        (file or sys.stdout).write(self.format_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: _run(arguments))


def guarded(run: Callable[[], int]) -> int:
    """What `run` returns, or the exit code for what ended it, which is put into words."""
    if not _have_streams():
        print("sevenbag: standard output is closed", file=sys.stderr)
        return 1
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows another one; it is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    try:
        try:
            return run()
        finally:
            # Now, where an error can still be told, and not when the interpreter ends.
            sys.stdout.flush()
    except SevenbagError as error:
        from sevenbag.cli.output import warn  # noqa: PLC0415  # few commands fail

        warn(str(error))
        return 2 if isinstance(error, InputError) else 1
    except Interrupted as stop:
        return 128 + stop.signal_number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read our output has gone. What is still buffered must not be tried again when
        # the interpreter ends.
        _drop_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        # What can fail besides is named where it is done: this is the output.
        _drop_output()
        print(f"sevenbag: cannot write: {error.strerror or error}", file=sys.stderr)
        return 1


# --- helpers ------------------------------------------------------------------------------------


class _Command(Protocol):
    def add_parser(self, subparsers: Subparsers) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["pc"] and arguments[1:2]:
        from sevenbag.cli.pc import dropin  # noqa: PLC0415  # as all commands

        # These have options and words of their own, those of another program.
        if arguments[1] in dropin.VERBS:
            return dropin.run(arguments[1:])
    called = next((word for word in arguments if not word.startswith("-")), None)
    parser = _parser()
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    command: _Command | None = None
    for name, summary in COMMANDS.items():
        if name == called:
            command = cast("_Command", importlib.import_module(f"sevenbag.cli.{name}"))
            command.add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
    args = parser.parse_args(arguments)
    if command is None:
        parser.error("no command given")
    return command.run(args)


def _interrupt_once(*_: object) -> NoReturn:
    """Ctrl-C ends the program; more of them cannot break off its ending, nor show its machinery."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _have_streams() -> bool:
    """Whether there is a standard output; what else is closed is replaced by nothingness.

    A descriptor that is closed would be given to the next file that is opened, and then be taken
    for the stream.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    return sys.stdout is not None


def _drop_output() -> None:
    """Let what is still buffered vanish instead of failing when the interpreter ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="sevenbag",
        description="Engine, bots, bot protocols and arena for modern block-stacking games.",
        epilog="sevenbag COMMAND --help says more about a command.",
    )
    parser.add_argument("--version", action=_Version)
    return parser


class _Version(argparse.Action):
    """Looks the version up only if it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import importlib.metadata  # noqa: PLC0415  # a fifth of the time that a short command takes

        print(f"sevenbag {importlib.metadata.version('sevenbag')}")
        parser.exit()
