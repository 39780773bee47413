"""How many random cases a property is tried on."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> settings:
    """Return settings for `count` examples in the profile `ci`, a fifth of them in `fast`."""
    return settings(max_examples=max(1, count * settings().max_examples // 100))
