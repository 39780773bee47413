"""How often somebody may do something."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KEYS: Final = 20_000


class Limit:
    """So many times at once, then once in so many seconds, for each key.

    What is remembered is one time a key, and of so many keys at most.

    Args:
        burst: times at once.
        seconds: until one more is allowed.
        clock: seconds that only grow.
    """

    def __init__(
        self, burst: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ahead = burst * seconds
        self._seconds = seconds
        self._clock = clock
        # When each key will have all its times again: each use puts it off.
        self._whole: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str) -> bool:
        """Use one; False if there is none left."""
        now = self._clock()
        whole = max(self._whole.get(key, now), now) + self._seconds
        if whole - now > self._ahead:
            return False
        self._whole[key] = whole
        self._whole.move_to_end(key)
        self._forget(now)
        return True

    def give_back(self, key: str) -> None:
        """It was none of those that are counted."""
        if key in self._whole:
            self._whole[key] -= self._seconds

    def _forget(self, now: float) -> None:
        # The longest unused first; who has all its times again needs no remembering.
        while self._whole:
            key = next(iter(self._whole))
            if self._whole[key] > now and len(self._whole) <= _MOST_KEYS:
                break
            del self._whole[key]
