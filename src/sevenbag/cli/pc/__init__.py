"""``sevenbag pc COMMAND``: perfect clears. Each command is a module of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.cli.late import add_late_commands, late_command
from sevenbag.cli.pc.dropin import VERBS

if TYPE_CHECKING:
    import argparse

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


def add_parser(subparsers: Subparsers) -> None:
    """Add the group."""
    parser = subparsers.add_parser(
        "pc",
        help="perfect clears: find them, prove that there is none",
        description="Perfect clears: sequences of placements that leave the field empty.",
    )
    # The verbs are those of another program, which reads their options itself before it comes here.
    add_late_commands(parser, __name__, COMMANDS | VERBS)


def run(args: argparse.Namespace) -> int:
    """Run the command that was called."""
    return late_command(__name__, args.late_command).run(args)
