"""Output of commands, without control characters that a terminal would interpret."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from sevenbag.errors import printable

if TYPE_CHECKING:
    from rich.table import Table


def write_lines(text: str) -> None:
    """Print lines that may contain untrusted names."""
    print(_printable_lines(text), flush=True)


def warn(text: str) -> None:
    """Print a message on standard error, prefixed by the name of the program."""
    print(f"sevenbag: {_printable_lines(text)}", file=sys.stderr, flush=True)


def write_json(text: str) -> None:
    """Print a JSON text and a line break; unprintable characters are escaped."""
    sys.stdout.write(escape_json(text) + "\n")


def escape_json(text: str) -> str:
    """Escape the unprintable characters of a JSON text without changing its meaning."""
    # JSON is ASCII outside strings, so all other characters are within strings.
    return _NOT_ASCII.sub(_escape_character, text)


def create_table(*columns: str) -> Table:
    """Create a plain table; the first column is left-aligned, the others right-aligned."""
    from rich.table import Table  # noqa: PLC0415  # few commands print tables

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left")
    return table


def print_table(table: Table) -> None:
    """Print a table; without colours and uncut where standard output is no terminal."""
    from rich.console import Console  # noqa: PLC0415  # few commands print tables

    width = None if sys.stdout.isatty() else _UNLIMITED_WIDTH
    Console(width=width, highlight=False).print(table)


def escape_cell(text: str) -> str:
    """Escape a name for a table: no markup, no control characters."""
    from rich.markup import escape  # noqa: PLC0415  # few commands print tables

    return escape(printable(text))


_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")
_UNLIMITED_WIDTH: Final = 1000
"""Wider than any table."""


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _escape_character(found: re.Match[str]) -> str:
    letter = found[0]
    if letter.isprintable():
        return letter
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
