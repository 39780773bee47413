"""Runs a coroutine so that signals end it tidily."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, TypeVar

from sevenbag.cli.main import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_until_signal(
    work: Coroutine[object, object, T], *, insist: Callable[[], None] | None = None
) -> T:
    """What the coroutine returns.

    The first signal cancels it. From then on signals are ignored, until the program ends: they
    could break off the ending of other processes. A coroutine ends soon after it is cancelled, or
    lets itself be hurried.

    Args:
        work: what is run.
        insist: is called at each further signal, in the coroutine's event loop.

    Raises:
        Interrupted: a signal came.
    """
    return asyncio.run(_guarded(work, insist))


async def _guarded(work: Coroutine[object, object, T], insist: Callable[[], None] | None) -> T:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    came: list[int] = []

    def react(number: int) -> None:
        if not came:
            task.cancel()
        elif insist is not None:
            insist()
        came.append(number)

    def wake(number: int, _: object) -> None:
        loop.call_soon_threadsafe(react, number)

    # A signal that is ignored, as under nohup, stays ignored; a handler that was not installed
    # from Python (None) could not be restored. Not by the loop's own handlers: while these are
    # removed, a signal would end the program.
    before = {
        number: handler
        for number in _ENDING
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)
    }
    for number in before:
        signal.signal(number, wake)
    try:
        return await task
    except asyncio.CancelledError:
        if not came:
            raise
        raise Interrupted(came[0]) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if came else handler)
