"""Fake bots, of which nothing is left when a test ends."""

from tests.bots.conftest import fake, mark

__all__ = ["fake", "mark"]
