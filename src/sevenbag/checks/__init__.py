"""Conformance checks of TBP bots, TBP frontends and Triangle engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.bots.external.process import create_process_launcher
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.external.triangle_driver import TriangleDriver
from sevenbag.bots.registry import create_bot
from sevenbag.checks.harness import SEVERITIES, CheckSettings, ConformanceReport, Finding
from sevenbag.checks.tbp_bot_check import create_tbp_bot_check
from sevenbag.checks.tbp_frontend_check import check_tbp_frontend
from sevenbag.checks.triangle_check import create_triangle_check

if TYPE_CHECKING:
    from sevenbag.checks.harness import ConformanceHarness

__all__ = [
    "SEVERITIES",
    "CheckSettings",
    "ConformanceReport",
    "Finding",
    "check_tbp_frontend",
    "create_check",
    "create_tbp_bot_check",
    "create_triangle_check",
]


def create_check(spec: str, settings: CheckSettings | None = None) -> ConformanceHarness:
    """Create the check of an external bot, or of a built-in bot as a TBP server.

    Raises:
        InputError: invalid specification or settings.
    """
    bot = create_bot(spec)
    if isinstance(bot, TriangleDriver):
        return create_triangle_check(
            bot.create_launcher() or bot.launcher,
            spec,
            settings,
            empty_environment_launcher=bot.create_launcher({}),
        )
    if isinstance(bot, TbpDriver):
        return create_tbp_bot_check(bot.launcher, spec, settings)
    launcher = create_process_launcher(["sevenbag", "serve", spec])
    return create_tbp_bot_check(launcher, spec, settings)
