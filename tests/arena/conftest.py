"""Fake bots whose processes end with the test."""

from tests.bots.conftest import fake, mark

__all__ = ["fake", "mark"]
