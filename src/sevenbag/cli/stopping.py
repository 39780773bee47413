"""Ends what is no coroutine when a signal comes: searches in the kernel, views that are drawn."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

from sevenbag._kernel import StopFlag
from sevenbag.cli.main import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def until_left() -> Generator[None]:
    """For views whose user leaves them by Ctrl-C: that ends what is within, and is no failure.

    Raises:
        Interrupted: another signal came that ends programs.
    """

    def stop(number: int, _: object) -> NoReturn:
        raise Interrupted(number)

    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_stoppably(search: Callable[[StopFlag], T]) -> T:
    """What the search returns; it runs beside, since within the kernel no signal is heard."""
    stop = StopFlag()
    outcome: queue.SimpleQueue[tuple[bool, T | BaseException]] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put((True, search(stop)))
        except BaseException as error:  # noqa: BLE001  # raised where it is waited for
            outcome.put((False, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        done, result = outcome.get()
    finally:
        stop.set()
        thread.join()
    if not done:
        raise cast("BaseException", result)
    return cast("T", result)
