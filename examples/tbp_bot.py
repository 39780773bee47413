"""A whole TBP bot: puts each piece where the stack stays low and even. It never holds.

Let it play:  sevenbag play beam "tbp:python examples/tbp_bot.py"
"""

import itertools
import json
import sys

from sevenbag import Board, Placement


def badness(board: Board, placement: Placement) -> float:
    """How bad the stack is after a placement: high, with holes, uneven; lines make up for it."""
    after = board.copy()
    lines = after.lock(placement)
    columns = [[after[x, y] for y in range(after.height, -1, -1)] for x in range(10)]
    heights = [len(column) - [*column, True].index(True) for column in columns]
    holes = sum(heights) - after.count
    steps = sum(abs(left - right) for left, right in itertools.pairwise(heights))
    return 0.51 * sum(heights) + 0.36 * holes + 0.18 * steps - 0.76 * lines


def location(placement: Placement) -> dict[str, object]:
    """A placement in the words of TBP."""
    name, turned = placement.piece.name, placement.rotation.name.lower()
    return {"type": name, "orientation": turned, "x": placement.x, "y": placement.y}


def say(**message: object) -> None:
    """Send a message: one line of compact JSON, at once."""
    print(json.dumps(message, separators=(",", ":")), flush=True)


say(type="info", name="stacker", version="1.0", author="sevenbag", features=[])
board, queue, choices = Board(), [""], list[Placement]()
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "rules":
            say(type="ready")
        case "start":
            board = Board.from_rows(["".join(cell or "." for cell in r) for r in message["board"]])
            queue = message["queue"]
        case "suggest":
            choices = sorted(board.placements(queue[0]), key=lambda move: badness(board, move))
            say(
                type="suggestion",
                moves=[{"location": location(m), "spin": "none"} for m in choices],
            )
        case "play":
            played = message["move"]["location"]
            board.lock(next(m for m in choices if location(m) == played))
            del queue[0]
        case "new_piece":
            queue.append(message["piece"])
        case "quit":
            break
