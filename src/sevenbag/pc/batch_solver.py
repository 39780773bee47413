"""A perfect clear for every sequence of a height, in one file.

The folder holds four files, here for four lines under SRS:

    4.pc            the solutions, in the order of the sequences (`sevenbag.pc.sequences`)
    4.count         how many sequences are done, as a decimal number
    4-backup.pc     copies of both, which follow them
    4-backup.count

Under another rotation system the names begin with ``4-NAME``. Sequences without a perfect clear
have no solution in the file.

Sequences are done in blocks. The program may be killed at any
moment: the block of the last solution in the file is done again when it is started the next time,
after what was written of it has been cut off. So nothing is lost, and nothing is there twice.
"""

from __future__ import annotations

import bisect
import contextlib
import fcntl
import itertools
import os
import re
import time
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from sevenbag._kernel import Kicks, read_pc_records
from sevenbag.errors import InputError, PcFileError, QueueError
from sevenbag.files import open_input
from sevenbag.jobs import iterate_in_order
from sevenbag.pc.sequences import (
    SequenceBlocks,
    TablebaseBlocks,
    create_blocks,
    encode_records,
    find_sequence_index,
    split_into_parts,
)
from sevenbag.pc.tablebase import TablebaseProgress, resolve_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sevenbag.jobs import Executor

_COUNT_DIGITS: Final = 20
_COPIED_AT_ONCE: Final = 1 << 20
_BACKUP_EVERY: Final = 12
"""Savings of the files to each backup."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is.

    Attributes:
        done: sequences done.
        total: all sequences of the height.
        solved: solutions in the file.
        done_before: sequences done when this run began.
        seconds: since the first sequence of this run.
    """

    done: int
    total: int
    solved: int
    done_before: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """An estimate; None as long as there is nothing to base it on."""
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

    Four lines are 79,516,080 sequences and a file of 1.4 GB, made in minutes. Six lines are
    58,154,216,400 and solved one by one, so that a limit must be given. What is done is saved when
    the work ends, however it ends, and now and then before.

    Args:
        folder: where the files are; it is made if need be.
        height: 2, 4 or 6 lines.
        kicks: rotation system, or its name.
        limit: how many sequences to do now, at least; all, if not given.
        threads: as many as there are processors, if not given.
        executor: runs the work in processes, here or elsewhere, instead of in threads. Each takes
            the memory that threads take together (`sevenbag.pc.tablebase.MEMORY_BYTES`).
        backup: whether to keep copies.
        save_every: seconds.
        preparing: is told how far the preparations are.
        report: is told how far the batch is, after every block.

    Raises:
        BoardError: all sequences of this height cannot be solved.
        KicksError: there is no system of this name.
        QueueError: a limit below 1, or none where one must be given.
        PcFileError: the files there are not those of such a batch, another program is at them, or
            they cannot be written; what is done is safe.
        ScarceMemoryError: there is not enough memory.
        JobError: the executor's work failed; what is done is safe.
    """
    kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    blocks = _blocks(kicks, height, limit)
    stem = Path(folder) / (str(height) if kicks == Kicks("srs") else f"{height}-{_slug(kicks)}")
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
                copy.cut_to(copy.common_with(files))
            keeper = _SolutionWriter(files, copy, save_every)
            end = blocks.block_count
            if limit is not None and blocks.starts[begin] + limit < blocks.total:
                end = blocks.block_of(blocks.starts[begin] + limit - 1) + 1
            if begin == end:
                keeper.save(blocks.total, backup=True)
            else:
                wanted = range(begin, end)
                if executor is None:
                    threads = resolve_threads(threads)
                    blocks.prepare(threads, preparing)
                    solutions = _by_threads(blocks, wanted, threads)
                else:
                    if preparing is not None and isinstance(blocks, TablebaseBlocks):
                        preparing(TablebaseProgress("boards, in every worker", 0.0, 0.0))
                    solutions = _by_workers(kicks, height, wanted, executor)
                _keep_all(blocks, begin, solutions, keeper, report)
            return BatchProgress(
                blocks.starts[end], blocks.total, files.solved, blocks.starts[begin], 0.0
            )
    except OSError as error:
        name = error.filename or stem.with_name(stem.name + ".pc")
        raise PcFileError(
            "CannotWrite", f"{name}: cannot be written: {error.strerror or error}"
        ) from error


# --- helpers ------------------------------------------------------------------------------------


class _SolutionFile:
    """A file of solutions and its count."""

    def __init__(self, stem: Path, blocks: SequenceBlocks) -> None:
        self._path = stem.with_name(stem.name + ".pc")
        self._count_path = stem.with_name(stem.name + ".count")
        self._blocks = blocks
        self._file: BinaryIO

    def __enter__(self) -> _SolutionFile:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._file = os.fdopen(descriptor, "r+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise PcFileError(
                "CannotWrite", f"{self._path}: another program is writing to it"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def solved(self) -> int:
        """Solutions in the file."""
        return self._file.seek(0, os.SEEK_END) // self._blocks.record_bytes

    def resume(self) -> int:
        """The block to go on with; what the file has of it and of later ones is cut off."""
        done, solved = self._count(), self.solved
        if done is None:
            if solved:
                raise PcFileError(
                    "CannotRead",
                    f"{self._path}: is there without {self._count_path.name}, which says how much"
                    " of it is done; move it away, or put that file back",
                )
            done = 0
        last = self._blocks.block_of(self._number(solved - 1)) if solved else 0
        if done == self._blocks.total and last == self._blocks.block_count - 1:
            return self._blocks.block_count
        # A count that is ahead of the file has lost its solutions, one that is behind it never
        # heard of them.
        block = min(self._blocks.block_of(done), last)
        self.cut_to(bisect.bisect_left(range(solved), self._blocks.starts[block], key=self._number))
        return block

    def cut_to(self, solutions: int) -> None:
        """Keep the first solutions only."""
        if solutions < self.solved or self._file.seek(0, os.SEEK_END) % self._blocks.record_bytes:
            self._file.truncate(min(solutions, self.solved) * self._blocks.record_bytes)

    def add(self, records: bytes) -> None:
        """Add solutions."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(records)

    def save(self, done: int) -> None:
        """Have the disk hold the solutions, and then the count."""
        self._file.flush()
        os.fsync(self._file.fileno())
        # Nobody else is at these files, so that the next one may take what a killed one left.
        draft = self._count_path.with_name(f".{self._count_path.name}.part")
        try:
            draft.write_text(f"{done}\n", "ascii")
            draft.replace(self._count_path)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()

    def common_with(self, other: _SolutionFile) -> int:
        """Solutions that are the same as in another file, if its last one is; else none."""
        solved = min(self.solved, other.solved)
        return solved if solved and self._number(solved - 1) == other._number(solved - 1) else 0

    def append_from(self, other: _SolutionFile) -> None:
        """Add the solutions that another file has more."""
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
                f"{self._count_path}: holds no number of sequences from 0 to {self._blocks.total}",
            )
        return int(text)

    def _number(self, solution: int) -> int:
        """The number of a solution's sequence."""
        self._file.seek(solution * self._blocks.record_bytes)
        records, _ = read_pc_records(self._file.read(self._blocks.record_bytes), 1)
        try:
            pieces = records[0][0] if records else []
            if len(pieces) != self._blocks.letters:
                raise InputError(f"a sequence of {len(pieces)} pieces")
            return find_sequence_index(pieces)
        except InputError as error:
            raise PcFileError(
                "CannotRead",
                f"{self._path}: solution {solution + 1} is not of this batch: {error}",
            ) from error


class _SolutionWriter:
    """Puts solutions into the files, and saves them now and then."""

    def __init__(self, files: _SolutionFile, copy: _SolutionFile | None, save_every: float) -> None:
        self._files = files
        self._copy = copy
        self._save_every = save_every
        self._saved = time.monotonic()
        self._savings = 0

    @property
    def solved(self) -> int:
        return self._files.solved

    def keep(self, records: bytes, done: int) -> None:
        """Add solutions; so many sequences are done then."""
        self._files.add(records)
        if time.monotonic() - self._saved >= self._save_every:
            self._savings += 1
            self.save(done, backup=self._savings % _BACKUP_EVERY == 0)

    def save(self, done: int, *, backup: bool) -> None:
        self._files.save(done)
        if backup and self._copy is not None:
            self._copy.append_from(self._files)
            self._copy.save(done)
        self._saved = time.monotonic()


def _blocks(kicks: Kicks, height: int, limit: int | None) -> SequenceBlocks:
    if limit is not None and limit < 1:
        raise QueueError(f"a limit of {limit} sequences; it must be 1 or more")
    blocks = create_blocks(kicks, height)
    if limit is None and not isinstance(blocks, TablebaseBlocks):
        raise QueueError(
            f"{height} lines have {blocks.total:,} sequences; give a limit of how many to do now"
        )
    return blocks


_Solutions = Generator[tuple[int, bytes], None, None]
"""Block for block, or some at a time: the one that follows, and the solutions up to it."""


def _keep_all(
    blocks: SequenceBlocks,
    begin: int,
    solutions: _Solutions,
    keeper: _SolutionWriter,
    report: Callable[[BatchProgress], None] | None,
) -> None:
    begun = time.monotonic()
    done = before = blocks.starts[begin]
    try:
        with contextlib.closing(solutions):
            for following, records in solutions:
                keeper.keep(records, blocks.starts[following])
                done = blocks.starts[following]
                if report is not None:
                    passed = time.monotonic() - begun
                    report(BatchProgress(done, blocks.total, keeper.solved, before, passed))
    finally:
        # What Ctrl-C leaves of a block is cut off the next time.
        keeper.save(done, backup=True)


def _by_workers(kicks: Kicks, height: int, wanted: range, executor: Executor) -> _Solutions:
    """The solutions of these blocks, in their order."""
    results = executor.run(encode_records, split_into_parts(kicks, height, wanted))
    with contextlib.closing(results):
        # The parts once more: the executor takes its own ahead of the results.
        parts = split_into_parts(kicks, height, wanted)
        for part, records in zip(parts, iterate_in_order(results), strict=True):
            yield part.blocks.stop, records


def _by_threads(blocks: SequenceBlocks, wanted: range, threads: int) -> _Solutions:
    """The same, of blocks that are prepared."""
    to_come = iter(wanted)
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(threads, "sevenbag-batch")
    try:
        # Enough that no thread waits for a slow block that must be written first.
        for block in itertools.islice(to_come, 4 * threads):
            waiting.append(pool.submit(blocks.records, block))
        for block in wanted:
            records = waiting[0].result()
            waiting.popleft()
            for later in itertools.islice(to_come, 1):
                waiting.append(pool.submit(blocks.records, later))
            yield block + 1, records
    finally:
        blocks.stop()
        _end(pool, waiting)


def _end(pool: ThreadPoolExecutor, futures: Iterable[Future[bytes]]) -> None:
    """End when no thread works any more, however often Ctrl-C is pressed meanwhile."""
    running = [future for future in futures if not future.cancel()]
    while not all(future.done() for future in running):
        with contextlib.suppress(KeyboardInterrupt):
            wait(running)
    pool.shutdown()


def _slug(kicks: Kicks) -> str:
    """The system's name as part of a file's."""
    return re.sub(r"[^a-z0-9+.]+", "-", kicks.name.lower()).strip("-.") or "own"
