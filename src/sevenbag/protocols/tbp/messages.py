"""Messages of TBP, the Tetris Bot Protocol: types, encoding, and a tolerant reader.

The types have the strict form of the official text, of its extensions ``randomizer`` and
``move_info``, of the draft ``garbage``, which bots announce as a feature, and of the versus
dialect, which adds opponents, inputs and a garbage meter.

The reader accepts harmless differences of existing programs: pieces in lower case, boards of other
heights, cells with other marks, numbers for truth values, missing parts, the names of the first
draft of ``randomizer``. Anything else that is invalid raises `ProtocolError` with its path.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType

from sevenbag.protocols.json_lines import (
    Deviation,
    FieldReader,
    InvalidValueError,
    JsonObject,
    ReadValue,
    as_integer,
    check_fields,
    choice_of,
    count_from,
    integer_from,
    invalid,
    list_of,
    one_of,
    parse_line,
    read_fields,
    read_label,
    read_object,
    read_plain_list,
    read_text,
    to_plain_data,
)

PieceLetter: TypeAlias = Literal["I", "O", "T", "L", "J", "S", "Z"]
Cell: TypeAlias = Literal["I", "O", "T", "L", "J", "S", "Z", "G"] | None
Row: TypeAlias = tuple[Cell, ...]
Orientation: TypeAlias = Literal["north", "east", "south", "west"]
SpinName: TypeAlias = Literal["none", "mini", "full"]
InputName: TypeAlias = Literal["left", "right", "ccw", "cw", "flip", "sonic"]
RandomizerName: TypeAlias = Literal["uniform", "seven_bag", "general_bag", "unknown"]
Number: TypeAlias = int | float

PIECE_LETTERS: Final[tuple[PieceLetter, ...]] = get_args(PieceLetter)

GARBAGE: Final = "garbage"
"""Feature of bots that understand the message of this name."""
SKIP_SUGGEST: Final = "skip_suggest"
"""Feature of bots that suggest after each `TbpStart` and `TbpPlay` without being asked."""
MIN_NODES: Final = "set_min_nodes"
"""Feature of bots that support ``min_nodes`` in the rules."""


class TbpLocation(Struct, frozen=True):
    """Position of a piece: its true-rotation centre, x from the left, y from the bottom row."""

    type: PieceLetter
    orientation: Orientation
    x: int
    y: int


class TbpMove(Struct, frozen=True):
    """A placement; its piece shows if hold is used.

    Attributes:
        spin: expected spin.
        inputs: inputs from the spawn position in the versus dialect; a hard drop follows.
    """

    location: TbpLocation
    spin: SpinName = "none"
    inputs: tuple[InputName, ...] | UnsetType = UNSET


class UniformRandomizer(Struct, frozen=True, tag_field="type", tag="uniform"):
    """Independent pieces with little or no bias."""


class SevenBagRandomizer(Struct, frozen=True, tag_field="type", tag="seven_bag"):
    """Bags of one piece of each kind.

    Attributes:
        bag_state: pieces still to come in the bag after the last of the queue; never empty.
    """

    bag_state: tuple[PieceLetter, ...]


class GeneralBagRandomizer(Struct, frozen=True, tag_field="type", tag="general_bag"):
    """Bags with any number of each piece.

    Attributes:
        current_bag: number of each piece still to come after the last of the queue.
        filled_bag: number of each piece in a full bag.
    """

    current_bag: dict[PieceLetter, int]
    filled_bag: dict[PieceLetter, int]


class UnknownRandomizer(Struct, frozen=True, tag_field="type", tag="unknown"):
    """An unknown randomizer."""


TbpRandomizer: TypeAlias = (
    UniformRandomizer | SevenBagRandomizer | GeneralBagRandomizer | UnknownRandomizer
)


class TbpOpponent(Struct, frozen=True):
    """Another player in the versus dialect; every part may be missing.

    Attributes:
        back_to_back: number of difficult clears in a row, or true if there are any.
        board: any number of rows from the bottom.
        meter: lines of pending garbage.
    """

    hold: PieceLetter | UnsetType | None = UNSET
    queue: tuple[PieceLetter, ...] | UnsetType = UNSET
    combo: int | UnsetType = UNSET
    back_to_back: bool | int | UnsetType = UNSET
    board: tuple[Row, ...] | UnsetType = UNSET
    meter: int | UnsetType = UNSET


class TbpMoveInfo(Struct, frozen=True, omit_defaults=True):
    """Search statistics of a bot; each bot counts in its own way."""

    nodes: Number | None = None
    nps: Number | None = None
    depth: Number | None = None
    extra: str | None = None


class TbpInfo(Struct, frozen=True, tag_field="type", tag="info"):
    """The bot's introduction: its first message, sent without a question."""

    name: str
    version: str
    author: str
    features: tuple[str, ...] = ()


class TbpReady(Struct, frozen=True, tag_field="type", tag="ready"):
    """Acceptance of the rules; a position may follow."""


class TbpError(Struct, frozen=True, tag_field="type", tag="error"):
    """Rejection of the rules; the text defines one reason, ``unsupported_rules``."""

    reason: str


class TbpSuggestion(Struct, frozen=True, tag_field="type", tag="suggestion"):
    """Moves in order of preference; the bot resigns if all are illegal."""

    moves: tuple[TbpMove, ...]
    move_info: TbpMoveInfo | UnsetType = UNSET


class TbpRules(Struct, frozen=True, tag_field="type", tag="rules"):
    """The rules in force, as far as the protocol has them.

    Attributes:
        randomizer: order of the pieces; unknown if absent.
        garbage: set if `TbpGarbage` messages may follow; only for bots that announce `GARBAGE`.
        min_nodes: nodes to search before an answer; only for bots that announce `MIN_NODES`.
    """

    randomizer: RandomizerName | UnsetType = UNSET
    garbage: Literal["general"] | UnsetType = UNSET
    min_nodes: int | UnsetType = UNSET


class TbpStart(Struct, frozen=True, tag_field="type", tag="start"):
    """The position to search.

    Attributes:
        queue: upcoming pieces; the first is the current one.
        back_to_back: true if it is active; the versus dialect sends a count.
        board: 40 rows of 10 cells from the bottom; other numbers of rows are accepted.
        randomizer: state after the last piece of the queue.
        opponents: other players, in the versus dialect.
        meter: lines of pending garbage, in the versus dialect.
    """

    hold: PieceLetter | None
    queue: tuple[PieceLetter, ...]
    combo: int
    back_to_back: bool | int
    board: tuple[Row, ...]
    randomizer: TbpRandomizer | UnsetType = UNSET
    opponents: tuple[TbpOpponent, ...] | UnsetType = UNSET
    meter: int | UnsetType = UNSET


class TbpSuggest(Struct, frozen=True, tag_field="type", tag="suggest"):
    """A question for moves."""


class TbpPlay(Struct, frozen=True, tag_field="type", tag="play"):
    """The move that was made; ``opponents`` and ``meter`` as in `TbpStart`."""

    move: TbpMove
    opponents: tuple[TbpOpponent, ...] | UnsetType = UNSET
    meter: int | UnsetType = UNSET


class TbpNewPiece(Struct, frozen=True, tag_field="type", tag="new_piece"):
    """The piece that joined the end of the queue."""

    piece: PieceLetter


class TbpGarbage(Struct, frozen=True, tag_field="type", tag="garbage"):
    """Rows that entered from below, in this order: the last one is the new bottom row.

    The message is a draft; only bots that announce `GARBAGE` receive it.

    Attributes:
        rows: rows of 10 cells with at least one empty cell.
    """

    rows: tuple[Row, ...]


class TbpStop(Struct, frozen=True, tag_field="type", tag="stop"):
    """The end of the game; another `TbpStart` may follow."""


class TbpQuit(Struct, frozen=True, tag_field="type", tag="quit"):
    """The request to exit."""


TbpBotMessage: TypeAlias = TbpInfo | TbpReady | TbpError | TbpSuggestion
TbpFrontendMessage: TypeAlias = (
    TbpRules | TbpStart | TbpSuggest | TbpPlay | TbpNewPiece | TbpGarbage | TbpStop | TbpQuit
)
TbpMessage: TypeAlias = TbpBotMessage | TbpFrontendMessage


def encode(message: TbpMessage, *, spaced: bool = False) -> bytes:
    """Encode a message as one line of JSON with its line end.

    Args:
        message: message to encode.
        spaced: put a space after each colon and comma, as some frontends do.
    """
    if spaced:
        return json.dumps(to_object(message), ensure_ascii=False).encode() + b"\n"
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes | str, *, ignore_extensions: bool = False) -> TbpMessage | None:
    """Decode a line; None for a line that is to be skipped.

    Blank lines, lines without a JSON object and objects of an unknown type are skipped.

    Args:
        line: line with or without its end.
        ignore_extensions: read invalid fields of the versus dialect as absent.

    Raises:
        ProtocolError: the line is longer than `json_lines.MAX_LINE_BYTES`, or a field of a message
            of a known type is missing, has a wrong type or is out of range; `path` names it.
    """
    return from_object(parse_line(line), ignore_extensions=ignore_extensions)


def from_object(content: object, *, ignore_extensions: bool = False) -> TbpMessage | None:
    """Read a message from plain data, for transports that carry objects instead of lines."""
    return read_fields(content, _READERS, ignore_extensions=ignore_extensions)


def to_object(message: TbpMessage | TbpMove) -> dict[str, Any]:
    """Convert a message or a move to plain data, for transports that carry objects."""
    return to_plain_data(message)


def find_deviations(content: object) -> list[Deviation]:
    """Return all deviations of a message from the texts; none for unknown types."""
    return check_fields(content, _READERS, _find_clause)


_ENCODER: Final = msgspec.json.Encoder()
_MAX_ROWS: Final = 256
_MAX_QUEUE: Final = 512
_MAX_MOVES: Final = 4096
_MAX_NODES: Final = 2**53
_MAX_OPPONENTS: Final = 128
_MAX_INPUTS: Final = 256
_MAX_COORDINATE: Final = 1000
_WIDTH: Final = 10
_ROWS: Final = 40
_EMPTY_ROW: Final[Row] = (None,) * _WIDTH
_CELLS: Final = (None, *PIECE_LETTERS, "G")


def _read_info(reader: FieldReader, data: JsonObject) -> TbpInfo:
    return TbpInfo(
        name=reader.field(data, "name", read_label, ""),
        version=reader.field(data, "version", read_label, ""),
        author=reader.field(data, "author", read_label, ""),
        # MisaMino sends null.
        features=reader.field(data, "features", _read_texts, ()),
    )


def _read_error(reader: FieldReader, data: JsonObject) -> TbpError:
    # The first draft had no reason; some programs write a sentence.
    return TbpError(reader.field(data, "reason", _read_reason, ""))


def _read_suggestion(reader: FieldReader, data: JsonObject) -> TbpSuggestion:
    return TbpSuggestion(
        reader.required(data, "moves", _read_moves),
        reader.optional(data, "move_info", _read_move_info),
    )


def _read_rules(reader: FieldReader, data: JsonObject) -> TbpRules:
    nodes = as_integer(data.get("min_nodes"))
    return TbpRules(
        reader.optional(data, "randomizer", _read_randomizer_name),
        reader.optional(data, "garbage", _read_garbage_rule),
        UNSET if nodes is None else min(max(nodes, 0), _MAX_NODES),
    )


def _read_start(reader: FieldReader, data: JsonObject) -> TbpStart:
    return TbpStart(
        hold=reader.field(data, "hold", _read_hold, None),
        queue=reader.required(data, "queue", _read_pieces),
        combo=reader.field(data, "combo", _read_count, 0),
        back_to_back=reader.field(data, "back_to_back", _read_back_to_back, 0),
        board=reader.required(data, "board", _read_board),
        randomizer=reader.optional(data, "randomizer", _read_randomizer),
        opponents=reader.extension(data, "opponents", _read_opponents),
        meter=reader.extension(data, "meter", _read_count),
    )


def _read_play(reader: FieldReader, data: JsonObject) -> TbpPlay:
    return TbpPlay(
        reader.required(data, "move", _read_move),
        reader.extension(data, "opponents", _read_opponents),
        reader.extension(data, "meter", _read_count),
    )


def _read_new_piece(reader: FieldReader, data: JsonObject) -> TbpNewPiece:
    return TbpNewPiece(reader.required(data, "piece", _read_piece))


def _read_garbage(reader: FieldReader, data: JsonObject) -> TbpGarbage:
    return TbpGarbage(reader.required(data, "rows", _read_garbage_rows))


_READERS: Final[dict[str, Callable[[FieldReader, JsonObject], TbpMessage]]] = {
    "info": _read_info,
    "ready": lambda _reader, _data: TbpReady(),
    "error": _read_error,
    "suggestion": _read_suggestion,
    "rules": _read_rules,
    "start": _read_start,
    "suggest": lambda _reader, _data: TbpSuggest(),
    "play": _read_play,
    "new_piece": _read_new_piece,
    "garbage": _read_garbage,
    "stop": lambda _reader, _data: TbpStop(),
    "quit": lambda _reader, _data: TbpQuit(),
}


def _find_clause(kind: str, path: str) -> str:
    if path.startswith(("opponents", "meter")):
        return f"versus text, {kind}"
    if path.startswith("move_info"):
        return "0003-move_info"
    if path.startswith("randomizer"):
        return f"0001-randomizer, {kind}"
    if path.startswith(("garbage", "rows")):
        return "0002-garbage (draft)" + (", rules" if kind == "rules" else "")
    if ".inputs" in path:
        return "versus text, move"
    if ".location." in path:
        return "0000-mvp, location"
    return f"0000-mvp, {'move' if path.startswith(('moves[', 'move.')) else kind}"


_PIECES: Final[dict[str, PieceLetter]] = {
    **{letter: letter for letter in PIECE_LETTERS},
    **{letter.lower(): letter for letter in PIECE_LETTERS},
}
_RANDOMIZERS: Final[tuple[RandomizerName, ...]] = get_args(RandomizerName)

_read_count: Final = count_from(0)
_read_coordinate: Final = integer_from(-_MAX_COORDINATE, _MAX_COORDINATE)
_read_texts: Final = list_of(read_text, _MAX_QUEUE)
_read_piece: Final[ReadValue[PieceLetter]] = choice_of(_PIECES, PIECE_LETTERS)
_read_pieces: Final[ReadValue[tuple[PieceLetter, ...]]] = list_of(_read_piece, _MAX_QUEUE)
_read_orientation: Final[ReadValue[Orientation]] = one_of(get_args(Orientation))
_read_spin: Final[ReadValue[SpinName]] = one_of(get_args(SpinName))
_read_input: Final[ReadValue[InputName]] = one_of(get_args(InputName))
_read_inputs: Final[ReadValue[tuple[InputName, ...]]] = list_of(_read_input, _MAX_INPUTS)


def _read_reason(reader: FieldReader, value: object) -> str:
    if not isinstance(value, str):
        reader.expect("a string", value)
        return ""
    if value != "unsupported_rules":
        reader.expect("'unsupported_rules', the only defined reason", value, "warning")
    return value


def _read_hold(reader: FieldReader, value: object) -> PieceLetter | None:
    return None if value is None else _read_piece(reader, value)


def _read_back_to_back(reader: FieldReader, value: object) -> bool | int:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        # The versus dialect has counts.
        reader.expect("true or false", value, "warning")
    elif not isinstance(value, float) or reader.checking:
        raise invalid("true or false", value)
    return _read_count(reader, value)


def _read_difficult_clears(reader: FieldReader, value: object) -> bool | int:
    return value if isinstance(value, bool) else _read_count(reader, value)


def _read_row(_reader: FieldReader, value: object) -> Row:
    if not isinstance(value, list):
        raise invalid("a list of cells", value)
    cells = cast("list[object]", value)
    if len(cells) != _WIDTH:
        raise invalid(f"{_WIDTH} cells", len(cells))
    if cells.count(None) == _WIDTH:
        return _EMPTY_ROW
    return tuple([_read_cell(cell) for cell in cells])


def _read_cell(value: object) -> Cell:
    # Everything but null is a filled cell.
    if value is None:
        return None
    return _PIECES.get(value, "G") if isinstance(value, str) else "G"


def _read_board(reader: FieldReader, value: object) -> tuple[Row, ...]:
    rows = read_plain_list(value, _MAX_ROWS)
    if reader.checking:
        _check_board(reader, rows)
    return reader.items(rows, _read_row)


def _check_board(reader: FieldReader, rows: list[Any]) -> None:
    if len(rows) != _ROWS:
        reader.expect(f"{_ROWS} rows", len(rows))
    for y, row in enumerate(rows):
        cells = cast("list[object]", row) if isinstance(row, list) else []
        for x, cell in enumerate(cells):
            if cell not in _CELLS:
                reader.expect(f"null, a piece or G in cell [{y}][{x}]", cell)
                return


def _read_garbage_row(reader: FieldReader, value: object) -> Row:
    row = _read_row(reader, value)
    if None not in row:
        raise InvalidValueError("expected at least one empty cell")
    return row


def _read_location(reader: FieldReader, value: object) -> TbpLocation:
    data = read_object(reader, value)
    return TbpLocation(
        reader.required(data, "type", _read_piece),
        reader.required(data, "orientation", _read_orientation),
        reader.required(data, "x", _read_coordinate),
        reader.required(data, "y", _read_coordinate),
    )


def _read_move(reader: FieldReader, value: object) -> TbpMove:
    data = read_object(reader, value)
    spin = cast("SpinName", reader.field(data, "spin", _read_spin, "none"))
    return TbpMove(
        reader.required(data, "location", _read_location),
        spin,
        reader.extension(data, "inputs", _read_inputs),
    )


def _read_opponent(reader: FieldReader, value: object) -> TbpOpponent:
    data = read_object(reader, value)
    return TbpOpponent(
        hold=reader.field(data, "hold", _read_hold, None) if "hold" in data else UNSET,
        queue=reader.optional(data, "queue", _read_pieces),
        combo=reader.optional(data, "combo", _read_count),
        back_to_back=reader.optional(data, "back_to_back", _read_difficult_clears),
        board=reader.optional(data, "board", _read_rows),
        meter=reader.optional(data, "meter", _read_count),
    )


def _read_move_info(reader: FieldReader, value: object) -> TbpMoveInfo | UnsetType:
    # The statistics are for display; an error in them must not lose a game.
    if not isinstance(value, dict):
        reader.expect("an object", value)
        return UNSET
    data = cast("JsonObject", value)
    return TbpMoveInfo(
        nodes=_optional_statistic(reader, data, "nodes"),
        nps=_optional_statistic(reader, data, "nps"),
        depth=_optional_statistic(reader, data, "depth"),
        extra=reader.optional(data, "extra", _read_extra) or None,
    )


def _optional_statistic(reader: FieldReader, data: JsonObject, key: str) -> Number | None:
    value = reader.optional(data, key, _read_statistic)
    return None if value is UNSET else value


def _read_statistic(reader: FieldReader, value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        reader.expect("a number", value, "warning")
        return None
    return value


def _read_extra(reader: FieldReader, value: object) -> str | None:
    if isinstance(value, str):
        return value
    reader.expect("a string", value, "warning")
    return None


def _read_garbage_rule(reader: FieldReader, value: object) -> Literal["general"] | UnsetType:
    if value == "general":
        return "general"
    reader.expect("'general'", value)
    return UNSET


def _read_randomizer_name(reader: FieldReader, value: object) -> RandomizerName:
    for name in _RANDOMIZERS:
        if value == name:
            return name
    reader.expect(f"one of {' '.join(_RANDOMIZERS)}", value)
    # The extension's first draft had another name.
    return "seven_bag" if value == "7-bag" else "unknown"


def _read_randomizer(reader: FieldReader, value: object) -> TbpRandomizer:
    data = read_object(reader, value)
    name = reader.field(data, "type", _read_randomizer_name, "unknown")
    if name == "uniform":
        return UniformRandomizer()
    if name == "seven_bag":
        # The key of the extension's first draft was `bag`.
        early = "bag" in data and "bag_state" not in data
        if early:
            reader.field(data, "bag_state", _read_bag, ())
        return SevenBagRandomizer(reader.required(data, "bag" if early else "bag_state", _read_bag))
    if name == "general_bag":
        filled = reader.required(data, "filled_bag", _read_filled_bag)
        current = reader.required(data, "current_bag", partial(_read_current_bag, filled))
        return GeneralBagRandomizer(current, filled)
    return UnknownRandomizer()


def _read_bag(reader: FieldReader, value: object) -> tuple[PieceLetter, ...]:
    pieces = _read_pieces(reader, value)
    if reader.checking and (not pieces or len(set(pieces)) < len(pieces)):
        reader.expect("each piece at most once, and at least one", "".join(map(str, pieces)))
    # Some clients send an empty bag for the next full one. The order is irrelevant.
    return tuple(dict.fromkeys(pieces)) or PIECE_LETTERS


def _read_bag_counts(reader: FieldReader, value: object) -> dict[PieceLetter, int]:
    data = read_object(reader, value)
    counts = dict.fromkeys(PIECE_LETTERS, 0)
    missing = [key for key in PIECE_LETTERS if key not in data] if reader.checking else []
    for key in (*data, *missing):
        if key in _PIECES:
            counts[_PIECES[key]] = reader.required(data, key, _read_count)
    return counts


def _read_filled_bag(reader: FieldReader, value: object) -> dict[PieceLetter, int]:
    counts = _read_bag_counts(reader, value)
    if not any(counts.values()):
        raise InvalidValueError("expected at least one piece")
    return counts


def _read_current_bag(
    filled: dict[PieceLetter, int], reader: FieldReader, value: object
) -> dict[PieceLetter, int]:
    counts = _read_bag_counts(reader, value)
    if not any(counts.values()):
        reader.report("expected at least one piece")
        return filled
    if reader.checking and filled:
        for letter in PIECE_LETTERS:
            if (counts[letter] or 0) > (filled[letter] or 0):
                reader.expect(f"at most {filled[letter]} {letter} as in a full bag", counts[letter])
    return counts


_read_rows: Final = list_of(_read_row, _MAX_ROWS)
_read_garbage_rows: Final = list_of(_read_garbage_row, _MAX_ROWS)
_read_moves: Final = list_of(_read_move, _MAX_MOVES)
_read_opponents: Final = list_of(_read_opponent, _MAX_OPPONENTS)
