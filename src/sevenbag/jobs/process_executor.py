"""Jobs in processes of this machine.

`concurrent.futures` would start processes, too, but gives up all of them when one is lost, cannot
tell whose fault that was, and has no way to end a job that runs. Here every worker has a line of
its own to us. It closes when either end is gone: that is how we learn that a worker is lost, and
how workers learn that we are, even after kill -9.

Workers are programs of their own, neither copies of this process, whose threads a copy would lack,
nor children of a server that would stay behind. They are in process groups of their own, so that
Ctrl-C is for us to handle.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import subprocess
import sys
from collections import Counter, deque
from multiprocessing.connection import Pipe, wait
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sevenbag.errors import JobError, LostWorkersError
from sevenbag.jobs.executor import MAX_WORKER_LOSSES, Executor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")
R = TypeVar("R")

_MAX_WORKERS: Final = 1024
_POLL_SECONDS: Final = 1.0
"""Seconds. A line may be kept open by what a lost worker had started."""


class ProcessExecutor(Executor):
    """Workers start when there is work for them, and stay from one run to the next."""

    def __init__(self, workers: int) -> None:
        if not 1 <= workers <= _MAX_WORKERS:
            raise JobError(f"{workers} workers; it must be 1 to {_MAX_WORKERS}")
        self.workers = workers
        self._workers: list[_Worker] = []
        self._running = False
        self._false_starts = 0

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, prefetch: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.run`; as many as there are workers are taken ahead, if not told."""
        if self._running:
            raise JobError("one run at a time: the one before has not ended")
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
                    # Only now: workers should not wait for the caller.
                    yield run.done.popleft()
                elif run.unfinished:
                    self._wait(run)
                else:
                    return
        finally:
            self._running = False
            # Nobody is there any more to hear the results of these.
            self._stop_workers([worker for worker in self._workers if worker.job is not None])

    def close(self) -> None:
        """End all workers."""
        self._stop_workers(self._workers)

    def _start_workers(self, waiting: int) -> None:
        """Have a worker for everything that waits, as far as allowed."""
        idle = sum(worker.job is None for worker in self._workers)
        while len(self._workers) < self.workers and idle < waiting:
            self._workers.append(_Worker())
            idle += 1

    def _wait(self, run: _Run) -> None:
        """Wait for what workers have to say, or for their end."""
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
        assert worker.job is not None, "it speaks only of its job"
        index, worker.job = worker.job, None
        try:
            result, failure = pickle.loads(message)  # from a process of our own
        except Exception as error:
            raise JobError(f"the result of job {index} cannot be read: {error}") from error
        if failure is not None:
            raise failure
        run.finish(index, result)

    def _handle_lost_worker(self, worker: _Worker, run: _Run) -> None:
        """Give its job to another one."""
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
        leaving = list(workers)
        for worker in leaving:
            worker.process.kill()
        for worker in leaving:
            self._workers.remove(worker)
            worker.wait_for_exit()


class _Run:
    """The items of a run, from when they are taken until they are given back.

    Attributes:
        waiting: numbers of the items that nobody works at.
        done: results that the caller has not seen.
    """

    def __init__(
        self, function: Callable[[Any], Any], items: Iterable[Any], max_items: int
    ) -> None:
        self._function = _pickled(function, "what is to be done")
        self._source = enumerate(items)
        self._most = max_items
        self._items: dict[int, Any] = {}
        self._losses: Counter[int] = Counter()
        self.waiting: deque[int] = deque()
        self.done: deque[tuple[int, Any]] = deque()

    @property
    def unfinished(self) -> bool:
        """Whether any item that was taken is not done."""
        return bool(self._items)

    def take(self) -> None:
        """Take as many items as allowed."""
        while len(self._items) + len(self.done) < self._most:
            try:
                index, item = next(self._source)
            except StopIteration:
                return
            self._items[index] = item
            self.waiting.append(index)

    def assign(self, worker: _Worker) -> None:
        """Give a worker the item that has waited longest."""
        index = self.waiting[0]
        message = _pickled((index, self._function, self._items[index]), f"job {index}")
        worker.job = self.waiting.popleft()
        # If it is gone, its line will tell.
        with contextlib.suppress(OSError):
            worker.connection.send_bytes(message)

    def requeue(self, index: int, exit_reason: str) -> None:
        """Have it done by another worker."""
        self._losses[index] += 1
        if self._losses[index] == MAX_WORKER_LOSSES:
            raise LostWorkersError(
                f"job {index} has cost {MAX_WORKER_LOSSES} worker processes: the last one"
                f" {exit_reason}",
                index,
            )
        self.waiting.appendleft(index)

    def finish(self, index: int, result: object) -> None:
        """It is done."""
        del self._items[index]
        self.done.append((index, result))


class _Worker:
    """A process, and our end of its line.

    Attributes:
        job: the item it works at.
        ready: whether it has begun to listen.
    """

    def __init__(self) -> None:
        self.job: int | None = None
        self.ready = False
        self.connection, theirs = Pipe()
        try:
            with theirs:
                self.process: Final = subprocess.Popen(
                    [sys.executable, "-P", "-m", "sevenbag.jobs.worker", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    process_group=0,
                )
        except OSError as error:
            self.connection.close()
            raise LostWorkersError(f"no worker process can be started: {error}") from error
        # What can be imported here can be imported there.
        with contextlib.suppress(OSError):
            self.connection.send(sys.path)

    @property
    def exit_reason(self) -> str:
        """How it ended."""
        code = self.process.returncode
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def wait_for_exit(self) -> None:
        """Wait for its end, which has come or is coming."""
        self.connection.close()
        self.process.wait()


def _pickled(value: object, name: str) -> bytes:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise JobError(f"{name} cannot be given to another process: {error}") from error
