"""Tables of the keys of rules: accepted values and meanings."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, get_type_hints

from docs.figures.markdown import table
from sevenbag import Rules
from sevenbag.config.loader import describe_fields

if TYPE_CHECKING:
    from collections.abc import Callable

_SECTIONS: dict[str, Any] = {
    name: hint for name, hint in get_type_hints(Rules).items() if name != "name"
}


def section(name: str) -> str:
    """Return a table of the keys of a section, in the order of its file."""
    rows = [
        [f"`{key}`", field.expected.replace("'", "`"), field.description.replace("``", "`")]
        for key, field in describe_fields(_SECTIONS[name]).items()
    ]
    return table(["key", "value", "meaning"], rows)


TABLES: dict[str, Callable[[], str]] = {
    f"keys-{name.replace('_', '-')}": functools.partial(section, name) for name in _SECTIONS
}
