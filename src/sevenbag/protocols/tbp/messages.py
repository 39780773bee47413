"""The messages of TBP, the Tetris Bot Protocol, in their strict form.

Every message of the official text and of its extensions ``randomizer`` and ``move_info``; of the
draft ``garbage``, which a bot has to announce; and what the versus dialect adds to the official
messages: opponents, inputs, a meter of waiting garbage. How they become lines is in `wire`; what
else than the strict form is understood, in `reading`.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

PieceLetter: TypeAlias = Literal["I", "O", "T", "L", "J", "S", "Z"]
Cell: TypeAlias = Literal["I", "O", "T", "L", "J", "S", "Z", "G"] | None
Row: TypeAlias = tuple[Cell, ...]
Orientation: TypeAlias = Literal["north", "east", "south", "west"]
SpinName: TypeAlias = Literal["none", "mini", "full"]
InputName: TypeAlias = Literal["left", "right", "ccw", "cw", "flip", "sonic"]
RandomizerName: TypeAlias = Literal["uniform", "seven_bag", "general_bag", "unknown"]
Number: TypeAlias = int | float

PIECE_LETTERS: Final[tuple[PieceLetter, ...]] = ("I", "O", "T", "L", "J", "S", "Z")

GARBAGE: Final = "garbage"
"""The feature of a bot that understands the message of that name."""
SKIP_SUGGEST: Final = "skip_suggest"
"""The feature of a bot that suggests after each `Start` and `Play`, and is never asked."""
MIN_NODES: Final = "set_min_nodes"
"""The feature of a bot that supports ``min_nodes`` in the rules."""


# --- parts of messages --------------------------------------------------------------------------


class TbpLocation(Struct, frozen=True):
    """Position of a piece: its true-rotation centre, x from the left, y from the bottom row."""

    type: PieceLetter
    orientation: Orientation
    x: int
    y: int


class TbpMove(Struct, frozen=True):
    """A placement; its piece shows if hold is used.

    Attributes:
        location: where it lies.
        spin: whether it is to be a spin.
        inputs: in the versus dialect, the way there from where the piece appears; what follows is
            a hard drop.
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
        current_bag: how many of each are still to come after the last of the queue.
        filled_bag: how many of each are in a full bag.
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
        hold: the held piece.
        queue: upcoming pieces, the current one first.
        combo: consecutive clearing placements so far.
        back_to_back: difficult clears in a row; a truth value says only whether there are any.
        board: rows from the bottom, as many as there are.
        meter: lines of garbage that wait.
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


# --- messages of the bot ------------------------------------------------------------------------


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


# --- messages of the frontend -------------------------------------------------------------------


class TbpRules(Struct, frozen=True, tag_field="type", tag="rules"):
    """The rules in force, as far as the protocol has them.

    Attributes:
        randomizer: how the pieces come; left out, nothing is known of it.
        garbage: that messages of that name may come; only to bots that announce it.
        min_nodes: how many nodes a bot is to look at before it answers; only to bots that
            announce it.
    """

    randomizer: RandomizerName | UnsetType = UNSET
    garbage: Literal["general"] | UnsetType = UNSET
    min_nodes: int | UnsetType = UNSET


class TbpStart(Struct, frozen=True, tag_field="type", tag="start"):
    """The position to search.

    Attributes:
        hold: the held piece.
        queue: upcoming pieces; the first is the current one.
        combo: consecutive clearing placements so far.
        back_to_back: whether it is active; the versus dialect sends a count.
        board: rows from the bottom, 40 of 10 cells; other numbers of rows are read.
        randomizer: its state after the last piece of the queue.
        opponents: the other players, in the versus dialect.
        meter: lines of garbage that wait, in the versus dialect.
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

    A draft that was never made part of the text; only for bots that announce `GARBAGE`.

    Attributes:
        rows: of 10 cells, none of them full.
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
