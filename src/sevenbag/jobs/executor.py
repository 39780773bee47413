"""Interface of executors, and the executor that runs jobs in this process."""

from __future__ import annotations

import abc
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, Self, TypeVar

from sevenbag.errors import JobError, ScarceMemoryError, SevenbagError

T = TypeVar("T")
R = TypeVar("R")

MAX_WORKER_LOSSES: Final = 3
"""Number of workers that one item may lose before the run fails."""

_MAX_MESSAGE_LENGTH: Final = 300


class Executor(abc.ABC):
    """Runs jobs, up to `workers` at once; a context manager that leaves no process behind."""

    workers: int

    @abc.abstractmethod
    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Call a function with each item and yield the results as they arrive.

        Items of a lost worker (killed, or its machine failed) are given to other workers. Items are
        only taken from the iterable when they can start. An executor has one run at a time. If the
        generator is closed early, waiting items are dropped and running jobs are stopped where the
        executor can do that.

        Args:
            function: top-level function of a module that the workers can import.
            items: any number of items.
            prefetch: number of items taken beyond those that run, so that no worker waits for the
                caller. The default depends on the executor.

        Yields:
            Index of the item, from 0, and its result; in any order.

        Raises:
            SevenbagError: a job raised it.
            JobError: a job raised another exception, or cannot be pickled.
            LostWorkersError: an item lost three workers, or no worker can be started.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Stop all workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class InProcessExecutor(Executor):
    """Runs each job in this process when its result is requested."""

    workers = 1

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Run jobs as `Executor.run` describes, without prefetching."""
        del prefetch
        for index, item in enumerate(items):
            try:
                result = function(item)
            except Exception as error:
                failure = wrap_error(error, index)
                if failure is error:
                    raise
                raise failure from error
            yield index, result

    def close(self) -> None:
        """Do nothing: there are no workers."""


def iterate_in_order(results: Iterable[tuple[int, T]]) -> Iterator[T]:
    """Yield the results of `Executor.run` in the order of the items."""
    early: dict[int, T] = {}
    following = 0
    for index, result in results:
        early[index] = result
        while following in early:
            yield early.pop(following)
            following += 1


def wrap_error(error: Exception | SystemExit, index: int) -> SevenbagError:
    """Convert an exception of a job to a `SevenbagError`; raise the result from `error`."""
    if isinstance(error, SevenbagError):
        return error
    if isinstance(error, MemoryError):
        return ScarceMemoryError(f"there is not enough memory for job {index}")
    return JobError(f"job {index} failed: {type(error).__name__}: {first_line(error)}")


def first_line(error: BaseException) -> str:
    """Return the first line of an exception's message, shortened for another message."""
    lines = str(error).splitlines() or [""]
    return lines[0][:_MAX_MESSAGE_LENGTH]
