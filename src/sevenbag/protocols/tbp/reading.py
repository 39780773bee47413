"""Tolerant reader of TBP messages from plain data: liberal in form, strict in meaning.

Existing programs have harmless differences: pieces in lower case, boards of other heights, cells
with other marks, numbers for truth values, missing parts, the names of the first draft of the
extension ``randomizer``. They are accepted here, in one place. Invalid data raises `ProtocolError`
with its path.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from msgspec import UNSET, UnsetType

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import describe_value
from sevenbag.protocols.tbp import messages as tbp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_ROWS: Final = 256
MAX_QUEUE: Final = 512
MAX_MOVES: Final = 4096
MAX_COORDINATE: Final = 1000
MAX_COUNT: Final = 1_000_000
MAX_NODES: Final = 2**53
MAX_OPPONENTS: Final = 128
MAX_INPUTS: Final = 256
WIDTH: Final = 10

T = TypeVar("T")


def read_message(content: object, *, ignore_extensions: bool = False) -> tbp.TbpMessage | None:
    """Read a message from plain data; None if it is none, or of an unknown type.

    Args:
        content: plain data.
        ignore_extensions: drop invalid parts of the versus dialect, without which the game can go
            on.

    Raises:
        ProtocolError: it is an invalid message of a known type; `kind` is that type.
    """
    if not isinstance(content, dict):
        return None
    data = cast("dict[str, object]", content)
    kind = data.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return None
    try:
        return reader(data)
    except _WrongError as wrong:
        if ignore_extensions and (plain := _without_extras(data, wrong.path)) is not None:
            return read_message(plain, ignore_extensions=True)
        what = f"{wrong.what} (in a {kind} message)"
        raise ProtocolError(what, wrong.path, str(kind)) from None


# --- one reader for each message ----------------------------------------------------------------


def _info(data: dict[str, object]) -> tbp.TbpInfo:
    features = data.get("features")
    return tbp.TbpInfo(
        name=_words(data.get("name"), "name"),
        version=_words(data.get("version"), "version"),
        author=_words(data.get("author"), "author"),
        # MisaMino sends null.
        features=() if features is None else _list(features, "features", _text, MAX_QUEUE),
    )


def _error(data: dict[str, object]) -> tbp.TbpError:
    # The first draft had no reason; some programs write a sentence.
    reason = data.get("reason")
    return tbp.TbpError(reason if isinstance(reason, str) else "")


def _rules(data: dict[str, object]) -> tbp.TbpRules:
    name = data.get("randomizer")
    nodes = _whole(data.get("min_nodes"))
    return tbp.TbpRules(
        UNSET if name is None else _randomizer_name(name),
        "general" if data.get("garbage") == "general" else UNSET,
        UNSET if nodes is None else min(max(nodes, 0), MAX_NODES),
    )


def _start(data: dict[str, object]) -> tbp.TbpStart:
    hold = data.get("hold")
    return tbp.TbpStart(
        hold=None if hold is None else _piece(hold, "hold"),
        queue=_list(_part(data, "queue"), "queue", _piece, MAX_QUEUE),
        combo=_count(data.get("combo"), "combo"),
        back_to_back=_back_to_back(data.get("back_to_back"), "back_to_back"),
        board=_list(_part(data, "board"), "board", _row, MAX_ROWS),
        randomizer=_randomizer(data.get("randomizer")),
        opponents=_opponents(data),
        meter=_optional(data, "meter", "", _count),
    )


def _suggestion(data: dict[str, object]) -> tbp.TbpSuggestion:
    return tbp.TbpSuggestion(
        moves=_list(_part(data, "moves"), "moves", _move, MAX_MOVES),
        move_info=_move_info(data.get("move_info")),
    )


def _play(data: dict[str, object]) -> tbp.TbpPlay:
    return tbp.TbpPlay(
        _move(_part(data, "move"), "move"),
        _opponents(data),
        _optional(data, "meter", "", _count),
    )


def _garbage(data: dict[str, object]) -> tbp.TbpGarbage:
    return tbp.TbpGarbage(_list(_part(data, "rows"), "rows", _garbage_row, MAX_ROWS))


def _new_piece(data: dict[str, object]) -> tbp.TbpNewPiece:
    return tbp.TbpNewPiece(_piece(_part(data, "piece"), "piece"))


_READERS: Final[dict[str, Callable[[dict[str, object]], tbp.TbpMessage]]] = {
    "info": _info,
    "ready": lambda _: tbp.TbpReady(),
    "error": _error,
    "suggestion": _suggestion,
    "rules": _rules,
    "start": _start,
    "suggest": lambda _: tbp.TbpSuggest(),
    "play": _play,
    "new_piece": _new_piece,
    "garbage": _garbage,
    "stop": lambda _: tbp.TbpStop(),
    "quit": lambda _: tbp.TbpQuit(),
}


# --- parts --------------------------------------------------------------------------------------

_PIECES: Final[dict[str, tbp.PieceLetter]] = {
    **{letter: letter for letter in tbp.PIECE_LETTERS},
    **{letter.lower(): letter for letter in tbp.PIECE_LETTERS},
}
_FILLED: Final[tbp.Cell] = "G"
_EMPTY_ROW: Final[tbp.Row] = (None,) * WIDTH
_ORIENTATIONS: Final[dict[str, tbp.Orientation]] = {
    "north": "north",
    "east": "east",
    "south": "south",
    "west": "west",
}
_INPUTS: Final[dict[str, tbp.InputName]] = {
    "left": "left",
    "right": "right",
    "ccw": "ccw",
    "cw": "cw",
    "flip": "flip",
    "sonic": "sonic",
}
_SPINS: Final[dict[str, tbp.SpinName]] = {"none": "none", "mini": "mini", "full": "full"}
_RANDOMIZERS: Final[dict[str, tbp.RandomizerName]] = {
    "uniform": "uniform",
    "seven_bag": "seven_bag",
    "7-bag": "seven_bag",  # the extension's first draft
    "general_bag": "general_bag",
}


def _piece(value: object, path: str) -> tbp.PieceLetter:
    piece = _PIECES.get(value) if isinstance(value, str) else None
    if piece is None:
        raise _WrongError(
            path, f"{describe_value(value)} is no piece; expected one of {_listed(_CAPITALS)}"
        )
    return piece


def _row(value: object, path: str) -> tbp.Row:
    if not isinstance(value, list):
        raise _WrongError(path, f"expected a list of cells, not {describe_value(value)}")
    cells = cast("list[object]", value)
    if len(cells) != WIDTH:
        raise _WrongError(path, f"a row has {WIDTH} cells, not {len(cells)}")
    if cells.count(None) == WIDTH:
        return _EMPTY_ROW
    return tuple([_cell(cell) for cell in cells])


def _garbage_row(value: object, path: str) -> tbp.Row:
    row = _row(value, path)
    if None not in row:
        raise _WrongError(path, "a garbage row has at least one empty cell")
    return row


def _cell(value: object) -> tbp.Cell:
    # Everything but null is a filled cell.
    if value is None:
        return None
    return _PIECES.get(value, _FILLED) if isinstance(value, str) else _FILLED


def _move(value: object, path: str) -> tbp.TbpMove:
    data = _object(value, path)
    location = _object(_part(data, "location", path), f"{path}.location")
    place = f"{path}.location"
    spin = data.get("spin")
    return tbp.TbpMove(
        tbp.TbpLocation(
            type=_piece(_part(location, "type", place), f"{place}.type"),
            orientation=_choice(
                _part(location, "orientation", place), f"{place}.orientation", _ORIENTATIONS
            ),
            x=_coordinate(_part(location, "x", place), f"{place}.x"),
            y=_coordinate(_part(location, "y", place), f"{place}.y"),
        ),
        "none" if spin is None else _choice(spin, f"{path}.spin", _SPINS),
        _optional(data, "inputs", path, _inputs),
    )


def _inputs(value: object, path: str) -> tuple[tbp.InputName, ...]:
    return _list(value, path, lambda name, where: _choice(name, where, _INPUTS), MAX_INPUTS)


def _opponents(data: dict[str, object]) -> tuple[tbp.TbpOpponent, ...] | UnsetType:
    def read(value: object, path: str) -> tuple[tbp.TbpOpponent, ...]:
        return _list(value, path, _opponent, MAX_OPPONENTS)

    return _optional(data, "opponents", "", read)


def _opponent(value: object, path: str) -> tbp.TbpOpponent:
    data = _object(value, path)
    hold: tbp.PieceLetter | UnsetType | None = _optional(data, "hold", path, _piece)
    return tbp.TbpOpponent(
        hold=None if "hold" in data and data["hold"] is None else hold,
        queue=_optional(data, "queue", path, lambda v, at: _list(v, at, _piece, MAX_QUEUE)),
        combo=_optional(data, "combo", path, _count),
        back_to_back=_optional(data, "back_to_back", path, _back_to_back),
        board=_optional(data, "board", path, lambda v, at: _list(v, at, _row, MAX_ROWS)),
        meter=_optional(data, "meter", path, _count),
    )


def _move_info(value: object) -> tbp.TbpMoveInfo | UnsetType:
    # The statistics are for people; an error in them must not lose a game.
    if not isinstance(value, dict):
        return UNSET
    data = cast("dict[str, object]", value)
    extra = data.get("extra")
    return tbp.TbpMoveInfo(
        nodes=_figure(data.get("nodes")),
        nps=_figure(data.get("nps")),
        depth=_figure(data.get("depth")),
        extra=extra if isinstance(extra, str) else None,
    )


def _figure(value: object) -> tbp.Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _randomizer_name(value: object) -> tbp.RandomizerName:
    return _RANDOMIZERS.get(value, "unknown") if isinstance(value, str) else "unknown"


def _randomizer(value: object) -> tbp.TbpRandomizer | UnsetType:
    if value is None:
        return UNSET
    path = "randomizer"
    data = _object(value, path)
    name = _randomizer_name(data.get("type"))
    if name == "uniform":
        return tbp.UniformRandomizer()
    if name == "seven_bag":
        # The key of the extension's first draft was `bag`.
        key = "bag" if "bag" in data and "bag_state" not in data else "bag_state"
        path = f"{path}.{key}"
        state = _list(_part(data, key, "randomizer"), path, _piece, MAX_QUEUE)
        # Some clients send an empty bag for the next full one. The order is irrelevant.
        return tbp.SevenBagRandomizer(tuple(dict.fromkeys(state)) or tbp.PIECE_LETTERS)
    if name == "general_bag":
        filled = _counts(_part(data, "filled_bag", path), f"{path}.filled_bag")
        current = _counts(_part(data, "current_bag", path), f"{path}.current_bag")
        if not any(filled.values()):
            raise _WrongError(f"{path}.filled_bag", "a full bag holds at least one piece")
        return tbp.GeneralBagRandomizer(current if any(current.values()) else filled, filled)
    return tbp.UnknownRandomizer()


def _counts(value: object, path: str) -> dict[tbp.PieceLetter, int]:
    data = _object(value, path)
    counts = dict.fromkeys(tbp.PIECE_LETTERS, 0)
    for key, number in data.items():
        if key in _PIECES:
            counts[_PIECES[key]] = _count(number, f"{path}.{key}")
    return counts


def _back_to_back(value: object, path: str) -> bool | int:
    if isinstance(value, bool):
        return value
    return _count(value, path)


def _without_extras(data: dict[str, object], path: str) -> dict[str, object] | None:
    """Return the message without the part of the versus dialect that holds this path."""
    first = path.partition("[")[0].partition(".")[0]
    if first in {"opponents", "meter"}:
        return {key: value for key, value in data.items() if key != first}
    if ".inputs" not in path:
        return None
    if isinstance(data.get("move"), dict):
        move = cast("dict[str, object]", data["move"])
        return {**data, "move": _without_inputs(move)}
    moves = cast("list[object]", data["moves"])
    return {**data, "moves": [_without_inputs(move) for move in moves]}


def _without_inputs(move: object) -> object:
    if not isinstance(move, dict):
        return move
    data = cast("dict[str, object]", move)
    return {key: value for key, value in data.items() if key != "inputs"}


# --- values -------------------------------------------------------------------------------------


class _WrongError(Exception):
    def __init__(self, path: str, what: str) -> None:
        super().__init__(path, what)
        self.path = path
        self.what = what


_CAPITALS: Final = tbp.PIECE_LETTERS


def _part(data: dict[str, object], key: str, path: str = "") -> object:
    try:
        return data[key]
    except KeyError:
        raise _WrongError(f"{path}.{key}" if path else key, "is missing") from None


def _optional(
    data: dict[str, object], key: str, path: str, read: Callable[[Any, str], T]
) -> T | UnsetType:
    """Read a part that may be missing or null."""
    value = data.get(key)
    return UNSET if value is None else read(value, f"{path}.{key}" if path else key)


def _object(value: object, path: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _WrongError(path, f"expected an object, not {describe_value(value)}")
    return cast("dict[str, object]", value)


def _list(value: object, path: str, read: Callable[[Any, str], T], longest: int) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise _WrongError(path, f"expected a list, not {describe_value(value)}")
    items = cast("list[object]", value)
    if len(items) > longest:
        raise _WrongError(path, f"has {len(items)} entries; at most {longest} are read")
    return tuple([read(item, f"{path}[{i}]") for i, item in enumerate(items)])


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _WrongError(path, f"expected a text, not {describe_value(value)}")
    return value


def _words(value: object, path: str) -> str:
    """Read a text for people; a missing text or a number such as a version is accepted."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return _text(value, path)


def _choice(value: object, path: str, choices: dict[str, T]) -> T:
    choice = choices.get(value) if isinstance(value, str) else None
    if choice is None:
        raise _WrongError(path, f"{describe_value(value)} is none of {_listed(choices)}")
    return choice


def _coordinate(value: object, path: str) -> int:
    number = _whole(value)
    if number is None or abs(number) > MAX_COORDINATE:
        raise _WrongError(
            path,
            f"expected a whole number from {-MAX_COORDINATE} to {MAX_COORDINATE}, "
            f"not {describe_value(value)}",
        )
    return number


def _count(value: object, path: str) -> int:
    """Read a count; a missing or negative one (some start at -1) is 0."""
    if value is None:
        return 0
    if isinstance(value, float) and math.isfinite(value):
        value = math.floor(value)
    number = _whole(value)
    if number is None:
        raise _WrongError(path, f"expected a whole number, not {describe_value(value)}")
    return min(max(number, 0), MAX_COUNT)


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _listed(choices: Iterable[str]) -> str:
    return " ".join(choices)
