"""Solver of all sequences of a height: one perfect clear for each, in one file.

The folder contains four files, here for four rows under SRS:

    4.pc            solutions, in the order of the sequences (`sevenbag.pc.sequences`)
    4.count         number of finished sequences, as a decimal number
    4-backup.pc     copies of both, updated less often
    4-backup.count

Under another rotation system the names start with ``4-NAME``. Sequences without a perfect clear
have no solution in the file.

Sequences are solved in blocks. The program may be killed at any time: the next run removes the
block of the last solution from the file and solves it again, so no solution is lost or duplicated.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import os
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from sevenbag._kernel import Kicks, find_pc_sequence_index, read_pc_records
from sevenbag.errors import InputError, PcFileError, QueueError
from sevenbag.files import open_input, open_locked
from sevenbag.jobs import Executor, iterate_in_order
from sevenbag.pc.sequences import (
    SequenceBlocks,
    TablebaseBlocks,
    create_blocks,
    encode_records,
    split_into_parts,
)
from sevenbag.pc.tablebase import TablebaseProgress, resolve_threads

_COUNT_DIGITS: Final = 20
_COPIED_AT_ONCE: Final = 1 << 20
_BACKUP_EVERY: Final = 12
"""Number of saves between two backups."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """Progress of a batch.

    Attributes:
        done: number of finished sequences.
        total: number of sequences of the height.
        solved: number of solutions in the file.
        done_before: number of finished sequences at the start of this run.
        seconds: seconds since the first sequence of this run.
    """

    done: int
    total: int
    solved: int
    done_before: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the remaining seconds; None if there is none yet."""
        now = self.done - self.done_before
        return self.seconds / now * (self.total - self.done) if now else None


def solve_all_sequences(
    folder: str | os.PathLike[str],
    height: int,
    kicks: Kicks | str = "srs",
    *,
    limit: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    backup: bool = True,
    save_every: float = 5.0,
    preparing: Callable[[TablebaseProgress], None] | None = None,
    report: Callable[[BatchProgress], None] | None = None,
) -> BatchProgress:
    """Solve the sequences that are not solved yet.

    Four rows have 79,516,080 sequences and a file of 1.4 GB, which takes minutes. Six rows have
    58,154,216,400 sequences, which are solved one by one, so a limit is required. Results are saved
    from time to time and at the end, also after an error.

    Args:
        folder: folder of the files; created if needed.
        height: number of rows, 2, 4 or 6.
        kicks: rotation system, or its name.
        limit: minimum number of sequences to solve in this run [default: all].
        threads: number of threads [default: number of processors].
        executor: runs the work in processes instead of threads. Each process needs the memory of
            `sevenbag.pc.tablebase.MEMORY_BYTES`.
        backup: whether to store copies.
        save_every: seconds between saves.
        preparing: called with the progress of the preparation.
        report: called with the progress after every block.

    Raises:
        BoardError: invalid height.
        KicksError: unknown rotation system.
        QueueError: a limit below 1, or no limit where it is required.
        PcFileError: the files are not those of this batch, another program uses them, or they
            cannot be written. Saved results stay valid.
        ScarceMemoryError: there is not enough memory.
        JobError: a job of the executor failed. Saved results stay valid.
    """
    kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    blocks = _create_blocks(kicks, height, limit)
    name = re.sub(r"[^a-z0-9+.]+", "-", kicks.name.lower()).strip("-.") or "custom"
    stem = Path(folder) / (str(height) if kicks == Kicks("srs") else f"{height}-{name}")
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:
            files = opened.enter_context(_SolutionFile(stem, blocks))
            begin = files.resume()
            copy = None
            if backup:
                copy = opened.enter_context(
                    _SolutionFile(stem.with_name(stem.name + "-backup"), blocks)
                )
                copy.cut_to(copy.count_common(files))
            end = blocks.block_count
            if limit is not None and blocks.starts[begin] + limit < blocks.total:
                end = blocks.find_block(blocks.starts[begin] + limit - 1) + 1
            if begin == end:
                _save(files, copy, blocks.total)
            else:
                selected = range(begin, end)
                if executor is None:
                    threads = resolve_threads(threads)
                    blocks.prepare(threads, preparing)
                    solutions = _solve_in_threads(blocks, selected, threads)
                else:
                    if preparing is not None and isinstance(blocks, TablebaseBlocks):
                        preparing(TablebaseProgress("boards, in every worker", 0.0, 0.0))
                    solutions = _solve_in_workers(kicks, height, selected, executor)
                _write_all(
                    blocks,
                    begin,
                    solutions,
                    files=files,
                    copy=copy,
                    save_every=save_every,
                    report=report,
                )
            return BatchProgress(
                blocks.starts[end], blocks.total, files.solved, blocks.starts[begin], 0.0
            )
    except OSError as error:
        path = error.filename or f"{stem}.pc"
        raise PcFileError(
            "CannotWrite", f"{path}: cannot be written: {error.strerror or error}"
        ) from error


class _SolutionFile:
    """A file of solutions, with its count file."""

    def __init__(self, stem: Path, blocks: SequenceBlocks) -> None:
        self._path = stem.with_name(stem.name + ".pc")
        self._count_path = stem.with_name(stem.name + ".count")
        self._blocks = blocks
        self._file: BinaryIO

    def __enter__(self) -> _SolutionFile:
        locked = PcFileError("CannotWrite", f"{self._path}: another program is writing to it")
        self._file = os.fdopen(open_locked(self._path, os.O_RDWR | os.O_CREAT, locked), "r+b")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def solved(self) -> int:
        """Number of solutions in the file."""
        return self._file.seek(0, os.SEEK_END) // self._blocks.record_bytes

    def resume(self) -> int:
        """Return the block to continue with; remove it and later ones from the file."""
        done, solved = self._count(), self.solved
        if done is None:
            if solved:
                raise PcFileError(
                    "CannotRead",
                    f"{self._path}: {self._count_path.name}, the number of finished sequences, is"
                    " missing; restore it, or move the solutions away",
                )
            done = 0
        last = self._blocks.find_block(self._find_sequence(solved - 1)) if solved else 0
        if done == self._blocks.total and last == self._blocks.block_count - 1:
            return self._blocks.block_count
        # After a crash, the count can be ahead of the file or behind it.
        block = min(self._blocks.find_block(done), last)
        self.cut_to(
            bisect.bisect_left(range(solved), self._blocks.starts[block], key=self._find_sequence)
        )
        return block

    def cut_to(self, solutions: int) -> None:
        """Truncate the file to a number of solutions."""
        if solutions < self.solved or self._file.seek(0, os.SEEK_END) % self._blocks.record_bytes:
            self._file.truncate(min(solutions, self.solved) * self._blocks.record_bytes)

    def add(self, records: bytes) -> None:
        """Append solutions."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(records)

    def save(self, done: int) -> None:
        """Write the solutions to the disk, then the count."""
        self._file.flush()
        os.fsync(self._file.fileno())
        # The lock excludes other programs, so a draft left by a killed one can be overwritten.
        draft = self._count_path.with_name(f".{self._count_path.name}.part")
        try:
            draft.write_text(f"{done}\n", "ascii")
            draft.replace(self._count_path)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()

    def count_common(self, other: _SolutionFile) -> int:
        """Return the number of leading solutions shared with another file; 0 if they differ."""
        last = min(self.solved, other.solved) - 1
        if last >= 0 and self._find_sequence(last) == other._find_sequence(last):
            return last + 1
        return 0

    def append_from(self, other: _SolutionFile) -> None:
        """Append the solutions that only another file has."""
        at = self._file.seek(0, os.SEEK_END)
        other._file.flush()
        other._file.seek(at)
        while data := other._file.read(_COPIED_AT_ONCE):
            self._file.write(data)

    def _count(self) -> int | None:
        try:
            with open_input(self._count_path) as file:
                text = file.read(_COUNT_DIGITS + 1).strip()
        except FileNotFoundError:
            return None
        if not re.fullmatch(rb"[0-9]{1,19}", text) or int(text) > self._blocks.total:
            raise PcFileError(
                "CannotRead",
                f"{self._count_path}: invalid count: expected 0 to {self._blocks.total}",
            )
        return int(text)

    def _find_sequence(self, solution: int) -> int:
        """Return the index of the sequence of a solution."""
        self._file.seek(solution * self._blocks.record_bytes)
        records, _ = read_pc_records(self._file.read(self._blocks.record_bytes), 1)
        try:
            pieces = records[0][0] if records else []
            if len(pieces) != self._blocks.letters:
                raise InputError(f"expected {self._blocks.letters} pieces, got {len(pieces)}")
            return find_pc_sequence_index(pieces)
        except InputError as error:
            raise PcFileError(
                "CannotRead",
                f"{self._path}: solution {solution + 1} does not belong to this batch: {error}",
            ) from error


def _create_blocks(kicks: Kicks, height: int, limit: int | None) -> SequenceBlocks:
    if limit is not None and limit < 1:
        raise QueueError(f"invalid limit: expected at least 1, got {limit}")
    blocks = create_blocks(kicks, height)
    if limit is None and not isinstance(blocks, TablebaseBlocks):
        raise QueueError(
            f"invalid limit: expected a number for {height} rows, which have {blocks.total:,}"
            " sequences, got none"
        )
    return blocks


_Solutions = Generator[tuple[int, bytes], None, None]
"""Pairs of the next block and the solutions before it."""


def _write_all(
    blocks: SequenceBlocks,
    begin: int,
    solutions: _Solutions,
    *,
    files: _SolutionFile,
    copy: _SolutionFile | None,
    save_every: float,
    report: Callable[[BatchProgress], None] | None,
) -> None:
    """Write solutions, and save them from time to time."""
    started = saved = time.monotonic()
    saves = 0
    done = before = blocks.starts[begin]
    try:
        with contextlib.closing(solutions):
            for following, records in solutions:
                files.add(records)
                done = blocks.starts[following]
                if time.monotonic() - saved >= save_every:
                    saves += 1
                    _save(files, None if saves % _BACKUP_EVERY else copy, done)
                    saved = time.monotonic()
                if report is not None:
                    passed = time.monotonic() - started
                    report(BatchProgress(done, blocks.total, files.solved, before, passed))
    finally:
        # The next run removes an incomplete block.
        _save(files, copy, done)


def _save(files: _SolutionFile, copy: _SolutionFile | None, done: int) -> None:
    files.save(done)
    if copy is not None:
        copy.append_from(files)
        copy.save(done)


def _solve_in_workers(kicks: Kicks, height: int, selected: range, executor: Executor) -> _Solutions:
    """Yield the solutions of blocks, in order."""
    results = executor.run(encode_records, split_into_parts(kicks, height, selected))
    with contextlib.closing(results):
        # The executor consumes its own iterator of parts ahead of the results.
        parts = split_into_parts(kicks, height, selected)
        for part, records in zip(parts, iterate_in_order(results), strict=True):
            yield part.blocks.stop, records


def _solve_in_threads(blocks: SequenceBlocks, selected: range, threads: int) -> _Solutions:
    """Yield the solutions of prepared blocks, in order."""
    to_come = iter(selected)
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(threads, "sevenbag-batch")
    try:
        # Enough that no thread waits while a slow block is written first.
        for block in itertools.islice(to_come, 4 * threads):
            waiting.append(pool.submit(blocks.records, block))
        for block in selected:
            records = waiting[0].result()
            waiting.popleft()
            for later in itertools.islice(to_come, 1):
                waiting.append(pool.submit(blocks.records, later))
            yield block + 1, records
    finally:
        blocks.stop()
        _shut_down(pool, waiting)


def _shut_down(pool: ThreadPoolExecutor, futures: Iterable[Future[bytes]]) -> None:
    """Wait until no thread works, even after further Ctrl-C."""
    running = [future for future in futures if not future.cancel()]
    while not all(future.done() for future in running):
        with contextlib.suppress(KeyboardInterrupt):
            wait(running)
    pool.shutdown()
