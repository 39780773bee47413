"""A perfect clear for every sequence of a height, in one file.

The folder holds four files, here for four lines under SRS:

    4.pc            the solutions, in the order of the sequences (`sevenbag.pc.sequences`)
    4.count         how many sequences are done, as a decimal number
    4-backup.pc     copies of both, which follow them
    4-backup.count

Under another rotation system the names begin with ``4-NAME``. Sequences without a perfect clear
have no solution in the file.

Sequences are done in blocks with the same first four pieces. The program may be killed at any
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
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from sevenbag._kernel import PC_CENSUS_STAGES, Kicks, pc_block_sizes, read_pc_records
from sevenbag.errors import InputError, PcFileError
from sevenbag.pc.census import Watch, expect_height, take_census, threads_or_all
from sevenbag.pc.sequences import number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag._kernel import PcCensus
    from sevenbag.pc.census import Progress

_HEAD_BYTES: Final = 8
_COUNT_DIGITS: Final = 20
_COPIED_AT_ONCE: Final = 1 << 20
_BACKUP_EVERY: Final = 12
"""Savings of the files to each backup."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How far a batch is.

    Attributes:
        done: sequences done.
        total: all sequences.
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


def solve_all(
    folder: str | os.PathLike[str],
    height: int,
    kicks: Kicks | str = "srs",
    *,
    threads: int | None = None,
    backup: bool = True,
    save_every: float = 5.0,
    preparing: Callable[[Progress], None] | None = None,
    report: Callable[[Tally], None] | None = None,
) -> Tally:
    """Solve all sequences that are not solved yet.

    Four lines are 79,516,080 sequences and a file of 1.4 GB. What is done is saved when the work
    ends, however it ends, and now and then before.

    Args:
        folder: where the files are; it is made if need be.
        height: 2 or 4 lines.
        kicks: rotation system, or its name.
        threads: as many as there are processors, if not given.
        backup: whether to keep copies.
        save_every: seconds.
        preparing: is told how far the preparations are.
        report: is told how far the batch is, after every block.

    Raises:
        BoardError: all sequences of this height cannot be solved.
        KicksError: there is no system of this name.
        PcFileError: the files there are not those of such a batch, another program is at them, or
            they cannot be written; what is done is safe.
        ScarceMemoryError: there is not enough memory.
    """
    expect_height(height)
    kicks = kicks if isinstance(kicks, Kicks) else Kicks(kicks)
    threads = threads_or_all(threads)
    plan = _Plan(height)
    stem = Path(folder) / (str(height) if kicks == Kicks("srs") else f"{height}-{_slug(kicks)}")
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:
            files = opened.enter_context(_Files(stem, plan))
            begin = files.resume()
            copy = None
            if backup:
                copy = opened.enter_context(_Files(stem.with_name(stem.name + "-backup"), plan))
                copy.cut_to(copy.common_with(files))
            keeper = _Keeper(files, copy, save_every)
            if begin == plan.blocks:
                keeper.save(plan.total, backup=True)
            else:
                watch = Watch(preparing, height, PC_CENSUS_STAGES - 1)
                census = take_census(kicks, height, threads, watch)
                _solve(census, plan, begin, keeper, threads=threads, report=report)
            return Tally(plan.total, plan.total, files.solved, plan.starts[begin], 0.0)
    except OSError as error:
        name = error.filename or stem.with_name(stem.name + ".pc")
        raise PcFileError(
            "CannotWrite", f"{name}: cannot be written: {error.strerror or error}"
        ) from error


# --- helpers ------------------------------------------------------------------------------------


class _Plan:
    """The blocks of a height.

    Attributes:
        starts: sequences before each block, and at last all.
    """

    def __init__(self, height: int) -> None:
        self.letters = height * 10 // 4 + 1
        self.record_bytes = _HEAD_BYTES + self.letters - 1
        self.starts = list(itertools.accumulate(pc_block_sizes(self.letters), initial=0))

    @property
    def blocks(self) -> int:
        return len(self.starts) - 1

    @property
    def total(self) -> int:
        return self.starts[-1]

    def block_of(self, number: int) -> int:
        """The block in which the sequence is; one more than there are, if all are before it."""
        return bisect.bisect_right(self.starts, number) - 1


class _Files:
    """A file of solutions and its count."""

    def __init__(self, stem: Path, plan: _Plan) -> None:
        self._path = stem.with_name(stem.name + ".pc")
        self._count_path = stem.with_name(stem.name + ".count")
        self._plan = plan
        self._file: BinaryIO

    def __enter__(self) -> _Files:
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
        return self._file.seek(0, os.SEEK_END) // self._plan.record_bytes

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
        last = self._plan.block_of(self._number(solved - 1)) if solved else 0
        if done == self._plan.total and last == self._plan.blocks - 1:
            return self._plan.blocks
        # A count that is ahead of the file has lost its solutions, one that is behind it never
        # heard of them.
        block = min(self._plan.block_of(done), last)
        self.cut_to(bisect.bisect_left(range(solved), self._plan.starts[block], key=self._number))
        return block

    def cut_to(self, solutions: int) -> None:
        """Keep the first solutions only."""
        if solutions < self.solved or self._file.seek(0, os.SEEK_END) % self._plan.record_bytes:
            self._file.truncate(min(solutions, self.solved) * self._plan.record_bytes)

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

    def common_with(self, other: _Files) -> int:
        """Solutions that are the same as in another file, if its last one is; else none."""
        solved = min(self.solved, other.solved)
        return solved if solved and self._number(solved - 1) == other._number(solved - 1) else 0

    def append_from(self, other: _Files) -> None:
        """Add the solutions that another file has more."""
        at = self._file.seek(0, os.SEEK_END)
        other._file.flush()
        other._file.seek(at)
        while data := other._file.read(_COPIED_AT_ONCE):
            self._file.write(data)

    def _count(self) -> int | None:
        try:
            with self._count_path.open("rb") as file:
                text = file.read(_COUNT_DIGITS + 1).strip()
        except FileNotFoundError:
            return None
        if not re.fullmatch(rb"[0-9]{1,19}", text) or int(text) > self._plan.total:
            raise PcFileError(
                "CannotRead",
                f"{self._count_path}: holds no number of sequences from 0 to {self._plan.total}",
            )
        return int(text)

    def _number(self, solution: int) -> int:
        """The number of a solution's sequence."""
        self._file.seek(solution * self._plan.record_bytes)
        records, _ = read_pc_records(self._file.read(self._plan.record_bytes), 1)
        try:
            pieces = records[0][0] if records else []
            if len(pieces) != self._plan.letters:
                raise InputError(f"a sequence of {len(pieces)} pieces")
            return number_of(pieces)
        except InputError as error:
            raise PcFileError(
                "CannotRead",
                f"{self._path}: solution {solution + 1} is not of this batch: {error}",
            ) from error


class _Keeper:
    """Puts solutions into the files, and saves them now and then."""

    def __init__(self, files: _Files, copy: _Files | None, save_every: float) -> None:
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


def _solve(
    census: PcCensus,
    plan: _Plan,
    begin: int,
    keeper: _Keeper,
    *,
    threads: int,
    report: Callable[[Tally], None] | None,
) -> None:
    """Do the blocks from `begin` on, in their order."""
    begun = time.monotonic()
    blocks = iter(range(begin, plan.blocks))
    waiting: deque[Future[bytes]] = deque()
    done = begin
    pool = ThreadPoolExecutor(threads, "sevenbag-batch")
    try:
        # Enough that no thread waits for a slow block that must be written first.
        for block in itertools.islice(blocks, 4 * threads):
            waiting.append(pool.submit(census.records, block))
        while waiting:
            keeper.keep(waiting[0].result(), plan.starts[done + 1])
            waiting.popleft()
            done += 1
            for block in itertools.islice(blocks, 1):
                waiting.append(pool.submit(census.records, block))
            if report is not None:
                passed = time.monotonic() - begun
                report(
                    Tally(plan.starts[done], plan.total, keeper.solved, plan.starts[begin], passed)
                )
    finally:
        pool.shutdown(cancel_futures=True)
        # What Ctrl-C leaves of a block is cut off the next time.
        keeper.save(plan.starts[done], backup=True)


def _slug(kicks: Kicks) -> str:
    """The system's name as part of a file's."""
    return re.sub(r"[^a-z0-9+.]+", "-", kicks.name.lower()).strip("-.") or "own"
