"""Tolerant reader of Triangle.js adapter messages from plain data.

Hosts and the published text have harmless differences: both spellings of the charging field,
objects and lists in place of names, pieces in either case, ``data`` missing or null, boards of
other heights, cells with other names. They are accepted here, in one place. Invalid data raises
`ProtocolError` with its path.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from msgspec import UNSET, UnsetType

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import describe_value
from sevenbag.protocols.triangle import messages as triangle

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ROWS: Final = 84
MAX_WIDTH: Final = 64
MAX_QUEUE: Final = 512
MAX_ATTACKS: Final = 4096
MAX_KEYS: Final = 1024
MAX_KEY_LENGTH: Final = 64
MAX_COUNT: Final = 1_000_000

T = TypeVar("T")


def read_message(content: object) -> triangle.TriangleMessage | None:
    """Read a message from plain data; None if it is none, or of an unknown type.

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
        raise ProtocolError(f"{wrong.what} (in a {kind} message)", wrong.path, str(kind)) from None


# --- one reader for each message ----------------------------------------------------------------


def _info(data: dict[str, object]) -> triangle.TriangleInfo:
    return triangle.TriangleInfo(
        name=_words(data.get("name"), "name"),
        version=_words(data.get("version"), "version"),
        author=_words(data.get("author"), "author"),
        data=_data(data),
    )


def _move(data: dict[str, object]) -> triangle.TriangleMove:
    keys = data.get("keys")
    read = UNSET if keys is None else _list(keys, "keys", _key, MAX_KEYS)
    return triangle.TriangleMove(keys=read, data=_data(data))


def _config(data: dict[str, object]) -> triangle.TriangleConfig:
    charging = data.get("b2bCharging")
    if charging is None:
        charging = data.get("b2bCharing")  # as every release spells it
    like = triangle.TriangleConfig()
    return triangle.TriangleConfig(
        board_width=_size(data, "boardWidth", like.board_width, MAX_WIDTH),
        board_height=_size(data, "boardHeight", like.board_height, MAX_ROWS),
        kicks=_kicks(data.get("kicks"), like.kicks),
        spins=_named(data.get("spins"), _SPINS, like.spins),
        combo_table=_named(data.get("comboTable"), _COMBO_TABLES, like.combo_table),
        b2b_charging=_truth(charging, "b2bCharging", unsaid=False),
        b2b_charge_at=_count(data, "b2bChargeAt", 0),
        b2b_charge_base=_count(data, "b2bChargeBase", 0),
        b2b_chaining=_truth(data.get("b2bChaining"), "b2bChaining", unsaid=False),
        garbage_multiplier=_number(data, "garbageMultiplier", like.garbage_multiplier),
        garbage_cap=_number(data, "garbageCap", like.garbage_cap),
        garbage_special_bonus=_truth(
            data.get("garbageSpecialBonus"), "garbageSpecialBonus", unsaid=False
        ),
        pc_b2b=_count(data, "pcB2b", 0),
        pc_garbage=_count(data, "pcGarbage", 0),
        queue=_list(_part(data, "queue"), "queue", _piece, MAX_QUEUE),
        data=_data(data),
    )


def _state(data: dict[str, object]) -> triangle.TriangleState:
    hold = data.get("hold")
    board = _list(_part(data, "board"), "board", _row, MAX_ROWS)
    for y, row in enumerate(board):
        if len(row) != len(board[0]):
            what = f"has {len(row)} cells, where row 0 has {len(board[0])}"
            raise _WrongError(f"board[{y}]", what)
    garbage = data.get("garbage")
    return triangle.TriangleState(
        board=board,
        current=_piece(_part(data, "current"), "current"),
        hold=None if hold is None else _piece(hold, "hold"),
        queue=_list(_part(data, "queue"), "queue", _piece, MAX_QUEUE),
        garbage=() if garbage is None else _list(garbage, "garbage", _lines, MAX_ATTACKS),
        combo=_count(data, "combo", -1),
        b2b=_count(data, "b2b", -1),
        data=_data(data),
    )


def _pieces(data: dict[str, object]) -> triangle.TrianglePieces:
    pieces = _list(_part(data, "pieces"), "pieces", _piece, MAX_QUEUE)
    return triangle.TrianglePieces(pieces=pieces, data=_data(data))


def _play(data: dict[str, object]) -> triangle.TrianglePlay:
    like = triangle.TrianglePlay()
    return triangle.TrianglePlay(
        garbage_cap=_number(data, "garbageCap", like.garbage_cap),
        garbage_multiplier=_number(data, "garbageMultiplier", like.garbage_multiplier),
        data=_data(data),
    )


_READERS: Final[dict[str, Callable[[dict[str, object]], triangle.TriangleMessage]]] = {
    "info": _info,
    "move": _move,
    "config": _config,
    "state": _state,
    "pieces": _pieces,
    "play": _play,
}


# --- parts --------------------------------------------------------------------------------------

_PIECES: Final[dict[str, triangle.PieceLetter]] = {
    **{letter: letter for letter in triangle.PIECE_LETTERS},
    **{letter.upper(): letter for letter in triangle.PIECE_LETTERS},
}
_CELLS: Final[dict[str, triangle.Cell]] = {
    **_PIECES,
    "bomb": "bomb",
    # From the published text and the demo bot in Rust.
    **dict.fromkeys(("empty", "", ".", " ", "_")),
}
_SPINS: Final[dict[str, triangle.SpinsName]] = {
    "t-spins": "T-spins",
    "t-spins+": "T-spins+",
    "all": "all",
    "all+": "all+",
    "all-mini": "all-mini",
    "all-mini+": "all-mini+",
    "mini-only": "mini-only",
    "handheld": "handheld",
    "stupid": "stupid",
    "none": "none",
}
_COMBO_TABLES: Final[dict[str, triangle.ComboTableName]] = {
    "multiplier": "multiplier",
    "classic-guideline": "classic guideline",
    "modern-guideline": "modern guideline",
    "none": "none",
}


def _data(data: dict[str, object]) -> object | UnsetType:
    # triangle-rs writes null for no data.
    value = data.get("data")
    return UNSET if value is None else value


def _key(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _WrongError(path, f"expected the name of a key, not {describe_value(value)}")
    return value[:MAX_KEY_LENGTH]


def _kicks(value: object, otherwise: str) -> str:
    """Return a name without validation, which is left to the receiver."""
    if value is None:
        return otherwise
    return value.strip()[:MAX_KEY_LENGTH] if isinstance(value, str) else describe_value(value)


def _named(value: object, names: dict[str, T], otherwise: T) -> T:
    """Read a name; an object or a list of the published text becomes the usual value."""
    if not isinstance(value, str):
        return otherwise
    plain = value.strip().casefold().replace(" ", "-").replace("_", "-")
    return names.get(plain, otherwise)


def _piece(value: object, path: str) -> triangle.PieceLetter:
    piece = _PIECES.get(value) if isinstance(value, str) else None
    if piece is None:
        raise _WrongError(
            path,
            f"{describe_value(value)} is no piece; "
            f"expected one of {' '.join(triangle.PIECE_LETTERS)}",
        )
    return piece


def _row(value: object, path: str) -> triangle.Row:
    if not isinstance(value, list):
        raise _WrongError(path, f"expected a list of cells, not {describe_value(value)}")
    cells = cast("list[object]", value)
    if not 1 <= len(cells) <= MAX_WIDTH:
        raise _WrongError(path, f"has {len(cells)} cells; expected 1 to {MAX_WIDTH}")
    return tuple([_cell(cell) for cell in cells])


def _cell(value: object) -> triangle.Cell:
    # Everything but null and the known names of empty cells is a filled cell.
    if value is None:
        return None
    return _CELLS.get(value, "gb") if isinstance(value, str) else "gb"


def _lines(value: object, path: str) -> int:
    number = _whole(value)
    if number is None or number < 0:
        raise _WrongError(path, f"expected a number of lines, not {describe_value(value)}")
    return min(number, MAX_COUNT)


# --- values -------------------------------------------------------------------------------------


class _WrongError(Exception):
    def __init__(self, path: str, what: str) -> None:
        super().__init__(path, what)
        self.path = path
        self.what = what


def _part(data: dict[str, object], key: str) -> object:
    if data.get(key) is None:
        raise _WrongError(key, "is missing")
    return data[key]


def _list(value: object, path: str, read: Callable[[Any, str], T], longest: int) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise _WrongError(path, f"expected a list, not {describe_value(value)}")
    items = cast("list[object]", value)
    if len(items) > longest:
        raise _WrongError(path, f"has {len(items)} entries; at most {longest} are read")
    return tuple([read(item, f"{path}[{i}]") for i, item in enumerate(items)])


def _words(value: object, path: str) -> str:
    """Read a text for people; a missing text or a number such as a version is accepted."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _WrongError(path, f"expected a text, not {describe_value(value)}")
    return value


def _truth(value: object, path: str, *, unsaid: bool) -> bool:
    if value is None:
        return unsaid
    if isinstance(value, bool | int | float):
        return bool(value)
    raise _WrongError(path, f"expected true or false, not {describe_value(value)}")


def _size(data: dict[str, object], key: str, otherwise: int, most: int) -> int:
    value = data.get(key)
    if value is None:
        return otherwise
    number = _whole(value)
    if number is None or not 1 <= number <= most:
        raise _WrongError(
            key, f"expected a whole number from 1 to {most}, not {describe_value(value)}"
        )
    return number


def _count(data: dict[str, object], key: str, least: int) -> int:
    """Read a count; missing or too low, it is the minimum."""
    value = data.get(key)
    if value is None:
        return least
    if isinstance(value, bool):
        return int(value)
    number = math.floor(value) if isinstance(value, float) and math.isfinite(value) else value
    if not isinstance(number, int):
        raise _WrongError(key, f"expected a whole number, not {describe_value(value)}")
    return min(max(number, least), MAX_COUNT)


def _number(data: dict[str, object], key: str, otherwise: triangle.Number) -> triangle.Number:
    value = data.get(key)
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise _WrongError(key, f"expected a number, not {describe_value(value)}")
    return min(max(value, 0), MAX_COUNT)


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
