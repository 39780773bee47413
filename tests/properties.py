"""Scale the number of random cases with the Hypothesis profile."""

from hypothesis import settings


def cases(count: int) -> int:
    """Return `count` in profile `ci` and a fifth of it in `fast`, but at least one."""
    return max(1, count * settings().max_examples // 100)


def examples(count: int) -> settings:
    """Return settings for that many cases."""
    return settings(max_examples=cases(count))
