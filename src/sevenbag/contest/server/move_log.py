"""Rate-limited log of moves and refused commands, with counts of omitted lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import structlog

MOVES_A_SECOND: Final = 10
"""Maximum lines for the moves of a team with the same reason, to leave room for other reasons."""
REFUSAL_SECONDS: Final = 60.0
"""Seconds between lines for refused commands of a team with the same reason."""


class BoundedLog:
    """Log of events that may occur thousands of times a second.

    Events that differ in name, reason, match or team have separate limits. Events beyond the limit
    are counted and logged as one line with ``count``.

    Args:
        logger: destination.
        clock: monotonic seconds.
        lines: maximum lines of the same kind in each period.
        seconds: length of a period.
    """

    def __init__(
        self,
        logger: structlog.typing.FilteringBoundLogger,
        clock: Callable[[], float],
        *,
        lines: int,
        seconds: float,
    ) -> None:
        self._logger = logger
        self._clock = clock
        self._most = lines
        self._seconds = seconds
        self._until = 0.0
        self._seen: dict[tuple[str, str, str | None, str | None], int] = {}

    def tell(
        self,
        event: str,
        reason: str,
        *,
        match: str | None = None,
        team: str | None = None,
        **more: object,
    ) -> None:
        """Log an event, or count it beyond the limit.

        Args:
            event: its name.
            reason: its reason.
            match: start of the match token, if known and not bound to the logger.
            team: team name, if known and not bound to the logger.
            more: further fields of the line.
        """
        now = self._clock()
        if now >= self._until:
            self.tell_left_out()
            self._until = now + self._seconds
        kind = (event, reason, match, team)
        seen = self._seen[kind] = self._seen.get(kind, 0) + 1
        if seen <= self._most:
            self._write(*kind, more)

    def tell_left_out(self) -> None:
        """Log the number of omitted events of each kind and start a new period."""
        seen, self._seen = self._seen, {}
        for kind, count in seen.items():
            if count > self._most:
                self._write(*kind, {"count": count - self._most})

    def _write(
        self,
        event: str,
        reason: str,
        match: str | None,
        team: str | None,
        more: Mapping[str, object],
    ) -> None:
        source = {"match": match, "team": team}
        known = {name: value for name, value in source.items() if value is not None}
        self._logger.info(event, reason=reason, **known, **more)
