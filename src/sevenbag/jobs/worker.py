"""Worker process of `sevenbag.jobs.process_executor`: runs jobs until the connection closes."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import FrameType

from sevenbag.jobs.executor import wrap_error


def main() -> None:
    """Run jobs until the connection closes; its descriptor is the argument."""
    descriptor = int(sys.argv[1])
    # Child processes of a job must not keep the connection open.
    os.set_inheritable(descriptor, False)
    # A handler, because child processes of a job would inherit an ignored signal.
    signal.signal(signal.SIGINT, _handle_interrupt)
    connection = Connection(descriptor)
    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive_jobs, args=(connection, jobs), daemon=True).start()
    with contextlib.suppress(OSError):  # the parent has closed the connection
        while True:
            connection.send_bytes(_run_job(jobs.get()))


def _handle_interrupt(number: int, frame: FrameType | None) -> None:
    """Ignore Ctrl-C: the parent handles it."""


def _receive_jobs(connection: Connection, jobs: SimpleQueue[bytes]) -> None:
    try:
        sys.path[:] = connection.recv()
        connection.send_bytes(b"")
        while True:
            jobs.put(connection.recv_bytes())
    except (EOFError, OSError):
        # The parent has ended or closed the connection: no result is needed.
        os._exit(0)


def _run_job(message: bytes) -> bytes:
    """Run a job; return its result and None, or None and its error, pickled."""
    index = -1
    try:
        index, function, item = pickle.loads(message)
        return pickle.dumps((pickle.loads(function)(item), None))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # raised in the parent
        failure = wrap_error(error, index)
        if failure is not error:
            failure.add_note("".join(traceback.format_exception(error)))
        return pickle.dumps((None, failure))


if __name__ == "__main__":
    main()
