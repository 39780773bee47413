"""Bot for Triangle.js that keeps the stack low and even.

Configure this interpreter and this file in a Triangle.js host, both with absolute paths, or run
sevenbag play beam "triangle:python examples/triangle_bot.py"
"""

import itertools

from sevenbag import Placement
from sevenbag.bots.serving.triangle_engine import EngineTurn, run_engine


def badness(turn: EngineTurn, placement: Placement) -> float:
    """Return how high, uneven and full of holes the stack is after a placement, less lines."""
    board = turn.board.copy()
    lines = board.lock(placement)
    columns = [[board[x, y] for y in range(board.height)] for x in range(board.width)]
    heights = [max((y + 1 for y, filled in enumerate(c) if filled), default=0) for c in columns]
    holes = sum(heights) - board.cell_count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


def choose(turn: EngineTurn) -> Placement:
    """Return the placement with the best stack."""
    return min(turn.placements(), key=lambda placement: badness(turn, placement))


run_engine(choose, name="stacker", version="1.0", author="sevenbag")
