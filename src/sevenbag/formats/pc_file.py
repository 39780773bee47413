"""Files of perfect clears (``.pc``): a sequence of solutions for the empty field.

docs/pc-files.md describes the format of perfect-tetris. The kernel decodes records; this module
streams files, so that memory does not grow with their size.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Self

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
from sevenbag.files import open_input, write_atomically

MAX_PIECES: Final = 16
"""Maximum pieces of a record, including the held one."""

ANY_KICKS: Final = ("srs-tetrio", "srs+")
"""Rotation systems that together allow everything that the six systems of perfect-tetris allow: the
others have fewer kicks than the first, in the same order.
"""

_SEQUENCE_BYTES: Final = 6
# No centre is above row 6, so no cell above row 8.
_DRAWN_ROWS: Final = 12
_CHUNK: Final = 1 << 20
_BATCH: Final = 4096


@dataclass(frozen=True, slots=True)
class PcRecord:
    """Perfect clear from the empty field.

    Attributes:
        sequence: 2 to 16 pieces: the held one, then the queue.
        holds: bit i: placement i used hold.
        placements: one less than the pieces.
    """

    sequence: tuple[Piece, ...]
    holds: int
    placements: tuple[Placement, ...]

    @staticmethod
    def from_placements(sequence: Sequence[Piece], placements: Sequence[Placement]) -> PcRecord:
        """Create a record; the pieces of the placements decide where hold is used.

        Raises:
            PcFileError: (``InvalidSolution``) the piece of a placement is not available.
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
        """Decode a record.

        Raises:
            PcFileError: (``EndOfStream``) the record is truncated.
        """
        records, used = _read_records(data, 1)
        if not records or used != len(data):
            raise PcFileError("EndOfStream", f"{len(data)} bytes are not one record")
        return records[0]

    def encode(self) -> bytes:
        """Encode the record.

        Raises:
            PcFileError: (``InvalidSolution``) the solution does not fit into a record.
        """
        try:
            return write_pc_record(list(self.sequence), self.holds, list(self.placements))
        except InputError as error:
            raise PcFileError("InvalidSolution", str(error)) from error

    def draw_uncleared(self) -> list[list[tuple[int, int]]]:
        """Return the cells of each placement as if no row were removed.

        Cleared rows stay, and cells above them move up, so that the whole perfect clear is visible.
        The list ends before the first placement that does not fit.
        """
        board = Board(rows=_DRAWN_ROWS)
        # Row of the uncleared picture for each row of the board.
        rows = list(range(_DRAWN_ROWS * 2))
        found: list[list[tuple[int, int]]] = []
        for placement in self.placements:
            if not board.fits(placement):
                break
            found.append([(x, rows[y]) for x, y in placement.cells])
            filled = Counter(y for _, y in placement.cells)
            for y in sorted(filled, reverse=True):
                if board.row(y).bit_count() + filled[y] == board.width:
                    del rows[y]
            board.lock(placement)
        return found


@dataclass(frozen=True, slots=True)
class PcFileReport:
    """Result of `validate_file`.

    Attributes:
        solutions: number of valid solutions before the first invalid one.
        fault: fault of that solution; `PcFault.NONE` if all are valid.
        placement: number of its invalid placement, from 0.
    """

    solutions: int
    bytes: int
    fault: PcFault = PcFault.NONE
    placement: int = 0

    def describe_fault(self) -> str:
        """Return a description of the fault; empty without a fault."""
        if self.fault is PcFault.NONE:
            return ""
        words = _REASONS[self.fault]
        if self.fault in (PcFault.NO_PLACEMENT, PcFault.NOT_CLEARED):
            return words
        return f"placement {self.placement + 1} {words}"


def read_solutions(path: str | os.PathLike[str]) -> Iterator[PcRecord]:
    """Iterate over the solutions of a file without validation.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``, ``EndOfStream``) the file cannot be read, or
            ends within a record; fewer than 6 bytes at its end are ignored.
    """
    with _opened(path) as file:
        for data in _chunks(file, path):
            at, used = 0, -1
            while used:
                records, used = _read_records(data.bytes[at:], _BATCH)
                at += used
                yield from records
            data.used = at


def write_solutions(path: str | os.PathLike[str], solutions: Iterable[PcRecord]) -> int:
    """Write a file atomically.

    Returns:
        Number of solutions.

    Raises:
        PcFileError: (``InvalidSolution``, ``CannotWrite``) a solution does not fit into a record,
            or the file cannot be written.
    """
    records = [solution.encode() for solution in solutions]
    write_atomically(
        Path(path),
        b"".join(records),
        replace=True,
        error=lambda text: PcFileError("CannotWrite", text),
    )
    return len(records)


def validate_file(
    path: str | os.PathLike[str],
    kicks: Sequence[Kicks | str] = ANY_KICKS,
    *,
    allow_early_clear: bool = True,
) -> PcFileReport:
    """Validate solutions up to the first invalid one.

    Every placement must be between the walls, supported, in empty cells, and reachable from above;
    the field must be empty after the last one.

    Args:
        path: the file.
        kicks: rotation systems; each solution must be playable as a whole under one of them.
            Without any, reachability is not checked.
        allow_early_clear: the field may be empty before the last placement.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``, ``EndOfStream``) as `read_solutions`.
        KicksError: a rotation system is unknown.
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
    """Access to the solutions of a file by number; a context manager that closes the file.

    The index is built on demand, so that a program can show the first solution immediately.

    Attributes:
        count: number of indexed solutions.
        complete: True if all solutions are indexed.

    Raises:
        PcFileError: (``FileNotFound``, ``CannotRead``) the file cannot be read.
    """

    EVERY: Final = 1 << 17
    """Number of solutions per entry of the index."""

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
        """Index another megabyte.

        Raises:
            PcFileError: (``EndOfStream``, ``CannotRead``) as `read_solutions`.
        """
        data = self._read(self._at, _CHUNK)
        end = len(data) < _CHUNK
        used = 0
        while True:
            missing = self.EVERY - self.count % self.EVERY
            records, more = skip_pc_records(data[used:], missing)
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
        """Read a solution by number, from 0; None if there are fewer.

        Raises:
            PcFileError: as `extend`.
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
                found, _ = _read_records(data[used:], 1)
                if found:
                    return found[0]
            if not used:
                raise PcFileError("EndOfStream", f"{os.fspath(self._path)}: became shorter")
            at += used

    def _read(self, at: int, size: int) -> bytes:
        try:
            self._file.seek(at)
            return self._file.read(size)
        except OSError as error:
            raise _unreadable(self._path, error) from error


_REASONS: Final = {
    PcFault.NO_PLACEMENT: "it has no placement",
    PcFault.OUTSIDE: "passes a wall or the floor",
    PcFault.OVERLAP: "fills cells that are filled already",
    PcFault.FLOATING: "rests on nothing",
    PcFault.UNREACHABLE: "cannot be reached from above",
    PcFault.CLEARED_EARLY: "comes after the field was empty",
    PcFault.NOT_CLEARED: "the field is not empty at its end",
}


def _read_records(data: bytes, most: int) -> tuple[list[PcRecord], int]:
    """Decode up to `most` records; return them and the number of bytes read."""
    records, used = read_pc_records(data, most)
    return [PcRecord(tuple(pieces), holds, tuple(found)) for pieces, holds, found in records], used


@dataclass(slots=True)
class _Chunk:
    """Part of a file; the reader sets the number of used bytes."""

    bytes: bytes
    used: int = 0


def _chunks(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[_Chunk]:
    """Read the file in chunks; each starts with the unused bytes of the previous one."""
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
    # As in the tools of the format, fewer bytes than a sequence are not a truncated record.
    if rest >= _SEQUENCE_BYTES:
        raise PcFileError("EndOfStream", f"{os.fspath(path)}: ends within a record")
