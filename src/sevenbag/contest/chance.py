"""Chance that follows from a seed, alike on every machine and in every version of Python."""

from __future__ import annotations

import random


def stream(seed: int, name: str) -> random.Random:
    """One of the streams of chance of a seed. Use its raw bits alone: other draws may change."""
    # Seeding by a text is fixed; by other objects it was changed before.
    return random.Random(f"{name} {seed}")  # games, not secrets


def below(chance: random.Random, count: int) -> int:
    """A number from 0 to one less than `count`, evenly."""
    while True:
        number = chance.getrandbits(count.bit_length())
        if number < count:
            return number
