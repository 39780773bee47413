"""The log of moves and refused commands: each with its reason, not more of them than can be read.

The contest of 2012 lost moves silently; teams searched for days. Here every move that was not done
is told with its reason, up to some lines a second of each player and reason, so that one move that
is out of date is not lost among hundreds that collide; of the others it is told how many there
were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    import structlog

LINES_A_SECOND: Final = 10


class BoundedLog:
    """Lines of one source, up to `LINES_A_SECOND` for a reason; what is left out is counted.

    Args:
        logger: with what tells the source.
        clock: monotonic seconds.
    """

    def __init__(
        self, logger: structlog.typing.FilteringBoundLogger, clock: Callable[[], float]
    ) -> None:
        self._logger = logger
        self._clock = clock
        self._until = 0.0
        self._lines: dict[str, int] = {}
        self._left_out: dict[str, int] = {}

    def tell(self, event: str, reason: str, **more: object) -> None:
        """Log an event with its reason."""
        now = self._clock()
        if now >= self._until:
            self.tell_left_out()
            self._until = now + 1.0
            self._lines = {}
        lines = self._lines.get(reason, 0)
        if lines >= LINES_A_SECOND:
            self._left_out[reason] = self._left_out.get(reason, 0) + 1
            return
        self._lines[reason] = lines + 1
        self._logger.info(event, reason=reason, **more)

    def tell_left_out(self) -> None:
        """Log how many were left out, if any were."""
        if self._left_out:
            self._logger.info("left out of the log", by_reason=self._left_out)
            self._left_out = {}
