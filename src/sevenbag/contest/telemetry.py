"""Logs of a contest's processes."""

from __future__ import annotations

import atexit
import contextlib
import io
import logging
import queue
import sys
import threading
from typing import TYPE_CHECKING, Final, TextIO, cast

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sevenbag.contest.settings import LogSettings

MAX_WAITING_LINES: Final = 20_000
"""Texts that wait; further ones are left out, and counted."""

_EXIT_SECONDS: Final = 1.0
"""Seconds that are left to write the rest when the process ends."""


class BackgroundStream(io.TextIOBase):
    """Writes to another stream, some time later.

    Args:
        target: gives the stream; asked for each text, as standard error may be replaced.
    """

    def __init__(self, target: Callable[[], TextIO]) -> None:
        self._target = target
        self._waiting: queue.Queue[str] = queue.Queue(MAX_WAITING_LINES)
        self._left_out = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def write(self, text: str, /) -> int:
        """Have a text written; returns at once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_all, name="log writer", daemon=True
                )
                self._thread.start()
                atexit.register(self.wait, _EXIT_SECONDS)
        try:
            self._waiting.put_nowait(text)
        except queue.Full:
            self._left_out += 1
        return len(text)

    def flush(self) -> None:
        """Nothing: what waits is written as soon as it can be."""

    def wait(self, seconds: float) -> bool:
        """Wait until all is written, so long at most; whether it is."""
        with self._waiting.all_tasks_done:
            return self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, seconds
            )

    # --- helpers --------------------------------------------------------------------------------

    def _write_all(self) -> None:
        while True:
            text = self._waiting.get()
            left_out, self._left_out = self._left_out, 0
            # A stream that is closed or gone is no reason to end anything.
            with contextlib.suppress(OSError, ValueError):
                target = self._target()
                if left_out:
                    target.write(f"{left_out} lines of the log were left out\n")
                target.write(text)
                if self._waiting.empty():
                    target.flush()
            self._waiting.task_done()


_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

_BACKGROUND_STDERR: Final = BackgroundStream(lambda: sys.stderr)

_STANDARD_ERROR: Final = cast("TextIO", _BACKGROUND_STDERR)
"""Of all loggers of the process."""

# Without the values of variables, of which some are passwords.
_TRACEBACKS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


def create_logger(
    settings: LogSettings, stream: TextIO | None = None
) -> structlog.typing.FilteringBoundLogger:
    """A logger that writes as the settings want it.

    Args:
        settings: see there.
        stream: where to; by default standard error, in a thread of its own.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    )
    as_json = [_TRACEBACKS] if settings.format == "json" else []
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream or _STANDARD_ERROR),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *as_json,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
    )
    return logger


def flush_logs(seconds: float = 5.0) -> bool:
    """Wait until what was logged stands on standard error, so long at most; whether it does."""
    return _BACKGROUND_STDERR.wait(seconds)


MAX_MOVE_LINES: Final = 10
"""Maximum lines for the moves of a team with the same reason, to leave room for other reasons."""

REJECTION_PERIOD: Final = 60.0
"""Seconds between lines for refused commands of a team with the same reason."""


class RateLimitedLog:
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

    def log(
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
            self.log_suppressed()
            self._until = now + self._seconds
        kind = (event, reason, match, team)
        seen = self._seen[kind] = self._seen.get(kind, 0) + 1
        if seen <= self._most:
            self._write(*kind, more)

    def log_suppressed(self) -> None:
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
