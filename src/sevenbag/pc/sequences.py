"""Sequences of pieces that bags can deal to a player: counted, indexed, listed and solved.

A sequence of length n is a held piece, the current piece and n - 1 next pieces, where current and
next pieces are a window of a 7-bag stream. The held and the current piece can be exchanged, so such
sequences are listed once, with the held piece not before the current one in the order IOTSZLJ. The
list is sorted by that order, held piece first.

All sequences of a height are solved in blocks. For two and four rows, a block is the sequences with
the same first four pieces, and is solved with a tablebase of all boards. Six rows have too many
boards, so each sequence is given to the solver. Worker processes solve parts of consecutive blocks;
each process creates its tablebase for the first part, and its threads share it.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from sevenbag._kernel import (
    PC_TABLEBASE_STAGES,
    Board,
    PcSolver,
    SolveStatus,
    StopFlag,
    count_block_sequences,
    count_pc_sequences,
    list_pc_sequences,
    write_pc_record,
)
from sevenbag.errors import BoardError, SearchStoppedError
from sevenbag.pc.tablebase import (
    HEIGHTS,
    KernelTask,
    TablebaseProgress,
    build_tablebase,
    resolve_threads,
)

if TYPE_CHECKING:
    from sevenbag._kernel import Kicks, PcTablebase, Piece

MAX_LENGTH: Final = 24
"""Maximum length of a sequence."""

_ALL_PHASES: Final = 0b1111111
_ALL_BUT_THE_LAST: Final = 0b0111111


def count_sequences(length: int) -> int:
    """Return the number of sequences of a length; length 0 is a held piece alone.

    >>> [count_sequences(length) for length in range(5)]
    [7, 28, 196, 1365, 9198]

    Raises:
        QueueError: the length is not 0 to `MAX_LENGTH`.
    """
    return count_pc_sequences(length, _ALL_PHASES)


def count_published_sequences(length: int) -> int:
    """Return the number of sequences that perfect-tetris publishes.

    It differs for lengths 8, 15 and 22. It leaves out windows that consist of the last piece of a
    bag and whole bags, if no other phase of the bag deals them.

    >>> count_sequences(8) - count_published_sequences(8)
    5040

    Raises:
        QueueError: the length is not 0 to `MAX_LENGTH`.
    """
    whole_bags = length > 1 and length % 7 == 1
    return count_pc_sequences(length, _ALL_BUT_THE_LAST if whole_bags else _ALL_PHASES)


def sequence_at(length: int, number: int) -> tuple[Piece, ...]:
    """Return the sequence with an index.

    >>> "".join(piece.name for piece in sequence_at(4, 9000))
    'JJTSI'

    Raises:
        QueueError: there is no such sequence.
    """
    return tuple(list_pc_sequences(length, number, 1)[0])


_BY_SOLVER: Final = 6
_HEAD_BYTES: Final = 8
_SEQUENCES_AT_ONCE: Final = 75
"""A divisor of the number of sequences of six rows."""


class SequenceBlocks:
    """Base class of the blocks of a height.

    Attributes:
        letters: number of pieces of a sequence, the held one included.
        record_bytes: number of bytes of a solution.
        starts: index of the first sequence of each block; the last item is the number of sequences.
    """

    def __init__(self, height: int, starts: Sequence[int]) -> None:
        self.letters = height * 10 // 4 + 1
        self.record_bytes = _HEAD_BYTES + self.letters - 1
        self.starts = starts

    @property
    def block_count(self) -> int:
        """Number of blocks."""
        return len(self.starts) - 1

    @property
    def total(self) -> int:
        """Number of sequences."""
        return self.starts[-1]

    def find_block(self, sequence: int) -> int:
        """Return the block of a sequence; `block_count` if the index is the number of sequences."""
        return bisect.bisect_right(self.starts, sequence) - 1

    def prepare(self, threads: int, report: Callable[[TablebaseProgress], None] | None) -> None:
        """Prepare the data that blocks need. Call this before the first block."""

    def records(self, block: int) -> bytes:
        """Return the solutions of a block as records of .pc files. Safe to call from any thread."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop blocks that are being solved, if they take long."""


class TablebaseBlocks(SequenceBlocks):
    """Blocks that are solved with a tablebase."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        sizes = count_block_sequences(height * 10 // 4 + 1)
        super().__init__(height, list(itertools.accumulate(sizes, initial=0)))
        self._kicks = kicks
        self._height = height
        self._tablebase: PcTablebase | None = None

    def prepare(self, threads: int, report: Callable[[TablebaseProgress], None] | None) -> None:
        """Build the tablebase."""
        task = KernelTask(report, self._height, PC_TABLEBASE_STAGES - 1)
        self._tablebase = build_tablebase(self._kicks, self._height, threads, task)

    def records(self, block: int) -> bytes:
        """Return the solutions of a block."""
        assert self._tablebase is not None, "call prepare() first"
        return self._tablebase.encode_records(block)

    def find_unsolvable(self, block: int) -> bytes:
        """Return the sequences of a block without a perfect clear, for `compute_pc_odds`."""
        assert self._tablebase is not None, "call prepare() first"
        return self._tablebase.find_unsolvable(block)


class SolverBlocks(SequenceBlocks):
    """Blocks whose sequences are solved one by one."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        letters = height * 10 // 4 + 1
        super().__init__(height, range(0, count_sequences(letters - 1) + 1, _SEQUENCES_AT_ONCE))
        self._kicks = kicks
        self._height = height
        self._stop = StopFlag()
        self._thread_data = threading.local()

    def records(self, block: int) -> bytes:
        """Return the solutions of a block.

        Raises:
            SearchStoppedError: `stop` was called.
        """
        solver = getattr(self._thread_data, "solver", None)
        if not isinstance(solver, PcSolver):
            solver = self._thread_data.solver = PcSolver(self._kicks)
        records: list[bytes] = []
        first, end = self.starts[block], self.starts[block + 1]
        for pieces in list_pc_sequences(self.letters - 1, first, end - first):
            answer = solver.solve(
                Board(),
                pieces[1:],
                pieces[0],
                min_height=self._height,
                max_height=self._height,
                stop=self._stop,
            )
            if answer.status == SolveStatus.STOPPED:
                raise SearchStoppedError("the search was stopped")
            if answer.status == SolveStatus.FOUND:
                holds = sum(1 << i for i, used in enumerate(answer.holds) if used)
                records.append(write_pc_record(pieces, holds, list(answer.placements)))
        return b"".join(records)

    def stop(self) -> None:
        """Stop the searches."""
        self._stop.set()


def create_blocks(kicks: Kicks, height: int) -> SequenceBlocks:
    """Create the blocks of a height.

    Raises:
        BoardError: invalid height.
    """
    if height in HEIGHTS:
        return TablebaseBlocks(kicks, height)
    if height == _BY_SOLVER:
        return SolverBlocks(kicks, height)
    raise BoardError(f"invalid height: expected 2, 4 or {_BY_SOLVER}, got {height}")


_BLOCKS_AT_ONCE: Final = {2: 64, 4: 4, 6: 128}
"""Blocks per part by height: much more work than the transfer, but little to repeat."""

_EXPIRY_SECONDS: Final = 60.0
"""Seconds without work until a process frees the memory."""


class SequencePart(NamedTuple):
    """Consecutive blocks of a height under a rotation system."""

    kicks: Kicks
    height: int
    blocks: range


def split_into_parts(kicks: Kicks, height: int, blocks: range) -> Iterator[SequencePart]:
    """Yield the blocks in parts of a suitable size for a job."""
    step = _BLOCKS_AT_ONCE[height]
    for first in range(blocks.start, blocks.stop, step):
        yield SequencePart(kicks, height, range(first, min(first + step, blocks.stop)))


def encode_records(part: SequencePart) -> bytes:
    """Return the solutions of a part as records of .pc files."""
    return b"".join(map(_cache.get(part).records, part.blocks))


def find_unsolvable_sequences(part: SequencePart) -> bytes:
    """Return the sequences of a part without a perfect clear, for `compute_pc_odds`."""
    blocks = _cache.get(part)
    assert isinstance(blocks, TablebaseBlocks), "odds need a tablebase"
    return b"".join(map(blocks.find_unsolvable, part.blocks))


class _BlocksCache:
    """Prepared blocks of one height, freed when they are unused for a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[Kicks, int] | None = None
        self._blocks: SequenceBlocks | None = None
        self._timer: threading.Timer | None = None

    def get(self, part: SequencePart) -> SequenceBlocks:
        """Return the blocks of the height of a part; free those of another height first."""
        key = (part.kicks, part.height)
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._blocks is None or self._key != key:
                self._key, self._blocks = key, None
                blocks = create_blocks(*key)
                blocks.prepare(resolve_threads(None), None)
                self._blocks = blocks
            self._timer = threading.Timer(_EXPIRY_SECONDS, self._free)
            self._timer.daemon = True
            self._timer.start()
            return self._blocks

    def _free(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():
                self._blocks = None


_cache: Final = _BlocksCache()
