"""The table of all commands, and the parser that imports a command when it is called.

The help of ``sevenbag`` and of its command groups needs no import of a command.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Command(NamedTuple):
    """A command.

    Attributes:
        summary: one line for the help of the group.
        target: ``module:name`` in this package. The function ``configure_NAME`` adds options to a
            parser. ``run_NAME`` takes the parsed arguments and returns the exit code; its docstring
            is the description of the command.
        extra: extra of sevenbag that the module needs.
    """

    summary: str
    target: str
    extra: str | None = None


class CommandGroup(NamedTuple):
    """A command with subcommands."""

    summary: str
    description: str
    commands: Mapping[str, Command | CommandGroup]


PERFECT_TETRIS_VERBS: Final = {
    "demo": "show a bot that plays perfect clears in the terminal",
    "display": "step through the solutions of a .pc file",
    "fumen": "solve fumens and print the solutions as fumens",
    "validate": "check the solutions of .pc files",
    "version": "print the version of perfect-tetris that pc is compatible with",
}
"""Verbs of the program ``pc``, which parses their options itself."""

COMMANDS: Final[dict[str, Command | CommandGroup]] = {
    "play": Command("play one game between two bots", "play_command:play"),
    "match": Command("play many games between two bots, with SPRT", "tournament_commands:match"),
    "tournament": Command(
        "play a round robin, gauntlet, knockout or Swiss tournament",
        "tournament_commands:tournament",
    ),
    "replay": CommandGroup(
        "show, convert, verify and analyse replays",
        "Play replays of sevenbag and of TETR.IO again and print or convert them.",
        {
            "show": Command(
                "show a replay in the terminal or as SVG", "replay_commands:replay_show"
            ),
            "convert": Command(
                "convert a replay to fumen, JSON or CSV", "replay_commands:replay_convert"
            ),
            "verify": Command(
                "replay games and compare with the recorded results",
                "replay_commands:replay_verify",
            ),
            "stats": Command("print player statistics", "replay_commands:replay_stats"),
        },
    ),
    "stats": Command("print ratings and statistics of a tournament", "report_commands:stats"),
    "report": Command("write a tournament as an HTML page", "report_commands:report"),
    "serve": Command("serve a bot through TBP or the Triangle.js protocol", "serve_commands:serve"),
    "web": Command("serve a page on which bots play in the browser", "serve_commands:web"),
    "contest": CommandGroup(
        "run a Battle Tetris contest",
        "Run a contest by the rules and protocol of 2012; see docs/contest.md.",
        {
            "demo": Command(
                "run a complete contest on this machine with two built-in bots",
                "contest_server_commands:contest_demo",
                "contest",
            ),
            "serve": Command(
                "run the site and the scheduler, with local game servers",
                "contest_server_commands:contest_serve",
                "contest",
            ),
            "game-server": Command(
                "run a game server for a site",
                "contest_server_commands:contest_game_server",
                "contest",
            ),
            "match": Command(
                "play one match without a site", "contest_server_commands:contest_match", "contest"
            ),
            "watch": Command(
                "watch a match in the terminal", "contest_client_commands:contest_watch", "contest"
            ),
            "register": Command(
                "register a team", "contest_admin_commands:contest_register", "contest"
            ),
            "admin": Command(
                "print a link that creates an administrator",
                "contest_admin_commands:contest_admin",
                "contest",
            ),
            "export": Command("export results", "contest_admin_commands:contest_export", "contest"),
            "settings": Command(
                "print all settings as TOML", "contest_admin_commands:contest_settings", "contest"
            ),
        },
    ),
    "join": Command("play contest matches with a bot", "contest_client_commands:join", "pason"),
    "check": Command("check a bot or frontend against its protocol", "check_command:check"),
    "perft": Command("count placement sequences of a queue", "perft_command:perft"),
    "pc": CommandGroup(
        "find and count perfect clears",
        "Find and count perfect clears: placements that leave the field empty.",
        {
            "bench": Command("time the solver on a file of queues", "pc.bench_command:bench"),
            "odds": Command("count queues with a perfect clear", "pc.exhaustive_commands:odds"),
            "count-seq": Command("count queues by length", "pc.exhaustive_commands:count_seq"),
            "table": CommandGroup(
                "build or show tables of unsolvable queues",
                "Build or show a table of all queues from the empty field without a perfect clear"
                " of a height under a rotation system. Solvers use a table that exists: its answer"
                " takes a microsecond. A table is verified before use and never required. Tables"
                " are stored in the folder SEVENBAG_TABLES or in the user's cache folder.",
                {
                    "build": Command("build a table", "pc.exhaustive_commands:table_build"),
                    "show": Command(
                        "verify a table and print its size", "pc.exhaustive_commands:table_show"
                    ),
                },
            ),
            "solve": Command("solve every queue into a file", "pc.exhaustive_commands:solve"),
            "train": Command("train networks that order the search", "pc.train_command:train"),
            "chance": Command(
                "calculate the probability of clearing a field", "pc.pattern_commands:chance"
            ),
            "cover": Command(
                "calculate the probability of playing given placements", "pc.pattern_commands:cover"
            ),
            "path": Command("list all solutions of a field", "pc.pattern_commands:path"),
            **{verb: Command(summary, "") for verb, summary in PERFECT_TETRIS_VERBS.items()},
        },
    ),
}
"""All commands by name; `main` runs the verbs of ``pc`` before this table is used."""


class HelpFormatter(argparse.HelpFormatter):
    """Help formatter that appends default values, and names values by their type."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        return "FILE" if action.type is Path else "N"

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text, default = action.help, action.default
        if not text or default in (None, False, "", [], (), argparse.SUPPRESS):
            return text
        if default is True or "[default" in text or not action.option_strings:
            return text
        shown = f"{default:g}" if isinstance(default, float) and math.isfinite(default) else default
        return f"{text} [default: {str(shown).replace('%', '%%')}]"


class CommandParser(argparse.ArgumentParser):
    """Argument parser of a command or group, which gets its options when it is first used.

    Errors are one line. A group without a command prints its help.
    """

    def __init__(self, *, command: Command | CommandGroup | None = None, **arguments: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, **arguments)
        self._command = command

    def parse_known_args(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # has overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """Parse arguments; an empty list for a command group means ``--help``.

        Unknown arguments are an error of the parser that found them, so that it names its command;
        argparse would leave them to the outermost one.
        """
        command, self._command = self._command, None
        if isinstance(command, CommandGroup):
            self.description = command.description
            add_commands(self, command.commands)
        elif command is not None:
            configure_command(self, command)
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
        """Print the help; argparse would ignore an error of writing."""
        (file or sys.stdout).write(self.format_help())


def add_commands(
    parser: argparse.ArgumentParser, commands: Mapping[str, Command | CommandGroup]
) -> None:
    """Add subcommands to a parser, without importing them."""
    group = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=CommandParser)
    for name, command in commands.items():
        group.add_parser(name, help=command.summary, command=command)


def configure_command(parser: argparse.ArgumentParser, command: Command) -> None:
    """Import a command and add its options and description to a parser.

    Raises:
        MissingExtraError: the extra that the command needs is not installed.
    """
    module_name, _, name = command.target.partition(":")
    module = import_extra(f"sevenbag.cli.{module_name}", command.extra)
    run = getattr(module, f"run_{name}")
    parser.description = run.__doc__
    parser.set_defaults(run=run)
    getattr(module, f"configure_{name}")(parser)


def import_extra(module: str, extra: str | None) -> Any:
    """Import a module that may need an extra of sevenbag.

    Raises:
        MissingExtraError: the extra is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("sevenbag"):
            raise
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(
            f"this needs the package {package}: pip install 'sevenbag[{extra}]'"
        ) from error
