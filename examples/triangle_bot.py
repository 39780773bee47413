"""A whole bot for Triangle.js: puts each piece where the stack stays low and even.

Give a Triangle host this interpreter and this file, both by absolute path. Or let it play here:
sevenbag play beam "triangle:python examples/triangle_bot.py"
"""

import itertools

from sevenbag import Placement
from sevenbag.bots.serving.triangle_engine import EngineTurn, run_engine


def badness(turn: EngineTurn, placement: Placement) -> float:
    """How bad the stack is after a placement: high, with holes, uneven; lines make up for it."""
    board = turn.board.copy()
    lines = board.lock(placement)
    columns = [[board[x, y] for y in range(board.height)] for x in range(board.width)]
    heights = [max((y + 1 for y, filled in enumerate(c) if filled), default=0) for c in columns]
    holes = sum(heights) - board.count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


def choose(turn: EngineTurn) -> Placement:
    """The placement after which the stack is best."""
    return min(turn.placements(), key=lambda placement: badness(turn, placement))


run_engine(choose, name="stacker", version="1.0", author="sevenbag")
