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

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, cast

from msgspec import Meta

from sevenbag._kernel import MAX_CELL_DISTANCE, MAX_KICK_DISTANCE, MAX_KICKS, Kicks, Piece, Rotation
from sevenbag.config.loader import KeyPath, convert
from sevenbag.config.toml import TomlDocument
from sevenbag.errors import KicksError, shown


def load_kicks(path: str | os.PathLike[str], name: str | None = None) -> Kicks:
    """Read the rotation system in a file; without a name it is named after the file.

    Raises:
        KicksError: the file cannot be read or is invalid; the message contains the line.
    """
    document = TomlDocument.load(path, KicksError)
    return _KicksReader(document.data, name or Path(path).stem, document.locate).read()


def parse_kicks(text: str, name: str = "own") -> Kicks:
    """Read the rotation system in a TOML text.

    Raises:
        KicksError: the text is invalid; the message contains the line.
    """
    document = TomlDocument(text, "the text", KicksError)
    return _KicksReader(document.data, name, document.locate).read()


def kicks_from_dict(data: Mapping[str, object], where: str) -> Kicks:
    """Convert the result of `kicks_to_dict`.

    Raises:
        KicksError: the data is invalid.
    """
    return _KicksReader(data, "own", lambda _: where).read()


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


_ROTATIONS: Final = {
    letter: Rotation(i) for letters in ("0123", "NESW") for i, letter in enumerate(letters)
}
_ROTATION_NAMES: Final = "0, 1, 2, 3 or N, E, S, W"
_TURN: Final = re.compile("([0-3NESW])-?([0-3NESW])", re.IGNORECASE)

_MAX_NAME_LENGTH: Final = 64
_WITHOUT: Final = " without 180"

_Tests = list[tuple[int, int]]
_Shapes = list[list[tuple[int, int]]]

_Offset = Annotated[int, Meta(ge=-MAX_KICK_DISTANCE, le=MAX_KICK_DISTANCE)]
_Coordinate = Annotated[int, Meta(ge=-MAX_CELL_DISTANCE, le=MAX_CELL_DISTANCE)]
_Cells = Annotated[list[tuple[_Coordinate, _Coordinate]], Meta(min_length=4, max_length=4)]

# Types of values. Without the test in place a list of kicks has one more item.
_KICKS: Final[Any] = Annotated[list[tuple[_Offset, _Offset]], Meta(max_length=MAX_KICKS)]
_ALL_TESTS: Final[Any] = Annotated[
    list[tuple[_Offset, _Offset]], Meta(min_length=1, max_length=MAX_KICKS + 1)
]
_SHAPES: Final[Any] = Annotated[list[_Cells], Meta(min_length=1, max_length=4)]


class _KicksReader:
    """Reader of one rotation system."""

    def __init__(
        self, data: Mapping[str, object], name: str, locate: Callable[[KeyPath], str]
    ) -> None:
        self._data = data
        self._name = name
        self._locate = locate
        self._turns: dict[tuple[Piece, Rotation, Rotation], _Tests] = {}
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
        name = self._convert(self._data.get("name", self._name), str, "name")
        if not 1 <= len(name.removesuffix(_WITHOUT)) <= _MAX_NAME_LENGTH or not name.isprintable():
            expected = f"1 to {_MAX_NAME_LENGTH} printable characters"
            self._refuse(f"invalid name: expected {expected}, got {shown(name)}", "name")
        self._name = name
        if "base" in self._data:
            base = self._convert(self._data["base"], str, "base")
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
            self._refuse(f"invalid {section}: expected table, got {shown(value)}", section)
        keys = cast("Mapping[str, object]", value)
        in_place_first = self._convert(
            keys.get("in_place_first", True), bool, section, "in_place_first"
        )
        seen: dict[tuple[Rotation, Rotation], str] = {}
        for key, item in keys.items():
            if key == "spawn":
                self._spawns.update(dict.fromkeys(pieces, self._spawn(section, item)))
            elif key == "shapes":
                self._read_shapes(section, pieces, item)
            elif key != "in_place_first":
                turn = self._turn(section, key)
                if turn in seen:
                    self._refuse(f"duplicate turn in {section}: {seen[turn]}, {key}", section, key)
                seen[turn] = key
                kind = _KICKS if in_place_first else _ALL_TESTS
                tests: _Tests = self._convert(item, kind, section, key)
                if in_place_first:
                    tests = [(0, 0), *tests]
                self._turns.update({(piece, *turn): tests for piece in pieces})

    def _pieces(self, section: str) -> list[Piece]:
        letters = section.upper()
        if not letters or any(letter not in Piece.__members__ for letter in letters):
            self._refuse(
                f"unknown key {shown(section)}; keys are name, base, and sections named by the "
                "letters of their pieces, such as [JLSTZ]",
                section,
            )
        pieces = [Piece[letter] for letter in letters]
        for piece in pieces:
            if piece in self._section_of:
                sections = f"{self._section_of[piece]}, {section}"
                self._refuse(f"duplicate piece {piece.name} in {sections}", section)
            self._section_of[piece] = section
        return pieces

    def _spawn(self, section: str, value: object) -> Rotation:
        rotation = _ROTATIONS.get(str(value).upper())
        if rotation is None or isinstance(value, bool):
            self._refuse(
                f"invalid {section}.spawn: expected {_ROTATION_NAMES}, got {shown(value)}",
                section,
                "spawn",
            )
        return rotation

    def _read_shapes(self, section: str, pieces: list[Piece], value: object) -> None:
        shapes: _Shapes = self._convert(value, _SHAPES, section, "shapes")
        if len(shapes) == 3:
            self._refuse(
                f"invalid {section}.shapes: expected 1, 2 or 4 shapes, got 3", section, "shapes"
            )
        for piece in pieces:
            for rotation in Rotation:
                place = rotation % len(shapes)
                one_own = Kicks("none").shapes(piece)
                one_own[rotation] = shapes[place]
                try:
                    Kicks.from_turns("one", {}, {}, {piece: one_own})
                except KicksError as error:
                    self._refuse(
                        f"invalid {section}.shapes[{place}]: {error}", section, "shapes", place
                    )
            self._shapes[piece] = shapes

    def _turn(self, section: str, key: str) -> tuple[Rotation, Rotation]:
        found = _TURN.fullmatch(key)
        turn = [_ROTATIONS[name.upper()] for name in found.groups()] if found else []
        if len(turn) != 2 or turn[0] == turn[1]:
            self._refuse(
                f"unknown key {shown(key)} in {section}; a turn is named by two different "
                f"rotations ({_ROTATION_NAMES}), such as 0-1",
                section,
                key,
            )
        return turn[0], turn[1]

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

    def _convert(self, value: object, kind: Any, *path: str) -> Any:
        return convert(value, kind, self._locate, path=path, error=KicksError)

    def _refuse(self, problem: str, *path: str | int) -> NoReturn:
        raise KicksError(f"{self._locate(path)}: {problem}")
