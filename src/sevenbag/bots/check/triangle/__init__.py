"""Checks whether an engine keeps to the Triangle.js adapter protocol, as hosts really speak it."""

from sevenbag.bots.check.triangle.of_engines import CHOICES, check_engine

__all__ = ["CHOICES", "check_engine"]
