"""Messages of the contest's two channels, and their errors.

The command channel carries commands and their answers; the state channel carries states from the
server. All messages are JSON objects with a type in ``comm_type``. A server reads messages of
limited length, and is as strict as the contest's text; unknown fields are ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Meta, Struct

from sevenbag.errors import ProtocolError, shown
from sevenbag.protocols.pason.pason_conversion import MoveName  # msgspec reads the annotations

ErrorKind: TypeAlias = Literal[
    "malformed message",
    "message too large",
    "unknown comm_type",
    "unknown match",
    "unknown team",
    "wrong password",
    "unknown client token",
    "unknown move",
    "match ended",
    "too many moves",
    "too many attempts",
    "server is ending",
    "server fault",
]

ERROR_KINDS: Final[dict[ErrorKind, str]] = {
    "malformed message": (
        "not a JSON object in UTF-8, a field is missing or has another type than in the text,"
        " or the message is too long"
    ),
    "message too large": "the message is larger than the server accepts",
    "unknown comm_type": "the command is neither MatchConnect nor GameMove",
    "unknown match": "the server does not play a match with this match_token",
    "unknown team": "the team does not play in this match; names are case-sensitive",
    "wrong password": "the password is not the team's",
    "unknown client token": "no client was given this client_token",
    "unknown move": "the move is not one of left, right, down, drop, lrotate and rrotate",
    "match ended": "the match of the client_token or match_token is over",
    "too many moves": "more moves per second than the match allows; the move was not executed",
    "too many attempts": "too many password checks of the team are waiting; this one was not made",
    "server is ending": "the server accepts no more clients; the match continues elsewhere",
    "server fault": "internal error of the server; its log has details",
}
"""Values of ``error`` in an `ErrorResp`, with their meanings. The contest's text defines none."""

MOVES: Final[tuple[MoveName, ...]] = ("left", "right", "down", "drop", "lrotate", "rrotate")

MAX_COMMAND_BYTES: Final = 64 << 10
MAX_STATE_BYTES: Final = 64 << 10
"""Maximum bytes of a message; those of the contest have about a hundred."""

_Name: TypeAlias = Annotated[str, Meta(max_length=200)]
_Secret: TypeAlias = Annotated[str, Meta(max_length=1_000)]
# Long texts are not piece numbers. Integers of any size are read but match no piece.
_Digits: TypeAlias = Annotated[str, Meta(max_length=20)]


class MatchConnect(Struct, frozen=True, kw_only=True, tag_field="comm_type"):
    """A team's connection to its match."""

    match_token: _Name
    team_name: _Name
    password: _Secret

    def __repr__(self) -> str:
        # Reprs appear in logs.
        return f"MatchConnect({self.match_token!r}, {self.team_name!r}, password=...)"


class GameMove(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="comm_type"):
    """A move.

    Attributes:
        client_token: token from `MatchConnectResp`.
        move: one of `MOVES`.
        piece_number: number of the piece to move; None or absent for the current piece. Some
            clients sent strings, which the original server did not accept; 7.0 is read as 7.
    """

    client_token: _Name
    move: MoveName
    piece_number: int | _Digits | None = None


Command: TypeAlias = MatchConnect | GameMove


class MatchConnectResp(Struct, frozen=True, kw_only=True, tag_field="comm_type"):
    """The answer to `MatchConnect`: ``ok`` in lower case, which clients compare exactly."""

    resp: str = "ok"
    client_token: str


class GameMoveResp(Struct, frozen=True, kw_only=True, tag_field="comm_type"):
    """The answer to `GameMove`: ``OK`` from the original server, ``ok`` in the text."""

    resp: str = "OK"


class ErrorResp(Struct, frozen=True, kw_only=True, tag_field="comm_type"):
    """An error in place of any answer.

    Attributes:
        error: one of `ERROR_KINDS`, or another text of another server.
    """

    error: str
    message: str


Reply: TypeAlias = MatchConnectResp | GameMoveResp | ErrorResp


class BoardState(Struct, frozen=True, kw_only=True):
    """The board of one team.

    Attributes:
        board_state: see `sevenbag.protocols.pason.pason_conversion`.
        piece_number: number of the piece concerned; -1 for none.
        cleared_rows: rows that were just cleared, as numbered before.
    """

    board_state: str
    piece_number: int | None = -1
    cleared_rows: tuple[int, ...] = ()


class PieceState(Struct, frozen=True, kw_only=True):
    """The piece of one team: its kind, orientation and origin."""

    orient: int
    piece: Literal["O", "I", "S", "Z", "L", "J", "T"]
    number: int
    row: int
    col: int


class _InGame(Struct, frozen=True, kw_only=True):
    """Common part of the messages of a game.

    Attributes:
        game_name: free text.
        sequence: increasing number. An integer; samples in the text have strings.
        timestamp: seconds since 1970.
    """

    game_name: str
    sequence: int | _Digits
    timestamp: float


class GameBoardState(_InGame, frozen=True, kw_only=True, tag_field="comm_type"):
    """Both boards by team; sent when one of them changes."""

    states: dict[str, BoardState]


class GamePieceState(_InGame, frozen=True, kw_only=True, tag_field="comm_type"):
    """Falling pieces by team, None between two pieces, and the upcoming pieces in order."""

    states: dict[str, PieceState | None]
    queue: tuple[str, ...]


class GameEnd(_InGame, frozen=True, kw_only=True, tag_field="comm_type"):
    """The end of a game: points by team, and the winner."""

    scores: dict[str, int]
    winner: str
    match_token: str


class MatchEnd(Struct, frozen=True, kw_only=True, tag_field="comm_type"):
    """The end of the match; nothing follows."""

    match_name: str
    match_token: str
    status: str = "ENDED"


State: TypeAlias = GameBoardState | GamePieceState | GameEnd | MatchEnd
Message: TypeAlias = Command | Reply | State


class CommandError(ProtocolError):
    """A command that the server cannot execute.

    Attributes:
        error: one of `ERROR_KINDS`.
    """

    def __init__(self, error: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.error: ErrorKind = error
        self.message = message

    @property
    def reply(self) -> ErrorResp:
        """Return the answer to the client."""
        return ErrorResp(error=self.error, message=self.message)


encode = msgspec.json.Encoder().encode
"""Encode a message as compact JSON."""


def decode_command(data: bytes) -> Command:
    """Decode a command of a client.

    Raises:
        CommandError: the command is invalid; `error` and the text are the answer to the client.
    """
    if len(data) > MAX_COMMAND_BYTES:
        raise CommandError(
            "message too large", f"{len(data)} bytes; a command has at most {MAX_COMMAND_BYTES}"
        )
    try:
        return _COMMANDS.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # Programs in C also send the zero at the end of their strings.
        return _explain_error(data.rstrip(b"\0"))


def decode_reply(data: bytes) -> Reply:
    """Decode an answer of a server.

    Raises:
        ProtocolError: the message is invalid.
    """
    return _read(_REPLIES, data)


def decode_state(data: bytes) -> State:
    """Decode a message of the state channel.

    A piece that is -1, which the text allows, is None.

    Raises:
        ProtocolError: the message is invalid.
    """
    try:
        return _read(_STATES, data)
    except ProtocolError:
        plain = _without_minus_ones(data)
        if plain is None:
            raise
        return _read(_STATES, plain)


_COMMANDS: Final[msgspec.json.Decoder[Command]] = msgspec.json.Decoder(Command)
_REPLIES: Final[msgspec.json.Decoder[Reply]] = msgspec.json.Decoder(Reply)
_STATES: Final[msgspec.json.Decoder[State]] = msgspec.json.Decoder(State)

T = TypeVar("T")


def _explain_error(data: bytes) -> Command:
    """Decode an unusual command in a second way, or raise the reason in words."""
    try:
        content: object = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CommandError(
            "malformed message", f"no JSON in UTF-8: {_error_message(error)}"
        ) from None
    if not isinstance(content, dict):
        raise CommandError("malformed message", "expected a JSON object")
    fields = cast("dict[str, object]", content)
    kind = fields.get("comm_type")
    if not isinstance(kind, str):
        raise CommandError("malformed message", "comm_type is missing, or no string")
    if kind not in {"MatchConnect", "GameMove"}:
        raise CommandError("unknown comm_type", f"{shown(kind)}; expected MatchConnect or GameMove")
    number = fields.get("piece_number")
    if isinstance(number, float) and number.is_integer():
        # Some languages have only one number type and write 7 as 7.0.
        data = encode(fields | {"piece_number": int(number)})
    try:
        return _COMMANDS.decode(data)
    except msgspec.MsgspecError as error:
        move = fields.get("move")
        if kind == "GameMove" and isinstance(move, str) and move not in MOVES:
            raise CommandError(
                "unknown move", f"{shown(move)}; expected one of {', '.join(MOVES)}"
            ) from None
        raise CommandError("malformed message", f"{kind}: {_error_message(error)}") from None


def _read(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    if len(data) > MAX_STATE_BYTES:
        raise ProtocolError(f"{len(data)} bytes; a message has at most {MAX_STATE_BYTES}")
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"{_error_message(error)}, in {shown(data)}") from None


def _without_minus_ones(data: bytes) -> bytes | None:
    """Replace pieces that are -1 by null; return None if there are none."""
    try:
        content: Any = msgspec.json.decode(data)
        states: dict[str, object] = content["states"]
        if -1 not in states.values():
            return None
        content["states"] = {team: None if of == -1 else of for team, of in states.items()}
        return encode(content)
    except (
        msgspec.MsgspecError,
        RecursionError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):
        return None


def _error_message(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__
