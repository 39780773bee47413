"""Messages of the Triangle.js adapter protocol: types, encoding, and a tolerant reader.

Attributes are named as in Python; on the wire they are camelCase. Facts are of Triangle.js 4.2.6
and its main branch of May 2026.

The reader accepts harmless differences of hosts and of the published text: both spellings of the
charging field, objects and lists in place of names, pieces in either case, ``data`` missing or
null, boards of other heights, cells with other names. Anything else that is invalid raises
`ProtocolError` with its path.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar, cast, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import StructConfig

from sevenbag.errors import ProtocolError
from sevenbag.protocols.json_lines import (
    MAX_COUNT,
    Deviation,
    FieldReader,
    JsonObject,
    ReadValue,
    as_integer,
    check_fields,
    choice_of,
    count_from,
    describe_value,
    integer_from,
    invalid,
    list_of,
    parse_line,
    read_fields,
    read_label,
    read_plain_list,
    to_plain_data,
)

PieceLetter: TypeAlias = Literal["i", "o", "t", "l", "j", "s", "z"]
Cell: TypeAlias = Literal["i", "o", "t", "l", "j", "s", "z", "gb", "bomb"] | None
"""``gb`` is garbage; a ``bomb`` lies where a garbage row would have its hole."""
Row: TypeAlias = tuple[Cell, ...]
SpinsName: TypeAlias = Literal[
    "T-spins",
    "T-spins+",
    "all",
    "all+",
    "all-mini",
    "all-mini+",
    "mini-only",
    "handheld",
    "stupid",
    "none",
]
ComboTableName: TypeAlias = Literal["multiplier", "classic guideline", "modern guideline", "none"]
KeyName: TypeAlias = Literal[
    "moveLeft",
    "moveRight",
    "softDrop",
    "hardDrop",
    "rotateCW",
    "rotateCCW",
    "rotate180",
    "hold",
    "dasLeft",
    "dasRight",
]
Number: TypeAlias = int | float

PIECE_LETTERS: Final[tuple[PieceLetter, ...]] = get_args(PieceLetter)
KEY_NAMES: Final[tuple[KeyName, ...]] = get_args(KeyName)
"""Keys of a move. ``softDrop`` falls to the floor; there is no fall by a single row."""
KEY_ALIASES: Final[dict[str, KeyName]] = {
    "rotateClockwise": "rotateCW",
    "rotateCounterclockwise": "rotateCCW",
}
"""Names of keys in the published text that no host knows."""

T = TypeVar("T")


class _HasData(Protocol):
    __struct_config__: ClassVar[StructConfig]

    @property
    def data(self) -> object | UnsetType: ...


class _Message(Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Common part of all messages.

    Each ends with ``data``: custom data of host and bot, plain or of any type that msgspec
    encodes; may be missing.
    """

    def data_as(self: _HasData, kind: type[T]) -> T | None:
        """Return the data as an author's own type: a msgspec Struct, a dataclass, a TypedDict.

        Returns:
            The data; None if the message has none.

        Raises:
            ProtocolError: the data is not of that type; `path` names the field.
        """
        if self.data is UNSET:
            return None
        try:
            return msgspec.convert(self.data, kind)
        except msgspec.ValidationError as error:
            what, _, place = str(error).partition(" - at `")
            path = "data" + place.removesuffix("`").removeprefix("$")
            raise ProtocolError(what, path, str(self.__struct_config__.tag)) from None


class TriangleInfo(_Message, frozen=True, kw_only=True, tag="info"):
    """The bot's introduction: its first message, sent without a question."""

    name: str
    version: str
    author: str
    data: object | UnsetType = UNSET


class TriangleMove(_Message, frozen=True, kw_only=True, tag="move"):
    """The answer to a `TrianglePlay`: keys to press, in order.

    Attributes:
        keys: keys of `KEY_NAMES`, unchecked. UNSET if the field is missing; Triangle.js then ends
            the game.
    """

    keys: tuple[str, ...] | UnsetType
    data: object | UnsetType = UNSET


class TriangleConfig(_Message, frozen=True, kw_only=True, tag="config"):
    """The rules of the room and the first pieces; sent once, right after `TriangleInfo`.

    Attributes:
        board_height: number of visible rows; twenty more lie above.
        kicks: Triangle.js name of the rotation system.
        spins: placements that count as spins.
        combo_table: attack of consecutive clears.
        b2b_charging: send the surge of a long back-to-back chain when it breaks. On the wire
            ``b2bCharing`` in all releases and in triangle-rs, later ``b2bCharging``: both are read
            and written.
        b2b_charge_at: chains longer than this send a surge; 0 disables it.
        b2b_charge_base: additional lines of a surge.
        b2b_chaining: add more to each clear of a longer chain.
        garbage_multiplier: initial attack multiplier.
        garbage_cap: initial limit of lines that enter at a lock. Triangle.js writes the multiplier
            here; the cap of `TrianglePlay` is right.
        garbage_special_bonus: send one more line for a difficult clear of a garbage line.
        pc_b2b: increase of the chain by a perfect clear.
        pc_garbage: attack of a perfect clear.
        queue: upcoming pieces without the current one, which is the first of the game.
    """

    board_width: int = 10
    board_height: int = 20
    kicks: str = "SRS+"
    spins: SpinsName = "all-mini+"
    combo_table: ComboTableName = "multiplier"
    b2b_charging: bool = True
    b2b_charge_at: int = 4
    b2b_charge_base: int = 3
    b2b_chaining: bool = False
    garbage_multiplier: Number = 1
    garbage_cap: Number = 8
    garbage_special_bonus: bool = True
    pc_b2b: int = field(default=1, name="pcB2b")
    pc_garbage: int = 5
    queue: tuple[PieceLetter, ...] = ()
    data: object | UnsetType = UNSET


class TriangleState(_Message, frozen=True, kw_only=True, tag="state"):
    """The position. Some hosts send it before each question, Triangle.js only after garbage.

    Attributes:
        board: rows from the bottom, those above the visible ones included.
        current: piece to be placed; it is not on the board.
        garbage: pending attacks in lines, in order.
        combo: clears in a row; -1 for none, 0 after the first.
        b2b: difficult clears in a row; -1 for none, 0 after the first.
    """

    board: tuple[Row, ...]
    current: PieceLetter
    hold: PieceLetter | None
    queue: tuple[PieceLetter, ...]
    garbage: tuple[int, ...] = ()
    combo: int = -1
    b2b: int = -1
    data: object | UnsetType = UNSET


class TrianglePieces(_Message, frozen=True, kw_only=True, tag="pieces"):
    """The pieces that joined the end of the queue."""

    pieces: tuple[PieceLetter, ...]
    data: object | UnsetType = UNSET


class TrianglePlay(_Message, frozen=True, kw_only=True, tag="play"):
    """A question for a move, which has exactly one answer.

    Attributes:
        garbage_cap: limit of lines that enter at this lock.
        garbage_multiplier: current attack multiplier.
    """

    garbage_cap: Number = 8
    garbage_multiplier: Number = 1
    data: object | UnsetType = UNSET


TriangleBotMessage: TypeAlias = TriangleInfo | TriangleMove
TriangleHostMessage: TypeAlias = TriangleConfig | TriangleState | TrianglePieces | TrianglePlay
TriangleMessage: TypeAlias = TriangleBotMessage | TriangleHostMessage


def format_number(number: float) -> Number:
    """Return the number as JavaScript writes it: an integer without a decimal point."""
    return int(number) if math.isfinite(number) and float(number).is_integer() else number


def encode(message: TriangleMessage) -> bytes:
    """Encode a message as one line of compact JSON with its line end."""
    if isinstance(message, TriangleConfig):
        return _ENCODER.encode(to_object(message)) + b"\n"
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes | str) -> TriangleMessage | None:
    """Decode a line; None for a line that is to be skipped.

    Blank lines, lines without a JSON object and objects of an unknown type are skipped.

    Args:
        line: line with or without its end.

    Raises:
        ProtocolError: the line is longer than `json_lines.MAX_LINE_BYTES`, or a field of a message
            of a known type is missing, has a wrong type or is out of range; `path` names it.
    """
    return from_object(parse_line(line))


def from_object(content: object) -> TriangleMessage | None:
    """Read a message from plain data, for transports that carry objects instead of lines."""
    return read_fields(content, _READERS)


def to_object(message: TriangleMessage) -> dict[str, Any]:
    """Convert a message to plain data, for transports that carry objects instead of lines."""
    content = to_plain_data(message)
    if isinstance(message, TriangleConfig):
        # Old and new bots find the field that they know.
        content["b2bCharing"] = content["b2bCharging"]
    return content


def find_deviations(content: object) -> list[Deviation]:
    """Return all deviations of a message from the published text; none for unknown types."""
    return check_fields(content, _READERS, lambda kind, _: f"published text, {kind}")


_ENCODER: Final = msgspec.json.Encoder()
_MAX_ROWS: Final = 84
_MAX_WIDTH: Final = 64
MAX_QUEUE: Final = 512
_MAX_ATTACKS: Final = 4096
_MAX_KEYS: Final = 1024
_MAX_NAME_LENGTH: Final = 64


def _read_info(reader: FieldReader, data: JsonObject) -> TriangleInfo:
    return TriangleInfo(
        name=reader.field(data, "name", read_label, ""),
        version=reader.field(data, "version", read_label, ""),
        author=reader.field(data, "author", read_label, ""),
        data=_custom_data(data),
    )


def _read_move(reader: FieldReader, data: JsonObject) -> TriangleMove:
    keys = reader.field(data, "keys", _read_keys, None)
    return TriangleMove(keys=UNSET if keys is None else keys, data=_custom_data(data))


def _read_config(reader: FieldReader, data: JsonObject) -> TriangleConfig:
    # Every release has this spelling.
    charging = "b2bCharing" if data.get("b2bCharging") is None else "b2bCharging"
    return TriangleConfig(
        board_width=reader.field(data, "boardWidth", _read_width, 10),
        board_height=reader.field(data, "boardHeight", _read_height, 20),
        kicks=reader.field(data, "kicks", _read_kicks, "SRS+"),
        spins=reader.field(data, "spins", _read_spins, "all-mini+"),
        combo_table=reader.field(data, "comboTable", _read_combo_table, "multiplier"),
        b2b_charging=reader.field(data, charging, _read_flag, False),
        b2b_charge_at=reader.field(data, "b2bChargeAt", _read_count, 0),
        b2b_charge_base=reader.field(data, "b2bChargeBase", _read_count, 0),
        b2b_chaining=reader.field(data, "b2bChaining", _read_flag, False),
        garbage_multiplier=reader.field(data, "garbageMultiplier", _read_number, 1),
        garbage_cap=reader.field(data, "garbageCap", _read_number, 8),
        garbage_special_bonus=reader.field(data, "garbageSpecialBonus", _read_flag, False),
        pc_b2b=reader.field(data, "pcB2b", _read_count, 0),
        pc_garbage=reader.field(data, "pcGarbage", _read_count, 0),
        queue=_require(reader, data, "queue", _read_pieces),
        data=_custom_data(data),
    )


def _read_state(reader: FieldReader, data: JsonObject) -> TriangleState:
    return TriangleState(
        board=_require(reader, data, "board", _read_board),
        current=_require(reader, data, "current", _read_piece),
        hold=reader.field(data, "hold", _read_hold, None),
        queue=_require(reader, data, "queue", _read_pieces),
        garbage=reader.field(data, "garbage", _read_attacks, ()),
        combo=reader.field(data, "combo", _read_chain, -1),
        b2b=reader.field(data, "b2b", _read_chain, -1),
        data=_custom_data(data),
    )


def _read_new_pieces(reader: FieldReader, data: JsonObject) -> TrianglePieces:
    pieces = _require(reader, data, "pieces", _read_pieces)
    return TrianglePieces(pieces=pieces, data=_custom_data(data))


def _read_play(reader: FieldReader, data: JsonObject) -> TrianglePlay:
    return TrianglePlay(
        garbage_cap=reader.field(data, "garbageCap", _read_number, 8),
        garbage_multiplier=reader.field(data, "garbageMultiplier", _read_number, 1),
        data=_custom_data(data),
    )


_READERS: Final[dict[str, Callable[[FieldReader, JsonObject], TriangleMessage]]] = {
    "info": _read_info,
    "move": _read_move,
    "config": _read_config,
    "state": _read_state,
    "pieces": _read_new_pieces,
    "play": _read_play,
}


_PIECES: Final[dict[str, PieceLetter]] = {
    **{letter: letter for letter in PIECE_LETTERS},
    **{letter.upper(): letter for letter in PIECE_LETTERS},
}
_CELLS: Final[dict[str, Cell]] = {
    **_PIECES,
    "bomb": "bomb",
    # From the published text and the demo bot in Rust.
    **dict.fromkeys(("empty", "", ".", " ", "_")),
}

_read_width: Final = integer_from(1, _MAX_WIDTH)
_read_height: Final = integer_from(1, _MAX_ROWS)
_read_piece: Final[ReadValue[PieceLetter]] = choice_of(_PIECES, PIECE_LETTERS)
_read_pieces: Final[ReadValue[tuple[PieceLetter, ...]]] = list_of(_read_piece, MAX_QUEUE)


def _require(reader: FieldReader, data: JsonObject, key: str, read: ReadValue[T]) -> T:
    """Read a required field; null counts as missing."""
    return reader.required({} if data.get(key) is None else data, key, read)


def _custom_data(data: JsonObject) -> object | UnsetType:
    # triangle-rs writes null for no data.
    value = data.get("data")
    return UNSET if value is None else value


def _read_key(_reader: FieldReader, value: object) -> str:
    if not isinstance(value, str):
        raise invalid("the name of a key", value)
    return value[:_MAX_NAME_LENGTH]


def _read_kicks(_reader: FieldReader, value: object) -> str:
    # The receiver validates the name.
    return value.strip()[:_MAX_NAME_LENGTH] if isinstance(value, str) else describe_value(value)


def _names(names: tuple[T, ...], default: T) -> ReadValue[T]:
    """Create a reader of names; an object or list of the published text becomes the default."""
    by_key = {str(name).casefold().replace(" ", "-"): name for name in names}

    def read_name(_reader: FieldReader, value: object) -> T:
        if not isinstance(value, str):
            return default
        key = value.strip().casefold().replace(" ", "-").replace("_", "-")
        return by_key.get(key, default)

    return read_name


def _read_hold(reader: FieldReader, value: object) -> PieceLetter | None:
    return None if value is None else _read_piece(reader, value)


def _read_board(reader: FieldReader, value: object) -> tuple[Row, ...]:
    rows = read_plain_list(value, _MAX_ROWS)
    first = rows[0] if rows else None
    width = len(cast("list[object]", first)) if isinstance(first, list) else 1
    if not 1 <= width <= _MAX_WIDTH:
        raise invalid(f"rows of 1 to {_MAX_WIDTH} cells", width)
    return reader.items(rows, partial(_read_row, width))


def _read_row(width: int, _reader: FieldReader, value: object) -> Row:
    if not isinstance(value, list):
        raise invalid("a list of cells", value)
    cells = cast("list[object]", value)
    if len(cells) != width:
        raise invalid(f"{width} cells as in the first row", len(cells))
    return tuple([_read_cell(cell) for cell in cells])


def _read_cell(value: object) -> Cell:
    # Everything but null and the known names of empty cells is a filled cell.
    if value is None:
        return None
    return _CELLS.get(value, "gb") if isinstance(value, str) else "gb"


def _read_lines(_reader: FieldReader, value: object) -> int:
    number = as_integer(value)
    if number is None or number < 0:
        raise invalid("a number of lines", value)
    return min(number, MAX_COUNT)


def _read_flag(_reader: FieldReader, value: object) -> bool:
    if isinstance(value, bool | int | float):
        return bool(value)
    raise invalid("true or false", value)


def _read_number(_reader: FieldReader, value: object) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise invalid("a number", value)
    return min(max(value, 0), MAX_COUNT)


_read_count: Final = count_from(0)
_read_chain: Final = count_from(-1)
_read_keys: Final = list_of(_read_key, _MAX_KEYS)
_read_attacks: Final = list_of(_read_lines, _MAX_ATTACKS)
_read_spins: Final = _names(get_args(SpinsName), "all-mini+")
_read_combo_table: Final = _names(get_args(ComboTableName), "multiplier")
