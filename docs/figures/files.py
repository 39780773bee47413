"""Locations of pictures and tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docs.figures import (
    attack,
    clauses,
    drawing,
    garbage,
    keys,
    presets,
    randomizers,
    spawning,
    spins,
    turning,
)
from sevenbag.drawing import add_background

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.drawing import Picture

DOCS = Path(__file__).parents[1]
PAGES = sorted(DOCS.glob("*.md"))
PICTURES_FOLDER = DOCS / "pictures"

_PICTURES: tuple[Callable[[], Picture], ...] = (
    *turning.PICTURES,
    *spins.PICTURES,
    *attack.PICTURES,
    *garbage.PICTURES,
    *randomizers.PICTURES,
    *spawning.PICTURES,
    *drawing.PICTURES,
)

_TABLES: dict[str, Callable[[], str]] = {
    **spins.TABLES,
    **attack.TABLES,
    **randomizers.TABLES,
    **presets.TABLES,
    **keys.TABLES,
    **clauses.TABLES,
}


def pictures() -> dict[str, str]:
    """Return SVG by name. The first line of its function is the title of a picture."""
    drawn: dict[str, str] = {}
    for make in _PICTURES:
        title = (make.__doc__ or "").partition("\n")[0]
        drawn[make.__name__.replace("_", "-")] = add_background(make()).svg(title)
    return drawn


def with_tables(page: str) -> str:
    """Return a page with its tables filled in.

    Raises:
        KeyError: the page names an unknown table.
    """
    return _PLACE.sub(lambda found: f"{found[1]}\n\n{_TABLES[found[2]]()}\n{found[3]}", page)


_PLACE = re.compile(r"(<!-- table: ([a-z0-9-]+) -->)\n.*?(<!-- end of table -->)", re.DOTALL)
