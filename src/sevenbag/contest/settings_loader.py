"""A contest's settings from a TOML file, the environment and flags; the later ones win.

>>> load_settings(None, {}, ["server.command_port=0", "game.gravity_ms=500,250"]).game.gravity_ms
(500, 250)
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
import msgspec.inspect as types

from sevenbag.config.toml import TomlLines, parse_toml, read_toml_text
from sevenbag.contest.settings import ContestSettings
from sevenbag.errors import FormatError, SettingsError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

ENVIRONMENT_PREFIX: Final = "SEVENBAG_CONTEST_"
"""Of variables of the environment: SEVENBAG_CONTEST_SERVER_BIND is the key bind of [server]."""


def load_settings(
    path: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
) -> ContestSettings:
    """All settings; what nothing names has its default.

    Args:
        path: TOML file; None for none.
        env: the environment; None for that of this process. Texts are taken as they are, other
            values as TOML has them; a list may also be ``1, 2, 3``.
        overrides: flags such as ``server.bind=127.0.0.2``, values as in the environment.

    Raises:
        SettingsError: the file cannot be read, or a section, key or value is none; the message
            says where it stands and what would be right.
    """
    given: list[_GivenValue] = []
    if path is not None:
        given += _from_file(Path(path))
    given += _from_environment(os.environ if env is None else env)
    given += _from_flags(overrides)
    return _build_settings(given)


def parse_settings(
    text: str, name: str, *, sections: Collection[str] | None = None
) -> ContestSettings:
    """Settings from a TOML text; what it does not name has its default.

    Args:
        text: sections of keys and values.
        name: of the text, for messages.
        sections: those that it may have; None for all.

    Raises:
        SettingsError: see `load_settings`.
    """
    allowed = [one for one in _SECTIONS if sections is None or one in sections]
    return _build_settings(list(_from_text(text, name, allowed)))


def parse_value(section: str, key: str, text: str) -> object:
    """The value that a text, such as a form's field, stands for.

    >>> parse_value("match", "pause_seconds", "1.5")
    1.5

    Raises:
        SettingsError: there is no such key, or this is no value of it.
    """
    (given,) = _from_flags([f"{section}.{key}={text}"])
    return getattr(getattr(_build_settings([given]), section), key)


def to_toml(settings: ContestSettings, *, sections: Collection[str] | None = None) -> str:
    """A file that has these settings, each with what it means.

    Args:
        settings: all of them.
        sections: those that are written; None for all.
    """
    lines: list[str] = []
    values: dict[str, dict[str, object]] = msgspec.to_builtins(settings)
    for section, info in _SECTIONS.items():
        if sections is not None and section not in sections:
            continue
        title, of_keys = describe_keys(info.cls)
        lines += [*_comment(title), f"[{section}]"]
        for key, value in values[section].items():
            lines += [*_comment(f"{key}: {of_keys[key]}"), f"{key} = {_to_toml_value(value)}"]
        lines.append("")
    return "\n".join(lines)


def describe_keys(section: type) -> tuple[str, dict[str, str]]:
    """What a section is, and what its keys mean, from where both are documented."""
    title, _, attributes = inspect.cleandoc(section.__doc__ or "").partition("Attributes:")
    told: dict[str, str] = {}
    key = ""
    for line in attributes.splitlines():
        if found := re.match(r" {4}(\w+): (.*)", line):
            key = found[1]
            told[key] = found[2]
        elif key:
            told[key] += f" {line.strip()}"
    return title.strip().partition("\n")[0], {key: text.strip() for key, text in told.items()}


# --- helpers ------------------------------------------------------------------------------------

_COMMENT_WIDTH: Final = 96


def _build_settings(given: Sequence[_GivenValue]) -> ContestSettings:
    # The whole's own defaults, which may differ from those of the section's type.
    values: dict[str, dict[str, object]] = msgspec.to_builtins(ContestSettings())
    places: dict[str, str] = {}
    for one in given:
        values[one.section][one.key] = _validate(one)
        places[one.section] = one.section_place
    return ContestSettings(
        **{
            section: _build_section(section, values[section], places.get(section, ""))
            for section in _SECTIONS
        }
    )


@dataclass(frozen=True, slots=True)
class _GivenValue:
    """A value and where it stands.

    Attributes:
        place: of the key, for messages: ``contest.toml: line 3: server.bind``.
        section_place: of its section.
        text: whether the value is a text that is still to be understood.
    """

    section: str
    key: str
    value: object
    place: str
    section_place: str
    text: bool


def _sections() -> dict[str, types.StructType]:
    whole = cast("types.StructType", types.type_info(ContestSettings))
    return {field.name: cast("types.StructType", field.type) for field in whole.fields}


_SECTIONS: Final = _sections()

_KEYS: Final[dict[str, dict[str, types.Type]]] = {
    section: {field.name: field.type for field in info.fields}
    for section, info in _SECTIONS.items()
}


def _from_file(path: Path) -> list[_GivenValue]:
    try:
        text = read_toml_text(path)
    except FormatError as error:
        raise SettingsError(f"{path}: {error}") from None
    return list(_from_text(text, str(path), list(_SECTIONS)))


def _from_text(text: str, name: str, allowed: Sequence[str]) -> Iterator[_GivenValue]:
    try:
        sections = parse_toml(text)
    except FormatError as error:
        raise SettingsError(f"{name}: {error}") from None
    lines = TomlLines(text)

    def place(section: str, key: str = "") -> str:
        line = lines.find((section, key))
        return f"{name}: line {line}" if line else name

    for section, values in sections.items():
        if section not in allowed:
            what = "section" if isinstance(values, dict) else "key outside any section"
            raise SettingsError(
                f"{place(section)}: unknown {what} {shown(section)}{_suggest(section, allowed)}; "
                f"sections are {', '.join(allowed)}"
            )
        if not isinstance(values, dict):
            raise SettingsError(
                f"{place(section)}: {section} is {shown(values)}, must be a section: [{section}]"
            )
        for key, value in cast("dict[str, object]", values).items():
            known = _KEYS[section]
            if key not in known:
                raise SettingsError(
                    f"{place(section, key)}: unknown key {shown(key)} in [{section}]"
                    f"{_suggest(key, known)}; keys are {', '.join(known)}"
                )
            yield _GivenValue(
                section,
                key,
                value,
                f"{place(section, key)}: {section}.{key}",
                f"{place(section)}: [{section}]",
                text=False,
            )


def _from_environment(env: Mapping[str, str]) -> Iterator[_GivenValue]:
    names = {
        f"{ENVIRONMENT_PREFIX}{section}_{key}".upper(): (section, key)
        for section, keys in _KEYS.items()
        for key in keys
    }
    for name in sorted(env):
        if not name.startswith(ENVIRONMENT_PREFIX):
            continue
        if name not in names:
            raise SettingsError(
                f"environment: unknown variable {shown(name)}{_suggest(name, names)}; variables "
                f"are {ENVIRONMENT_PREFIX}SECTION_KEY with the sections "
                f"{', '.join(_SECTIONS).upper()}"
            )
        section, key = names[name]
        place = f"environment: {name}"
        yield _GivenValue(section, key, env[name], place, place, text=True)


def _from_flags(overrides: Sequence[str]) -> Iterator[_GivenValue]:
    for flag in overrides:
        name, equals, value = flag.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingsError(
                f"flag {shown(flag)} must be SECTION.KEY=VALUE, such as server.bind=127.0.0.2"
            )
        if section not in _SECTIONS:
            raise SettingsError(
                f"flag {shown(flag)}: unknown section {shown(section)}"
                f"{_suggest(section, _SECTIONS)}; sections are {', '.join(_SECTIONS)}"
            )
        if key not in _KEYS[section]:
            raise SettingsError(
                f"flag {shown(flag)}: unknown key {shown(key)} in [{section}]"
                f"{_suggest(key, _KEYS[section])}; keys are {', '.join(_KEYS[section])}"
            )
        place = f"flag {section}.{key}"
        yield _GivenValue(section, key, value, place, place, text=True)


def _suggest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word[:100], list(known), 1)
    return f" (meant {close[0]!r}?)" if close else ""


def _validate(given: _GivenValue) -> object:
    wanted = _KEYS[given.section][given.key]
    value = given.value
    if given.text:
        text = cast("str", value)
        if not _is_utf8(text):
            raise SettingsError(f"{given.place} is {shown(text)}, must be text in UTF-8")
        value = _parse_text(text, wanted)
    section = _SECTIONS[given.section].cls
    try:
        # The section's own check, so that a bound stands in one place.
        msgspec.convert({given.key: value}, section)
    except msgspec.ValidationError as error:
        if _is_of_key(error, given.key):
            raise SettingsError(
                f"{given.place} is {shown(given.value)}, must be {_describe_type(wanted)}"
            ) from None
        # What does not fit with other keys' defaults may fit with their values: see _whole.
    return value


def _is_utf8(text: str) -> bool:
    """Whether it is; what the system gives may be bytes of anything."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_of_key(error: msgspec.ValidationError, key: str) -> bool:
    return f"$.{key}" in str(error)


def _parse_text(text: str, wanted: types.Type) -> object:
    """The value that a text of the environment or of a flag stands for."""
    if isinstance(wanted, types.StrType):
        return text
    if isinstance(wanted, types.LiteralType):
        return text.strip()
    if isinstance(wanted, types.VarTupleType | types.TupleType) and not text.strip().startswith(
        "["
    ):
        item = wanted.item_types[0] if isinstance(wanted, types.TupleType) else wanted.item_type
        return [_parse_text(part.strip(), item) for part in text.split(",") if part.strip()]
    try:
        return cast("object", parse_toml(f"value = {text.strip()}")["value"])
    except FormatError:
        return text


def _describe_type(wanted: types.Type) -> str:
    """What would be right."""
    match wanted:
        case types.IntType():
            return f"a whole number{_describe_range(wanted)}"
        case types.FloatType():
            return f"a number{_describe_range(wanted)}"
        case types.BoolType():
            return "true or false"
        case types.LiteralType():
            return f"one of {', '.join(map(repr, wanted.values))}"
        case types.StrType():
            return f"a text{_describe_size(wanted.min_length, wanted.max_length, 'characters')}"
        case types.VarTupleType():
            size = _describe_size(wanted.min_length, wanted.max_length, "items")
            return f"a list{size}, each {_describe_type(wanted.item_type)}"
        case types.TupleType():
            return (
                f"a list of {len(wanted.item_types)} items, "
                f"each {_describe_type(wanted.item_types[0])}"
            )
        case _:  # pragma: no cover
            raise AssertionError(wanted)


def _describe_range(number: types.IntType | types.FloatType) -> str:
    if number.le is not None and (number.ge is not None or number.gt is not None):
        least = f"from {number.ge:g}" if number.ge is not None else f"above {number.gt:g}"
        return (
            f" {least} to {number.le:.15g}"
            if number.ge is not None
            else (f" {least}, {number.le:.15g} at most")
        )
    if number.ge is not None:
        return f" of {number.ge:g} at least"
    return ""


def _describe_size(least: int | None, most: int | None, what: str) -> str:
    if least and most:
        return f" of {least} to {most} {what}"
    if least:
        return f" of {least} {what} at least"
    return f" of {most} {what} at most" if most else ""


def _build_section(section: str, values: dict[str, object], place: str) -> Any:
    try:
        return msgspec.convert(values, _SECTIONS[section].cls)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{place}: {error}") from None


def _comment(text: str) -> list[str]:
    plain = text.replace("``", "").replace("`", "")
    return [f"# {line}" for line in textwrap.wrap(plain, _COMMENT_WIDTH)]


def _to_toml_value(value: object) -> str:
    # TOML writes all that there is here as JSON does, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
