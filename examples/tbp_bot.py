"""A whole TBP bot: puts each piece where the stack stays low and even. It never holds.

Let it play:  sevenbag play beam "tbp:python examples/tbp_bot.py"
"""

import itertools
import json
import sys
from typing import Any

from sevenbag import Board, Placement, Rotation


def moves(board: Board, piece: str) -> list[Placement]:
    """Every placement of a piece, the best first."""
    # It appears around (4, 19), or in the first row above where there is room for it.
    free = (y for y in range(19, board.rows) if board.fits(Placement(piece, Rotation.NORTH, 4, y)))
    spawn = next(free, None)
    if spawn is None:
        return []
    return sorted(board.placements(piece, spawn=(4, spawn)), key=lambda move: badness(board, move))


def badness(board: Board, placement: Placement) -> float:
    """How bad the stack is after a placement: high, with holes, uneven; lines make up for it."""
    after = board.copy()
    lines = after.lock(placement)
    columns = [[after[x, y] for y in range(after.height, -1, -1)] for x in range(10)]
    heights = [len(column) - [*column, True].index(True) for column in columns]
    holes = sum(heights) - after.count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


def location(placement: Placement) -> dict[str, Any]:
    """A placement in the words of TBP."""
    name, turned = placement.piece.name, placement.rotation.name.lower()
    return {"type": name, "orientation": turned, "x": placement.x, "y": placement.y}


def placement(location: dict[str, Any]) -> Placement:
    """And back."""
    rotation = Rotation[location["orientation"].upper()]
    return Placement(location["type"], rotation, location["x"], location["y"])


def say(**message: object) -> None:
    """Send a message: one line of compact JSON, at once."""
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
            if played.piece.name != current:  # somebody else decided to hold
                queue = queue if held else queue[1:]
                held = current
        case "new_piece":
            queue.append(message["piece"])
        case "quit":
            break
