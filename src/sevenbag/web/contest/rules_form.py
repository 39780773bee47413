"""A contest's rules as fields of a form, and as TOML; what is wrong is said beside its field.

Fields, bounds and words are those of the types in `sevenbag.contest.rules`, and of the reader of
settings, so that a rule that is added there is here as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import msgspec
import msgspec.inspect as types

from sevenbag.contest import settings_file
from sevenbag.contest.rules import ContestRules, GameRules, MatchRules
from sevenbag.contest.settings import Settings
from sevenbag.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTIONS: Final[dict[str, type[msgspec.Struct]]] = {"game": GameRules, "match": MatchRules}


class WrongRulesError(SettingsError):
    """Rules that cannot be.

    Attributes:
        words: what is wrong by field, such as ``game.points``; under an empty name, what is wrong
            with the whole.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__("; ".join(words.values()))
        self.words = dict(words)


@dataclass(frozen=True, slots=True)
class Field:
    """One rule in a form.

    Attributes:
        name: such as ``game.points``.
        label: the same for people.
        hint: what it means.
        choices: what may be chosen; empty for what is typed.
    """

    name: str
    label: str
    hint: str
    choices: tuple[str, ...]


def fields() -> dict[str, tuple[Field, ...]]:
    """All rules, by section."""
    return _FIELDS


def to_texts(rules: ContestRules) -> dict[str, str]:
    """Values of all fields."""
    whole = cast("dict[str, dict[str, object]]", msgspec.to_builtins(rules))
    return {
        f"{section}.{key}": _text(value)
        for section, values in whole.items()
        for key, value in values.items()
    }


def from_texts(texts: Mapping[str, str]) -> ContestRules:
    """Rules of a form; a field that is not there has its default.

    Raises:
        WrongRulesError: fields are wrong; all of them are named.
        SettingsError: each for itself is right, but not all together.
    """
    flags: list[str] = []
    wrong: dict[str, str] = {}
    for section, group in _FIELDS.items():
        for field in group:
            if field.name not in texts:
                continue
            key, text = field.name.removeprefix(f"{section}."), texts[field.name].strip()
            try:
                settings_file.value_of(section, key, text)
            except SettingsError as error:
                wrong[field.name] = str(error).removeprefix(f"flag {section}.").strip()
            else:
                flags.append(f"{field.name}={text}")
    if wrong:
        raise WrongRulesError(wrong)
    return _rules(settings_file.load(None, {}, flags))


def to_toml(rules: ContestRules) -> str:
    """Rules as the sections of a settings file."""
    whole = Settings(game=rules.game, match=rules.match)
    return settings_file.as_toml(whole, sections=tuple(_SECTIONS))


def from_toml(text: str) -> ContestRules:
    """Rules of such sections.

    Raises:
        WrongRulesError: it is no TOML, or has something else; the line is named.
    """
    try:
        return _rules(settings_file.loads(text, "rules", sections=tuple(_SECTIONS)))
    except SettingsError as error:
        raise WrongRulesError({"": str(error).removeprefix("rules: ")}) from None


# --- helpers ------------------------------------------------------------------------------------


def _rules(settings: Settings) -> ContestRules:
    return ContestRules(game=settings.game, match=settings.match)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, cast("list[object]", value)))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _section_fields(section: str, rules: type[msgspec.Struct]) -> tuple[Field, ...]:
    _, hints = settings_file.meanings(rules)
    info = cast("types.StructType", types.type_info(rules))
    return tuple(
        Field(
            f"{section}.{field.name}",
            field.name.replace("_", " "),
            hints[field.name].replace("`", ""),
            _choices(field.type),
        )
        for field in info.fields
    )


def _choices(wanted: types.Type) -> tuple[str, ...]:
    if isinstance(wanted, types.LiteralType):
        return tuple(map(str, wanted.values))
    return ("true", "false") if isinstance(wanted, types.BoolType) else ()


_FIELDS: Final = {section: _section_fields(section, rules) for section, rules in _SECTIONS.items()}
