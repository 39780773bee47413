"""Create boards and games for pictures."""

from __future__ import annotations

import functools

from sevenbag import Board, Game


def board_of(*rows: str, height: int = 40) -> Board:
    """Return a board from its rows, the uppermost first."""
    return Board.from_rows(list(reversed(rows)), height=height)


@functools.cache
def seed_of(first: str) -> int:
    """Return the lowest seed whose game begins with these pieces."""
    for seed in range(1, 10_000):
        dealt = "".join(piece.name for piece in Game(seed=seed).queue)
        if dealt.startswith(first):
            return seed
    raise ValueError(f"no game begins with {first}")
