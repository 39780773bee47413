"""Executor that runs jobs in processes of this machine.

`concurrent.futures` is not used, because it gives up all processes when one is lost, does not
report which job caused that, and cannot stop a running job. Here each worker has a connection of
its own, which closes when either process ends, even after kill -9.

Workers are separate programs: not forks of this process, which would lack its threads, and not
children of a fork server, which could remain. They run in process groups of their own, so that
Ctrl-C only reaches this process.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from multiprocessing.connection import Pipe, wait
from typing import Any, Final, TypeVar

from sevenbag.errors import JobError, LostWorkersError
from sevenbag.jobs.executor import MAX_WORKER_LOSSES, Executor

T = TypeVar("T")
R = TypeVar("R")

_MAX_WORKERS: Final = 1024
_POLL_SECONDS: Final = 1.0
"""Seconds between checks for lost workers: their children may keep a connection open."""


class ProcessExecutor(Executor):
    """Runs jobs in worker processes, which start on demand and are reused by later runs.

    The processes end with this process, also after kill -9.

    Raises:
        JobError: the number of workers is not 1 to 1024.
    """

    def __init__(self, workers: int) -> None:
        if not 1 <= workers <= _MAX_WORKERS:
            raise JobError(f"invalid workers: expected 1 to {_MAX_WORKERS}, got {workers}")
        self.workers = workers
        self._workers: list[_Worker] = []
        self._running = False
        self._false_starts = 0

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Run jobs as `Executor.run` describes; `prefetch` defaults to the number of workers."""
        if self._running:
            raise JobError("the executor runs one run at a time; the previous one has not ended")
        run = _Run(function, items, self.workers + (self.workers if prefetch is None else prefetch))
        self._running = True
        try:
            while True:
                run.take()
                self._start_workers(len(run.waiting))
                for worker in self._workers:
                    if worker.ready and worker.job is None and run.waiting:
                        run.assign(worker)
                if run.done:
                    # Yield after the workers have jobs: they should not wait for the caller.
                    yield run.done.popleft()
                elif run.unfinished:
                    self._wait(run)
                else:
                    return
        finally:
            self._running = False
            # Stop workers whose results are no longer needed.
            self._stop_workers([worker for worker in self._workers if worker.job is not None])

    def close(self) -> None:
        """Stop all workers."""
        self._stop_workers(self._workers)

    def _start_workers(self, waiting: int) -> None:
        """Start a worker for each waiting item, up to the limit."""
        idle = sum(worker.job is None for worker in self._workers)
        while len(self._workers) < self.workers and idle < waiting:
            self._workers.append(_Worker())
            idle += 1

    def _wait(self, run: _Run) -> None:
        """Wait for messages of workers, or for their end."""
        heard = wait([worker.connection for worker in self._workers], timeout=_POLL_SECONDS)
        for worker in list(self._workers):
            if worker.connection in heard:
                self._receive(worker, run)
            elif not heard and worker.process.poll() is not None:
                self._handle_lost_worker(worker, run)

    def _receive(self, worker: _Worker, run: _Run) -> None:
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._handle_lost_worker(worker, run)
            return
        if not worker.ready:
            worker.ready = True
            self._false_starts = 0
            return
        assert worker.job is not None, "a worker only sends results"
        index, worker.job = worker.job, None
        try:
            result, failure = pickle.loads(message)  # from our own process
        except Exception as error:
            raise JobError(f"the result of job {index} cannot be read: {error}") from error
        if failure is not None:
            raise failure
        run.finish(index, result)

    def _handle_lost_worker(self, worker: _Worker, run: _Run) -> None:
        """Stop a lost worker and requeue its job."""
        self._stop_workers([worker])
        if not worker.ready:
            self._false_starts += 1
            if self._false_starts == MAX_WORKER_LOSSES:
                raise LostWorkersError(
                    f"no worker process can be started: one {worker.exit_reason}"
                )
        if worker.job is not None:
            run.requeue(worker.job, worker.exit_reason)

    def _stop_workers(self, workers: list[_Worker]) -> None:
        stopped = list(workers)
        for worker in stopped:
            worker.process.kill()
        for worker in stopped:
            self._workers.remove(worker)
            worker.wait_for_exit()


class _Run:
    """Items of a run that are in progress.

    Attributes:
        waiting: indices of items without a worker.
        done: results that are not yielded yet.
    """

    def __init__(
        self, function: Callable[[Any], Any], items: Iterable[Any], max_items: int
    ) -> None:
        self._function = _pickle(function, "the function")
        self._source = enumerate(items)
        self._max_items = max_items
        self._items: dict[int, Any] = {}
        self._losses: Counter[int] = Counter()
        self.waiting: deque[int] = deque()
        self.done: deque[tuple[int, Any]] = deque()

    @property
    def unfinished(self) -> bool:
        """Return True if any item is in progress."""
        return bool(self._items)

    def take(self) -> None:
        """Take as many items as allowed."""
        free = self._max_items - len(self._items) - len(self.done)
        for index, item in itertools.islice(self._source, free):
            self._items[index] = item
            self.waiting.append(index)

    def assign(self, worker: _Worker) -> None:
        """Send the item that has waited longest to a worker."""
        index = self.waiting[0]
        message = _pickle((index, self._function, self._items[index]), f"job {index}")
        worker.job = self.waiting.popleft()
        # The end of a lost worker is detected by its connection.
        with contextlib.suppress(OSError):
            worker.connection.send_bytes(message)

    def requeue(self, index: int, exit_reason: str) -> None:
        """Return the item of a lost worker to the queue."""
        self._losses[index] += 1
        if self._losses[index] == MAX_WORKER_LOSSES:
            raise LostWorkersError(
                f"job {index} has lost {MAX_WORKER_LOSSES} worker processes: the last one"
                f" {exit_reason}",
                index,
            )
        self.waiting.appendleft(index)

    def finish(self, index: int, result: object) -> None:
        """Store the result of an item."""
        del self._items[index]
        self.done.append((index, result))


class _Worker:
    """A worker process and the connection to it.

    Attributes:
        job: index of its current item.
        ready: whether it receives jobs.
    """

    def __init__(self) -> None:
        self.job: int | None = None
        self.ready = False
        self.connection, remote = Pipe()
        try:
            with remote:
                self.process: Final = subprocess.Popen(
                    [sys.executable, "-P", "-m", "sevenbag.jobs.worker", str(remote.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[remote.fileno()],
                    process_group=0,
                )
        except OSError as error:
            self.connection.close()
            raise LostWorkersError(f"no worker process can be started: {error}") from error
        # The worker must be able to import the same modules.
        with contextlib.suppress(OSError):
            self.connection.send(sys.path)

    @property
    def exit_reason(self) -> str:
        """Description of its end."""
        code = self.process.returncode
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def wait_for_exit(self) -> None:
        """Wait until the killed process has ended."""
        self.connection.close()
        self.process.wait()


def _pickle(value: object, name: str) -> bytes:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise JobError(f"{name} cannot be sent to another process: {error}") from error
