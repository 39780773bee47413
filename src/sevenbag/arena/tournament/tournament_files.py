"""Read and write the folder of a tournament.

::

    tournament.json     players, rules and settings: `TournamentHeader`
    games.jsonl         a line for each finished game, in the order of finishing: `GameRecord`
    result.json         outcome of a finished tournament: `TournamentOutcome`
    replays/N.replay    the games: `sevenbag.formats.replay_file`

A line is appended only after its game is over. Readers drop an incomplete last line, the next
writer removes it, and that game is played again. docs/statistics.md describes every field.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, NoReturn, Self, TypeVar

import msgspec
from msgspec import Meta

from sevenbag.arena.tournament.tournament_config import MAX_GAMES, Name, Text, TournamentHeader
from sevenbag.errors import FormatError, shown
from sevenbag.files import open_input, read_input, write_atomically
from sevenbag.replay.player_statistics import Count, PlayerStatistics

FORMAT: Final = "sevenbag-tournament"
VERSION: Final = 1

HEADER_FILE: Final = "tournament.json"
GAMES_FILE: Final = "games.jsonl"
RESULT_FILE: Final = "result.json"
REPLAY_FOLDER: Final = "replays"

MAX_HEADER_BYTES: Final = 16 * 1024 * 1024
MAX_LINE_BYTES: Final = 64 * 1024

GameNumber = Annotated[int, Meta(ge=0, le=2**53)]
PlayerIndex = Annotated[int, Meta(ge=0, le=1)]
ReplayPath = Annotated[str, Meta(max_length=100, pattern=r"^replays/[A-Za-z0-9_-]+\.replay$")]


class LossRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Loss of a player: one of the reasons in docs/replay.md, and the error message."""

    reason: Name
    detail: Annotated[str, Meta(max_length=2000)] = ""


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Record of a finished game.

    Attributes:
        id: number in the schedule, from 1.
        pair: number of the pair of games with the same opening and swapped sides.
        opening: fumen of the first board; None for an empty board.
        players: indices of the engines.
        winner: player that won; None for a draw, or an interrupted game.
        ending: ending as in replays.
        losses: loss of each player; None without one.
        replay: path of the replay in the folder of the tournament; None for none.
    """

    id: GameNumber
    pair: GameNumber
    round: GameNumber = 0
    encounter: GameNumber = msgspec.field(default=0, name="tie")
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    opening: Text | None = None
    players: tuple[Count, Count]
    names: tuple[Name, Name]
    winner: PlayerIndex | None
    ending: Name
    losses: tuple[LossRecord | None, LossRecord | None] = msgspec.field(
        default=(None, None), name="falls"
    )
    stats: tuple[PlayerStatistics, PlayerStatistics]
    replay: ReplayPath | None = None

    @property
    def is_finished(self) -> bool:
        """Return True if the game was not interrupted."""
        return self.ending != "interrupted"

    def points(self, engine: int) -> float:
        """Return the points of an engine in this game: 1, 0.5 or 0."""
        if self.winner is None:
            return 0.5
        return float(self.players[self.winner] == engine)


class TournamentOutcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Outcome of a tournament.

    Attributes:
        finished: False if the tournament was interrupted.
        counted_games: number of games that count, from the first; later games were played ahead of
            the decision. None if all count.
        counted_pairs: number of pairs that count.
        decision: decision of the test; None without one.
    """

    finished: bool
    counted_games: GameNumber | None = None
    counted_pairs: GameNumber | None = None
    decision: Literal["H0", "H1"] | None = None


def read_header(folder: str | os.PathLike[str]) -> TournamentHeader:
    """Read the header of a tournament.

    Raises:
        FormatError: the file is missing or invalid.
    """
    path = Path(folder) / HEADER_FILE
    data = _read_file(path)
    if data is None:
        raise FormatError(f"{path}: there is no such file; a tournament's folder has it")
    marks = _decode(_FORMAT_MARKS, data, f"{path}")
    if marks.format != FORMAT:
        raise FormatError(f'{path}: invalid format: expected "{FORMAT}"')
    if marks.version != VERSION:
        raise FormatError(
            f"{path}: invalid version: expected {VERSION}, got {shown(marks.version)}"
        )
    header = _decode(_HEADER_DECODER, data, f"{path}")
    names: set[str] = set()
    for engine in header.engines:
        if engine.name in names:
            raise FormatError(
                f"{path}: invalid engines: expected unique names, got {shown(engine.name)} twice"
            )
        names.add(engine.name)
    return header


def read_games(folder: str | os.PathLike[str], header: TournamentHeader) -> list[GameRecord]:
    """Read the finished games in the order of finishing; none without a file.

    Raises:
        FormatError: a line is invalid. An incomplete last line is dropped.
    """
    path = Path(folder) / GAMES_FILE
    games: list[GameRecord] = []
    seen: dict[int, int] = {}
    for number, line in _read_lines(path):
        where = f"{path}: line {number}"
        if number > MAX_GAMES:
            raise FormatError(f"{where}: more than {MAX_GAMES} games, the most there may be")
        game = _decode(_GAME_DECODER, line, where)
        if game.id in seen:
            raise FormatError(f"{where}: game {game.id} is in line {seen[game.id]} already")
        seen[game.id] = number
        _check(game, len(header.engines), where)
        games.append(game)
    return games


def read_result(folder: str | os.PathLike[str]) -> TournamentOutcome | None:
    """Read the outcome of a tournament; None if it is not over.

    Raises:
        FormatError: the file is invalid.
    """
    path = Path(folder) / RESULT_FILE
    data = _read_file(path)
    return None if data is None else _decode(_RESULT_DECODER, data, f"{path}")


def write_header(folder: str | os.PathLike[str], header: TournamentHeader) -> None:
    """Write the header of a tournament atomically.

    Raises:
        FormatError: the file cannot be written.
    """
    _write(Path(folder) / HEADER_FILE, header)


def write_result(folder: str | os.PathLike[str], result: TournamentOutcome) -> None:
    """Write the outcome of a tournament atomically.

    Raises:
        FormatError: the file cannot be written.
    """
    _write(Path(folder) / RESULT_FILE, result)


class GamesFileWriter:
    """Writer of finished games; a context manager.

    Each game is one line, which is synced to the disk before `append` returns.

    Args:
        folder: folder of the tournament; only one process at a time may write there.

    Raises:
        FormatError: the file cannot be opened.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._path = Path(folder) / GAMES_FILE
        try:
            _cut_torn_line(self._path)
            self._file: IO[bytes] = self._path.open("ab", buffering=0)
        except OSError as error:
            self._refuse(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, game: GameRecord) -> None:
        """Add a game.

        Raises:
            FormatError: the file cannot be written; its last line may be incomplete.
        """
        line = msgspec.json.encode(game) + b"\n"
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(28, "No space left on device")
            os.fsync(self._file.fileno())
        except OSError as error:
            self._refuse(error)

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):
            self._file.close()

    def _refuse(self, error: OSError) -> NoReturn:
        raise FormatError(f"{self._path}: cannot be written: {error.strerror}") from error


T = TypeVar("T")


class _FormatMarks(msgspec.Struct):
    format: Any = None
    version: Any = None


_FORMAT_MARKS: Final = msgspec.json.Decoder(_FormatMarks)
_HEADER_DECODER: Final = msgspec.json.Decoder(TournamentHeader)
_GAME_DECODER: Final = msgspec.json.Decoder(GameRecord)
_RESULT_DECODER: Final = msgspec.json.Decoder(TournamentOutcome)


def _write(path: Path, record: msgspec.Struct) -> None:
    data = msgspec.json.format(msgspec.json.encode(record), indent=1)
    write_atomically(path, data + b"\n", replace=True)


def _read_file(path: Path) -> bytes | None:
    """Return the bytes of a file; None if it does not exist."""
    try:
        return read_input(path, MAX_HEADER_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error


def _decode(decoder: msgspec.json.Decoder[T], data: bytes, where: str) -> T:
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{where}: {error}") from None


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield complete lines of limited length with their numbers."""
    try:
        with open_input(path) as file:
            lines: Iterable[bytes] = iter(lambda: file.readline(MAX_LINE_BYTES + 1), b"")
            for number, line in enumerate(lines, start=1):
                if len(line) > MAX_LINE_BYTES:
                    raise FormatError(
                        f"{path}: line {number}: expected at most {MAX_LINE_BYTES} bytes"
                    )
                if line.endswith(b"\n"):
                    yield number, line
    except FileNotFoundError:
        return
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error


def _check(game: GameRecord, engines: int, where: str) -> None:
    if game.players[0] == game.players[1] or max(game.players) >= engines:
        raise FormatError(
            f"{where}: invalid players: expected two engines from 0 to {engines - 1},"
            f" got {list(game.players)}"
        )
    if not game.is_finished and game.winner is not None:
        raise FormatError(f"{where}: invalid winner: expected none in an interrupted game")


def _cut_torn_line(path: Path) -> None:
    """Remove an incomplete last line, left by a writer that was killed."""
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        kept = end
        while kept > 0:
            start = max(0, kept - MAX_LINE_BYTES)
            file.seek(start)
            at = file.read(kept - start).rfind(b"\n")
            if at >= 0:
                kept = start + at + 1
                break
            kept = start
        if kept != end:
            file.truncate(kept)
            os.fsync(file.fileno())
