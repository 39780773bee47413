"""Checks of numbers and of plain data: every value of a section against its annotation."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from sevenbag.errors import RulesError, shown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Between:
    """Allowed range of a number, both ends included."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Items:
    """Allowed number of items of a list."""

    least: int
    most: int


def read_section(section: type[T], data: object, where: str) -> T:
    """Make a dataclass of a mapping.

    Raises:
        RulesError: a key is unknown or missing, or a value is not what its annotation allows.
    """
    if not isinstance(data, Mapping):
        raise RulesError(f"{where} is {shown(data)}, must be a table of keys and values")
    values = cast("Mapping[object, object]", data)
    hints = _hints(cast("Any", section))
    for key in values:
        if key not in hints:
            raise RulesError(f"{where}: unknown key {shown(key)}; keys are {', '.join(hints)}")
    missing = [key for key in hints if key not in values]
    if missing:
        raise RulesError(f"{where}: {missing[0]!r} is missing")
    return section(
        **{key: _read(hint, values[key], f"{where}: {key}") for key, hint in hints.items()}
    )


def check_number(name: str, value: object, most: int) -> None:
    """A whole number from 0 up, or a RulesError that says so."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise RulesError(f"{name} is {shown(value)}, must be a whole number from 0 to {most}")


# --- helpers ------------------------------------------------------------------------------------


@functools.cache
def _hints(section: Any) -> dict[str, Any]:
    hints = get_type_hints(section, include_extras=True)
    return {field.name: hints[field.name] for field in fields(section)}


def _read(hint: Any, value: object, where: str) -> object:
    limits: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        limits = tuple(rest)
    if get_origin(hint) is Literal:
        allowed = get_args(hint)
        if not isinstance(value, str) or value not in allowed:
            raise RulesError(
                f"{where} is {shown(value)}, must be one of {', '.join(map(repr, allowed))}"
            )
        return value
    if get_origin(hint) is tuple:
        return _read_list(get_args(hint)[0], limits, value, where)
    if isinstance(hint, types.UnionType):
        # A text, or what it is the name of.
        named = get_args(hint)
        if not isinstance(value, named):
            raise RulesError(f"{where} is {shown(value)}, must be a text")
        return value
    if hint is str:
        if not isinstance(value, str):
            raise RulesError(f"{where} is {shown(value)}, must be a text")
        return value
    if hint is bool:
        if not isinstance(value, bool):
            raise RulesError(f"{where} is {shown(value)}, must be true or false")
        return value
    return _read_number(hint, limits, value, where)


def _read_list(hint: Any, limits: tuple[object, ...], value: object, where: str) -> object:
    if not isinstance(value, list | tuple):
        raise RulesError(f"{where} is {shown(value)}, must be a list")
    items = cast("list[object] | tuple[object, ...]", value)
    for limit in limits:
        if isinstance(limit, Items) and not limit.least <= len(items) <= limit.most:
            number = (
                str(limit.least) if limit.least == limit.most else f"{limit.least} to {limit.most}"
            )
            raise RulesError(f"{where} has {len(items)} items, must have {number}")
    return tuple(_read(hint, item, f"{where}[{i}]") for i, item in enumerate(items))


def _read_number(hint: Any, limits: tuple[object, ...], value: object, where: str) -> object:
    kind = "a whole number" if hint is int else "a number"
    between = next((limit for limit in limits if isinstance(limit, Between)), None)
    span = f" from {between.least:g} to {between.most:g}" if between else ""
    wanted = int if hint is int else int | float
    # Of whole numbers not asked: they may be too large for a float.
    is_nan = isinstance(value, float) and math.isnan(value)
    if not isinstance(value, wanted) or isinstance(value, bool) or is_nan:
        raise RulesError(f"{where} is {shown(value)}, must be {kind}{span}")
    if between and not between.least <= value <= between.most:
        raise RulesError(f"{where} is {shown(value)}, must be {kind}{span}")
    return hint(value)
