"""Checks whether programs keep to TBP: bots, and whatever drives them."""

from sevenbag.bots.check.finding import Check, Finding, Report
from sevenbag.bots.check.lab import CheckSettings
from sevenbag.bots.check.of_bots import CHOICES, check_bot
from sevenbag.bots.check.of_frontends import FrontendCheck

__all__ = [
    "CHOICES",
    "Check",
    "CheckSettings",
    "Finding",
    "FrontendCheck",
    "Report",
    "check_bot",
]
