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
from sevenbag.jobs.executor import MOST_LOSSES, Executor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")
R = TypeVar("R")

_MOST_WORKERS: Final = 1024
_LOOK_EVERY: Final = 1.0
"""Seconds. A line may be kept open by what a lost worker had started."""


class Processes(Executor):
    """Workers start when there is work for them, and stay from one run to the next."""

    def __init__(self, workers: int) -> None:
        if not 1 <= workers <= _MOST_WORKERS:
            raise JobError(f"{workers} workers; it must be 1 to {_MOST_WORKERS}")
        self.workers = workers
        self._team: list[_Worker] = []
        self._running = False
        self._false_starts = 0

    def run(
        self, function: Callable[[T], R], items: Iterable[T], *, ahead: int | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.run`; as many as there are workers are taken ahead, if not told."""
        if self._running:
            raise JobError("one run at a time: the one before has not ended")
        run = _Run(function, items, self.workers + (self.workers if ahead is None else ahead))
        self._running = True
        try:
            while True:
                run.take()
                self._hire(len(run.waiting))
                for worker in self._team:
                    if worker.ready and worker.job is None and run.waiting:
                        run.give(worker)
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
            self._dismiss([worker for worker in self._team if worker.job is not None])

    def close(self) -> None:
        """End all workers."""
        self._dismiss(self._team)

    def _hire(self, waiting: int) -> None:
        """Have a worker for everything that waits, as far as allowed."""
        idle = sum(worker.job is None for worker in self._team)
        while len(self._team) < self.workers and idle < waiting:
            self._team.append(_Worker())
            idle += 1

    def _wait(self, run: _Run) -> None:
        """Wait for what workers have to say, or for their end."""
        heard = wait([worker.line for worker in self._team], timeout=_LOOK_EVERY)
        for worker in list(self._team):
            if worker.line in heard:
                self._hear(worker, run)
            elif not heard and worker.process.poll() is not None:
                self._lose(worker, run)

    def _hear(self, worker: _Worker, run: _Run) -> None:
        try:
            message = worker.line.recv_bytes()
        except (EOFError, OSError):
            self._lose(worker, run)
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

    def _lose(self, worker: _Worker, run: _Run) -> None:
        """Give its job to another one."""
        self._dismiss([worker])
        if not worker.ready:
            self._false_starts += 1
            if self._false_starts == MOST_LOSSES:
                raise LostWorkersError(f"no worker process can be started: one {worker.fate}")
        if worker.job is not None:
            run.give_back(worker.job, worker.fate)

    def _dismiss(self, workers: list[_Worker]) -> None:
        leaving = list(workers)
        for worker in leaving:
            worker.process.kill()
        for worker in leaving:
            self._team.remove(worker)
            worker.leave()


class _Run:
    """The items of a run, from when they are taken until they are given back.

    Attributes:
        waiting: numbers of the items that nobody works at.
        done: results that the caller has not seen.
    """

    def __init__(
        self, function: Callable[[Any], Any], items: Iterable[Any], most_taken: int
    ) -> None:
        self._function = _pickled(function, "what is to be done")
        self._source = enumerate(items)
        self._most = most_taken
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

    def give(self, worker: _Worker) -> None:
        """Give a worker the item that has waited longest."""
        index = self.waiting[0]
        message = _pickled((index, self._function, self._items[index]), f"job {index}")
        worker.job = self.waiting.popleft()
        # If it is gone, its line will tell.
        with contextlib.suppress(OSError):
            worker.line.send_bytes(message)

    def give_back(self, index: int, fate: str) -> None:
        """Have it done by another worker."""
        self._losses[index] += 1
        if self._losses[index] == MOST_LOSSES:
            raise LostWorkersError(
                f"job {index} has cost {MOST_LOSSES} worker processes: the last one {fate}",
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
        self.line, theirs = Pipe()
        try:
            with theirs:
                self.process: Final = subprocess.Popen(
                    [sys.executable, "-P", "-m", "sevenbag.jobs.worker", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    process_group=0,
                )
        except OSError as error:
            self.line.close()
            raise LostWorkersError(f"no worker process can be started: {error}") from error
        # What can be imported here can be imported there.
        with contextlib.suppress(OSError):
            self.line.send(sys.path)

    @property
    def fate(self) -> str:
        """How it ended."""
        code = self.process.returncode
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def leave(self) -> None:
        """Wait for its end, which has come or is coming."""
        self.line.close()
        self.process.wait()


def _pickled(value: object, name: str) -> bytes:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise JobError(f"{name} cannot be given to another process: {error}") from error
