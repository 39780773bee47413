"""Work on all sequences of a height in parts, for processes that know nothing of each other.

Each process makes ready at its first part, with all its processors: at two and four lines it takes
a census, which takes memory. Parts that run in threads of one process share it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from sevenbag.pc.blocks import CensusBlocks, blocks_of
from sevenbag.pc.census import threads_or_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sevenbag._kernel import Kicks
    from sevenbag.pc.blocks import Blocks

T = TypeVar("T")

_BLOCKS_AT_ONCE: Final = {2: 64, 4: 4, 6: 128}
"""By height. Much more work than handing it over, and no great loss if it is lost."""

_KEPT_FOR: Final = 60.0
"""Seconds without work until a process gives back the memory."""


class Part(NamedTuple):
    """Some blocks of a height under a rotation system; see `sevenbag.pc.blocks`."""

    kicks: Kicks
    height: int
    blocks: range


def parts_of(kicks: Kicks, height: int, blocks: range) -> Iterator[Part]:
    """These blocks in parts of a size that fits a job."""
    step = _BLOCKS_AT_ONCE[height]
    for first in range(blocks.start, blocks.stop, step):
        yield Part(kicks, height, range(first, min(first + step, blocks.stop)))


def records_of(part: Part) -> bytes:
    """The solutions of a part as records of .pc files."""
    blocks = _ready(part)
    return b"".join(map(blocks.records, part.blocks))


def impossible_of(part: Part) -> bytes:
    """The sequences of a part without a perfect clear, as `pc_odds_without` takes them."""
    blocks = _ready(part)
    assert isinstance(blocks, CensusBlocks), "only these are asked for their odds"
    return b"".join(map(blocks.impossible, part.blocks))


# --- helpers ------------------------------------------------------------------------------------


class _Kept(Generic[T]):
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


_blocks: Final[_Kept[Blocks]] = _Kept()


def _ready(part: Part) -> Blocks:
    """The blocks of its height, prepared."""

    def make() -> Blocks:
        blocks = blocks_of(part.kicks, part.height)
        blocks.prepare(threads_or_all(None), None)
        return blocks

    return _blocks.get((part.kicks, part.height), make)
