"""Client for the contest of 2012 that keeps the stack low and even.

Usage:  python examples/pason_bot.py pason://127.0.0.1 TOKEN "My Team" PASSWORD-FILE
"""

import itertools
import sys
from pathlib import Path

from sevenbag import Board, Placement
from sevenbag.contest.client import connect


def badness(board: Board, placement: Placement) -> float:
    """Return how high, uneven and full of holes the stack is after a placement, less lines."""
    after = board.copy()
    lines = after.lock(placement)
    columns = [[after[x, y] for y in range(after.height, -1, -1)] for x in range(10)]
    heights = [len(column) - [*column, True].index(True) for column in columns]
    holes = sum(heights) - after.cell_count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


server, token, team, password_file = sys.argv[1:]
password = Path(password_file).read_text(encoding="utf-8").strip()
with connect(server, token, team, password) as match:
    for turn in match.turns():
        turn.place(min(turn.placements(), key=lambda place: badness(turn.board, place)))
print(match.result)
