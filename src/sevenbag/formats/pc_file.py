"""Files of perfect clears (``.pc``): solutions from the empty field, one after another.

docs/pc-files.md describes the format, which is perfect-tetris's. The kernel reads and writes the
records; here are the files: streamed, so that one of many gigabytes needs no more memory than a
small one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from sevenbag._kernel import (
    Board,
    Kicks,
    PcFault,
    PcValidator,
    Piece,
    Placement,
    read_pc_records,
    skip_pc_records,
    write_pc_record,
)
from sevenbag.errors import InputError, PcFileError
from sevenbag.files import open_input

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_PIECES: Final = 16
"""Pieces of a record at most, the held one first."""

ANY_KICKS: Final = ("srs-tetrio", "srs+")
"""Systems one of which allows all that any of perfect-tetris's six allows: the others have fewer
kicks than the first, in the same order."""

_SEQUENCE_BYTES: Final = 6
# No centre is above row 6, so no cell above row 8.
_DRAWN_ROWS: Final = 12
_CHUNK: Final = 1 << 20
_BATCH: Final = 4096


@dataclass(frozen=True, slots=True)
class PcRecord:
    """A perfect clear from the empty field.

    Attributes:
        sequence: 2 to 16 pieces: the held one, then the others as they come.
        holds: bit i: hold was used for placement i.
        placements: one less than there are pieces.
    """

    sequence: tuple[Piece, ...]
    holds: int
    placements: tuple[Placement, ...]

    @staticmethod
    def from_placements(sequence: Sequence[Piece], placements: Sequence[Placement]) -> PcRecord:
        """The solution that plays these placements; where hold is used follows from their pieces.

        Raises:
            PcFileError: (``InvalidSolution``) a placement is of a piece that is not at hand.
        """
        pieces = tuple(sequence)
        held, holds = pieces[0] if pieces else None, 0
        for number, (piece, placement) in enumerate(zip(pieces[1:], placements, strict=False)):
            if placement.piece is piece:
                continue
            if placement.piece is not held:
                raise PcFileError(
                    "InvalidSolution",
                    f"placement {number + 1} is of {placement.piece.name}, but {piece.name} comes"
                    f" and {held.name if held is not None else 'nothing'} is held",
                )
            holds |= 1 << number
            held = piece
        return PcRecord(pieces, holds, tuple(placements))

    @staticmethod
    def decode(data: bytes) -> PcRecord:
        """The solution of one record.

        Raises:
            PcFileError: (``EndOfStream``) the record is not complete.
        """
        records, used = read_pc_records(data, 1)
        if not records or used != len(data):
            raise PcFileError("EndOfStream", f"{len(data)} bytes are not one record")
        sequence, holds, placements = records[0]
        return PcRecord(tuple(sequence), holds, tuple(placements))

    def encode(self) -> bytes:
        """The bytes of its record.

        Raises:
            PcFileError: (``InvalidSolution``) it fits into none.
        """
        try:
            return write_pc_record(list(self.sequence), self.holds, list(self.placements))
        except InputError as error:
            raise PcFileError("InvalidSolution", str(error)) from error

    def draw_uncleared(self) -> list[list[tuple[int, int]]]:
        """The cells of each placement as they would lie if no row were ever removed.

        Rows that were cleared stay, and what lies above them is pushed up accordingly: so a
        perfect clear shows as a whole. The first placement that does not fit ends the list.
        """
        board = Board(rows=_DRAWN_ROWS)
        # Which row of the whole each row of the board is.
        rows = list(range(_DRAWN_ROWS * 2))
        found: list[list[tuple[int, int]]] = []
        for placement in self.placements:
            if not board.fits(placement):
                break
            found.append([(x, rows[y]) for x, y in placement.cells])
            touched = sorted({y for _, y in placement.cells}, reverse=True)
            full = [
                y for y in touched if board.row(y) | _bits(placement, y) == (1 << board.width) - 1
            ]
            board.lock(placement)
            for y in full:
                del rows[y]
        return found


@dataclass(frozen=True, slots=True)
class PcFileReport:
    """What came of checking a file.

    Attributes:
        solutions: how many are good, up to the first that is not.
        bytes: how many bytes were read, those of the faulty solution included.
        fault: what is wrong with that; `PcFault.NONE` if all are good.
        placement: which of its placements, from 0.
    """

    solutions: int
    bytes: int
    fault: PcFault = PcFault.NONE
    placement: int = 0

    def describe_fault(self) -> str:
        """Describe the fault; empty if there is none."""
        if self.fault is PcFault.NONE:
            return ""
        words = _REASONS[self.fault]
        return f"placement {self.placement + 1} {words}" if self.fault in _OF_PLACEMENT else words


def read_solutions(path: str | os.PathLike[str]) -> Iterator[PcRecord]:
    """The solutions of a file, one after another; what they say is not checked.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``, ``EndOfStream``) the file cannot be read,
            or ends within a record; fewer than 6 bytes at its end are passed over.
    """
    with _opened(path) as file:
        for data in _chunks(file, path):
            at, used = 0, -1
            while used:
                records, used = read_pc_records(data.take(at), _BATCH)
                at += used
                for sequence, holds, placements in records:
                    yield PcRecord(tuple(sequence), holds, tuple(placements))
            data.used = at


def write_solutions(path: str | os.PathLike[str], solutions: Iterable[PcRecord]) -> int:
    """Write a file of its own; one that is there is replaced when all is written, and not before.

    Returns:
        How many solutions were written.

    Raises:
        PcFileError: (``InvalidSolution``, ``CannotWrite``) a solution fits into no record, or the
            file cannot be written.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    count = 0
    try:
        try:
            with beside.open("xb") as file:
                for solution in solutions:
                    file.write(solution.encode())
                    count += 1
            beside.replace(target)
        except OSError as error:
            raise PcFileError(
                "CannotWrite", f"{target}: cannot be written: {error.strerror}"
            ) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
    return count


def validate_file(
    path: str | os.PathLike[str],
    kicks: Sequence[Kicks | str] = ANY_KICKS,
    *,
    allow_early_clear: bool = True,
) -> PcFileReport:
    """Hold every solution to the rules, up to the first that breaks them.

    Every placement must lie between the walls, on something, in no filled cell, and where it can
    be reached from above; after the last one the field must be empty.

    Args:
        path: the file.
        kicks: rotation systems; each solution must be playable under one of them as a whole. With
            none, nothing need be reachable.
        may_clear_before: whether the field may be empty on the way, too.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``, ``EndOfStream``) as `read_solutions`.
        KicksError: there is no such system.
    """
    checker = PcValidator(list(kicks), allow_early_clear)
    solutions = read = 0
    with _opened(path) as file:
        for data in _chunks(file, path):
            records, data.used, fault, placement = checker.validate(data.bytes)
            solutions += records
            read += data.used
            if fault is not PcFault.NONE:
                return PcFileReport(solutions, read, fault, placement)
    return PcFileReport(solutions, read)


class PcFileIndex:
    """Finds the solutions of a file by number, however long it is.

    It is made little by little, so that a program can show the first solution at once: whatever
    has not been gone through yet is gone through when it is asked for.

    Attributes:
        count: solutions gone through so far.
        complete: whether those are all.

    A context, which closes the file.

    Args:
        path: the file.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``) it cannot be read.
    """

    EVERY: Final = 1 << 17
    """An entry is kept for each so many solutions."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._file = _opened(path)
        self._entries = [0]
        self._at: int = 0
        self.count: int = 0
        self.complete = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def extend(self) -> None:
        """Go through another megabyte.

        Raises:
            PcFileError: (``EndOfStream``, ``CannotRead``) as `read_solutions`.
        """
        data = self._read(self._at, _CHUNK)
        end = len(data) < _CHUNK
        used = 0
        while True:
            missing = self.EVERY - self.count % self.EVERY
            records, more = skip_pc_records(data[used:] if used else data, missing)
            used += more
            self.count += records
            if records < missing:
                break
            self._entries.append(self._at + used)
        self._at += used
        if end:
            _expect_no_rest(len(data) - used, self._path)
            self.complete = True

    def read(self, number: int) -> PcRecord | None:
        """A solution, counted from 0; None if there are not so many.

        Raises:
            PcFileError: as `grow`.
        """
        while number >= self.count and not self.complete:
            self.extend()
        if not 0 <= number < self.count:
            return None
        at = self._entries[number // self.EVERY]
        left = number % self.EVERY
        while True:
            data = self._read(at, _CHUNK)
            records, used = skip_pc_records(data, left)
            left -= records
            if left == 0:
                found, _ = read_pc_records(data[used:], 1)
                if found:
                    sequence, holds, placements = found[0]
                    return PcRecord(tuple(sequence), holds, tuple(placements))
            if not used:
                raise PcFileError("EndOfStream", f"{os.fspath(self._path)}: became shorter")
            at += used

    def _read(self, at: int, size: int) -> bytes:
        try:
            self._file.seek(at)
            return self._file.read(size)
        except OSError as error:
            raise _unreadable(self._path, error) from error


# --- helpers ------------------------------------------------------------------------------------

_REASONS: Final = {
    PcFault.NO_PLACEMENT: "it has no placement",
    PcFault.OUTSIDE: "passes a wall or the floor",
    PcFault.OVERLAP: "fills cells that are filled already",
    PcFault.FLOATING: "rests on nothing",
    PcFault.UNREACHABLE: "cannot be reached from above",
    PcFault.CLEARED_EARLY: "comes after the field was empty",
    PcFault.NOT_CLEARED: "the field is not empty at its end",
}

_OF_PLACEMENT: Final = frozenset(
    {
        PcFault.OUTSIDE,
        PcFault.OVERLAP,
        PcFault.FLOATING,
        PcFault.UNREACHABLE,
        PcFault.CLEARED_EARLY,
    }
)


def _bits(placement: Placement, y: int) -> int:
    return sum(1 << x for x, row in placement.cells if row == y)


class _Chunk:
    """Bytes of a file; whoever goes through them says how many were used."""

    def __init__(self, data: bytes) -> None:
        self.bytes = data
        self.used = 0

    def take(self, at: int) -> bytes:
        return self.bytes[at:] if at else self.bytes


def _chunks(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[_Chunk]:
    """The file in pieces, each beginning with what was not used of the one before."""
    rest = b""
    while True:
        try:
            more = file.read(_CHUNK)
        except OSError as error:
            raise _unreadable(path, error) from error
        chunk = _Chunk(rest + more)
        yield chunk
        rest = chunk.bytes[chunk.used :]
        if not more:
            _expect_no_rest(len(rest), path)
            return


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open_input(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | os.PathLike[str], error: OSError) -> PcFileError:
    code = "FileNotFound" if isinstance(error, FileNotFoundError) else "CannotRead"
    return PcFileError(code, f"{os.fspath(path)}: cannot be read: {error.strerror}")


def _expect_no_rest(rest: int, path: str | os.PathLike[str]) -> None:
    # Too little for a sequence is no record that was cut short, the format's own tools say.
    if rest >= _SEQUENCE_BYTES:
        raise PcFileError("EndOfStream", f"{os.fspath(path)}: ends within a record")
