"""Custom rotation systems as TOML files and plain data (docs/kicks.md).

>>> kicks = parse_kicks('''
... base = "srs"
... [JLSTZ]
... 0-2 = [[0, 1], [1, 1]]
... 2-0 = []
... ''', "mine")
>>> kicks.name, kicks.tests("T", Rotation.NORTH, Rotation.SOUTH)
('mine', [(0, 0), (0, 1), (1, 1)])
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, cast

from sevenbag._kernel import MAX_CELL_DISTANCE, MAX_KICK_DISTANCE, MAX_KICKS, Kicks, Piece, Rotation
from sevenbag.config.toml import TomlLines, parse_toml, read_toml_text
from sevenbag.errors import FormatError, KicksError, shown

if TYPE_CHECKING:
    import os


def load_kicks(path: str | os.PathLike[str], name: str | None = None) -> Kicks:
    """Read the rotation system in a file; without a name it is named after the file.

    Raises:
        KicksError: the file cannot be read or is invalid; the message contains the line.
    """
    try:
        text = read_toml_text(path)
    except FormatError as error:
        raise KicksError(f"{path}: {error}") from None
    return _read(text, name or Path(path).stem, str(path))


def parse_kicks(text: str, name: str = "own") -> Kicks:
    """Read the rotation system in a TOML text.

    Raises:
        KicksError: the text is invalid; the message contains the line.
    """
    return _read(text, name, "the text")


def kicks_from_dict(data: Mapping[str, object], where: str) -> Kicks:
    """Convert the result of `kicks_to_dict`.

    Raises:
        KicksError: the data is invalid.
    """
    return _KicksReader(data, "own", where, TomlLines("")).read()


def kicks_to_dict(kicks: Kicks) -> dict[str, object]:
    """Return a rotation system as plain data for JSON, with a section for each piece."""
    turns = kicks.turns()
    in_place_first = all(tests[0] == (0, 0) for tests in turns.values())
    skipped = 1 if in_place_first else 0
    data: dict[str, object] = {"name": kicks.name}
    for piece in Piece:
        section: dict[str, object] = {
            f"{int(start)}-{int(end)}": [list(kick) for kick in tests[skipped:]]
            for (turned, start, end), tests in turns.items()
            if turned == piece
        }
        if kicks.spawn_rotation(piece) != Rotation.NORTH:
            section["spawn"] = int(kicks.spawn_rotation(piece))
        if not in_place_first:
            section["in_place_first"] = False
        if kicks.has_custom_shapes(piece):
            section["shapes"] = [[list(cell) for cell in shape] for shape in kicks.shapes(piece)]
        data[piece.name] = section
    return data


# --- helpers ------------------------------------------------------------------------------------

_ROTATIONS: Final = {
    letter: Rotation(i) for letters in ("0123", "NESW") for i, letter in enumerate(letters)
}
_ROTATION_NAMES: Final = "0, 1, 2, 3 or N, E, S, W"
_TURN: Final = re.compile("([0-3NESW])-?([0-3NESW])", re.IGNORECASE)

_MAX_NAME_LENGTH: Final = 64
_WITHOUT: Final = " without 180"

_Tests = list[tuple[int, int]]
_Shapes = list[list[tuple[int, int]]]
_Turns = dict[tuple[Piece, Rotation, Rotation], _Tests]


def _read(text: str, name: str, where: str) -> Kicks:
    try:
        data = parse_toml(text)
    except FormatError as error:
        raise KicksError(f"{where}: {error}") from None
    return _KicksReader(data, name, where, TomlLines(text)).read()


class _KicksReader:
    """Reader of one rotation system."""

    def __init__(self, data: Mapping[str, object], name: str, where: str, lines: TomlLines) -> None:
        self._data = data
        self._name = name
        self._where = where
        self._lines = lines
        self._turns: _Turns = {}
        self._spawns: dict[Piece, Rotation] = {}
        self._shapes: dict[Piece, _Shapes] = {}
        self._section_of: dict[Piece, str] = {}

    def read(self) -> Kicks:
        self._read_head()
        for section, value in self._data.items():
            if section not in {"name", "base"}:
                self._read_section(section, value)
        if "base" not in self._data:
            self._complete()
        try:
            return Kicks.from_turns(self._name, self._turns, self._spawns, self._shapes)
        except KicksError as error:
            # All other errors are found above, where their line is known.
            self._refuse(str(error), "name")

    def _read_head(self) -> None:
        name = self._data.get("name", self._name)
        if (
            not isinstance(name, str)
            or not 1 <= len(name.removesuffix(_WITHOUT)) <= _MAX_NAME_LENGTH
            or not name.isprintable()
        ):
            self._refuse(
                f"name is {shown(name)}, must be a text of 1 to {_MAX_NAME_LENGTH} characters",
                "name",
            )
        self._name = name
        if "base" in self._data:
            base = self._data["base"]
            if not isinstance(base, str):
                self._refuse(
                    f"base is {shown(base)}, must be the name of a rotation system", "base"
                )
            try:
                kicks = Kicks(base)
            except KicksError as error:
                self._refuse(f"base: {error}", "base")
            self._turns = kicks.turns()
            self._spawns = {piece: kicks.spawn_rotation(piece) for piece in Piece}
            self._shapes = {p: kicks.shapes(p) for p in Piece if kicks.has_custom_shapes(p)}

    def _read_section(self, section: str, value: object) -> None:
        pieces = self._pieces(section)
        if not isinstance(value, Mapping):
            self._refuse(f"{section} is {shown(value)}, must be a section of turns", section)
        keys = cast("Mapping[str, object]", value)
        in_place_first = keys.get("in_place_first", True)
        if not isinstance(in_place_first, bool):
            self._refuse(
                f"[{section}] in_place_first is {shown(in_place_first)}, must be true or false",
                section,
                "in_place_first",
            )
        seen: dict[tuple[Rotation, Rotation], str] = {}
        for key, item in keys.items():
            if key == "spawn":
                spawn = self._spawn(section, item)
                self._spawns.update(dict.fromkeys(pieces, spawn))
            elif key == "shapes":
                self._read_shapes(section, pieces, item)
            elif key != "in_place_first":
                turn = self._turn(section, key)
                if turn in seen:
                    self._refuse(
                        f"[{section}] {key} is the same turn as {seen[turn]}", section, key
                    )
                seen[turn] = key
                tests = self._tests(section, key, item, in_place_first)
                self._turns.update({(piece, *turn): tests for piece in pieces})

    def _pieces(self, section: str) -> list[Piece]:
        letters = section.upper()
        if not letters or any(letter not in Piece.__members__ for letter in letters):
            self._refuse(
                f"{shown(section)} is unknown; a file has a name, a base, and sections called by "
                "the letters of their pieces, such as [JLSTZ]",
                section,
            )
        pieces = [Piece[letter] for letter in letters]
        for piece in pieces:
            if piece in self._section_of:
                self._refuse(
                    f"[{section}]: piece {piece.name} is in [{self._section_of[piece]}] already",
                    section,
                )
            self._section_of[piece] = section
        return pieces

    def _spawn(self, section: str, value: object) -> Rotation:
        rotation = _ROTATIONS.get(str(value).upper())
        if rotation is None or isinstance(value, bool):
            self._refuse(
                f"[{section}] spawn is {shown(value)}, must be {_ROTATION_NAMES}", section, "spawn"
            )
        return rotation

    def _read_shapes(self, section: str, pieces: list[Piece], value: object) -> None:
        lists = _items(value)
        if len(lists) not in {1, 2, 4}:
            self._refuse(
                f"[{section}] shapes is {shown(value)}, must be a list of 1, 2 or 4 shapes, each "
                "a list of four cells such as [-1, 0]",
                section,
                "shapes",
            )
        shapes = [self._shape(section, i, item) for i, item in enumerate(lists)]
        for piece in pieces:
            for rotation in Rotation:
                place = rotation % len(shapes)
                one_own = Kicks("none").shapes(piece)
                one_own[rotation] = shapes[place]
                try:
                    Kicks.from_turns("one", {}, {}, {piece: one_own})
                except KicksError as error:
                    self._refuse(f"[{section}] shapes: {error}", section, "shapes", place)
            self._shapes[piece] = shapes

    def _shape(self, section: str, place: int, item: object) -> list[tuple[int, int]]:
        cells = _items(item)
        shape = [
            (x, y)
            for x, y in (pair for pair in map(_items, cells) if len(pair) == 2)
            if type(x) is int and type(y) is int and max(abs(x), abs(y)) <= MAX_CELL_DISTANCE
        ]
        if len(cells) != 4 or len(shape) != 4:
            self._refuse(
                f"[{section}] shapes: shape {place + 1}, {shown(item)}, must be four cells, each "
                "two whole numbers: columns to the right of the origin and rows above it, within "
                f"{MAX_CELL_DISTANCE}",
                section,
                "shapes",
                place,
            )
        return shape

    def _turn(self, section: str, key: str) -> tuple[Rotation, Rotation]:
        found = _TURN.fullmatch(key)
        turn = [_ROTATIONS[name.upper()] for name in found.groups()] if found else []
        if len(turn) != 2 or turn[0] == turn[1]:
            self._refuse(
                f"[{section}] {shown(key)} is no turn; turns are called by two different "
                f"rotations ({_ROTATION_NAMES}), such as 0-1",
                section,
                key,
            )
        return turn[0], turn[1]

    def _tests(self, section: str, key: str, value: object, in_place_first: bool) -> _Tests:
        least, most = (0, MAX_KICKS) if in_place_first else (1, MAX_KICKS + 1)
        if not isinstance(value, list):
            self._refuse(
                f"[{section}] {key} is {shown(value)}, must be a list such as [[-1, 0]]",
                section,
                key,
            )
        items = cast("list[object]", value)
        if not least <= len(items) <= most:
            self._refuse(
                f"[{section}] {key} has {len(items)} kicks, must have {least} to {most}",
                section,
                key,
            )
        tests: _Tests = [(0, 0)] if in_place_first else []
        for i, item in enumerate(items):
            tests.append(self._kick(section, key, i, item))
        return tests

    def _kick(self, section: str, key: str, place: int, item: object) -> tuple[int, int]:
        fault = f"[{section}] {key}: kick {place + 1}, {shown(item)}, "
        kick = cast("list[object]", item) if isinstance(item, list) else []
        numbers = [n for n in kick if isinstance(n, int) and not isinstance(n, bool)]
        if len(kick) != 2 or len(numbers) != 2:
            fault += "must be two whole numbers, columns to the right and rows up"
            self._refuse(fault, section, key, place)
        if max(map(abs, numbers)) > MAX_KICK_DISTANCE:
            fault += f"is too far, must be within {MAX_KICK_DISTANCE} columns and rows"
            self._refuse(fault, section, key, place)
        return numbers[0], numbers[1]

    def _complete(self) -> None:
        """Check that all pieces but O have a section; O rotates in place by default."""
        missing = [
            piece.name for piece in Piece if piece not in self._section_of and piece != Piece.O
        ]
        if missing:
            self._refuse(
                f"no section for {', '.join(missing)}; every piece but O needs one, "
                "or there must be a base"
            )
        if Piece.O not in self._section_of:
            turns = {(start, end) for _, start, end in self._turns}
            self._turns.update({(Piece.O, *turn): [(0, 0)] for turn in turns})

    def _refuse(
        self, problem: str, section: str = "", key: str = "", place: int | None = None
    ) -> NoReturn:
        path = (section, key) if place is None else (section, key, place)
        line = self._lines.find(path)
        raise KicksError(f"{self._where}{f', line {line}' if line else ''}: {problem}")


def _items(value: object) -> list[object]:
    """Return the items of a list; nothing for other values."""
    return cast("list[object]", value) if isinstance(value, list) else []
