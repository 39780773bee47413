"""``sevenbag contest COMMAND``: hold a contest. Each command is a module of this folder.

Such a module has `add_arguments(parser)` and `run(args)`, which returns the exit code; it is
imported only when its command is called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from sevenbag.cli.main import Parser
from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from sevenbag.cli.main import Subparsers

COMMANDS: Final = {
    "demo": "all of it on this machine: two of our bots play a match, and you watch",
    "serve": "the site and the scheduler, with a game server beside it",
    "game-server": "one more game server for a site",
    "match": "one match, without a site",
    "watch": "a match in the terminal, as it is played",
    "register": "register a team",
    "admin": "a link by which one becomes the administrator",
    "export": "the results of a contest",
    "settings": "all settings as they are, as a file to begin with",
}
"""Every command, with what it does; the module of the same name lies beside this one."""


class _Command(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def register(subparsers: Subparsers) -> None:
    """Add the group."""
    parser = subparsers.add_parser(
        "contest",
        help="hold a contest: servers, site, bracket, monitor",
        description="The contest of 2012, whole: see docs/contest.md.",
    )
    commands = parser.add_subparsers(
        metavar="COMMAND", required=True, dest="contest_command", parser_class=_Late
    )
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary)


def run(args: argparse.Namespace) -> int:
    """Run the command that was called."""
    return _module(args.contest_command).run(args)


# --- helpers ------------------------------------------------------------------------------------


class _Late(Parser):
    """A command's parser, which gets its arguments when it is first used."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # has overloads
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> Any:
        _module(self.prog.rpartition(" ")[2]).add_arguments(self)
        return super().parse_known_args(None if args is None else list(args), namespace)


def _module(name: str) -> _Command:
    try:
        module = importlib.import_module(f"sevenbag.cli.contest.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sevenbag"):
            raise
        raise MissingExtraError(
            f"a contest needs the package {error.name}: pip install 'sevenbag[contest]'"
        ) from error
    return cast("_Command", module)
