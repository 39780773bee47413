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

AttackRow = Annotated[tuple[Lines, ...], Items(5, 6)]
"""Lines by rows cleared, 0 to 4 or 5."""

Frame = Annotated[int, Between(0, 5_184_000)]
"""Frames of 1/60 s since the game began, within a day."""


LONGEST_NAME: Final = 200
"""Characters of the name of rules."""


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The board's size.

    Attributes:
        width: columns.
        rows: all rows a piece can move in, hidden ones included.
        visible: rows that are seen; the limit of `TopOutRules.lock_out`.
        solid: a moving piece does not collide with cells in rows from this one up.
        kept: cells that lock, or are pushed, into rows from this one up are lost.
    """

    width: Annotated[int, Between(4, 16)]
    rows: Annotated[int, Between(4, 64)]
    visible: Annotated[int, Between(1, 64)]
    solid: Annotated[int, Between(1, 64)]
    kept: Annotated[int, Between(1, 64)]


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
        bag: the randomizer. ``seven_bag`` and ``uniform``, as TBP calls them, are other names of
            ``7-bag`` and ``total mayhem``.
        bag_pieces: what a full ``general_bag`` holds, a letter a piece, 1 to 63; empty for the
            others.
        opening: what a game may begin with; pieces are dealt anew until it does.
        previews: pieces seen beyond the current one.
        hold: whether a piece can be held (once per piece). An empty slot brings the first preview;
            without previews there is nothing it could bring.
        kicks: the rotation system: a name of `Kicks.names()`, or one of one's own.
        spins: which placements count as spins (see docs/coordinates.md).
        spin_kicks: kicks that make a T's spin full: ``downward``: two rows down and one column
            across, into east or west; ``fifth``: the fifth test of any turn; ``none``.
        spin_shift: what a sideways shift does to a spin: it ``ends``; ``keeps`` what it was;
            ``rejudges``: corners are read where the piece locks.
        spin_hold: whether a piece out of hold keeps the spin of the one put away, until it falls.
        spin_top: whether corners above the board's top row count as filled.
    """

    bag: Literal[
        "7-bag",
        "14-bag",
        "7+1-bag",
        "7+2-bag",
        "7+x-bag",
        "pairs",
        "classic",
        "total mayhem",
        "general_bag",
    ]
    bag_pieces: str
    opening: Literal["any", "no two of S and Z", "no S or Z"]
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
        "immobile",
    ]
    spin_kicks: Literal["downward", "fifth", "none"]
    spin_shift: Literal["ends", "keeps", "rejudges"]
    spin_hold: bool
    spin_top: bool


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
    """Lines sent by a clear: an entry for each number of rows, from 0 to 4 or 5.

    Attributes:
        none: without a spin.
        mini: with a mini spin.
        full: with a full spin.
        further: for every row above those: without a spin, mini, full. (Bombs clear so many.)
        halve_other_spins: whether spins of pieces other than T are worth half.
        spin_quads_send: whether a spin that clears four rows or more sends what is left of it
            after cancelling.
        garbage_bonus: whether a difficult clear of a garbage row sends one line more.
        targeting: lines added to a clear by the number of players who attack this one; the last
            repeats. Empty is off.
        cap: the largest single attack, before cancelling; 0 is off.
        multiplier: factor on all that is sent.
        multiplier_growth: growth of that factor, per second.
        multiplier_margin: frames before it begins to change.
        multiplier_end: its last value, if it changes in a straight line instead.
        multiplier_end_frame: when it gets there; 0 is off.
        rounding: ``down``, or ``random``: up with the probability of the fraction.
    """

    none: AttackRow
    mini: AttackRow
    full: AttackRow
    further: Annotated[tuple[Lines, ...], Items(3, 3)]
    halve_other_spins: bool
    spin_quads_send: bool
    garbage_bonus: bool
    targeting: Annotated[tuple[Lines, ...], Items(0, 16)]
    cap: Annotated[int, Between(0, 100_000)]
    multiplier: Annotated[float, Between(0.0, 1000.0)]
    multiplier_growth: Annotated[float, Between(0.0, 1000.0)]
    multiplier_margin: Frame
    multiplier_end: Annotated[float, Between(0.0, 1000.0)]
    multiplier_end_frame: Frame
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
        blocking: when it enters. ``full``: at a lock that clears nothing; ``limited``: at every
            lock, after a clear what its attack has not cancelled; ``none``: at every lock, and
            attack cancels nothing; ``instant``: as soon as it is sent.
        opener_pieces: up to this piece of a game attack cancels twice its lines, as long as no
            fewer wait than were sent; 0 is off.
        cap: rows that may enter at one lock.
        cap_growth: growth of the cap, per second.
        cap_margin: frames before it begins to grow.
        cap_limit: largest cap.
        absolute_cap: rows that may wait; what comes on top is lost, the latest first. 0 is off.
        bombs: whether holes are filled by bombs: a row with one is never full; a piece that locks
            with its lowest cells on a bomb blows up that row, and further rows below it as long as
            they have a bomb in one of the columns it hit. Each counts as a line.
        holes: when the hole of a row is drawn: ``attacks``: as rows enter, by `change` and `inner`;
            ``attacks before 2025-05``: the same, but cancelled attacks change nothing; ``entries``:
            anew at each entry, then before each of its rows by `inner`; ``rounded``: as
            ``attacks``, the outermost columns half as likely; ``sent``: as an attack arrives, then
            by `inner`; ``coins``: for every cell by the toss of a coin, at least one a row.
        change: probability of a new column after an attack.
        inner: probability of a new column between rows.
        other: whether a new column is never the one before.
        centred: whether the outer fifths of the board have no holes.
        hole_size: columns that a hole is wide.
        timeout: from this frame on every entry has a new column; 0 is off.
        cut_off: which rows are lost when the board is pushed over its top: ``top``, or ``third
            from top``, where the two rows above it stay in place.
    """

    travel: Annotated[int, Between(0, 36_000)]
    travel_unit: Literal["frames", "own locks"]
    blocking: Literal["full", "limited", "none", "instant"]
    opener_pieces: Annotated[int, Between(0, 1000)]
    cap: Annotated[float, Between(0.0, 1_000_000.0)]
    cap_growth: Annotated[float, Between(0.0, 1000.0)]
    cap_margin: Frame
    cap_limit: Annotated[int, Between(0, 1_000_000)]
    absolute_cap: Annotated[int, Between(0, 1_000_000)]
    bombs: bool
    holes: Literal["attacks", "attacks before 2025-05", "entries", "rounded", "sent", "coins"]
    change: Probability
    inner: Probability
    other: bool
    centred: bool
    hole_size: Annotated[int, Between(1, 15)]
    timeout: Frame
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

        A file that names a preset as its ``base`` holds only what differs from it.

        Raises:
            RulesError: the file cannot be read, or a value is wrong; the message says which.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RulesError(f"{path}: cannot be read: {error}") from None
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
        data = self.to_dict() | {"name": name or f"{self.name}*"[:LONGEST_NAME]}
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
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RulesError(f"{where}: no TOML: {error}") from None
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
        raise RulesError(f"rules are {rules!r:.100}, must be Rules or the name of a preset")
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
}


# TBP's names of randomizers that have another one here.
_BAG_NAMES: Final = {"seven_bag": "7-bag", "uniform": "total mayhem"}

_LARGEST_BAG: Final = 63


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
