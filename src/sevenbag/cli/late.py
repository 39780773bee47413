"""Groups of commands, each a module that is imported when its command is called.

Such a module has `add_arguments(parser)`, which also sets the parser's description, and
`run(args)`, which returns the exit code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol, cast

from sevenbag.cli.main import Parser
from sevenbag.errors import MissingExtraError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping


class Command(Protocol):
    """A command's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Say what it takes."""

    def run(self, args: argparse.Namespace) -> int:
        """Run it; returns the exit code."""
        ...


def late_command(package: str, name: str, extra: str | None = None) -> Command:
    """The module of a command.

    Args:
        package: in which it lies, such as ``sevenbag.cli.pc``.
        name: of the command; its hyphens are underscores in the module's name.
        extra: of sevenbag, which brings the packages that the command needs.

    Raises:
        MissingExtraError: the extra is not installed.
    """
    return cast("Command", late_module(f"{package}.{name.replace('-', '_')}", extra))


def late_module(name: str, extra: str | None = None) -> Any:
    """A module that is imported when it is needed.

    Args:
        name: its whole name.
        extra: of sevenbag, which brings the packages that it needs.

    Raises:
        MissingExtraError: the extra is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("sevenbag"):
            raise
        raise MissingExtraError(
            f"this needs the package {error.name}: pip install 'sevenbag[{extra}]'"
        ) from error


def add_late_commands(
    parser: argparse.ArgumentParser,
    package: str,
    commands: Mapping[str, str],
    extra: str | None = None,
) -> None:
    """Add commands to a group; which one was called is told as ``late_command``.

    Args:
        parser: of the group.
        package: in which the modules lie.
        commands: names, and what they do.
        extra: that they need.
    """

    class Late(Parser):
        """A command's parser, which gets its arguments when it is first used."""

        def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # has overloads
            self, args: Iterable[str] | None = None, namespace: Any = None
        ) -> Any:
            late_command(package, self.prog.rpartition(" ")[2], extra).add_arguments(self)
            return super().parse_known_args(None if args is None else list(args), namespace)

    group = parser.add_subparsers(
        metavar="COMMAND", required=True, dest="late_command", parser_class=Late
    )
    for name, summary in commands.items():
        group.add_parser(name, help=summary)
