"""Pair engines in a round: single-elimination brackets and the Swiss system."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

_MAX_TRIES: Final = 100_000
"""Pairings to look at before some meet again."""


def bracket_order(entrants: int) -> list[int | None]:
    """Return the entrants (0 is the best) in bracket order; neighbours meet; a bye is None.

    The first meets the last, and the first two can meet only in the final.

    >>> bracket_order(6)
    [0, None, 3, 4, 1, None, 2, 5]
    """
    order = [0]
    while len(order) < entrants:
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    lines = [seed if seed < entrants else None for seed in order]
    # The better one stands first in each pair, as everywhere.
    return [
        entrant
        for a, b in zip(lines[::2], lines[1::2], strict=True)
        for entrant in ((b, a) if b is not None and (a is None or b < a) else (a, b))
    ]


def pair_swiss_round(
    points: Sequence[float], met: Collection[frozenset[int]], had_bye: Collection[int]
) -> tuple[list[tuple[int, int]], int | None]:
    """Return the pairs of a round of the Swiss system, and the player with a bye.

    Players with similar points meet, but no two meet twice. In the first round the upper half meets
    the lower half. The bye goes to the lowest player that has had none.

    Args:
        points: points of each player; at equal points, lower numbers are better.
        met: pairs that have met.
        had_bye: players that have had a bye.

    Returns:
        Pairs, the better player first, and the player with the bye.
    """
    ranking = sorted(range(len(points)), key=lambda one: (-points[one], one))
    bye = None
    if len(ranking) % 2:
        bye = next((one for one in reversed(ranking) if one not in had_bye), ranking[-1])
        ranking.remove(bye)
    if not met:
        half = len(ranking) // 2
        return list(zip(ranking[:half], ranking[half:], strict=True)), bye
    search = _PairingSearch(met)
    found = search.pairs(ranking)
    if found is None:
        # Too many have met already: rematches are necessary.
        found = list(zip(ranking[::2], ranking[1::2], strict=True))
    return found, bye


class _PairingSearch:
    def __init__(self, met: Collection[frozenset[int]]) -> None:
        self._met = met
        self._tries = 0

    def pairs(self, ranking: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return pairs of neighbours without rematches; None if impossible."""
        if not ranking:
            return []
        first, rest = ranking[0], ranking[1:]
        for place, other in enumerate(rest):
            self._tries += 1
            if self._tries > _MAX_TRIES:
                return None
            if frozenset((first, other)) in self._met:
                continue
            further = self.pairs([*rest[:place], *rest[place + 1 :]])
            if further is not None:
                return [(first, other), *further]
        return None
