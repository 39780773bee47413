"""TBP bot that keeps the stack low and even. It never uses hold.

Usage:  sevenbag play beam "tbp:python examples/tbp_bot.py"
"""

import itertools
import json
import sys
from typing import Any

from sevenbag import Board, Placement, Rotation


def moves(board: Board, piece: str) -> list[Placement]:
    """Return every placement of a piece, the best first."""
    # The piece spawns at (4, 19), or in the first row above in which it fits.
    free = (y for y in range(19, board.rows) if board.fits(Placement(piece, Rotation.NORTH, 4, y)))
    spawn = next(free, None)
    if spawn is None:
        return []
    return sorted(board.placements(piece, spawn=(4, spawn)), key=lambda move: badness(board, move))


def badness(board: Board, placement: Placement) -> float:
    """Return how high, uneven and full of holes the stack is after a placement, less lines."""
    after = board.copy()
    lines = after.lock(placement)
    columns = [[after[x, y] for y in range(after.height, -1, -1)] for x in range(10)]
    heights = [len(column) - [*column, True].index(True) for column in columns]
    holes = sum(heights) - after.cell_count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


def location(placement: Placement) -> dict[str, Any]:
    """Return the TBP location of a placement."""
    name, turned = placement.piece.name, placement.rotation.name.lower()
    return {"type": name, "orientation": turned, "x": placement.x, "y": placement.y}


def placement(location: dict[str, Any]) -> Placement:
    """Return the placement of a TBP location."""
    rotation = Rotation[location["orientation"].upper()]
    return Placement(location["type"], rotation, location["x"], location["y"])


def say(**message: object) -> None:
    """Send a message as one line of compact JSON."""
    print(json.dumps(message, separators=(",", ":")), flush=True)


say(type="info", name="stacker", version="1.0", author="sevenbag", features=[])
board, queue, held = Board(), list[str](), None
for line in filter(str.strip, sys.stdin):
    message = json.loads(line)
    match message["type"]:
        case "rules":
            say(type="ready")
        case "start":
            rows = ["".join(cell or "." for cell in row) for row in message["board"]]
            board = Board.from_rows(rows, height=40)
            queue, held = message["queue"], message["hold"]
        case "suggest":
            choices = moves(board, queue[0]) if queue else []
            say(
                type="suggestion",
                moves=[{"location": location(m), "spin": "none"} for m in choices],
            )
        case "play":
            played = placement(message["move"]["location"])
            board.lock(played)
            current = queue.pop(0)
            if played.piece.name != current:  # the frontend played another move that used hold
                queue = queue if held else queue[1:]
                held = current
        case "new_piece":
            queue.append(message["piece"])
        case "quit":
            break
