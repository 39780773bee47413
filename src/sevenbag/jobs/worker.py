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
from typing import TYPE_CHECKING

from sevenbag.jobs.executor import wrap_error

if TYPE_CHECKING:
    from types import FrameType


def main() -> None:
    """Work until the line closes; its descriptor is the argument."""
    descriptor = int(sys.argv[1])
    # Whatever a job starts must not keep the line open.
    os.set_inheritable(descriptor, False)
    # Not ignored, which whatever a job starts would inherit.
    signal.signal(signal.SIGINT, _go_on)
    line = Connection(descriptor)
    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(line, jobs), daemon=True).start()
    with contextlib.suppress(OSError):  # the parent has closed the connection
        while True:
            line.send_bytes(_outcome(jobs.get()))


# --- helpers ------------------------------------------------------------------------------------


def _go_on(number: int, frame: FrameType | None) -> None:
    """Ctrl-C is for whoever gives us the jobs."""


def _listen(line: Connection, jobs: SimpleQueue[bytes]) -> None:
    try:
        sys.path[:] = line.recv()
        line.send_bytes(b"")
        while True:
            jobs.put(line.recv_bytes())
    except (EOFError, OSError):
        # Whatever is done just now, nobody waits for it any more.
        os._exit(0)


def _outcome(message: bytes) -> bytes:
    """The result of a job and None, or None and its error, pickled."""
    index = -1
    try:
        index, function, item = pickle.loads(message)
        return pickle.dumps((pickle.loads(function)(item), None))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # it is raised where it is awaited
        failure = wrap_error(error, index)
        if failure is not error:
            failure.add_note("".join(traceback.format_exception(error)))
        return pickle.dumps((None, failure))


if __name__ == "__main__":
    main()
