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

    The first signal cancels it; from then on signals are passed over, so that impatience cannot
    break off the ending of other processes. Whoever is cancelled keeps that short, or lets itself
    be hurried.

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

    def stop(number: int) -> None:
        if not came:
            task.cancel()
        elif insist is not None:
            insist()
        came.append(number)

    # A signal that somebody chose to ignore, as nohup does, stays ignored.
    heeded = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heeded:
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if came:
            raise Interrupted(came[0]) from None
        raise
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)
