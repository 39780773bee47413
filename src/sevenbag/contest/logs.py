"""Logs of a contest's processes: one event a line, for people or as JSON."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Final, TextIO, cast

import structlog

from sevenbag.contest.patient_stream import PatientStream

if TYPE_CHECKING:
    from sevenbag.contest.settings import LogSettings

_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_PATIENT: Final = PatientStream(lambda: sys.stderr)
_STANDARD_ERROR: Final = cast("TextIO", _PATIENT)
"""Of all loggers of the process."""
# Without the values of variables, of which some are passwords.
_TRACEBACKS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


def make_logger(
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


def written(seconds: float = 5.0) -> bool:
    """Wait until what was logged stands on standard error, so long at most; whether it does."""
    return _PATIENT.wait(seconds)
