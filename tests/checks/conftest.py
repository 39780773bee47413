"""Fixtures of the checks: no process of a bot outlives its test."""

from tests.bots.conftest import fake, mark, patience

__all__ = ["fake", "mark", "patience"]
