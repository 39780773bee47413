"""``sevenbag pc COMMAND``: perfect clears. Each command is a module of this folder.

Such a module has `add_arguments(parser)`, which also sets the parser's description, and
`run(args)`, which returns the exit code. It is imported only when its command is called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from sevenbag.cli.main import Parser
from sevenbag.cli.pc.dropin import VERBS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from sevenbag.cli.main import Subparsers

COMMANDS: Final = {
    "bench": "solve a file of queues and say how long that takes",
    "odds": "how often queues have a perfect clear: every queue, counted",
    "count-seq": "how many different queues there are of each length",
    "table": "make a table of queues without a perfect clear, which solvers then use",
    "solve": "a perfect clear for every queue of a height, into a file",
    "train": "networks that say which placements to try first, bred for speed",
    "chance": "how likely a field is cleared by the queues of a pattern",
    "cover": "how many queues of a pattern can play given placements",
    "path": "all solutions of a field for the queues of a pattern, and the fewest that are enough",
}
"""Every command, with what it does; the module of the same name lies beside this one."""


class _Command(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def register(subparsers: Subparsers) -> None:
    """Add the group."""
    parser = subparsers.add_parser(
        "pc",
        help="perfect clears: find them, prove that there is none",
        description="Perfect clears: sequences of placements that leave the field empty.",
    )
    commands = parser.add_subparsers(
        metavar="COMMAND", required=True, dest="pc_command", parser_class=_Late
    )
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary)
    # Those of another program, which reads their options itself before it comes to this.
    for name, summary in VERBS.items():
        commands.add_parser(name, help=summary)


def run(args: argparse.Namespace) -> int:
    """Run the command that was called."""
    return _module(args.pc_command).run(args)


def _module(name: str) -> _Command:
    module = name.replace("-", "_")
    return cast("_Command", importlib.import_module(f"{__name__}.{module}"))


class _Late(Parser):
    """A command's parser, which gets its arguments when it is first used."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # has overloads
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> Any:
        _module(self.prog.rpartition(" ")[2]).add_arguments(self)
        return super().parse_known_args(None if args is None else list(args), namespace)
