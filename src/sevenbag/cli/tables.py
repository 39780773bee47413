"""Tables on the terminal, and in files and pipes, where nothing limits their width."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sevenbag.errors import printable

GAME_PPS: Final = "PPS (game clock)"
"""Label of pieces per second; replays have only the game clock."""

# Wider than any table: where nobody looks, nothing is cut.
_UNBOUNDED: Final = 1000


def table(*columns: str) -> Table:
    """A plain table: the first column to the left, the others, which are numbers, to the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        made.add_column(column, justify="right" if place else "left")
    return made


def print_table(made: Table) -> None:
    """Print it; without colours and uncut where standard output is no terminal."""
    width = None if sys.stdout.isatty() else _UNBOUNDED
    Console(width=width, highlight=False).print(made)


def named(name: str) -> str:
    """A name as a table may hold it: without markup, and nothing that a terminal acts on."""
    return escape(printable(name))
