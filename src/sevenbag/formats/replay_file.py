"""Replay files: a versus game as rules, seed and placements.

The file consists of lines of JSON: a header, one line per turn, and a result; docs/replay.md
describes the fields. Boards, queues and garbage follow from rules, seed and placements;
`sevenbag.replay.playback` computes them and compares the result.

Without thinking times and real time, the same game results in the same bytes.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar

import msgspec
from msgspec import Meta

from sevenbag._kernel import Piece, Placement, Rotation, Spin
from sevenbag.errors import FormatError, PlacementError, expect_type, shown
from sevenbag.files import check_writable, read_file, write_atomically

FORMAT: Final = "sevenbag-replay"
VERSIONS: Final = (1, 2)
"""Supported versions; 2 is written if a reader of version 1 would play another game."""

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_LINE_BYTES: Final = 64 * 1024
MAX_TURNS: Final = 200_000
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Millis = Annotated[float, Meta(ge=0, le=1e9)]
Figure = Annotated[float, Meta(ge=-1e18, le=1e18)]
Frame = Annotated[int, Meta(ge=0, le=2**31)]
Time = Literal["turns", "real time", "frames"]


class ReplayClock(msgspec.Struct, frozen=True, omit_defaults=True):
    """Thinking time for a whole game in milliseconds.

    Attributes:
        bank: initial time.
        increment: time added for each move.
    """

    bank: Millis
    increment: Millis = 0.0


class ReplayPlayer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Name and limits of a player.

    Attributes:
        spec: specification of the bot, if any.
        nodes: limit of nodes per move; None for none.
        milliseconds: limit of milliseconds per move; None for none.
        clock: limit for the whole game; None for none.
        pps: maximum pieces per second in real time; None for no limit.
    """

    name: Name
    spec: Text | None = None
    nodes: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    milliseconds: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    clock: ReplayClock | None = None
    pps: Annotated[float, Meta(gt=0, le=1e6)] | None = None


class Adjudication(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rules for the winner of a game without a single loser.

    Attributes:
        lead: lead in lines of attack that ends a game; None for none.
        double: result of a double top-out: a draw, or more attack wins.
    """

    lead: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    double: Literal["draw", "attack"] = "draw"


class ReplayHeader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """First line: configuration of the game.

    Attributes:
        version: result of `required_version`.
        rules: complete rules, as `sevenbag.game.Rules.to_dict` returns them.
        frames_per_turn: game time between two turns.
        pieces: piece limit; it ends the game when both players reach it, in real time when one
            does. None for none.
        time: turns (also None), real time, or frame by frame, where pieces also lock by gravity.
        opening: fumen whose first page is the initial board; None for an empty board.
        adjudication: None for the default.
    """

    # No defaults: the fields that identify the file are always written.
    format: Literal["sevenbag-replay"]
    version: Literal[1, 2]
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    players: tuple[ReplayPlayer, ReplayPlayer]
    frames_per_turn: Frame
    pieces: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    rules: dict[str, Any]
    time: Time | None = None
    opening: Annotated[str, Meta(max_length=10_000)] | None = None
    adjudication: Adjudication | None = None

    @property
    def is_real_time(self) -> bool:
        """Return True if each player places pieces independently."""
        return self.time in {"real time", "frames"}


def required_version(
    time: Time | None = None, opening: str | None = None, adjudication: Adjudication | None = None
) -> Literal[1, 2]:
    """Return the version of a replay with these fields in its header."""
    plain = time in (None, "turns") and opening is None and adjudication in (None, Adjudication())
    return 1 if plain else 2


class ReplayLoss(msgspec.Struct, frozen=True, omit_defaults=True):
    """Reason of a loss, see docs/replay.md, and the message of the error."""

    reason: Name
    detail: Text = ""


class ReplayScore(msgspec.Struct, frozen=True):
    """Statistics of a player at the end of a game."""

    pieces: Count
    lines: Count
    attack: Count


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """Last line: result of the game.

    Attributes:
        finished: False if the game was interrupted; it then has no winner.
        winner: 0 or 1; None for a draw.
        ending: ``fall`` (a loss), ``pieces`` (piece limit), ``lead`` or ``interrupted``.
        losses: loss of each player; None if the player did not lose.
    """

    finished: bool
    winner: Annotated[int, Meta(ge=0, le=1)] | None
    ending: Literal["fall", "pieces", "lead", "interrupted"]
    losses: tuple[ReplayLoss | None, ReplayLoss | None] = msgspec.field(name="falls")
    score: tuple[ReplayScore, ReplayScore]


class ReplaySearchInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Search statistics of a bot, see `sevenbag.bots.bot.SearchInfo`."""

    nodes: Figure | None = None
    nps: Figure | None = None
    depth: Figure | None = None
    extra: Text | None = None


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """Placements of a turn, or of a frame in real time.

    Attributes:
        placements: placement of each player; None in real time for no placement in this frame. The
            piece decides if hold was used.
        milliseconds: thinking time of each player, if recorded.
        frame: frame in real time, in 1/60 s since the start of the game.
        infos: search statistics of each bot, if recorded.
    """

    placements: tuple[Placement | None, Placement | None]
    milliseconds: tuple[float | None, float | None] | None = None
    frame: int | None = None
    infos: tuple[ReplaySearchInfo | None, ReplaySearchInfo | None] | None = None

    @property
    def placed(self) -> tuple[bool, bool]:
        """For each player True if it placed a piece."""
        first, second = self.placements
        return first is not None, second is not None


@dataclass(frozen=True, slots=True)
class Replay:
    """Replay of a game."""

    header: ReplayHeader
    turns: tuple[ReplayTurn, ...]
    outcome: ReplayResult

    def encode(self) -> bytes:
        """Encode the file."""
        lines = [_ENCODER.encode(self.header)]
        lines += [_ENCODER.encode(_turn_row(turn)) for turn in self.turns]
        lines.append(_ENCODER.encode(_ResultLine(result=self.outcome)))
        return b"\n".join(lines) + b"\n"

    @staticmethod
    def decode(data: bytes, source: str = "replay") -> Replay:
        """Decode the content of a file, which is `source` in errors.

        Raises:
            FormatError: the data is invalid; the message contains line and field.
        """
        return _Reader(source).read(data)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file atomically.

        Raises:
            FormatError: the file cannot be written.
        """
        write_atomically(Path(path), self.encode(), replace=True)

    def write_new(self, path: str | os.PathLike[str]) -> Path:
        """Write a file without replacing another: ``game.replay``, ``game-2.replay`` and so on.

        A file that another process creates at the same time is not replaced either.

        Returns:
            Path of the file.

        Raises:
            FormatError: the file cannot be written.
        """
        first, data = Path(path), self.encode()
        for number in itertools.count(1):
            free = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
            if not os.path.lexists(free):
                with contextlib.suppress(FileExistsError):
                    write_atomically(free, data, replace=False)
                    return free
        raise AssertionError("a count has no end")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Replay:
        """Load a file.

        Raises:
            FormatError: the file cannot be read, is too large, or is invalid.
        """
        expect_type("path", path, (str, os.PathLike), "str or os.PathLike", FormatError)
        return Replay.decode(read_file(path, MAX_BYTES), str(path))


class ReplayDestination:
    """Path of a new replay that does not replace other replays.

    A finished game replaces a file named by the user; an unfinished game replaces only another
    unfinished one. Without a name, a free one in the folder ``replays`` is used.

    Args:
        named: file named by the user; None for a name with the seed.
        seed: seed of the game.
    """

    def __init__(self, named: Path | None, seed: int) -> None:
        self._named = named
        self._path = named or _REPLAY_FOLDER / f"match-{seed}.replay"

    def check_writable(self) -> None:
        """Check that the file can be written, before the game.

        Raises:
            FormatError: the file cannot be written.
        """
        folder = self._path.parent
        creates_folder = self._named is None and not folder.exists()
        check_writable(folder if creates_folder else self._path)
        if self._path.exists() and not self._path.is_file():
            # A device must not be replaced by a file.
            raise FormatError(f"{self._path}: cannot be written: it is no file")

    def write(self, replay: Replay) -> Path:
        """Write a replay and return its path.

        Raises:
            FormatError: the file cannot be written.
        """
        if self._named is None:
            try:
                _REPLAY_FOLDER.mkdir(exist_ok=True)
            except OSError as error:
                raise FormatError(
                    f"{_REPLAY_FOLDER}: cannot be created: {error.strerror}"
                ) from error
            return replay.write_new(self._path)
        if replay.outcome.finished or _is_unfinished(self._path):
            replay.write(self._path)
            return self._path
        return replay.write_new(self._path)


def format_placement(placement: Placement) -> str:
    """Format a placement as piece, rotation, column, row and spin: ``TS4,1f``, ``IN4,0``."""
    return (
        f"{placement.piece.name}{placement.rotation.name[0]}"
        f"{placement.x},{placement.y}{_SPIN_MARKS[placement.spin]}"
    )


def parse_placement(text: str) -> Placement:
    """Parse the result of `format_placement`.

    Raises:
        FormatError: the text is invalid.
    """
    match = _PLACEMENT.fullmatch(text)
    if match is None:
        raise FormatError(
            f"{shown(text)} is no placement; expected piece, rotation (N E S W), column, row and"
            " perhaps m or f for a spin, such as 'TS4,1f'"
        )
    piece, rotation, x, y, mark = match.groups()
    try:
        return Placement(Piece[piece], _ROTATIONS[rotation], int(x), int(y), _SPINS[mark])
    except PlacementError as error:
        raise FormatError(f"{text!r}: {error}") from None


_ENCODER: Final = msgspec.json.Encoder()
_PLACEMENT: Final = re.compile(r"([IOTLJSZ])([NESW])(-?\d{1,2}),(-?\d{1,2})([mf]?)", re.ASCII)
_ROTATIONS: Final = {rotation.name[0]: rotation for rotation in Rotation}
_SPIN_MARKS: Final = {Spin.NONE: "", Spin.MINI: "m", Spin.FULL: "f"}
_SPINS: Final = {mark: spin for spin, mark in _SPIN_MARKS.items()}
T = TypeVar("T")
_TurnText = Annotated[str, Meta(max_length=200)] | None
_REPLAY_FOLDER: Final = Path("replays")


def _is_unfinished(path: Path) -> bool:
    with contextlib.suppress(FormatError):
        return not Replay.load(path).outcome.finished
    return False


class _ResultLine(msgspec.Struct, frozen=True):
    result: ReplayResult


class _TurnNotes(msgspec.Struct, frozen=True, omit_defaults=True):
    """Optional fields of a turn; unknown fields of later versions are ignored."""

    frame: Frame | None = None
    ms: tuple[Millis | None, Millis | None] | None = None
    info: tuple[ReplaySearchInfo | None, ReplaySearchInfo | None] | None = None


class _TurnRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    first: _TurnText
    second: _TurnText
    notes: _TurnNotes | None = None


def _turn_row(turn: ReplayTurn) -> tuple[object, ...]:
    first, second = (
        None if placement is None else format_placement(placement) for placement in turn.placements
    )
    notes = _TurnNotes(turn.frame, turn.milliseconds, turn.infos)
    return (first, second) if notes == _TurnNotes() else (first, second, notes)


class _Reader:
    """Reader of one file."""

    def __init__(self, source: str) -> None:
        self._source = source

    def read(self, data: bytes) -> Replay:
        if len(data) > MAX_BYTES:
            self._refuse(1, f"larger than {MAX_BYTES} bytes, the most a replay may have")
        lines = data.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        if not lines:
            self._refuse(1, "the file is empty; expected the header of a replay")
        if len(lines) - 2 > MAX_TURNS:
            self._refuse(len(lines), f"more than {MAX_TURNS} turns, the most a replay may have")
        header = self._header(lines[0])
        # Turns are lists: the first object is the result, the last line.
        last = next((n for n, line in enumerate(lines[1:], start=2) if line[:1] == b"{"), None)
        turns = self._turns(lines[1 : None if last is None else last - 1], header)
        if last is None:
            self._refuse(len(lines), "the file ends without its result: it is cut short")
        result = self._decode(last, lines[last - 1], _RESULT_DECODER.decode).result
        if last < len(lines):
            self._refuse(last + 1, "comes after the result, with which a replay ends")
        self._check(last, header, turns, result)
        return Replay(header, turns, result)

    def _header(self, line: bytes) -> ReplayHeader:
        # Format and version first: an unknown version has unknown fields.
        marks = self._decode(1, line, _MARKS_DECODER.decode)
        if marks.format != FORMAT:
            self._refuse(1, f'no replay of sevenbag: "format" is not "{FORMAT}"')
        if type(marks.version) is not int or marks.version not in VERSIONS:
            self._refuse(
                1,
                f"version {shown(marks.version)} is not known; this program reads"
                f" {' and '.join(map(str, VERSIONS))}",
            )
        header = self._decode(1, line, _HEADER_DECODER.decode)
        if header.version < required_version(header.time, header.opening, header.adjudication):
            self._refuse(1, '"time", "opening" and "adjudication" need version 2')
        return header

    def _turns(self, lines: Sequence[bytes], header: ReplayHeader) -> tuple[ReplayTurn, ...]:
        turns: list[ReplayTurn] = []
        frame = 0
        for number, line in enumerate(lines, start=2):
            turn = self._turn(number, line)
            if not header.is_real_time:
                if turn.frame is not None or not all(turn.placed):
                    self._refuse(number, "in turns both players place, and there is no frame")
            elif turn.frame is None or not (any(turn.placed) or header.time == "frames"):
                self._refuse(number, "in real time a line has a frame, and at least one placement")
            elif turn.frame < frame:
                self._refuse(number, f"frame {turn.frame} comes after frame {frame}")
            else:
                frame = turn.frame
            turns.append(turn)
        return tuple(turns)

    def _turn(self, number: int, line: bytes) -> ReplayTurn:
        row = self._decode(number, line, _TURN_DECODER.decode)
        placements: list[Placement | None] = []
        for player, text in enumerate((row.first, row.second)):
            try:
                placements.append(None if text is None else parse_placement(text))
            except FormatError as error:
                self._refuse(number, f"player {player + 1}: {error}")
        notes = row.notes or _TurnNotes()
        return ReplayTurn((placements[0], placements[1]), notes.ms, notes.frame, notes.info)

    def _decode(self, number: int, line: bytes, decode: Callable[[bytes], T]) -> T:
        if len(line) > MAX_LINE_BYTES:
            self._refuse(number, f"longer than {MAX_LINE_BYTES} bytes, the most a line may have")
        try:
            return decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._refuse(number, str(error))

    def _check(
        self, number: int, header: ReplayHeader, turns: tuple[ReplayTurn, ...], result: ReplayResult
    ) -> None:
        """Check the consistency of the fields without playing the game."""
        for player in (0, 1):
            pieces = sum(turn.placed[player] for turn in turns)
            if header.pieces is not None and pieces > header.pieces:
                self._refuse(number, f"{pieces} turns, but the limit is {header.pieces} pieces")
        if result.finished != (result.ending != "interrupted"):
            self._refuse(number, 'result: "finished" and "ending" contradict each other')
        if not result.finished and result.winner is not None:
            self._refuse(number, "result.winner: a game that was broken off has no winner")
        rule = header.adjudication or Adjudication()
        if result.ending == "lead" and (rule.lead is None or result.winner is None):
            self._refuse(
                number, 'result.ending: "lead" needs adjudication.lead in the header, and a winner'
            )
        if (result.ending == "fall") != any(result.losses):
            self._refuse(number, 'result.falls: a player has lost exactly if "ending" is "fall"')
        is_double = all(result.losses)
        if result.ending == "fall" and not (is_double and rule.double == "attack"):
            survivor = None if is_double else int(result.losses[0] is not None)
            if result.winner != survivor:
                self._refuse(
                    number, "result.winner: must be the one who has not lost, if there is one"
                )

    def _refuse(self, number: int, what: str) -> NoReturn:
        raise FormatError(f"{self._source}: line {number}: {what}") from None


class _Marks(msgspec.Struct):
    format: Any = None
    version: Any = None


_MARKS_DECODER: Final = msgspec.json.Decoder(_Marks)
_HEADER_DECODER: Final = msgspec.json.Decoder(ReplayHeader)
_TURN_DECODER: Final = msgspec.json.Decoder(_TurnRow)
_RESULT_DECODER: Final = msgspec.json.Decoder(_ResultLine)
