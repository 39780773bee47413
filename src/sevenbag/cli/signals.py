"""Reactions of commands to signals."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NoReturn, TypeVar

from sevenbag._kernel import StopFlag

T = TypeVar("T")

_TERMINATION: Final = (signal.SIGTERM, signal.SIGHUP)


class SignalInterrupt(KeyboardInterrupt):
    """A signal ended the program."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.signal_number = signal_number


def run_until_signal(
    coroutine: Coroutine[object, object, T], *, on_repeat: Callable[[], None] | None = None
) -> T:
    """Run a coroutine and return its result; the first signal cancels it.

    Further signals are ignored until the program ends: they could interrupt the shutdown of other
    processes. A coroutine ends soon after it is cancelled, or uses `on_repeat`, which its event
    loop calls at each further signal.

    Raises:
        SignalInterrupt: a signal came.
    """
    return asyncio.run(_cancel_at_signal(coroutine, on_repeat))


def run_search(search: Callable[[StopFlag], T]) -> T:
    """Run a search of the kernel in a thread; an exception such as Ctrl-C stops it.

    Python handles no signal while the main thread is in the kernel.
    """
    stop = StopFlag()
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(search, stop).result()
        finally:
            stop.set()


@contextlib.contextmanager
def stop_on_interrupt() -> Generator[None]:
    """Leave the context at Ctrl-C without an error, for views that the user closes so.

    Raises:
        SignalInterrupt: another signal came that ends programs.
    """
    before = {number: signal.getsignal(number) for number in _TERMINATION}
    raise_on_signals(_TERMINATION)
    try:
        yield
    except SignalInterrupt:
        raise
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def raise_on_signals(numbers: Iterable[int] = (*_TERMINATION, signal.SIGQUIT)) -> None:
    """Raise `SignalInterrupt` at these signals; an ignored one, as under nohup, stays ignored."""
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise_interrupt)


def restore_default_interrupt() -> None:
    """Let Ctrl-C end the process at once: the kernel does not return to Python for it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _raise_interrupt(number: int, _: object) -> NoReturn:
    raise SignalInterrupt(number)


async def _cancel_at_signal(
    coroutine: Coroutine[object, object, T], on_repeat: Callable[[], None] | None
) -> T:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(coroutine)
    received: list[int] = []

    def react(number: int) -> None:
        if not received:
            task.cancel()
        elif on_repeat is not None:
            on_repeat()
        received.append(number)

    def wake(number: int, _: object) -> None:
        loop.call_soon_threadsafe(react, number)

    # A signal that is ignored, as under nohup, stays ignored; a handler that was not installed
    # from Python (None) could not be restored. Not by the loop's own handlers: while these are
    # removed, a signal would end the program.
    before = {
        number: handler
        for number in (signal.SIGINT, *_TERMINATION)
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)
    }
    for number in before:
        signal.signal(number, wake)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        raise SignalInterrupt(received[0]) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if received else handler)
