"""Jobs in this very process, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sevenbag.jobs.executor import Executor, named

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")
R = TypeVar("R")


class InProcess(Executor):
    """Runs a job when its result is asked for."""

    workers = 1

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, ahead: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.run`; nothing is taken ahead."""
        del ahead
        for index, item in enumerate(items):
            try:
                result = function(item)
            except Exception as error:
                failure = named(error, index)
                if failure is error:
                    raise
                raise failure from error
            yield index, result

    def close(self) -> None:
        """There is nothing to end."""
