"""The rules of a game, as data: presets, overrides, files.

>>> rules = Rules.preset("guideline")
>>> rules.combo.table[2]
1
>>> rules.replace({"garbage": {"travel": 0}}).garbage.travel
0
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final, Self, cast

from sevenbag._kernel import Kicks, Piece, RuleSet, Spin, spin_mode_name
from sevenbag.config.toml import parse_toml, read_toml_text
from sevenbag.errors import FormatError, KicksError, RulesError, shown
from sevenbag.game.kicks_file import read_data, read_file, to_data
from sevenbag.game.schema import check_number, read_section
from sevenbag.game.sections import (
    AttackRules,
    BackToBackRules,
    BoardRules,
    ComboRules,
    DelayRules,
    GarbageRules,
    PerfectClearRules,
    PieceRules,
    SpawnRules,
    TopOutRules,
)

LONGEST_NAME: Final = 200
"""Characters of the name of rules."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All the rules of a game. See docs/rules.md.

    Two rules are equal if they play alike; the name is not compared.
    """

    name: str = dataclasses.field(compare=False)
    board: BoardRules
    spawn: SpawnRules
    pieces: PieceRules
    top_out: TopOutRules
    attack: AttackRules
    back_to_back: BackToBackRules
    combo: ComboRules
    perfect_clear: PerfectClearRules
    garbage: GarbageRules
    delays: DelayRules = dataclasses.field(default_factory=DelayRules)

    def __post_init__(self) -> None:
        if len(self.name) > LONGEST_NAME:
            raise RulesError(
                f"the name has {len(self.name)} characters, must have at most {LONGEST_NAME}"
            )
        if not _is_text(self.name):
            raise RulesError(f"name is {self.name!r}, which holds half a character")

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of a preset, in any case; ``-``, ``_`` and blanks are the same.

        ``tetrio`` is an alias of ``tetrio-league``.

        Raises:
            RulesError: there is no such preset; the message lists those that are.
        """
        plain = _plain(name)
        known = {_plain(preset): preset for preset in cls.presets()} | _ALIASES
        if plain in known:
            preset = known[plain]
            text = (_PRESETS / f"{preset}.toml").read_text(encoding="utf-8")
            return cls._parse(text, preset, f"preset {preset}")
        near = difflib.get_close_matches(plain[:LONGEST_NAME], known, n=1)
        hint = f"; did you mean {known[near[0]]!r}?" if near else ""
        if _names_kicks(name):
            hint = "; that is a rotation system, set with pieces.kicks in rules"
        presets = ", ".join(cls.presets())
        raise RulesError(f"invalid rules: expected {presets}, got {shown(name)}{hint}")

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """Names of the presets."""
        return _preset_names()

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Rules from a TOML file of the presets' form.

        A file that names a preset as its ``base`` holds only what differs from it.

        Raises:
            RulesError: the file cannot be read, or a value is wrong; the message says which.
        """
        try:
            text = read_toml_text(path)
        except FormatError as error:
            raise RulesError(f"{path}: {error}") from None
        path = Path(path)
        name = path.stem.encode("utf-8", "replace").decode("utf-8")[:LONGEST_NAME]
        return cls._parse(text, name, str(path), path.parent)

    @classmethod
    def from_dict(cls, data: Mapping[str, object], *, where: str = "rules") -> Self:
        """The rules that `to_dict` wrote.

        Args:
            data: sections by name, values by key, and the ``name``.
            where: what the data is, for messages.

        Raises:
            RulesError: a key is unknown or missing, or a value out of its range.
        """
        _expect_mapping(where, data)
        sections = dict(data)
        name = sections.pop("name", "")
        if not isinstance(name, str):
            raise RulesError(f"{where}: invalid name: expected a string, got {shown(name)}")
        read: dict[str, Any] = {}
        for key, section in _SECTIONS.items():
            if key not in sections:
                if key in _NOT_NEEDED:
                    continue
                raise RulesError(f"{where}: section {key!r} is missing")
            values = sections.pop(key)
            if key == "pieces":
                values = _named_pieces(values, f"{where}: {key}")
            read[key] = read_section(section, values, f"{where}: {key}")
        if sections:
            unknown = ", ".join(sorted(map(repr, sections)))
            raise RulesError(f"{where}: unknown {unknown}; sections are {', '.join(_SECTIONS)}")
        try:
            rules = cls(name=name, **read)
        except RulesError as error:
            raise RulesError(f"{where}: {error}") from None
        rules._check(where)
        return rules

    def to_dict(self) -> dict[str, object]:
        """Plain data, fit for JSON: sections by name, values by key, and the ``name``."""
        data: dict[str, object] = {"name": self.name}
        for key in _SECTIONS:
            section = dataclasses.asdict(getattr(self, key))
            data[key] = {k: _plain_value(v) for k, v in section.items()}
        return data

    def replace(self, changes: Mapping[str, Mapping[str, object]], *, name: str = "") -> Self:
        """These rules with some values changed: ``{"garbage": {"travel": 0}}``.

        Raises:
            RulesError: a section or key is unknown, or a value out of its range.
        """
        _expect_mapping("changes", changes)
        data = self.to_dict() | {"name": name or f"{self.name}*"[:LONGEST_NAME]}
        for key, values in changes.items():
            if key not in _SECTIONS:
                sections = ", ".join(_SECTIONS)
                raise RulesError(f"invalid section: expected {sections}, got {shown(key)}")
            _expect_mapping(key, values)
            section = data[key]
            assert isinstance(section, dict)
            data[key] = section | dict(values)
        return self.from_dict(data, where="changed rules")

    def attacks(
        self,
        lines: int,
        spin: Spin = Spin.NONE,
        *,
        combo: int = 0,
        back_to_back: int = 0,
        perfect_clear: bool = False,
        piece: Piece | str = Piece.T,
        garbage_lines: int = 0,
        attackers: int = 0,
    ) -> tuple[int, ...]:
        """What a clear sends at the beginning of a game, in lines, before cancelling.

        Args:
            lines: rows cleared, 0 to 64.
            spin: the spin it was made with.
            combo: clearing placements in a row before this one.
            back_to_back: difficult clears in a row before this one.
            perfect_clear: whether it left the board empty.
            piece: the piece; only some rules look at it.
            garbage_lines: rows among them that held garbage.
            attackers: players who attack this one, 0 to 1000.

        >>> Rules.preset("guideline").attacks(4, combo=2, back_to_back=1)
        (6,)

        Raises:
            RulesError: a number out of its range.
        """
        check_number("lines", lines, 64)
        check_number("garbage_lines", garbage_lines, lines)
        check_number("combo", combo, 100_000)
        check_number("back_to_back", back_to_back, 100_000)
        check_number("attackers", attackers, 1000)
        return kernel_rules(self).attacks(
            piece, spin, lines, garbage_lines, perfect_clear, combo, back_to_back, attackers
        )

    @classmethod
    def _parse(cls, text: str, name: str, where: str, folder: Path | None = None) -> Self:
        try:
            data = parse_toml(text)
        except FormatError as error:
            raise RulesError(f"{where}: {error}") from None
        if "base" in data:
            data = cls._completed(data, where)
        pieces = data.get("pieces")
        if folder is not None and isinstance(pieces, dict):
            kicks = cast("dict[str, object]", pieces).get("kicks")
            if isinstance(kicks, str) and kicks.endswith(".toml"):
                pieces["kicks"] = _own_kicks(kicks, folder, f"{where}: pieces: kicks")
        return cls.from_dict({"name": name} | data, where=where)

    @classmethod
    def _completed(cls, data: dict[str, Any], where: str) -> dict[str, Any]:
        """What a file says, on top of the preset that it names."""
        name = data.pop("base")
        if not isinstance(name, str):
            raise RulesError(f"{where}: base is {name!r}, must be the name of a preset")
        try:
            whole: dict[str, Any] = cls.preset(name).to_dict()
        except RulesError as error:
            raise RulesError(f"{where}: base: {error}") from None
        del whole["name"]
        for key, values in data.items():
            section = whole.get(key)
            if isinstance(section, dict) and isinstance(values, dict):
                whole[key] = {**section, **values}
            else:
                whole[key] = values
        return whole

    def _check(self, where: str) -> None:
        """What no single key can tell."""
        if self.board.visible > self.board.rows:
            raise RulesError(
                f"{where}: board: visible is {self.board.visible}, "
                f"must be at most the rows, {self.board.rows}"
            )
        if self.spawn.x >= self.board.width or self.spawn.y >= self.board.rows:
            raise RulesError(
                f"{where}: spawn: x {self.spawn.x}, y {self.spawn.y} is outside "
                f"the board of {self.board.width} x {self.board.rows}"
            )
        if self.pieces.bag == "general_bag" and not self.pieces.bag_pieces:
            raise RulesError(
                f"{where}: pieces: bag_pieces is empty, must name the pieces of a full general_bag"
            )
        if self.pieces.bag != "general_bag" and self.pieces.bag_pieces:
            raise RulesError(
                f"{where}: pieces: bag_pieces is {self.pieces.bag_pieces!r}, must be empty "
                f"for a {self.pieces.bag}"
            )


@functools.lru_cache(maxsize=64)
def kernel_rules(rules: Rules) -> RuleSet:
    """The rules as the kernel takes them.

    Raises:
        RulesError: they cannot be played.
    """
    data = rules.to_dict()
    # The kernel is told when a piece locks, not why then.
    del data["delays"]
    pieces = data["pieces"]
    assert isinstance(pieces, dict)
    # As it is: written out and read again it would have to be judged again.
    pieces["kicks"] = rules.pieces.kicks
    return RuleSet(data)


def rules_argument(rules: object) -> Rules:
    """Rules, or those of the preset of this name.

    Raises:
        RulesError: it is neither.
    """
    if isinstance(rules, str):
        return Rules.preset(rules)
    if not isinstance(rules, Rules):
        raise RulesError(
            f"invalid rules: expected Rules or the name of a preset, got {shown(rules)}"
        )
    return rules


# --- helpers ------------------------------------------------------------------------------------

_PRESETS: Final = resources.files("sevenbag.game") / "presets"

_SECTIONS: Final[dict[str, type]] = {
    "board": BoardRules,
    "spawn": SpawnRules,
    "pieces": PieceRules,
    "top_out": TopOutRules,
    "attack": AttackRules,
    "back_to_back": BackToBackRules,
    "combo": ComboRules,
    "perfect_clear": PerfectClearRules,
    "garbage": GarbageRules,
    "delays": DelayRules,
}
_NOT_NEEDED: Final = frozenset({"delays"})
"""Sections that rules may leave out: where there are none, nothing takes time."""


_ALIASES: Final = {"tetrio": "tetrio-league"}

# TBP's names of randomizers that have another one here.
_BAG_NAMES: Final = {"seven_bag": "7-bag", "uniform": "total mayhem"}

_LARGEST_BAG: Final = 63


@functools.cache
def _preset_names() -> tuple[str, ...]:
    files = (entry.name for entry in _PRESETS.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def _names_kicks(name: str) -> bool:
    try:
        Kicks(name)
    except KicksError:
        return False
    return True


def _expect_mapping(what: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise RulesError(f"invalid {what}: expected a mapping, got {shown(value)}")


def _plain(name: object) -> str:
    if not isinstance(name, str):
        raise RulesError(f"invalid rules: expected the name of a preset, got {shown(name)}")
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


def _named_pieces(values: object, where: str) -> object:
    """The pieces' rules with a rotation system read from its data, and the spins' own spelling."""
    if not isinstance(values, Mapping):
        return values
    named = dict(cast("Mapping[object, object]", values))
    kicks, spins = named.get("kicks"), named.get("spins")
    if isinstance(kicks, Mapping):
        try:
            named["kicks"] = read_data(cast("Mapping[str, object]", kicks), "the table")
        except KicksError as error:
            raise RulesError(f"{where}: kicks: {error}") from None
    if isinstance(kicks, str):
        # One spelling, so that rules that play alike are equal.
        try:
            named["kicks"] = Kicks(kicks).name
        except KicksError as error:
            raise RulesError(f"{where}: kicks: {error}") from None
    elif isinstance(kicks, Kicks) and kicks.known:
        named["kicks"] = kicks.name
    bag, letters = named.get("bag"), named.get("bag_pieces")
    if isinstance(bag, str):
        named["bag"] = _BAG_NAMES.get(bag, bag)
    if isinstance(letters, str):
        named["bag_pieces"] = _sorted_pieces(letters, f"{where}: bag_pieces")
    if isinstance(spins, str):
        with contextlib.suppress(RulesError):
            named["spins"] = spin_mode_name(spins).lower()
    return named


def _sorted_pieces(letters: str, where: str) -> str:
    if len(letters) > _LARGEST_BAG:
        raise RulesError(f"{where} has {len(letters)} pieces, must have at most {_LARGEST_BAG}")
    for letter in letters.upper():
        if letter not in Piece.__members__:
            raise RulesError(f"{where} is {letters!r}: {letter!r} is no piece")
    return "".join(sorted(letters.upper(), key=lambda letter: Piece[letter]))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _own_kicks(name: str, folder: Path, where: str) -> Kicks:
    try:
        return read_file(folder / name)
    except KicksError as error:
        raise RulesError(f"{where}: {error}") from None


def _plain_value(value: object) -> object:
    if isinstance(value, Kicks):
        return value.name if value.known else to_data(value)
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
