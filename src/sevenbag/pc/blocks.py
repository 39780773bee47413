"""Sequences of a height in blocks that follow one another, and the solutions of a block.

Two and four lines are solved on a census of all boards, blocks being the sequences with the same
first four pieces. Six lines have too many boards for that: each sequence is given to the solver.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, overload

from sevenbag._kernel import (
    PC_CENSUS_STAGES,
    Board,
    PcReason,
    PcSolver,
    StopFlag,
    pc_block_sizes,
    pc_sequences,
    write_pc_record,
)
from sevenbag.errors import BoardError, SearchStoppedError
from sevenbag.pc.census import HEIGHTS, Watch, take_census
from sevenbag.pc.sequences import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag._kernel import Kicks, PcCensus
    from sevenbag.pc.census import Progress

_BY_SOLVER: Final = 6
_HEAD_BYTES: Final = 8
_SEQUENCES_AT_ONCE: Final = 64


class Blocks:
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
    def number(self) -> int:
        """How many blocks there are."""
        return len(self.starts) - 1

    @property
    def total(self) -> int:
        """All sequences."""
        return self.starts[-1]

    def block_of(self, sequence: int) -> int:
        """The block of the sequence of that number; `number`, if all are before it."""
        return bisect.bisect_right(self.starts, sequence) - 1

    def prepare(self, threads: int, report: Callable[[Progress], None] | None) -> None:
        """Whatever is needed before the first block."""

    def records(self, block: int) -> bytes:
        """The solutions of a block as records of .pc files; any number of threads may ask."""
        raise NotImplementedError

    def stop(self) -> None:
        """Have blocks that are being solved fail soon, if they would take long."""


class CensusBlocks(Blocks):
    """Solved on a census."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        sizes = pc_block_sizes(height * 10 // 4 + 1)
        super().__init__(height, list(itertools.accumulate(sizes, initial=0)))
        self._kicks = kicks
        self._height = height
        self._census: PcCensus | None = None

    def prepare(self, threads: int, report: Callable[[Progress], None] | None) -> None:
        """Take the census."""
        watch = Watch(report, self._height, PC_CENSUS_STAGES - 1)
        self._census = take_census(self._kicks, self._height, threads, watch)

    def records(self, block: int) -> bytes:
        """The solutions of a block."""
        assert self._census is not None, "prepare() comes first"
        return self._census.records(block)

    def impossible(self, block: int) -> bytes:
        """The sequences of a block without a perfect clear, as `pc_odds_without` takes them."""
        assert self._census is not None, "prepare() comes first"
        return self._census.impossible(block)


class SolverBlocks(Blocks):
    """Solved one by one."""

    def __init__(self, kicks: Kicks, height: int) -> None:
        letters = height * 10 // 4 + 1
        super().__init__(height, _Steps(count(letters - 1), _SEQUENCES_AT_ONCE))
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
        for pieces in pc_sequences(self.letters - 1, first, end - first):
            answer = solver.solve(
                Board(),
                pieces[1:],
                pieces[0],
                min_height=self._height,
                max_height=self._height,
                stop=self._stop,
            )
            if answer.reason == PcReason.STOPPED:
                raise SearchStoppedError("the search was stopped")
            if answer.reason == PcReason.FOUND:
                holds = sum(1 << i for i, used in enumerate(answer.holds) if used)
                records.append(write_pc_record(pieces, holds, list(answer.placements)))
        return b"".join(records)

    def stop(self) -> None:
        """End the searches."""
        self._stop.set()


def blocks_of(kicks: Kicks, height: int) -> Blocks:
    """The blocks of a height.

    Raises:
        BoardError: all sequences of this height cannot be solved.
    """
    if height in HEIGHTS:
        return CensusBlocks(kicks, height)
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
