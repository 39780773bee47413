"""Rules of a game as data: presets, changes and files.

>>> rules = Rules.preset("guideline")
>>> rules.combo.table[2]
1
>>> rules.replace({"garbage": {"travel": 0}}).garbage.travel
0
"""

from __future__ import annotations

import contextlib
import difflib
import functools
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, Self, cast

from msgspec import Struct, structs

from sevenbag._kernel import KernelRules, Kicks, Piece, Spin, spin_mode_name
from sevenbag.config.loader import KeyPath, convert
from sevenbag.config.toml import TomlDocument
from sevenbag.errors import KicksError, RulesError, check_integer, expect_type, shown
from sevenbag.game.kicks_file import kicks_from_dict, kicks_to_dict, load_kicks
from sevenbag.game.rule_sections import (
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

MAX_NAME_LENGTH: Final = 200
"""Maximum characters of the name of rules."""


class Rules(Struct, frozen=True, kw_only=True, eq=False, forbid_unknown_fields=True):
    """Rules of a game; see docs/rules.md.

    Rules are equal if all sections are equal; the name is ignored.
    """

    name: str = ""
    board: BoardRules
    spawn: SpawnRules
    pieces: PieceRules
    top_out: TopOutRules
    attack: AttackRules
    back_to_back: BackToBackRules
    combo: ComboRules
    perfect_clear: PerfectClearRules
    garbage: GarbageRules
    delays: DelayRules = DelayRules()

    def __post_init__(self) -> None:
        if len(self.name) > MAX_NAME_LENGTH:
            raise RulesError(
                f"invalid name: expected at most {MAX_NAME_LENGTH} characters, got {len(self.name)}"
            )
        try:
            self.name.encode()
        except UnicodeEncodeError:
            raise RulesError(f"invalid name: expected UTF-8, got {shown(self.name)}") from None
        if self.spawn.x >= self.board.width or self.spawn.y >= self.board.rows:
            raise RulesError(
                f"invalid spawn: expected a cell of the board of {self.board.width} x "
                f"{self.board.rows}, got x {self.spawn.x}, y {self.spawn.y}"
            )

    def __eq__(self, other: object) -> bool:
        return self._sections() == other._sections() if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._sections())

    @classmethod
    def preset(cls, name: str) -> Self:
        """Return the rules of a preset, by its name in any case.

        ``-``, ``_`` and spaces are the same; ``tetrio`` is an alias of ``tetrio-league``.

        Raises:
            RulesError: there is no such preset; the message lists the presets.
        """
        key = _normalize_name(name)
        known = {_normalize_name(preset): preset for preset in cls.preset_names()}
        known["tetrio"] = "tetrio-league"
        if key in known:
            text = (_PRESETS / f"{known[key]}.toml").read_text(encoding="utf-8")
            document = TomlDocument(text, f"preset {known[key]}")
            return cls._read(document, known[key])
        close = difflib.get_close_matches(key[:MAX_NAME_LENGTH], known, n=1)
        hint = f"; did you mean {known[close[0]]!r}?" if close else ""
        with contextlib.suppress(KicksError):
            Kicks(name)
            hint = "; that is a rotation system, set with pieces.kicks in rules"
        presets = ", ".join(cls.preset_names())
        raise RulesError(f"invalid rules: expected {presets}, got {shown(name)}{hint}")

    @classmethod
    def preset_names(cls) -> tuple[str, ...]:
        """Return the names of the presets."""
        return _PRESET_NAMES

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a TOML file with the sections of a preset.

        A file that names a preset as its ``base`` contains only the differences.

        Raises:
            RulesError: the file cannot be read, or a value is invalid.
        """
        document = TomlDocument.load(path, RulesError)
        path = Path(path)
        name = path.stem.encode("utf-8", "replace").decode("utf-8")[:MAX_NAME_LENGTH]
        return cls._read(document, name, path.parent)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, object], *, where: str | Callable[[KeyPath], str] = "rules"
    ) -> Self:
        """Convert the result of `to_dict`; errors name its source, which may depend on the key.

        Raises:
            RulesError: a key is unknown or missing, or a value is invalid.
        """
        normal = _normalize_pieces(data)
        return convert(normal, cls, where, error=RulesError, dec_hook=_read_kicks)

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON: sections by name, values by key, and the ``name``."""
        data: dict[str, object] = {"name": self.name}
        for key in _SECTIONS:
            section = structs.asdict(getattr(self, key))
            data[key] = {k: _to_plain_value(v) for k, v in section.items()}
        return data

    def replace(self, changes: Mapping[str, Mapping[str, object]], *, name: str = "") -> Self:
        """Return these rules with changes, such as ``{"garbage": {"travel": 0}}``.

        Raises:
            RulesError: a section or key is unknown, or a value is invalid.
        """
        expect_type("changes", changes, Mapping, "a mapping", RulesError)
        data = _merge(self.to_dict(), changes)
        data["name"] = name or f"{self.name}*"[:MAX_NAME_LENGTH]
        return self.from_dict(data, where="changed rules")

    def compute_attack(
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
        """Compute the attacks of a clear at the start of a game, in lines, before cancelling.

        Args:
            lines: cleared rows, 0 to 64.
            spin: spin of the placement.
            combo: consecutive clears before this one.
            back_to_back: consecutive difficult clears before this one.
            perfect_clear: the clear empties the board.
            piece: the piece; few rules depend on it.
            garbage_lines: cleared rows that contained garbage.
            attackers: players who attack this one, 0 to 1000.

        >>> Rules.preset("guideline").compute_attack(4, combo=2, back_to_back=1)
        (6,)

        Raises:
            RulesError: a number is out of range.
        """
        check_integer("lines", lines, 64)
        check_integer("garbage_lines", garbage_lines, lines)
        check_integer("combo", combo, 100_000)
        check_integer("back_to_back", back_to_back, 100_000)
        check_integer("attackers", attackers, 1000)
        return compile_rules(self).compute_attacks(
            piece, spin, lines, garbage_lines, perfect_clear, combo, back_to_back, attackers
        )

    @classmethod
    def _read(cls, document: TomlDocument, name: str, folder: Path | None = None) -> Self:
        data = document.data
        pieces = data.get("pieces")
        if folder is not None and isinstance(pieces, dict):
            kicks = cast("dict[str, object]", pieces).get("kicks")
            if isinstance(kicks, str) and kicks.endswith(".toml"):
                try:
                    pieces["kicks"] = load_kicks(folder / kicks)
                except KicksError as error:
                    place = document.locate(("pieces", "kicks"))
                    raise RulesError(f"{place}: pieces.kicks: {error}") from None
        if "base" in data:
            try:
                base = cls.preset(data.pop("base")).to_dict()
            except RulesError as error:
                raise RulesError(f"{document.locate(('base',))}: base: {error}") from None
            data = _merge(base | {"name": name}, data)
        return cls.from_dict({"name": name} | data, where=document.locate)

    def _sections(self) -> tuple[object, ...]:
        return tuple([getattr(self, section) for section in _SECTIONS])


@functools.lru_cache(maxsize=64)
def compile_rules(rules: Rules) -> KernelRules:
    """Convert rules for the kernel.

    Raises:
        RulesError: no game can be played by the rules.
    """
    data = rules.to_dict()
    del data["delays"]  # the kernel receives the times of locks, not their causes
    pieces = cast("dict[str, object]", data["pieces"])
    pieces["kicks"] = rules.pieces.kicks  # the same object, because it caches its results
    return KernelRules(data)


def resolve_rules(rules: object) -> Rules:
    """Return rules, or the preset of this name.

    Raises:
        RulesError: the value is neither.
    """
    if isinstance(rules, str):
        return Rules.preset(rules)
    if not isinstance(rules, Rules):
        raise RulesError(
            f"invalid rules: expected Rules or the name of a preset, got {shown(rules)}"
        )
    return rules


_PRESETS: Final = resources.files("sevenbag.game") / "presets"

_PRESET_NAMES: Final = tuple(sorted(file.name.removesuffix(".toml") for file in _PRESETS.iterdir()))

_SECTIONS: Final = Rules.__struct_fields__[1:]

# Names in TBP of randomizers that have another name here.
_BAG_NAMES: Final = {"seven_bag": "7-bag", "uniform": "total mayhem"}


def _normalize_name(name: object) -> str:
    if not isinstance(name, str):
        raise RulesError(f"invalid rules: expected the name of a preset, got {shown(name)}")
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


def _merge(sections: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, Any]:
    """Return sections with the keys of some of them replaced."""
    merged: dict[str, Any] = dict(sections)
    for key, values in changes.items():
        section: Any = merged.get(key)
        if isinstance(section, dict) and isinstance(values, Mapping):
            merged[key] = {**section, **cast("Mapping[str, object]", values)}
        else:
            merged[key] = values
    return merged


def _normalize_pieces(data: object) -> object:
    """Replace aliases and order the pieces of a bag: equal rules then have equal values."""
    plain = data
    pieces: Any = cast("Any", data).get("pieces") if isinstance(data, Mapping) else None
    if not isinstance(pieces, Mapping):
        return plain
    normal = dict(cast("Mapping[str, object]", pieces))
    bag, letters, spins = normal.get("bag"), normal.get("bag_pieces"), normal.get("spins")
    if isinstance(bag, str):
        normal["bag"] = _BAG_NAMES.get(bag, bag)
    if isinstance(letters, str):
        with contextlib.suppress(KeyError):  # rejected by the section
            normal["bag_pieces"] = "".join(sorted(letters.upper(), key=Piece.__getitem__))
    if isinstance(spins, str):
        with contextlib.suppress(RulesError):
            normal["spins"] = spin_mode_name(spins).lower()
    return {**cast("Mapping[str, object]", data), "pieces": normal}


def _read_kicks(_: type, value: Any) -> Kicks:
    if isinstance(value, Kicks):
        return value
    if isinstance(value, Mapping):
        return kicks_from_dict(cast("Mapping[str, object]", value), "the table")
    if isinstance(value, str):
        return Kicks(value)
    raise KicksError(f"invalid kicks: expected a name, a table or Kicks, got {shown(value)}")


def _to_plain_value(value: object) -> object:
    if isinstance(value, Kicks):
        return value.name if value.is_builtin else kicks_to_dict(value)
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
