"""Logs of a contest's processes: one event a line, for people or as JSON."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Final, TextIO

import structlog

if TYPE_CHECKING:
    from sevenbag.contest.settings import LogSettings


_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def make_logger(
    settings: LogSettings, stream: TextIO | None = None
) -> structlog.typing.FilteringBoundLogger:
    """A logger that writes as the settings want it.

    Args:
        settings: see there.
        stream: where to; standard error by default.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    )
    as_json = [structlog.processors.dict_tracebacks] if settings.format == "json" else []
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream or sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *as_json,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
    )
    return logger
