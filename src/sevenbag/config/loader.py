"""Typed configuration: TOML, environment variables, options and forms become msgspec structs.

A struct is the schema: its annotations give types, ranges and choices, its docstring describes the
keys, and its `__post_init__` checks combinations of keys. Every error names the place, the key, the
expected and the given value::

    contest.toml: line 3: invalid server.command_port: expected integer from 0 to 65535, got 70000

>>> from msgspec import Struct
>>> class Options(Struct):
...     width: int = 300
>>> parse_options({"width": "20"}, Options, "bot beam").width
20
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

import msgspec
from msgspec import inspect as types

from sevenbag.config.toml import TomlDocument, parse_toml
from sevenbag.errors import FormatError, InputError, SettingsError, SpecError, shown

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
KeyPath = tuple[str | int, ...]
"""Path to a value: names of keys and indices of lists."""


class FieldDescription(NamedTuple):
    """A key of a struct, for documentation and forms."""

    description: str
    expected: str
    choices: tuple[str, ...]


def load_toml(
    path: str | Path, struct: type[T], *, error: type[InputError] = FormatError, kebab: bool = False
) -> T:
    """Load a TOML file; with `kebab`, its keys have hyphens, such as `first-to` for `first_to`.

    Raises:
        FormatError: the file cannot be read or is invalid (`error` if given).
    """
    document = TomlDocument.load(path, error)
    return convert(document.data, struct, document.locate, error=error, kebab=kebab)


def loads_toml(
    text: str,
    struct: type[T],
    source: str,
    *,
    error: type[InputError] = FormatError,
    kebab: bool = False,
) -> T:
    """Load a TOML text like `load_toml`; errors name its source."""
    document = TomlDocument(text, source, error)
    return convert(document.data, struct, document.locate, error=error, kebab=kebab)


def convert(
    data: object,
    struct: type[T],
    source: str | Callable[[KeyPath], str] = "",
    *,
    path: KeyPath = (),
    error: type[InputError] = InputError,
    kebab: bool = False,
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> T:
    """Convert plain data, such as that of a TOML file, JSON or command-line options.

    Errors name the source, which may depend on the key; `path` is the key of the data in it.

    Raises:
        InputError: the data is invalid (`error` if given).
    """
    if kebab:
        data = _with_underscores(data)
    key = path
    try:
        return msgspec.convert(data, struct, dec_hook=dec_hook)
    except UnicodeEncodeError as problem:  # a lone surrogate in a key
        message = f"invalid key: expected UTF-8, got {shown(problem.object)}"
    except msgspec.ValidationError as problem:
        key, message = _explain(problem, data, _info(struct), path, kebab=kebab)
    key = tuple(_styled(part, kebab=kebab) for part in key)
    place = source if isinstance(source, str) else source(key)
    raise error(f"{place}: {message}" if place else message)


def load_settings(
    struct: type[T],
    path: str | Path | None = None,
    *,
    prefix: str,
    environ: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
) -> T:
    """Load settings in sections from a file, the environment and overrides; later ones win.

    A variable is named PREFIX + SECTION_KEY; an override is a text like `server.bind=127.0.0.2`.

    Raises:
        SettingsError: a value is invalid, or the file cannot be read.
    """
    info = _info(struct)
    values: dict[str, Any] = msgspec.to_builtins(struct())
    places: dict[KeyPath, str] = {}

    document = TomlDocument("", "") if path is None else TomlDocument.load(path, SettingsError)
    for section, keys in document.data.items():
        is_table = isinstance(keys, dict) and section in values
        values[section] = values[section] | keys if is_table else keys

    def give(section: str, key: str, text: str, place: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise SettingsError(
                f"{place}: invalid {section}.{key}: expected UTF-8, got {shown(text)}"
            ) from None
        kind = _type_at(info, (section, key))
        if isinstance(table := values.setdefault(section, {}), dict):
            table[key] = _parse_text(text, kind) if kind else text
        places[section, key] = places[section,] = place

    names = {
        f"{prefix}{section.name}_{key.name}".upper(): (section.name, key.name)
        for section in _fields(info)
        for key in _fields(section.type)
    }
    for name, text in sorted((os.environ if environ is None else environ).items()):
        if name.startswith(prefix):
            if name not in names:
                raise SettingsError(
                    f"unknown environment variable {shown(name)}{_hint(name, names)}"
                )
            give(*names[name], text, f"environment variable {name}")
    for override in overrides:
        name, equals, text = override.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingsError(
                f"invalid override: expected SECTION.KEY=VALUE, got {shown(override)}"
            )
        give(section, key, text, "override")

    def locate(key: KeyPath) -> str:
        place = places.get(key[:2]) or (places.get(key[:1]) if len(key) == 1 else None)
        return place or document.locate(key)

    return convert(values, struct, locate, error=SettingsError)


def parse_options(
    texts: Mapping[str, str],
    struct: type[T],
    source: str,
    *,
    base: T | None = None,
    names: Iterable[str] | None = None,
    kebab: bool = False,
) -> T:
    """Parse options given as texts, such as those of a bot specification.

    Names are accepted with hyphens and underscores, and with `kebab` reported with hyphens. Options
    that are not given have the values of `base` [default: the struct's].

    Raises:
        SpecError: an option is unknown or invalid.
    """
    info = _info(struct)
    known = list(names) if names is not None else [field.name for field in _fields(info)]
    values: dict[str, Any] = {} if base is None else msgspec.to_builtins(base)
    for name, text in texts.items():
        key = name.replace("-", "_")
        if key not in known:
            options = ", ".join(_styled(one, kebab=kebab) for one in known)
            raise SpecError(
                f"{source}: unknown option {shown(name)}{_hint(key, known)}; options are {options}"
            )
        kind = _type_at(info, (key,))
        assert kind is not None, "the names are fields"
        values[key] = _parse_text(text, kind)
    return convert(values, struct, source, error=SpecError, kebab=kebab)


def parse_fields(texts: Mapping[str, str], struct: type[T]) -> T:
    """Parse the fields of a form, named `section.key`; those that are missing have defaults.

    Raises:
        SettingsError: `errors` has the message for each invalid field; the key "" stands for
            an invalid combination.
    """
    info = _info(struct)
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, text in texts.items():
        section, _, key = name.partition(".")
        kind = _type_at(info, (section, key))
        values.setdefault(section, {})[key] = _parse_text(text.strip(), kind) if kind else text
        try:
            convert({section: {key: values[section][key]}}, struct, error=SettingsError)
        except SettingsError as problem:
            errors[name] = str(problem)
    if not errors:
        try:
            return convert(values, struct, error=SettingsError)
        except SettingsError as problem:
            errors[""] = str(problem)
    raise SettingsError("; ".join(errors.values()), errors)


def format_fields(value: msgspec.Struct) -> dict[str, str]:
    """Format the values of all sections for a form; `parse_fields` reads them."""
    sections: dict[str, dict[str, object]] = msgspec.to_builtins(value)
    return {
        f"{section}.{key}": _format_text(item)
        for section, values in sections.items()
        for key, item in values.items()
    }


def format_toml(value: msgspec.Struct) -> str:
    """Format settings in sections as TOML, with the description of each key as a comment."""
    lines: list[str] = []
    sections: dict[str, dict[str, object]] = msgspec.to_builtins(value)
    for section in _fields(_info(type(value))):
        struct = cast("types.StructType", section.type).cls
        described = describe_fields(struct)
        lines += [*_comment(inspect.getdoc(struct) or "", first=True), f"[{section.name}]"]
        for key, item in sections[section.name].items():
            # JSON's literals are TOML's, except for one control character.
            literal = json.dumps(item, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines += [*_comment(f"{key}: {described[key].description}"), f"{key} = {literal}"]
        lines.append("")
    return "\n".join(lines)


def describe_fields(struct: type[msgspec.Struct]) -> dict[str, FieldDescription]:
    """Describe each key: the text of the docstring's `Attributes`, and what it accepts."""
    attributes = (inspect.getdoc(struct) or "").partition("Attributes:\n")[2]
    parts = re.split(r"^ {4}(\w+): ", attributes, flags=re.MULTILINE)
    texts = {
        name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    return {
        field.name: FieldDescription(
            texts.get(field.name, ""), describe_type(field.type), _choices(field.type)
        )
        for field in _fields(_info(struct))
    }


def describe_type(kind: types.Type) -> str:
    """Describe accepted values: `integer from 0 to 65535`, `one of 'draw', 'attack'`."""
    match kind:
        case types.IntType():
            return f"integer{_range(kind)}"
        case types.FloatType():
            return f"number{_range(kind)}"
        case types.BoolType():
            return "true or false"
        case types.LiteralType():
            return f"one of {', '.join(map(repr, kind.values))}"
        case types.StrType():
            return f"string{_size(kind.min_length, kind.max_length, 'characters')}"
        case types.VarTupleType() | types.ListType():
            size = _size(kind.min_length, kind.max_length, "items")
            return f"list{size}, each {describe_type(kind.item_type)}"
        case types.TupleType():
            each = describe_type(kind.item_types[0])
            return f"list of {len(kind.item_types)} items, each {each}"
        case types.StructType():
            return "table"
        case types.UnionType():
            return " or ".join(
                describe_type(one) for one in kind.types if not isinstance(one, types.NoneType)
            )
        case _:
            return getattr(getattr(kind, "cls", kind), "__name__", "value")


_COMMENT_WIDTH: Final = 96
_PROBLEM: Final = re.compile(r"(?s)(.*?)(?: - at `(?:key` in `)?\$(.*)`)?")
_PART: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}


_info: Callable[[Any], types.Type] = functools.cache(types.type_info)


def _explain(
    problem: msgspec.ValidationError,
    data: object,
    info: types.Type,
    prefix: KeyPath,
    *,
    kebab: bool,
) -> tuple[KeyPath, str]:
    """Return the key of an error and its message."""
    found = _PROBLEM.fullmatch(str(problem))
    text, path = (found[1], found[2]) if found else (str(problem), "")
    inner: KeyPath = tuple(name or int(index) for name, index in _PART.findall(path or ""))
    key = (*prefix, *inner)
    where = _dotted(key, kebab=kebab)
    kind = _type_at(info, inner)
    if problem.__cause__ is not None:  # raised by __post_init__ or dec_hook
        return key, f"{where}: {problem.__cause__}" if where else str(problem.__cause__)
    if name := re.fullmatch(r"(?s)Object (contains unknown|missing required) field `(.*)`", text):
        known = [_styled(field.name, kebab=kebab) for field in _fields(kind)]
        missing = _styled(name[2], kebab=kebab)
        inside = f" in {where}" if where else ""
        if name[1] == "missing required":
            return key, f"missing key {missing!r}{inside}"
        hint = _hint(missing, known)
        return (*key, name[2]), (
            f"unknown key {shown(missing)}{inside}{hint}; keys are {', '.join(known)}"
        )
    value: Any = data
    for part in inner:
        value = value[part]
    expected = describe_type(kind) if kind is not None else text
    return key, f"invalid {where or 'data'}: expected {expected}, got {shown(value)}"


def _fields(kind: types.Type | None) -> Sequence[types.Field]:
    if isinstance(kind, types.UnionType):
        kind = next((one for one in kind.types if isinstance(one, types.StructType)), None)
    return kind.fields if isinstance(kind, types.StructType) else ()


def _type_at(kind: types.Type | None, key: KeyPath) -> types.Type | None:
    """Return the type of the value at a path, or None."""
    for part in key:
        if isinstance(part, str):
            kind = next((field.type for field in _fields(kind) if field.name == part), None)
        elif isinstance(kind, types.TupleType):
            kind = kind.item_types[part]
        else:
            kind = getattr(kind, "item_type", None)
    return kind


def _with_underscores(data: object) -> object:
    """Replace hyphens in all keys."""
    plain = data
    if isinstance(data, list):
        return [_with_underscores(item) for item in cast("list[object]", data)]
    if isinstance(data, Mapping):
        table = cast("Mapping[str, object]", data)
        return {key.replace("-", "_"): _with_underscores(item) for key, item in table.items()}
    return plain


def _parse_text(text: str, kind: types.Type) -> object:
    """Parse a text by type; an invalid text is returned unchanged, for the conversion to reject."""
    match kind:
        case types.UnionType():
            return _parse_text(
                text, next(k for k in kind.types if not isinstance(k, types.NoneType))
            )
        case types.LiteralType():
            return text.strip()
        case types.BoolType():
            return _TRUTHS.get(text.strip().lower(), text)
        case types.IntType() | types.FloatType():
            try:
                return int(text) if isinstance(kind, types.IntType) else float(text)
            except ValueError:
                return text
        case types.TupleType() | types.VarTupleType():
            if text.strip().startswith("["):
                try:
                    return parse_toml(f"value = {text}")["value"]
                except FormatError:
                    return text
            item = kind.item_types[0] if isinstance(kind, types.TupleType) else kind.item_type
            return [_parse_text(part.strip(), item) for part in text.split(",") if part.strip()]
        case _:
            return text


def _format_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_text, cast("list[object]", value)))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _range(kind: types.IntType | types.FloatType) -> str:
    low, high = kind.ge if kind.ge is not None else kind.gt, kind.le
    word = " from" if kind.ge is not None else " above"
    parts = [f"{word} {_format_text(low)}" if low is not None else ""]
    parts.append(f" to {_format_text(high)}" if high is not None else "")
    return "".join(parts)


def _size(low: int | None, high: int | None, unit: str) -> str:
    if low and high:
        return f" of {low} to {high} {unit}" if low != high else f" of {low} {unit}"
    return f" of at least {low} {unit}" if low else f" of at most {high} {unit}" if high else ""


def _choices(kind: types.Type) -> tuple[str, ...]:
    if isinstance(kind, types.LiteralType):
        return tuple(map(str, kind.values))
    return ("true", "false") if isinstance(kind, types.BoolType) else ()


def _dotted(key: KeyPath, *, kebab: bool) -> str:
    text = "".join(
        f"[{part}]" if isinstance(part, int) else f".{_styled(part, kebab=kebab)}" for part in key
    )
    return text.removeprefix(".")


def _styled(part: Any, *, kebab: bool) -> Any:
    return part.replace("_", "-") if kebab and isinstance(part, str) else part


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name[:100], list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _comment(text: str, *, first: bool = False) -> list[str]:
    plain = (text.partition("\n")[0] if first else text).replace("`", "")
    return [f"# {line}" for line in textwrap.wrap(plain, _COMMENT_WIDTH)]
