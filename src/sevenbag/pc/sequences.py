"""The different queues that bags can deal to a player, counted, numbered and listed.

A sequence of length n is a held piece, the current one and n - 1 next ones, where current and next
pieces are any window of a 7-bag stream. Held and current piece may be exchanged, so that sequences
are listed once: the held piece is not before the current one in the order IOTSZLJ. They are listed
in that order of their pieces, held one first.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar, overload

from sevenbag._kernel import (
    PC_TABLEBASE_STAGES,
    Board,
    PcSolver,
    SolveStatus,
    StopFlag,
    count_block_sequences,
    count_pc_sequences,
    find_pc_sequence_index,
    list_pc_sequences,
    write_pc_record,
)
from sevenbag.errors import BoardError, SearchStoppedError
from sevenbag.pc.tablebase import HEIGHTS, KernelTask, build_tablebase, resolve_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sevenbag._kernel import Kicks, PcTablebase, Piece
    from sevenbag.pc.tablebase import TablebaseProgress

MAX_LENGTH: Final = 24
"""The length of the longest sequences that are counted."""

_ALL_PHASES: Final = 0b1111111
_ALL_BUT_THE_LAST: Final = 0b0111111


def count_sequences(length: int) -> int:
    """How many sequences there are of a length, 0 to `MAX_LENGTH`; length 0 is a held piece alone.

    >>> [count_sequences(length) for length in range(5)]
    [7, 28, 196, 1365, 9198]

    Raises:
        QueueError: it is not within these.
    """
    return count_pc_sequences(length, _ALL_PHASES)


def count_published_sequences(length: int) -> int:
    """The number that perfect-tetris states.

    It differs at the lengths 8, 15 and 22: there windows are left out whose first piece is the last
    of its bag and whose others are whole bags, if no other phase deals them.

    >>> count_sequences(8) - count_published_sequences(8)
    5040

    Raises:
        QueueError: the length is not 0 to `MAX_LENGTH`.
    """
    whole_bags = length > 1 and length % 7 == 1
    return count_pc_sequences(length, _ALL_BUT_THE_LAST if whole_bags else _ALL_PHASES)


def find_sequence_index(sequence_at: Sequence[Piece]) -> int:
    """The number of a sequence in the list of its length, from 0.

    Raises:
        QueueError: it is no sequence.
    """
    return find_pc_sequence_index(list(sequence_at))


def sequence_at(length: int, number: int) -> tuple[Piece, ...]:
    """The sequence of that number.

    >>> "".join(piece.name for piece in sequence_at(4, 9000))
    'JJTSI'

    Raises:
        QueueError: there is none.
    """
    return tuple(list_pc_sequences(length, number, 1)[0])


_BY_SOLVER: Final = 6
_HEAD_BYTES: Final = 8
_SEQUENCES_AT_ONCE: Final = 64


class SequenceBlocks:
    """What all blocks have.

    Attributes:
        letters: pieces of a sequence, the held one first.
        record_bytes: of a solution.
        starts: sequences before each block, and at last all.
    """

    def __init__(self, height: int, starts: Sequence[int]) -> None:
        self.letters = height * 10 // 4 + 1
        self.record_bytes = _HEAD_BYTES + self.letters - 1
        self.starts = starts

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self.starts) - 1

    @property
    def total(self) -> int:
        """All sequences."""
        return self.starts[-1]

    def block_of(self, sequence_at: int) -> int:
        """The block of the sequence of that number; `block_count`, if all are before it."""
        return bisect.bisect_right(self.starts, sequence_at) - 1

    def prepare(self, threads: int, report: Callable[[TablebaseProgress], None] | None) -> None:
        """Whatever is needed before the first block."""

    def records(self, block: int) -> bytes:
        """The solutions of a block as records of .pc files; any number of threads may ask."""
        raise NotImplementedError

    def stop(self) -> None:
        """Have blocks that are being solved fail soon, if they would take long."""


class TablebaseBlocks(SequenceBlocks):
    """Solved on a census."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        sizes = count_block_sequences(height * 10 // 4 + 1)
        super().__init__(height, list(itertools.accumulate(sizes, initial=0)))
        self._kicks = kicks
        self._height = height
        self._census: PcTablebase | None = None

    def prepare(self, threads: int, report: Callable[[TablebaseProgress], None] | None) -> None:
        """Take the census."""
        watch = KernelTask(report, self._height, PC_TABLEBASE_STAGES - 1)
        self._census = build_tablebase(self._kicks, self._height, threads, watch)

    def records(self, block: int) -> bytes:
        """The solutions of a block."""
        assert self._census is not None, "prepare() comes first"
        return self._census.encode_records(block)

    def find_unsolvable(self, block: int) -> bytes:
        """The sequences of a block without a perfect clear, as `compute_pc_odds` takes them."""
        assert self._census is not None, "prepare() comes first"
        return self._census.find_unsolvable(block)


class SolverBlocks(SequenceBlocks):
    """Solved one by one."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        letters = height * 10 // 4 + 1
        super().__init__(height, _Steps(count_sequences(letters - 1), _SEQUENCES_AT_ONCE))
        self._kicks = kicks
        self._height = height
        self._stop = StopFlag()
        self._own = threading.local()

    def records(self, block: int) -> bytes:
        """The solutions of a block.

        Raises:
            SearchStoppedError: `stop` was called.
        """
        solver = getattr(self._own, "solver", None)
        if not isinstance(solver, PcSolver):
            solver = self._own.solver = PcSolver(self._kicks)
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
        """End the searches."""
        self._stop.set()


def create_blocks(kicks: Kicks, height: int) -> SequenceBlocks:
    """The blocks of a height.

    Raises:
        BoardError: all sequences of this height cannot be solved.
    """
    if height in HEIGHTS:
        return TablebaseBlocks(kicks, height)
    if height == _BY_SOLVER:
        return SolverBlocks(kicks, height)
    raise BoardError(f"a height of {height} lines; it must be 2, 4 or {_BY_SOLVER}")


# --- helpers ------------------------------------------------------------------------------------


class _Steps(Sequence[int]):
    """0, step, 2 * step, ... and at last the total."""

    def __init__(self, total: int, step: int) -> None:
        self._total = total
        self._step = step

    def __len__(self) -> int:
        return -(-self._total // self._step) + 1

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return min(place * self._step, self._total)


T = TypeVar("T")

_BLOCKS_AT_ONCE: Final = {2: 64, 4: 4, 6: 128}
"""By height. Much more work than handing it over, and no great loss if it is lost."""

_KEPT_FOR: Final = 60.0
"""Seconds without work until a process gives back the memory."""


class SequencePart(NamedTuple):
    """Some blocks of a height under a rotation system; see `sevenbag.pc.sequences`."""

    kicks: Kicks
    height: int
    blocks: range


def split_into_parts(kicks: Kicks, height: int, blocks: range) -> Iterator[SequencePart]:
    """These blocks in parts of a size that fits a job."""
    step = _BLOCKS_AT_ONCE[height]
    for first in range(blocks.start, blocks.stop, step):
        yield SequencePart(kicks, height, range(first, min(first + step, blocks.stop)))


def encode_records(part: SequencePart) -> bytes:
    """The solutions of a part as records of .pc files."""
    blocks = _ready(part)
    return b"".join(map(blocks.records, part.blocks))


def find_unsolvable_sequences(part: SequencePart) -> bytes:
    """The sequences of a part without a perfect clear, as `compute_pc_odds` takes them."""
    blocks = _ready(part)
    assert isinstance(blocks, TablebaseBlocks), "only these are asked for their odds"
    return b"".join(map(blocks.find_unsolvable, part.blocks))


# --- helpers ------------------------------------------------------------------------------------


class _ExpiringCache(Generic[T]):
    """Something large that is made at its first use, and given up when it was not used for long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._value: T | None = None
        self._timer: threading.Timer | None = None

    def get(self, key: object, make: Callable[[], T]) -> T:
        """What was made for the key; another's is given up first."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            value = self._value if self._key == key else None
            if value is None:
                self._value = None
                self._key, self._value = key, (value := make())
            self._timer = threading.Timer(_KEPT_FOR, self._give_up)
            self._timer.daemon = True
            self._timer.start()
            return value

    def _give_up(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():
                self._value = None


_blocks: Final[_ExpiringCache[SequenceBlocks]] = _ExpiringCache()


def _ready(part: SequencePart) -> SequenceBlocks:
    """The blocks of its height, prepared."""

    def make() -> SequenceBlocks:
        blocks = create_blocks(part.kicks, part.height)
        blocks.prepare(resolve_threads(None), None)
        return blocks

    return _blocks.get((part.kicks, part.height), make)
