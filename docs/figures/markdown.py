"""Tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with a row of headings."""
    lines = [_line(head), "|" + "---|" * len(head), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(values: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, values)) + " |"
