"""Jobs on a dask.distributed cluster."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sevenbag.errors import (
    ClusterError,
    JobError,
    LostWorkersError,
    MissingExtraError,
    SevenbagError,
    shown,
)
from sevenbag.jobs.executor import Executor, first_line, wrap_error

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE: Final = 10.0
"""Seconds until somebody must have answered."""
_TALKERS: Final = (
    "distributed.batched",
    "distributed.client",
    "distributed.comm",
    "distributed.core",
    "distributed.utils",
)
"""Loggers of this side of a line. What they tell, with tracebacks, is raised as errors, too."""


class DaskExecutor(Executor):
    """The workers that a scheduler had when it was asked; those that come later help, too."""

    def __init__(self, address: str) -> None:
        try:
            # Half of its names have no types; so none of them has one here.
            self._dask: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise MissingExtraError(
                "clusters need the package distributed: pip install 'sevenbag[cluster]'"
            ) from error
        for logger in _TALKERS:
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        self._address = address
        self._loop: Any = importlib.import_module("distributed.utils").LoopRunner()
        self._client: Any = None
        try:
            self._loop.start()
            self._client = self._reach()
            self.workers = self._expect_workers()
        except BaseException:
            self.close()
            raise

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.run`; as many as there are workers are taken ahead, if not told.

        How many workers an item may cost is set at the scheduler (`allowed-failures`).
        """
        most = self.workers + (self.workers if prefetch is None else prefetch)
        source = enumerate(items)
        numbers: dict[Any, int] = {}
        done = self._dask.as_completed(loop=self._client.loop)
        try:
            while True:
                while len(numbers) < most:
                    try:
                        index, item = next(source)
                    except StopIteration:
                        break
                    future = self._submit(function, item, index)
                    numbers[future] = index
                    done.add(future)
                if not numbers:
                    return
                future = next(done)
                index = numbers[future]
                result: R = self._result_of(future, index)
                del numbers[future]
                yield index, result
        finally:
            for future in numbers:
                future.cancel()

    def close(self) -> None:
        """Take leave of the cluster; what has not begun is dropped."""
        if self._client is not None:
            self._client.close(timeout=_PATIENCE)
        self._loop.stop()

    def _reach(self) -> Any:
        dask, loop = self._dask, self._loop.loop
        try:
            # A client would wait without end for somebody who takes calls and says nothing.
            kind = dask.utils.sync(loop, self._identity, callback_timeout=_PATIENCE)["type"]
            if kind != "Scheduler":
                raise ClusterError(f"{shown(self._address)}: that is no scheduler, but a {kind}")
            return dask.Client(
                self._address, timeout=_PATIENCE, set_as_default=False, name="sevenbag", loop=loop
            )
        except ClusterError:
            raise
        except Exception as error:
            # Whoever answers with something else lets it fail in any way.
            raise ClusterError(
                f"{shown(self._address)}: no dask scheduler answers there within {_PATIENCE:g} s:"
                f" {first_line(error)}"
            ) from error

    async def _identity(self) -> Any:
        async with self._dask.rpc(self._address) as line:
            return await line.identity()

    def _expect_workers(self) -> int:
        client = self._client
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except (TimeoutError, OSError) as error:
            raise ClusterError(
                f"{self._address}: the scheduler has had no workers for {_PATIENCE:g} s;"
                f" start some: dask worker {self._address}"
            ) from error
        # A function that is there without sevenbag, too.
        versions: dict[str, object] = client.run(
            importlib.metadata.version, "sevenbag", on_error="return"
        )
        ours = importlib.metadata.version("sevenbag")
        for worker, theirs in sorted(versions.items()):
            if isinstance(theirs, importlib.metadata.PackageNotFoundError):
                raise ClusterError(f"the worker {worker} lacks sevenbag; install {ours} there")
            if isinstance(theirs, BaseException):
                raise ClusterError(
                    f"the worker {worker} does not answer: {first_line(theirs)}"
                ) from theirs
            if theirs != ours:
                raise ClusterError(f"the worker {worker} has sevenbag {theirs}, here it is {ours}")
        threads: dict[str, int] = client.nthreads()
        return sum(threads.values())

    def _submit(self, function: Callable[[T], R], item: T, index: int) -> object:
        try:
            return self._client.submit(function, item, pure=False)
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from error
            raise JobError(
                f"job {index} cannot be given to a worker: {first_line(error)}"
            ) from error

    def _result_of(self, future: Any, index: int) -> Any:
        try:
            return future.result()
        except SevenbagError:
            raise
        except self._dask.KilledWorker as error:
            raise LostWorkersError(
                f"job {index} has cost {error.allowed_failures + 1} workers of the cluster",
                index,
            ) from error
        # The connection may break before the client has noticed and cancelled its futures.
        except (self._dask.CancelledError, self._dask.comm.CommClosedError) as error:
            raise self._gone() from error
        except Exception as error:
            raise wrap_error(error, index) from error

    def _gone(self) -> ClusterError:
        return ClusterError(f"{self._address}: the scheduler is gone")
