"""The command ``sevenbag``: parse the command line, run the command, map errors to exit codes.

Exit codes: 0 success; 1 failure; 2 invalid input; 128 + n ended by signal n, so 130 for Ctrl-C. See
docs/commands.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from sevenbag.cli.command_table import COMMANDS, PERFECT_TETRIS_VERBS, CommandParser, add_commands
from sevenbag.errors import InputError, SevenbagError


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return run_with_exit_code(lambda: run_command_line(words))


def pc(argv: Sequence[str] | None = None) -> int:
    """Run the program ``pc``, the drop-in replacement for perfect-tetris; return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return run_with_exit_code(lambda: _run_perfect_tetris(words))


def run_command_line(words: list[str]) -> int:
    """Parse a command line, run its command and return the exit code."""
    if words[:1] == ["pc"] and words[1:2] and words[1] in PERFECT_TETRIS_VERBS:
        # The options of these verbs are those of another program.
        return _run_perfect_tetris(words[1:])
    parser = CommandParser(
        prog="sevenbag",
        description="Engine, bots, bot protocols and arena for modern block-stacking games.",
        epilog="Run sevenbag COMMAND --help for the options of a command.",
    )
    parser.add_argument("--version", action=_Version)
    add_commands(parser, COMMANDS)
    args = parser.parse_args(words)
    return int(args.run(args))


def run_with_exit_code(run: Callable[[], int]) -> int:
    """Call `run`; return its result, or the exit code of its exception after printing it."""
    if not _open_missing_streams():
        print("sevenbag: standard output is closed", file=sys.stderr)
        return 1
    for stream in (sys.stdout, sys.stderr):
        # A character that a terminal cannot show is replaced; that is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _raise_interrupt_once)
    try:
        try:
            return run()
        finally:
            # Errors can be reported here, but not at the exit of the interpreter.
            sys.stdout.flush()
    except SevenbagError as error:
        from sevenbag.cli.output import warn  # noqa: PLC0415  # few commands fail

        warn(str(error))
        return 2 if isinstance(error, InputError) else 1
    except KeyboardInterrupt as interrupt:
        from sevenbag.cli.signals import SignalInterrupt  # noqa: PLC0415  # few commands are ended

        if isinstance(interrupt, SignalInterrupt):
            return 128 + interrupt.signal_number
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output is gone. Buffered output must not be written at the exit of the
        # interpreter.
        _discard_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        # Commands report errors of files by name; this one is an error of the output.
        _discard_output()
        print(f"sevenbag: cannot write: {error.strerror or error}", file=sys.stderr)
        return 1


def _run_perfect_tetris(words: list[str]) -> int:
    from sevenbag.cli.pc import perfect_tetris  # noqa: PLC0415  # commands are imported when called

    return perfect_tetris.run(words, run_command_line)


def _raise_interrupt_once(*_: object) -> NoReturn:
    """Raise KeyboardInterrupt; ignore further Ctrl-C, so that clean-up is not interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _open_missing_streams() -> bool:
    """Open the null device for closed standard streams; False if standard output is closed.

    The descriptor of a closed stream would be given to the next opened file, which would then be
    taken for the stream.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    return sys.stdout is not None


def _discard_output() -> None:
    """Redirect buffered output to the null device, so that the interpreter exits cleanly."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Version(argparse.Action):
    """Print the version; it is read only if it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import importlib.metadata  # noqa: PLC0415  # a fifth of the time that a short command takes

        print(f"sevenbag {importlib.metadata.version('sevenbag')}")
        parser.exit()
