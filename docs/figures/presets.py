"""Tables of all presets side by side."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from docs.figures.markdown import table
from sevenbag import Kicks, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

NO_LIMIT = 1_000_000
"""What a preset's file says where there is no limit."""


def section(name: str) -> str:
    """Return tables of all values of a section; TETR.IO presets have a separate one."""
    presets = [Rules.preset(preset) for preset in Rules.preset_names()]
    of_tetrio = [p for p in presets if p.name.startswith("tetrio-")]
    others = [p for p in presets if p not in of_tetrio]
    return "\n".join(_side_by_side(name, some) for some in (others, of_tetrio))


def _side_by_side(name: str, presets: list[Rules]) -> str:
    rows = [
        [f"`{key}`", *(_shown(getattr(getattr(preset, name), key)) for preset in presets)]
        for key in getattr(presets[0], name).__struct_fields__
    ]
    return table([name.replace("_", " "), *(preset.name for preset in presets)], rows)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "-"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, int | float):
        return "no limit" if value >= NO_LIMIT else f"{value:g}"
    return value.name if isinstance(value, Kicks) else str(value)


_SECTIONS = Rules.__struct_fields__[1:]


TABLES: dict[str, Callable[[], str]] = {
    f"presets-{name.replace('_', '-')}": functools.partial(section, name) for name in _SECTIONS
}
