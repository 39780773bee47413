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
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, cast

from sevenbag._kernel import Kicks, Piece, RuleSet, Spin, spin_mode_name
from sevenbag.errors import KicksError, RulesError
from sevenbag.game.kicks_file import read_data, read_file, to_data
from sevenbag.game.schema import Between, Items, check_number, read_section

Lines = Annotated[int, Between(0, 1000)]
"""Lines of garbage that something sends."""

Probability = Annotated[float, Between(0.0, 1.0)]

AttackRow = Annotated[tuple[Lines, ...], Items(5, 5)]
"""Lines by rows cleared, 0 to 4."""


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The board's size; `rows` counts the hidden ones above the `visible`, too."""

    width: Annotated[int, Between(4, 16)]
    rows: Annotated[int, Between(4, 64)]
    visible: Annotated[int, Between(1, 64)]


@dataclass(frozen=True, slots=True)
class SpawnRules:
    """Where pieces appear, and what happens if they cannot.

    Attributes:
        x: column of the piece's centre.
        y: row of the piece's centre.
        drop: rows it falls at once, as far as it can.
        blocked: ``lost``; ``raise``: it may appear one row higher; ``clutch``: after a lock that
            cleared rows it appears in the lowest row above where it fits.
    """

    x: Annotated[int, Between(0, 15)]
    y: Annotated[int, Between(0, 63)]
    drop: Annotated[int, Between(0, 64)]
    blocked: Literal["lost", "raise", "clutch"]


@dataclass(frozen=True, slots=True)
class PieceRules:
    """Which pieces come, how far they are seen, and how they turn.

    Attributes:
        bag: the randomizer.
        previews: pieces seen beyond the current one.
        hold: whether a piece can be held (once per piece).
        kicks: the rotation system: a name of `Kicks.names()`, or one of one's own.
        spins: which placements count as spins (see docs/coordinates.md).
    """

    bag: Literal[
        "7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag", "pairs", "classic", "total mayhem"
    ]
    previews: Annotated[int, Between(0, 32)]
    hold: bool
    kicks: str | Kicks
    spins: Literal[
        "none",
        "t-spins",
        "t-spins+",
        "all",
        "all+",
        "all-mini",
        "all-mini+",
        "mini-only",
        "handheld",
        "stupid",
    ]


@dataclass(frozen=True, slots=True)
class TopOutRules:
    """How a game is lost, besides a blocked spawn.

    Attributes:
        lock_out: ``whole``: a piece that locks wholly above the visible rows loses, even if it
            clears; ``partial``: one cell is enough; ``none``.
        garbage_out: whether a filled cell pushed over the top of the board loses.
    """

    lock_out: Literal["none", "whole", "partial"]
    garbage_out: bool


@dataclass(frozen=True, slots=True)
class AttackRules:
    """Lines sent by a clear: an entry for each number of rows, from 0 to 4.

    Attributes:
        none: without a spin.
        mini: with a mini spin.
        full: with a full spin.
        halve_other_spins: whether spins of pieces other than T are worth half.
        garbage_bonus: whether a difficult clear of a garbage row sends one line more.
        multiplier: factor on all that is sent.
        multiplier_growth: growth of that factor, per second.
        multiplier_margin: frames before it begins to grow.
        rounding: ``down``, or ``random``: up with the probability of the fraction.
    """

    none: AttackRow
    mini: AttackRow
    full: AttackRow
    halve_other_spins: bool
    garbage_bonus: bool
    multiplier: Annotated[float, Between(0.0, 1000.0)]
    multiplier_growth: Annotated[float, Between(0.0, 1000.0)]
    multiplier_margin: Annotated[int, Between(0, 5_184_000)]
    rounding: Literal["down", "random"]


@dataclass(frozen=True, slots=True)
class BackToBackRules:
    """What difficult clears in a row send: those with a spin or of four rows.

    Attributes:
        bonus: of the second and every further one: ``none``; ``flat``: one line; ``chain``: more
            with the logarithm of the chain.
        mini_single: whether a mini single gets it, too.
        charge_at: a longer chain than this is released when it breaks; 0 is off.
        charge_base: lines added to those released.
    """

    bonus: Literal["none", "flat", "chain"]
    mini_single: bool
    charge_at: Annotated[int, Between(0, 1000)]
    charge_base: Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True)
class ComboRules:
    """What clears in a row send.

    Attributes:
        kind: ``table``: lines are added; ``multiplier``: x (1 + 0.25 c), at least ln(1 + 1.25 c)
            from c = 2 on.
        table: lines by c, the clears made before this one in the run; the last repeats.
        apart: whether they are an attack of their own.
    """

    kind: Literal["table", "multiplier"]
    table: Annotated[tuple[Lines, ...], Items(0, 32)]
    apart: bool


@dataclass(frozen=True, slots=True)
class PerfectClearRules:
    """What an empty board sends.

    Attributes:
        lines: how much.
        kind: ``adds``: as an attack of its own; ``replaces all`` that the clear sends;
            ``replaces base``: all but the combo.
        chain: added to the back-to-back chain, instead of what the clear itself does; 0 is off.
    """

    lines: Lines
    kind: Literal["adds", "replaces all", "replaces base"]
    chain: Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True)
class GarbageRules:
    """How garbage travels, is cancelled, and enters.

    Attributes:
        travel: time before it may enter, in `travel_unit`.
        travel_unit: ``frames`` (60 a second), or ``own locks`` at which garbage could have entered.
        blocking: whether a lock that clears rows lets nothing in.
        cancelling: whether attack first removes garbage waiting for oneself.
        opener_pieces: up to this piece of a game attack cancels twice its lines; 0 is off.
        cap: rows that may enter at one lock.
        cap_growth: growth of the cap, per second.
        cap_margin: frames before it begins to grow.
        cap_limit: largest cap.
        holes: when the hole of a row is drawn: ``attacks``: as rows enter, by `change` and `inner`;
            ``entries``: anew at each entry, then by `inner`; ``rounded``: for each attack, the
            outermost columns half as likely; ``sent``: for each attack as it arrives, then by
            `inner`.
        change: probability of a new column after an attack.
        inner: probability of a new column between rows.
        other: whether a new column is never the one before.
        centred: whether the outer fifths of the board have no holes.
        cut_off: which rows are lost when the board is pushed over its top: ``top``, or ``third
            from top``, where the two rows above it stay in place.
    """

    travel: Annotated[int, Between(0, 36_000)]
    travel_unit: Literal["frames", "own locks"]
    blocking: bool
    cancelling: bool
    opener_pieces: Annotated[int, Between(0, 1000)]
    cap: Annotated[float, Between(0.0, 1_000_000.0)]
    cap_growth: Annotated[float, Between(0.0, 1000.0)]
    cap_margin: Annotated[int, Between(0, 5_184_000)]
    cap_limit: Annotated[int, Between(0, 1_000_000)]
    holes: Literal["attacks", "entries", "rounded", "sent"]
    change: Probability
    inner: Probability
    other: bool
    centred: bool
    cut_off: Literal["top", "third from top"]


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

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of a preset, in any case; ``-``, ``_`` and blanks are the same.

        Raises:
            RulesError: there is no such preset; the message lists those that are.
        """
        plain = _plain(name)
        for known in cls.presets():
            if _plain(known) == plain:
                text = (_PRESETS / f"{known}.toml").read_text(encoding="utf-8")
                return cls._parse(text, known, f"preset {known}")
        raise RulesError(f"no rules named {name!r}; there are {', '.join(cls.presets())}")

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """Names of the presets."""
        return _preset_names()

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Rules from a TOML file of the presets' form.

        Raises:
            RulesError: the file cannot be read, or a value is wrong; the message says which.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RulesError(f"{path}: cannot be read: {error}") from None
        return cls._parse(text, path.stem, str(path), path.parent)

    @classmethod
    def from_dict(cls, data: Mapping[str, object], *, where: str = "rules") -> Self:
        """The rules that `to_dict` wrote.

        Args:
            data: sections by name, values by key, and the ``name``.
            where: what the data is, for messages.

        Raises:
            RulesError: a key is unknown or missing, or a value out of its range.
        """
        sections = dict(data)
        name = sections.pop("name", "")
        if not isinstance(name, str):
            raise RulesError(f"{where}: name is {name!r}, must be a text")
        read: dict[str, Any] = {}
        for key, section in _SECTIONS.items():
            if key not in sections:
                raise RulesError(f"{where}: section {key!r} is missing")
            values = sections.pop(key)
            if key == "pieces":
                values = _named_pieces(values, f"{where}: {key}")
            read[key] = read_section(section, values, f"{where}: {key}")
        if sections:
            unknown = ", ".join(sorted(map(repr, sections)))
            raise RulesError(f"{where}: unknown {unknown}; sections are {', '.join(_SECTIONS)}")
        rules = cls(name=name, **read)
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
        data = self.to_dict() | {"name": name or f"{self.name}*"}
        for key, values in changes.items():
            if key not in _SECTIONS:
                raise RulesError(f"no section {key!r}; sections are {', '.join(_SECTIONS)}")
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
    ) -> tuple[int, ...]:
        """What a clear sends at the beginning of a game, in lines, before cancelling.

        Args:
            lines: rows cleared, 0 to 4.
            spin: the spin it was made with.
            combo: clearing placements in a row before this one.
            back_to_back: difficult clears in a row before this one.
            perfect_clear: whether it left the board empty.
            piece: the piece; only some rules look at it.

        >>> Rules.preset("guideline").attacks(4, combo=2, back_to_back=1)
        (6,)

        Raises:
            RulesError: a number out of its range.
        """
        check_number("lines", lines, 4)
        check_number("combo", combo, 100_000)
        check_number("back_to_back", back_to_back, 100_000)
        return kernel_rules(self).attacks(piece, spin, lines, 0, perfect_clear, combo, back_to_back)

    @classmethod
    def _parse(cls, text: str, name: str, where: str, folder: Path | None = None) -> Self:
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RulesError(f"{where}: no TOML: {error}") from None
        pieces = data.get("pieces")
        if folder is not None and isinstance(pieces, dict):
            kicks = cast("dict[str, object]", pieces).get("kicks")
            if isinstance(kicks, str) and kicks.endswith(".toml"):
                pieces["kicks"] = _own_kicks(kicks, folder, f"{where}: pieces: kicks")
        return cls.from_dict({"name": name} | data, where=where)

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
        if isinstance(self.pieces.kicks, str):
            try:
                Kicks(self.pieces.kicks)
            except KicksError as error:
                raise RulesError(f"{where}: pieces: kicks: {error}") from None


@functools.lru_cache(maxsize=64)
def kernel_rules(rules: Rules) -> RuleSet:
    """The rules as the kernel takes them."""
    return RuleSet(rules.to_dict())


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
}


@functools.cache
def _preset_names() -> tuple[str, ...]:
    files = (entry.name for entry in _PRESETS.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def _plain(name: str) -> str:
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
    if isinstance(spins, str):
        with contextlib.suppress(RulesError):
            named["spins"] = spin_mode_name(spins).lower()
    return named


def _own_kicks(name: str, folder: Path, where: str) -> Kicks:
    try:
        return read_file(folder / name)
    except KicksError as error:
        raise RulesError(f"{where}: {error}") from None


def _plain_value(value: object) -> object:
    if isinstance(value, Kicks):
        return value.name if value.known else to_data(value)
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
