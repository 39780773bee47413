"""When which match wants attention: one timer for all of them."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUND: Final = 16
"""Those that are due, in a row; then commands have their turn."""


class Scheduled(Protocol):
    """Something with a next time.

    Attributes:
        scheduled: for when it is in the timetable; infinite for not at all. The timetable's own.
    """

    scheduled: float

    def wake(self, now: float) -> None:
        """Its time has come; it says when the next one is by `Timetable.schedule`."""


class Timetable:
    """Wakes what is scheduled, as soon as its time has come and others had their turn.

    Args:
        clock: monotonic seconds, those of the event loop.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Scheduled]] = []
        self._order = itertools.count()
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._armed_for = math.inf

    def schedule(self, what: Scheduled, due: float | None) -> None:
        """Wake it at this time at the latest.

        It may be woken earlier, by a time that was told before: that costs less than to take times
        back, as every move would.
        """
        if due is None or due >= what.scheduled:
            return
        what.scheduled = due
        heapq.heappush(self._heap, (due, next(self._order), what))
        if due < self._armed_for:
            self._arm(due)

    def forget(self, what: Scheduled) -> None:
        """Wake it no more, and hold it no longer."""
        # In place: this may be called by what is being woken.
        self._heap[:] = [entry for entry in self._heap if entry[2] is not what]
        heapq.heapify(self._heap)
        what.scheduled = math.inf

    def close(self) -> None:
        """Wake nothing any more."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- helpers --------------------------------------------------------------------------------

    def _arm(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = due
        loop = asyncio.get_running_loop()
        late = due <= self._clock()
        self._timer = loop.call_soon(self._wake_due) if late else loop.call_at(due, self._wake_due)

    def _wake_due(self) -> None:
        self._timer = None
        # Nothing is armed while things are woken: it is seen afterwards what is first.
        self._armed_for = -math.inf
        heap = self._heap
        now = self._clock()
        woken = 0
        while heap and heap[0][0] <= now and woken < _ROUND:
            due, _, what = heapq.heappop(heap)
            if due == what.scheduled:
                what.scheduled = math.inf
                what.wake(now)
                woken += 1
        self._armed_for = math.inf
        if heap:
            self._arm(heap[0][0])
