"""A correct bot in plain Python; the faulty bots are subclasses.

It imports nothing of ours, so that it starts quickly and shares none of our mistakes. It drops
each piece where the stack stays low and without holes, and never holds, but follows those who do.
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any, NoReturn

Board = list[list[bool]]
Cells = list[tuple[int, int]]

SHAPES = {  # cells around the centre, pointing north
    "I": [(-1, 0), (0, 0), (1, 0), (2, 0)],
    "O": [(0, 0), (1, 0), (0, 1), (1, 1)],
    "T": [(-1, 0), (0, 0), (1, 0), (0, 1)],
    "L": [(-1, 0), (0, 0), (1, 0), (1, 1)],
    "J": [(-1, 0), (0, 0), (1, 0), (-1, 1)],
    "S": [(-1, 0), (0, 0), (0, 1), (1, 1)],
    "Z": [(0, 0), (1, 0), (-1, 1), (0, 1)],
}
TURNS = ("north", "east", "south", "west")
SILENT = "silent from now on"
"""Written to standard error by a bot that will write no more messages."""


def _turned(shape: Cells, quarters: int) -> Cells:
    for _ in range(quarters):
        shape = [(dy, -dx) for dx, dy in shape]
    return shape


TURNED = {
    (piece, orientation): _turned(shape, quarters)
    for piece, shape in SHAPES.items()
    for quarters, orientation in enumerate(TURNS)
}


def cells_of(
    type: str,  # noqa: A002 - TBP's own word
    orientation: str,
    x: int,
    y: int,
    **more: object,
) -> Cells:
    """Return the four cells of a location."""
    return [(x + dx, y + dy) for dx, dy in TURNED[type, orientation]]


def is_free(board: Board, cells: Cells) -> bool:
    """Return True if all cells are on the board and empty."""
    return all(0 <= x < 10 and 0 <= y < 40 and not board[y][x] for x, y in cells)


def place(board: Board, cells: Cells) -> Board:
    """Return the board with the cells filled and full rows removed."""
    rows = list(board)
    for x, y in cells:
        rows[y] = [*rows[y][:x], True, *rows[y][x + 1 :]]
    rows = [row for row in rows if not all(row)]
    return rows + [[False] * 10 for _ in range(40 - len(rows))]


def drops(board: Board, piece: str) -> Iterator[dict[str, Any]]:
    """Yield each location of a piece that is rotated, shifted and dropped."""
    spawn = 19 if is_free(board, cells_of(piece, "north", 4, 19)) else 20
    for orientation in TURNS:
        for x in range(10):
            y = spawn
            while is_free(board, cells_of(piece, orientation, x, y - 1)):
                y -= 1
            if is_free(board, cells_of(piece, orientation, x, y)):
                yield {"type": piece, "orientation": orientation, "x": x, "y": y}


def badness(board: Board) -> int:
    """Return squared heights and holes."""
    filled = [y for y in range(40) if any(board[y])]
    heights = [next((y + 1 for y in reversed(filled) if board[y][x]), 0) for x in range(10)]
    holes = sum(heights) - sum(map(sum, board))
    return sum(height**2 for height in heights) + 30 * holes


def say(message: dict[str, Any]) -> None:
    """Send a line of compact JSON."""
    print(json.dumps(message, separators=(",", ":")), flush=True)


def say_no_more() -> None:
    """Announce that no message will follow."""
    print(SILENT, file=sys.stderr, flush=True)


def hang() -> NoReturn:
    """Stay silent for ever."""
    say_no_more()
    while True:
        time.sleep(60)


def fail(text: str, code: int) -> NoReturn:
    """Exit with a text on standard error."""
    print(text, file=sys.stderr, flush=True)
    sys.exit(code)


class Dropper:
    """Handlers of the messages; faulty bots override one."""

    name = "dropper"

    def __init__(self) -> None:
        self.queue: list[str] = []
        self.held: str | None = None
        self.board: Board = []
        self.asked = 0

    def run(self) -> None:
        self.introduce()
        for line in sys.stdin:
            if line.strip() and not self.hear(json.loads(line)):
                break
        self.leave()

    def hear(self, message: dict[str, Any]) -> bool:
        match message["type"]:
            case "rules":
                self.rules(message)
            case "start":
                self.start(message)
            case "suggest":
                self.asked += 1
                self.suggest()
            case "play":
                self.play(message["move"])
            case "new_piece":
                self.queue.append(message["piece"])
            case "quit":
                return self.quit()
        return True

    def introduce(self) -> None:
        say({"type": "info", "name": self.name, "version": "1", "author": "us", "features": []})

    def rules(self, message: dict[str, Any]) -> None:
        say({"type": "ready"})

    def start(self, message: dict[str, Any]) -> None:
        self.queue = message["queue"]
        self.held = message["hold"]
        self.board = [[cell is not None for cell in row] for row in message["board"]]

    def suggest(self) -> None:
        say({"type": "suggestion", "moves": self.moves()})

    def moves(self) -> list[dict[str, Any]]:
        if not self.queue:
            return []
        places = sorted(
            drops(self.board, self.queue[0]),
            key=lambda spot: badness(place(self.board, cells_of(**spot))),
        )
        return [{"location": spot, "spin": "none"} for spot in places]

    def play(self, move: dict[str, Any]) -> None:
        self.board = place(self.board, cells_of(**move["location"]))
        current = self.queue.pop(0)
        if move["location"]["type"] != current:
            if self.held is None:
                del self.queue[0]
            self.held = current

    def quit(self) -> bool:
        """Return True to keep running."""
        return False

    def leave(self) -> None:
        pass


if __name__ == "__main__":
    Dropper().run()
