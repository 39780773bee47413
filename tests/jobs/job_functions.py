"""Jobs for the tests: functions that worker processes can import."""

import os
import signal
import threading
import time
from pathlib import Path

from sevenbag.errors import ProtocolError


def square(number: int) -> int:
    return number * number


def square_slowly(number: int) -> int:
    time.sleep(0.05)
    return number * number


def square_and_process(number: int) -> tuple[int, int]:
    """Return the number's square and the process that computes it."""
    return square_slowly(number), os.getpid()


def fail_at_three(number: int) -> int:
    if number == 3:
        raise ProtocolError("no such piece", "move.type", "suggestion")
    return number


def divide_by(number: int) -> float:
    return 1 / number


def exhaust(_: int) -> None:
    raise MemoryError


def exit_process(_: int) -> None:
    raise SystemExit(5)


def return_unpicklable(_: int) -> object:
    """Return a value that cannot be pickled."""
    return threading.Lock()


def hang(folder: str) -> None:
    """Write the process id and never return."""
    path = Path(folder) / str(os.getpid())
    path.touch()
    time.sleep(1000)


def crash_twice(asked: tuple[str, int, bool]) -> int:
    """Kill the process the first two times, if requested; count per folder."""
    folder, number, deadly = asked
    if deadly:
        tries = len(list(Path(folder).glob(f"{number}-*")))
        (Path(folder) / f"{number}-{tries}").touch()
        if tries < 2:
            os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def kill_process(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_all(folder: str) -> int:
    """Return the process id once two processes work in a folder."""
    (Path(folder) / str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < 2:
        time.sleep(0.01)
    return os.getpid()
