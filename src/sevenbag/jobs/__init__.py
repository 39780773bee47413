"""Work in pieces: here, in processes of this machine, or on a cluster; the results are the same.

>>> from sevenbag import jobs
>>> with jobs.in_process() as executor:
...     sorted(executor.run(abs, [-1, 2, -3]))
[(0, 1), (1, 2), (2, 3)]

The room knows nothing of games. A job is a function at the top of a module, given one item; both,
and the result, are pickled on their way. Whoever loses a worker loses time and nothing else: a job
may be begun several times, and so must leave nothing behind but its result.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

from sevenbag.jobs.executor import Executor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

__all__ = ["Executor", "cluster", "in_order", "in_process", "local"]


def in_process() -> Executor:
    """One job after another, in this very process; nothing is started."""
    from sevenbag.jobs.here import InProcess  # noqa: PLC0415  # each brings what it needs along

    return InProcess()


def local(workers: int) -> Executor:
    """Processes of this machine, started when there is work for them.

    They end with this process, however it ends.

    Args:
        workers: how many, from 1.

    Raises:
        JobError: that is no such number.
    """
    from sevenbag.jobs.processes import Processes  # noqa: PLC0415

    return Processes(workers)


def cluster(address: str) -> Executor:
    """The workers of a dask.distributed cluster.

    A job that runs there cannot be stopped: what is closed early goes on to the end of that job.

    Args:
        address: the scheduler's, such as ``tcp://192.0.2.7:8786``.

    Raises:
        MissingExtraError: `sevenbag[cluster]` is not installed.
        ClusterError: nobody answers there, there are no workers, or they lack sevenbag or have
            another version of it.
    """
    from sevenbag.jobs.on_dask import Cluster  # noqa: PLC0415

    return Cluster(address)


def in_order(results: Iterable[tuple[int, T]]) -> Iterator[T]:
    """The results that `Executor.run` gives, in the order of the items."""
    early: dict[int, T] = {}
    wanted = itertools.count()
    following = next(wanted)
    for index, result in results:
        early[index] = result
        while following in early:
            yield early.pop(following)
            following = next(wanted)
