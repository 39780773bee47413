"""What runs jobs, whatever it runs them on."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Final, Self, TypeVar

from sevenbag.errors import JobError, ScarceMemoryError, SevenbagError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from types import TracebackType

T = TypeVar("T")
R = TypeVar("R")

MOST_LOSSES: Final = 3
"""Workers that an item may cost: more are its own fault, or those of a machine too small for it."""

_LONGEST: Final = 300


class Executor(abc.ABC):
    """Runs jobs; a context, which leaves no process behind.

    Attributes:
        workers: how many jobs run at once.
    """

    workers: int

    @abc.abstractmethod
    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, ahead: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Give every item to the function, and each result back as soon as it is there.

        The items of a lost worker (killed, or its machine gone) are given to others. Items are
        taken only as they can be begun. One run at a time; closing it early drops what has not
        begun and ends at once what runs, as far as the executor can.

        Args:
            function: of the top of a module, so that it can be found there by others.
            items: any number of them.
            ahead: how many items may wait beside those that run, so that no worker waits for the
                caller; what suits the executor, if not given.

        Yields:
            Number of the item, from 0, and result; in any order.

        Raises:
            SevenbagError: a job raised it.
            JobError: a job raised another error, or cannot be pickled.
            LostWorkersError: an item has cost three workers, or none can be started.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """End all that runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def named(error: Exception | SystemExit, index: int) -> SevenbagError:
    """What a job raised, as an error that has a name; it is to be raised from the other."""
    if isinstance(error, SevenbagError):
        return error
    if isinstance(error, MemoryError):
        return ScarceMemoryError(f"there is not enough memory for job {index}")
    return JobError(f"job {index} failed: {type(error).__name__}: {in_a_line(error)}")


def in_a_line(error: BaseException) -> str:
    """What a foreign error says, as far as it fits into a message."""
    lines = str(error).splitlines() or [""]
    return lines[0][:_LONGEST]
