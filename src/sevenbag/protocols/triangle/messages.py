"""The messages of the Triangle.js adapter protocol, as its hosts really speak it.

Attributes are named as in Python; on the wire they are camelCase. How messages become lines is in
`wire`; what else than the strict form is understood, in `reading`. Facts are of Triangle.js 4.2.6
and its main branch of May 2026.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from sevenbag.errors import ProtocolError

if TYPE_CHECKING:
    from msgspec.structs import StructConfig

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

PIECE_LETTERS: Final[tuple[PieceLetter, ...]] = ("i", "o", "t", "l", "j", "s", "z")
KEY_NAMES: Final[tuple[KeyName, ...]] = (
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
)
"""The keys of a move. ``softDrop`` falls to the floor; there is no fall by a single row."""
KEY_ALIASES: Final[dict[str, KeyName]] = {
    "rotateClockwise": "rotateCW",
    "rotateCounterclockwise": "rotateCCW",
}
"""Names of keys that the published text has, and no host knows."""

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

        Returns: None where there is no data.

        Raises:
            ProtocolError: the data is not of that type; `path` says where.
        """
        if self.data is UNSET:
            return None
        try:
            return msgspec.convert(self.data, kind)
        except msgspec.ValidationError as error:
            what, _, place = str(error).partition(" - at `")
            path = "data" + place.removesuffix("`").removeprefix("$")
            raise ProtocolError(what, path, str(self.__struct_config__.tag)) from None


# --- messages of the bot ------------------------------------------------------------------------


class TriangleInfo(_Message, frozen=True, kw_only=True, tag="info"):
    """The bot's introduction: its first message, sent without a question."""

    name: str
    version: str
    author: str
    data: object | UnsetType = UNSET


class TriangleMove(_Message, frozen=True, kw_only=True, tag="move"):
    """The answer to a `TrianglePlay`: keys to press, in order.

    Attributes:
        keys: of `KEY_NAMES`; unchecked. UNSET if the field is missing, at which Triangle.js
            ends the game.
    """

    keys: tuple[str, ...] | UnsetType
    data: object | UnsetType = UNSET


# --- messages of the host -----------------------------------------------------------------------


class TriangleConfig(_Message, frozen=True, kw_only=True, tag="config"):
    """The rules of the room and the first pieces; sent once, right after `Info`.

    Attributes:
        board_width: columns.
        board_height: rows that are seen; twenty more lie above.
        kicks: the rotation system, as Triangle.js calls it.
        spins: which placements count as spins.
        combo_table: what clears in a row send.
        b2b_charging: whether a long back-to-back chain is sent as it breaks. On the wire
            ``b2bCharing`` in every release and in triangle-rs, ``b2bCharging`` since: both are
            read, and both are written.
        b2b_charge_at: longer chains than this are sent; 0 to disable it.
        b2b_charge_base: lines that are sent on top of it.
        b2b_chaining: whether a longer chain adds more to each clear.
        garbage_multiplier: factor on all that is sent, at the start.
        garbage_cap: lines that may enter at a lock, at the start. Triangle.js has the multiplier
            here; the cap of `TrianglePlay` is right.
        garbage_special_bonus: whether a difficult clear of a garbage line sends one more.
        pc_b2b: what a perfect clear adds to the chain.
        pc_garbage: lines that it sends; both 0 if it sends nothing.
        queue: upcoming pieces. The current one, which is the first of the game, is not among them.
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
    """The whole position. Some hosts send it before each question, Triangle.js after garbage only.

    Attributes:
        board: rows from the bottom, those above the visible ones included.
        current: the piece to be placed; it is not on the board.
        hold: the held piece.
        queue: upcoming pieces, the current one not among them.
        garbage: attacks that wait, in order, in lines.
        combo: clears in a row; -1 at rest, 0 after the first.
        b2b: difficult clears in a row; -1 at rest, 0 after the first.
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
        garbage_cap: lines that may enter at this lock.
        garbage_multiplier: factor on all that is sent now.
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
