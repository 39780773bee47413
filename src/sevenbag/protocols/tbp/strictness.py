"""Checks for deviations of TBP messages from the texts, whether they are understood or not.

`reading` understands what it can; this tells what ought to be otherwise. It is for those who test
programs, not for those who play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.protocols.json_lines import Deviation, Severity, describe_value
from sevenbag.protocols.tbp import messages as tbp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def find_deviations(content: object) -> list[Deviation]:
    """Return all deviations of this message; none for unknown types."""
    found = _Found()
    if isinstance(content, dict):
        data = cast("dict[str, Any]", content)
        kind = data.get("type")
        check = _CHECKS.get(kind) if isinstance(kind, str) else None
        if check is not None:
            check(data, found)
    return found.list


# --- helpers ------------------------------------------------------------------------------------

MVP: Final = "0000-mvp"
RANDOMIZER: Final = "0001-randomizer"
GARBAGE: Final = "0002-garbage (draft)"
MOVE_INFO: Final = "0003-move_info"
VERSUS: Final = "versus text"

_LETTERS: Final = frozenset(tbp.PIECE_LETTERS)
_ROWS: Final = 40
_WIDTH: Final = 10


class _Found:
    """Collects deviations and checks the common kinds of values."""

    def __init__(self) -> None:
        self.list: list[Deviation] = []

    def add(self, path: str, what: str, place: str, severity: Severity = "error") -> None:
        self.list.append(Deviation(path, what, place, severity))

    def has(self, data: dict[str, Any], key: str, path: str, place: str) -> bool:
        if key not in data:
            self.add(path, "is missing", place)
        return key in data

    def text(self, data: dict[str, Any], key: str, place: str) -> None:
        if self.has(data, key, key, place) and not isinstance(data[key], str):
            self.add(key, f"is {describe_value(data[key])}, must be a string", place)

    def a_list(self, value: object, path: str, place: str) -> list[Any]:
        if isinstance(value, list):
            return cast("list[object]", value)
        self.add(path, f"is {describe_value(value)}, must be a list", place)
        return []

    def an_object(self, value: object, path: str, place: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
        self.add(path, f"is {describe_value(value)}, must be an object", place)
        return {}

    def one_of(self, value: object, path: str, words: Sequence[str], place: str) -> None:
        if not isinstance(value, str) or value not in words:
            self.add(path, f"is {describe_value(value)}, must be one of {' '.join(words)}", place)

    def whole(self, value: object, path: str, place: str) -> None:
        if isinstance(value, float) and value.is_integer():
            self.add(path, f"is {value}, must be written without a point", place, "warning")
        elif not _is_whole(value):
            self.add(path, f"is {describe_value(value)}, must be a whole number", place)


def _info(data: dict[str, Any], found: _Found) -> None:
    for key in ("name", "version", "author"):
        found.text(data, key, f"{MVP}, info")
    if found.has(data, "features", "features", f"{MVP}, info"):
        features = found.a_list(data["features"], "features", f"{MVP}, info")
        for i, feature in enumerate(features):
            if not isinstance(feature, str):
                what = f"is {describe_value(feature)}, must be a string"
                found.add(f"features[{i}]", what, f"{MVP}, info")


def _error(data: dict[str, Any], found: _Found) -> None:
    place = f"{MVP}, error"
    found.text(data, "reason", place)
    reason = data.get("reason")
    if isinstance(reason, str) and reason != "unsupported_rules":
        what = f"is {describe_value(reason)}; the only reason that is defined is unsupported_rules"
        found.add("reason", what, place, "warning")


def _suggestion(data: dict[str, Any], found: _Found) -> None:
    place = f"{MVP}, suggestion"
    if found.has(data, "moves", "moves", place):
        for i, move in enumerate(found.a_list(data["moves"], "moves", place)):
            _move(move, f"moves[{i}]", found)
    if "move_info" in data:
        _move_info(data["move_info"], found)


def _move_info(value: object, found: _Found) -> None:
    data = found.an_object(value, "move_info", MOVE_INFO)
    for key in ("nodes", "nps", "depth"):
        if key in data and not _is_number(data[key]):
            what = f"is {describe_value(data[key])}, must be a number"
            found.add(f"move_info.{key}", what, MOVE_INFO, "warning")
    if "extra" in data and not isinstance(data["extra"], str):
        what = f"is {describe_value(data['extra'])}, must be a string"
        found.add("move_info.extra", what, MOVE_INFO, "warning")


def _rules(data: dict[str, Any], found: _Found) -> None:
    if "randomizer" in data:
        name = data["randomizer"]
        if name == "7-bag":
            what = "is '7-bag', the word of an early draft; must be seven_bag"
            found.add("randomizer", what, f"{RANDOMIZER}, rules")
        else:
            words = ("uniform", "seven_bag", "general_bag", "unknown")
            found.one_of(name, "randomizer", words, f"{RANDOMIZER}, rules")
    if "garbage" in data:
        found.one_of(data["garbage"], "garbage", ("general",), f"{GARBAGE}, rules")


def _start(data: dict[str, Any], found: _Found) -> None:
    place = f"{MVP}, start"
    if found.has(data, "hold", "hold", place) and data["hold"] is not None:
        found.one_of(data["hold"], "hold", tbp.PIECE_LETTERS, place)
    if found.has(data, "queue", "queue", place):
        _pieces(data["queue"], "queue", place, found)
    if found.has(data, "combo", "combo", place):
        found.whole(data["combo"], "combo", place)
        if _is_number(data["combo"]) and data["combo"] < 0:
            what = f"is {data['combo']}; it counts the clears in a row, from 0"
            found.add("combo", what, place)
    if found.has(data, "back_to_back", "back_to_back", place):
        _back_to_back(data["back_to_back"], found)
    if found.has(data, "board", "board", place):
        _board(data["board"], found)
    if "randomizer" in data:
        _randomizer(data["randomizer"], found)


def _back_to_back(value: object, found: _Found) -> None:
    if _is_whole(value):
        what = f"is {value}, must be true or false; a count is of the versus text alone"
        found.add("back_to_back", what, f"{MVP}, start", "warning")
    elif not isinstance(value, bool):
        found.add(
            "back_to_back", f"is {describe_value(value)}, must be true or false", f"{MVP}, start"
        )


def _board(value: object, found: _Found) -> None:
    place = f"{MVP}, start"
    board = found.a_list(value, "board", place)
    if isinstance(value, list) and len(board) != _ROWS:
        found.add("board", f"has {len(board)} rows, must have {_ROWS}", place)
    for y, row in enumerate(board):
        cells = found.a_list(row, f"board[{y}]", place)
        if isinstance(row, list) and len(cells) != _WIDTH:
            found.add(f"board[{y}]", f"has {len(cells)} cells, must have {_WIDTH}", place)
        for x, cell in enumerate(cells):
            if cell is not None and not (isinstance(cell, str) and cell in {*_LETTERS, "G"}):
                what = f"is {describe_value(cell)}, must be null, a piece or G"
                found.add(f"board[{y}][{x}]", what, place)
                return


def _randomizer(value: object, found: _Found) -> None:
    place = f"{RANDOMIZER}, start"
    data = found.an_object(value, "randomizer", place)
    if not data:
        return
    kind = data.get("type")
    found.one_of(kind, "randomizer.type", ("uniform", "seven_bag", "general_bag", "unknown"), place)
    if kind == "seven_bag" and found.has(data, "bag_state", "randomizer.bag_state", place):
        path = "randomizer.bag_state"
        bag = _pieces(data["bag_state"], path, place, found)
        if data["bag_state"] == []:
            found.add(path, "is empty; a bag that was dealt out is the next full one", place)
        elif len(set(bag)) != len(bag):
            found.add(path, "holds a piece twice", place)
    if kind == "general_bag":
        counts = [_counts(data, key, found) for key in ("current_bag", "filled_bag")]
        over = [p for p in counts[0] if counts[0][p] > counts[1].get(p, 0)]
        if over and counts[1]:
            what = f"holds more {over[0]} than the filled bag"
            found.add("randomizer.current_bag", what, place)


def _counts(data: dict[str, Any], key: str, found: _Found) -> dict[str, int]:
    place, path = f"{RANDOMIZER}, start", f"randomizer.{key}"
    if not found.has(data, key, path, place):
        return {}
    counts = found.an_object(data[key], path, place)
    for letter in tbp.PIECE_LETTERS:
        if found.has(counts, letter, f"{path}.{letter}", place):
            found.whole(counts[letter], f"{path}.{letter}", place)
    whole: dict[str, int] = {
        letter: n for letter, n in counts.items() if letter in _LETTERS and _is_whole(n)
    }
    if whole and not any(whole.values()):
        found.add(path, "holds nothing; a bag is never empty", place)
    return whole


def _play(data: dict[str, Any], found: _Found) -> None:
    if found.has(data, "move", "move", f"{MVP}, play"):
        _move(data["move"], "move", found)


def _new_piece(data: dict[str, Any], found: _Found) -> None:
    place = f"{MVP}, new_piece"
    if found.has(data, "piece", "piece", place):
        found.one_of(data["piece"], "piece", tbp.PIECE_LETTERS, place)


def _garbage(data: dict[str, Any], found: _Found) -> None:
    if not found.has(data, "rows", "rows", GARBAGE):
        return
    for i, row in enumerate(found.a_list(data["rows"], "rows", GARBAGE)):
        cells = found.a_list(row, f"rows[{i}]", GARBAGE)
        if isinstance(row, list) and len(cells) != _WIDTH:
            found.add(f"rows[{i}]", f"has {len(cells)} cells, must have {_WIDTH}", GARBAGE)
        elif cells and None not in cells:
            found.add(f"rows[{i}]", "is full", GARBAGE)


def _move(value: object, path: str, found: _Found) -> None:
    place = f"{MVP}, move"
    data = found.an_object(value, path, place)
    if not data:
        return
    if found.has(data, "spin", f"{path}.spin", place):
        found.one_of(data["spin"], f"{path}.spin", ("none", "mini", "full"), place)
    if found.has(data, "location", f"{path}.location", place):
        _location(data["location"], f"{path}.location", found)
    if "inputs" in data:
        words = ("left", "right", "ccw", "cw", "flip", "sonic")
        where = f"{VERSUS}, move"
        for i, name in enumerate(found.a_list(data["inputs"], f"{path}.inputs", where)):
            found.one_of(name, f"{path}.inputs[{i}]", words, where)


def _location(value: object, path: str, found: _Found) -> None:
    place = f"{MVP}, location"
    data = found.an_object(value, path, place)
    if not data:
        return
    if found.has(data, "type", f"{path}.type", place):
        found.one_of(data["type"], f"{path}.type", tbp.PIECE_LETTERS, place)
    if found.has(data, "orientation", f"{path}.orientation", place):
        words = ("north", "east", "south", "west")
        found.one_of(data["orientation"], f"{path}.orientation", words, place)
    for key in ("x", "y"):
        if found.has(data, key, f"{path}.{key}", place):
            found.whole(data[key], f"{path}.{key}", place)


def _pieces(value: object, path: str, place: str, found: _Found) -> list[Any]:
    pieces = found.a_list(value, path, place)
    for i, piece in enumerate(pieces):
        found.one_of(piece, f"{path}[{i}]", tbp.PIECE_LETTERS, place)
    return [piece for piece in pieces if isinstance(piece, str)]


_CHECKS: Final[dict[str, Callable[[dict[str, Any], _Found], None]]] = {
    "info": _info,
    "error": _error,
    "suggestion": _suggestion,
    "rules": _rules,
    "start": _start,
    "play": _play,
    "new_piece": _new_piece,
    "garbage": _garbage,
}


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
