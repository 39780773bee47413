"""Replays of Pason games: the header, every move and step in order, and the end.

`replay_game` plays the game again and compares its end with the recorded one.

A file consists of JSON lines, compressed by zlib: the header, any number of lines of events, the
end. An event is two numbers: the milliseconds since the previous event, and its code: ``left``,
``right``, ``down``, ``drop``, ``lrotate``, ``rrotate`` of the first player (0 to 5) and of the
second (6 to 11), a time step (12), the time limit (13). Only moves that were done are recorded.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterator
from typing import Annotated, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from sevenbag.contest.game.pason_game import Ending, GameChanges, PasonGame, PlayerIndex
from sevenbag.contest.game.state_messages import create_piece_state
from sevenbag.contest.settings import GameRules  # msgspec reads the annotations
from sevenbag.errors import FormatError, shown
from sevenbag.protocols.pason.messages import MOVES, PieceState
from sevenbag.protocols.pason.pason_conversion import MoveName, encode_board

FORMAT: Final = "sevenbag contest game"

MAX_EVENTS: Final = 1_500_000
"""Maximum number of events of a replay: six minutes of 4,000 moves a second."""

MAX_FILE_BYTES: Final = 12 << 20

MAX_TEXT_BYTES: Final = 24 << 20
"""Maximum size of a decompressed file in bytes."""

_Text = Annotated[str, Meta(min_length=1, max_length=200)]

_Natural = Annotated[int, Meta(ge=0, le=1 << 62)]


class PasonReplayHeader(Struct, frozen=True, kw_only=True):
    """Header of a replay.

    Attributes:
        game: version of the rules that are no settings; the same seed gives other games in another
            version.
        first_number: number of the first piece.
        began: time of the start in seconds since 1970.
    """

    format: Literal["sevenbag contest game"] = FORMAT
    version: Literal[1] = 1
    game: Literal[1] = 1
    rules: GameRules
    seed: _Natural
    first_number: _Natural
    teams: tuple[_Text, _Text]
    match_name: _Text
    game_name: _Text
    number: Annotated[int, Meta(ge=1, le=10_000)]
    began: float


class PasonReplayEnd(Struct, frozen=True, kw_only=True):
    """End of a replay.

    Attributes:
        locked: number of pieces locked by each player.
        boards: board of each player, 50 hexadecimal digits each.
        is_complete: False if the game had more than `MAX_EVENTS`, so that events are missing.
    """

    winner: PlayerIndex
    ending: Ending
    scores: tuple[_Natural, _Natural]
    lines: tuple[_Natural, _Natural]
    locked: tuple[_Natural, _Natural]
    level: _Natural
    boards: tuple[_Text, _Text]
    milliseconds: _Natural
    is_complete: bool = msgspec.field(default=True, name="whole")


class PasonReplay(Struct, frozen=True, kw_only=True):
    """A replay.

    Attributes:
        events: one number each: milliseconds since the start of the game, times 16, plus the code.
    """

    header: PasonReplayHeader
    events: array[int]
    end: PasonReplayEnd


class PasonFrame(NamedTuple):
    """State of both players at one moment."""

    boards: tuple[str, str]
    pieces: tuple[PieceState | None, ...]
    cleared: tuple[tuple[int, ...], tuple[int, ...]]
    queue: list[str]
    scores: list[int]
    lines: list[int]
    level: int


class PasonReplayRecorder:
    """Recorder of the events of a game."""

    def __init__(self) -> None:
        self._events: array[int] = array("Q")
        self._is_complete = True

    def add_move(self, milliseconds: int, player: PlayerIndex, move: MoveName) -> None:
        """Record a move that was done."""
        self._append(milliseconds << 4 | _CODES[player][move])

    def add_step(self, milliseconds: int) -> None:
        """Record a time step."""
        self._append(milliseconds << 4 | _STEP)

    def add_time_limit(self, milliseconds: int) -> None:
        """Record that the time limit was reached."""
        self._append(milliseconds << 4 | _TIME_LIMIT)

    def finish(self, header: PasonReplayHeader, game: PasonGame, milliseconds: int) -> PasonReplay:
        """Return the replay of a game that has just ended."""
        end = _create_end(game, milliseconds, is_complete=self._is_complete)
        return PasonReplay(header=header, events=self._events, end=end)

    def _append(self, event: int) -> None:
        if len(self._events) < MAX_EVENTS:
            self._events.append(event)
        else:
            self._is_complete = False


def encode_replay(replay: PasonReplay) -> bytes:
    """Encode a replay as the content of a file."""
    compressor = zlib.compressobj(6)
    parts = [compressor.compress(_ENCODER.encode(replay.header) + b"\n")]
    before = 0
    for first in range(0, len(replay.events), _EVENTS_PER_LINE):
        line: list[int] = []
        for event in replay.events[first : first + _EVENTS_PER_LINE]:
            milliseconds = event >> 4
            line += (milliseconds - before, event & 15)
            before = milliseconds
        parts.append(compressor.compress(_ENCODER.encode(line) + b"\n"))
    parts += (compressor.compress(_ENCODER.encode(replay.end) + b"\n"), compressor.flush())
    return b"".join(parts)


def decode_replay(data: bytes) -> PasonReplay:
    """Decode the content of a file.

    Raises:
        FormatError: the file is invalid; the message names the line.
    """
    lines = _decompress(data).split(b"\n")
    if len(lines) < _MIN_LINES or lines[-1]:
        raise FormatError("invalid replay: the file is truncated")
    header = _decode_line(_HEADERS, lines[0], 1)
    events: array[int] = array("Q")
    now = 0
    for number, text in enumerate(lines[1:-2], start=2):
        numbers = _decode_line(_EVENTS, text, number)
        if len(numbers) % 2 or len(events) + len(numbers) // 2 > MAX_EVENTS:
            raise FormatError(
                f"line {number}: invalid events: expected pairs of numbers, at most {MAX_EVENTS}"
            )
        for later, code in zip(numbers[::2], numbers[1::2], strict=True):
            if code > _TIME_LIMIT:
                raise FormatError(
                    f"line {number}: invalid event: expected at most {_TIME_LIMIT}, got {code}"
                )
            now += later
            if now > _MAX_GAME_MS:
                raise FormatError(
                    f"line {number}: invalid time: expected at most {_MAX_GAME_MS} ms, got {now}"
                )
            events.append(now << 4 | code)
    return PasonReplay(
        header=header, events=events, end=_decode_line(_ENDS, lines[-2], len(lines) - 1)
    )


def replay_game(replay: PasonReplay) -> PasonGame:
    """Play the game again to its end and return it.

    Raises:
        FormatError: the end differs from the recorded one.
    """
    game = _start_game(replay)
    for event in replay.events:
        _apply_event(game, event)
    if not replay.end.is_complete:
        return game
    if game.outcome is None:
        raise FormatError("invalid replay: the events end before the game")
    end = _create_end(game, replay.end.milliseconds, is_complete=True)
    if end != replay.end:
        raise FormatError(
            f"invalid replay: expected the end {shown(end, 400)}, got {shown(replay.end, 400)}"
        )
    return game


def iterate_frames(replay: PasonReplay, most: int = 20_000) -> Iterator[tuple[int, PasonFrame]]:
    """Yield frames for a viewer, each with its time in milliseconds since the start.

    If there are more events than `most`, some are left out, but no change of a board among the
    first `most`. There are at most ``2 * most + 3`` frames.
    """
    game = _start_game(replay)
    # Leave out frames evenly over time.
    many = len(replay.events) > most
    min_interval = replay.end.milliseconds / max(most, 1) if many else 0.0
    yield 0, _create_frame(game, game.take_changes())
    shown_at = 0
    boards = 0
    left_out = False
    for event in replay.events:
        _apply_event(game, event)
        now = event >> 4
        changes = game.take_changes()
        boards += changes.boards
        left_out = now - shown_at < min_interval and (not changes.boards or boards > most)
        if not left_out:
            shown_at = now
            yield now, _create_frame(game, changes)
    if left_out:
        yield replay.end.milliseconds, _create_frame(game, game.take_changes())


_STEP: Final = 12

_TIME_LIMIT: Final = 13

_CODES: Final[tuple[dict[MoveName, int], ...]] = (
    {move: code for code, move in enumerate(MOVES)},
    {move: code for code, move in enumerate(MOVES, start=len(MOVES))},
)

_EVENTS_PER_LINE: Final = 1_000

_MIN_LINES: Final = 3
"""Header, end, and the empty text after the last line break."""

_MAX_GAME_MS: Final = 100 * 86_400_000
"""Maximum duration of a game in milliseconds."""

_ENCODER: Final = msgspec.json.Encoder()

_HEADERS: Final = msgspec.json.Decoder(PasonReplayHeader)

_EVENTS: Final = msgspec.json.Decoder(list[Annotated[int, Meta(ge=0, le=_MAX_GAME_MS)]])

_ENDS: Final = msgspec.json.Decoder(PasonReplayEnd)

T = TypeVar("T")


def _decompress(data: bytes) -> bytes:
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(
            f"invalid replay: expected at most {MAX_FILE_BYTES} bytes, got {len(data)}"
        )
    decompressor = zlib.decompressobj()
    try:
        text = decompressor.decompress(data, MAX_TEXT_BYTES)
    except zlib.error:
        raise FormatError("invalid replay: not compressed by zlib") from None
    if not decompressor.eof or decompressor.unused_data:
        raise FormatError(
            f"invalid replay: truncated, followed by other data, or "
            f"longer than {MAX_TEXT_BYTES} bytes"
        )
    return text


def _decode_line(decoder: msgspec.json.Decoder[T], text: bytes, number: int) -> T:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"line {number} of the replay: {str(error)[:200]}") from None


def _start_game(replay: PasonReplay) -> PasonGame:
    header = replay.header
    return PasonGame(header.rules, header.seed, first_piece_number=header.first_number)


def _apply_event(game: PasonGame, event: int) -> None:
    code = event & 15
    if code < _STEP:
        player: PlayerIndex = 0 if code < len(MOVES) else 1
        game.move(player, MOVES[code % len(MOVES)])
    elif code == _STEP:
        game.step()
    else:
        game.end_by_time()


def _create_end(game: PasonGame, milliseconds: int, *, is_complete: bool) -> PasonReplayEnd:
    if game.outcome is None:
        raise ValueError("the game is not over")
    winner, ending = game.outcome
    return PasonReplayEnd(
        winner=winner,
        ending=ending,
        scores=(game.scores[0], game.scores[1]),
        lines=(game.lines[0], game.lines[1]),
        locked=(game.locked_pieces[0], game.locked_pieces[1]),
        level=game.level,
        boards=(encode_board(game.boards[0]), encode_board(game.boards[1])),
        milliseconds=milliseconds,
        is_complete=is_complete,
    )


def _create_frame(game: PasonGame, changes: GameChanges) -> PasonFrame:
    return PasonFrame(
        boards=(encode_board(game.boards[0]), encode_board(game.boards[1])),
        pieces=tuple(map(create_piece_state, game.pieces)),
        cleared=changes.cleared,
        queue=list(game.queue),
        scores=list(game.scores),
        lines=list(game.lines),
        level=game.level,
    )
