"""Executor that runs jobs on a Dask cluster."""

from __future__ import annotations

import importlib
import importlib.metadata
import itertools
import logging
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeVar

from sevenbag.errors import (
    ClusterError,
    JobError,
    LostWorkersError,
    MissingExtraError,
    SevenbagError,
    shown,
)
from sevenbag.jobs.executor import Executor, first_line, wrap_error

T = TypeVar("T")
R = TypeVar("R")

_TIMEOUT: Final = 10.0
"""Time limit for answers of the cluster, in seconds."""
_LOGGERS: Final = (
    "distributed.batched",
    "distributed.client",
    "distributed.comm",
    "distributed.core",
    "distributed.utils",
)
"""Loggers of connections; their messages are also raised as errors."""


class DaskExecutor(Executor):
    """Runs jobs on the workers of a Dask cluster.

    A running job cannot be stopped: after an early close it runs to its end. Workers that join
    later get jobs, too.

    Args:
        address: address of the scheduler, such as ``tcp://192.0.2.7:8786``.

    Raises:
        MissingExtraError: `sevenbag[cluster]` is not installed.
        ClusterError: the scheduler does not answer, has no workers, or they do not have the same
            version of sevenbag.
    """

    def __init__(self, address: str) -> None:
        try:
            # Most names of the library have no types.
            self._dask: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise MissingExtraError(
                "clusters need the package distributed: pip install 'sevenbag[cluster]'"
            ) from error
        for logger in _LOGGERS:
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        self._address = address
        self._loop: Any = importlib.import_module("distributed.utils").LoopRunner()
        self._client: Any = None
        try:
            self._loop.start()
            self._client = self._connect()
            self.workers = self._check_workers()
        except BaseException:
            self.close()
            raise

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Run jobs as `Executor.run` describes; `prefetch` defaults to the number of workers.

        The scheduler's `allowed-failures` sets how many workers an item may lose.
        """
        max_items = self.workers + (self.workers if prefetch is None else prefetch)
        source = enumerate(items)
        numbers: dict[Any, int] = {}
        done = self._dask.as_completed(loop=self._client.loop)
        try:
            while True:
                for index, item in itertools.islice(source, max_items - len(numbers)):
                    future = self._submit(function, item, index)
                    numbers[future] = index
                    done.add(future)
                if not numbers:
                    return
                future = next(done)
                index = numbers[future]
                result: R = self._get_result(future, index)
                del numbers[future]
                yield index, result
        finally:
            for future in numbers:
                future.cancel()

    def close(self) -> None:
        """Disconnect from the cluster; jobs that have not started are dropped."""
        if self._client is not None:
            self._client.close(timeout=_TIMEOUT)
        self._loop.stop()

    def _connect(self) -> Any:
        dask, loop = self._dask, self._loop.loop
        try:
            # A client would wait forever for a server that accepts connections but does not answer.
            kind = dask.utils.sync(loop, self._identity, callback_timeout=_TIMEOUT)["type"]
            if kind != "Scheduler":
                raise ClusterError(f"{shown(self._address)}: expected a scheduler, got a {kind}")
            return dask.Client(
                self._address, timeout=_TIMEOUT, set_as_default=False, name="sevenbag", loop=loop
            )
        except ClusterError:
            raise
        except Exception as error:
            # Any exception is possible if something else answers.
            raise ClusterError(
                f"{shown(self._address)}: no dask scheduler answers there within {_TIMEOUT:g} s:"
                f" {first_line(error)}"
            ) from error

    async def _identity(self) -> Any:
        async with self._dask.rpc(self._address) as remote:
            return await remote.identity()

    def _check_workers(self) -> int:
        client = self._client
        try:
            client.wait_for_workers(1, timeout=_TIMEOUT)
        except (TimeoutError, OSError) as error:
            raise ClusterError(
                f"{self._address}: the scheduler has had no workers for {_TIMEOUT:g} s;"
                f" start some: dask worker {self._address}"
            ) from error
        # This function exists without sevenbag, too.
        versions: dict[str, object] = client.run(
            importlib.metadata.version, "sevenbag", on_error="return"
        )
        ours = importlib.metadata.version("sevenbag")
        for worker, theirs in sorted(versions.items()):
            if isinstance(theirs, importlib.metadata.PackageNotFoundError):
                raise ClusterError(
                    f"the worker {worker} does not have sevenbag; install version {ours}"
                )
            if isinstance(theirs, BaseException):
                raise ClusterError(
                    f"the worker {worker} does not answer: {first_line(theirs)}"
                ) from theirs
            if theirs != ours:
                raise ClusterError(
                    f"the worker {worker} has sevenbag {theirs}, this process {ours}"
                )
        threads: dict[str, int] = client.nthreads()
        return sum(threads.values())

    def _submit(self, function: Callable[[T], R], item: T, index: int) -> object:
        try:
            return self._client.submit(function, item, pure=False)
        except Exception as error:
            if self._client.status != "running":
                raise self._create_lost_error() from error
            raise JobError(
                f"job {index} cannot be sent to a worker: {first_line(error)}"
            ) from error

    def _get_result(self, future: Any, index: int) -> Any:
        try:
            return future.result()
        except SevenbagError:
            raise
        except self._dask.KilledWorker as error:
            raise LostWorkersError(
                f"job {index} has lost {error.allowed_failures + 1} workers of the cluster", index
            ) from error
        # The connection may break before the client has noticed and cancelled its futures.
        except (self._dask.CancelledError, self._dask.comm.CommClosedError) as error:
            raise self._create_lost_error() from error
        except Exception as error:
            raise wrap_error(error, index) from error

    def _create_lost_error(self) -> ClusterError:
        return ClusterError(f"{self._address}: the scheduler is gone")
