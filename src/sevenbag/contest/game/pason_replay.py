"""Replays of Pason games: the header, every move and step in order, and the end.

`replay_game` plays the game again and compares its end with the recorded one.
A file is JSON lines, deflated by zlib: the header, any number of lines of events, the end. An event
is two numbers: milliseconds since the event before, and what it is: ``left``, ``right``, ``down``,
``drop``, ``lrotate``, ``rrotate`` of the first seat (0 to 5) and of the second one (6 to 11), a
time step (12), the time limit (13). Only moves that were done are events: others change nothing.
"""

from __future__ import annotations

import zlib
from array import array
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict, TypeVar

import msgspec
from msgspec import Meta, Struct

from sevenbag.contest.game.pason_game import Ending, PasonGame, PlayerIndex
from sevenbag.contest.settings import GameRules  # noqa: TC001  # msgspec reads the annotations
from sevenbag.errors import FormatError, shown
from sevenbag.protocols.pason.messages import MOVES
from sevenbag.protocols.pason.pason_conversion import encode_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sevenbag.contest.game.pason_game import FallingPiece, GameChanges
    from sevenbag.protocols.pason.pason_conversion import MoveName

FORMAT: Final = "sevenbag contest game"

MAX_EVENTS: Final = 1_500_000
"""Of one game. A record ends there, and says so: six minutes of 4,000 moves a second."""

MAX_FILE_BYTES: Final = 12 << 20

MAX_TEXT_BYTES: Final = 24 << 20
"""Bytes of a file, at most, as it lies there and when it is inflated."""

_Text = Annotated[str, Meta(min_length=1, max_length=200)]

_Whole = Annotated[int, Meta(ge=0, le=1 << 62)]


class PasonReplayHeader(Struct, frozen=True, kw_only=True):
    """What a game begins with.

    Attributes:
        format: `FORMAT`.
        version: of the format.
        game: the version of the game's own rules that no setting tells; another one plays other
            games of the same seed.
        rules: in force.
        seed: of the game.
        first_number: of its first piece.
        teams: names of both seats.
        match_name: of its match.
        game_name: as clients were told.
        number: of the game in its match.
        began: seconds since 1970.
    """

    format: Literal["sevenbag contest game"] = FORMAT
    version: Literal[1] = 1
    game: Literal[1] = 1
    rules: GameRules
    seed: _Whole
    first_number: _Whole
    teams: tuple[_Text, _Text]
    match_name: _Text
    game_name: _Text
    number: Annotated[int, Meta(ge=1, le=10_000)]
    began: float


class PasonReplayEnd(Struct, frozen=True, kw_only=True):
    """How a game ended.

    Attributes:
        winner: seat.
        ending: why.
        scores: points of both.
        lines: rows cleared by both.
        locked: pieces locked by both.
        level: at the end.
        boards: of both, 50 hexadecimal digits each.
        milliseconds: how long it took.
        whole: False where the game had more than `MAX_EVENTS`: the events end before the game.
    """

    winner: PlayerIndex
    ending: Ending
    scores: tuple[_Whole, _Whole]
    lines: tuple[_Whole, _Whole]
    locked: tuple[_Whole, _Whole]
    level: _Whole
    boards: tuple[_Text, _Text]
    milliseconds: _Whole
    is_complete: bool = msgspec.field(default=True, name="whole")


class PasonReplay(Struct, frozen=True, kw_only=True):
    """A whole game.

    Attributes:
        header: what it begins with.
        events: one number each: milliseconds since the game began, times 16, and what it is.
        end: how it ended.
    """

    header: PasonReplayHeader
    events: array[int]
    end: PasonReplayEnd


class PasonFramePiece(TypedDict):
    """A piece, as `sevenbag.protocols.pason.messages.PieceState`."""

    piece: str
    orient: int
    row: int
    col: int
    number: int


class PasonFrame(TypedDict):
    """What is to be seen at one moment, of both seats."""

    boards: tuple[str, str]
    pieces: tuple[PasonFramePiece | None, PasonFramePiece | None]
    cleared: tuple[tuple[int, ...], tuple[int, ...]]
    queue: list[str]
    scores: list[int]
    lines: list[int]
    level: int


class PasonReplayRecorder:
    """Keeps what happens in a game, while it happens."""

    def __init__(self) -> None:
        self._events: array[int] = array("Q")
        self._whole = True

    def add_move(self, milliseconds: int, seat: PlayerIndex, move: MoveName) -> None:
        """Keep a move that was done."""
        self._keep(milliseconds << 4 | _CODES[seat][move])

    def add_step(self, milliseconds: int) -> None:
        """Keep a time step."""
        self._keep(milliseconds << 4 | _STEP)

    def add_time_limit(self, milliseconds: int) -> None:
        """Keep that the time limit was reached."""
        self._keep(milliseconds << 4 | _TIME_UP)

    def finish(self, header: PasonReplayHeader, duel: PasonGame, milliseconds: int) -> PasonReplay:
        """The whole record of a game that has just ended."""
        end = _end(duel, milliseconds, whole=self._whole)
        return PasonReplay(header=header, events=self._events, end=end)

    # --- helpers --------------------------------------------------------------------------------

    def _keep(self, event: int) -> None:
        if len(self._events) < MAX_EVENTS:
            self._events.append(event)
        else:
            self._whole = False


def encode_replay(record: PasonReplay) -> bytes:
    """The bytes of a file."""
    packer = zlib.compressobj(6)
    parts = [packer.compress(_ENCODER.encode(record.header) + b"\n")]
    before = 0
    for first in range(0, len(record.events), _LINE):
        line: list[int] = []
        for event in record.events[first : first + _LINE]:
            milliseconds = event >> 4
            line += (milliseconds - before, event & 15)
            before = milliseconds
        parts.append(packer.compress(_ENCODER.encode(line) + b"\n"))
    parts += (packer.compress(_ENCODER.encode(record.end) + b"\n"), packer.flush())
    return b"".join(parts)


def decode_replay(data: bytes) -> PasonReplay:
    """The record in the bytes of a file.

    Raises:
        FormatError: it is no such file, or broken; the message names the line.
    """
    lines = _decompress(data).split(b"\n")
    if len(lines) < _MIN_LINES or lines[-1]:
        raise FormatError("not a whole record of a game: it breaks off")
    header = _line(_HEADERS, lines[0], 1)
    events: array[int] = array("Q")
    now = 0
    for number, text in enumerate(lines[1:-2], start=2):
        numbers = _line(_EVENTS, text, number)
        if len(numbers) % 2 or len(events) + len(numbers) // 2 > MAX_EVENTS:
            raise FormatError(
                f"line {number}: events are two numbers each, at most {MAX_EVENTS} of them"
            )
        for later, what in zip(numbers[::2], numbers[1::2], strict=True):
            if what > _TIME_UP:
                raise FormatError(f"line {number}: no event is called {what}")
            now += later
            if now > _MAX_GAME_MS:
                raise FormatError(f"line {number}: no game takes that long")
            events.append(now << 4 | what)
    return PasonReplay(header=header, events=events, end=_line(_ENDS, lines[-2], len(lines) - 1))


def replay_game(record: PasonReplay) -> PasonGame:
    """The game, played again to its end.

    Raises:
        FormatError: it ends otherwise than the record says.
    """
    duel = _begin(record)
    for event in record.events:
        _play(duel, event)
    if not record.end.is_complete:
        return duel
    if duel.outcome is None:
        raise FormatError("the record ends before its game")
    end = _end(duel, record.end.milliseconds, whole=True)
    if end != record.end:
        raise FormatError(
            f"the game ends otherwise than its record says: {shown(end, 400)} and not"
            f" {shown(record.end, 400)}"
        )
    return duel


def iterate_frames(record: PasonReplay, most: int = 20_000) -> Iterator[tuple[int, PasonFrame]]:
    """The game to be looked at: milliseconds since it began, and what is to be seen from then on.

    Where there are more events than `most`, not every one is a frame, but still every change of a
    board, up to `most` of them: there are never more than twice as many frames, and three.
    """
    duel = _begin(record)
    # Thinned out evenly over time.
    many = len(record.events) > most
    apart = record.end.milliseconds / max(most, 1) if many else 0.0
    yield 0, _view(duel, duel.take_changes())
    shown_at = 0
    boards = 0
    left_out = False
    for event in record.events:
        _play(duel, event)
        now = event >> 4
        changes = duel.take_changes()
        boards += changes.boards
        left_out = now - shown_at < apart and (not changes.boards or boards > most)
        if not left_out:
            shown_at = now
            yield now, _view(duel, changes)
    if left_out:
        yield record.end.milliseconds, _view(duel, duel.take_changes())


# --- helpers ------------------------------------------------------------------------------------

_STEP: Final = 12

_TIME_UP: Final = 13

_CODES: Final[tuple[dict[MoveName, int], ...]] = (
    {move: code for code, move in enumerate(MOVES)},
    {move: code for code, move in enumerate(MOVES, start=len(MOVES))},
)

_LINE: Final = 1_000
"""Events in a line."""

_MIN_LINES: Final = 3
"""Header, end, and nothing after the last line end."""

_MAX_GAME_MS: Final = 100 * 86_400_000
"""Milliseconds."""

_ENCODER: Final = msgspec.json.Encoder()

_HEADERS: Final = msgspec.json.Decoder(PasonReplayHeader)

_EVENTS: Final = msgspec.json.Decoder(list[Annotated[int, Meta(ge=0, le=_MAX_GAME_MS)]])

_ENDS: Final = msgspec.json.Decoder(PasonReplayEnd)

T = TypeVar("T")


def _decompress(data: bytes) -> bytes:
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"{len(data)} bytes; a record of a game has at most {MAX_FILE_BYTES}")
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, MAX_TEXT_BYTES)
    except zlib.error:
        raise FormatError("not a record of a game: zlib cannot inflate it") from None
    if not unpacker.eof or unpacker.unused_data:
        raise FormatError(
            f"not a whole record of a game, or more than one, or longer than {MAX_TEXT_BYTES} bytes"
        )
    return text


def _line(decoder: msgspec.json.Decoder[T], text: bytes, number: int) -> T:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"line {number} of the record: {str(error)[:200]}") from None


def _begin(record: PasonReplay) -> PasonGame:
    header = record.header
    return PasonGame(header.rules, header.seed, first_piece_number=header.first_number)


def _play(duel: PasonGame, event: int) -> None:
    what = event & 15
    if what < _STEP:
        seat: PlayerIndex = 0 if what < len(MOVES) else 1
        duel.move(seat, MOVES[what % len(MOVES)])
    elif what == _STEP:
        duel.step()
    else:
        duel.end_by_time()


def _end(duel: PasonGame, milliseconds: int, *, whole: bool) -> PasonReplayEnd:
    if duel.outcome is None:
        raise ValueError("the game goes on")
    winner, ending = duel.outcome
    return PasonReplayEnd(
        winner=winner,
        ending=ending,
        scores=(duel.scores[0], duel.scores[1]),
        lines=(duel.lines[0], duel.lines[1]),
        locked=(duel.locked_pieces[0], duel.locked_pieces[1]),
        level=duel.level,
        boards=(encode_board(duel.boards[0]), encode_board(duel.boards[1])),
        milliseconds=milliseconds,
        is_complete=whole,
    )


def _view(duel: PasonGame, changes: GameChanges) -> PasonFrame:
    first, second = duel.pieces
    return PasonFrame(
        boards=(encode_board(duel.boards[0]), encode_board(duel.boards[1])),
        pieces=(_piece(first), _piece(second)),
        cleared=changes.cleared,
        queue=list(duel.queue),
        scores=list(duel.scores),
        lines=list(duel.lines),
        level=duel.level,
    )


def _piece(piece: FallingPiece | None) -> PasonFramePiece | None:
    if piece is None:
        return None
    return PasonFramePiece(
        piece=piece.kind,
        orient=piece.orient,
        row=piece.row,
        col=piece.col,
        number=piece.number,
    )
