"""Tables of every key of a file of rules: what it may be, and what it means."""

from __future__ import annotations

import functools
import inspect
import re
import types
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from docs.figures.markdown import table
from sevenbag import Rules
from sevenbag.game.schema import Between, Items

if TYPE_CHECKING:
    from collections.abc import Callable

_SECTIONS: dict[str, Any] = {
    name: hint for name, hint in get_type_hints(Rules).items() if name != "name"
}


def section(name: str) -> str:
    """The keys of a section in the order of its file."""
    kind = _SECTIONS[name]
    hints = get_type_hints(kind, include_extras=True)
    meanings = _meanings(kind)
    rows = [
        [f"`{field.name}`", _allowed(hints[field.name]), meanings[field.name]]
        for field in fields(kind)
    ]
    return table(["key", "value", "meaning"], rows)


# --- helpers ------------------------------------------------------------------------------------

_KEY = re.compile(r"^    (\w+): ", re.MULTILINE)


def _meanings(kind: type) -> dict[str, str]:
    """What the docstring says of each attribute, on one line."""
    text = inspect.getdoc(kind) or ""
    parts = _KEY.split(text.partition("Attributes:\n")[2])
    said = (" ".join(part.split()).replace("``", "`") for part in parts[2::2])
    return dict(zip(parts[1::2], said, strict=True))


def _allowed(hint: Any) -> str:
    limits: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        limits = tuple(rest)
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    if get_origin(hint) is tuple:
        items = next(limit for limit in limits if isinstance(limit, Items))
        many = f"{items.least}" if items.least == items.most else f"{items.least} to {items.most}"
        return f"{many} of: {_allowed(get_args(hint)[0])}"
    if isinstance(hint, types.UnionType):
        return "a name"
    if hint in {bool, str}:
        return "true, false" if hint is bool else "a text"
    between = next(limit for limit in limits if isinstance(limit, Between))
    kind = "" if hint is int else ", also in between"
    return f"{between.least:g} to {between.most:,.0f}{kind}"


TABLES: dict[str, Callable[[], str]] = {
    f"keys-{name.replace('_', '-')}": functools.partial(section, name) for name in _SECTIONS
}
